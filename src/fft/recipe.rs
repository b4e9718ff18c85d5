//! How to compute a Fourier transform: every decision, in a form that prints and parses.

use std::fmt;
use std::ops::RangeInclusive;

use super::factors::largest_prime;
use crate::error::Result;
use crate::text::{Text, join, parsed, words};
use crate::transpose;

/// All decisions on how to compute a transform.
///
/// The text form is one part per axis, in the order in which the axes are transformed, `axis 1:
/// ...; axis 0: ...`, or `rows: ...; columns: ...; transpose: ...`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Recipe {
    /// Transforms each axis without transposes.
    Axes(Vec<AxisRecipe>),
    /// Two dense axes: FFTs of rows, transpose, FFTs of rows, transpose.
    Transposed {
        /// The pass along the last axis.
        rows: PassRecipe,
        /// The pass along the first axis.
        columns: PassRecipe,
        /// Used for both transposes.
        transpose: transpose::Recipe,
    },
}

/// How to transform one axis.
///
/// The text form is `axis 0: P1 + P2`, with one pass for each factor of the length. A length
/// without good factors is computed as a convolution, `axis 0 bluestein 2048: P1`. Rows of reals
/// may be transformed two at a time, `axis 1 pairs: P1`, or as complex rows of half the length,
/// `axis 0 halves: P1 + P2` or `axis 1 packed: P1`. Neighbouring axes may be transformed together
/// in one pass, `axes 0 to 1: P1`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct AxisRecipe {
    /// Number of the axis, counted from the slowest.
    pub axis: usize,
    /// The last of the axes that are transformed together, usually `axis` itself. A workgroup then
    /// has whole pictures, whose axes are dense: each has the next one's rows side by side. The
    /// radices are those of one axis after the other.
    pub through: usize,
    /// Length of the cyclic convolution that computes the transform (Bluestein), if there is one.
    /// It is at least twice the transform's length minus 1.
    pub bluestein: Option<u32>,
    /// How rows of reals are transformed as complex numbers. This applies only to the last axis of
    /// a real transform.
    pub reals: Reals,
    /// One pass for each factor of the length. The product of their lengths is the axis's length,
    /// half of it, or the length of the convolution.
    pub passes: Vec<PassRecipe>,
}

impl AxisRecipe {
    /// A recipe for complex numbers along one axis.
    #[must_use]
    pub fn new(axis: usize, passes: Vec<PassRecipe>) -> Self {
        Self { axis, through: axis, bluestein: None, reals: Reals::Complex, passes }
    }

    /// The axes that are transformed. A recipe written by hand may name any numbers, but no array
    /// has as many axes as are left here.
    pub(super) fn axes(&self) -> RangeInclusive<usize> {
        self.axis..=self.through.min(self.axis.saturating_add(8))
    }

    /// Leaves out the blocks in which its result is stored.
    pub(super) fn drop_block(&mut self) {
        if let Some(PassRecipe::Stockham(last)) = self.passes.last_mut() {
            last.block = None;
        }
    }

    /// What `bluestein 2304` means, in words.
    pub(super) fn note(&self, n: u32) -> Option<String> {
        let m = self.bluestein?;
        let prime = largest_prime(n);
        let why = if prime == n { format!("{n} is a prime number") } else { format!("{n} has the prime factor {prime}") };
        Some(format!("axis {}: convolution of length {m} ({why})", self.axis))
    }
}

/// How rows of reals are transformed as complex numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Reals {
    /// With imaginary parts 0, which takes all the arithmetic of complex rows. All other axes use
    /// this value.
    Complex,
    /// Two rows at a time, as the real and the imaginary part of one complex row, in a single pass.
    /// The rounding errors of one row reach the other one, and so does a NaN. So the two must be
    /// rows of one array that another axis mixes anyway, unless the specification says that
    /// [rows may mix](crate::fft::R2c::rows_may_mix).
    Pairs,
    /// As complex rows of half the length: elements with even index are real parts, elements with
    /// odd index are imaginary parts. An additional step combines the halves on the way to or from
    /// the spectrum: as a part of a pass of the kernel `fft/pass`, or, if the passes of the rows
    /// are of `fft/lanes`, as a pass of its own, of the kernel `fft/halves`. This needs an even
    /// length and a layout in which such pairs are always neighbours.
    Halves,
    /// As [`Halves`](Self::Halves) in passes of `fft/lanes`, where the pass that combines them is
    /// the last one, after all axes, or the first one on the way back. Then the other axes are
    /// those of an array whose rows have half the length, and begin at lines of the cache.
    Packed,
}

