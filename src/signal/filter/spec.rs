//! What both filters have in common: a filter without the type of its elements, its text, and the
//! checks that it makes sense.

use std::fmt;

use crate::edge::Edge;
use crate::element::Element;
use crate::error::{Error, Result, within};
use crate::kernels::filter::stencil::Stored;
use crate::shape::{Batched, Shape};
use crate::signal::Mode;
use crate::signal::parse::{batch_of, shape_after};
use crate::text::{Field, Fields, Text, join};

/// The types of elements that filters read: `f32`, and `u8`, whose values 0 to 255 become f32.
pub trait Pixel: Element + StoredAs {}

/// A private supertrait that seals [`Pixel`].
pub trait StoredAs {
    /// How kernels read it.
    const STORED: Stored;
}

impl StoredAs for f32 {
    const STORED: Stored = Stored::F32;
}

impl StoredAs for u8 {
    const STORED: Stored = Stored::U8;
}

impl Pixel for f32 {}
impl Pixel for u8 {}

/// Implements what both filters share: the options, [`Spec`](crate::Spec), printing and parsing for
/// a specification that wraps a [`Core`].
macro_rules! specification {
    ($name:ident, $word:literal) => {
        crate::plan::typed!($name<T: Pixel> { core }, T => f32, Recipe);

        impl<T: Pixel> $name<T> {
            crate::settings::settings! { own:
                /// Sets what lies outside the array. The default is zeros.
                edge(edge: Edge) => own.core.edge = edge;

                /// Filters each of `count` consecutive arrays.
                batch(count: usize) => own.core.batch = count;
            }
        }

        crate::text::parsed!($name<T> where T: Pixel, |text| {
            Ok(Self { core: Core::parse(text, $word, T::NAME, T::STORED)?, element: PhantomData })
        });
    };
}
pub(super) use specification;

/// A filter without the type of its elements.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Core {
    pub stored: Stored,
    pub shape: Shape,
    pub batch: usize,
    /// Whether it is a convolution, not a correlation.
    pub flipped: bool,
    pub edge: Edge,
    pub kernels: Kernels,
}

/// Kernels, with their taps as the bits of f32.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kernels {
    /// One kernel for each of these axes, in ascending order.
    Separable(Vec<(usize, Vec<u32>)>),
    /// One kernel over all axes.
    Direct { shape: Shape, taps: Vec<u32>, size: Mode },
}

/// The bits of taps. All NaN print equally, and so must be equal.
pub(super) fn bits(taps: impl IntoIterator<Item = f32>) -> Vec<u32> {
    taps.into_iter().map(|tap| if tap.is_nan() { f32::NAN } else { tap }.to_bits()).collect()
}

/// The taps of one kernel along one axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::signal) struct Taps {
    pub count: u32,
    /// How far before an output the first tap lies in a correlation. A convolution takes the taps
    /// from the last on.
    pub before: u32,
}

/// A filter that has passed the checks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::signal) struct Problem {
    /// The specification, printed.
    pub title: String,
    pub stored: Stored,
    pub edge: Edge,
    pub flipped: bool,
    pub batch: u32,
    pub input: Shape,
    pub output: Shape,
    /// The taps along each axis, if it has a kernel.
    pub taps: Vec<Option<Taps>>,
    /// Whether one kernel spans all axes.
    pub joint: bool,
}

/// The most taps along one axis.
pub(super) const MAX_TAPS: u64 = 255;
/// The most taps of a kernel over all axes: 32 x 32.
pub(super) const MAX_DIRECT: u64 = 1024;
/// The most elements along an axis: an index and twice the extent are compared as i32.
pub(super) const MAX_EXTENT: u64 = (1 << 30) - 1;

impl Core {
    fn unsupported(&self, what: String, why: &str) -> Error {
        Error::Unsupported { what: format!("{what} of `{}`", self.named()), why: why.to_owned() }
    }

    /// The specification without its taps, for errors.
    fn named(&self) -> String {
        self.to_string().split(" taps").next().unwrap_or_default().to_owned()
    }

