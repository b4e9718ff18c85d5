//! The specification of a permutation: which axis of the input becomes which axis of the output.

use std::marker::PhantomData;

use super::core::{Core, last_two_swapped};
use super::recipe::Recipe;
use crate::dynamic::AnySpec;
use crate::element::{Element, ElementType};
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::fragment::{self, Checked, Fragment, Readable, Writable};
use crate::layout::Layout;
use crate::plan::{Placement, typed};
use crate::settings::settings;
use crate::shape::Shape;
use crate::text::parsed;

/// A permutation of the axes of one array or of a batch of arrays.
///
/// ```
/// use wgpu_fft::transpose::Permute;
///
/// // Interleaved channels become planes.
/// let planes = Permute::<u8>::new([480, 640, 3], [2, 0, 1]);
/// assert_eq!(planes.output_shape()?.to_string(), "3x480x640");
/// # Ok::<(), wgpu_fft::Error>(())
/// ```
///
/// # Definition
/// Y\[b, k₀, k₁, …\] = X\[b, j₀, j₁, …\], where kᵢ is the index j of axis `order[i]`. Axis i of the
/// output is axis `order[i]` of the input, as in NumPy's `transpose`.
/// [`transpose`](Self::transpose) swaps the last two axes: Y\[b, c, r\] = X\[b, r, c\].
///
/// The order of axes may be the same: `new([R, C], [0, 1])` with an input layout of a larger array
/// crops it, and with an output layout [`within`](Layout::within) a larger array it pads:
///
/// ```
/// use wgpu_fft::{Complex32, Layout, transpose::Permute};
///
/// // 480 x 640 into the corner of 512 x 1024. What is around it is not written: `Gpu::alloc` and
/// // `Plan::run` give zeros there.
/// let corner = Layout::strides([1024, 1]).within(512 * 1024);
/// let pad = Permute::<Complex32>::new([480, 640], [0, 1]).output_layout(corner);
/// let crop = Permute::<Complex32>::new([480, 640], [0, 1]).input_layout(corner);
/// # use wgpu_fft::{DeviceProfile, Spec};
/// # let profile = DeviceProfile::webgpu_defaults();
/// # for spec in [pad, crop] {
/// #     spec.lower(&spec.design(&profile)?, &profile)?;
/// # }
/// # Ok::<(), wgpu_fft::Error>(())
/// ```
///
/// # Shapes
/// | | `transpose([R, C])` | `new([P, R, C], [2, 0, 1])` |
/// |---|---|---|
/// | input | b × R × C | b × P × R × C |
/// | output | b × C × R | b × C × P × R |
///
/// Arrays have up to 4 axes of any extents from 1 on, which can be permuted in any order. Elements
/// have 1, 2, 4, 8 or 16 bytes. Arrays are dense, row-major and slowest axis first, unless a
/// [`Layout`] says otherwise: padded rows, parts of larger arrays, interleaved channels. Square
/// matrices and batches of them can be transposed [in place](Self::in_place).
///
/// With [`map_input`](Self::map_input) and [`map_output`](Self::map_output), a [`Fragment`] of WGSL
/// maps every element, also to another type. Then the input has elements of type `T`, the output
/// elements of type `O`, and elements may be of any [`Readable`] type, if the output's is
/// [`Writable`]. In place, both types have the same WGSL value.
///
/// # Accuracy
/// Every element keeps its bits, NaNs and subnormal numbers included, unless a fragment changes it.
/// The gaps between the elements of an output keep their bits too.
///
/// # Determinism
/// The result is always the same. A fragment may round differently on another device.
///
/// # Cost
/// A fragment costs no pass. Elements are then moved one by one, which is slower than the wide
/// accesses of a plain permutation, above all on processors.
///
/// One dispatch that reads and writes each element once; several dispatches if an array is larger
/// than one binding. No workspace. Elements of 1 and 2 bytes are packed in words of 4 bytes. If
/// rows of the output begin or end within a word, that word is written with atomic operations.
///
/// # Errors
/// Planning returns:
/// - [`Error::Empty`] for an empty array;
/// - [`Error::Unsupported`] if the order is not a permutation of the axes, if elements of an output
///   layout might overlap, if the permutation cannot be done in place, if elements have another
///   size, or if those of the output of a fragment share words with others;
/// - [`Error::LimitExceeded`] for 2³² or more elements, or if the device cannot bind an array even
///   in parts, which arrays of fragments never are;
/// - [`Error::UnfitRecipe`] for a recipe given by hand that does not fit.
///
/// For errors when running, see [`Plan`](crate::Plan).
///
/// # Sources
/// G. Ruetsch and P. Micikevicius, Optimizing Matrix Transpose in CUDA, NVIDIA 2009.
#[must_use]
pub struct Permute<T, O = T> {
    pub(super) core: Core,
    pub(super) element: PhantomData<fn(T) -> O>,
}

typed!(Permute<T: Element, O: Element> { core }, T => O, Recipe);

