//! Twin of `shaders/fft/pass.wgsl`: FFTs along one axis of an array, or one factor of them.

use std::sync::Arc;

use num_complex::Complex32;

use super::small_root;
use crate::error::Result;
use crate::kernels::{Access, Bind, Dispatch, Form, Generated, Grid, HostCall, Kernel, Slot, params, sources};

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
    proven: true,
    mirror,
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

    /// The coordinates of a line.
    fn coordinates(&self, line: u32) -> Vec<u32> {
        let mut rest = line;
        let mut coordinates = Vec::new();
        for (i, &extent) in self.lines.iter().enumerate() {
            let last = i + 1 == self.lines.len();
            coordinates.push(if last { rest } else { rest % extent });
            rest = if last { 0 } else { rest / extent };
        }
        if let Some((dim, m)) = self.folded() {
            let d = coordinates[dim];
            coordinates[dim] = if d % 2 == 0 { d / 2 } else { m - d / 2 };
        }
        coordinates
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

impl Index {
    fn of(&self, i: u32, coordinates: &[u32]) -> u32 {
        self.element * i + self.lines.iter().zip(coordinates).map(|(weight, d)| weight * d).sum::<u32>()
    }
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

impl Pair {
    fn is_whole(&self, coordinates: &[u32]) -> bool {
        self.odd.is_none_or(|(dim, lines)| 2 * coordinates[dim] + 1 < lines)
    }
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
    })
}

/// The workgroups for so many lines.
///
/// # Errors
/// [`Error::LimitExceeded`](crate::Error::LimitExceeded) if there are too many.
pub fn grid(lines: u32, workgroup: Workgroup, max_groups: u32) -> Result<Grid> {
    Grid::linear(u64::from(lines.div_ceil(workgroup.lines)), max_groups)
}

/// An array in the order of its words, out of the pieces that it is bound in.
fn gather(call: &HostCall<'_>, names: [&[&str]; 2]) -> Vec<f32> {
    let names = names.into_iter().flatten();
    names.filter_map(|name| call.find(name)).flat_map(|words| words.iter().map(|&word| f32::from_bits(word))).collect()
}

fn mirror(call: &mut HostCall<'_>) {
    let Params { lines, scale } = call.params();
    mirror_lines(call, lines, scale, |pass, roots, x| {
        let x = stages(&pass.radices, roots, x);
        let Some(convolution) = pass.convolution else { return x };
        let spectrum = &roots[convolution.spectrum as usize..];
        let product = x.into_iter().zip(spectrum).map(|(x, factor)| swapped(x * factor)).collect();
        let reversed: Vec<u32> = pass.radices.iter().rev().copied().collect();
        stages(&reversed, &roots[convolution.roots as usize..], product).into_iter().map(swapped).collect()
    });
}

/// The pass that the text of a dispatch computes.
pub(super) fn of_dispatch(dispatch: &Dispatch) -> Arc<Pass> {
    match dispatch.generated.as_ref().map(|generated| &generated.form) {
        Some(Form::Pass(pass)) => Arc::clone(pass),
        other => panic!("the text of a pass is generated, not {other:?}"),
    }
}

/// Does to each line what the pass says, with `transform` in the middle.
pub(super) fn mirror_lines(
    call: &mut HostCall<'_>,
    lines: u32,
    scale: f32,
    transform: impl Fn(&Pass, &[Complex32], Vec<Complex32>) -> Vec<Complex32>,
) {
    let pass = of_dispatch(call.dispatch);
    let n = pass.n();
    let roots: Vec<Complex32> = bytemuck::pod_collect_to_vec(&gather(call, [&ROOTS, &[]]));
    let input = gather(call, [&INPUTS, &DATA]);
    let mut output = gather(call, [&OUTPUTS, &DATA]);
    for line in 0..lines {
        let coordinates = pass.coordinates(line);
        let x = (0..n).map(|i| load(&pass.load, i, &coordinates, &input, &roots)).collect();
        let mut x = transform(&pass, &roots, x);
        if let Some(twiddle) = &pass.twiddle {
            let m: u32 = twiddle.weights.iter().zip(&coordinates).map(|(weight, d)| weight * d).sum();
            for (k, x) in (0..).zip(&mut x) {
                let [low, high] = twiddle.at;
                *x *= roots[(low + k * m % twiddle.low) as usize] * roots[(high + k * m / twiddle.low) as usize];
            }
        }
        store(&pass.store, x, scale, &coordinates, &mut output, &roots);
    }
    call.scatter([&OUTPUTS, &DATA], &output);
}

pub(super) fn swapped(z: Complex32) -> Complex32 {
    Complex32::new(z.im, z.re)
}

/// Stockham's stages, in f32, with the kernel's table of roots.
pub(super) fn stages(radices: &[u32], roots: &[Complex32], mut x: Vec<Complex32>) -> Vec<Complex32> {
    let n = x.len();
    let mut y = x.clone();
    let mut p = 1;
    for radix in radices.iter().map(|&radix| radix as usize) {
        for j in 0..n / radix {
            let w: Vec<Complex32> = (0..radix)
                .map(|k| x[j + k * (n / radix)] * if k == 0 { Complex32::ONE } else { roots[p - 1 + (k - 1) * p + j % p] })
                .collect();
            for k in 0..radix {
                y[(j - j % p) * radix + j % p + k * p] = (0..radix).map(|i| w[i] * small_root(i * k, radix)).sum();
            }
        }
        std::mem::swap(&mut x, &mut y);
        p *= radix;
    }
    x
}

