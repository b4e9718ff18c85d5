//! The specification of a permutation: which axis of the input becomes which axis of the output.

use std::fmt;
use std::marker::PhantomData;

use super::fit::OnDevice;
use super::mapped::Mapped;
use super::strides::Problem;
use super::{Recipe, design};
use crate::dynamic::AnySpec;
use crate::element::{Element, ElementType};
use crate::error::{Error, Result};
use crate::fragment::{self, Checked, Form, Fragment, Maps, Readable, Side, TEXELS_ELSEWHERE, Texel, Writable};
use crate::gpu::DeviceProfile;
use crate::kernels::Slot;
use crate::kernels::transpose::Matrices;
use crate::layout::{Layout, Placed};
use crate::plan::{Array, Computation, Placement, Program, typed};
use crate::settings::settings;
use crate::shape::{Batched, Shape};
use crate::strides::IoDim;
use crate::text::{Text, join, parsed};

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

/// A permutation of elements of some type. What it does is compiled once, not for every type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Core {
    /// The elements that are moved, between the fragments.
    name: &'static str,
    pub bytes: usize,
    pub shape: Shape,
    pub order: Vec<usize>,
    pub batch: usize,
    input: Option<Layout>,
    pub output: Option<Layout>,
    placement: Placement,
    /// How kernels read and write those elements, if there is a fragment.
    form: Option<Form>,
    /// What fragments of the caller's do to the elements of the input, and to those of the output.
    pub maps: [Option<Checked>; 2],
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

impl Core {
    fn new(name: &'static str, bytes: usize, shape: Shape, order: Vec<usize>) -> Self {
        Self {
            name,
            bytes,
            shape,
            order,
            batch: 1,
            input: None,
            output: None,
            placement: Placement::OutOfPlace,
            form: None,
            maps: [None, None],
        }
    }

    fn adjoint(&self) -> Result<Self> {
        Maps(&self.maps).check_linear(self)?;
        let shape = self.output_shape()?;
        let mut order = vec![0; self.order.len()];
        self.order.iter().enumerate().for_each(|(to, &from)| order[from] = to);
        Ok(Self { shape, order, input: self.output, output: self.input, ..self.clone() })
    }

    /// Adds a fragment between an array of such elements and those that are moved. Without a
    /// fragment on this side, the latter are `own`.
    fn mapped(mut self, side: usize, fragment: Fragment, (array, element): (Form, &'static str), own: Form) -> Result<Self> {
        let inner = *self.form.get_or_insert(own);
        let place = Side::of(side, self.shape.rank(), array, inner);
        self.maps[side] = Some(Checked::new(fragment, element, place)?);
        Ok(self)
    }

    /// Bytes of an element of the input, and of one of the output.
    fn element_bytes(&self) -> [usize; 2] {
        [0, 1].map(|side| self.maps[side].as_ref().map_or(self.bytes, |map| map.array.bytes() as usize))
    }

    /// Bytes of the arrays.
    pub(super) fn array_bytes(&self, places: &Places) -> [u64; 2] {
        let bytes = self.element_bytes();
        [(&places.input, bytes[0]), (&places.output, bytes[1])].map(|(placed, bytes)| crate::gpu::in_units((placed.span * bytes) as u64))
    }

    /// How kernels read the input and write the output, if there are fragments.
    pub(super) fn forms(&self) -> Option<[Form; 2]> {
        let form = self.form?;
        Some([0, 1].map(|side| self.maps[side].as_ref().map_or(form, |map| map.array)))
    }

    pub(super) fn is_mapped(&self) -> bool {
        self.form.is_some()
    }

    pub(super) fn output_name(&self) -> &'static str {
        self.maps[1].as_ref().map_or(self.name, |map| map.element)
    }

    pub(super) fn is_in_place(&self) -> bool {
        self.placement == Placement::InPlace
    }

    pub(super) fn output_shape(&self) -> Result<Shape> {
        self.shape.check()?;
        let rank = self.shape.rank();
        let unsupported = |why: String| Error::Unsupported { what: format!("the order of axes of `{self}`"), why };
        if self.order.len() != rank {
            return Err(unsupported(format!("it has {} axes, but the shape has {rank}", self.order.len())));
        }
        if let Some(axis) = self.order.iter().find(|&&axis| axis >= rank) {
            return Err(unsupported(format!("axis {axis} does not exist: the axes are 0 to {}", rank - 1)));
        }
        if let Some(axis) = (0..rank).find(|axis| !self.order.contains(axis)) {
            return Err(unsupported(format!("axis {axis} is missing, and another is given twice")));
        }
        let extents: Vec<usize> = self.order.iter().map(|&axis| self.shape.extents()[axis]).collect();
        Ok(Shape::from(extents))
    }

