//! The specifications of Fourier transforms.

use super::specification::{Adapt, specification};
use std::marker::PhantomData;
use std::ops::Range;

use num_complex::{Complex32, Complex64};

use crate::element::Element;
use crate::error::Result;
use crate::fft::recipe::Recipe;
use crate::fft::search::adapt;
use crate::fft::spec::elements::{ComplexElement, HalfNumbers, RealElement};
use crate::fft::spec::kind::{Direction, End, Kind, Scale};
use crate::fft::spec::number::Number;
use crate::fft::spec::real_kind::RealKind;
use crate::fft::spec::transform::Transform;
use crate::fragment::{Fragment, Readable, Writable};
use crate::gpu::DeviceProfile;
use crate::layout::Layout;
use crate::plan::Placement;
use crate::settings::settings;
use crate::shape::{Axes, Shape};
#[cfg(doc)]
use crate::{Error, Program};

/// Discrete Fourier transform from complex numbers to complex numbers, along one to three axes.
///
/// ```no_run
/// use wgpu_fft::{Complex32, Planner, fft::C2c};
///
/// # fn transform(planner: &Planner, image: &[Complex32]) -> wgpu_fft::Result<Vec<Complex32>> {
/// let plan = planner.plan(C2c::forward([512, 512]))?;
/// let spectrum = plan.run(image)?.wait()?;
/// # Ok(spectrum)
/// # }
/// ```
///
/// # Definition
/// Along one axis of length n, for each row of the batch: X\[k\] = s · Σⱼ x\[j\] · exp(∓2πi·jk/n),
/// with j, k = 0 … n-1. The sign is - for the forward and + for the inverse transform, and s is the
/// [`Scale`]. With several axes, this is applied along one after the other. Frequencies are in the
/// usual order: 0, 1, …, then the negative ones.
///
/// # Shapes
/// | shape | input | output | output, [`transposed`](Self::transposed) |
/// |---|---|---|---|
/// | `n`, batch b | b × n | b × n | – |
/// | `[R, C]`, batch b | b × R × C | b × R × C | b × C × R |
/// | `[P, R, C]`, batch b | b × P × R × C | b × P × R × C | b × C × R × P |
///
/// Arrays are dense and row-major, slowest axis first, unless [`Layout`]s say otherwise. Every
/// length from 1 on is supported. With [`axes`](Self::axes), the other axes behave like batches. An
/// out-of-place transform does not change its input. For an [in-place](Self::in_place) transform,
/// input and output layouts, if given, must be the same.
///
/// # Accuracy
/// The relative two-norm error is at most 1.5·u·√log₂n, where log₂n counts as at least 1, and u is
/// 2⁻²⁴, or 2⁻⁵³ [in f64](Self::f64). A length with a prime factor above 31 is computed as a
/// convolution of length m, 2n - 1 ≤ m < 3n (Bluestein); its error is at most 3·u·√log₂m. With
/// several axes, the squares of these bounds add up. Measured errors are at most 0.9·u·√log₂n,
/// 1.3·u·√log₂m, and 1.42 times the error of rustfft's f32 transform; in f64, 0.7 of the bounds.
/// Twiddle factors come from tables computed in f64, so the accuracy of an adapter's sine does not
/// matter. NaN and infinities propagate to the outputs that
/// depend on them.
///
/// # Determinism
/// Equal plans on one adapter give equal bits. Adapters differ in rounding where they fuse
/// multiplications and additions.
///
/// # Cost
/// A pass reads and writes the array once. An axis that fits a workgroup takes one pass; on common
/// GPUs that is a length up to 4096, and for rows up to 16,384 where a workgroup has 48 KiB of
/// memory. On GPUs all axes of a small picture or volume take one pass together, up to 4096
/// elements of 8 bytes, or 16,384 if there are many of them. A longer axis takes two or three
/// passes. A convolution takes one pass if m fits a workgroup. Otherwise it takes twice as many
/// passes as a transform of length m, and two workspaces of m/n times the array. Building its plan
/// computes a spectrum on the host, which takes a second for lengths in the millions; designing and
/// lowering do not compute it. A pass is one dispatch, or several if the array is larger than one
/// binding.
///
/// Plans whose axes take one pass each usually need no workspace. Other plans need one as large as
/// the array. You can print a [`Program`] to see its dispatches, and [`Program::workspace_bytes`]
/// tells the size of its workspaces before anything is allocated.
///
/// # Errors
/// Planning returns [`Error::Empty`]; [`Error::Unsupported`] for axes, layouts or factors that make
/// no sense; [`Error::LimitExceeded`] for 2³² or more elements, or if the device cannot hold or
/// bind an array, a workspace or a table of twiddle factors; [`Error::UnfitRecipe`] for a recipe
/// given by hand. For errors of running, see [`Plan`](crate::Plan).
///
/// # Sources
/// J. W. Cooley and J. W. Tukey, Math. Comp. 19 (1965) 297; C. Van Loan, Computational Frameworks
/// for the Fast Fourier Transform, SIAM 1992; D. H. Bailey, J. Supercomputing 4 (1990) 23; L. I.
/// Bluestein, IEEE Trans. Audio Electroacoust. 18 (1970) 451.
#[must_use]
pub struct C2c<I = Complex32, O = Complex32> {
    pub(in crate::fft) transform: Transform,
    element: PhantomData<fn(I) -> O>,
}

