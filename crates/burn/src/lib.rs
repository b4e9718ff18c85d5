#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]
#![warn(missing_docs)]

mod step;

use std::sync::{Arc, Mutex, PoisonError};

use burn::backend::Dispatch;
use burn::tensor::wgpu::{WgpuInitError, WgpuOptions};
use burn::tensor::{DType, Device, Tensor};
use wgpu_fft::fft::{C2c, C2r, R2c, R2r, Scale};
use wgpu_fft::signal::Convolve;
use wgpu_fft::{Gpu, Layout, Planner, Spec};

pub use wgpu_fft;
#[doc(no_inline)]
pub use wgpu_fft::{Error, Result, fft::RealKind, signal::Mode};

use step::{Step, Transforms};

/// The factor of a transform, by the names of NumPy, SciPy and PyTorch. n is the product of the
/// transformed lengths, of cosine and sine transforms of the [logical
/// ones](RealKind::logical_length).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Norm {
    /// 1 forward, 1/n inverse.
    #[default]
    Backward,
    /// 1/√n in both directions. Cosine and sine transforms are orthonormal.
    Ortho,
    /// 1/n forward, 1 inverse.
    Forward,
}

impl Norm {
    fn scale(self, inverse: bool) -> Scale {
        match (self, inverse) {
            (Self::Ortho, _) => Scale::InvSqrtLen,
            (Self::Backward, false) | (Self::Forward, true) => Scale::One,
            (Self::Backward, true) | (Self::Forward, false) => Scale::InvLen,
        }
    }
}

/// The devices of [`register`].
static PLANNERS: Mutex<Vec<(Device, Arc<Planner>)>> = Mutex::new(Vec::new());

/// Opens burn's wgpu device and [registers](register) it. Use the device that it returns.
///
/// # Errors
/// Those of `WgpuOptions::init_with_setup`; also if burn has opened that device already.
pub fn init(options: WgpuOptions) -> std::result::Result<Device, WgpuInitError> {
    let (device, setup) = options.init_with_setup()?;
    register(&device, Planner::new(&Gpu::from_wgpu(setup.device, setup.queue)));
    Ok(device)
}

/// Computes the transforms of tensors of this device by this planner, which must be for its wgpu
/// device and queue. burn returns them when it opens a device, or takes them from the caller.
pub fn register(device: &Device, planner: Planner) {
    let mut planners = PLANNERS.lock().unwrap_or_else(PoisonError::into_inner);
    planners.retain(|(own, _)| own != device);
    planners.push((device.clone(), Arc::new(planner)));
}

/// The planner of a device, with its `Gpu`, for operations that this crate does not have.
///
/// # Errors
/// [`Error::Unsupported`] if the device is not registered.
pub fn planner(device: &Device) -> Result<Arc<Planner>> {
    let planners = PLANNERS.lock().unwrap_or_else(PoisonError::into_inner);
    planners
        .iter()
        .find(|(own, _)| own == device)
        .map(|(_, planner)| Arc::clone(planner))
        .ok_or_else(|| unsupported(format!("a transform on {device:?}"), "open it by wgpu_fft_burn::init, or call wgpu_fft_burn::register"))
}

/// The Fourier transform of a complex tensor along some axes.
///
/// # Errors
/// [`Error::Unsupported`] for axes that the tensor does not have, a last axis that is not of length
/// 2, and what the [crate](crate#errors) says; those of planning a [`C2c`].
pub fn fft<const C: usize>(x: Tensor<C>, axes: &[isize], norm: Norm) -> Result<Tensor<C>> {
    complex(x, axes, norm, false)
}

/// The inverse of [`fft`].
///
/// # Errors
/// Those of [`fft`].
pub fn ifft<const C: usize>(x: Tensor<C>, axes: &[isize], norm: Norm) -> Result<Tensor<C>> {
    complex(x, axes, norm, true)
}

fn complex<const C: usize>(x: Tensor<C>, axes: &[isize], norm: Norm, inverse: bool) -> Result<Tensor<C>> {
    let dims = complex_dims(&x)?;
    let Joined { batch, shape, axes } = Joined::new(&dims, axes)?;
    let spec = if inverse { C2c::inverse(&shape[..]) } else { C2c::forward(&shape[..]) };
    let spec = spec.batch(batch).axes(axes).scale(norm.scale(inverse));
    let (adjoint, dims) = (spec.adjoint()?, x.dims());
    linear(x, spec, adjoint, dims)
}

