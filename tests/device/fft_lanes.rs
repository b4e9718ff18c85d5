//! The kernel for processors with hand-written recipes: in subgroups of 8, and elsewhere through
//! workgroup memory.

use crate::cases::*;
use crate::harness::*;
use crate::recipes_by_hand::{HALVES_IN_LANES, LANES};

pub fn lanes_by_hand(device: &Device) {
    let device = &device.alone();
    let tally = Tally::new(device, "recipes by hand of lanes");
    for (shape, recipes) in device.share(LANES, 1, 0) {
        // The last subgroup is usually not full.
        let batch = 5 + 800 / shape.iter().product::<usize>();
        for (i, recipe) in recipes.iter().enumerate() {
            for (kind, in_place) in [(Kind::Forward, i % 2 == 0), (Kind::Inverse, i % 2 == 1)] {
                if device.is_thorough() || i < 2 || (kind == Kind::Forward && i % 3 != 0) {
                    tally.run(device, &Case::new(kind, shape).batch(batch).in_place(in_place).by(recipe));
                }
            }
        }
    }
    tally.finish();
}

pub fn halves_by_hand(device: &Device) {
    let device = &device.alone();
    let tally = Tally::new(device, "recipes by hand of reals in lanes");
    for (shape, both) in device.share(HALVES_IN_LANES, 1, 0) {
        for (kind, recipes) in [Kind::R2c, Kind::C2r].into_iter().zip(both) {
            for recipe in *recipes {
                tally.run(device, &Case::new(kind, shape).batch(5 + 800 / shape.iter().product::<usize>()).by(recipe));
            }
        }
    }
    tally.finish();
}