    /// The extents of the input and the order of its axes, each with the batch first. `None` unless
    /// input and output are two dense arrays of the same elements.
    pub(super) fn dense_axes(&self) -> Result<Option<(Vec<usize>, Vec<usize>)>> {
        self.output_shape()?;
        let dense = self.input.is_none() && self.output.is_none() && !self.is_in_place() && self.form.is_none();
        let extents = std::iter::once(self.batch).chain(self.shape.extents().iter().copied());
        let order = std::iter::once(0).chain(self.order.iter().map(|axis| axis + 1));
        Ok(dense.then(|| (extents.collect(), order.collect())))
    }

    /// The same permutation with another extent of one axis, numbered as in
    /// [`dense_axes`](Self::dense_axes).
    pub(super) fn with_extent(&self, axis: usize, extent: usize) -> Self {
        match axis {
            0 => Self { batch: extent, ..self.clone() },
            _ => Self { shape: self.shape.with(axis - 1, extent), ..self.clone() },
        }
    }

    fn unsupported(&self, what: &str, why: &str) -> Error {
        Error::Unsupported { what: format!("{what} (`{self}`)"), why: why.to_owned() }
    }

    /// Where the elements of input and output are.
    fn places(&self) -> Result<Places> {
        // Of its own type: buffers have no texels.
        if (self.name, self.bytes) == (Texel::NAME, size_of::<Texel>()) {
            return Err(self.unsupported("a permutation of texels", TEXELS_ELSEWHERE));
        }
        self.shape.elements("permutation", self.batch)?;
        let output_shape = self.output_shape()?;
        let input = self.input.unwrap_or(Layout::dense(self.shape)).placed("input", self.shape, self.batch)?;
        let output = self.output.unwrap_or(Layout::dense(output_shape)).placed("output", output_shape, self.batch)?;
        if !output.distinct {
            return Err(self.unsupported(
                "an output layout",
                "its elements might overlap: each stride must be larger than the reach of all smaller strides together",
            ));
        }
        let axis =
            |extent: usize, from: usize, to: usize| IoDim { extent: extent as u32, strides: [input.strides[from], output.strides[to]] };
        for (name, map, placed, shape) in [("input", &self.maps[0], &input, self.shape), ("output", &self.maps[1], &output, output_shape)] {
            if let Some(texels) = map.as_ref().and_then(|map| map.array.texels()) {
                texels.check(name, &extents_of(shape, self.batch), placed)?;
            }
        }
        let rank = self.shape.rank();
        let mut axes: Vec<IoDim> = (0..rank).map(|to| axis(output_shape.extents()[to], self.order[to], to)).collect();
        axes.push(axis(self.batch, rank, rank));
        if self.is_in_place() && self.input != self.output {
            return Err(self.unsupported("two layouts in place", "input and output are the same array, so their layouts must be equal"));
        }
        Ok(Places { input, output, axes })
    }

    pub(super) fn geometry(&self) -> Result<Geometry> {
        let places = self.places()?;
        if let Some(form) = self.form {
            return Ok(Geometry { task: Task::Mapped(Box::new(Mapped::new(self, form, &places)?)), places });
        }
        let bytes = self.bytes;
        if !matches!(bytes, 1 | 2 | 4 | 8 | 16) {
            let what = format!("a permutation of elements of {bytes} bytes ({})", self.name);
            return Err(Error::Unsupported { what, why: "elements must have 1, 2, 4, 8 or 16 bytes".to_owned() });
        }
        let in_place = self.is_in_place();
        let Places { input, output, axes } = &places;
        let problem = Problem::new(bytes as u32, axes.iter().copied(), [input.offset, output.offset], in_place);
        if in_place && !problem.is_square() {
            return Err(self.unsupported(
                "this permutation in place",
                "only square matrices can be transposed in place: the permutation must swap two axes of equal extents, one of them contiguous",
            ));
        }
        let rank = self.shape.rank();
        let dense = self.input.is_none() && self.output.is_none() && !in_place && rank >= 2 && self.order == last_two_swapped(rank);
        let matrices = dense.then(|| {
            let extents = self.shape.extents();
            let leading: usize = extents[..rank - 2].iter().product();
            let batch = (leading * self.batch) as u32;
            (Matrices { rows: extents[rank - 2] as u32, columns: extents[rank - 1] as u32, batch }, bytes as u32)
        });
        Ok(Geometry { task: Task::Plain(problem, matrices), places })
    }

    /// A permutation without fragments on a device.
    pub(super) fn on_device<'a>(
        &self,
        places: &Places,
        problem: &'a Problem,
        matrices: Option<(Matrices, u32)>,
        profile: &'a DeviceProfile,
    ) -> OnDevice<'a> {
        let (label, slots, bytes) = (self.to_string(), [Slot::Input(0), Slot::Output], self.array_bytes(places));
        OnDevice { problem, matrices, label, slots, bytes, profile }
    }
}

