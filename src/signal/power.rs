//! Power spectra by Welch's method.

use std::fmt;
use std::marker::PhantomData;

use crate::element::{HostReal, plain_data};
use crate::error::{Error, Result};
use crate::fft;
use crate::fft::ops::framed::Framed;
use crate::fragment::{Form, Fragment};
use crate::gpu::DeviceProfile;
use crate::kernels::Slot;
use crate::plan::{Array, Placement, Program, Spec};
use crate::reduce::{self, Reduction};
use crate::settings::settings;
use crate::signal::number::Number;
use crate::signal::stft::Scaling;
use crate::signal::stft::core::{Core, LONGEST};
use crate::text::parsed;

/// Power spectral density by Welch's method: the mean of the power of windowed segments.
///
/// ```no_run
/// use wgpu_fft::Planner;
/// use wgpu_fft::signal::PowerSpectrum;
/// use wgpu_fft::signal::window::Window;
///
/// # fn noise_floor(planner: &Planner, sound: &[f32]) -> wgpu_fft::Result<Vec<f32>> {
/// // Segments of 1024 samples, half of which overlap, at 48,000 samples per second.
/// let window: Vec<f64> = Window::Hann.periodic(1024)?;
/// let welch = PowerSpectrum::<f32>::new(sound.len(), &window, 48_000.0);
/// let density = planner.plan(welch)?.run(sound)?.wait()?; // 513 numbers
/// # Ok(density)
/// # }
/// ```
///
/// # Definition
/// For a signal x of length n, a window w of length m, an overlap o and a sampling rate r:
///
/// S\[k\] = c\[k\] · f · (1/s) · Σₚ |Σⱼ w\[j\] · x\[p·(m-o) + j\] · exp(-2πi·k·j/N)|²
///
/// with j = 0 … m-1 and p = 0 … s-1, for all s = ⌊(n-m)/(m-o)⌋ + 1 segments that lie in the signal.
/// By default o = ⌊m/2⌋ and N = m. The factor f is 1/(r·Σ w²), which makes a density: its sum times
/// r/N is the mean square of a signal. [`spectrum`](Self::spectrum) makes f = 1/(Σ w)²: a sine of
/// amplitude a in the middle of a frequency gives a²/2 there. Of real signals, c is 2 except for k
/// = 0 and k = N/2, because each frequency stands for its negative too. Of complex ones it is 1.
///
/// This is SciPy's `welch(x, r, w, noverlap=o, nfft=N, detrend=False)`, and `periodogram` for one
/// segment: [`periodogram`](Self::periodogram). By default SciPy subtracts the mean of each segment
/// first; here that is up to you.
///
/// # Shapes
/// The input is b × n; the output is b × frequencies. Signals of f32 have the N/2+1 frequencies k =
/// 0 … ⌊N/2⌋ of [`rfftfreq`](crate::signal::frequency::rfftfreq). Complex signals have the N of
/// [`fftfreq`](crate::signal::frequency::fftfreq), in its order.
///
/// # Accuracy
/// The spectra of segments have the accuracy of [`Stft`](crate::signal::Stft). Squares and their
/// mean, of numbers that are not negative, add a relative error of at most (d+4)·u, where u = 2⁻²⁴
/// and d is the [`depth`](Reduction::depth) of the mean.
///
/// # Determinism
/// That of [`Stft`](crate::signal::Stft) and [`reduce::mean`]: equal plans on one adapter give
/// equal bits.
///
/// # Cost
/// The passes of an [`Stft`](crate::signal::Stft), which store powers instead of spectra, and a
/// mean over segments. Between them is a workspace of s × frequencies numbers, about as large as
/// the signal if half of each segment overlaps. A single segment needs no mean.
///
/// # Errors
/// Planning returns [`Error::Empty`]; [`Error::Unsupported`] for segments longer than the signal,
/// an overlap of m or more, N below m, elements of the window that are not finite, a window or a
/// sampling rate by which nothing can be divided; [`Error::LimitExceeded`] for 2³² or more
/// elements; [`Error::UnfitRecipe`] for a recipe given by hand.
///
/// # Sources
/// P. D. Welch, IEEE Trans. Audio Electroacoust. 15 (1967) 70; the documentation of SciPy's `welch`
/// and `periodogram`.
#[must_use]
pub struct PowerSpectrum<T> {
    core: Core,
    element: PhantomData<fn(T)>,
}

plain_data!(PowerSpectrum<T> { core });

impl<T: Number> PowerSpectrum<T> {
    /// The power spectral density of a signal of `len` elements, from segments as long as the
    /// window. Segments overlap by half of it.
    pub fn new<W: HostReal>(len: usize, window: &[W], sampling_rate: f64) -> Self {
        let core = Core::new::<T, W>(len, window, window.len() - window.len() / 2);
        Self { core: Core { scaling: Scaling::Psd { sampling_rate }, inside: true, ..core }, element: PhantomData }
    }

