//! The arrays and uniforms of fragments, which the caller binds by name.

use super::Program;
use crate::element::{Element, ElementType};
use crate::error::{Error, Result};
use crate::fragment::Declared;
use crate::gpu::{AnyView, Gpu, IntoView, View};

/// Arrays and uniforms for the names that the [`Fragment`](crate::Fragment)s of a plan declare.
///
/// ```no_run
/// use wgpu_fft::{DeviceBuffer, Fragment, FragmentArrays, Planner, With, fft};
///
/// # fn filter(planner: &Planner, x: &DeviceBuffer<f32>, y: &DeviceBuffer<wgpu_fft::Complex32>) -> wgpu_fft::Result<()> {
/// let window = Fragment::new("value * window[i0]").array::<f32>("window", 1024);
/// let plan = planner.plan(fft::R2c::forward(1024).map_input::<f32>(window)?)?;
///
/// let gpu = planner.gpu();
/// let window = gpu.upload(&[0.5_f32; 1024])?;
/// let arrays = FragmentArrays::new().with("window", &window);
/// gpu.submit(|encoder| plan.bind(With(x, &arrays), y)?.encode(encoder))?;
/// # Ok(())
/// # }
/// ```
///
/// An array needs the usage `STORAGE`, a uniform the usage `UNIFORM`. An offset into a buffer must
/// be a multiple of the device's `min_storage_buffer_offset_alignment` or
/// `min_uniform_buffer_offset_alignment`. Names that a plan does not declare are refused, so that
/// no array is forgotten because of a misspelling.
#[derive(Clone, Default, Debug)]
pub struct FragmentArrays<'a> {
    named: Vec<Named<'a>>,
}

#[derive(Clone, Debug)]
struct Named<'a> {
    name: String,
    view: AnyView<'a>,
    element: &'static str,
    element_bytes: usize,
}

impl FragmentArrays<'static> {
    /// What most plans take.
    pub(crate) const NONE: &'static Self = &Self { named: Vec::new() };
}

impl<'a> FragmentArrays<'a> {
    /// No arrays.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an array for a name. Of two arrays for one name the last is taken.
    #[must_use]
    pub fn with<T: Element>(self, name: impl Into<String>, view: impl IntoView<'a, T>) -> Self {
        self.with_named(Named { name: name.into(), view: view.into_view().any(), element: T::NAME, element_bytes: size_of::<T>() })
    }

    fn with_named(mut self, own: Named<'a>) -> Self {
        self.named.retain(|named| named.name != own.name);
        self.named.push(own);
        self
    }

    /// Adds an array for a name, as [`with`](Self::with) does, of elements of a type that is known
    /// only when the program runs: a view of its bytes.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if the view ends within an element, and the errors of [`View::new`].
    pub fn with_bytes(self, name: impl Into<String>, element: ElementType, view: View<'a, u8>) -> Result<Self> {
        let (buffer, offset_bytes, element_bytes) = (view.buffer(), view.offset_bytes(), element.bytes());
        let len = view.len() / element_bytes;
        if len * element_bytes != view.len() {
            let buffer_bytes = offset_bytes + view.len() as u64;
            return Err(Error::OutOfRange { argument: "view", offset_bytes, len: len + 1, element_bytes, buffer_bytes });
        }
        let view = View::of_bytes(buffer, offset_bytes, len, element_bytes)?;
        Ok(self.with_named(Named { name: name.into(), view, element: element.name(), element_bytes }))
    }

    /// Buffers for all that a program declares, in its order.
    pub(crate) fn in_order(program: &Program, buffers: &'a [wgpu::Buffer]) -> Self {
        let named = program.declared.iter().zip(buffers).filter_map(|(declared, buffer)| {
            let (array, element) = (declared.array(), declared.element());
            let view = View::of_bytes(buffer, 0, array.len, array.element_bytes).ok()?;
            Some(Named { name: declared.name.to_string(), view, element, element_bytes: array.element_bytes })
        });
        Self { named: named.collect() }
    }

    /// The arrays that a program declares, in its order, after checking them.
    pub(super) fn of_program(&self, program: &Program, gpu: &Gpu, output: Option<&wgpu::Buffer>) -> Result<Vec<AnyView<'a>>> {
        let unknown = self.named.iter().find(|named| program.declared.iter().all(|declared| *declared.name != *named.name));
        let missing = program.declared.iter().find(|declared| self.named.iter().all(|named| *declared.name != *named.name));
        if unknown.is_some() || missing.is_some() {
            let names = |names: Vec<&str>| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            let expected = names(program.declared.iter().map(|declared| &*declared.name).collect());
            let actual = names(self.named.iter().map(|named| &*named.name).collect());
            return Err(Error::WrongArrays { spec: program.title.clone(), expected, actual });
        }
        let named = |declared: &Declared| self.named.iter().find(|named| *named.name == *declared.name).expect("none is missing");
        program.declared.iter().map(|declared| named(declared).checked(declared, gpu, output)).collect()
    }
}

impl<'a> Named<'a> {
    fn checked(&self, declared: &Declared, gpu: &Gpu, output: Option<&wgpu::Buffer>) -> Result<AnyView<'a>> {
        let Self { view, element, element_bytes, .. } = self;
        let check = || {
            let (array, argument, profile) = (declared.array(), "array", gpu.profile());
            let (usage, alignment) = if declared.is_uniform() {
                (wgpu::BufferUsages::UNIFORM, profile.uniform_alignment)
            } else {
                (wgpu::BufferUsages::STORAGE, profile.storage_alignment)
            };
            if !declared.is_uniform() && (*element != declared.element() || *element_bytes != array.element_bytes) {
                let why = format!("the fragment declares elements of {}", declared.element());
                return Err(Error::Unsupported { what: format!("an array of {element}"), why });
            }
            let bytes = view.elements() * element_bytes;
            if declared.is_uniform() && bytes < array.element_bytes {
                return Err(Error::WrongLen { argument: "bytes of a uniform", expected: array.element_bytes, actual: bytes });
            }
            let expected = if declared.is_uniform() { view.elements() } else { array.len };
            view.check_for(argument, expected, usage, alignment)?;
            let (buffer, _) = view.place();
            gpu.check_buffer(argument, buffer)?;
            if Some(buffer) == output {
                return Err(Error::Aliased { first: argument, second: "output" });
            }
            Ok(*view)
        };
        check().map_err(|source| Error::FragmentArray { name: self.name.clone(), source: Box::new(source) })
    }
}
