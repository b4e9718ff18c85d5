//! Which transforms and kernels a phase correlation becomes.

use num_complex::Complex32;

use super::Recipe;
use super::spec::Core;
use crate::error::{Error, Result, refuse_if, within};
use crate::fft::End;
use crate::fft::ops::filter::Filter;
use crate::fft::ops::step::Step;
use crate::fragment::Fragment;
use crate::gpu::DeviceProfile;
use crate::kernels::Slot;
use crate::kernels::signal::{Peaks, peak_start, peak_step, peak_sums};
use crate::plan::{Array, Computation, Placement, Program, Spec};
use crate::reduce::{self, MAX_STEPS_ON_CPU, Reduction};

/// Steps of Newton's method. From the top of a parabola, which is within 0.11 of the top of a sharp
/// peak, two steps come within 10⁻⁶ of it.
const STEPS: u32 = 2;

/// Elements of a spectrum for each workgroup that adds derivatives. Milliseconds of the whole
/// operation on an H200, by parts:
///
/// | shape | 64 | 256 | 1024 | 4096 |
/// |---|---|---|---|---|
/// | 1024x1024 | 0.131 | 0.090 | 0.092 | 0.150 |
/// | 1080x1920 | 0.225 | 0.142 | 0.137 | 0.193 |
/// | 4096x4096 | 2.178 | 0.876 | 0.578 | 0.627 |
const ELEMENTS_OF_PART: u64 = 2048;

/// The most parts by the rules: 16 for each invocation that adds them.
const MAX_PARTS: u64 = 1024;

impl Core {
    fn check(&self) -> Result<()> {
        self.shape.elements("phase correlation", self.batch)?;
        let rank = self.shape.rank();
        refuse_if(rank > 3, self, format_args!("the shape has {rank} axes, and at most 3 are possible"))?;
        let longest = self.shape.extents().iter().max().map_or(0, |&n| n as u64);
        within(|| format!("`{self}`, its longest axis"), "elements of an axis", longest, (1 << 31) - 1)
    }

    /// The transforms of the references and of the moving pictures, and the one back, with the
    /// spectra of the references in a slot.
    fn steps(&self, spectra: Slot) -> Result<[Step; 3]> {
        let (extents, batch) = (self.shape.extents(), self.batch);
        let forward = || Step::whole(true, false, extents, batch).maps(self.ends.maps.clone());
        let count: f64 = extents.iter().map(|&n| n as f64).product();
        let reference = forward();
        let product = self.product(&reference, spectra);
        let moving = forward().map(End::Output, product)?;
        let back = Step::whole(true, true, extents, batch).factor((1.0 / count) as f32);
        Ok([reference, moving, back])
    }

    /// The product of the reference's spectrum with the conjugate of the other one.
    fn product(&self, spectrum: &Step, spectra: Slot) -> Fragment {
        let index = Filter::place("batch", spectrum.frame(End::Output));
        // Divided by its larger part first, so that no square overflows or vanishes.
        let unit = if self.normalised {
            "    let larger = max(abs(z.x), abs(z.y));\n    if (!(larger > 0.0)) {\n        return z;\n    }\n    \
             let scaled = z / larger;\n    return scaled / length(scaled);\n"
        } else {
            "    return z;\n"
        };
        let functions = format!(
            "fn unit(z: vec2<f32>) -> vec2<f32> {{\n{unit}}}\n\
             fn product(x: vec2<f32>, y: vec2<f32>) -> vec2<f32> {{\n    let a = unit(x);\n    let b = unit(y);\n    \
             return vec2(a.x * b.x + a.y * b.y, a.y * b.x - a.x * b.y);\n}}"
        );
        Fragment::new(format!("product(spectra[{index}], value)")).functions(functions).slot::<Complex32>(
            "spectra",
            spectrum.array(End::Output).len,
            Some(spectra),
        )
    }

    fn peak(&self) -> Reduction<f32, u32> {
        reduce::argmax(self.shape).batch(self.batch)
    }
}