fn extents_of(shape: Shape, batch: usize) -> Vec<u32> {
    shape.extents().iter().chain([&batch]).map(|&extent| extent as u32).collect()
}

/// 0, 1, …, with the last two swapped.
fn last_two_swapped(rank: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rank).collect();
    if let [.., a, b] = &mut order[..] {
        std::mem::swap(a, b);
    }
    order
}

/// A specification that has passed the checks.
pub(super) struct Geometry {
    pub places: Places,
    pub task: Task,
}

/// Where elements are.
pub(super) struct Places {
    pub input: Placed,
    pub output: Placed,
    /// The axes of the output, followed by the batch.
    pub axes: Vec<IoDim>,
}

/// What is to be done.
pub(super) enum Task {
    /// Bits are moved; with the dense matrices and the bytes of their elements, if they are such.
    Plain(Problem, Option<(Matrices, u32)>),
    /// Fragments map the elements.
    Mapped(Box<Mapped>),
}

impl Computation for Core {
    type Recipe = Recipe;

    fn design(&self, profile: &DeviceProfile) -> Result<Recipe> {
        let geometry = self.geometry()?;
        Ok(match &geometry.task {
            Task::Plain(problem, matrices) => design::design(&self.on_device(&geometry.places, problem, *matrices, profile)),
            Task::Mapped(mapped) => mapped.design(profile),
        })
    }

    fn lower(&self, recipe: &Recipe, profile: &DeviceProfile) -> Result<Program> {
        let geometry = self.geometry()?;
        let Places { input, output, .. } = &geometry.places;
        let [input_bytes, output_bytes] = self.element_bytes();
        let input = Array { len: input.span, element_bytes: input_bytes };
        let output = Array { len: output.span, element_bytes: output_bytes };
        let program = Program::new(self.to_string(), self.placement, vec![input], output);
        let mut program = program.checked_with_textures(Maps(&self.maps).textures(), profile)?;
        match &geometry.task {
            Task::Plain(problem, matrices) => {
                program.dispatches = recipe.dispatches(&self.on_device(&geometry.places, problem, *matrices, profile))?;
            }
            Task::Mapped(mapped) => mapped.lower(recipe, profile, &mut program)?,
        }
        Ok(program)
    }
}

/// `transpose f32 1080x1920 x4`, or `permute f32 30x40x50 order=2,0,1 in=2000,50,1 out=1200,40,1
/// in-place`, with only what is not the default.
impl fmt::Display for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let transpose = self.shape.rank() >= 2 && self.order == last_two_swapped(self.shape.rank());
        let word = if transpose { "transpose" } else { "permute" };
        write!(f, "{word} {} {}", self.name, Batched(self.shape, self.batch))?;
        if !transpose {
            write!(f, " order={}", join(&self.order, ","))?;
        }
        for (name, layout) in [("in", self.input), ("out", self.output)] {
            if let Some(layout) = layout {
                write!(f, " {name}={layout}")?;
            }
        }
        f.write_str(if self.is_in_place() { " in-place" } else { "" })?;
        Maps(&self.maps).fmt(f)
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

impl Core {
    fn parse(text: &str, name: &'static str, bytes: usize) -> Result<Self> {
        let whole = text;
        let text = Text::new("specification", whole);
        let mut words = text.words(whole);
        let kind = words.any().unwrap_or_default();
        if !matches!(kind, "transpose" | "permute") {
            return Err(text.wrong(whole, "it must begin with transpose or permute"));
        }
        words.skip(name)?;
        let shape = Shape::parse(text, words.one("a shape")?)?;
        let mut fields = words.fields();
        let order = match (kind, fields.value("order")) {
            ("permute", Some(order)) => text.numbers(order, ',')?,
            ("permute", None) => return Err(text.wrong(whole, "a permutation needs an order (order=2,0,1)")),
            (_, None) => last_two_swapped(shape.rank()),
            (_, Some(order)) => return Err(text.wrong(order, "only `permute` has an order")),
        };
        let mut layout = |name| fields.value(name).map(|layout| Layout::parse(text, layout)).transpose();
        let (input, output) = (layout("in")?, layout("out")?);
        let batch = fields.after("x").map_or(Ok(1), |count| text.number(count))?;
        let placement = if fields.flag("in-place") { Placement::InPlace } else { Placement::OutOfPlace };
        fields.done("a batch (x4), a layout (in=1024,1 out=1024,1) or in-place, each at most once")?;
        Ok(Self { batch, input, output, placement, ..Self::new(name, bytes, shape, order) })
    }
}
