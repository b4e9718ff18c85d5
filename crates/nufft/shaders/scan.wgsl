// Replaces each number by the sum of those before it.
@group(0) @binding(1) var<storage, read_write> values: array<u32>;
// The sum of what is before each block, if there are several.
@group(0) @binding(2) var<storage, read> begins: array<u32>;

@compute @workgroup_size(SIZE)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let block = group.y * groups.x + group.x;
    let first = (block * SIZE + local) * EACH;
    let end = min(first + EACH, numbers.len);
    var sum = 0u;
    for (var i = first; i < end; i++) {
        sum += values[i];
    }
    shares[local] = sum;
    workgroupBarrier();
    if local == 0u {
        var begin = 0u;
        if numbers.has_begins != 0u && block * SIZE * EACH < numbers.len {
            begin = begins[block];
        }
        for (var other = 0u; other < SIZE; other++) {
            let share = shares[other];
            shares[other] = begin;
            begin += share;
        }
    }
    workgroupBarrier();
    var before = shares[local];
    for (var i = first; i < end; i++) {
        let value = values[i];
        values[i] = before;
        before += value;
    }
}