/// One pass over an array: how to transform its lines.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum PassRecipe {
    /// The kernel `fft/radix2`: one barrier for each factor 2, with all data in workgroup memory,
    /// for dense rows only. It is the simplest kernel and the slowest.
    ///
    /// Its text form is `radix2 rows=2 lanes=32`.
    Radix2 {
        /// Rows per workgroup.
        rows: u32,
        /// Invocations per row.
        lanes: u32,
    },
    /// The kernel `fft/pass`: butterflies of larger radices in registers, with exchanges through
    /// workgroup memory between stages.
    ///
    /// Its text form is `stockham 16.16.4 lanes=64 lines=1 exchange=split pieces=1 banks=32
    /// roots=products block=8x4 width=2`.
    Stockham(Stockham),
    /// The kernel `fft/lanes`: lines in the registers of subgroups of 8, without workgroup memory,
    /// for software drivers on CPUs. It transforms complex numbers in one binding, without blocks,
    /// or rows of reals as halves.
    /// Accesses of several numbers need that many neighbours on both sides, either along the line
    /// or across lines.
    ///
    /// If a device has no subgroups of 8, it exchanges the same values through workgroup memory. If
    /// it has no 64-bit integers, an access of four numbers loads two vectors instead of one. The
    /// recipe does not decide these.
    ///
    /// Its text form is `lanes 32.32 lanes=8 width=4 invocations=128`, or `lanes 32.1 lanes=1
    /// width=4 invocations=128` for a short line in one lane. At its end stands `loops=1` where
    /// there are loops.
    Lanes {
        /// Two factors whose product is the length of a line. The second may be 1.
        factors: [u32; 2],
        /// Lanes of a subgroup per line: 1, 2, 4 or 8.
        lanes: u32,
        /// Complex numbers per access: 1, 2, or 4, which needs 64-bit integers.
        width: u32,
        /// Invocations per workgroup, a multiple of 8.
        invocations: u32,
        /// Whether the DFTs of a lane are iterations of loops, if a line has several lanes. The
        /// shader is shorter, so it compiles faster, but runs slower.
        loops: bool,
    },
}

/// The decisions for the kernel `fft/pass`.
///
/// Some choices follow from these and from the strides, and are not listed. Neighbouring
/// invocations take neighbouring elements of a line, or the same element of neighbouring lines,
/// whichever are closer in memory. Values in workgroup memory are arranged for the fewest bank
/// conflicts.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Stockham {
    /// Radices of the stages in order, each at most 64. Their product is the length of a line.
    pub radices: Vec<u32>,
    /// Invocations per line.
    pub lanes: u32,
    /// Lines per workgroup.
    pub lines: u32,
    /// How values are exchanged through workgroup memory.
    pub exchange: Exchange,
    /// Number of parts of a line that are exchanged one after the other.
    pub pieces: u32,
    /// Banks of workgroup memory that the layout takes into account: 16, 32 or 64; 0 for none.
    pub banks: u32,
    /// Where the twiddle factors come from.
    pub roots: Roots,
    /// Extents of the blocks in which the result is stored for a following pass: along this axis,
    /// or what remains of it, and along the next one.
    pub block: Option<[u32; 2]>,
    /// Complex numbers per access of the arrays: 1 or 2. Two need neighbours on both sides, either
    /// across lines, of which an invocation then transforms two, or along the line, where it
    /// computes neighbouring butterflies of the first stage and of the last one. Only passes
    /// between arrays of complex numbers can have it, without parts and fragments. The arithmetic
    /// is the same for both.
    pub width: u32,
}

impl Stockham {
    /// A recipe with default values for all other decisions, the same that parsing fills in.
    #[must_use]
    pub fn new(radices: Vec<u32>, lanes: u32) -> Self {
        let (exchange, roots) = (Exchange::Split, Roots::Products);
        Self { radices, lanes, lines: 1, exchange, pieces: 1, banks: 32, roots, block: None, width: 1 }
    }

