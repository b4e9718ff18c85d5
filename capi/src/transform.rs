//! Fourier transforms from numbers in place of a text.

use std::ffi::c_char;
use std::fmt::Write;
use std::mem::offset_of;

use fft::Layout as CrateLayout;
use fft::dynamic::AnySpec;
use fft::fft::RealKind;

use crate::arguments::{Versioned, missing, structure, write_text};
use crate::status::{Failure, Status, guarded};

/// The most axes of a transform.
pub const WGPU_FFT_MOST_AXES: usize = 3;

/// From complex to complex numbers, with exp(-2*pi*i*j*k/n).
pub const WGPU_FFT_C2C_FORWARD: i32 = 1;
/// From complex to complex numbers, with exp(+2*pi*i*j*k/n).
pub const WGPU_FFT_C2C_INVERSE: i32 = 2;
/// From n reals to the first n/2+1 of their frequencies along the last axis.
pub const WGPU_FFT_R2C: i32 = 3;
/// From those back to n reals.
pub const WGPU_FFT_C2R: i32 = 4;
/// From reals to reals, as `real_kinds` says.
pub const WGPU_FFT_R2R: i32 = 5;

/// Cosine transform of type I, FFTW's REDFT00.
pub const WGPU_FFT_DCT1: i32 = 1;
/// Cosine transform of type II, FFTW's REDFT10.
pub const WGPU_FFT_DCT2: i32 = 2;
/// Cosine transform of type III, FFTW's REDFT01.
pub const WGPU_FFT_DCT3: i32 = 3;
/// Cosine transform of type IV, FFTW's REDFT11.
pub const WGPU_FFT_DCT4: i32 = 4;
/// Sine transform of type I, FFTW's RODFT00.
pub const WGPU_FFT_DST1: i32 = 5;
/// Sine transform of type II, FFTW's RODFT10.
pub const WGPU_FFT_DST2: i32 = 6;
/// Sine transform of type III, FFTW's RODFT01.
pub const WGPU_FFT_DST3: i32 = 7;
/// Sine transform of type IV, FFTW's RODFT11.
pub const WGPU_FFT_DST4: i32 = 8;
/// Hartley's transform, FFTW's DHT.
pub const WGPU_FFT_HARTLEY: i32 = 9;
/// A spectrum of reals as reals, FFTW's R2HC.
pub const WGPU_FFT_TO_HALF_COMPLEX: i32 = 10;
/// The way back, FFTW's HC2R.
pub const WGPU_FFT_OF_HALF_COMPLEX: i32 = 11;

/// Numbers of 32 bits: `float`.
pub const WGPU_FFT_F32: i32 = 0;
/// Numbers of 64 bits, `double`, on devices whose shaders have them.
pub const WGPU_FFT_F64: i32 = 1;
/// `double` on any device, with about 46 of its 53 bits.
pub const WGPU_FFT_F64_BY_F32: i32 = 2;

/// No factor.
pub const WGPU_FFT_SCALE_ONE: i32 = 0;
/// 1/n, where n is the product of the transformed lengths.
pub const WGPU_FFT_SCALE_INV_LEN: i32 = 1;
/// 1/sqrt(n).
pub const WGPU_FFT_SCALE_INV_SQRT_LEN: i32 = 2;

/// Where the elements of an array are. Everything counts elements: reals, or complex numbers.
#[repr(C)]
pub struct Layout {
    /// From one element to the next along each axis, slowest axis first.
    pub strides: [usize; WGPU_FFT_MOST_AXES],
    /// From one array of the batch to the next. 0 is the first extent times its stride.
    pub batch_distance: usize,
    /// The index of the first element.
    pub offset: usize,
    /// The length of the whole array, if it continues behind the last element. 0 if it does not.
    pub within: usize,
}

/// A Fourier transform. Zeros mean the default in all fields but `size`, `kind`, `rank` and `shape`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Transform {
    /// sizeof(wgpu_fft_transform).
    pub size: usize,
    /// WGPU_FFT_C2C_FORWARD and the like.
    pub kind: i32,
    /// The number of axes: 1 to 3.
    pub rank: usize,
    /// Their extents, slowest axis first. For real transforms those of the reals.
    pub shape: [usize; WGPU_FFT_MOST_AXES],
    /// The number of arrays, one behind the other. 0 counts as 1.
    pub batch: usize,
    /// How many axes are transformed. 0 means all.
    pub axis_count: usize,
    /// Which ones, counted from the slowest.
    pub axes: [usize; WGPU_FFT_MOST_AXES],
    /// For WGPU_FFT_R2R: the kind along each axis that is transformed, WGPU_FFT_DCT1 and the like.
    pub real_kinds: [i32; WGPU_FFT_MOST_AXES],
    /// WGPU_FFT_F32 and the like.
    pub numbers: i32,
    /// WGPU_FFT_SCALE_ONE and the like.
    pub scale: i32,
    /// If it is not 0: the factor on every result, in place of `scale`.
    pub factor: f64,
    /// Where the input's elements are. NULL if it is dense.
    pub input: *const Layout,
    /// Where the output's elements are. NULL if it is dense. Elements between them become 0.
    pub output: *const Layout,
    /// Lets the device use one array for both, which saves memory there. The layouts must be equal.
    pub in_place: bool,
}

// SAFETY: it is of numbers, pointers and a bool, with its size first.
unsafe impl Versioned for Transform {
    const NAME: &'static str = "wgpu_fft_transform";
    const LEAST: usize = offset_of!(Self, in_place) + size_of::<bool>();
}

