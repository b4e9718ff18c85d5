//! What a convolution computes.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use num_complex::Complex32;

use super::Recipe;
use crate::edge::Edge;
use crate::error::{Error, Result, refuse_if};
use crate::fft::{C2c, R2c};
use crate::fragment::Form;
use crate::gpu::DeviceProfile;
use crate::plan::{Sealed, typed};
use crate::settings::settings;
use crate::shape::{Batched, Shape};
use crate::signal::Mode;
use crate::signal::number::Number;
use crate::signal::parse::batch_before;
use crate::text::{Field, Flag, Text, join, parsed};
use crate::verify::Verification;

/// Convolution or correlation of a signal, a picture or a volume with a kernel, by Fourier
/// transforms.
///
/// ```no_run
/// use wgpu_fft::{Edge, Planner, signal::Convolve};
///
/// # fn blur(planner: &Planner, image: &[f32], kernel: &[f32]) -> wgpu_fft::Result<Vec<f32>> {
/// let plan = planner.plan(Convolve::<f32>::convolution([1080, 1920], [31, 31]).edge(Edge::Reflect))?;
/// let blurred = plan.run((image, kernel))?.wait()?; // 1080 x 1920 numbers
/// # Ok(blurred)
/// # }
/// ```
///
/// # Definition
/// Along one axis, for a signal x of length n and a kernel w of length k:
/// - convolution: y\[j\] = Σₘ w\[m\] · x\[j - m\], for j = 0 … n + k - 2;
/// - correlation: y\[j\] = Σₘ conj w\[m\] · x\[j - (k - 1) + m\], for the same j.
///
/// With several axes, the sum goes over all of them. Outside of the signal, x continues as
/// [`edge`](Self::edge) says; the default is zeros. The [`Mode`] says which j are computed: all for
/// `Full`, ⌊(k-1)/2⌋ … ⌊(k-1)/2⌋ + n - 1 for `Same`, and k - 1 … n - 1 for `Valid`. These are the
/// definitions of `convolve`, `correlate`, `convolve2d` and `correlate2d` in `scipy.signal`, with
/// their `boundary` for the edges `Zero`, `Wrap` and `Reflect` (`fill`, `wrap` and `symm`).
///
/// # Shapes
/// The first input is the signal, b × the shape, and the second one the kernel. The kernel is one
/// array for all signals, or one for each with [`kernel_for_each`](Self::kernel_for_each). It may
/// be longer than the signal, except with `Valid`. All arrays are dense and row-major.
/// [`output_shape`](Self::output_shape) returns the shape of a result. With
/// [`channels`](Self::channels), signals are b × inputs × the shape, kernels outputs × inputs × the
/// kernel's shape, and results b × outputs × the output shape. [By its
/// spectrum](Self::by_spectrum), the kernel is no input.
///
/// # Accuracy
/// The relative two-norm error of a result of the whole sum, with zeros at the edges, is at most
/// 10·u·√log₂N for transforms, where N is the product of the lengths of the transforms and u =
/// 2⁻²⁴. An element of the result has an error in proportion to the largest elements, not to
/// itself: a kernel of large numbers whose sum cancels loses digits that a direct sum would keep.
///
/// # Determinism
/// That of [`C2c`]: equal plans on one adapter give equal bits.
///
/// # Cost
/// Each axis is padded to a length that the device transforms fast; the recipe prints it. Nothing
/// is stored or transformed for the padding, and nothing is computed of elements that are not
/// wanted. Few products are added without transforms, in one dispatch: of f32 with one kernel over
/// 1 or 2 axes, up to some 13 x 13 taps on GPUs; a search compares both. Otherwise the signal takes
/// one pass for each axis but the first there, one for each of these back, and one for the first
/// axis, which is transformed there and back with the product in between. If that axis does not fit
/// a workgroup, its transforms take passes of their own. Along one axis that fits a workgroup,
/// there is one pass, in which a row of reals takes the arithmetic of a complex one: no signal
/// reaches another. The kernel takes the passes of its transform in every run, unless its
/// spectrum is given. Workspaces: the signal's rows transformed, and the spectrum of the kernel.
/// With channels, all axes are transformed there and all back, so that the first axis takes one
/// pass more; the sum is part of the first load of the way back, which reads all channels for each
/// result.
///
/// # Errors
/// Planning returns [`Error::Empty`]; [`Error::Unsupported`] for shapes of different ranks, of more
/// than 3 axes, for a kernel that has no `Valid` part, for a spectrum whose lengths are too short,
/// and for [`Edge::Odd`]; the errors of [`C2c`].
///
/// # Sources
/// A. V. Oppenheim and R. W. Schafer, Discrete-Time Signal Processing, Prentice Hall 1989, chapter
/// 8.
#[must_use]
pub struct Convolve<T> {
    pub(super) core: Core,
    element: PhantomData<fn(T) -> T>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Core {
    pub real: bool,
    element: &'static str,
    pub correlate: bool,
    pub shape: Shape,
    pub kernel: Shape,
    pub batch: usize,
    pub for_each: bool,
    /// Channels of each signal and of each result, if results are sums over channels.
    pub channels: Option<[usize; 2]>,
    pub mode: Mode,
    pub edge: Edge,
    /// The lengths of the transform by which the kernel's spectrum is given.
    pub spectrum: Option<Vec<u32>>,
}

typed!(Convolve<T: Number> { core }, T => T, Recipe);

impl<T: Number> Convolve<T> {
    fn new(correlate: bool, shape: Shape, kernel: Shape) -> Self {
        let (mode, edge) = Default::default();
        let core = Core {
            real: T::REAL,
            element: T::NAME,
            correlate,
            shape,
            kernel,
            batch: 1,
            for_each: false,
            channels: None,
            mode,
            edge,
            spectrum: None,
        };
        Self { core, element: PhantomData }
    }

