//! The texts of the kernels: the files in `shaders`, with constants before them, and what depends
//! on the number of axes and on the window between their lines.

mod coordinates;

use std::fmt::Write as _;

use coordinates::Coordinates;
use wgpu_fft::DeviceProfile;

use crate::digits::Digits;
use crate::functions::{self, literal};
use crate::geometry::{BIN, CHUNK, CROWD, Geometry};
use crate::real::Real;
use crate::window::Window;

/// Invocations in a workgroup.
pub(crate) const SIZE: u32 = 64;
/// Numbers of an invocation, where it sums or sorts.
pub(crate) const EACH: u32 = 32;
/// Numbers of a workgroup there.
pub(crate) const BLOCK: u32 = SIZE * EACH;

const GRID: &str = include_str!("../shaders/grid.wgsl");
const CORNER: &str = include_str!("../shaders/corner.wgsl");
const SEGMENTS: &str = include_str!("../shaders/segments.wgsl");
const KEYS: &str = include_str!("../shaders/digits.wgsl");
const NUMBERS: &str = include_str!("../shaders/numbers.wgsl");
const TILE: &str = include_str!("../shaders/tile.wgsl");
const LETTERS: [char; 4] = ['x', 'y', 'z', 'w'];

/// The names of all kernels.
const NAMES: [&str; 21] = [
    "bin",
    "bin f64",
    "bin offsets",
    "factors",
    "divided factors",
    "scatter",
    "rank",
    "arrange",
    "count",
    "move",
    "sums",
    "scan",
    "extra",
    "strengths",
    "multiplied strengths",
    "spread",
    "spread of further items",
    "join",
    "interpolate",
    "multiplied interpolate",
    "modes",
];

/// The texts of all kernels for a geometry.
#[derive(Debug)]
pub(crate) struct Texts {
    constants: String,
    pub digits: Digits,
    axes: usize,
    tile: [u32; 3],
    width: u32,
    window: String,
    waves: String,
    /// Whether numbers are f64.
    double: bool,
    /// Complex numbers are loaded as one word of 64 bits each. A processor's shaders load each word
    /// of each invocation by itself, and that takes most of their time.
    int64: bool,
}

impl Texts {
    pub fn new<T: Real>(profile: &DeviceProfile, geometry: &Geometry, window: &Window) -> Self {
        let [x, y, z] = geometry.tile;
        let deep = |axis| u32::from(geometry.axes > axis);
        let digits = Digits::new(profile, geometry.bins());
        let mut constants = String::new();
        let numbers = [
            ("SIZE", SIZE),
            ("EACH", EACH),
            ("RADIX", 1 << digits.bits),
            ("SORT_SIZE", digits.size),
            ("SORT_EACH", digits.each),
            ("AXES", geometry.axes as u32),
            ("PLACE_WORDS", place_words::<T>(geometry.axes) as u32),
            ("BIN", BIN),
            ("CHUNK", CHUNK),
            ("CROWD", CROWD),
            ("WIDTH", window.width),
            ("TILE_X", x),
            ("TILE_Y", y),
            ("TILE_Z", z),
            // Whether points reach beyond their row or plane.
            ("DEEP_Y", deep(1)),
            ("DEEP_Z", deep(2)),
        ];
        for (name, number) in numbers {
            line(&mut constants, format_args!("const {name} = {number}u;"));
        }
        line(&mut constants, format_args!("alias Real = {};", T::NAME));
        line(&mut constants, format_args!("const ONE = {};", literal::<T>(1.0)));
        line(&mut constants, format_args!("const STEP = {};", literal::<T>(2.0 / f64::from(window.width))));
        Self {
            constants,
            digits,
            axes: geometry.axes,
            tile: geometry.tile,
            width: window.width,
            window: functions::window::<T>(window),
            waves: functions::waves::<T>(window),
            double: T::DOUBLE,
            int64: profile.is_cpu() && profile.int64 && !T::DOUBLE,
        }
    }

    fn join(&self, parts: &[&str]) -> String {
        format!("{}\n{}", self.constants, parts.join("\n"))
    }

    /// The texts by their names.
    pub fn all(&self) -> Vec<(&'static str, String)> {
        NAMES.iter().map(|&name| (name, self.text(name))).collect()
    }