    fn limit(&self, what: &str, limit: &'static str, required: u64, available: u64) -> Result<()> {
        within(|| format!("{what} of `{}`", self.named()), limit, required, available)
    }

    fn finite(&self, what: &str, taps: &[u32]) -> Result<()> {
        let wrong = taps.iter().map(|bits| f32::from_bits(*bits)).enumerate().find(|(_, tap)| !tap.is_finite());
        wrong.map_or(Ok(()), |(i, tap)| Err(self.unsupported(format!("tap {i} of {what}, {tap},"), "taps must be finite numbers")))
    }

    /// Checks that the filter makes sense.
    pub fn problem(&self) -> Result<Problem> {
        self.edge.check_of_filter(&self.named())?;
        self.shape.elements("filter", self.batch)?;
        let rank = self.shape.rank();
        let mut taps = vec![None; rank];
        let mut output = self.shape.extents().to_vec();
        let joint = matches!(self.kernels, Kernels::Direct { .. });
        // The place of the middle tap, counted from the last one in a convolution.
        let centred = |count: u32, middle: u32| Taps { count, before: if self.flipped { count - 1 - middle } else { middle } };
        match &self.kernels {
            Kernels::Separable(kernels) => {
                if kernels.is_empty() {
                    return Err(self.unsupported("a filter without a kernel".to_owned(), "at least one axis must have a kernel"));
                }
                for (axis, kernel) in kernels {
                    let what = format!("the kernel along axis {axis}");
                    if *axis >= rank {
                        return Err(self.unsupported(what, &format!("the axes are 0 to {}", rank - 1)));
                    }
                    if kernel.is_empty() {
                        return Err(self.unsupported(what, "it has no taps: leave out a kernel that changes nothing"));
                    }
                    self.limit(&what, "taps along an axis", kernel.len() as u64, MAX_TAPS)?;
                    self.finite(&what, kernel)?;
                    let count = kernel.len() as u32;
                    taps[*axis] = Some(centred(count, count / 2));
                }
            }
            Kernels::Direct { shape, taps: kernel, size } => {
                shape.check()?;
                let what = || format!("the kernel of {shape}");
                if rank > 2 {
                    return Err(self.unsupported(format!("a direct filter with {rank} axes"), "there may be 1 or 2 axes, and a batch"));
                }
                if shape.rank() != rank {
                    return Err(self.unsupported(what(), &format!("it has {} axes, but the array has {rank}", shape.rank())));
                }
                let count = shape.elements("kernel", 1)?;
                for extent in shape.extents() {
                    self.limit(&what(), "taps along an axis", *extent as u64, MAX_TAPS)?;
                }
                self.limit(&what(), "taps of a kernel", count as u64, MAX_DIRECT)?;
                if kernel.len() != count {
                    return Err(Error::WrongLen { argument: "taps", expected: count, actual: kernel.len() });
                }
                self.finite("the kernel", kernel)?;
                for (axis, &extent) in shape.extents().iter().enumerate() {
                    let (n, count) = (output[axis], extent as u32);
                    if *size == Mode::Valid && n < extent {
                        let why = format!("it is longer than the {n} elements of axis {axis}, so no output is valid");
                        return Err(self.unsupported(what(), &why));
                    }
                    (output[axis], taps[axis]) = match size {
                        Mode::Same => (n, Some(centred(count, (count - 1) / 2))),
                        Mode::Full => (n + extent - 1, Some(Taps { count, before: count - 1 })),
                        Mode::Valid => (n - extent + 1, Some(Taps { count, before: 0 })),
                    };
                }
            }
        }
        let output = Shape::from(output);
        output.elements("filter", self.batch)?;
        for extent in self.shape.extents() {
            self.limit("an axis", "elements along an axis", *extent as u64, MAX_EXTENT)?;
        }
        Ok(Problem {
            title: self.to_string(),
            stored: self.stored,
            edge: self.edge,
            flipped: self.flipped,
            batch: self.batch as u32,
            input: self.shape,
            output,
            taps,
            joint,
        })
    }