impl Computation for Core {
    type Recipe = Recipe;

    fn design(&self, profile: &DeviceProfile) -> Result<Recipe> {
        self.check()?;
        let [reference, moving, back] = self.steps(Slot::Workspace(0))?;
        let elements = (reference.array(End::Output).len / self.batch) as u64;
        let parts =
            (elements / ELEMENTS_OF_PART).clamp(1, MAX_PARTS).max(elements.div_ceil(u64::from(MAX_STEPS_ON_CPU * peak_sums::WORKGROUP)));
        Ok(Recipe {
            reference: reference.design(profile)?,
            moving: moving.design(profile)?,
            back: back.design(profile)?,
            peak: self.peak().design(profile)?,
            parts: parts as u32,
        })
    }

    fn lower(&self, recipe: &Recipe, profile: &DeviceProfile) -> Result<Program> {
        self.check()?;
        // The first workspace of the program.
        let spectra = Slot::Workspace(0);
        let [reference, moving, back] = self.steps(spectra)?;
        let elements = (reference.array(End::Output).len / self.batch) as u32;
        let chunk = elements.div_ceil(recipe.parts.max(1));
        let turns = chunk.div_ceil(peak_sums::WORKGROUP).max(recipe.parts.div_ceil(peak_step::WORKGROUP));
        if !(1..=elements).contains(&recipe.parts) || turns > MAX_STEPS_ON_CPU {
            let why = format!("{} parts of {elements} elements: each invocation may loop {MAX_STEPS_ON_CPU} times", recipe.parts);
            return Err(Error::unfit(recipe, self, why));
        }
        let parts = elements.div_ceil(chunk);
        let rank = self.shape.rank();
        let array = |len: usize, element_bytes: usize| Array { len, element_bytes };

        let pictures = reference.array(End::Input);
        let mut program =
            Program::new(self.to_string(), Placement::OutOfPlace, vec![pictures; 2], array(self.batch * (rank + 1), size_of::<f32>()));
        program.inputs[0].check(&program.title, "input", profile)?;
        let _ = program.workspace(reference.array(End::Output));
        let products = program.workspace(moving.array(End::Output));
        let correlations = program.workspace(back.array(End::Output));
        let peaks = program.workspace(array(self.batch, size_of::<u32>()));
        let state = program.workspace(array(self.batch, size_of::<[f32; 4]>()));
        let sums = program.workspace(array(self.batch * parts as usize * 3, size_of::<[f32; 4]>()));

        reference.append(&recipe.reference, profile, &mut program, [Slot::Input(0), spectra])?;
        moving.append(&recipe.moving, profile, &mut program, [Slot::Input(1), products])?;
        back.append(&recipe.back, profile, &mut program, [products, correlations])?;
        program.embed(self.peak().lower(&recipe.peak, profile)?, &[correlations], peaks)?;

        let mut extents = [1; 3];
        for (own, &n) in extents[3 - rank..].iter_mut().zip(self.shape.extents()) {
            *own = n as u32;
        }
        let (items, max_groups) = (self.batch as u32, profile.groups_per_axis);
        let arrays = |input: Slot, output: Slot| Peaks { input, output, peaks, state };
        let start = peak_start::Params { items, extents };
        let workgroup = profile.invocations_in_a_row().clamp(1, 64);
        program.dispatches.push(peak_start::dispatch(start, workgroup, max_groups, arrays(correlations, state))?);
        for step in 1..=STEPS {
            let params = peak_sums::Params { items, parts, chunk, extents };
            program.dispatches.push(peak_sums::dispatch(params, max_groups, arrays(products, sums))?);
            let params = peak_step::Params { items, parts, extents, rank: rank as u32, last: (step == STEPS).into() };
            program.dispatches.push(peak_step::dispatch(params, max_groups, arrays(sums, Slot::Output))?);
        }
        Ok(program.share_workspaces())
    }
}