impl<T: Element> Permute<T> {
    /// The permutation that makes axis `order[i]` of the input axis i of the output.
    pub fn new(shape: impl Into<Shape>, order: impl AsRef<[usize]>) -> Self {
        let core = Core::new(T::NAME, size_of::<T>(), shape.into(), order.as_ref().to_vec());
        Self { core, element: PhantomData }
    }

    /// The transpose of a matrix of `[rows, columns]`. With more axes, the transpose of all
    /// matrices of the last two axes.
    pub fn transpose(shape: impl Into<Shape>) -> Self {
        let shape = shape.into();
        Self::new(shape, last_two_swapped(shape.rank()))
    }
}

impl<T: Element, O: Element> Permute<T, O> {
    settings! { own:
        /// Permutes `count` arrays. They follow one another unless a layout says otherwise.
        batch(count: usize) => own.core.batch = count;

        /// Sets where the input's elements are. The default is dense.
        input_layout(layout: Layout) => own.core.input = Some(layout);

        /// Sets where the output's elements are, with a stride for each axis of the output. The
        /// default is dense. The gaps between elements are not written.
        output_layout(layout: Layout) => own.core.output = Some(layout);

        /// Overwrites the input with the output: use
        /// [`Plan::encode_in_place`](crate::Plan::encode_in_place). If layouts are given, both must
        /// be the same. The permutation must swap two axes of equal extents, and one of them must
        /// be contiguous.
        in_place() => own.core.placement = Placement::InPlace;
    }

    /// The shape of the output.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the order is not a permutation of the axes, or if there are not 1
    /// to 4 of them.
    pub fn output_shape(&self) -> Result<Shape> {
        self.core.output_shape()
    }

    /// The permutation that undoes this one, with layouts exchanged. It is also the adjoint, as
    /// [`C2c::adjoint`](crate::fft::C2c::adjoint) defines it.
    ///
    /// # Errors
    /// Those of [`output_shape`](Self::output_shape); [`Error::Unsupported`] for permutations with
    /// fragments.
    pub fn adjoint(&self) -> Result<Permute<O, T>> {
        Ok(Permute { core: self.core.adjoint()?, element: PhantomData })
    }

    /// Applies a fragment of WGSL to every element that is loaded, in the same pass. The input
    /// array has elements of type `I` then. The fragment sees an element's indices in that array,
    /// and its result is the element that is moved: the WGSL value of `T`.
    ///
    /// ```
    /// use wgpu_fft::{Fragment, transpose::Permute};
    ///
    /// // Interleaved bytes become planes of numbers from 0 to 1.
    /// let planes = Permute::<f32>::new([480, 640, 3], [2, 0, 1]);
    /// let planes = planes.map_input::<u8>(Fragment::new("f32(value) / 255.0"))?;
    /// # Ok::<(), wgpu_fft::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Parse`] with the line and the column, if the fragment is not valid;
    /// [`Error::LimitExceeded`] if it is too long; [`Error::Unsupported`] for a name or a uniform
    /// that does not fit.
    pub fn map_input<I: Readable>(self, fragment: Fragment) -> Result<Permute<I, O>>
    where
        T: Readable,
    {
        let core = self.core.mapped(0, fragment, (I::FORM, I::NAME), T::FORM)?;
        Ok(Permute { core, element: PhantomData })
    }

    /// Applies a fragment of WGSL to every element before it is stored, in the same pass. The
    /// output array has elements of type `U` then. The fragment sees an element's indices in that
    /// array: `i0` is the index on the output's first axis, and `n0` the length of that axis.
    ///
    /// # Errors
    /// The errors of [`map_input`](Self::map_input).
    pub fn map_output<U: Writable>(self, fragment: Fragment) -> Result<Permute<T, U>>
    where
        O: Readable,
    {
        let core = self.core.mapped(1, fragment, (U::FORM, U::NAME), O::FORM)?;
        Ok(Permute { core, element: PhantomData })
    }
}

parsed!(
    /// It has no fragments.
    Permute<T> where T: Element, |text| Ok(Self { core: Core::parse(text, T::NAME, size_of::<T>())?, element: PhantomData })
);

/// The permutation that a text prints, without the types of its elements.
pub(crate) fn any_spec(text: &str, element: ElementType) -> Result<AnySpec> {
    Ok(any_of(Core::parse(text, element.name(), element.bytes())?, element))
}

/// A permutation of such elements, apart from fragments.
fn any_of(core: Core, element: ElementType) -> AnySpec {
    let elements = [0, 1].map(|side| core.maps[side].as_ref().map_or(element, Checked::element_type));
    let own = core.clone();
    let map = move |side, fragment, array: ElementType| {
        let form = if side == 0 { fragment::readable(array)? } else { fragment::writable(array)? };
        Ok(any_of(own.clone().mapped(side, fragment, (form, array.name()), fragment::readable(element)?)?, element))
    };
    // The type says nothing: `elements` does.
    AnySpec::untyped(Permute::<u8> { core, element: PhantomData }, elements, map)
}
