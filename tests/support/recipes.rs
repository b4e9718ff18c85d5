//! Recipes by hand, besides the rules' choice, so that tests reach every kernel in every form.

use wgpu_fft::fft::{AxisRecipe, PassRecipe, Recipe};

const REGISTERS: [&str; 12] = [
    "axis 0: registers 8.8 lanes=8 lines=4",
    "axis 0: registers 8.8 lanes=4 lines=2 exchange=whole roots=table",
    "axis 0: registers 2.2.2.2.2.2 lanes=32 exchange=whole banks=0 roots=table",
    "axis 0: registers 4.16 lanes=4 lines=3 banks=16 roots=table",
    "axis 0: registers 2.4.8 lanes=2 lines=5 banks=0",
    "axis 0: registers 4.4.4 lanes=16 lines=2 exchange=whole banks=64",
    "axis 0: registers 16.4 lanes=4 lines=2 pieces=4",
    "axis 0: registers 4.4.4 lanes=5 lines=2",
    "axis 0: registers 8 lanes=1 lines=4 block=4x1 + registers 8 lanes=1 lines=4",
    "axis 0: registers 8.8.8.2 lanes=128",
    "axis 0: registers 16.16.4 lanes=64 exchange=whole roots=table",
    "axis 0: registers 2.8.8.8 lanes=128 exchange=whole banks=0 roots=table",
];

/// Recipes for rows of n. Not every device is large enough for all of them.
pub fn row_recipes(n: usize) -> Vec<Recipe> {
    let mut recipes: Vec<Recipe> = REGISTERS.iter().map(|text| text.parse().unwrap()).collect();
    let length = |axis: &AxisRecipe| axis.passes.iter().map(|pass| pass.n().unwrap_or(0) as usize).product::<usize>();
    recipes.retain(|recipe| matches!(recipe, Recipe::Axes(axes) if length(&axes[0]) == n));
    let lanes = (n as u32 / 2).clamp(1, 64);
    recipes.extend([(1, lanes), (3, 1), (2, 5)].map(|(rows, lanes)| {
        let passes = vec![PassRecipe::Radix2 { rows, lanes }];
        Recipe::Axes(vec![AxisRecipe { axis: 0, bluestein: None, pairs: false, passes }])
    }));
    recipes
}

/// Recipes for transposes, of every variant.
pub const TRANSPOSES: [&str; 11] = [
    "naive 16x16",
    "naive 8x4",
    "naive 7x3",
    "tiled 16+0 elements=1",
    "tiled 16+1 elements=1",
    "tiled 16+1 elements=2",
    "tiled 32+1 elements=4",
    "tiled 32+1 elements=8",
    "tiled 16+1 elements=16",
    "tiled 4+1 elements=1",
    "tiled 5+2 elements=5",
];
