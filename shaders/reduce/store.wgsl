// The end of a reduction of lines in which every part of a line has a result of its own.
//
// Rust twin: src/kernels/reduce/lines.rs

/// Stores the result of a part.
fn store_result(value: Value, first_line: u32, part: u32, t: u32, lane: u32) {
    let line = first_line + t / LANES;
    if (lane == 0u && line < params.lines) {
        store(params.first_result + line * params.parts + part, value);
    }
}
