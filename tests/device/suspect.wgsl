// output[i] = input[i] + 1, after as many rounds of work as are asked for, and with the fault that
// is asked for: what the tests of the tuner tune.
//
// Arrays are bound with the guards around them, so that nothing keeps a fault inside.

struct Params {
    length: u32,
    // Elements before the array.
    guard: u32,
    // 0, which the compiler does not know.
    zero: u32,
}

override ROUNDS: u32 = 1u;
// 1 a wrong element, 2 a store past the end, 3 a store to the input.
override FAULT: u32 = 0u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> input: array<u32>;
@group(0) @binding(2) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= params.length) {
        return;
    }
    let i = params.guard + id.x;
    var value = input[i];
    var work = value;
    for (var round = 0u; round < ROUNDS; round++) {
        work = (work ^ (work << 13u)) * 747796405u + round;
    }
    value += 1u + (work & params.zero);
    if (FAULT == 1u && id.x == params.length / 2u) {
        value ^= 1u;
    }
    output[i] = value;
    if (FAULT == 2u && id.x == 0u) {
        output[params.guard + params.length] = 0u;
    }
    if (FAULT == 3u && id.x == 0u) {
        input[i] = 0u;
    }
}