    /// All taps, one kernel after the other.
    pub fn all_taps(&self) -> Vec<u32> {
        match &self.kernels {
            Kernels::Separable(kernels) => kernels.iter().flat_map(|(_, taps)| taps).copied().collect(),
            Kernels::Direct { taps, .. } => taps.clone(),
        }
    }

    /// Reads what a filter prints.
    pub fn parse(whole: &str, kind: &'static str, name: &'static str, stored: Stored) -> Result<Self> {
        let (text, shape, words) = shape_after(&[kind, name], whole)?;
        let mut fields = words.fields();
        let flipped = match (fields.flag("convolution"), fields.flag("correlation")) {
            (true, false) => true,
            (false, true) => false,
            _ => return Err(text.wrong(whole, "expected one of convolution and correlation")),
        };
        let edge = fields.choice("edge", &Edge::ALL)?;
        let kernels = match kind {
            "separable" => separable(text, &mut fields)?,
            _ => {
                let size = fields.choice("size", &Mode::ALL)?;
                let kernel =
                    fields.value("kernel").ok_or_else(|| text.wrong(whole, "the extents of the kernel are missing (kernel=3x3)"))?;
                let kernel = Shape::parse(text, kernel)?;
                let taps = fields.value("taps").ok_or_else(|| text.wrong(whole, "the taps are missing (taps=0,1,0)"))?;
                Kernels::Direct { shape: kernel, taps: bits(text.numbers::<f32>(taps, ',')?), size }
            }
        };
        let batch = batch_of(text, &mut fields)?;
        fields.done("a batch (x4), an edge (edge=wrap), a size (size=full) or taps, each at most once")?;
        Ok(Self { stored, shape, batch, flipped, edge, kernels })
    }
}

/// `taps0=1,2,1 taps1=1,0,-1`.
fn separable(text: Text<'_>, fields: &mut Fields<'_>) -> Result<Kernels> {
    let mut kernels: Vec<(usize, Vec<u32>)> = Vec::new();
    while let Some(kernel) = fields.after("taps") {
        let (axis, taps) = kernel.split_once('=').ok_or_else(|| text.wrong(kernel, "expected an axis and its taps (taps0=1,2,1)"))?;
        let number = text.number(axis)?;
        if kernels.iter().any(|(other, _)| *other == number) {
            return Err(text.wrong(axis, "given twice"));
        }
        kernels.push((number, bits(text.numbers::<f32>(taps, ',')?)));
    }
    kernels.sort_unstable();
    Ok(Kernels::Separable(kernels))
}

/// `separable f32 1080x1920 x4 convolution edge=reflect taps1=0.25,0.5,0.25`, or
/// `direct f32 1080x1920 correlation size=full kernel=1x2 taps=-1,1`, with only what is not the
/// default.
impl fmt::Display for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let printed = |taps: &[u32]| join(&taps.iter().map(|bits| f32::from_bits(*bits)).collect::<Vec<_>>(), ",");
        let kind = if matches!(self.kernels, Kernels::Separable(_)) { "separable" } else { "direct" };
        let name = match self.stored {
            Stored::F32 => f32::NAME,
            Stored::U8 => u8::NAME,
        };
        let sense = if self.flipped { "convolution" } else { "correlation" };
        let edge = Field("edge", (self.edge != Edge::Zero).then_some(self.edge));
        write!(f, "{kind} {name} {} {sense}{edge}", Batched(self.shape, self.batch))?;
        match &self.kernels {
            Kernels::Separable(kernels) => kernels.iter().try_for_each(|(axis, taps)| write!(f, " taps{axis}={}", printed(taps))),
            Kernels::Direct { shape, taps, size } => {
                let size = Field("size", (*size != Mode::Same).then_some(size));
                write!(f, "{size} kernel={shape} taps={}", printed(taps))
            }
        }
    }
}
