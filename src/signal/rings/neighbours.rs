//! The recipes near a given one, for a search by measurement.

use super::recipe::Recipe;
use super::spec::RadialAverage;
use crate::fragment::{Form, Readable};
use crate::gpu::DeviceProfile;
use crate::tune::{Searchable, Tolerance, Verification, others};

/// Relative error of sums in another order.
const TOLERANCE: f64 = 1e-5;

impl<T: Readable> Searchable for RadialAverage<T> {
    fn neighbours(&self, recipe: &Recipe, profile: &DeviceProfile) -> Vec<Recipe> {
        let Ok(geometry) = self.core.geometry() else { return Vec::new() };
        let Recipe { invocations, lines, join } = *recipe;
        let twice = |value: u32| value.saturating_mul(2);
        let all = [
            (invocations, twice(lines), join),
            (invocations, lines / 2, join),
            (twice(invocations), lines, join),
            (invocations / 2, lines, join),
            (invocations, lines, twice(join)),
            (invocations, lines, join / 2),
        ];
        let all = all.map(|(invocations, lines, join)| Recipe { invocations, lines, join }).into_iter();
        others(Some(recipe), all.filter(|own| own.lines < twice(geometry.lines()) && own.unfit(&geometry, profile).is_none()))
    }

    fn verification(&self) -> Verification {
        let verification = Verification::of_forms(T::FORM, Form::REAL, TOLERANCE);
        // What a fragment makes of rounding and of test input is not known.
        let output = if self.core.fragment.is_none() { verification.output } else { Tolerance::Bits };
        Verification { output, ..verification }
    }
}