/// The Fourier transform of a real tensor along some axes. Along the last one that is named, only
/// the first ⌊n/2⌋ + 1 frequencies are stored. The result has one axis more, for real and imaginary
/// parts.
///
/// # Errors
/// [`Error::Unsupported`] for axes that the tensor does not have, for a result with another number of
/// axes than one more, and for what the [crate](crate#errors) says; those of planning an
/// [`R2c`].
pub fn rfft<const D: usize, const C: usize>(x: Tensor<D>, axes: &[isize], norm: Norm) -> Result<Tensor<C>> {
    let Half { joined: Joined { batch, shape, axes }, layouts, complex } = Half::new(&x.dims(), axes)?;
    let mut spec = R2c::forward(&shape[..]).batch(batch).axes(axes).scale(norm.scale(false));
    if let Some([real, complex]) = layouts {
        spec = spec.input_layout(real).output_layout(complex);
    }
    let (adjoint, dims) = (spec.adjoint()?, of_rank("the spectrum", &complex)?);
    linear(x, spec, adjoint, dims)
}

/// The inverse of [`rfft`]: a real tensor of length `len` along the last axis that is named. Of that
/// axis, the spectrum has the first ⌊len/2⌋ + 1 frequencies. Imaginary parts that the spectrum of a
/// real tensor cannot have count as 0.
///
/// # Errors
/// Those of [`rfft`], and [`Error::WrongLen`] for another number of frequencies.
pub fn irfft<const C: usize, const D: usize>(x: Tensor<C>, axes: &[isize], len: usize, norm: Norm) -> Result<Tensor<D>> {
    let mut real = complex_dims(&x)?;
    let last = *resolved(&real, axes)?.last().expect("there are axes");
    if real[last] != len / 2 + 1 {
        return Err(Error::WrongLen { argument: "frequencies", expected: len / 2 + 1, actual: real[last] });
    }
    real[last] = len;
    let Half { joined: Joined { batch, shape, axes }, layouts, .. } = Half::new(&real, axes)?;
    let mut spec = C2r::inverse(&shape[..]).batch(batch).axes(axes).scale(norm.scale(true));
    if let Some([real, complex]) = layouts {
        spec = spec.input_layout(complex).output_layout(real);
    }
    let (adjoint, dims) = (spec.adjoint()?, of_rank("the signal", &real)?);
    linear(x, spec, adjoint, dims)
}

/// A transform from reals to reals along some axes: the cosine transforms of types I to IV, sine
/// transforms, and Hartley's. The type that is called "the" cosine transform is `RealKind::DctII`.
///
/// # Errors
/// [`Error::Unsupported`] for axes that the tensor does not have, and for what the
/// [crate](crate#errors) says; those of planning an [`R2r`].
pub fn dct<const D: usize>(x: Tensor<D>, kind: RealKind, axes: &[isize], norm: Norm) -> Result<Tensor<D>> {
    real(x, kind, axes, norm, false)
}

/// The inverse of [`dct`]: the [inverse kind](RealKind::inverse), with the factor that undoes it.
///
/// # Errors
/// Those of [`dct`].
pub fn idct<const D: usize>(x: Tensor<D>, kind: RealKind, axes: &[isize], norm: Norm) -> Result<Tensor<D>> {
    real(x, kind.inverse(), axes, norm, true)
}

fn real<const D: usize>(x: Tensor<D>, kind: RealKind, axes: &[isize], norm: Norm, inverse: bool) -> Result<Tensor<D>> {
    let dims = x.dims();
    let Joined { batch, shape, axes } = Joined::new(&dims, axes)?;
    let spec = R2r::new(kind, &shape[..]).batch(batch).axes(axes).scale(norm.scale(inverse));
    let spec = if norm == Norm::Ortho { spec.orthogonalize() } else { spec };
    let adjoint = spec.adjoint()?;
    linear(x, spec, adjoint, dims)
}

