//! A Fourier transform, a fragment on its spectrum, and the inverse transform: filters and
//! convolutions.
//!
//! With several axes, the axes but the first are transformed, then the first one is transformed
//! there and back in one pass with the fragment in between, and then the other axes are transformed
//! back. The spectrum as a whole is never stored. If the first axis is too long for one pass, there
//! are two transforms, and the fragment is fused into the first load of the second one.
//!
//! Of reals, the fragment sees half of the spectrum, along one axis as well as along several.

use std::fmt;

use crate::error::{Error, Result};
use crate::fft::recipe::Recipe;
use crate::fft::spec::kind::{Direction, End, Kind};
use crate::fft::spec::transform::Transform;
use crate::fft::spec::window::Windowed;
use crate::fft::{choose, lower};
use crate::fragment::{Checked, Form, Fragment, Side};
use crate::gpu::DeviceProfile;
use crate::kernels::Slot;
use crate::layout::Layout;
use crate::plan::{Array, Placement, Program};
use crate::text::parsed;

/// What to compute.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Filter {
    pub real: bool,
    /// The axes to transform, in ascending order. The others behave like batches. Of reals, the
    /// last axis is among them.
    pub axes: Vec<usize>,
    /// What input and output have of each axis, with the length of its transform.
    pub frames: [Vec<Windowed>; 2],
    pub batch: usize,
    pub layouts: [Option<Layout>; 2],
    pub maps: [Option<Checked>; 2],
    pub fragment: Checked,
}

/// How to compute it.
///
/// The text form is `forward axis 1: ... / middle axis 0: ... / back axis 1: ...`. A filter along
/// one axis has only a middle, and one whose first axis is too long for a single pass has none.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct FilterRecipe {
    /// The transform of the axes but the first, or of all axes if there is no middle.
    pub forward: Option<Recipe>,
    /// The transform of the first axis there and back.
    pub middle: Option<Recipe>,
    /// The inverse transform of the axes that `forward` transforms.
    pub back: Option<Recipe>,
}

impl FilterRecipe {
    fn parts(&self) -> [(&'static str, Option<&Recipe>); 3] {
        [("forward", self.forward.as_ref()), ("middle", self.middle.as_ref()), ("back", self.back.as_ref())]
    }
}

impl fmt::Display for FilterRecipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.parts().into_iter().filter_map(|(name, recipe)| Some(format!("{name} {}", recipe?)));
        f.write_str(&parts.collect::<Vec<_>>().join(" / "))
    }
}

parsed!(FilterRecipe, |text| {
    let mut recipe = Self { forward: None, middle: None, back: None };
    for part in text.split(" / ") {
        let (name, rest) = part.split_once(' ').unwrap_or((part, ""));
        let place = match name {
            "forward" => &mut recipe.forward,
            "middle" => &mut recipe.middle,
            "back" => &mut recipe.back,
            _ => {
                let why = format!("`{name}`: expected `forward`, `middle` or `back`, each with a recipe");
                return Err(Error::Parse { what: "recipe of a filter", text: text.to_owned(), why });
            }
        };
        *place = Some(rest.parse()?);
    }
    Ok(recipe)
});

/// The transforms that a filter consists of: forward, middle and back.
type Parts = [Option<Transform>; 3];

fn design([forward, middle, back]: &Parts, profile: &DeviceProfile) -> Result<FilterRecipe> {
    let design = |transform: &Option<Transform>| transform.as_ref().map(|transform| choose::design(transform, profile)).transpose();
    Ok(FilterRecipe { forward: design(forward)?, middle: design(middle)?, back: design(back)? })
}

impl Filter {
    /// The place of the fragment: its values are complex numbers of a spectrum.
    pub fn check(fragment: Fragment, rank: usize) -> Result<Checked> {
        let form = Form::COMPLEX;
        let side = Side { name: "spectrum", rank, spectrum: true, array: form, inner: form, loads: true };
        Checked::new(fragment, "complex f32", side)
    }

    /// The frame of the whole spectrum.
    pub fn spectrum(real: bool, lengths: &[u32]) -> Vec<Windowed> {
        let last = lengths.len() - 1;
        let axis = |(axis, &n): (usize, &u32)| if real && axis == last { Windowed::half(n) } else { Windowed::whole(n) };
        lengths.iter().enumerate().map(axis).collect()
    }

    /// Where a fragment finds its element in a spectrum with this number, in WGSL. `0u` is the only
    /// spectrum.
    pub fn place(number: &str, spectrum: &[Windowed]) -> String {
        spectrum.iter().enumerate().fold(number.to_owned(), |index, (axis, window)| {
            if index == "0u" { format!("i{axis}") } else { format!("({index}) * {}u + i{axis}", window.len) }
        })
    }

    fn lengths(&self) -> Vec<u32> {
        self.frames[0].iter().map(|window| window.n).collect()
    }

