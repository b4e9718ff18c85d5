//! The specification of a cyclic shift.

use std::fmt;
use std::marker::PhantomData;

use super::problem::Problem;
use super::recipe::Recipe;
use crate::dynamic::AnySpec;
use crate::element::{Element, ElementType};
use crate::error::{Error, Result};
use crate::plan::{Sealed, typed};
use crate::settings::settings;
use crate::shape::{Axes, Batched, Shape};
use crate::signal::parse::{batch_of, shape_after};
use crate::text::{Field, join, parsed};
use crate::verify::sample::{count, index, spread};
use crate::verify::{Known, Sample};

/// A cyclic shift of the axes of one array or of a batch of arrays: NumPy's `roll`, `fftshift` and
/// `ifftshift`.
///
/// ```
/// use wgpu_fft::{Complex32, Planner, fft::C2c, signal::Roll};
///
/// # fn centre(planner: &Planner, image: &[Complex32]) -> wgpu_fft::Result<Vec<Complex32>> {
/// // The spectrum of an image with the zero frequency in the middle.
/// let (transform, shift) = (planner.plan(C2c::forward([480, 640]))?, planner.plan(Roll::fftshift([480, 640]))?);
/// shift.run(&transform.run(image)?.wait()?)?.wait()
/// # }
/// ```
///
/// # Definition
/// Y\[b, k₀, k₁, …\] = X\[b, (k₀ − s₀) mod n₀, (k₁ − s₁) mod n₁, …\], for shifts sᵢ and extents nᵢ:
/// what was at index j is at index j + s. [`fftshift`](Self::fftshift) has s = ⌊n/2⌋, which brings
/// index 0 to index ⌊n/2⌋, and [`ifftshift`](Self::ifftshift) has s = −⌊n/2⌋, which undoes it. For
/// even n they are the same.
///
/// # Shapes
/// Input and output have the same shape: up to 4 axes of any extents from 1 on, and a batch that is
/// not shifted. Arrays are dense, row-major and slowest axis first. Elements have 1 or 2 bytes, or
/// any multiple of 4. Input and output are different arrays.
///
/// # Accuracy
/// Every element keeps its bits, NaNs and subnormal numbers included.
///
/// # Determinism
/// The result is always the same.
///
/// # Cost
/// One dispatch that reads and writes each element once; several dispatches if an array is larger
/// than one binding. No workspace. Accesses have 16 bytes if the extent and the shift of the
/// fastest shifted axis are multiples of 16 bytes, else fewer. Axes that are not shifted cost
/// nothing. Elements of 1 or 2 bytes whose rows are no whole words are slow on software adapters.
///
/// To centre the spectrum of an array of even extents, you can instead multiply the array by
/// (−1)^(j₀ + j₁ + …) before the transform, where a kernel of yours touches it anyway.
///
/// # Errors
/// Planning returns:
/// - [`Error::Empty`] for an empty array;
/// - [`Error::Unsupported`] if there are not as many shifts as axes, if [`axes`](Self::axes) names
///   one that does not exist or twice the same, or if elements have another size;
/// - [`Error::LimitExceeded`] for 2³² or more elements, or if the device cannot bind an array even
///   in parts;
/// - [`Error::UnfitRecipe`] for a recipe given by hand that does not fit.
///
/// For errors when running, see [`Plan`](crate::Plan).
///
/// # Sources
/// The definitions of NumPy's `roll`, `fft.fftshift` and `fft.ifftshift`.
#[must_use]
pub struct Roll<T> {
    pub(super) core: Core,
    element: PhantomData<T>,
}

/// A shift of elements of some type. What it does is compiled once, not for every type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Core {
    name: &'static str,
    pub bytes: usize,
    pub shape: Shape,
    pub batch: usize,
    /// One for each axis. Of axes that there are, at least 0 and less than the extent.
    pub shifts: Vec<isize>,
    /// Axes to which the shifts were restricted and that the shape does not have, which planning
    /// refuses. A restriction to axes that there are makes other shifts 0.
    wrong_axes: Option<Vec<usize>>,
}

typed!(Roll<T: Element> { core }, T => T, Recipe);

impl<T: Element> Roll<T> {
    /// The shift by `shifts[i]` elements along axis i. Negative shifts go towards index 0.
    pub fn new(shape: impl Into<Shape>, shifts: impl AsRef<[isize]>) -> Self {
        let core = Core::new(T::NAME, size_of::<T>(), shape.into(), shifts.as_ref());
        Self { core, element: PhantomData }
    }

    /// Brings index 0 of every axis to the middle, to index ⌊n/2⌋.
    pub fn fftshift(shape: impl Into<Shape>) -> Self {
        let shape = shape.into();
        Self::new(shape, halves(shape))
    }

    /// Brings index ⌊n/2⌋ of every axis to index 0, which undoes [`fftshift`](Self::fftshift).
    pub fn ifftshift(shape: impl Into<Shape>) -> Self {
        let shape = shape.into();
        Self::new(shape, halves(shape).iter().map(|half| -half).collect::<Vec<_>>())
    }

    settings! { own:
        /// Shifts only these axes, counted from the slowest, in any order. The shifts of the others
        /// become 0.
        axes(axes: impl Into<Axes>) => own.core.restrict(axes.into().as_ref());

        /// Shifts `count` arrays that follow one another, each in itself.
        batch(count: usize) => own.core.batch = count;
    }

