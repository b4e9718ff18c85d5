//! The short-time Fourier transform.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use num_complex::Complex32;

use super::core::{Core, Scaling};
use crate::edge::Edge;
use crate::element::{Element, HostReal, plain_data};
use crate::error::{Result, refuse_if};
use crate::fft;
use crate::fft::ops::framed::Framed;
use crate::fragment::{Fragment, Writable};
use crate::gpu::DeviceProfile;
use crate::kernels::Slot;
use crate::plan::{Array, Placement, Program, Spec};
use crate::settings::settings;
use crate::shape::Shape;
use crate::signal::number::Number;

/// Short-time Fourier transform: the spectra of windowed frames of a signal, in one dispatch.
///
/// ```no_run
/// use wgpu_fft::signal::{Scaling, Stft};
/// use wgpu_fft::signal::window::Window;
/// use wgpu_fft::{Fragment, Planner};
///
/// # fn spectrogram(planner: &Planner, sound: &[f32]) -> wgpu_fft::Result<Vec<f32>> {
/// let window: Vec<f64> = Window::Hann.periodic(1024)?;
/// let stft = Stft::<f32>::new(sound.len(), &window, 256).scaling(Scaling::Magnitude);
/// let decibels = Fragment::new("10.0 * log(max(dot(value, value), 1e-20)) / log(10.0)");
/// let plan = planner.plan(stft.map_output::<f32>(decibels)?)?;
/// let spectrogram = plan.run(sound)?.wait()?; // frames × 513 numbers
/// # Ok(spectrogram)
/// # }
/// ```
///
/// # Definition
/// For a signal x of length n, a window w of length m and a hop h:
///
/// S\[p, k\] = f · Σⱼ w\[j\] · x\[p·h - ⌊m/2⌋ + j\] · exp(-2πi·k·(j - s)/N), with j = 0 … m-1
///
/// Frame p is centred at element p·h, as in SciPy's `ShortTimeFFT`. N is [`nfft`](Self::nfft), at
/// least m; the default is m. The [`Scaling`] sets f. By default, s = ⌊m/2⌋, so that phases count
/// from the middle of the frame; see [`phase_shift`](Self::phase_shift). Outside of the signal, x
/// continues as [`edge`](Self::edge) says. The window is real; a frame's spectrum for a complex
/// window is not covered.
///
/// All frames that reach the signal are computed, the same as SciPy's `p_min` … `p_max - 1`, unless
/// [`frames`](Self::frames) chooses some of them. [`frame_range`](Self::frame_range) returns their
/// numbers p.
///
/// # Shapes
/// The input is b × n; the output is b × frames × frequencies, so that a frame's spectrum is
/// contiguous. SciPy has frequencies × frames: [`frequencies_first`](Self::frequencies_first)
/// stores that. Signals of f32 have the N/2+1 frequencies of SciPy's `onesided`, k = 0 … ⌊N/2⌋.
/// Complex signals have the N of `twosided`, in the usual order: 0, 1, …, then the negative ones.
/// `centered` and `onesided2X` are a [`Roll`](crate::signal::Roll) and a fragment away. A fragment
/// sees the frame as `i0` and the frequency as `i1` in both orders.
///
/// # Accuracy
/// That of [`R2c`](fft::R2c) and [`C2c`](fft::C2c) of length N, for the windowed frame: the window
/// is computed in f64 and rounded once, and each product is rounded once. No error and no NaN of a
/// frame reaches another.
///
/// # Determinism
/// That of [`C2c`](fft::C2c): equal plans on one adapter give equal bits.
///
/// # Cost
/// If N fits a workgroup, one dispatch, which reads each element of the signal about m/h times,
/// most of them from the cache, and writes the output once. Frames are not stored: each element is
/// looked up in the signal and multiplied with the window as it is loaded. A fragment on the output
/// is fused. A longer N takes as many passes as its FFT, with a workspace as large as the spectra.
/// `frequencies_first` writes shorter runs, which takes longer.
///
/// # Errors
/// Planning returns [`Error::Empty`](crate::Error::Empty);
/// [`Error::Unsupported`](crate::Error::Unsupported) for a hop of 0, N below m, a phase shift of N
/// or more, elements of the window that are not finite, a scaling that divides by 0, frames that do
/// not reach the signal, and with [`Edge::Odd`] for frames that reach further than the signal's
/// mirror image; [`Error::LimitExceeded`](crate::Error::LimitExceeded) for 2³² or more elements.
///
/// # Sources
/// J. B. Allen and L. R. Rabiner, Proc. IEEE 65 (1977) 1558; the documentation of SciPy's
/// `ShortTimeFFT`, whose conventions these are.
#[must_use]
pub struct Stft<T, O = Complex32> {
    pub(in crate::signal) core: Core,
    element: PhantomData<fn(T) -> O>,
}

