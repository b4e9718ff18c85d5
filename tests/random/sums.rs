//! Random reductions.

use std::cell::RefCell;

use wgpu_fft::reduce::{Determinism, Reduction, Value};
use wgpu_fft::{Element, Error, Spec};

use crate::case::{Case, Place, Verdict, kind_of};
use crate::harness::run_guarded_with;
use crate::reductions::{self, Outcome, PLACES, RECIPES, Runner};
use crate::sanitized;

/// Runs the reductions that a case draws, each with a random recipe, and counts them.
struct Random<'a, 'b> {
    case: RefCell<&'a mut Case<'b>>,
    ran: RefCell<usize>,
    refused: RefCell<Option<String>>,
}

impl Runner for Random<'_, '_> {
    fn run<T: Value, O: Element>(&self, spec: Reduction<T, O>, _: Option<&str>, x: &[T], y: Option<&[T]>) -> Option<Outcome<O>> {
        let case = &mut **self.case.borrow_mut();
        // One or two of the many operators, because all of them would take a device long.
        if case.chance(80) && *self.ran.borrow() > 0 {
            return None;
        }
        // SwiftShader's compiler needs minutes and gigabytes for some of these long texts.
        if matches!(case.place, Place::Device(device) if device.is_slow()) && spec.to_string().starts_with("max_abs_diff complex") {
            return None;
        }
        let profile = case.profile();
        (case.note)(&format!("`{spec}` on {profile:?}"));
        let refused = |error: Error| {
            *self.refused.borrow_mut() = Some(kind_of(&error));
        };
        let (recipe, by_the_rules) = case.recipe(&spec, &profile, RECIPES).map_err(refused).ok()?;
        let what = format!("`{spec}` by `{recipe}` on {profile:?}");
        (case.note)(&what);
        let program = match spec.lower(&recipe, &profile).and_then(|program| program.check(&profile).map(|()| program)) {
            Err(error @ Error::UnfitRecipe { .. }) if by_the_rules => panic!("of the rules' recipe: {error}"),
            program => program.map_err(refused).ok()?,
        };
        let results = match case.place {
            Place::Host => {
                let inputs: Vec<&[T]> = std::iter::once(x).chain(y).collect();
                Ok(sanitized::run(&program, &inputs, case.seed, case.subgroups))
            }
            Place::Device(device) => device.planner.plan_with(spec.clone(), recipe.clone()).map(|plan| {
                let results = run_guarded_with(device, &plan, x, y);
                device.planner.clear();
                results
            }),
        };
        let results = results.map_err(refused).ok()?;
        *self.ran.borrow_mut() += 1;
        Some(Outcome { results, depth: spec.depth(&recipe).unwrap(), what })
    }

    fn has_f64(&self) -> bool {
        true
    }

    fn has_custom(&self) -> bool {
        true
    }
}

pub fn random(case: &mut Case<'_>) -> Verdict {
    let shape = case.shape(4);
    let batch = if case.chance(60) { 1 } else { case.rng.usize(1..=4) };
    let mut axes: Vec<usize> = (0..shape.len()).collect();
    case.rng.shuffle(&mut axes);
    axes.truncate(case.rng.usize(1..=shape.len()));
    let axes = case.chance(70).then_some(axes);
    let mut drawn = reductions::Case::new(&shape, batch, axes.as_deref());
    if case.chance(30) {
        drawn.determinism = Determinism::AcrossDevices;
    }
    if case.chance(40) {
        drawn = drawn.placed(case.rng.usize(0..PLACES));
    }
    let kind = case.rng.u32(0..5);
    let runner = Random { case: RefCell::new(case), ran: RefCell::new(0), refused: RefCell::new(None) };
    match kind {
        0 => drawn.check_f32(&runner),
        1 => drawn.check_integers(&runner),
        2 => drawn.check_f16(&runner),
        3 => drawn.check_complex(&runner),
        _ => drawn.check_f64(&runner),
    }
    match runner.refused.into_inner() {
        Some(how) if *runner.ran.borrow() == 0 => Verdict::Refused(how),
        _ => Verdict::Right,
    }
}
