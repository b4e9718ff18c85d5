//! Turns a recipe for a Fourier transform into dispatches.

mod kernels;
mod rows;
mod slots;

use crate::error::{Error, Result};
use crate::fft::chain::chain;
use crate::fft::chain::line::{LineIndex, lines};
use crate::fft::chain::state::Broken;
use crate::fft::chain::step::{PassBody, SubTransform};
use crate::fft::limits;
use crate::fft::place::Place;
use crate::fft::recipe::{AxisRecipe, PassRecipe, Recipe};
use crate::fft::spec::geometry::Geometry;
use crate::fft::spec::kind::{End, Kind};
use crate::fft::spec::transform::Transform;
use crate::gpu::DeviceProfile;
use crate::kernels::Slot;
use crate::kernels::fft::Rows;
use crate::plan::{Array, Placement, Program};
use crate::text::join;

pub(in crate::fft) fn lower(transform: &Transform, recipe: &Recipe, profile: &DeviceProfile) -> Result<Program> {
    transform.check_device(profile)?;
    let geometry = transform.geometry()?;
    // Refuse arrays that no buffer of the device can hold before checking anything else about them.
    let textures = [End::Input, End::Output].map(|end| transform.form_of(end).texels().is_some());
    let mut program = arrays(transform, &geometry).checked_with_textures(textures, profile)?;
    append(transform, recipe, profile, &mut program, ends(transform))?;
    Ok(program)
}

/// Adds the dispatches of a transform to a program, with the workspaces and tables that they need.
/// The transform goes from one array of the program to another, or works in place, as part of a
/// larger operation. The arrays may be longer than the transform needs.
pub(in crate::fft) fn append(
    transform: &Transform,
    recipe: &Recipe,
    profile: &DeviceProfile,
    program: &mut Program,
    ends: [Slot; 2],
) -> Result<()> {
    let in_place = ends[0] == ends[1];
    if in_place != (transform.placement == Placement::InPlace) {
        let what = format!("`{transform}` from {} to {}", ends[0], ends[1]);
        return Err(Error::Unsupported {
            what,
            why: "an in-place transform begins and ends in the same array, and no other does".to_owned(),
        });
    }
    transform.check_device(profile)?;
    let geometry = transform.geometry()?;
    Lowering { transform, geometry: &geometry, recipe, profile, program, ends }.dispatches()
}

/// Refuses what a single pass of an axis cannot do on such a device, whatever the other passes can
/// do.
pub(in crate::fft) fn check_pass(
    transform: &Transform,
    geometry: &Geometry,
    axes: &[AxisRecipe],
    [i, f]: [usize; 2],
    profile: &DeviceProfile,
) -> Result<()> {
    let recipe = Recipe::Axes(axes.to_vec());
    let mut program = arrays(transform, geometry);
    let mut lowering = Lowering { transform, geometry, recipe: &recipe, profile, program: &mut program, ends: ends(transform) };
    let steps = chain(transform, geometry, axes).map_err(|broken| lowering.broken(broken))?;
    let slots = lowering.slots(&steps);
    for (s, step) in steps.iter().enumerate().filter(|(_, step)| step.element == (axes[i].through, f)) {
        lowering.step(step, geometry.factor, [slots[s], slots[s + 1]])?;
    }
    program.check(profile)
}

/// The slots of a transform that is a program of its own.
fn ends(transform: &Transform) -> [Slot; 2] {
    let input = if transform.placement == Placement::InPlace { Slot::Output } else { Slot::Input(0) };
    [input, Slot::Output]
}

/// A program with the arrays of a transform, and no dispatches yet.
fn arrays(transform: &Transform, geometry: &Geometry) -> Program {
    let [mut input, mut output] =
        [End::Input, End::Output].map(|end| Array { len: 0, element_bytes: transform.form_of(end).bytes() as usize });
    (input.len, output.len) = (geometry.input.span, geometry.output.span);
    if transform.placement == Placement::InPlace {
        // In place, both are one array. Its rows of reals are padded, so count all of its elements.
        match transform.kind {
            Kind::C2c(_) | Kind::R2r | Kind::Filter { .. } => {}
            Kind::R2c => input.len = 2 * output.len,
            Kind::C2r => output.len = 2 * input.len,
        }
    }
    Program::new(transform.to_string(), transform.placement, vec![input], output)
}

struct Lowering<'a> {
    transform: &'a Transform,
    geometry: &'a Geometry,
    recipe: &'a Recipe,
    profile: &'a DeviceProfile,
    program: &'a mut Program,
    ends: [Slot; 2],
}

