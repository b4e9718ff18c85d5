//! The rules that choose a recipe.

use super::fit::{Fit, OnDevice, Unfit};
use super::recipe::{Blocks, Recipe, Spread, Tiles, Walk};
use super::strides::Problem;
use crate::gpu::DeviceProfile;
use crate::kernels::copy::MAX_WORKGROUP;
use crate::strides::IoDim;

/// What is best for elements of this size, in arrays of so many MiB or more: rows and columns of a
/// tile, bytes of an access, and blocks per invocation.
struct Preference {
    bytes: u32,
    from: u64,
    tile: [u32; 2],
    width: u32,
    blocks: u32,
}

const fn prefer(bytes: u32, tile: [u32; 2], width: u32, blocks: u32) -> Preference {
    Preference { bytes, from: 0, tile, width, blocks }
}

const fn prefer_from(from: u64, bytes: u32, tile: [u32; 2], width: u32, blocks: u32) -> Preference {
    Preference { bytes, from, tile, width, blocks }
}

/// Tiles for permutations out of place on a GPU, for small arrays and for large ones. The table
/// gives the bandwidth in percent of that of a copy of the same arrays, on an H200, with accesses
/// of 16 bytes unless stated otherwise:
///
/// | | tile, walk | 1024² | 2048² | 4096² | 8192² | 16384² | 1080x1920 |
/// |---|---|---|---|---|---|---|---|
/// | u8, 8 bytes | 64x128 rows | | | 95.1 | 89.3 | 86.9 | 83.7 |
/// | | 64x128 columns | | | 94.3 | 90.7 | 92.6 | 82.1 |
/// | | 128x128 rows | | | 92.8 | 88.5 | 86.5 | 84.2 |
/// | f32 | 64x64 rows | 95.4 | 96.2 | 94.1 | 95.2 | 93.7 | 92.9 |
/// | | 64x64 columns | 95.2 | 93.7 | 95.2 | 97.9 | 96.8 | 90.7 |
/// | | 32x64 rows | 97.2 | 96.3 | 91.6 | 89.6 | 87.1 | 93.6 |
/// | | 64x128 columns | 91.4 | 78.0 | 77.0 | 79.0 | 78.3 | 82.8 |
/// | | blocks 64x64 rows | 91.7 | 87.3 | 84.6 | 84.7 | 83.6 | 98.0 |
/// | complex f32 | 32x32 rows | 95.5 | 95.5 | 96.1 | 94.7 | 87.5 | 95.7 |
/// | | 32x32 columns | 94.4 | 96.5 | 98.5 | 97.8 | 93.1 | 96.0 |
/// | f32x4, 2 blocks | 16x32 rows | 98.1 | | 95.2 | 92.3 | | 94.6 |
/// | | 16x32 columns | 97.2 | | 98.3 | 92.7 | | 96.6 |
///
/// With one access of padding in each row of the tile instead of the swizzle, f32 4096² with 64x64
/// is at 90. f16 4096² with accesses of 8 bytes is at 92.7 with 64x128, at 92.3 with 64x64. Other
/// walks (diagonal, in bands) lie between rows and columns.
const TILES: &[Preference] = &[
    prefer(1, [64, 128], 8, 1),
    prefer(2, [64, 128], 8, 1),
    prefer(4, [32, 64], 16, 1),
    prefer_from(32, 4, [64, 64], 16, 1),
    prefer(8, [32, 32], 16, 1),
    prefer(16, [16, 32], 16, 2),
];

/// The size in MiB from which arrays are large, for each element size. With large arrays,
/// workgroups walk along the columns, so that neighbouring workgroups store to neighbouring
/// addresses.
const LARGE: [(u32, u64); 5] = [(1, 64), (2, 64), (4, 32), (8, 16), (16, 0)];

/// Tiles for permutations in place, where a workgroup exchanges two tiles, for small arrays and for
/// large ones. Large tiles take turns in workgroup memory. Percent of a copy on an H200
/// (benches/reports/2026-11-25-transposes):
///
/// | | tile | 1024² | 2048² | 4096² | 8192² | 16384² |
/// |---|---|---|---|---|---|---|
/// | u8 | 64x64 | | 101 | 75 | 59 | 53 |
/// | | 128x128 | | 88 | 83 | 82 | 87 |
/// | f16, 8 bytes | 64x64 | | | 77 | 88 | 87 |
/// | | 128x128, 16 bytes | | | 78 | 88 | |
/// | f32 | 32x32, 8 bytes | 101 | 84 | 79 | 88 | 86 |
/// | | 64x64, 16 bytes | 90 | 88 | 88 | 94 | 92 |
/// | complex | 32x32 | | 86 | 94 | 92 | |
/// | | 64x64 | | 80 | 88 | 88 | |
const TILES_IN_PLACE: &[Preference] = &[
    prefer(1, [64, 64], 8, 1),
    prefer_from(16, 1, [128, 128], 8, 1),
    prefer(2, [64, 64], 8, 1),
    prefer(4, [32, 32], 8, 1),
    prefer_from(16, 4, [64, 64], 16, 1),
    prefer(8, [32, 32], 16, 1),
    prefer(16, [16, 16], 16, 2),
];