    /// The power spectral density of a signal as one segment, without a window.
    pub fn periodogram(len: usize, sampling_rate: f64) -> Self {
        // Planning refuses longer transforms, so there is no need for their windows.
        let window = vec![1.0; if len > LONGEST { 1 } else { len }];
        let spec = Self::new(len, &window, sampling_rate);
        if len > LONGEST { spec.nfft(len) } else { spec }
    }

    settings! { own:
        /// Computes the spectra of `count` signals, stored one after the other.
        batch(count: usize) => own.core.batch = count;

        /// Sets by how many elements segments overlap, SciPy's `noverlap`.
        overlap(elements: usize) => own.core.hop = own.core.window.len().saturating_sub(elements);

        /// Sets the length of the transforms. Segments are followed by zeros.
        nfft(n: usize) => own.core.nfft = Some(n);

        /// Computes the power of each frequency instead of its density: SciPy's
        /// `scaling='spectrum'`. The sampling rate plays no part in it.
        spectrum() => own.core.scaling = Scaling::Magnitude;
    }

    /// The number of segments.
    ///
    /// # Errors
    /// The errors of planning that do not depend on the device.
    pub fn segments(&self) -> Result<usize> {
        Ok(self.core.framed()?.frames as usize)
    }

    /// The number of frequencies.
    #[must_use]
    pub fn frequencies(&self) -> usize {
        self.core.bins()
    }

    /// The powers of the segments.
    fn powers(&self) -> Result<Framed> {
        let power = if T::REAL { "dot(value, value) * select(2.0, 1.0, i1 == 0u || 2u * i1 == n1)" } else { "dot(value, value)" };
        let map = Framed::check(Fragment::new(power), Form::REAL, "f32")?;
        Ok(Framed { map: Some(map), ..self.core.framed()? })
    }

    fn mean(&self, framed: &Framed) -> Option<Reduction<f32, f32>> {
        let shape = [framed.frames as usize, self.core.bins()];
        (framed.frames > 1).then(|| reduce::mean(shape).axes(0).batch(self.core.batch))
    }
}

impl<T> crate::plan::Sealed for PowerSpectrum<T> {
    fn verification(&self) -> crate::verify::Verification {
        crate::verify::Verification::of_forms(Form::REAL, Form::REAL, 1e-5)
    }
}

impl<T: Number> Spec for PowerSpectrum<T> {
    type Input = T;
    type Output = f32;
    type Recipe = Recipe;

    fn design(&self, profile: &DeviceProfile) -> Result<Recipe> {
        let framed = self.powers()?;
        let mean = self.mean(&framed).map(|mean| mean.design(profile)).transpose()?;
        Ok(Recipe { transform: framed.step(false, Slot::Table(0))?.design(profile)?, mean })
    }

    fn lower(&self, recipe: &Recipe, profile: &DeviceProfile) -> Result<Program> {
        let framed = self.powers()?;
        let table = self.core.table(&framed.framing)?;
        let powers = self.core.spectra()?.elements("powers of segments", framed.batch)?;
        let array = |len: usize| Array { len, element_bytes: 4 };
        let output = array(self.core.bins() * framed.batch);
        let mut program = Program::new(self.to_string(), Placement::OutOfPlace, vec![self.core.signals()], output).checked(profile)?;
        let window = program.table(table);
        let (mean, input) = (self.mean(&framed), Slot::Input(0));
        match (&mean, &recipe.mean) {
            (None, None) => framed.step(false, window)?.append(&recipe.transform, profile, &mut program, [input, Slot::Output])?,
            (Some(mean), Some(own)) => {
                let between = program.workspace(array(powers));
                framed.step(false, window)?.append(&recipe.transform, profile, &mut program, [input, between])?;
                program.embed(mean.lower(own, profile)?, &[between], Slot::Output)?;
            }
            _ => {
                let has = if recipe.mean.is_some() { "a" } else { "no" };
                let why = format!("it has {has} recipe for a mean, but there are {} segments", framed.frames);
                return Err(Error::unfit(recipe, self, why));
            }
        }
        Ok(program.share_workspaces())
    }
}

impl<T> fmt::Display for PowerSpectrum<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "power-spectrum {}", self.core)
    }
}

const MEAN: &str = " / mean ";

/// All decisions on a power spectrum.
///
/// The text form is `axis 1: ... / mean workgroup=256 ...`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Recipe {
    /// The transforms of the segments.
    pub transform: fft::Recipe,
    /// The mean over the segments, if there are several.
    pub mean: Option<reduce::Recipe>,
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.transform.fmt(f)?;
        self.mean.as_ref().map_or(Ok(()), |mean| write!(f, "{MEAN}{mean}"))
    }
}

parsed!(Recipe, |whole| {
    let (transform, mean) = whole.rsplit_once(MEAN).map_or((whole, None), |(transform, mean)| (transform, Some(mean)));
    Ok(Self { transform: transform.parse()?, mean: mean.map(str::parse).transpose()? })
});
