// The sum of frames that overlap: output[i] = Σₚ frame p [i + before - skip - p * hop], over the
// frames p that reach element i, in ascending order. Elements that no frame reaches are 0.
//
// The frames of a signal lie one after the other, and so do the signals. Elements are numbers, or
// pairs of them. Each invocation computes one number.
//
// Grid: one workgroup per WORKGROUP numbers of the output; folded.
// Traffic: each number of the frames once in, the output once out.
// Requires: less than 2^32 numbers on each side, and less than 2^32 elements from the begin of frame
// 0 to the end of the signal.
// Rust twin: src/kernels/signal/overlap_add.rs
// Appended: grid.wgsl

override WORKGROUP: u32 = 256u;

struct Params {
    /// Numbers of an element: 1 or 2.
    parts: u32,
    /// Elements of a signal.
    signal: u32,
    /// Numbers of all signals.
    numbers: u32,
    /// Frames of a signal.
    frames: u32,
    /// Elements of a frame.
    frame: u32,
    /// Elements from one frame to the next.
    hop: u32,
    /// By how much frame 0 begins before the signal.
    before: u32,
    /// By how much it begins later.
    skip: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> input: array<f32>;
@group(0) @binding(2) var<storage, read_write> output: array<f32>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) group_count: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let index = workgroup_index(group_id, group_count);
    // Surplus workgroups would begin past 2^32.
    if (index > (params.numbers - 1u) / WORKGROUP) {
        return;
    }
    let i = index * WORKGROUP + local.x;
    if (i >= params.numbers) {
        return;
    }
    let element = i / params.parts;
    let part = i % params.parts;
    let signal = element / params.signal;
    let time = element % params.signal + params.before;
    var sum = 0.0;
    if (time >= params.skip) {
        let at = time - params.skip;
        let last = min(at / params.hop, params.frames - 1u);
        var p = 0u;
        if (at >= params.frame) {
            p = (at - params.frame) / params.hop + 1u;
        }
        for (; p <= last; p++) {
            let place = (signal * params.frames + p) * params.frame + (at - p * params.hop);
            sum += input[place * params.parts + part];
        }
    }
    output[i] = sum;
}
