//! For each check kernels written to fail it, and kernels that come close and must pass.

use crate::common::check_table;

#[test]
fn bounds() {
    check_table(&[
        (
            "storage, read",
            "
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) g: vec3u) {
    if g.x == 0u {
        out[t] =
            data[t + 1u]; // OutOfBounds
    }
}",
        ),
        (
            "storage, write",
            "
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    out[id.x] = 1u; // OutOfBounds
}",
        ),
        (
            "storage, guarded",
            "
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    if id.x < arrayLength(&out) { out[id.x] = 1u; }
}",
        ),
        (
            "a pointer that nobody follows",
            "
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let p = &out[id.x];
    if id.x < params.x { *p = 1u; }
}",
        ),
        (
            "workgroup",
            "
var<workgroup> tile: array<array<u32, 4>, 4>;
@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) t: u32) {
    tile[t % 4u][t] = t; // OutOfBounds
}",
        ),
        (
            "workgroup, last element",
            "
var<workgroup> tile: array<array<u32, 4>, 4>;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) t: u32) {
    tile[3u - t][t] = t;
}",
        ),
        (
            "private and function",
            "
var<private> p: array<u32, 4>;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) g: vec3u) {
    var f = array<u32, 3>(1u, 2u, 3u);
    p[t] = 1u;
    let x = f[t] // OutOfBounds
        + p[t + 1u]; // OutOfBounds
    if g.x == 0u { out[t] = x; }
}",
        ),
        (
            "vector",
            "
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) g: vec3u) {
    var v = vec3<u32>(1u, 2u, 3u);
    v[t] = 5u; // OutOfBounds
    let w = vec4<u32>(v, 4u);
    if g.x == 0u { out[t] = w[t]; }
}",
        ),
        (
            "value",
            "
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) g: vec3u) {
    let v = vec3<u32>(params.x, 2u, 3u);
    let x = v[t]; // OutOfBounds
    if g.x == 0u { out[t] = x; }
}",
        ),
        (
            "uniform",
            "
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) g: vec3u) {
    let i = params.w + g.x;
    out[g.x] = params[i]; // OutOfBounds
}",
        ),
        (
            "negative",
            "
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) g: vec3u) {
    let i = i32(t) - 1;
    if g.x == 0u {
        out[i] = 1u; // OutOfBounds
    }
}",
        ),
        (
            "constant index past what is bound",
            "
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) g: vec3u) {
    if g.x == 0u {
        out[63] = 1u;
        out[64] = 1u; // OutOfBounds
    }
}",
        ),
    ]);
}

#[test]
fn unwritten() {
    check_table(&[
        (
            "buffer",
            "
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) g: vec3u) {
    if g.x == 0u {
        data[t] = out[t]; // Unwritten
    }
}",
        ),
        (
            "buffer, written before",
            "
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) g: vec3u) {
    if g.x == 0u { out[t] = 1u; data[t] = out[t]; }
}",
        ),
        (
            "workgroup",
            "
var<workgroup> tile: array<u32, 8>;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) g: vec3u) {
    tile[t] = t;
    workgroupBarrier();
    let x = tile[t + 1u]; // Unwritten
    if g.x == 0u { out[t] = x; }
}",
        ),
        (
            "workgroup, written by the workgroup before",
            "
var<workgroup> tile: array<u32, 4>;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) g: vec3u) {
    if g.x == 0u { tile[t] = t; }
    workgroupBarrier();
    let x = tile[t]; // Unwritten
    if g.x == 0u { out[t] = x; }
}",
        ),
        (
            "workgroup, mirrored",
            "
var<workgroup> tile: array<u32, 4>;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) g: vec3u) {
    tile[t] = t;
    workgroupBarrier();
    let x = tile[3u - t];
    if g.x == 0u { out[t] = x; }
}",
        ),
        (
            "variables are zero",
            "
var<private> p: array<u32, 4>;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) g: vec3u) {
    var f: array<u32, 4>;
    let x = p[t] + f[t];
    if g.x == 0u { out[t] = x; }
}",
        ),
        (
            "atomic in workgroup memory",
            "
var<workgroup> n: atomic<u32>;
@compute @workgroup_size(4)
fn main() {
    atomicAdd(&n, 1u); // Unwritten
}",
        ),
        (
            "atomic, stored before",
            "
var<workgroup> n: atomic<u32>;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) t: u32) {
    if t == 0u { atomicStore(&n, 0u); }
    workgroupBarrier();
    atomicAdd(&n, 1u);
}",
        ),
    ]);
}