impl C2c {
    /// The forward transform, with exp(-2πi·…).
    pub fn forward(shape: impl Into<Shape>) -> Self {
        Self { transform: Transform::new(Kind::C2c(Direction::Forward), shape.into()), element: PhantomData }
    }

    /// The inverse transform, with exp(+2πi·…). With the default [`Scale::One`], it undoes
    /// [`forward`](Self::forward) up to a factor n.
    pub fn inverse(shape: impl Into<Shape>) -> Self {
        Self { transform: Transform::new(Kind::C2c(Direction::Inverse), shape.into()), element: PhantomData }
    }
}

impl<I, O> C2c<I, O> {
    settings! { own:
        /// Stores the output densely with its axes in reverse order. To get back, use an inverse
        /// transform of the reversed shape that is transposed as well. For other orders of the
        /// axes, set [`output_layout`](Self::output_layout).
        transposed() => own.transform.transposed = true;
    }
}

specification!(
    C2c,
    [ComplexElement, ComplexElement, ComplexElement],
    [Complex64, Complex64],
    [Kind::C2c(Direction::Forward), Kind::C2c(Direction::Inverse)]
);

/// Discrete Fourier transform from real numbers to complex numbers, along one to three axes.
///
/// ```no_run
/// use wgpu_fft::{Complex32, Planner, fft::R2c};
///
/// # fn transform(planner: &Planner, image: &[f32]) -> wgpu_fft::Result<Vec<Complex32>> {
/// let plan = planner.plan(R2c::forward([480, 640]))?;
/// let half_spectrum = plan.run(image)?.wait()?; // 480 x 321 complex numbers
/// # Ok(half_spectrum)
/// # }
/// ```
///
/// # Definition
/// The result is that of [`C2c::forward`] for the same numbers with imaginary parts 0. Along the
/// last axis of length n only X\[0\] … X\[⌊n/2⌋\] are stored. The others are conjugates, X\[n-k\] =
/// conj X\[k\]; with several axes, the indices along the other axes are negated too.
///
/// # Shapes
/// | shape | input (real) | output (complex) |
/// |---|---|---|
/// | `n`, batch b | b × n | b × (⌊n/2⌋+1) |
/// | `[R, C]`, batch b | b × R × C | b × R × (⌊C/2⌋+1) |
/// | `[P, R, C]`, batch b | b × P × R × C | b × P × R × (⌊C/2⌋+1) |
///
/// Arrays are dense, without hidden padding, for even and odd lengths. Alternatively [`Layout`]s
/// describe them; these count reals in the input and complex numbers in the output. With
/// [`axes`](Self::axes), the last axis must be among them. An [in-place](Self::in_place) transform
/// works on the output array. Its rows of reals lie in that array at a pitch of 2·(⌊n/2⌋+1) reals,
/// as in FFTW and cuFFT, and the padding after a row's n reals is not read.
///
/// # Accuracy
/// The bounds of [`C2c`] hold for each array of the batch, and for each row along one axis: no NaN
/// and no rounding error of one reaches another, unless [`rows_may_mix`](Self::rows_may_mix) allows
/// it.
///
/// # Determinism
/// The same as for [`C2c`].
///
/// # Cost
/// An axis of reals that fits a workgroup takes one pass, which moves half the bytes of a complex
/// transform. Rows of even length are computed as complex rows of half the length, with half the
/// arithmetic of complex rows; if they take several passes, one more combines the halves. If the
/// length is odd, or rows do not begin at even indices, rows are computed as complex rows with
/// imaginary parts 0, with all of their arithmetic: [`rows_may_mix`](Self::rows_may_mix) halves it.
/// With several axes, two rows that another axis mixes in any case may be computed as one complex
/// row. The other axes have half as many columns.
///
/// # Errors, Sources
/// The same as for [`C2c`].
#[must_use]
pub struct R2c<I = f32, O = Complex32> {
    pub(in crate::fft) transform: Transform,
    element: PhantomData<fn(I) -> O>,
}