    /// Length of a line. The product saturates, because a recipe written by hand may overflow it.
    #[must_use]
    pub fn n(&self) -> u32 {
        self.radices.iter().fold(1, |n, &radix| n.saturating_mul(radix))
    }

    pub(super) fn reversed(&self) -> Self {
        Self { radices: self.radices.iter().rev().copied().collect(), ..self.clone() }
    }

    /// Maximum number of complex numbers that an invocation holds.
    #[must_use]
    pub fn elements(&self) -> u32 {
        let n = self.n();
        self.radices.iter().map(|&radix| (n / radix.max(1)).div_ceil(self.lanes.max(1)).saturating_mul(radix)).max().unwrap_or(0)
    }
}

impl PassRecipe {
    pub(super) fn is_lanes(&self) -> bool {
        matches!(self, Self::Lanes { .. })
    }

    /// Length of a line, if the recipe states it.
    #[must_use]
    pub fn n(&self) -> Option<u32> {
        match self {
            Self::Radix2 { .. } => None,
            Self::Stockham(stockham) => Some(stockham.n()),
            Self::Lanes { factors: [j, k], .. } => Some(j.saturating_mul(*k)),
        }
    }
}

impl fmt::Display for Stockham {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { radices, lanes, lines, exchange, pieces, banks, roots, block, width } = self;
        let radices = join(radices, ".");
        write!(f, "stockham {radices} lanes={lanes} lines={lines} exchange={exchange} pieces={pieces} banks={banks} roots={roots}")?;
        if let Some([along, across]) = block {
            write!(f, " block={along}x{across}")?;
        }
        if *width == 1 { Ok(()) } else { write!(f, " width={width}") }
    }
}

/// How values are exchanged through workgroup memory between two stages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Exchange {
    /// Whole complex numbers: 8 bytes per element, two barriers per stage.
    Whole,
    /// First the real parts, then the imaginary parts: 4 bytes per element, four barriers per
    /// stage.
    Split,
}

impl Exchange {
    /// 32-bit words of workgroup memory per element.
    #[must_use]
    pub fn words(self) -> u32 {
        match self {
            Self::Whole => 2,
            Self::Split => 1,
        }
    }
}

/// Where twiddle factors come from. All of them derive from tables computed in f64.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Roots {
    /// Each one is looked up.
    Table,
    /// The powers 1, 2, 4, 8, … are looked up. The others are products of two of these.
    Products,
}

words!(Reals { Complex = "complex", Pairs = "pairs", Halves = "halves", Packed = "packed" });
words!(Exchange { Whole = "whole", Split = "split" });
words!(Roots { Table = "table", Products = "products" });

impl fmt::Display for PassRecipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Radix2 { rows, lanes } => write!(f, "radix2 rows={rows} lanes={lanes}"),
            Self::Stockham(stockham) => stockham.fmt(f),
            Self::Lanes { factors: [j, k], lanes, width, invocations, loops } => {
                let loops = if *loops { " loops=1" } else { "" };
                write!(f, "lanes {j}.{k} lanes={lanes} width={width} invocations={invocations}{loops}")
            }
        }
    }
}

parsed!(
    /// A `stockham` recipe needs only the radices and `lanes`. Records and scripts of earlier
    /// versions call it `registers`, which is accepted as well.
    PassRecipe, "pass recipe", |text, whole| Self::parse(text, whole)
);

