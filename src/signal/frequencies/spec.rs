//! The specification of a spectrum at a list of frequencies.

use std::fmt;
use std::marker::PhantomData;

use num_complex::Complex32;

use super::recipe::Recipe;
use crate::element::Element;
#[cfg(doc)]
use crate::error::Error;
use crate::plan::typed;
use crate::shape::Shape;
use crate::signal::chirp::bits_of;
use crate::signal::number::Number;
use crate::signal::parse::{batch_and, shape_after};
use crate::signal::spectrum::{Points, Spectrum, not_finite, spectrum};
use crate::text::{join, parsed};

/// The spectrum of a signal at a list of frequencies, along one axis: what Goertzel's algorithm
/// computes, and `goertzel` in MATLAB.
///
/// ```no_run
/// use wgpu_fft::{Complex32, Planner, signal::Frequencies};
///
/// # fn keys(planner: &Planner, calls: &[f32]) -> wgpu_fft::Result<Vec<Complex32>> {
/// // The 8 tones of a telephone's keys in 200 blocks of 205 samples, of which there are 8000 a second.
/// let tones = [697.0, 770.0, 852.0, 941.0, 1209.0, 1336.0, 1477.0, 1633.0].map(|hertz| hertz / 8000.0);
/// let keys = planner.plan(Frequencies::<f32>::new([200, 205], tones))?.run(calls)?.wait()?; // 200 x 8
/// // The elements 3, 17 and 1000 of the FFT of each of 64 rows.
/// let some = Frequencies::<f32>::bins([64, 4096], [3, 17, 1000]);
/// # let _ = some;
/// # Ok(keys)
/// # }
/// ```
///
/// # Definition
/// Along the axis, for a signal x of length n and the frequencies f₀, f₁, …:
///
/// y\[k\] = Σⱼ x\[j\] · exp(-2πi·j·fₖ)
///
/// Frequencies are in cycles per sample: divide those in Hz by the sampling rate. They may be any
/// finite numbers, in any order, also more than once. [`bins`](Self::bins) takes indices of the FFT
/// instead, fₖ = binₖ/n. For frequencies at equal distances, [`Zoom`](crate::signal::Zoom) is
/// faster; for neighbouring elements of an FFT, [`C2c::output_part`](crate::fft::C2c::output_part).
///
/// # Shapes
/// The input has the shape that is given, b times; in the output the axis has as many elements as
/// there are frequencies. The axis is the last one unless [`axis`](Self::axis) says otherwise, and
/// the other axes behave like batches. All arrays are dense and row-major. The input is f32 or
/// complex f32 and the output complex f32, unless fragments map them
/// ([`map_input`](Self::map_input), [`map_output`](Self::map_output)).
///
/// # Accuracy
/// Summed directly, |error| ≤ 2·u·(d + 4)·Σ|x| with u = 2⁻²⁴, where d is the number of additions
/// that an element passes through: tens, as for [`reduce::sum`](crate::reduce::sum). The factors
/// are products of two numbers that were computed in f64, with their angles reduced exactly, for
/// signals of any length; the recursion of Goertzel's algorithm, whose errors grow with n², is not
/// used. By a transform the error is that of [`C2c`](crate::fft::C2c) or [`R2c`](crate::fft::R2c).
///
/// # Determinism
/// Equal plans on one adapter give equal bits.
///
/// # Cost
/// A few frequencies are summed directly: each reads the signal once, mostly from a cache, in one
/// or two dispatches. The constants take about 2·√n complex numbers for each frequency. Where a
/// transform has fewer operations, for about log₂n/4 of the FFT's own frequencies, of reals
/// log₂n/6, they are taken from the whole spectrum: the passes of the transform, and one more that
/// reads and writes only the results. Frequencies between those of the FFT are summed directly,
/// however many there are.
///
/// # Errors
/// Planning returns [`Error::Empty`], also without a frequency; [`Error::Unsupported`] for shapes
/// of more than 3 axes, for an axis that the shape does not have, for frequencies that are not
/// finite, and for bins of n or more; [`Error::LimitExceeded`] for 2³² or more elements, and for as
/// many products where frequencies are summed directly; [`Error::UnfitRecipe`] for a recipe given
/// by hand.
///
/// # Sources
/// G. Goertzel, An Algorithm for the Evaluation of Finite Trigonometric Series, Am. Math. Monthly
/// 65 (1958) 34; for its errors, W. M. Gentleman, Comput. J. 12 (1969) 160.
#[must_use]
pub struct Frequencies<I, O = Complex32> {
    core: Core,
    element: PhantomData<fn(I) -> O>,
}

