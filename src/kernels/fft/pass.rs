//! Twin of `shaders/fft/pass.wgsl`: FFTs along one axis of an array, or one factor of them.

use crate::error::Result;
use crate::kernels::{Access, Bind, Dispatch, Generated, Grid, Kernel, Slot, params, sources};

params! {
    /// `Params` of the kernel.
    pub struct Params {
        /// Lines to transform.
        pub lines: u32,
        /// Factor on every output.
        pub scale: f32,
    }
}

/// The kernel.
pub static KERNEL: Kernel = Kernel {
    name: "fft/pass",
    source: &sources::FFT_PASS,
    appended: &[&[&sources::GRID], &[&sources::FFT_COMPLEX]],
    params: Params::FIELDS,
    overrides: &[],
};

/// What one dispatch computes: DFTs of `n` values along lines, with all that is fused into their loads and stores.
///
/// A line has a number L, whose digits to the bases [`lines`](Self::lines), lowest first, are its coordinates d. Element i of the line is loaded from
/// and stored to where [`Side`] says. Between them,
/// y\[k\] = Σⱼ x\[j\] · exp(-2πi·jk/n), times exp(-2πi·k·m/N) where there is a [`Twiddle`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Pass {
    /// The radices of its stages in order; their product is n.
    pub radices: Vec<u32>,
    /// Extents of a line's coordinates, fastest first; the last is not used, as the count of lines bounds it.
    pub lines: Vec<u32>,
    /// Where elements come from.
    pub load: Side,
    /// Where they go.
    pub store: Side,
    /// Roots of unity on the results.
    pub twiddle: Option<Twiddle>,
    /// Turns the transform into a cyclic convolution.
    pub convolution: Option<Convolution>,
}

impl Pass {
    /// Length of the DFT.
    #[must_use]
    pub fn n(&self) -> u32 {
        self.radices.iter().product()
    }

    /// The extents of the coordinates of so many lines.
    #[must_use]
    pub fn lines_of(&self, lines: u32) -> Vec<u32> {
        let (last, others) = self.lines.split_last().expect("a line has a coordinate");
        let counted: u32 = others.iter().product();
        debug_assert!(lines <= counted * last);
        others.iter().copied().chain([lines / counted]).collect()
    }

    /// The coordinate that counts the indices 0, m, 1, m-1, 2, … of a spectrum, so that neighbours share what they load, and m.
    #[must_use]
    pub fn folded(&self) -> Option<(usize, u32)> {
        let Numbers::OfPacked(packed) = &self.load.numbers else { return None };
        let dim = self.load.index.lines.iter().position(|&weight| weight == 1)?;
        Some((dim, packed.n / 2))
    }
}

/// One side of a pass: an array and how its numbers are taken.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Side {
    /// What the array holds.
    pub numbers: Numbers,
    /// Where element 0 of line 0 lies.
    pub offset: u32,
    /// How far element i lies from element 0.
    pub element: Place,
    /// How far coordinate d of a line lies from coordinate 0.
    pub lines: Vec<Place>,
    /// Position on the axis.
    pub index: Index,
    /// Positions from here on are 0 when loaded and left out when stored.
    pub limit: Option<u32>,
    /// Where in the constants the factors by position begin.
    pub factors: Option<u32>,
    /// Exchanges real and imaginary part next to the array.
    pub swap: bool,
}

/// Position on the axis: a weight times the element, and weights times the line's coordinates.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Index {
    /// Weight of the element.
    pub element: u32,
    /// Weights of the coordinates.
    pub lines: Vec<u32>,
}