impl R2c {
    /// The forward transform, with exp(-2πi·…).
    pub fn forward(shape: impl Into<Shape>) -> Self {
        Self { transform: Transform::new(Kind::R2c, shape.into()), element: PhantomData }
    }
}

specification!(R2c, [RealElement, ComplexElement, ComplexElement], [f64, Complex64], [Kind::R2c]);

/// Discrete Fourier transform from complex numbers to real numbers, along one to three axes: the
/// inverse of [`R2c`].
///
/// ```no_run
/// use wgpu_fft::{Complex32, Planner, fft::{C2r, Scale}};
///
/// # fn transform(planner: &Planner, half_spectrum: &[Complex32]) -> wgpu_fft::Result<Vec<f32>> {
/// let plan = planner.plan(C2r::inverse([480, 640]).scale(Scale::InvLen))?;
/// let image = plan.run(half_spectrum)?.wait()?; // from 480 x 321 complex numbers
/// # Ok(image)
/// # }
/// ```
///
/// # Definition
/// The result is that of [`C2c::inverse`] for X\[0\] … X\[n-1\]. Only X\[k\] for k ≤ n/2 are given,
/// and X\[n-k\] = conj X\[k\]. The last axis is transformed last. There the imaginary parts of
/// X\[0\] and X\[n/2\], which would make the result complex, are taken as 0. With the default
/// [`Scale::One`], the transform undoes [`R2c::forward`] up to a factor n.
///
/// # Shapes
/// The shape is that of the reals, and input and output are those of [`R2c`] exchanged. An
/// out-of-place transform does not change its input. An in-place transform works on an array of
/// reals with rows at a pitch of 2·(⌊n/2⌋+1), and may overwrite the padding after a row's n reals.
///
/// # Accuracy, Determinism, Errors, Sources
/// The same as for [`R2c`].
///
/// # Cost
/// The same as for [`R2c`], except that only processors combine halves in an additional pass. An
/// out-of-place transform along two or three axes needs a workspace as large as the input.
#[must_use]
pub struct C2r<I = Complex32, O = f32> {
    pub(in crate::fft) transform: Transform,
    element: PhantomData<fn(I) -> O>,
}

impl C2r {
    /// The inverse transform, with exp(+2πi·…). `shape` is that of the reals.
    pub fn inverse(shape: impl Into<Shape>) -> Self {
        Self { transform: Transform::new(Kind::C2r, shape.into()), element: PhantomData }
    }
}

specification!(C2r, [ComplexElement, ComplexElement, RealElement], [Complex64, f64], [Kind::C2r]);