    fn parts(&self, in_one: bool) -> Parts {
        let lengths = self.lengths();
        let (&middle_axis, behind) = self.axes.split_first().expect("there is an axis");
        let alone = in_one && behind.is_empty();
        let spectrum = Self::spectrum(self.real, &lengths);
        let [input, output] = self.frames.clone();
        let first_of = |frame: &[Windowed]| {
            spectrum.iter().enumerate().map(|(axis, own)| if axis == middle_axis { frame[axis] } else { *own }).collect::<Vec<_>>()
        };
        let count: f64 = self.axes.iter().map(|&axis| f64::from(lengths[axis])).product();
        let factor = 1.0 / count;
        let (there, back) = if self.real { (Kind::R2c, Kind::C2r) } else { (Kind::C2c(Direction::Forward), Kind::C2c(Direction::Inverse)) };
        let others = if in_one { behind } else { &self.axes };
        let [from, to] = if in_one { [first_of(&input), first_of(&output)] } else { [spectrum.clone(), spectrum] };
        let (mut forward, mut middle, mut backward) = (None, None, None);
        if in_one {
            let kind = Kind::Filter { real: self.real && alone };
            let frames = if alone { [input.clone(), output.clone()] } else { [from.clone(), to.clone()] };
            // Lines stay where they are if both frames are the same.
            let placement = if !alone && frames[0] == frames[1] && !frames[0][middle_axis].moves() {
                Placement::InPlace
            } else {
                Placement::OutOfPlace
            };
            middle = Some(Transform {
                product: Some(self.fragment.clone()),
                placement,
                ..Transform::between_frames(kind, &[middle_axis], frames, self.batch)
            });
        }
        if !others.is_empty() {
            forward = Some(Transform::between_frames(there, others, [input, from], self.batch));
            let load = if in_one { None } else { Some(self.fragment.clone()) };
            backward = Some(Transform { maps: [load, None], ..Transform::between_frames(back, others, [to, output], self.batch) });
        }
        if let Some(first) = forward.as_mut().or(middle.as_mut()) {
            (first.maps[0], first.input) = (self.maps[0].clone(), self.layouts[0]);
        }
        if let Some(last) = backward.as_mut().or(middle.as_mut()) {
            (last.maps[1], last.output) = (self.maps[1].clone(), self.layouts[1]);
            last.set_factor(factor);
        }
        [forward, middle, backward]
    }

    pub fn design(&self, profile: &DeviceProfile) -> Result<FilterRecipe> {
        let [forward, middle, back] = self.parts(true);
        // What cannot be done in any way is reported by the other way.
        match middle.map(|middle| choose::design(&middle, profile)) {
            Some(Ok(middle)) => Ok(FilterRecipe { middle: Some(middle), ..design(&[forward, None, back], profile)? }),
            _ => self.design_in_passes(profile),
        }
    }

    /// A recipe without a middle.
    pub fn design_in_passes(&self, profile: &DeviceProfile) -> Result<FilterRecipe> {
        design(&self.parts(false), profile)
    }

    pub fn arrays(&self) -> Result<[Array; 2]> {
        let [Some(forward), None, Some(back)] = &self.parts(false) else { unreachable!("all axes are transformed") };
        let [input, output] = [forward.geometry()?.input.span, back.geometry()?.output.span];
        let array = |len: usize, transform: &Transform, end| Array { len, element_bytes: transform.form_of(end).bytes() as usize };
        Ok([array(input, forward, End::Input), array(output, back, End::Output)])
    }

    pub fn append(&self, recipe: &FilterRecipe, spec: &str, profile: &DeviceProfile, program: &mut Program, ends: [Slot; 2]) -> Result<()> {
        let parts = self.parts(recipe.middle.is_some());
        let both = parts.iter().zip(recipe.parts()).filter_map(|(transform, (name, recipe))| match (transform, recipe) {
            (Some(transform), Some(recipe)) => Some(Ok((transform, recipe))),
            (None, None) => None,
            (Some(_), None) => Some(Err(format!("it has no part `{name}`"))),
            (None, Some(_)) => Some(Err(format!("there is nothing to do in a part `{name}`"))),
        });
        let unfit = |why| Error::UnfitRecipe { recipe: recipe.to_string(), spec: spec.to_owned(), why };
        let mut steps: Vec<(&Transform, &Recipe)> = both.collect::<std::result::Result<_, String>>().map_err(unfit)?;
        let last = steps.pop();
        let mut from = ends[0];
        for (transform, recipe) in steps {
            let to = if transform.placement == Placement::InPlace {
                from
            } else {
                let len = transform.geometry()?.output.span;
                program.workspaces.push(Array { len, element_bytes: 8 });
                Slot::Workspace(program.workspaces.len() - 1)
            };
            lower::append(transform, recipe, profile, program, [from, to])?;
            from = to;
        }
        last.map_or(Ok(()), |(transform, recipe)| lower::append(transform, recipe, profile, program, [from, ends[1]]))
    }
}
