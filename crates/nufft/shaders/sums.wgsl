// The sum of each block of numbers.
@group(0) @binding(1) var<storage, read> values: array<u32>;
@group(0) @binding(2) var<storage, read_write> sums: array<u32>;

@compute @workgroup_size(SIZE)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let block = group.y * groups.x + group.x;
    var sum = 0u;
    for (var k = 0u; k < EACH; k++) {
        let i = block * SIZE * EACH + k * SIZE + local;
        if i < numbers.len {
            sum += values[i];
        }
    }
    shares[local] = sum;
    workgroupBarrier();
    if local == 0u && block * SIZE * EACH < numbers.len {
        var total = 0u;
        for (var other = 0u; other < SIZE; other++) {
            total += shares[other];
        }
        sums[block] = total;
    }
}