plain_data!(Stft < T, O > { core });

impl<T: Number> Stft<T> {
    /// The transform of a signal of `len` elements in frames that are `hop` apart.
    pub fn new<W: HostReal>(len: usize, window: &[W], hop: usize) -> Self {
        Self { core: Core { phase: Some(0), ..Core::new::<T, W>(len, window, hop) }, element: PhantomData }
    }
}

impl<T: Number, O: Element> Stft<T, O> {
    settings! { own:
        /// Transforms `count` signals, stored one after the other.
        batch(count: usize) => own.core.batch = count;

        /// Sets the length of the transforms. Frames are followed by zeros.
        nfft(n: usize) => own.core.nfft = Some(n);

        /// Sets where phases count from, as SciPy's parameter of that name. `Some(0)`, the default,
        /// is the middle of the frame, element ⌊m/2⌋. `Some(d)` is d elements later, modulo m.
        /// `None` is the frame's first element.
        phase_shift(shift: Option<i64>) => own.core.phase = shift;

        /// Sets the factor on the window.
        scaling(scaling: Scaling) => own.core.scaling = scaling;

        /// Sets how the signal continues past its ends. The default is zeros.
        edge(edge: Edge) => own.core.edge = edge;

        /// Computes only the frames of these numbers, SciPy's `p0` and `p1`.
        frames(range: Range<i64>) => own.core.frames = Some([range.start, range.end]);

        /// Stores frequencies × frames, as SciPy does.
        frequencies_first() => own.core.frequencies_first = true;
    }

    /// Applies a fragment of WGSL to every result before it is stored. Its `value` is the
    /// `vec2<f32>` S\[p, k\], `i0` is the frame, counted from 0, and `i1` the frequency k. It costs
    /// no pass of its own.
    ///
    /// # Errors
    /// Those of [`C2c::map_output`](fft::C2c::map_output).
    pub fn map_output<U: Writable>(mut self, fragment: Fragment) -> Result<Stft<T, U>> {
        self.core.ends.maps[1] = Some(Framed::check(fragment, U::FORM, U::NAME)?);
        Ok(Stft { core: self.core, element: PhantomData })
    }

    pub(super) fn of(core: Core) -> Self {
        Self { core, element: PhantomData }
    }

    /// The same with frames that lie in the signal, from its first element on.
    pub(in crate::signal) fn inside(mut self) -> Result<Self> {
        refuse_if(
            self.core.frames.is_some() || self.core.frequencies_first,
            &self,
            "a stream has all frames, and each by itself: no `frames`, no `frequencies_first`",
        )?;
        self.core.inside = true;
        self.core.edge = Edge::Zero;
        Ok(self)
    }

    /// The numbers p of the frames.
    ///
    /// # Errors
    /// The errors of planning that do not depend on the device.
    pub fn frame_range(&self) -> Result<Range<i64>> {
        self.core.range()
    }

    /// The shape of the spectra of one signal.
    ///
    /// # Errors
    /// The errors of planning that do not depend on the device.
    pub fn output_shape(&self) -> Result<Shape> {
        self.core.spectra()
    }
}

impl<T, O> crate::plan::Sealed for Stft<T, O> {
    fn has_wgsl(&self) -> bool {
        self.core.ends.has_wgsl()
    }

    fn verification(&self) -> crate::verify::Verification {
        self.core.ends.verification(4e-6)
    }
}

impl<T: Number, O: Element> Spec for Stft<T, O> {
    type Input = T;
    type Output = O;
    type Recipe = fft::Recipe;

    fn design(&self, profile: &DeviceProfile) -> Result<fft::Recipe> {
        self.core.framed()?.step(false, Slot::Table(0))?.design(profile)
    }

    fn lower(&self, recipe: &fft::Recipe, profile: &DeviceProfile) -> Result<Program> {
        let framed = self.core.framed()?;
        let table = self.core.table(&framed.framing)?;
        let elements = self.core.spectra()?.elements("spectra of an STFT", framed.batch)?;
        let output = Array { len: elements, element_bytes: size_of::<O>() };
        let mut program = Program::new(self.to_string(), Placement::OutOfPlace, vec![self.core.signals()], output).checked(profile)?;
        let window = program.table(table);
        framed.step(false, window)?.append(recipe, profile, &mut program, [Slot::Input(0), Slot::Output])?;
        Ok(program)
    }
}

impl<T, O> fmt::Display for Stft<T, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stft {}", self.core)
    }
}