    /// The convolution of a signal of this shape with a kernel.
    pub fn convolution(shape: impl Into<Shape>, kernel: impl Into<Shape>) -> Self {
        Self::new(false, shape.into(), kernel.into())
    }

    /// The correlation of a signal of this shape with a kernel.
    pub fn correlation(shape: impl Into<Shape>, kernel: impl Into<Shape>) -> Self {
        Self::new(true, shape.into(), kernel.into())
    }

    settings! { own:
        /// Convolves `count` signals, stored one after the other, each by itself.
        batch(count: usize) => own.core.batch = count;

        /// There is a kernel for each signal of the batch, stored one after the other.
        kernel_for_each() => own.core.for_each = true;

        /// Each signal has `inputs` channels and each result `outputs`, with a kernel for every
        /// pair. Each channel of a result is the sum over the channels of the signal, each with its
        /// kernel: the layer of a neural network, which is a correlation there.
        ///
        /// ```no_run
        /// # use wgpu_fft::{Planner, signal::Convolve};
        /// # fn layer(planner: &Planner, image: &[f32], kernels: &[f32]) -> wgpu_fft::Result<Vec<f32>> {
        /// // RGB to 8 features: 3 x 480 x 640 numbers, and 8 x 3 x 15 x 15 numbers.
        /// let plan = planner.plan(Convolve::<f32>::correlation([480, 640], [15, 15]).channels(3, 8))?;
        /// let features = plan.run((image, kernels))?.wait()?; // 8 x 480 x 640 numbers
        /// # Ok(features)
        /// # }
        /// ```
        channels(inputs: usize, outputs: usize) => own.core.channels = Some([inputs, outputs]);

        /// Sets which part of the result is wanted.
        mode(mode: Mode) => own.core.mode = mode;

        /// Sets how the signal continues past its ends.
        edge(edge: Edge) => own.core.edge = edge;
    }

    /// The shape of a result.
    ///
    /// # Errors
    /// The errors of planning that do not depend on the device.
    pub fn output_shape(&self) -> Result<Shape> {
        let shape = self.core.shape;
        let axes = self.core.axes()?;
        Ok(axes.iter().enumerate().fold(shape, |shape, (axis, own)| shape.with(axis, own.len)))
    }