/// The frequencies.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum At {
    /// Elements of the FFT.
    Bins(Vec<usize>),
    /// Bits of numbers of cycles per sample.
    Cycles(Vec<u64>),
}

pub(super) type Core = Spectrum<At>;

typed!(Frequencies<I: Element, O: Element> { core }, I => O, Recipe);

impl<T: Number> Frequencies<T> {
    /// The spectrum of a signal of this shape along its last axis, at frequencies in cycles per
    /// sample.
    pub fn new(shape: impl Into<Shape>, frequencies: impl AsRef<[f64]>) -> Self {
        Self::at(shape.into(), At::Cycles(frequencies.as_ref().iter().copied().map(bits_of).collect()))
    }

    /// These elements of the FFT of a signal of this shape along its last axis. Of n, element n - k
    /// is that of the frequency -k/n.
    pub fn bins(shape: impl Into<Shape>, bins: impl AsRef<[usize]>) -> Self {
        Self::at(shape.into(), At::Bins(bins.as_ref().to_vec()))
    }

    fn at(shape: Shape, at: At) -> Self {
        Self { core: Core::new::<T>(shape, at), element: PhantomData }
    }
}

spectrum! { Frequencies:
    /// It is always summed directly.
    adjoint;

    /// Applies a fragment of WGSL to every element that is loaded: a window, or a conversion. The
    /// input array has elements of type `T` then, and the fragment's result is an `f32` for real
    /// signals and a `vec2<f32>` for complex ones. It costs no pass. Where frequencies are summed
    /// directly, it is applied once for each of them.
    map_input;
}

impl Points for At {
    const WORD: &'static str = "frequencies";

    fn count(&self) -> usize {
        match self {
            Self::Bins(bins) => bins.len(),
            Self::Cycles(cycles) => cycles.len(),
        }
    }

    fn wrong(&self, n: usize) -> Option<String> {
        match self {
            Self::Bins(bins) => {
                let wrong = bins.iter().find(|bin| **bin >= n);
                wrong.map(|bin| format!("bin {bin}: those of {n} elements are 0 to {}", n - 1))
            }
            Self::Cycles(all) => not_finite(all),
        }
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bins(bins) => write!(f, "bins {}", join(bins, ",")),
            Self::Cycles(all) => write!(f, "at {}", join(&all.iter().map(|f| f64::from_bits(*f)).collect::<Vec<_>>(), ",")),
        }
    }
}

impl Core {
    pub fn is_real(&self) -> bool {
        self.ends.is_real(self.signal())
    }

    /// The length of the axis.
    pub fn n(&self) -> usize {
        self.shape.extents()[self.axis]
    }
}

parsed!(
    /// It is no adjoint and has no fragments.
    Frequencies<T> where T: Number, |whole| {
        let (text, shape, mut words) = shape_after(&["frequencies", T::NAME], whole)?;
        let (batch, kind) = batch_and(&["at", "bins"], text, &mut words)?;
        let list = words.one("frequencies, such as 0.1,0.25")?;
        let at = match kind {
            "at" => At::Cycles(text.numbers(list, ',')?.into_iter().map(bits_of).collect()),
            _ => At::Bins(text.numbers(list, ',')?),
        };
        let mut fields = words.fields();
        let mut own = Self::at(shape, at).batch(batch);
        if let Some(axis) = fields.value("axis") {
            own = own.axis(text.number(axis)?);
        }
        fields.done("axis=0, at most once")?;
        Ok(own)
    }
);
