//! Which recipe the rules choose, which dispatches it becomes, and the other one for a search.

use super::recipe::Recipe;
use super::spec::Core;
use super::sums::Sums;
use crate::error::{Error, Result};
use crate::fft::End;
use crate::fft::ops::step::Step;
use crate::gpu::DeviceProfile;
use crate::kernels::Slot;
use crate::plan::{Computation, Program, Search, Spec, others};
use crate::signal::spectrum::Points as _;

/// Operations of a sum for each number and each frequency, with the words that it loads: two
/// numbers from tables, their product, and the product with a complex number, or with a real one.
/// On a software driver 2²⁰ reals in rows of 2⁸, 2¹², 2¹⁶ and 2²⁰ take as long either way for 1, 1,
/// 2 and 4 frequencies.
const SUM: f64 = 18.0;
const SUM_OF_REALS: f64 = 14.0;

impl Core {
    fn picked(step: &Step, pick: &Sums, profile: &DeviceProfile) -> Result<Recipe> {
        Ok(Recipe { transform: Some(step.design(profile)?), sums: pick.reduction.design(profile)? })
    }

    /// An error of the sums as one of all.
    fn named(&self, error: Error, recipe: &Recipe) -> Error {
        match error {
            Error::UnfitRecipe { why, .. } => Error::unfit(recipe, self, why),
            Error::LimitExceeded { limit, required, available, .. } => {
                Error::LimitExceeded { what: format!("`{self}`, its sums"), limit, required, available }
            }
            other => other,
        }
    }

    fn in_sums(&self, profile: &DeviceProfile) -> Result<Recipe> {
        Ok(Recipe { transform: None, sums: self.direct()?.reduction.design(profile)? })
    }
}

impl Computation for Core {
    type Recipe = Recipe;

    fn design(&self, profile: &DeviceProfile) -> Result<Recipe> {
        self.sizes()?;
        let products = self.shape.elements("spectrum at frequencies", self.batch)? as f64 * self.points.count() as f64;
        let sums = products * if self.is_real() { SUM_OF_REALS } else { SUM };
        match self.by_transform()? {
            // What is picked from must be one binding.
            Some((step, pick)) if step.operations() < sums && step.array(End::Output).bytes() <= profile.binding_bytes => {
                Self::picked(&step, &pick, profile)
            }
            _ => self.in_sums(profile),
        }
    }

    fn lower(&self, recipe: &Recipe, profile: &DeviceProfile) -> Result<Program> {
        let mut program = self.ends.program(self.to_string(), self.sizes()?, profile)?;
        let (sums, inputs) = match &recipe.transform {
            None => {
                let sums = self.direct()?;
                let tables = sums.tables.iter().map(|table| program.table(table.clone()));
                let inputs: Vec<Slot> = [Slot::Input(0)].into_iter().chain(tables).collect();
                (sums, inputs)
            }
            Some(transform) => {
                let Some((step, pick)) = self.by_transform()? else {
                    let why = "only elements of the FFT can be picked from its spectrum".to_owned();
                    return Err(Error::unfit(recipe, self, why));
                };
                let spectra = program.workspace(step.array(End::Output));
                step.append(transform, profile, &mut program, [Slot::Input(0), spectra])?;
                let tables = pick.tables.iter().map(|table| program.table(table.clone()));
                let inputs: Vec<Slot> = tables.chain([spectra]).collect();
                (pick, inputs)
            }
        };
        let lowered = sums.reduction.lower(&recipe.sums, profile).map_err(|error| self.named(error, recipe))?;
        program.embed(lowered, &inputs, Slot::Output)?;
        Ok(program.share_workspaces())
    }
}

impl Search for Core {
    fn alternatives(&self, profile: &DeviceProfile) -> Vec<Recipe> {
        let Ok(own) = self.design(profile) else { return Vec::new() };
        let by_transform = self.by_transform().ok().flatten();
        let picked = by_transform.and_then(|(step, pick)| Self::picked(&step, &pick, profile).ok());
        let all = [picked, self.in_sums(profile).ok()];
        others(Some(&own), all.into_iter().flatten())
    }
}
