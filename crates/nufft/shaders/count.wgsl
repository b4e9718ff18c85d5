// One step of a radix sort: how often each digit occurs in each block of keys.

// By digit, and then by block.
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;

var<workgroup> own: array<atomic<u32>, RADIX>;

@compute @workgroup_size(SIZE)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let block = group.y * groups.x + group.x;
    if local < RADIX {
        atomicStore(&own[local], 0u);
    }
    workgroupBarrier();
    for (var k = 0u; k < EACH; k++) {
        let i = block * SIZE * EACH + k * SIZE + local;
        if i < digits.points {
            atomicAdd(&own[(keys[i] >> digits.shift) % RADIX], 1u);
        }
    }
    workgroupBarrier();
    if local < RADIX && block < digits.blocks {
        counts[local * digits.blocks + block] = atomicLoad(&own[local]);
    }
}
