//! What a plan reads: one array or two, on the device or on the host, and the arrays of its
//! fragments.

use std::marker::PhantomData;

use super::textures::Given;
use super::{FragmentArrays, TextureLevel};
use crate::element::Element;
use crate::fragment::Texel;
use crate::gpu::{DeviceBuffer, IntoView, View};

/// Inputs, and the arrays and uniforms that the plan's [`Fragment`](crate::Fragment)s declare. It
/// can stand wherever a plan takes an input:
///
/// ```no_run
/// use wgpu_fft::{Complex32, DeviceBuffer, FragmentArrays, Plan, With, fft::C2c};
///
/// # fn f(plan: &Plan<C2c>, x: &DeviceBuffer<Complex32>, y: &DeviceBuffer<Complex32>, host: &[Complex32], window: &DeviceBuffer<f32>) -> wgpu_fft::Result<()> {
/// let arrays = FragmentArrays::new().with("window", window);
/// let bound = plan.bind(With(x, &arrays), y)?;
/// let result = plan.run(With(host, &arrays))?.wait()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct With<'a, I>(pub I, pub &'a FragmentArrays<'a>);

/// The arrays that a plan reads on the device.
#[derive(Debug)]
pub struct Inputs<'a, T> {
    pub(super) given: Vec<Given<'a>>,
    pub(super) arrays: &'a FragmentArrays<'a>,
    element: PhantomData<T>,
}

impl<'a, T> FromIterator<View<'a, T>> for Inputs<'a, T> {
    fn from_iter<I: IntoIterator<Item = View<'a, T>>>(views: I) -> Self {
        Self { given: views.into_iter().map(|view| view.any().into()).collect(), arrays: FragmentArrays::NONE, element: PhantomData }
    }
}

/// What can be the input of a plan on the device: a [`View`] or a [`DeviceBuffer`] by reference, a
/// pair of them for operations on two arrays, or either of these [`With`] arrays for fragments. Of
/// a plan that reads [`Texel`]s it is a `&wgpu::Texture` or a [`TextureLevel`], or a pair of the
/// latter.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an array of `{T}` on the device",
    label = "expected a `View` or a `&DeviceBuffer` of `{T}`, or a pair of them",
    note = "of a `wgpu::Buffer`, pass the view `View::whole(&buffer)?` or `View::new(&buffer, offset_bytes, len)?`",
    note = "data on the host needs `Gpu::upload` first, or `Plan::run`; FFTs compute in f32, so f64 data must be converted"
)]
pub trait IntoInputs<'a, T> {
    /// The arrays.
    fn into_inputs(self) -> Inputs<'a, T>;
}

impl<'a, T> IntoInputs<'a, T> for View<'a, T> {
    fn into_inputs(self) -> Inputs<'a, T> {
        [self].into_iter().collect()
    }
}

impl<'a, T: Element> IntoInputs<'a, T> for &'a DeviceBuffer<T> {
    fn into_inputs(self) -> Inputs<'a, T> {
        self.view().into_inputs()
    }
}

impl<'a, T, A: IntoView<'a, T>, B: IntoView<'a, T>> IntoInputs<'a, T> for (A, B) {
    fn into_inputs(self) -> Inputs<'a, T> {
        [self.0.into_view(), self.1.into_view()].into_iter().collect()
    }
}

impl<'a, T> IntoInputs<'a, T> for Vec<View<'a, T>> {
    fn into_inputs(self) -> Inputs<'a, T> {
        self.into_iter().collect()
    }
}

impl<'a> IntoInputs<'a, Texel> for TextureLevel<'a> {
    fn into_inputs(self) -> Inputs<'a, Texel> {
        Inputs { given: vec![self.into()], arrays: FragmentArrays::NONE, element: PhantomData }
    }
}

impl<'a> IntoInputs<'a, Texel> for &'a wgpu::Texture {
    fn into_inputs(self) -> Inputs<'a, Texel> {
        TextureLevel::of(self).into_inputs()
    }
}

impl<'a> IntoInputs<'a, Texel> for (TextureLevel<'a>, TextureLevel<'a>) {
    fn into_inputs(self) -> Inputs<'a, Texel> {
        Inputs { given: vec![self.0.into(), self.1.into()], arrays: FragmentArrays::NONE, element: PhantomData }
    }
}

impl<'a, T> IntoInputs<'a, T> for Inputs<'a, T> {
    fn into_inputs(self) -> Self {
        self
    }
}

impl<'a, T, I: IntoInputs<'a, T>> IntoInputs<'a, T> for With<'a, I> {
    fn into_inputs(self) -> Inputs<'a, T> {
        Inputs { arrays: self.1, ..self.0.into_inputs() }
    }
}

/// The arrays that a plan reads on the host, as bytes.
#[derive(Debug)]
pub struct HostInputs<'a, T> {
    pub(super) bytes: Vec<&'a [u8]>,
    pub(super) arrays: &'a FragmentArrays<'a>,
    element: PhantomData<T>,
}

/// What can be the input of a plan on the host: a slice, a vector or an array by reference, a pair
/// of them for operations on two arrays, or either of these [`With`] arrays for fragments. Types of
/// yours cannot implement it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an array of `{T}` on the host",
    label = "expected a slice of `{T}`, or a pair of slices",
    note = "arrays on the device are the input of `Plan::bind` and `Plan::encode`; FFTs compute in f32, so f64 data must be converted"
)]
pub trait IntoHostInputs<'a, T> {
    #[doc(hidden)]
    fn into_host_inputs(self) -> HostInputs<'a, T>;
}

fn host<'a, T: Element>(arrays: &[&'a [T]]) -> HostInputs<'a, T> {
    HostInputs {
        bytes: arrays.iter().map(|&array| bytemuck::cast_slice(array)).collect(),
        arrays: FragmentArrays::NONE,
        element: PhantomData,
    }
}

impl<'a, T: Element, A: AsRef<[T]> + ?Sized> IntoHostInputs<'a, T> for &'a A {
    fn into_host_inputs(self) -> HostInputs<'a, T> {
        host(&[self.as_ref()])
    }
}

impl<'a, T: Element, A: AsRef<[T]> + ?Sized, B: AsRef<[T]> + ?Sized> IntoHostInputs<'a, T> for (&'a A, &'a B) {
    fn into_host_inputs(self) -> HostInputs<'a, T> {
        host(&[self.0.as_ref(), self.1.as_ref()])
    }
}

impl<'a, T, I: IntoHostInputs<'a, T>> IntoHostInputs<'a, T> for With<'a, I> {
    fn into_host_inputs(self) -> HostInputs<'a, T> {
        HostInputs { arrays: self.1, ..self.0.into_host_inputs() }
    }
}