impl Transform {
    /// A transform that must be there.
    ///
    /// # Safety
    /// As [`structure`].
    pub unsafe fn given(transform: *const Self) -> Result<Self, Failure> {
        // SAFETY: the caller's.
        unsafe { structure("transform", transform) }?.ok_or_else(|| missing("transform"))
    }

    /// The text of the specification.
    ///
    /// # Safety
    /// The layouts must be NULL or valid.
    pub unsafe fn text(&self) -> Result<String, Failure> {
        let wrong = |what: &str, value: i32| Failure::argument(format!("{what} cannot be {value}"));
        let count = |what: &str, count: usize| match count {
            ..=WGPU_FFT_MOST_AXES => Ok(count),
            _ => Err(Failure::argument(format!("{what} cannot be {count}: a transform has at most {WGPU_FFT_MOST_AXES} axes"))),
        };
        let (rank, axis_count) = (count("rank", self.rank)?, count("axis_count", self.axis_count)?);
        let transformed = if axis_count == 0 { rank } else { axis_count };
        let head = match self.kind {
            WGPU_FFT_C2C_FORWARD => "c2c fwd".to_owned(),
            WGPU_FFT_C2C_INVERSE => "c2c inv".to_owned(),
            WGPU_FFT_R2C => "r2c fwd".to_owned(),
            WGPU_FFT_C2R => "c2r inv".to_owned(),
            WGPU_FFT_R2R => {
                // A name for each axis of the array.
                let mut names = vec!["-".to_owned(); rank];
                for (i, &kind) in self.real_kinds[..transformed].iter().enumerate() {
                    let axis = if axis_count == 0 { i } else { self.axes[i] };
                    let name = real_kind(kind).ok_or_else(|| wrong("real_kinds", kind))?.to_string();
                    *names.get_mut(axis).ok_or_else(|| Failure::argument(format!("axis {axis}: there are {rank}")))? = name;
                }
                format!("r2r {}", names.join(","))
            }
            other => return Err(wrong("kind", other)),
        };
        let mut text = format!("{head} {}", joined(&self.shape[..rank], "x"));
        let mut add = |part: std::fmt::Arguments<'_>| text.write_fmt(part).map_err(|_| Failure::argument("a number cannot be printed"));
        if self.batch > 1 {
            add(format_args!(" x{}", self.batch))?;
        }
        match self.numbers {
            WGPU_FFT_F32 => {}
            WGPU_FFT_F64 => add(format_args!(" f64"))?,
            WGPU_FFT_F64_BY_F32 => add(format_args!(" f64-by-f32"))?,
            other => return Err(wrong("numbers", other)),
        }
        if axis_count > 0 {
            add(format_args!(" axes={}", joined(&self.axes[..axis_count], ",")))?;
        }
        for (name, layout) in [("in", self.input), ("out", self.output)] {
            // SAFETY: the caller's.
            if let Some(layout) = unsafe { layout.as_ref() } {
                add(format_args!(" {name}={}", layout.of_crate(rank)))?;
            }
        }
        match self.scale {
            _ if self.factor != 0.0 => add(format_args!(" *{}", self.factor))?,
            WGPU_FFT_SCALE_ONE => {}
            WGPU_FFT_SCALE_INV_LEN => add(format_args!(" 1/n"))?,
            WGPU_FFT_SCALE_INV_SQRT_LEN => add(format_args!(" 1/sqrt(n)"))?,
            other => return Err(wrong("scale", other)),
        }
        if self.in_place {
            add(format_args!(" in-place"))?;
        }
        Ok(text)
    }
}

impl Layout {
    fn of_crate(&self, rank: usize) -> CrateLayout {
        let layout = CrateLayout::strides(self.strides[..rank].to_vec()).offset(self.offset);
        let layout = if self.batch_distance > 0 { layout.batch_distance(self.batch_distance) } else { layout };
        if self.within > 0 { layout.within(self.within) } else { layout }
    }
}

fn joined(numbers: &[usize], between: &str) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(between)
}

fn real_kind(kind: i32) -> Option<RealKind> {
    Some(match kind {
        WGPU_FFT_DCT1 => RealKind::DctI,
        WGPU_FFT_DCT2 => RealKind::DctII,
        WGPU_FFT_DCT3 => RealKind::DctIII,
        WGPU_FFT_DCT4 => RealKind::DctIV,
        WGPU_FFT_DST1 => RealKind::DstI,
        WGPU_FFT_DST2 => RealKind::DstII,
        WGPU_FFT_DST3 => RealKind::DstIII,
        WGPU_FFT_DST4 => RealKind::DstIV,
        WGPU_FFT_HARTLEY => RealKind::Hartley,
        WGPU_FFT_TO_HALF_COMPLEX => RealKind::ToHalfComplex,
        WGPU_FFT_OF_HALF_COMPLEX => RealKind::OfHalfComplex,
        _ => return None,
    })
}

/// The text of a transform, as wgpu_fft_plan_text takes it: `c2c fwd 480x640 x8`. It needs no
/// device. At most `size` bytes are written to `text`, with a zero byte at the end. `needed`
/// becomes the number of bytes that all of it needs. Both places may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_transform_text(
    transform: *const Transform,
    text: *mut c_char,
    size: usize,
    needed: *mut usize,
) -> Status {
    guarded("wgpu_fft_transform_text", || {
        // SAFETY: the caller gives a transform, and places of these sizes or NULL.
        unsafe {
            // As the crate prints it, which refuses what is none.
            let spec: AnySpec = Transform::given(transform)?.text()?.parse()?;
            write_text(&spec.to_string(), text, size, needed)
        }
    })
}