    /// The text of a kernel.
    pub fn text(&self, name: &str) -> String {
        match name {
            "bin" => self.bin(if self.double { Coordinates::Radians64 } else { Coordinates::Radians32 }),
            "bin f64" => self.bin(Coordinates::Radians64),
            "bin offsets" => self.bin(Coordinates::Offsets),
            "factors" => self.factors(false),
            "divided factors" => self.factors(true),
            "scatter" => self.join(&[GRID, include_str!("../shaders/scatter.wgsl")]),
            "rank" => self.join(&[GRID, include_str!("../shaders/rank.wgsl")]),
            "arrange" => self.join(&[GRID, include_str!("../shaders/arrange.wgsl")]),
            "count" => self.join(&[KEYS, include_str!("../shaders/count.wgsl")]),
            "move" => self.join(&[KEYS, include_str!("../shaders/move.wgsl")]),
            "sums" => self.join(&[NUMBERS, include_str!("../shaders/sums.wgsl")]),
            "scan" => self.join(&[NUMBERS, include_str!("../shaders/scan.wgsl")]),
            "extra" => self.join(&[GRID, CORNER, SEGMENTS, include_str!("../shaders/extra.wgsl")]),
            "strengths" => self.strengths(false),
            "multiplied strengths" => self.strengths(true),
            "spread" => self.spread(false),
            "spread of further items" => self.spread(true),
            "join" => self.join(&[GRID, CORNER, TILE, include_str!("../shaders/join.wgsl")]),
            "interpolate" => self.interpolate(false),
            "multiplied interpolate" => self.interpolate(true),
            "modes" => self.join(&[GRID, include_str!("../shaders/modes.wgsl")]),
            other => unreachable!("there is no kernel `{other}`"),
        }
    }

    /// A binding of complex numbers, and the function that loads one.
    fn numbers(&self, binding: u32, name: &str) -> String {
        let (element, load) = if self.int64 {
            ("u64", format!("let bits = {name}[i];\n    return vec2(bitcast<f32>(u32(bits)), bitcast<f32>(u32(bits >> 32u)));"))
        } else {
            ("vec2<Real>", format!("return {name}[i];"))
        };
        format!(
            "@group(0) @binding({binding}) var<storage, read> {name}: array<{element}>;\nfn {name}_at(i: u32) -> vec2<Real> {{\n    {load}\n}}\n"
        )
    }

    /// A binding of pairs of complex numbers, and the function that loads one.
    fn pairs(&self, binding: u32) -> String {
        let (element, load) = if self.int64 {
            let halves = "vec2<u32>(u32(bits.x), u32(bits.x >> 32u)), vec2<u32>(u32(bits.y), u32(bits.y >> 32u))";
            ("vec2<u64>", format!("let bits = pairs[i];\n    return bitcast<vec4<f32>>(vec4<u32>({halves}));"))
        } else {
            ("vec4<Real>", "return pairs[i];".to_owned())
        };
        format!(
            "@group(0) @binding({binding}) var<storage, read> pairs: array<{element}>;\nfn pairs_at(i: u32) -> vec4<Real> {{\n    {load}\n}}\n"
        )
    }

    fn strengths(&self, by_factors: bool) -> String {
        self.join(&[GRID, &include_str!("../shaders/strengths.wgsl").replace("// FACTORS\n", &factors(5, by_factors))])
    }