#[test]
fn races() {
    check_table(&[
        (
            "read before the barrier",
            "
var<workgroup> tile: array<u32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) g: vec3u) {
    tile[t] = t;
    workgroupBarrier();
    tile[t] = tile[63u - t]; // Race
}",
        ),
        (
            "read after a barrier",
            "
var<workgroup> tile: array<u32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) g: vec3u) {
    tile[t] = t;
    workgroupBarrier();
    let x = tile[63u - t];
    workgroupBarrier();
    tile[t] = x;
}",
        ),
        (
            "write and write",
            "
var<workgroup> n: u32;
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) t: u32) {
    n = t; // Race
}",
        ),
        (
            "between workgroups",
            "
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) g: vec3u) {
    out[t] = g.x; // Race
}",
        ),
        (
            "write beside a read by another workgroup",
            "
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) g: vec3u) {
    let x = data[0]; let y = data[1u - g.x]; if g.x == params.y { data[0] = x + y; } // Race
}",
        ),
        (
            "own places",
            "
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
    data[id.x] = data[id.x] + 1u;
    data[id.x] += data[id.x];
}",
        ),
        (
            "a storage barrier orders no workgroup memory",
            "
var<workgroup> tile: array<u32, 4>;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) g: vec3u) {
    tile[t] = t;
    storageBarrier();
    let x = tile[t ^ 1u]; // Race
}",
        ),
        (
            "a workgroup barrier orders no storage",
            "
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) g: vec3u) {
    data[8u * g.x + t] = t;
    workgroupBarrier();
    let x = data[8u * g.x + (t ^ 1u)]; // Race
}",
        ),
        (
            "a storage barrier does",
            "
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) g: vec3u) {
    data[8u * g.x + t] = t;
    storageBarrier();
    let x = data[8u * g.x + (t ^ 1u)];
}",
        ),
        (
            "atomics",
            "
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) t: u32) {
    atomicAdd(&counters[t / 2u], 1u);
    let x = atomicLoad(&counters[t % 4u]);
    atomicStore(&counters[3], x);
}",
        ),
        (
            "a subgroup barrier orders nothing",
            "
var<workgroup> tile: array<u32, 4>;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) g: vec3u) {
    tile[t] = t;
    subgroupBarrier();
    let x = tile[t ^ 1u]; // Race
}",
        ),
        (
            "a uniform load brings its barriers",
            "
var<workgroup> n: u32;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) g: vec3u) {
    if t == 3u { n = g.x; }
    let x = workgroupUniformLoad(&n);
    if t == 5u { n = x + 1u; }
}",
        ),
    ]);
}