/// Kinds of arrays.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Numbers {
    /// Complex numbers.
    Complex,
    /// Real numbers: the imaginary part is 0 when loaded, left out when stored.
    Real,
    /// Two lines of real numbers, as the real and the imaginary part of one.
    RealPair(Pair),
    /// The first n/2+1 of n complex numbers with x\[n-i\] the conjugate of x\[i\]; loaded only. The imaginary parts of x\[0\] and x\[n/2\] are taken as 0.
    Half(Half),
    /// Two lines of such numbers a and b, as a + i·b when loaded; the two spectra of a + i·b when stored.
    HalfPair(Half, Pair),
    /// The array holds the DFT z of length m = n/2 of x\[2j\] + i·x\[2j+1\]; loaded is the DFT of the n reals x, at index k ≤ m, and stored are all of
    /// those: (z\[k\] + conj z\[m-k\])/2 + exp(-2πi·k/n) · (z\[k\] - conj z\[m-k\])/2i, with z\[m\] = z\[0\].
    OfPacked(Packed),
    /// The reverse, without the factor 1/2: the array holds the DFT x of n reals up to x\[m\]; loaded is, at index k < m,
    /// x\[k\] + conj x\[m-k\] + i·exp(2πi·k/n) · (x\[k\] - conj x\[m-k\]). The imaginary parts of x\[0\] and x\[m\] are taken as 0.
    ToPacked(Packed),
}

impl Numbers {
    /// Whether they are loaded by their position on the axis, not by that of the element.
    #[must_use]
    pub fn by_index(&self) -> bool {
        matches!(self, Self::Half(_) | Self::HalfPair(..) | Self::OfPacked(_) | Self::ToPacked(_))
    }
}

/// Reals in twos.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Packed {
    /// Number of reals.
    pub n: u32,
    /// Where position i lies, in place of [`Side::element`] and of the places of the coordinates that the index counts.
    pub place: Place,
    /// Entries of the first table of roots of order n, as in [`Twiddle`].
    pub low: u32,
    /// Where in the constants the tables begin.
    pub at: [u32; 2],
}

/// The second line of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pair {
    /// Its distance from the first.
    pub distance: u32,
    /// The coordinate that counts pairs, and the number of lines along it if that is odd: the last pair has one line only.
    pub odd: Option<(usize, u32)>,
}

/// Half of a line.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Half {
    /// Length of the whole line.
    pub n: u32,
    /// Where position i lies when loaded, in place of [`Side::element`] and of the places of the coordinates that the index counts.
    pub place: Place,
}

/// Where index i lies: its digits, lowest first, each times a stride.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// Base and stride of the lower digits.
    pub low: Vec<(u32, u32)>,
    /// Stride of the rest.
    pub stride: u32,
}

impl Place {
    /// i · stride.
    #[must_use]
    pub fn linear(stride: u32) -> Self {
        Self { low: Vec::new(), stride }
    }

    /// (i mod block) · inner + ⌊i / block⌋ · outer.
    #[must_use]
    pub fn blocked(block: u32, inner: u32, outer: u32) -> Self {
        if block == 1 { Self::linear(outer) } else { Self { low: vec![(block, inner)], stride: outer } }
    }

    /// The place of `i`, modulo 2³²: indices that nothing reads, past the limit of a padded axis, may lie beyond.
    #[must_use]
    pub fn of(&self, i: u32) -> u32 {
        let mut rest = i;
        let mut place = 0;
        for &(base, stride) in &self.low {
            place += rest % base * stride;
            rest /= base;
        }
        place.wrapping_add(rest.wrapping_mul(self.stride))
    }

    /// The stride of the lowest digit.
    #[must_use]
    pub fn lowest_stride(&self) -> u32 {
        self.low.first().map_or(self.stride, |&(_, stride)| stride)
    }
}

/// Factors exp(-2πi·k·m/n) on the results k of a line, with m the sum of its coordinates times weights.
///
/// x = k·m, which is below n, is looked up as w\[x mod low\] · w\[⌊x / low⌋ · low\] in two tables.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Twiddle {
    /// Order of the roots.
    pub n: u32,
    /// Weights of the coordinates in m.
    pub weights: Vec<u32>,
    /// Entries of the first table.
    pub low: u32,
    /// Where in the constants the tables begin.
    pub at: [u32; 2],
}

/// y = IDFT(DFT(x) · spectrum) without the factor 1/n of the inverse.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Convolution {
    /// Where in the constants the spectrum begins.
    pub spectrum: u32,
    /// Where in the constants the roots of the inverse transform's stages begin, whose radices are those of the forward one in reverse.
    pub roots: u32,
}

/// The shape that the generated text was made for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Workgroup {
    /// Lines that one workgroup transforms.
    pub lines: u32,
    /// Invocations for each.
    pub lanes: u32,
    /// Workgroup memory in bytes.
    pub bytes: u64,
}