/// The order of the tiles of the largest arrays in place. Percent of a copy along rows and in bands
/// of 4 and of 8 rows, by the tiles above:
///
/// | | H200 | H100, smaller tiles |
/// |---|---|---|
/// | u8 8192² | 81, 80, 82 | 70.3, 79.7, 80.0 |
/// | u8 10000² | 73, 68, 75 | |
/// | u8 16384² | 86, 87, 87 | 75.3, 79.6, 79.6 |
/// | f16 8192² | 84.7, 87.6, 87.8 | 90.2, 91.2, 91.4 |
/// | f32 8192² | 94, 94, 93 | 89.9, 90.5, 90.2 |
/// | f32 16384² | 92, 92 | 88.9, 90.2, 89.7 |
/// | complex 4096² | 93.8, 93.8, 93.1 | |
/// | complex 8192² | 92.2, 92.2, 91.2 | |
pub(super) const BANDS_IN_PLACE: Walk = Walk::Bands(8);

/// From so many elements on, of at most 4 bytes each.
const LARGEST_IN_PLACE: u64 = 8192 * 8192;

/// Tiles and access widths on a processor, without workgroup memory. How many blocks an invocation
/// takes depends on their size; see [`blocks`]. Milliseconds on lavapipe (Mesa 22.3.6, 2 cores) and
/// on SwiftShader, medians of one comparison per cell, with accesses of 16 bytes unless stated
/// otherwise:
///
/// | | lavapipe | SwiftShader |
/// |---|---|---|
/// | f32 1024² | 64x64 1.65, 32x32 1.59, 16x64 1.70, 8x32 2.24; 8 bytes 2.6; naive 6.95 | 64x64 2.59, 32x32 2.81; 8 bytes 4.4; tiles 28; naive 27 |
/// | f32 1080x1920 | 64x64 2.99, 32x32 3.16, 8x32 3.9; 8 bytes 5.2; naive 12.3 | |
/// | complex 1024² | four blocks 8x128 3.35, 8x64 3.52, 16x128 5.26, 32x64 7.43; 32 bytes about as 32x64 | four blocks 8x128 5.77, 32x64 5.96, 8x64 7.07 |
/// | complex 1080x1920 | the same 6.59, 6.89, 9.45, 14.1 | the same 11.9, 17.4, 15.5 |
/// | complex 2048² | the same 14.6, 15.6, 25.9, 28.5 | the same 34.0, 37.6, 37.9 |
/// | f32x4 1024² | four blocks 16x64 6.9; 32 bytes 32x32 11.6, two blocks 10.0 | four blocks 16x64 9.9; naive 21.8 |
/// | f32x4 2048² | four blocks 16x64 58; 32 bytes 32x32 78, four blocks 16x64 70 | four blocks 16x64 43; naive 95 |
/// | u8 1080x1920 | 8 bytes: 128x128 1.00, 64x64 1.05; 4 bytes 1.6; gather 8.0 | 8 bytes: 128x128 2.7, 64x64 2.8; gather 36 |
/// | u16 1080x1920 | 64x64 3.35, 32x32 3.67; 8 bytes 4.4; gather 29 | 64x64 4.4; 8 bytes: 32x32 4.2 |
const BLOCKS: &[Preference] = &[
    prefer(1, [128, 128], 8, 1),
    prefer(2, [64, 64], 16, 1),
    prefer(4, [64, 64], 16, 1),
    prefer(8, [8, 128], 16, 4),
    prefer(16, [16, 64], 16, 4),
];

/// Tiles of words on a processor that allows workgroups of 512, as lavapipe does. Times there, in
/// 21 rounds, for 64x64 and 128x64: 1024² 1.92 and 1.57; 1080x1920 4.69 and 4.06; 2048² 7.75 and
/// 5.69.
const WIDE_WORDS: [u32; 2] = [128, 64];