/// The convolution of a signal with a kernel along the last axes, as many as the kernel has, up to
/// three: y\[j\] = Σₘ w\[m\] · x\[j - m\], with zeros outside of the signal. All other axes are
/// batches, which share the kernel. For a correlation, `flip` the kernel.
///
/// The [`Mode`] says how much of the result is wanted, as in `scipy.signal.convolve`. It is that of
/// [`Convolve`]: few taps are added directly, and others by Fourier transforms.
///
/// # Errors
/// [`Error::Unsupported`] for a kernel with no axes or more than the signal, for tensors of two
/// devices, and for what the [crate](crate#errors) says; those of planning a [`Convolve`].
pub fn convolve<const D: usize, const K: usize>(signal: Tensor<D>, kernel: Tensor<K>, mode: Mode) -> Result<Tensor<D>> {
    let (dims, taps, device) = (signal.dims(), kernel.dims(), signal.device());
    if K == 0 || K > D {
        return Err(unsupported(format!("a kernel of {K} axes"), format!("the signal has {D}: 1 to {D} can be convolved")));
    }
    if kernel.device() != device {
        let what = format!("a signal on {device:?} and a kernel on {:?}", kernel.device());
        return Err(unsupported(what, "both must be on one device"));
    }
    let (outer, shape) = dims.split_at(D - K);
    let batch = outer.iter().product();
    let spec = Convolve::<f32>::convolution(shape, taps).batch(batch);
    let own = |mode| Ok([outer, spec.clone().mode(mode).output_shape()?.extents()].concat());

    let planner = planner(&device)?;
    let mut step = Step::new(&planner, spec.clone().mode(mode), own(mode)?)?;
    if device.is_autodiff() || kernel.device().is_autodiff() {
        // Both gradients are valid correlations with the gradient of the full result.
        let full = own(Mode::Full)?;
        let of_signal = spec.clone().mode(Mode::Full).adjoint()?;
        // Signals of a batch are channels here: their correlations are added up.
        let of_kernel = Convolve::<f32>::correlation(&full[D - K..], shape).mode(Mode::Valid).channels(batch, 1);
        let back = [Step::new(&planner, of_signal, dims.to_vec())?, Step::new(&planner, of_kernel, taps.to_vec())?];
        let first = match mode {
            Mode::Full => [0; K],
            Mode::Same => taps.map(|k| (k - 1) / 2),
            Mode::Valid => taps.map(|k| k - 1),
            other => return Err(unsupported(format!("a gradient of the mode {other}"), "it may be full, same or valid")),
        };
        step = step.with_gradients(back).padded(full, [vec![0; D - K], first.to_vec()].concat());
    }
    check_f32(&signal)?;
    check_f32(&kernel)?;
    Ok(Tensor::from_dispatch(Dispatch::run_bilinear(signal.into_dispatch(), kernel.into_dispatch(), Arc::new(step))))
}

/// Applies a linear operation, whose result has these extents.
fn linear<const I: usize, const O: usize>(x: Tensor<I>, spec: impl Spec, adjoint: impl Spec, dims: [usize; O]) -> Result<Tensor<O>> {
    check_f32(&x)?;
    let (device, planner) = (x.device(), planner(&x.device())?);
    let mut step = Step::new(&planner, spec, dims.to_vec())?;
    if device.is_autodiff() {
        step = step.with_gradients([Step::new(&planner, adjoint, x.dims().to_vec())?]);
    }
    Ok(Tensor::from_dispatch(Dispatch::run_linear(x.into_dispatch(), Arc::new(step))))
}

fn unsupported(what: String, why: impl Into<String>) -> Error {
    Error::Unsupported { what, why: why.into() }
}

fn check_f32<const D: usize>(x: &Tensor<D>) -> Result<()> {
    match x.dtype() {
        DType::F32 => Ok(()),
        other => Err(unsupported(format!("a transform of a tensor of {other:?}"), "tensors must be f32: call cast(DType::F32)")),
    }
}

/// The axes of a complex tensor but the last one.
fn complex_dims<const C: usize>(x: &Tensor<C>) -> Result<Vec<usize>> {
    match x.dims()[..] {
        [ref dims @ .., 2] if !dims.is_empty() => Ok(dims.to_vec()),
        ref dims => Err(unsupported(format!("a complex tensor of {dims:?}"), "the last of two or more axes must have length 2: re and im")),
    }
}