impl Lowering<'_> {
    fn unfit(&self, why: String) -> Error {
        Error::UnfitRecipe { recipe: self.recipe.to_string(), spec: self.transform.to_string(), why }
    }

    fn dispatches(&mut self) -> Result<()> {
        match self.recipe {
            Recipe::Axes(axes) => {
                let steps = chain(self.transform, self.geometry, axes).map_err(|broken| self.broken(broken))?;
                self.program.notes.extend(axes.iter().filter_map(|recipe| recipe.note(self.transform.shape.extents()[recipe.axis] as u32)));
                self.steps(&steps)
            }
            Recipe::Transposed { rows, columns, transpose } => self.by_transposes(rows, columns, transpose),
        }
    }

    /// Length of an axis. The index after the last one is moved, not transformed.
    fn extent(&self, axis: usize) -> u64 {
        self.transform.shape.extents().get(axis).map_or(1, |&extent| extent as u64)
    }

    fn element_bytes(&self) -> u64 {
        self.transform.number.complex_bytes()
    }

    fn broken(&self, broken: Broken) -> Error {
        match broken {
            Broken::Unfit(why) => self.unfit(why),
            Broken::TooLong(required) => Error::LimitExceeded {
                what: format!("`{}`, an array between its passes", self.transform),
                limit: "elements indexed by a u32",
                required,
                available: u32::MAX.into(),
            },
        }
    }

    fn steps(&mut self, steps: &[SubTransform<'_>]) -> Result<()> {
        let (slots, scales) = (self.slots(steps), self.scales(steps));
        for (i, step) in steps.iter().enumerate() {
            self.step(step, scales[i], [slots[i], slots[i + 1]])?;
        }
        Ok(())
    }

    /// The factors on the results of the steps: all of it on those of the last one. If the arrays
    /// between axes have numbers of 16 bits, whose range is small, each axis has a share of it.
    fn scales(&self, steps: &[SubTransform<'_>]) -> Vec<f64> {
        let factor = self.geometry.factor;
        let mut scales = vec![1.0; steps.len()];
        let Some(last) = scales.len().checked_sub(1) else { return scales };
        let length = |step: &SubTransform<'_>| match step.extents[..] {
            [_] => self.extent(step.element.0) as f64,
            _ => f64::from(step.n()),
        };
        let logarithm = |step: &SubTransform<'_>| length(step).ln();
        let of_axis = |i: usize| i == last || steps[i].element.0 != steps[i + 1].element.0;
        let all: f64 = (0..=last).filter(|&i| of_axis(i)).map(|i| logarithm(&steps[i])).sum();
        let mut rest = factor;
        if self.transform.between.is_some() && factor != 0.0 && all > 0.0 {
            for i in (0..last).filter(|&i| of_axis(i)) {
                // What is left for the last one is exact if these are numbers of the kernel.
                scales[i] = self.transform.number.rounded(factor.abs().powf(logarithm(&steps[i]) / all));
                rest /= scales[i];
            }
        }
        scales[last] = rest;
        scales
    }

    fn step(&mut self, step: &SubTransform<'_>, scale: f64, slots: [Slot; 2]) -> Result<()> {
        let axis = step.element.0;
        let what = match (self.transform.kind, self.transform.real_kind(axis)) {
            (Kind::Filter { .. }, _) => "FFT, filter and inverse FFT".to_owned(),
            (_, Some(kind)) => format!("{kind} by an FFT"),
            _ if self.transform.is_inverse() => "inverse FFT".to_owned(),
            _ => "FFT".to_owned(),
        };
        let whole = step.extents.len() > 1 || u64::from(step.n()) == self.extent(axis);
        let of = if whole { String::new() } else { format!(" of axis {axis}") };
        let label = |count: u32| match axis == self.transform.shape.rank() {
            true => format!("moves {count} elements"),
            false => format!("{what}{of}, {count} x {}", join(&step.extents, "x")),
        };
        let count = |lines: &[LineIndex]| lines.iter().map(|line| line.extent).product();
        let stockham = match step.body {
            PassBody::Combine { .. } => return self.halves(step, &lines(step), scale, slots),
            PassBody::Move => &limits::no_transform(self.profile),
            PassBody::Dft { recipe: PassRecipe::Stockham(stockham), .. } => stockham,
            PassBody::Dft { recipe: PassRecipe::Lanes { .. }, .. } => {
                let lines = lines(step);
                return self.lanes(label(count(&lines)), step, &lines, scale, slots);
            }
            PassBody::Dft { recipe: recipe @ PassRecipe::Radix2 { .. }, ref convolution } => {
                let lines = lines(step);
                let (count, n) = (count(&lines), step.n());
                let dense = lines.len() == 1
                    && [(&step.states[0], &lines[0].load), (&step.states[1], &lines[0].store)].into_iter().all(|(state, line)| {
                        state.offset == 0 && state.dim(step.element).place == Place::linear(1) && (count == 1 || *line == Place::linear(n))
                    });
                let plain = convolution.is_none() && step.load.is_plain() && step.store.is_plain() && step.store.twiddle().is_none();
                let inverse = step.load.has_exchange();
                if !dense || !plain || inverse != step.store.has_exchange() {
                    return Err(self.unfit("radix2 transforms one axis of dense rows of complex numbers".to_owned()));
                }
                let rows = Rows { n, rows: count, inverse, scale };
                return self.rows(recipe, rows, slots[0], slots[1]);
            }
        };
        let pass = step.pass(&stockham.radices, self.transform.number).map_err(|why| self.unfit(why))?;
        self.stockham(label(pass.1), stockham, pass, scale, slots)
    }
}