#[test]
fn divergence() {
    check_table(&[
        (
            "barrier in an if",
            "
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) t: u32) {
    if t < 32u {
        workgroupBarrier(); // DivergentBarrier
    }
}",
        ),
        (
            "barrier in an if that all take",
            "
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) g: vec3u) {
    if g.x == 0u { workgroupBarrier(); }
    if t < 64u { workgroupBarrier(); } else { storageBarrier(); }
}",
        ),
        (
            "a return before",
            "
@compute @workgroup_size(100)
fn main(@builtin(local_invocation_index) t: u32) {
    if t >= 70u { return; }
    workgroupBarrier(); // DivergentBarrier
}",
        ),
        (
            "a return of whole workgroups before",
            "
@compute @workgroup_size(100)
fn main(@builtin(workgroup_id) g: vec3u) {
    if g.x == 1u { return; }
    workgroupBarrier();
}",
        ),
        (
            "loops of different lengths",
            "
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) t: u32) {
    for (var i = 0u; i < t; i++) {
        workgroupBarrier(); // DivergentBarrier
    }
}",
        ),
        (
            "loops of one length",
            "
@compute @workgroup_size(100)
fn main(@builtin(local_invocation_index) t: u32) {
    for (var i = 0u; i < params.z; i++) { workgroupBarrier(); }
}",
        ),
        (
            "two barriers in two branches",
            "
@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) t: u32) {
    if t < 64u {
        workgroupBarrier(); // DivergentBarrier
    } else {
        workgroupBarrier();
    }
}",
        ),
        (
            "subgroup operation in an if",
            "
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) t: u32) {
    if t != 3u {
        let x = subgroupAdd(t); // DivergentSubgroup
    }
}",
        ),
        (
            "a subgroup that is not full",
            "
@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) t: u32) {
    let x = subgroupAdd(t);
    let y = subgroupShuffle(t, 2u);
}",
        ),
        (
            "shuffle from outside, used",
            "
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) g: vec3u) {
    let x = subgroupShuffleDown(t, 1u) + 1u;
    if g.x == 0u {
        out[t] = x; // UndefinedShuffle
    }
}",
        ),
        (
            "shuffle from outside, not used",
            "
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) g: vec3u) {
    var v = t;
    v += subgroupShuffleDown(v, 4u);
    v += subgroupShuffleDown(v, 2u);
    v += subgroupShuffleDown(v, 1u);
    if t == 0u { out[g.x] = v; }
}",
        ),
        (
            "shuffle from outside, selected away",
            "
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) g: vec3u) {
    let x = select(0u, subgroupShuffleUp(t, 1u), t > 0u);
    out[8u * g.x + t] = x;
}",
        ),
    ]);
}

#[test]
fn wrapping() {
    check_table(&[
        (
            "a sum",
            "
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) g: vec3u) {
    let i = params.x + 0xffffffe0u;
    out[g.x] = data[i]; // WrappedIndex
}",
        ),
        (
            "a product, through a variable and a function",
            "
fn place(a: u32) -> u32 { return a * 0x40000001u; }
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) g: vec3u) {
    var i = place(params.x);
    if params.y == 1u { i = i + 0u; }
    let x = data[i - 64u]; // WrappedIndex
}",
        ),
        (
            "a hash",
            "
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
    var h = (id.x + 1u) * 2654435769u;
    h = (h ^ (h >> 15u)) * 0x85ebca6bu;
    let x = data[h % 64u] + data[h & 63u] + data[h >> 26u];
    out[id.x] = h + x;
}",
        ),
        (
            "wrap-around that is undone",
            "
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let first = id.x - 20u;
    out[id.x] = data[first + 20u];
}",
        ),
        (
            "wrap-around that is not taken",
            "
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let left = id.x - 1u;
    out[id.x] = data[select(left, 0u, id.x == 0u)] + data[min(left, 63u)];
    if left < 64u { data[left + 32u] = 1u; }
}",
        ),
        (
            "a quotient of a product that wrapped around",
            "
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) g: vec3u) {
    let i = (params.x << 28u) / 16u;
    let x = data[i]; // WrappedIndex
}",
        ),
    ]);
}

#[test]
fn arithmetic() {
    check_table(&[
        (
            "division by zero",
            "
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) g: vec3u) {
    let x = 5u / t // Division
        + 7u % (t - 1u); // Division
}",
        ),
        (
            "the smallest by -1",
            "
@compute @workgroup_size(1)
fn main() {
    let a = -2147483647 - i32(params.y);
    let x = a / -i32(params.y); // Division
}",
        ),
        (
            "division where nobody is",
            "
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) t: u32) {
    var x = 0u;
    if t != 0u { x = 5u / t; }
    let y = -5 / (i32(t) - 5);
}",
        ),
        (
            "shift",
            "
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) t: u32) {
    let x = 1u << (t + 29u); // Shift
    let y = 1u >> (t + 28u);
}",
        ),
        (
            "conversion",
            "
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) t: u32) {
    let x = u32(f32(t) - 1.0); // Conversion
    let y = i32(f32(t) - 1.5) + i32(-2147483648.0 + f32(t)) + i32(u32(f32(t) - 0.5));
}",
        ),
        (
            "a loop without end",
            "
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) t: u32) {
    var i = 0u;
    loop { // EndlessLoop
        if i > 3u && t < 3u { break; }
        i = i + 1u;
    }
}",
        ),
        (
            "a long loop",
            "
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) t: u32) {
    for (var i = 0u; i < 4000u; i++) {}
}",
        ),
    ]);
}
