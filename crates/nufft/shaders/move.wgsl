// One step of a radix sort: moves keys and indices to their places by one digit. Those with equal
// digits keep their order, so the result does not depend on what runs first.
@group(0) @binding(2) var<storage, read> indices: array<u32>;
// Where the first of each digit in each block goes.
@group(0) @binding(3) var<storage, read> begins: array<u32>;
@group(0) @binding(4) var<storage, read_write> sorted_keys: array<u32>;
@group(0) @binding(5) var<storage, read_write> sorted_indices: array<u32>;

// By digit, and then by invocation: how many keys it has, and later where the next of them goes.
var<workgroup> next: array<u32, RADIX * SORT_SIZE>;

@compute @workgroup_size(SORT_SIZE)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let block = group.y * groups.x + group.x;
    let points = points();
    for (var digit = 0u; digit < RADIX; digit++) {
        next[digit * SORT_SIZE + local] = 0u;
    }
    let first = (block * SORT_SIZE + local) * SORT_EACH;
    for (var i = first; i < min(first + SORT_EACH, points); i++) {
        next[(keys[i] >> digits.shift) % RADIX * SORT_SIZE + local] += 1u;
    }
    workgroupBarrier();
    if block < digits.blocks && points != 0u {
        for (var digit = local; digit < RADIX; digit += SORT_SIZE) {
            var begin = begins[digit * digits.blocks + block];
            for (var other = 0u; other < SORT_SIZE; other++) {
                let count = next[digit * SORT_SIZE + other];
                next[digit * SORT_SIZE + other] = begin;
                begin += count;
            }
        }
    }
    workgroupBarrier();
    for (var i = first; i < min(first + SORT_EACH, points); i++) {
        let key = keys[i];
        let place = (key >> digits.shift) % RADIX * SORT_SIZE + local;
        let to = next[place];
        next[place] = to + 1u;
        sorted_keys[to] = key;
        sorted_indices[to] = select(indices[i], i, digits.is_first != 0u);
    }
}
