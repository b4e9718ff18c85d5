//! The arrays of a pass, in one binding or several, and the functions that load from and store to them.

use super::Setting;
use crate::kernels::fft::pass::{self, Bound, DATA, INPUTS, Numbers, OUTPUTS, Pass, ROOTS, Side};
use crate::kernels::{Access, Bind};

/// Declares the arrays and the functions that load from and store to them.
pub(super) fn declare(text: &mut String, pass: &Pass, setting: &Setting) {
    let is_real = |side: &Side| matches!(side.numbers, Numbers::Real | Numbers::RealPair(_));
    let in_place = setting.input.slot == setting.output.slot;
    // A store of one component of a vec2 may touch its neighbour, so an array that takes reals is one of reals.
    let element = |side: &Side| if is_real(side) { "f32" } else { "vec2<f32>" };
    let (inputs, outputs) = if in_place { (&DATA, &DATA) } else { (&INPUTS, &OUTPUTS) };
    let of_output = element(&pass.store);
    let of_input = if in_place { of_output } else { element(&pass.load) };
    for Bind { binding, name, access, .. } in pass::binds(setting.input, setting.output, setting.roots) {
        let (access, element) = match access {
            // The first binding of the constants stands in the file.
            Access::Read if name == ROOTS[0] => continue,
            Access::Read if ROOTS.contains(&name) => ("read", "vec2<f32>"),
            Access::Read => ("read", of_input),
            Access::ReadWrite => ("read_write", of_output),
        };
        text.push_str(&format!("@group(0) @binding({binding}) var<storage, {access}> {name}: array<{element}>;\n"));
    }
    let size = |element: &str| if element == "f32" { 4 } else { 8 };
    // Of each piece of the array the statement with the index in that piece.
    let pieces = |names: &[&str], bound: &Bound, size: u64, statement: &dyn Fn(&str, &str) -> String| {
        let count = bound.segments();
        let per_segment = bound.segment / size;
        let mut lines = String::new();
        for (i, name) in names.iter().take(count).enumerate() {
            let begin = per_segment * i as u64;
            let index = if i == 0 { "i".to_owned() } else { format!("i - {begin}u") };
            let statement = statement(name, &index);
            if i + 1 < count {
                lines.push_str(&format!("    if (i < {}u) {{\n        {statement}\n    }}\n", begin + per_segment));
            } else {
                lines.push_str(&format!("    {statement}\n"));
            }
        }
        lines
    };
    let load = |name: &str, index: &str| format!("return {name}[{index}];");
    text.push('\n');
    match (is_real(&pass.load), of_input) {
        (false, "f32") => {
            // Both parts lie in one piece, as pieces are of whole complex numbers.
            text.push_str("fn load_word(i: u32) -> f32 {\n");
            text.push_str(&pieces(inputs, &setting.input, 4, &load));
            text.push_str("}\n\nfn load(i: u32) -> vec2<f32> {\n    return vec2<f32>(load_word(2u * i), load_word(2u * i + 1u));\n}\n\n");
        }
        (true, "vec2<f32>") => {
            text.push_str("fn load_pair(i: u32) -> vec2<f32> {\n");
            text.push_str(&pieces(inputs, &setting.input, 8, &load));
            text.push_str(
                "}\n\nfn load(i: u32) -> f32 {\n    let pair = load_pair(i / 2u);\n    return select(pair.x, pair.y, i % 2u == 1u);\n}\n\n",
            );
        }
        _ => {
            text.push_str(&format!("fn load(i: u32) -> {of_input} {{\n"));
            text.push_str(&pieces(inputs, &setting.input, size(of_input), &load));
            text.push_str("}\n\n");
        }
    }
    text.push_str(&format!("fn store(i: u32, value: {of_output}) {{\n"));
    let last = setting.output.segments() - 1;
    text.push_str(&pieces(outputs, &setting.output, size(of_output), &|name, index| {
        let ends = if name == outputs[last] { "" } else { " return;" };
        format!("{name}[{index}] = value;{ends}")
    }));
    text.push_str("}\n\n");
    if setting.roots.segments() > 1 {
        text.push_str("fn constant(i: u32) -> vec2<f32> {\n");
        text.push_str(&pieces(&ROOTS, &setting.roots, 8, &load));
        text.push_str("}\n\n");
    }
}