    /// The spreading to the grid by the first items of work, or that of further ones to arrays of
    /// their own.
    fn spread(&self, further: bool) -> String {
        let [tile_x, tile_y, tile_z] = self.tile;
        let (quads, tile) = (tile_x / 4, tile_x * tile_y * tile_z);
        let item = if further {
            "if item >= min(extra[grid.tiles.w], grid.extra) {
        return;
    }
    let tile = tile_of(item);
    var skip = (item - extra[tile] + 1u) * CHUNK;"
        } else {
            "if item >= grid.tiles.w {
        return;
    }
    let tile = item;
    var skip = 0u;"
        };
        let rows = || (0..tile_z).flat_map(move |z| (0..tile_y).map(move |y| (z, y)));
        let (mut accumulators, mut add, mut store) = (String::new(), String::new(), String::new());
        for quad in 0..quads {
            line(&mut add, format_args!("        let x{quad} = window(STEP * (x + {}) - ONE);", self.steps(4 * quad)));
        }
        for (axis, letter) in LETTERS.iter().enumerate().take(self.axes).skip(1) {
            let place = format!("Real(segment.{letter}) + fraction_of(places[{axis}u * grid.points + p], {axis}u, p)");
            line(&mut add, format_args!("        let {letter} = window(STEP * ({place} + {}) - ONE);", self.steps(0)));
        }
        for (z, y) in rows() {
            if self.axes == 3 && y == 0 {
                line(&mut add, format_args!("        let plane{z} = value * z.{};", LETTERS[z as usize]));
            }
            let row = match self.axes {
                1 => "value".to_owned(),
                2 => format!("value * y.{}", LETTERS[y as usize]),
                _ => format!("plane{z} * y.{}", LETTERS[y as usize]),
            };
            line(&mut add, format_args!("        let row{z}{y} = {row};"));
            for quad in 0..quads {
                for (part, letter) in [("re", 'x'), ("im", 'y')] {
                    let name = format!("{part}{z}{y}{quad}");
                    line(&mut accumulators, format_args!("    var {name} = vec4<Real>();"));
                    line(&mut add, format_args!("        {name} += row{z}{y}.{letter} * x{quad};"));
                }
                let (offset, numbers) = (4 * quad, format!("re{z}{y}{quad}, im{z}{y}{quad}"));
                let place = if further {
                    format!("(group.z * grid.extra + item) * {tile}u + {}u, 0u, 4u", (z * tile_y + y) * tile_x + offset)
                } else {
                    format!("group.z * grid.n.w, corner + vec3({offset}u, {y}u, {z}u)")
                };
                line(&mut store, format_args!("    store({place}, {numbers});"));
            }
        }
        let store_function = if further {
            "fn store(first: u32, begin: u32, end: u32, re: vec4<Real>, im: vec4<Real>) {
    for (var i = begin; i < end; i++) {
        cells[first + i] = vec2(re[i], im[i]);
    }
}"
        } else {
            "fn store(first: u32, place: vec3<u32>, re: vec4<Real>, im: vec4<Real>) {
    if place.y >= grid.n.y || place.z >= grid.n.z {
        return;
    }
    let row = first + (place.z * grid.n.y + place.y) * grid.n.x;
    if place.x < grid.n.x {
        cells[row + place.x] = vec2(re.x, im.x);
    }
    if place.x + 1u < grid.n.x {
        cells[row + place.x + 1u] = vec2(re.y, im.y);
    }
    if place.x + 2u < grid.n.x {
        cells[row + place.x + 2u] = vec2(re.z, im.z);
    }
    if place.x + 3u < grid.n.x {
        cells[row + place.x + 3u] = vec2(re.w, im.w);
    }
}"
        };
        let text = include_str!("../shaders/spread.wgsl")
            .replace("// STRENGTHS\n", &self.numbers(3, "strengths"))
            .replace("// ITEM", item)
            .replace("    // ACCUMULATORS\n", &accumulators)
            .replace("        // ADD\n", &add)
            .replace("    // STORE\n", &store);
        let text = if further { text } else { text.lines().filter(|line| !line.contains("(4) var")).collect::<Vec<_>>().join("\n") };
        let mut parts = vec![GRID, CORNER, SEGMENTS, self.fraction(), &self.window, store_function, &text];
        if further {
            parts.push(TILE);
        }
        self.join(&parts)
    }

    fn interpolate(&self, by_factors: bool) -> String {
        let mut sum = String::new();
        // Along the fastest axis cells are loaded in pairs, from an even one on. The window is 0 at
        // those that it does not reach.
        let pairs = self.width / 2 + 1;
        for (axis, letter) in LETTERS.iter().enumerate().take(self.axes) {
            let (place, cells) = match axis {
                0 => ("place".to_owned(), 2 * pairs),
                _ => (format!("places[{axis}u * grid.points + p]"), self.width),
            };
            let before = if axis == 0 { " - Real(first.x % 2u)" } else { "" };
            line(&mut sum, format_args!("    let {letter} = fraction_of({place}, {axis}u, p){before};"));
            for quad in 0..cells.div_ceil(4) {
                let value = format!("window(STEP * ({letter} + {}) - ONE)", self.steps(4 * quad));
                line(&mut sum, format_args!("    let {letter}{quad} = {value};"));
            }
        }
        let weight = |letter, step: u32| format!("{letter}{}.{}", step / 4, LETTERS[step as usize % 4]);
        for pair in 0..pairs {
            line(&mut sum, format_args!("    let pair{pair} = next_cell(first.x / 2u, {pair}u, grid.n.x / 2u);"));
            let [one, other] = [weight('x', 2 * pair), weight('x', 2 * pair + 1)];
            line(&mut sum, format_args!("    let weights{pair} = vec4({one}, {one}, {other}, {other});"));
        }
        let row = |first: &str| {
            let terms: Vec<String> = (0..pairs).map(|pair| format!("weights{pair} * pairs_at({first} + pair{pair})")).collect();
            terms.join(" + ")
        };
        let batch = "group.z * (grid.n.w / 2u)";
        match self.axes {
            1 => line(&mut sum, format_args!("    let both = {};", row(batch))),
            axes => {
                for step in 0..self.width {
                    let cell = format!("next_cell(first.y, {step}u, grid.n.y)");
                    line(&mut sum, format_args!("    let y_row{step} = {cell} * (grid.n.x / 2u);"));
                }
                line(&mut sum, format_args!("    var both = vec4<Real>();"));
                let (plane, target) = if axes == 3 { ("plane", "inner") } else { (batch, "both") };
                if axes == 3 {
                    line(&mut sum, format_args!("    for (var k = 0u; k < WIDTH; k++) {{"));
                    let cell = "next_cell(first.z, k, grid.n.z) * grid.n.y * (grid.n.x / 2u)";
                    line(&mut sum, format_args!("    let plane = {batch} + {cell};"));
                    line(&mut sum, format_args!("    var inner = vec4<Real>();"));
                }
                for step in 0..self.width {
                    line(&mut sum, format_args!("    let row{step} = {plane} + y_row{step};"));
                    line(&mut sum, format_args!("    {target} += {} * ({});", weight('y', step), row(&format!("row{step}"))));
                }
                if axes == 3 {
                    let last = (self.width - 1) / 4;
                    let later = |z, quad| format!("select({z}, z{quad}, k < {}u)", 4 * (quad + 1));
                    let z = (0..last).rev().fold(format!("z{last}"), later);
                    line(&mut sum, format_args!("    let z_weights = {z};\n    both += z_weights[k % 4u] * inner;\n    }}"));
                }
            }
        }
        line(&mut sum, format_args!("    let sum = both.xy + both.zw;"));
        let text = include_str!("../shaders/interpolate.wgsl")
            .replace("    // SUM\n", &sum)
            .replace("// CELLS\n", &self.pairs(4))
            .replace("// FACTORS\n", &factors(6, by_factors));
        self.join(&[GRID, self.fraction(), &self.window, &text])
    }

    /// How far a point's first cell along an axis lies inside of the window's begin.
    fn fraction(&self) -> &'static str {
        if self.double {
            "fn fraction_of(place: u32, axis: u32, p: u32) -> Real {
    let low = Real(places[(axis + AXES) * grid.points + p]);
    return (Real(place & 0xffffffu) * 4294967296.0lf + low) * 1.3877787807814457e-17lf;
}
"
        } else {
            "fn fraction_of(place: u32, axis: u32, p: u32) -> Real {
    return Real(place & 0xffffffu) * 5.9604645e-8;
}
"
        }
    }

    /// Four neighbouring steps.
    fn steps(&self, first: u32) -> String {
        let suffix = if self.double { "lf" } else { "" };
        let steps: Vec<String> = (first..first + 4).map(|step| format!("{step}.0{suffix}")).collect();
        format!("vec4({})", steps.join(", "))
    }
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(text, "{line}").expect("a string takes all text");
}

/// What values at points are multiplied by: factors of the points at a binding, or nothing.
fn factors(binding: u32, by_factors: bool) -> String {
    if by_factors {
        format!(
            "@group(0) @binding({binding}) var<storage, read> factors: array<vec2<Real>>;
fn multiplied(value: vec2<Real>, i: u32) -> vec2<Real> {{
    let factor = factors[i];
    return value.x * factor + value.y * vec2(-factor.y, factor.x);
}}
"
        )
    } else {
        "fn multiplied(value: vec2<Real>, i: u32) -> vec2<Real> { return value; }\n".to_owned()
    }
}

/// How many words the place of a point has.
pub(crate) fn place_words<T: Real>(axes: usize) -> usize {
    if T::DOUBLE { 2 * axes } else { axes }
}