    /// The adjoint with respect to the signal, as [`C2c::adjoint`] defines it, with the same
    /// kernel: the correlation of a result with it, or the convolution if this is a correlation.
    /// `Full` and `Valid` are exchanged.
    ///
    /// ```
    /// use wgpu_fft::signal::{Convolve, Mode};
    ///
    /// let blur = Convolve::<f32>::convolution([480, 640], [9, 15]).mode(Mode::Valid);
    /// assert_eq!(blur.adjoint()?.to_string(), "correlate f32 472x626 by 9x15 full");
    /// # Ok::<(), wgpu_fft::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`] for edges other than zeros, channels, a kernel that is given by its
    /// spectrum, and `Same` by kernels of even lengths, whose middle is not where it would have to
    /// be; those of planning.
    pub fn adjoint(&self) -> Result<Self> {
        let refused = |why: &str| Err(Error::unsupported(&self.core, format!("it has no adjoint here: {why}")));
        let Core { edge, channels, spectrum, mode, kernel, .. } = &self.core;
        if *edge != Edge::Zero {
            return refused("its edge is not zero");
        }
        if channels.is_some() || spectrum.is_some() {
            return refused("that would need other kernels");
        }
        if *mode == Mode::Same && kernel.extents().iter().any(|k| k.is_multiple_of(2)) {
            return refused("the kernel has an even length, so what is in the middle for one is not for the other; take full or valid");
        }
        let mode = match mode {
            Mode::Full => Mode::Valid,
            Mode::Same => Mode::Same,
            Mode::Valid => Mode::Full,
        };
        let core = Core { correlate: !self.core.correlate, shape: self.output_shape()?, mode, ..self.core.clone() };
        Ok(Self { core, element: PhantomData })
    }
}

impl Convolve<f32> {
    /// Two specifications, for a kernel that stays the same in many runs: the transform of the
    /// kernel, and the convolution that reads its result as the array `spectrum`, and has no second
    /// input. Call it last: batches and channels decide how many spectra there are. The rules
    /// choose the length of the transform for a device of `profile`.
    ///
    /// ```no_run
    /// # use wgpu_fft::{FragmentArrays, Planner, With, signal::Convolve};
    /// # fn blur(planner: &Planner, images: &[Vec<f32>], kernel: &[f32]) -> wgpu_fft::Result<()> {
    /// let gpu = planner.gpu();
    /// let (transform, convolve) = Convolve::<f32>::convolution([1080, 1920], [31, 31]).by_spectrum(gpu.profile())?;
    /// let spectrum = gpu.upload(&planner.plan(transform)?.run(kernel)?.wait()?)?;
    /// let arrays = FragmentArrays::new().with("spectrum", &spectrum);
    ///
    /// let plan = planner.plan(convolve)?;
    /// for image in images {
    ///     let blurred = plan.run(With(image, &arrays))?.wait()?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The errors of planning the convolution.
    pub fn by_spectrum(mut self, profile: &DeviceProfile) -> Result<(R2c, Self)> {
        let (shape, input) = self.core.take_spectrum(profile)?;
        Ok((R2c::forward(shape).batch(self.core.kernels()).input_part(input), self))
    }
}

impl Convolve<Complex32> {
    /// The same for complex numbers.
    ///
    /// # Errors
    /// The errors of planning the convolution.
    pub fn by_spectrum(mut self, profile: &DeviceProfile) -> Result<(C2c, Self)> {
        let (shape, input) = self.core.take_spectrum(profile)?;
        Ok((C2c::forward(shape).batch(self.core.kernels()).input_part(input), self))
    }
}

/// What is computed along an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Axis {
    pub n: usize,
    pub k: usize,
    /// Positions before and after the signal that the edge fills.
    pub before: usize,
    pub after: usize,
    /// Where the first wanted element of the cyclic result is. A negative place counts from the
    /// end.
    pub first: i64,
    /// Wanted elements.
    pub len: usize,
    /// The number of the first wanted element, counted as the definition does.
    pub start: usize,
    /// The shortest length of the transform.
    pub least: usize,
}

/// The name of the array that has the kernel's spectrum.
pub(super) const SPECTRUM: &str = "spectrum";

impl Core {
    /// From here on the spectrum of the kernel is given. Returns the shape of its transform, and
    /// the part of it that the kernel has.
    fn take_spectrum(&mut self, profile: &DeviceProfile) -> Result<(Shape, Vec<Range<i64>>)> {
        let axes = self.axes()?;
        let lengths = self.lengths(&axes, profile)?;
        self.check_lengths(&axes, &lengths).map_err(|why| Error::unsupported(&*self, why))?;
        let shape: Vec<usize> = lengths.iter().map(|&n| n as usize).collect();
        self.spectrum = Some(lengths);
        Ok((Shape::from(shape.as_slice()), self.kernel.extents().iter().map(|&k| 0..k as i64).collect()))
    }

    pub fn kernels(&self) -> usize {
        match self.channels {
            Some([inputs, outputs]) => inputs.saturating_mul(outputs),
            None if self.for_each => self.batch,
            None => 1,
        }
    }

    /// Channels count as signals, and of results as results.
    pub fn signals(&self) -> usize {
        self.batch.saturating_mul(self.channels.map_or(1, |[inputs, _]| inputs))
    }

    pub fn results(&self) -> usize {
        self.batch.saturating_mul(self.channels.map_or(1, |[_, outputs]| outputs))
    }