/// An array bound in one piece or in several, as one binding holds only so much.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bound {
    /// The array.
    pub slot: Slot,
    /// Bytes from which the array is bound.
    pub first: u64,
    /// Bytes that are bound.
    pub bytes: u64,
    /// Bytes of each binding but the last.
    pub segment: u64,
}

impl Bound {
    /// An array in one binding.
    #[must_use]
    pub fn whole(slot: Slot, bytes: u64) -> Self {
        Self { slot, first: 0, bytes, segment: bytes }
    }

    /// Number of bindings.
    #[must_use]
    pub fn segments(&self) -> usize {
        self.bytes.div_ceil(self.segment) as usize
    }
}

/// Names of the bindings of an array in pieces.
pub const INPUTS: [&str; 16] = [
    "input", "input1", "input2", "input3", "input4", "input5", "input6", "input7", "input8", "input9", "input10", "input11", "input12",
    "input13", "input14", "input15",
];
/// As [`INPUTS`].
pub const OUTPUTS: [&str; 16] = [
    "output", "output1", "output2", "output3", "output4", "output5", "output6", "output7", "output8", "output9", "output10", "output11",
    "output12", "output13", "output14", "output15",
];
/// As [`INPUTS`].
pub const DATA: [&str; 16] = [
    "data", "data1", "data2", "data3", "data4", "data5", "data6", "data7", "data8", "data9", "data10", "data11", "data12", "data13",
    "data14", "data15",
];

/// As [`INPUTS`].
pub const ROOTS: [&str; 16] = [
    "roots", "roots1", "roots2", "roots3", "roots4", "roots5", "roots6", "roots7", "roots8", "roots9", "roots10", "roots11", "roots12",
    "roots13", "roots14", "roots15",
];

/// The bindings of a pass: numbers 1 and 2 for input and output, 3 for the constants, and from 4 on what more pieces there are.
#[must_use]
pub fn binds(input: Bound, output: Bound, roots: Bound) -> Vec<Bind> {
    let mut binds = Vec::new();
    let mut next = 4;
    let mut bind = |names: &[&'static str], access, first_binding, bound: Bound| {
        for (i, &name) in names.iter().enumerate().take(bound.segments()) {
            let begin = bound.segment * i as u64;
            let range = Some((bound.first + begin, (bound.bytes - begin).min(bound.segment)));
            let binding = if i == 0 {
                first_binding
            } else {
                next += 1;
                next - 1
            };
            binds.push(Bind { binding, name, access, slot: bound.slot, range });
        }
    };
    if input.slot == output.slot {
        bind(&DATA, Access::ReadWrite, 2, output);
    } else {
        bind(&INPUTS, Access::Read, 1, input);
        bind(&OUTPUTS, Access::ReadWrite, 2, output);
    }
    bind(&ROOTS, Access::Read, 3, roots);
    binds
}

/// Transforms `lines` lines by the pass and the text in `generated`.
///
/// # Errors
/// [`Error::LimitExceeded`](crate::Error::LimitExceeded) if the grid grows too large.
pub fn dispatch(
    label: String,
    params: Params,
    workgroup: Workgroup,
    generated: Generated,
    max_groups: u32,
    binds: Vec<Bind>,
) -> Result<Dispatch> {
    Ok(Dispatch {
        label,
        kernel: &KERNEL,
        appended: vec![&sources::GRID, &sources::FFT_COMPLEX],
        generated: Some(generated),
        overrides: Vec::new(),
        params: bytemuck::bytes_of(&params).to_vec(),
        grid: grid(params.lines, workgroup, max_groups)?,
        workgroup: [workgroup.lanes * workgroup.lines, 1, 1],
        workgroup_bytes: workgroup.bytes,
        binds,
        proven: false,
    })
}

/// The workgroups for so many lines.
///
/// # Errors
/// [`Error::LimitExceeded`](crate::Error::LimitExceeded) if there are too many.
pub fn grid(lines: u32, workgroup: Workgroup, max_groups: u32) -> Result<Grid> {
    Grid::linear(u64::from(lines.div_ceil(workgroup.lines)), max_groups)
}
