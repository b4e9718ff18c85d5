//! The kernel for processors, by recipes by hand: on adapters with subgroups of 8.

use crate::cases::*;
use crate::harness::*;
use crate::recipes_by_hand::LANES;

pub fn lanes_by_hand(device: &Device) {
    let device = &device.alone();
    let profile = device.gpu().profile();
    if !profile.subgroups || profile.subgroup_sizes != [8, 8] {
        println!("{}: no recipes of lanes, for want of subgroups of 8", device.name);
        return;
    }
    let tally = Tally::new(device, "recipes by hand of lanes");
    for (shape, recipes) in LANES {
        // The last subgroup is seldom full.
        let batch = 5 + 800 / shape.iter().product::<usize>();
        for (i, recipe) in recipes.iter().enumerate() {
            for (kind, in_place) in [(Kind::Forward, i % 2 == 0), (Kind::Inverse, i % 2 == 1)] {
                if kind == Kind::Forward || device.is_thorough() || i < 2 {
                    tally.run(device, &Case::new(kind, shape).batch(batch).in_place(in_place).by(recipe));
                }
            }
        }
    }
    tally.finish();
}