/// The method for rows of reals that may mix.
macro_rules! rows_of_reals {
    ($($name:ident = $text:literal),*) => { $(
        impl<I, O> $name<I, O> {
            settings! { own:
                /// Lets two rows of reals be transformed as the real and the imaginary part of one
                /// complex row, in one pass, also where no other axis mixes them. The text has the
                /// word `rows-may-mix`.
                ///
                #[doc = concat!("```\n# use wgpu_fft::{DeviceProfile, Spec, fft::", stringify!($name), "};")]
                #[doc = concat!("let rows: ", stringify!($name), " = \"", $text, " 65 x1000 rows-may-mix\".parse()?;")]
                /// let recipe = rows.design(&DeviceProfile::webgpu_defaults())?.to_string();
                /// assert!(recipe.starts_with("axis 0 pairs: "), "{recipe}");
                /// # Ok::<(), wgpu_fft::Error>(())
                /// ```
                ///
                /// # Accuracy
                /// The error of a row is relative to the larger of the two rows. A NaN or an infinity
                /// in one row reaches the other.
                ///
                /// # Cost
                /// Rows that are not computed as halves, above all those of odd length, take half the
                /// arithmetic. What is loaded and stored stays the same.
                rows_may_mix() => own.transform.rows_mix = true;
            }
        }
    )* };
}

rows_of_reals!(R2c = "r2c fwd", C2r = "c2r inv", R2r = "r2r dct2");

/// The methods for axes of a transform of complex numbers that are transformed from reals to reals.
macro_rules! mixed {
    ($($name:ident),*) => { $(
        impl<I, O> $name<I, O> {
            settings! { own:
                /// Transforms an axis from reals to reals, real and imaginary parts each by
                /// themselves, instead of by a Fourier transform: for example complex fields
                /// between two walls. In a real transform this cannot be the last axis.
                ///
                /// ```
                /// # use wgpu_fft::fft::{C2c, RealKind};
                /// let channel = C2c::forward([256, 256]).axis_kind(0, RealKind::DctI);
                /// assert_eq!(channel.to_string(), "c2c fwd 256x256 kinds=dct1,-");
                /// ```
                ///
                /// For the inverse transform, give the kind's [inverse](RealKind::inverse).
                /// Planning returns [`Error::Unsupported`] for such a transform with parts,
                /// fragments or numbers of 16 bits.
                axis_kind(axis: usize, kind: RealKind) => {
                    let kinds = &mut own.transform.kinds;
                    // Planning refuses an axis that the shape does not have.
                    kinds.resize(own.transform.shape.rank().max(axis + 1), None);
                    kinds[axis] = Some(kind)
                };
            }
        }
    )* };
}

mixed!(C2c, R2c, C2r);