    /// What is computed along each axis.
    pub fn axes(&self) -> Result<Vec<Axis>> {
        self.edge.check_of_filter(self)?;
        self.shape.elements("convolution", self.signals())?;
        self.shape.elements("result of a convolution", self.results())?;
        refuse_if(
            self.for_each && self.channels.is_some(),
            self,
            "there is a kernel for each pair of channels, so there cannot be one for each signal",
        )?;
        self.kernel.elements("kernel of a convolution", self.kernels())?;
        let (rank, own) = (self.shape.rank(), self.kernel.rank());
        refuse_if(
            rank != own || rank > 3,
            self,
            format_args!("the signal has {rank} axes and the kernel has {own}: both need the same number, at most 3"),
        )?;
        let axis = |(axis, (&n, &k))| self.axis(axis, n, k);
        self.shape.extents().iter().zip(self.kernel.extents()).enumerate().map(axis).collect()
    }

    fn axis(&self, axis: usize, n: usize, k: usize) -> Result<Axis> {
        if self.mode == Mode::Valid && k > n {
            let why = format!("along axis {axis} the kernel of {k} elements is longer than the signal of {n}, so no element is valid");
            return Err(Error::unsupported(self, why));
        }
        let [long, short] = [n as i64, k as i64];
        // The first wanted element, counted as the definition does, and how many there are.
        let (start, len) = match self.mode {
            Mode::Full => (0, n + k - 1),
            Mode::Same => ((short - 1) / 2, n),
            Mode::Valid => (short - 1, n - k + 1),
        };
        let end = start + len as i64;
        // Element j depends on x[j - k + 1] … x[j].
        let (before, after) = if self.edge == Edge::Zero { (0, 0) } else { ((short - 1 - start).max(0), (end - long).max(0)) };
        // A correlation's element j is the cyclic result at j - (k - 1).
        let shift = if self.correlate { short - 1 } else { 0 };
        let least = if self.edge == Edge::Zero {
            // What is not wanted may fall onto itself, but not onto what is wanted.
            (long + short - 1 - start).max(end)
        } else {
            before + long + after
        };
        let least = least.max(long).max(short) as usize;
        let first = start - shift + before;
        Ok(Axis { n, k, before: before as usize, after: after as usize, first, len, start: start as usize, least })
    }
}

impl Sealed for Core {
    fn verification(&self) -> Verification {
        Verification::of_forms(Form::REAL, Form::REAL, 2e-5)
    }
}

/// `convolve f32 1080x1920 x4 by 31x31 same wrap each channels=3,8 lengths=1152x2048`, where
/// defaults are left out except the mode.
impl fmt::Display for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { element, shape, kernel, batch, mode, edge, .. } = self;
        let name = if self.correlate { "correlate" } else { "convolve" };
        write!(f, "{name} {element} {} by {} {mode}", Batched(*shape, *batch), Batched(*kernel, 1))?;
        write!(f, "{}{}", Flag(edge, *edge != Edge::Zero), Flag("each", self.for_each))?;
        Field("channels", self.channels.as_ref().map(|channels| join(channels, ","))).fmt(f)?;
        Field("lengths", self.spectrum.as_ref().map(|lengths| join(lengths, "x"))).fmt(f)
    }
}

parsed!(Convolve<T> where T: Number, |whole| {
    let text = Text::new("specification", whole);
    let mut words = text.words(whole);
    let correlate = match words.any() {
        Some("convolve") => false,
        Some("correlate") => true,
        _ => return Err(text.wrong(whole, "it must begin with convolve or correlate")),
    };
    words.skip(T::NAME)?;
    let shape = Shape::parse(text, words.one("a shape")?)?;
    let batch = batch_before("by", text, &mut words)?;
    let kernel = Shape::parse(text, words.one("the kernel's shape")?)?;
    let mut fields = words.fields();
    let mode = Mode::ALL.into_iter().find(|mode| fields.flag(&mode.to_string())).unwrap_or_default();
    let edge = Edge::ALL.into_iter().find(|edge| fields.flag(&edge.to_string())).unwrap_or_default();
    let for_each = fields.flag("each");
    let channels = fields.value("channels").map(|pair| text.pair(pair, ',')).transpose()?;
    let channels = channels.map(|pair| pair.map(|count| count as usize));
    let spectrum = fields.value("lengths").map(|lengths| text.numbers(lengths, 'x')).transpose()?;
    fields.done("a mode (full, same, valid), an edge (wrap, reflect, mirror, nearest), each, channels=3,8, or lengths=64x64")?;
    let core = Core { batch, for_each, channels, mode, edge, spectrum, ..Self::new(correlate, shape, kernel).core };
    Ok(Self { core, element: PhantomData })
});