/// The last one that is for this problem.
fn of(preferences: &'static [Preference], problem: &Problem) -> &'static Preference {
    let is_for = |own: &&Preference| own.bytes == problem.bytes && bytes(problem) >= own.from << 20;
    preferences.iter().rfind(is_for).expect("there is one for each size of elements")
}

/// The recipe that the rules choose.
pub(crate) fn design(task: &OnDevice<'_>) -> Recipe {
    first_fitting(&candidates(task.problem, task.profile), |recipe| recipe.fit(task).map(drop))
}

/// The first recipe that fits. If none does, one that exceeds a limit: lowering it returns the error
/// that names the limit.
pub(super) fn first_fitting(candidates: &[Recipe], fit: impl Fn(&Recipe) -> Fit<()>) -> Recipe {
    let exceeds = |recipe: &&Recipe| matches!(fit(recipe), Err(Unfit::Limit(_)));
    let fitting = candidates.iter().find(|recipe| fit(recipe).is_ok()).or_else(|| candidates.iter().find(exceeds));
    fitting.or(candidates.last()).copied().unwrap_or(Recipe::Copy)
}

/// Recipes for a problem on a device, best first. The last ones are for devices with little
/// workgroup memory or few invocations.
pub(super) fn candidates(problem: &Problem, profile: &DeviceProfile) -> Vec<Recipe> {
    let mut recipes = Vec::new();
    let small = problem.bytes < 4;
    if !problem.in_place && !small {
        recipes.push(Recipe::Copy);
    }
    if problem.in_place || problem.turned().is_some() {
        if profile.is_cpu() {
            blocks(problem, profile, &mut recipes);
        } else {
            tiles(problem, &mut recipes);
        }
    }
    let any = |workgroup| match (problem.in_place, small) {
        (true, true) => Recipe::Swap { workgroup },
        (true, false) => {
            let [y, x] = workgroup;
            let side = x.min(y);
            Recipe::Blocks(Blocks { tile: [side; 2], width: [problem.bytes; 2], blocks: 1, across: false, walk: Walk::Rows })
        }
        (false, true) => Recipe::Gather { workgroup },
        (false, false) => Recipe::Strided { workgroup, elements: 1 },
    };
    if !problem.in_place && !small {
        // A workgroup is as wide as a row; invocations take several accesses of a longer row.
        let row = problem.axes[0].extent;
        let rows = problem.axes.get(1).map_or(1, |axis| axis.extent);
        let most = profile.invocations.clamp(1, MAX_WORKGROUP);
        recipes.push(if profile.is_cpu() {
            // lavapipe: rows of 24 accesses: 1.31 with 8x32 and 4 accesses each, 2.69 with 32x8
            // and 1. Rows of 480: 2.62 with 8x8 and 8 each, 3.32 with 4 each, 5.90 with 64x4
            // and 1.
            Recipe::Strided { workgroup: workgroup([row, rows], 8, most), elements: row.div_ceil(8).min(8).next_power_of_two() }
        } else {
            // H200, percent of a copy. f32 256³ order=1,0,2, rows of 64 accesses: 95.7 with 64x4
            // and 2 each, 94.7 with 32x8. 64⁴ order=0,2,1,3, rows of 16: 94.4, 96.0, 95.6 with
            // 16x16 and 1, 2, 4 each.
            Recipe::Strided { workgroup: workgroup([row, rows], 64, most), elements: 2 }
        });
    }
    if !problem.in_place && small {
        // Invocations along y are neighbours in the input where those along x are not.
        let turned = problem.turned().is_some();
        recipes.push(any(if turned { [8, 32] } else { [64, 4] }));
    }
    recipes.extend([[16, 16], [8, 4], [32, 1], [1, 1]].map(any));
    recipes
}

/// A workgroup of `most` invocations for rows: so wide, or as wide as the row; as high as is left
/// for the rows there are; and wider where that is less. One row of 65536 words on lavapipe: with
/// 8x32 invocations 3.8 ms, of which 31 of 32 have nothing to do, with 256x1 1.0.
pub(super) fn workgroup([row, rows]: [u32; 2], width: u32, most: u32) -> [u32; 2] {
    let fitting = |extent: u32, most: u32| extent.min(most).next_power_of_two().min(most).max(1);
    let height = fitting(rows, most / fitting(row, width).min(most));
    [fitting(row, most / height), height]
}

/// The bytes of an access on one side: as many as its rows allow, and at most `most`.
fn width(problem: &Problem, side: usize, along: usize, most: u32) -> u32 {
    // An access is no wider than a row: a row of 3 bytes is moved as a word.
    let row = problem.bytes.saturating_mul(problem.axes[along].extent.min(16).next_power_of_two());
    let most = most.min(row.max(4));
    let all = [32, 16, 8, 4].into_iter().filter(|&width| width <= most.max(problem.bytes) && width >= problem.bytes);
    let aligned = all.into_iter().find(|width| problem.aligned(side, along, width / problem.bytes));
    aligned.unwrap_or(if side == 0 && problem.bytes < 4 { most.min(16) } else { problem.bytes.max(4) })
}

fn widths(problem: &Problem, most: u32) -> [u32; 2] {
    let Some([b, a]) = problem.turned() else { return [problem.bytes.max(4); 2] };
    let widths = [width(problem, 0, a, most), width(problem, 1, b, most)];
    if problem.in_place { [widths[0].min(widths[1]); 2] } else { widths }
}

/// The tile for arrays that may be narrower than it. If one side is shorter, the other becomes
/// longer.
fn tile(problem: &Problem, [rows, columns]: [u32; 2], [load, store]: [u32; 2]) -> [u32; 2] {
    let Some([b, a]) = problem.turned() else { return [rows, columns] };
    let fitting = |axis: usize, access: u32, most: u32| problem.axes[axis].extent.next_power_of_two().max(access / problem.bytes).min(most);
    let (own_rows, own_columns) = (fitting(b, store, rows), fitting(a, load, columns));
    if problem.in_place {
        return [own_rows.min(own_columns); 2];
    }
    // The other side grows less than in proportion. H200, percent of a copy: f32 1000x1000x3
    // order=2,0,1 in tiles of 256x4 93.8, 512x4 92.3; u8 4096x4096x3 in 512x4 84.5, 2048x4 81.6.
    let longer = |times: u32| if times > 4 { times / 4 } else { 1 };
    let longer_rows = fitting(b, store, own_rows * longer(columns / own_columns));
    let longer_columns = fitting(a, load, own_columns * longer(rows / own_rows));
    [longer_rows, longer_columns]
}

/// The bytes of the array that a permutation moves.
fn bytes(problem: &Problem) -> u64 {
    problem.axes.iter().map(|axis| u64::from(axis.extent)).product::<u64>() * u64::from(problem.bytes)
}

fn tiles(problem: &Problem, recipes: &mut Vec<Recipe>) {
    let large = LARGE.iter().any(|&(element, mib)| element == problem.bytes && bytes(problem) >= mib << 20);
    let preference = of(if problem.in_place { TILES_IN_PLACE } else { TILES }, problem);
    let width = widths(problem, preference.width);
    if !problem.in_place && problem.bytes < 4 && shifted(problem) {
        shifted_tiles(problem, recipes);
    }
    let walk = match problem.in_place {
        true if problem.bytes <= 4 && bytes(problem) >= LARGEST_IN_PLACE * u64::from(problem.bytes) => BANDS_IN_PLACE,
        false if large => Walk::Columns,
        _ => Walk::Rows,
    };
    if !problem.in_place && stays_in_cache(problem) && width == [16; 2] {
        recipes.push(Recipe::Blocks(Blocks { tile: [64, 64], width, blocks: 1, across: false, walk: Walk::Rows }));
    }
    // If an access is a single element, each invocation moves several: f32 4097x4099 in 64x32 is at
    // 86.5 percent of a copy with 8 blocks, at 85 with 4, and at 73 when walking along rows.
    let single = width == [problem.bytes; 2] && problem.bytes < 16;
    let (base, blocks) = if single && !problem.in_place { ([64, 32], 32 / problem.bytes) } else { (preference.tile, preference.blocks) };
    let walk = if single && !problem.in_place { Walk::Columns } else { walk };
    for shrink in 0..5 {
        let tile = tile(problem, base.map(|side| (side >> shrink).max(1)), width);
        for blocks in [1, 2, 4, 8].map(|times| times * blocks) {
            recipes.push(Recipe::Tiles(Tiles { tile, width, blocks, spread: Spread::Swizzle, walk }));
        }
    }
}

/// Whether long rows of small elements begin within words, on either side.
fn shifted(problem: &Problem) -> bool {
    let word = 4 / problem.bytes;
    let narrow = |axis: usize| problem.axes[axis].extent < 64;
    problem.turned().is_some_and(|[b, a]| !narrow(a) && !narrow(b) && (!problem.aligned(0, a, word) || !problem.aligned(1, b, word)))
}

/// H200, percent of a copy (benches/reports/2026-11-25-transposes), of large arrays along the
/// columns, with a swizzle:
///
/// | | 256x64, load 8 | 512x32, load 8 | the same by rows | 256x64, load 16 | 256x32, load 16 | the same by rows |
/// |---|---|---|---|---|---|---|
/// | u8 16383x16381 | 63 | 62 | 60 | 60 | | |
/// | u8 8191x8191 | 65 | 65 | 61 | 63 | | |
/// | u8 4097x4095 | 68 | 65 | 65 | 64 | | |
/// | f16 8191x8193 | | | | 54 | 69 | 64 |
///
/// Of small ones, with a padding of one access, along the rows: u8 1080x1921 in 128x32 with
/// accesses of 4 bytes 85, 256x32 with loads of 8 79, 1921x1080 76 and 73; f16 1081x1921 in 64x64
/// with loads of 8 77.
fn shifted_tiles(problem: &Problem, recipes: &mut Vec<Recipe>) {
    let is_small = bytes(problem) < 8 << 20;
    let (base, width, spread) = match (problem.bytes, is_small) {
        (1, true) => ([128, 32], [4, 4], Spread::Padding(1)),
        (_, true) => ([64, 64], [8, 4], Spread::Padding(1)),
        (1, false) => ([256, 64], [8, 4], Spread::Swizzle),
        (_, false) => ([256, 32], [16, 4], Spread::Swizzle),
    };
    let walk = if is_small { Walk::Rows } else { Walk::Columns };
    for shrink in 0..3 {
        let tile = tile(problem, base.map(|side| side >> shrink), width);
        recipes.push(Recipe::Tiles(Tiles { tile, width, blocks: 1, spread, walk }));
    }
}

/// Whether a GPU's cache gathers the pieces of rows that blocks store without a tile. f32 1080x1920
/// is at 98.0 percent of a copy without a tile and at 93.6 with one. But rows a multiple of 1 KiB
/// apart compete for the same cache lines (1024²: 91.7 and 97.2), and larger arrays do not fit
/// (3840x2160: 81.5 and 93.2).
fn stays_in_cache(problem: &Problem) -> bool {
    let apart = |axis: &IoDim| axis.strides.iter().all(|stride| !(u64::from(*stride) * u64::from(problem.bytes)).is_multiple_of(1024));
    problem.bytes == 4 && bytes(problem) <= 16 << 20 && problem.axes.iter().all(apart)
}

fn blocks(problem: &Problem, profile: &DeviceProfile, recipes: &mut Vec<Recipe>) {
    let preference = of(BLOCKS, problem);
    let width = widths(problem, preference.width);
    // Invocations take four small blocks each and load them together. f32 1080x1921 loads 4 bytes
    // and stores 16 bytes at a time: in 64x64, lavapipe takes 15.8 ms with four blocks and 20.7
    // with one, SwiftShader 13.3 and 21.7. Blocks of one element, f32 1081x1921: on lavapipe 16x64
    // 16.0 ms, 32x32 17.2, one block 50, naive 33; on SwiftShader 32.6, naive 64. With one larger
    // block each, neighbouring invocations store to neighbouring addresses, which can be 10 to 20%
    // faster than loading from neighbouring addresses.
    let [load, store] = width.map(|width| width / problem.bytes);
    let small = load * store <= 4;
    let base = match (load * store, problem.bytes, problem.in_place) {
        (1, ..) => [16, 64],
        (16, 4, false) if profile.invocations >= 512 => WIDE_WORDS,
        // Tiles are square in place.
        (_, 8, true) => [32, 32],
        _ => preference.tile,
    };
    for shrink in 0..5 {
        let tile = tile(problem, base.map(|side| (side >> shrink).max(1)), width);
        recipes.push(Recipe::Blocks(Blocks { tile, width, blocks: if small { 4 } else { 1 }, across: !small, walk: Walk::Rows }));
    }
    if problem.bytes < 4 && !problem.in_place {
        // For rows of the output that begin within words: u8 1921x1080 takes 8.8 ms on lavapipe,
        // gathered 14.1; on SwiftShader 22 and 29.
        let tile = tile(problem, [256, 64], [4, 4]);
        recipes.push(Recipe::Tiles(Tiles { tile, width: [4, 4], blocks: 4, spread: Spread::Swizzle, walk: Walk::Rows }));
    }
}