/// Transforms from real numbers to real numbers, along one to three axes: discrete cosine and sine
/// transforms of types I to IV, Hartley's transform, and spectra in half-complex form.
///
/// ```no_run
/// use wgpu_fft::{Planner, fft::{R2r, RealKind}};
///
/// # fn transform(planner: &Planner, image: &[f32]) -> wgpu_fft::Result<Vec<f32>> {
/// // The cosine transform of JPEG, orthonormal, of blocks of 8 x 8.
/// let spec = R2r::new(RealKind::DctII, [8, 8]).batch(4096).orthonormal();
/// let plan = planner.plan(spec.clone())?;
/// let coefficients = plan.run(image)?.wait()?;
/// let back = planner.plan(spec.inverse())?.run(&coefficients)?.wait()?;
/// # Ok(back)
/// # }
/// ```
///
/// # Definition
/// [`RealKind`] defines each kind along one axis. With several axes, they are applied along one
/// after the other. All results have the factor s of the [`Scale`], in which n is the product of
/// the [logical lengths](RealKind::logical_length).
///
/// | SciPy | here |
/// |---|---|
/// | `dct(x, type=2)` | `R2r::new(RealKind::DctII, n)` |
/// | `idct(x, type=2)` | `R2r::new(RealKind::DctIII, n).scale(Scale::InvLen)` |
/// | `dct(x, type=2, norm="ortho")` | `R2r::new(RealKind::DctII, n).orthonormal()` |
/// | `dct(x, type=2, norm="forward")` | `R2r::new(RealKind::DctII, n).scale(Scale::InvLen)` |
/// | `dctn(x, axes=[0, 2])` | `R2r::new(RealKind::DctII, shape).axes([0, 2])` |
///
/// # Shapes
/// Input and output have the shape of the transform, b × n, b × R × C or b × P × R × C. Arrays are
/// dense unless [`Layout`]s say otherwise. Every length from 1 on is supported, for [`DctI`] from 2
/// on. [In place](Self::in_place), input and output are the same array.
///
/// # Accuracy
/// The relative two-norm error against f64 is at most 2·u·√log₂n, where u = 2⁻²⁴ and n is the
/// length of the Fourier transform that is used: the logical length for type I, else the length of
/// the axis. As for [`R2c`], rows stay apart unless they [may mix](Self::rows_may_mix).
///
/// # Cost
/// Each is a real Fourier transform, with one more step in its loads and in its stores. Types II
/// and III, Hartley's transform and half-complex spectra take the passes of [`R2c`] of the same
/// length, and type I those of its logical length. Type IV of an even length takes those of a
/// complex transform of half the length.
///
/// # Errors
/// Those of [`C2c`]; also [`Error::Unsupported`] for [`DctI`] of length 1, for several kinds that
/// are not one for each axis, and for parts.
///
/// # Sources
/// J. Makhoul, IEEE Trans. Acoust. Speech Signal Process. 28 (1980) 27; S. C. Chan and K. L. Ho,
/// IEEE Trans. Circuits Syst. II 39 (1992) 185; V. Britanak, P. C. Yip and K. R. Rao, Discrete
/// Cosine and Sine Transforms, Academic Press 2007; R. N. Bracewell, The Hartley Transform, Oxford
/// 1986.
///
/// [`DctI`]: RealKind::DctI
#[must_use]
pub struct R2r<I = f32, O = f32> {
    pub(in crate::fft) transform: Transform,
    element: PhantomData<fn(I) -> O>,
}

impl R2r {
    /// Transforms all axes by the same kind.
    pub fn new(kind: RealKind, shape: impl Into<Shape>) -> Self {
        let shape = shape.into();
        Self::by_axis(vec![kind; shape.rank()], shape)
    }

    /// Transforms each axis by a kind of its own, slowest axis first.
    ///
    /// ```
    /// # use wgpu_fft::fft::{R2r, RealKind};
    /// let walls = R2r::by_axis([RealKind::DstI, RealKind::Hartley], [255, 256]);
    /// assert_eq!(walls.to_string(), "r2r dst1,hartley 255x256");
    /// ```
    pub fn by_axis(kinds: impl IntoIterator<Item = RealKind>, shape: impl Into<Shape>) -> Self {
        let kinds = kinds.into_iter().map(Some).collect();
        Self { transform: Transform { kinds, ..Transform::new(Kind::R2r, shape.into()) }, element: PhantomData }
    }
}

impl<I, O> R2r<I, O> {
    settings! { own:
        /// Multiplies first or last elements by √2 before and by 1/√2 after the transform, where
        /// that makes the matrix of the transform a multiple of an orthogonal one. This is the
        /// argument `orthogonalize` of SciPy.
        orthogonalize() => own.transform.orthogonal = true;

        /// [`orthogonalize`](Self::orthogonalize) with [`Scale::InvSqrtLen`]: the matrix of the
        /// transform is orthogonal, and that of the inverse is its transpose. This is
        /// `norm="ortho"` of SciPy.
        orthonormal() => (own.transform.orthogonal, own.transform.scale, own.transform.factor) = (true, Scale::InvSqrtLen, None);

        /// The transform with the [inverse](RealKind::inverse) kinds, and everything else as it is.
        /// With scale 1 on one side and 1/n on the other, or 1/√n on both, the two undo one
        /// another.
        inverse() => own.transform.kinds.iter_mut().flatten().for_each(|kind| *kind = kind.inverse());
    }
}

specification!(R2r, [RealElement, RealElement, RealElement], [f64, f64], [Kind::R2r]);