    /// The shift that undoes this one. It is also the adjoint, as
    /// [`C2c::adjoint`](crate::fft::C2c::adjoint) defines it.
    pub fn adjoint(&self) -> Self {
        let Core { name, bytes, shape, shifts, .. } = &self.core;
        let back: Vec<isize> = shifts.iter().map(|shift| -shift).collect();
        let core = Core { shifts: Core::new(name, *bytes, *shape, &back).shifts, ..self.core.clone() };
        Self { core, element: PhantomData }
    }
}

#[cfg(feature = "ndarray")]
impl<T: Element> crate::plan::Shaped for Roll<T> {
    fn arrays(&self) -> Result<[crate::plan::Arrangement; 2]> {
        self.core.problem()?;
        let array = crate::plan::Arrangement::dense(self.core.shape.extents(), self.core.batch);
        Ok([array.clone(), array])
    }
}

fn halves(shape: Shape) -> Vec<isize> {
    shape.extents().iter().map(|&extent| (extent / 2) as isize).collect()
}

/// The shift that a text prints, without the type of its elements.
pub(crate) fn any_roll(text: &str, element: ElementType) -> Result<AnySpec> {
    let core = Core::parse(text, element.name(), element.bytes())?;
    let refused =
        move |_, _, _| Err(Error::Unsupported { what: "a fragment in a shift".to_owned(), why: "it moves bits as they are".to_owned() });
    // The type says nothing.
    Ok(AnySpec::untyped(Roll::<u8> { core, element: PhantomData }, [element; 2], refused))
}

impl Core {
    fn new(name: &'static str, bytes: usize, shape: Shape, shifts: &[isize]) -> Self {
        let mut shifts = shifts.to_vec();
        for (shift, &extent) in shifts.iter_mut().zip(shape.extents()) {
            // An empty array is refused when it is planned.
            *shift = (*shift as i128).rem_euclid(extent.max(1) as i128) as isize;
        }
        Self { name, bytes, shape, batch: 1, shifts, wrong_axes: None }
    }

    fn restrict(&mut self, axes: &[usize]) {
        let canonical = self.shape.canonical_axes(axes);
        match self.shape.axes(canonical.as_deref()) {
            Ok(axes) => {
                let others = self.shifts.iter_mut().enumerate().filter(|(axis, _)| !axes.contains(axis));
                others.for_each(|(_, shift)| *shift = 0);
            }
            Err(_) => self.wrong_axes = canonical,
        }
    }

    pub(super) fn problem(&self) -> Result<Problem> {
        self.shape.elements("shift", self.batch)?;
        let unsupported = |why: String| Error::Unsupported { what: format!("`{self}`"), why };
        let rank = self.shape.rank();
        if self.shifts.len() != rank {
            return Err(unsupported(format!("it has {} shifts, but the shape has {rank} axes", self.shifts.len())));
        }
        if let Some(wrong) = &self.wrong_axes {
            self.shape.axes(Some(wrong)).map_err(unsupported)?;
        }
        let axes = self.shape.extents().iter().zip(&self.shifts).map(|(&extent, &shift)| (extent, shift as usize));
        let axes: Vec<(usize, usize)> = std::iter::once((self.batch, 0)).chain(axes).collect();
        Problem::new(self.bytes, &axes).map_err(|why| unsupported(format!("of elements of {} bytes: {why}", self.bytes)))
    }

    fn parse(whole: &str, name: &'static str, bytes: usize) -> Result<Self> {
        let (text, shape, words) = shape_after(&["roll", name], whole)?;
        let mut fields = words.fields();
        let shifts = fields.value("by").ok_or_else(|| text.wrong(whole, "a shift needs a number for each axis (by=256,256)"))?;
        let mut core = Self::new(name, bytes, shape, &text.numbers(shifts, ',')?);
        if let Some(axes) = fields.value("axes") {
            core.restrict(&text.numbers(axes, ',')?);
        }
        core.batch = batch_of(text, &mut fields)?;
        fields.done("a batch (x4) or axes (axes=0,2), each at most once")?;
        Ok(core)
    }
}

/// `roll complex f32 512x512 x4 by=256,256`.
impl fmt::Display for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "roll {} {} by={}", self.name, Batched(self.shape, self.batch), join(&self.shifts, ","))?;
        Field("axes", self.wrong_axes.as_ref().map(|axes| join(axes, ","))).fmt(f)
    }
}

parsed!(Roll<T> where T: Element, |text| Ok(Self { core: Core::parse(text, T::NAME, size_of::<T>())?, element: PhantomData }));

impl Sealed for Core {
    fn samples(&self, input: &[u32]) -> Vec<Sample> {
        if self.problem().is_err() {
            return Vec::new();
        }
        let (input, bytes, extents) = (bytemuck::cast_slice::<_, u8>(input), self.bytes, self.shape.extents());
        let each: usize = extents.iter().product();
        let sample = |i: usize| {
            let to = index(extents, i);
            let along = |(axis, &extent): (usize, &usize)| (to[axis] + extent - self.shifts[axis] as usize) % extent;
            let from = extents.iter().enumerate().map(along).zip(extents).fold(0, |place, (k, extent)| place * extent + k);
            let first = (to[extents.len()] * each + from) * bytes;
            Sample { byte: i * bytes, value: Known::Bytes(input.get(first..first + bytes).unwrap_or_default().to_vec()) }
        };
        spread(each * self.batch, count(1)).map(sample).collect()
    }
}