impl PassRecipe {
    fn parse(text: Text<'_>, part: &str) -> Result<Self> {
        let mut words = text.words(part);
        let kind = words.one("a pass: stockham, lanes or radix2")?;
        let factors = if kind == "radix2" { "" } else { words.one("radices, such as 8.8")? };
        let mut fields = words.fields();
        let recipe = match kind {
            "radix2" => Self::Radix2 { rows: fields.number("rows", None)?, lanes: fields.number("lanes", None)? },
            "lanes" => Self::Lanes {
                factors: text.pair(factors, '.')?,
                lanes: fields.number("lanes", None)?,
                width: fields.number("width", None)?,
                invocations: fields.number("invocations", None)?,
                loops: fields.choice("loops", &[0, 1])? == 1,
            },
            "stockham" | "registers" => {
                let default = Stockham::new(text.numbers(factors, '.')?, fields.number("lanes", None)?);
                Self::Stockham(Stockham {
                    lines: fields.number("lines", Some(default.lines))?,
                    exchange: fields.choice("exchange", &[Exchange::Split, Exchange::Whole])?,
                    pieces: fields.number("pieces", Some(default.pieces))?,
                    banks: fields.number("banks", Some(default.banks))?,
                    roots: fields.choice("roots", &[Roots::Products, Roots::Table])?,
                    block: fields.value("block").map(|block| text.pair(block, 'x')).transpose()?,
                    width: fields.number("width", Some(default.width))?,
                    ..default
                })
            }
            _ => return Err(text.wrong(kind, "expected stockham, lanes or radix2")),
        };
        fields.done("no other field name=value")?;
        Ok(recipe)
    }
}

impl fmt::Display for AxisRecipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.through {
            through if through == self.axis => write!(f, "axis {}", self.axis)?,
            through => write!(f, "axes {} to {through}", self.axis)?,
        }
        if let Some(m) = self.bluestein {
            write!(f, " bluestein {m}")?;
        }
        if self.reals != Reals::Complex {
            write!(f, " {}", self.reals)?;
        }
        write!(f, ": {}", join(&self.passes, " + "))
    }
}

parsed!(AxisRecipe, "axis recipe", |text, whole| Self::parse(text, whole));

impl AxisRecipe {
    fn parse(text: Text<'_>, part: &str) -> Result<Self> {
        const FORM: &str =
            "`axis 0: ... + ...`, with `bluestein 2048`, `pairs`, `halves` or `packed` before the colon, or `axes 0 to 1: ...`";
        let (head, passes) = part.split_once(':').ok_or_else(|| text.wrong(part, format!("expected {FORM}")))?;
        let mut words = text.words(head);
        let several = match words.one(FORM)? {
            "axis" => false,
            "axes" => true,
            other => return Err(text.wrong(other, format!("expected {FORM}"))),
        };
        let axis = text.number(words.one(FORM)?)?;
        let mut through = axis;
        if several {
            words.skip("to")?;
            through = text.number(words.one(FORM)?)?;
        }
        let (mut bluestein, mut reals) = (None, Reals::Complex);
        while let Some(word) = words.any() {
            match word {
                "bluestein" if bluestein.is_none() => bluestein = Some(text.number(words.one("the length of the convolution")?)?),
                _ => {
                    let named = [Reals::Pairs, Reals::Halves, Reals::Packed].into_iter().find(|own| own.to_string() == word);
                    let first = named.filter(|_| reals == Reals::Complex);
                    reals = first.ok_or_else(|| text.wrong(word, format!("expected {FORM}")))?;
                }
            }
        }
        let passes = passes.split('+').map(|pass| PassRecipe::parse(text, pass)).collect::<Result<_>>()?;
        Ok(Self { axis, through, bluestein, reals, passes })
    }
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Axes(axes) => f.write_str(&join(axes, "; ")),
            Self::Transposed { rows, columns, transpose } => write!(f, "rows: {rows}; columns: {columns}; transpose: {transpose}"),
        }
    }
}

parsed!(Recipe, "FFT recipe", |text, whole| {
    let parts: Vec<&str> = whole.split(';').map(str::trim).collect();
    if let [rows, columns, transpose] = parts[..]
        && let (Some(rows), Some(columns), Some(transpose)) =
            (rows.strip_prefix("rows:"), columns.strip_prefix("columns:"), transpose.strip_prefix("transpose:"))
    {
        return Ok(Self::Transposed {
            rows: PassRecipe::parse(text, rows)?,
            columns: PassRecipe::parse(text, columns)?,
            transpose: transpose::Recipe::parse(text, transpose)?,
        });
    }
    if let Some(part) = parts.iter().find(|part| !part.starts_with("axis") && !part.starts_with("axes")) {
        return Err(text.wrong(part, "expected `axis 1: ...; axis 0: ...` or `rows: ...; columns: ...; transpose: ...`"));
    }
    Ok(Self::Axes(parts.into_iter().map(|part| AxisRecipe::parse(text, part)).collect::<Result<_>>()?))
});
