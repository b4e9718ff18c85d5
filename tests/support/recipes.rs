//! Recipes by hand, besides the rules' choice, so that tests reach every kernel in every form.

use wgpu_fft::fft::{Recipe, RowRecipe};

const REGISTERS: [&str; 9] = [
    "rows: registers 8.8 elements=8 rows=4 exchange=split banks=32 roots=products",
    "rows: registers 8.8 elements=16 rows=2 exchange=whole banks=32 roots=table",
    "rows: registers 2.2.2.2.2.2 elements=2 rows=1 exchange=whole banks=0 roots=table",
    "rows: registers 4.16 elements=16 rows=3 exchange=split banks=16 roots=table",
    "rows: registers 2.4.8 elements=32 rows=5 exchange=split banks=0 roots=products",
    "rows: registers 4.4.4 elements=4 rows=2 exchange=whole banks=64 roots=products",
    "rows: registers 8.8.8.2 elements=8 rows=1 exchange=split banks=32 roots=products",
    "rows: registers 16.16.4 elements=16 rows=1 exchange=whole banks=32 roots=table",
    "rows: registers 2.8.8.8 elements=8 rows=1 exchange=whole banks=0 roots=table",
];

/// Recipes for rows of n. Not every device is large enough for all of them.
pub fn row_recipes(n: usize) -> Vec<Recipe> {
    let mut recipes: Vec<Recipe> = REGISTERS.iter().map(|text| text.parse().unwrap()).collect();
    recipes.retain(|recipe| matches!(recipe, Recipe::Rows(RowRecipe::Registers(registers)) if registers.n() as usize == n));
    let lanes = (n as u32 / 2).clamp(1, 64);
    recipes.extend([(1, lanes), (3, 1), (2, 5)].map(|(rows, lanes)| Recipe::Rows(RowRecipe::Radix2 { rows, lanes })));
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
