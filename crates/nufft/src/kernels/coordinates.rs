//! The texts of the kernels that take coordinates.

use super::{GRID, LETTERS, Texts, line};

const PRODUCT: &str = include_str!("../../shaders/product.wgsl");
/// In f32 and f64.
const LOCATE: [&str; 2] = [include_str!("../../shaders/locate.wgsl"), include_str!("../../shaders/locate_f64.wgsl")];
const RADIANS: [&str; 2] = [include_str!("../../shaders/radians.wgsl"), include_str!("../../shaders/radians_f64.wgsl")];
const OFFSET: &str = include_str!("../../shaders/offset.wgsl");

/// What the coordinates of points are.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Coordinates {
    /// Angles in f32.
    Radians32,
    /// Angles in f64, whatever the numbers of the transform are.
    Radians64,
    /// Those of type 3 in f64, of which a uniform says what they mean.
    Offsets,
}

impl Texts {
    /// The bindings of coordinates, by axis, of so many bits.
    fn coordinates(&self, bits: u32) -> String {
        let element = if bits == 64 { "vec2<u32>" } else { "u32" };
        let binding = |(axis, letter): (usize, char)| {
            format!("@group(0) @binding({}) var<storage, read> {letter}_coordinates: array<{element}>;\n", 2 + axis)
        };
        LETTERS.into_iter().enumerate().take(self.axes).map(binding).collect()
    }

    /// Finds the places of points.
    pub(super) fn bin(&self, from: Coordinates) -> String {
        let is_offset = from == Coordinates::Offsets;
        let mut places = String::new();
        let mut finite = Vec::new();
        for (axis, letter) in LETTERS.iter().enumerate().take(self.axes) {
            let name = format!("{letter}_coordinates[i]");
            let turn = match (from, self.double) {
                (Coordinates::Radians64, false) => format!("turn_of({name}).yz"),
                (Coordinates::Offsets, is_double) => format!("turn_of({name}, {axis}u){}", if is_double { ".yzw" } else { "" }),
                _ => format!("turn_of({name})"),
            };
            line(&mut places, format_args!("    let {letter} = place_of({turn}, grid.n.{letter});"));
            match axis {
                0 => line(&mut places, format_args!("    places[i] = (x.x << 25u) | mark | x.y;")),
                _ => line(&mut places, format_args!("    places[{axis}u * grid.points + i] = {letter}.y;")),
            }
            if self.double {
                line(&mut places, format_args!("    places[({axis}u + AXES) * grid.points + i] = {letter}.z;"));
            }
            finite.push(if is_offset { "true".to_owned() } else { format!("is_finite({name})") });
        }
        let key = match self.axes {
            1 => "x.x / BIN",
            2 => "y.x * grid.bins.x + x.x / BIN",
            _ => "(z.x * grid.n.y + y.x) * grid.bins.x + x.x / BIN",
        };
        let of = usize::from(self.double);
        let (bits, of_coordinates) = match from {
            Coordinates::Radians32 => (32, RADIANS[0].to_owned()),
            Coordinates::Radians64 => (64, RADIANS[1].to_owned()),
            Coordinates::Offsets => (64, [OFFSET, &words(self.double)].concat()),
        };
        let text = include_str!("../../shaders/bin.wgsl").replace("// COORDINATES\n", &self.coordinates(bits));
        let store = format!(
            "// Stores the place of a point, and returns its bin.
fn store_places(i: u32) -> u32 {{
    let finite = {};
    let mark = select(0x1000000u, 0u, finite);
{places}    return select(0u, {key}, finite);
}}
",
            finite.join(" && ")
        );
        self.join(&[GRID, PRODUCT, LOCATE[of], &of_coordinates, &text, &store])
    }

    /// What multiplies strengths, or values at frequencies, where the window's transform divides too.
    pub(super) fn factors(&self, is_divided: bool) -> String {
        let mut sum = String::new();
        for (axis, letter) in LETTERS.iter().enumerate().take(self.axes) {
            line(&mut sum, format_args!("    let {letter} = offset_of({letter}_coordinates[i], {axis}u);"));
            line(&mut sum, format_args!("    let {letter}_phase = highest(turns_of({letter}, {axis}u, PHASE));"));
            line(&mut sum, format_args!("    turn = added(turn, {letter}_phase.x) + vec2(0u, {letter}_phase.y);"));
            if is_divided {
                line(&mut sum, format_args!("    let {letter}_turn = real_of(highest(turns_of({letter}, {axis}u, PLACE)));"));
                line(&mut sum, format_args!("    scale *= inverse({letter}_turn * {letter}_turn);"));
            }
        }
        let text =
            include_str!("../../shaders/factors.wgsl").replace("// COORDINATES\n", &self.coordinates(64)).replace("    // AXES\n", &sum);
        self.join(&[GRID, PRODUCT, OFFSET, &words(self.double), &self.waves, &text])
    }
}

/// Arithmetic with whole numbers, the lowest word first, without loops: drivers keep these in memory.
fn words(double: bool) -> String {
    let (count, own, high) = if double { (4, "", ".zw") } else { (2, ".xy", "") };
    let list = |word: &dyn Fn(usize) -> String| (0..count).map(word).collect::<Vec<_>>().join(", ");
    let mut text = format!(
        "alias Words = vec{count}<u32>;
fn words_of(words: vec4<u32>) -> Words {{
    return words{own};
}}
fn highest(words: Words) -> vec2<u32> {{
    return words{high};
}}
// A number of 64 bits, so many places to the left.
fn shifted(low: u32, high: u32, places: i32) -> Words {{
    return Words({});
}}
fn plus(a: Words, b: Words, carry: u32) -> Words {{
    var sum = vec2(0u, carry);
",
        list(&|i| format!("bits_from(low, high, {}i - places)", 32 * i))
    );
    for (i, letter) in LETTERS[..count].iter().enumerate() {
        line(&mut text, format_args!("    sum = added(added(vec2(sum.y, 0u), a.{letter}), b.{letter});\n    let word{i} = sum.x;"));
    }
    line(&mut text, format_args!("    return Words({});\n}}", list(&|i| format!("word{i}"))));
    text.push_str(
        "// The highest words of a product with a part of a turn, without whole turns. What is below them is
// left away early, so it is a few units too small.
fn product_of(size: Words, low: vec4<u32>, high: vec4<u32>) -> Words {
    var sum = vec2<u32>();
",
    );
    (count - 1..2 * count).for_each(|i| line(&mut text, format_args!("    var word{i} = 0u;")));
    for (i, letter) in LETTERS[..count].iter().enumerate() {
        for j in count - 1 - i..2 * count - i {
            let (word, of) = (i + j, ["low", "high"][j / 4]);
            let carry = if i + j == count - 1 { "0u" } else { "sum.y" };
            let product = format!("product(size.{letter}, {of}.{})", LETTERS[j % 4]);
            line(&mut text, format_args!("    sum = added(added({product}, word{word}), {carry});\n    word{word} = sum.x;"));
        }
    }
    line(&mut text, format_args!("    return Words({});\n}}", list(&|i| format!("word{}", count + i))));
    text
}
