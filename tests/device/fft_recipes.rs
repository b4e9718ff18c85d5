//! Hand-written recipes.

use crate::cases::*;
use crate::harness::*;
use crate::recipes_by_hand::{COMPLEX, REAL};

pub fn complex_recipes_by_hand(device: &Device) {
    let device = &device.alone();
    let [registers, radix2] = ["recipes by hand", "recipes by hand with the kernel radix2"].map(|class| Tally::new(device, class));
    for (shape, recipes) in device.share(COMPLEX, 1, 0) {
        // Five arrays, so that the last workgroup is usually not full.
        let batch = 5 + 800 / shape.iter().product::<usize>();
        for (i, recipe) in recipes.iter().enumerate() {
            let tally = if recipe.contains("radix2") { &radix2 } else { &registers };
            for (kind, in_place) in [(Kind::Forward, i % 4 < 2), (Kind::Inverse, i % 4 >= 2)] {
                if device.is_thorough() || (i % 2 == 0) == (kind == Kind::Forward) {
                    tally.run(device, &Case::new(kind, shape).batch(batch).in_place(in_place).by(recipe));
                }
            }
        }
    }
    registers.finish();
    radix2.finish();
}

pub fn real_recipes_by_hand(device: &Device) {
    let device = &device.alone();
    let tally = Tally::new(device, "recipes of real transforms by hand");
    for (shape, recipes) in device.share(REAL, 1, 0) {
        for (kind, recipes) in [Kind::R2c, Kind::C2r].into_iter().zip(recipes) {
            for (i, recipe) in recipes.iter().enumerate() {
                // An odd and an even number of rows; many short ones, as few errors differ from
                // rustfft's by chance.
                let batch = 5 + 400 / shape.iter().product::<usize>() * 2 + i % 2;
                tally.run(device, &Case::new(kind, shape).batch(batch).in_place(i % 3 == 0).by(recipe));
            }
        }
    }
    tally.finish();
}