fn line_place(side: &Side, coordinates: &[u32]) -> u32 {
    side.offset + side.lines.iter().zip(coordinates).map(|(place, &d)| place.of(d)).sum::<u32>()
}

fn load(side: &Side, i: u32, coordinates: &[u32], input: &[f32], roots: &[Complex32]) -> Complex32 {
    let index = side.index.of(i, coordinates);
    if side.limit.is_some_and(|limit| index >= limit) {
        return Complex32::ZERO;
    }
    let line = line_place(side, coordinates);
    let real = |place: u32| input[place as usize];
    let complex = |place: u32| Complex32::new(real(2 * place), real(2 * place + 1));
    let half = |half: &Half, line: u32| {
        let mirrored = 2 * index > half.n;
        let z = complex(line + half.place.of(if mirrored { half.n - index } else { index }));
        if index == 0 || 2 * index == half.n {
            Complex32::new(z.re, 0.0)
        } else if mirrored {
            z.conj()
        } else {
            z
        }
    };
    let place = line + side.element.of(i);
    let value = match &side.numbers {
        Numbers::Complex => complex(place),
        Numbers::Real => Complex32::new(real(place), 0.0),
        Numbers::RealPair(pair) => Complex32::new(real(place), if pair.is_whole(coordinates) { real(place + pair.distance) } else { 0.0 }),
        Numbers::Half(of) => half(of, line),
        Numbers::OfPacked(packed) | Numbers::ToPacked(packed) => {
            let m = packed.n / 2;
            let root = roots[(packed.at[0] + index % packed.low) as usize] * roots[(packed.at[1] + index / packed.low) as usize];
            let z = |k: u32| complex(line + packed.place.of(k));
            if matches!(side.numbers, Numbers::OfPacked(_)) {
                let (z, w) = (z(index % m), z((m - index) % m).conj());
                (z + w) * 0.5 + root * (z - w) * Complex32::new(0.0, -0.5)
            } else {
                let (mut z, mut w) = (z(index), z(m - index).conj());
                if index == 0 {
                    (z.im, w.im) = (0.0, 0.0);
                }
                z + w + Complex32::I * root.conj() * (z - w)
            }
        }
        Numbers::HalfPair(of, pair) => {
            let second = if pair.is_whole(coordinates) { half(of, line + pair.distance) } else { Complex32::ZERO };
            half(of, line) + Complex32::I * second
        }
    };
    let value = if side.swap { swapped(value) } else { value };
    side.factors.map_or(value, |at| value * roots[(at + index) as usize])
}

fn store(side: &Side, x: Vec<Complex32>, scale: f32, coordinates: &[u32], output: &mut [f32], roots: &[Complex32]) {
    let line = line_place(side, coordinates);
    let mut put = |place: u32, value: Complex32| {
        output[2 * place as usize] = value.re;
        output[2 * place as usize + 1] = value.im;
    };
    if let Numbers::HalfPair(half, pair) = &side.numbers {
        let n = half.n;
        let x: Vec<Complex32> = (0..n as usize).map(|i| x[i] * side.factors.map_or(Complex32::ONE, |at| roots[at as usize + i])).collect();
        for k in 0..=n / 2 {
            let (z, mirrored) = (x[k as usize], x[((n - k) % n) as usize].conj());
            let place = line + side.element.of(k);
            put(place, (z + mirrored) * 0.5 * scale);
            if pair.is_whole(coordinates) {
                put(place + pair.distance, (z - mirrored) * Complex32::new(0.0, -0.5) * scale);
            }
        }
        return;
    }
    if let Numbers::OfPacked(packed) = &side.numbers {
        let m = packed.n / 2;
        for k in 0..=m / 2 {
            let (z, w) = (x[k as usize], x[((m - k) % m) as usize].conj());
            let root = roots[(packed.at[0] + k % packed.low) as usize] * roots[(packed.at[1] + k / packed.low) as usize];
            let (even, odd) = (z + w, root * (z - w) * Complex32::new(0.0, -1.0));
            put(line + side.element.of(k), (even + odd) * 0.5 * scale);
            put(line + side.element.of(m - k), (even - odd).conj() * 0.5 * scale);
        }
        return;
    }
    for (i, mut value) in (0..).zip(x) {
        let index = side.index.of(i, coordinates);
        if side.limit.is_some_and(|limit| index >= limit) {
            continue;
        }
        if let Some(at) = side.factors {
            value *= roots[(at + index) as usize];
        }
        value *= scale;
        if side.swap {
            value = swapped(value);
        }
        let place = line + side.element.of(i);
        match &side.numbers {
            Numbers::Complex => {
                output[2 * place as usize] = value.re;
                output[2 * place as usize + 1] = value.im;
            }
            Numbers::Real => output[place as usize] = value.re,
            Numbers::RealPair(pair) => {
                output[place as usize] = value.re;
                if pair.is_whole(coordinates) {
                    output[(place + pair.distance) as usize] = value.im;
                }
            }
            _ => unreachable!("the others are only loaded, or stored above"),
        }
    }
}
