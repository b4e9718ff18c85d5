// One step of a radix sort: how often each digit occurs in each block of keys.

// By digit, and then by block.
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;

var<workgroup> own: array<atomic<u32>, RADIX>;

@compute @workgroup_size(SORT_SIZE)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let block = group.y * groups.x + group.x;
    let points = points();
    for (var digit = local; digit < RADIX; digit += SORT_SIZE) {
        atomicStore(&own[digit], 0u);
    }
    workgroupBarrier();
    for (var k = 0u; k < SORT_EACH; k++) {
        let i = (block * SORT_EACH + k) * SORT_SIZE + local;
        if i < points {
            atomicAdd(&own[(keys[i] >> digits.shift) % RADIX], 1u);
        }
    }
    workgroupBarrier();
    if block < digits.blocks {
        for (var digit = local; digit < RADIX; digit += SORT_SIZE) {
            counts[digit * digits.blocks + block] = atomicLoad(&own[digit]);
        }
    }
}
