//! What to compute, without any decision on how.

use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

use super::Program;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::gpu::DeviceProfile;
use crate::verify::{Energy, Sample, Verification};

/// A private supertrait that seals [`Spec`], with what plans ask of it and callers do not.
pub trait Sealed {
    /// The same apart from the types of elements, which knows what this does not say itself.
    fn untyped(&self) -> Option<&dyn Sealed> {
        None
    }

    /// Whether an output array has places that no element of the result takes, and that are not
    /// written.
    fn leaves_gaps(&self) -> bool {
        self.untyped().is_some_and(Sealed::leaves_gaps)
    }

    /// Whether WGSL of the caller's takes part, which may make anything of what it gets.
    fn has_wgsl(&self) -> bool {
        self.untyped().is_some_and(Sealed::has_wgsl)
    }

    /// Elements of the correct result for the given words of the input, computed on the host from
    /// the definition. If there are two inputs, both contain these words. None if a single element
    /// takes too long, or if a fragment has a part in it.
    fn samples(&self, input: &[u32]) -> Vec<Sample> {
        self.untyped().map_or_else(Vec::new, |own| own.samples(input))
    }

    /// What Parseval's theorem says of an input and its result, where it holds.
    fn energy(&self, input: &[u32], output: &[u32]) -> Option<Energy> {
        self.untyped()?.energy(input, output)
    }

    /// How many operations of f32 the host takes for it, and a device, by the usual count, if it is
    /// a Fourier transform.
    fn operations(&self) -> Option<[f64; 2]> {
        self.untyped()?.operations()
    }

    /// The input to verify results with, and how far two correct ones may be apart.
    fn verification(&self) -> Verification {
        self.untyped().map_or(Verification::EXACT, Sealed::verification)
    }
}

/// The mathematics of an operation, as plain data that can be compared, hashed and printed.
///
/// [`design`](Spec::design) decides how to compute the operation on a device like `profile`, and
/// [`lower`](Spec::lower) turns that decision into dispatches. The others say where a search by
/// measurement looks. All of them are pure functions and need no GPU. [`lower`](Spec::lower) and
/// [`Planner::plan_with`](crate::Planner::plan_with) accept any recipe that solves the
/// specification.
///
/// The trait is sealed, because programs run shaders without bounds checks wherever this crate has
/// proven that none are needed.
pub trait Spec: Sealed + Clone + Eq + Hash + Debug + Display + Send + Sync + 'static {
    /// Element type of the input.
    type Input: Element;
    /// Element type of the output.
    type Output: Element;
    /// The type that holds every decision on how to compute the operation.
    type Recipe: Clone + Eq + Hash + Debug + Display + FromStr<Err = Error> + Send + Sync + 'static;

    /// Chooses a recipe for a device by the rules.
    ///
    /// # Errors
    /// If the specification is not valid, or this version knows no way to compute it on that
    /// device.
    fn design(&self, profile: &DeviceProfile) -> Result<Self::Recipe>;

    /// Turns a recipe into a program.
    ///
    /// # Errors
    /// If the specification is not valid, the recipe does not solve it, or the result does not fit
    /// the device.
    fn lower(&self, recipe: &Self::Recipe, profile: &DeviceProfile) -> Result<Program>;

    /// A plain recipe, whose result a search compares others with: the baseline kernel if it fits.
    /// By default the one that the rules choose.
    ///
    /// # Errors
    /// The errors of [`design`](Spec::design).
    fn baseline(&self, profile: &DeviceProfile) -> Result<Self::Recipe> {
        self.design(profile)
    }

    /// Recipes of other kinds than the rules' choice, from which a search starts as well. Some may
    /// not fit the device. By default none.
    fn alternatives(&self, profile: &DeviceProfile) -> Vec<Self::Recipe> {
        let _ = profile;
        Vec::new()
    }

    /// Recipes that differ from `recipe` in one decision, the most promising first: where a search
    /// goes next. Some may not fit the device. By default none.
    fn neighbours(&self, recipe: &Self::Recipe, profile: &DeviceProfile) -> Vec<Self::Recipe> {
        let _ = (recipe, profile);
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fft::C2c;
    use crate::reduce;
    use crate::transpose::Permute;
    use crate::{Complex32, Fragment};

    /// A fragment that leaves what it gets as it is.
    fn value() -> Fragment {
        Fragment::new("value")
    }

    /// WGSL of the caller's is printed between such quotes, and nothing else is.
    fn check<P: Spec, W: Spec>(plain: P, with: [Result<W>; 2]) {
        assert!(!plain.has_wgsl() && !plain.to_string().contains('`'), "{plain}");
        for with in with.map(Result::unwrap) {
            assert!(with.has_wgsl() && with.to_string().contains('`'), "{with}");
        }
    }

    #[test]
    fn specifications_know_of_wgsl_of_the_callers() {
        let fourier = || C2c::forward(8);
        check(fourier(), [fourier().map_input::<Complex32>(value()), fourier().map_output::<Complex32>(value())]);
        let transpose = || Permute::<f32>::transpose([4, 5]);
        check(transpose(), [transpose().map_input::<f32>(value()), transpose().map_output::<f32>(value())]);
        let sum = || reduce::sum::<f32>(100);
        check(sum(), [sum().map_input::<f32>(value()), sum().map_output::<f32>(value())]);
        let custom = || reduce::custom::<f32>(9, "max(a, b)", 0.0);
        check(sum(), [custom(), custom()]);
    }

    #[cfg(feature = "signal")]
    #[test]
    fn specifications_of_signals_know_of_wgsl_of_the_callers() {
        use crate::signal::{Frequencies, PhaseCorrelate, RadialAverage, Resample, SpectralFilter, Stft, Zoom, delay};

        let delayed = || delay::<f32>(40, &[0.5]).unwrap();
        check(delayed(), [delayed().map_input::<f32>(value()), SpectralFilter::real(40, value())]);
        let zoom = || Zoom::<f32>::new(100, [0.1, 0.2], 30);
        check(zoom(), [zoom().map_input::<f32>(value()), zoom().map_output::<Complex32>(value())]);
        let frequencies = || Frequencies::<f32>::bins(20, [0, 3]);
        check(frequencies(), [frequencies().map_input::<f32>(value()), frequencies().map_output::<Complex32>(value())]);
        let resample = || Resample::<f32>::new(20, 30);
        check(resample(), [resample().map_input::<f32>(value()), resample().map_output::<f32>(value())]);
        let rings = || RadialAverage::new([9, 14]);
        check(rings(), [rings().map_input::<f32>(value()), rings().map_input::<f32>(value())]);
        let phase = || PhaseCorrelate::new([8, 8]);
        check(phase(), [phase().map_input::<f32>(value()), phase().map_input::<f32>(value())]);
        let stft = || Stft::<f32>::new(40, &[1.0_f32; 8], 4);
        check(stft(), [stft().map_output::<Complex32>(value()), stft().map_output::<Complex32>(value())]);
    }
}