/// Extents as an array.
fn of_rank<const N: usize>(what: &str, dims: &[usize]) -> Result<[usize; N]> {
    dims.try_into().map_err(|_| unsupported(format!("a result of {N} axes"), format!("{what} has the shape {dims:?}")))
}

/// Axes, counted from the first one.
fn resolved(dims: &[usize], axes: &[isize]) -> Result<Vec<usize>> {
    let refused = |why: String| Err(unsupported(format!("a transform along the axes {axes:?} of {dims:?}"), why));
    let rank = dims.len() as isize;
    if let Some(axis) = axes.iter().find(|axis| !(-rank..rank).contains(*axis)) {
        return refused(format!("axis {axis} must be from {} to {}", -rank, rank - 1));
    }
    let all: Vec<usize> = axes.iter().map(|axis| axis.rem_euclid(rank) as usize).collect();
    match all.iter().enumerate().find(|(i, axis)| all[..*i].contains(*axis)) {
        Some((_, axis)) => refused(format!("axis {axis} is named twice")),
        None if all.is_empty() => refused("no axis is named".to_owned()),
        None => Ok(all),
    }
}

/// A dense array with as few axes as possible.
struct Joined {
    /// Everything before the first axis that is transformed.
    batch: usize,
    shape: Vec<usize>,
    /// The axes that are transformed, as they were named.
    axes: Vec<usize>,
}

impl Joined {
    fn new(dims: &[usize], named: &[isize]) -> Result<Self> {
        let axes = resolved(dims, named)?;
        let first = axes.iter().copied().min().unwrap_or(dims.len());
        let mut joined = Self { batch: dims[..first].iter().product(), shape: Vec::new(), axes: vec![0; axes.len()] };
        let mut extends = false;
        for (axis, &extent) in dims.iter().enumerate().skip(first) {
            let named = axes.iter().position(|own| *own == axis);
            match joined.shape.last_mut() {
                Some(last) if extends && named.is_none() => *last *= extent,
                _ => joined.shape.push(extent),
            }
            if let Some(i) = named {
                joined.axes[i] = joined.shape.len() - 1;
            }
            extends = named.is_none();
        }
        match joined.shape.len() {
            1..=3 => Ok(joined),
            all => {
                let why = format!(
                    "with the axes between and behind them, these are {all}, and at most 3 are possible: permute them to be the last ones"
                );
                Err(unsupported(format!("a transform along the axes {named:?} of {dims:?}"), why))
            }
        }
    }
}

/// A transform between reals and half of their spectrum. Of the joined axes, the one that is halved
/// is the last one.
struct Half {
    joined: Joined,
    /// Where reals and frequencies are, if another axis is the last one in memory.
    layouts: Option<[Layout; 2]>,
    /// The extents of the spectrum.
    complex: Vec<usize>,
}

impl Half {
    fn new(real: &[usize], axes: &[isize]) -> Result<Self> {
        let mut joined = Joined::new(real, axes)?;
        let last = *resolved(real, axes)?.last().expect("there are axes");
        let mut complex = [real, &[2]].concat();
        complex[last] = real[last] / 2 + 1;

        let halved = *joined.axes.last().expect("there are axes");
        let mut layouts = None;
        if halved + 1 != joined.shape.len() {
            let layout = |extent: usize| {
                let mut extents = joined.shape.clone();
                extents[halved] = extent;
                let mut strides: Vec<usize> = (0..extents.len()).map(|axis| extents[axis + 1..].iter().product()).collect();
                let stride = strides.remove(halved);
                strides.push(stride);
                Layout::strides(strides).batch_distance(extents.iter().product())
            };
            layouts = Some([layout(real[last]), layout(complex[last])]);
            let extent = joined.shape.remove(halved);
            joined.shape.push(extent);
            for axis in &mut joined.axes {
                *axis = if *axis == halved { joined.shape.len() - 1 } else { *axis - usize::from(*axis > halved) };
            }
        }
        Ok(Self { joined, layouts, complex })
    }
}
