//! Control flow, functions, pointers and memory: what kernels compute.

use crate::common::{DECLARATIONS, memory};
use wgsl_sanitizer::{Binding, Buffer, Config, Shader};

/// `out` of 64 invocations, each of which stores at its place what `f(t)` gives. Without findings,
/// in lockstep of 64 and of 8.
fn out(functions: &str) -> Vec<u32> {
    let text = format!(
        "{functions}\n@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) t: u32) {{ out[t] = f(t); }}\n{DECLARATIONS}"
    );
    let mut results = [8, 64].map(|lockstep| {
        let shader = Shader::new(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let kernel = shader.entry("main").unwrap().compile().unwrap_or_else(|e| panic!("{e}\n{text}"));
        let (mut memory, bindings) = memory();
        let config = Config { lockstep, subgroup_size: 8, ..Config::default() };
        let report = kernel.dispatch([1, 1, 1], &mut memory, &bindings, &config).unwrap();
        assert!(report.is_clean(), "{report}\n{text}");
        memory[bindings[2].buffer].to_vec::<u32>()
    });
    assert_eq!(results[0], results[1]);
    std::mem::take(&mut results[0])
}

fn check(functions: &str, f: impl Fn(u32) -> u32) {
    assert_eq!(out(functions), (0..64).map(f).collect::<Vec<_>>(), "{functions}");
}

#[test]
fn branches() {
    check("fn f(t: u32) -> u32 { var x = 0u; if t < 10u { x = 1u; } else if t < 20u { x = 2u; } else { x = 3u; } return x + t; }", |t| {
        t + if t < 10 {
            1
        } else if t < 20 {
            2
        } else {
            3
        }
    });
    check("fn f(t: u32) -> u32 { if t % 3u == 0u { return 7u; } if t % 3u == 1u { return t; } return t * t; }", |t| match t % 3 {
        0 => 7,
        1 => t,
        _ => t * t,
    });
    check(
        "fn f(t: u32) -> u32 { var x = t; if t > 5u && data[t - 5u] > 20u { x = 100u; } if t < 3u || t > 60u { x += 1u; } return x; }",
        |t| {
            let x = if t > 5 && t - 5 > 20 { 100 } else { t };
            if !(3..=60).contains(&t) { x + 1 } else { x }
        },
    );
}

#[test]
fn loops() {
    check(
        "fn f(t: u32) -> u32 { var s = 0u; for (var i = 0u; i < t; i++) { if i % 2u == 0u { continue; } if i > 20u { break; } s += i; } return s; }",
        |t| (0..t).filter(|i| i % 2 == 1).take_while(|&i| i <= 20).sum(),
    );
    check(
        "fn f(t: u32) -> u32 { var a = t + 27u; var n = 0u; while a != 1u { if a % 2u == 0u { a /= 2u; } else { a = 3u * a + 1u; } n++; } return n; }",
        |t| {
            let (mut a, mut n) = (t + 27, 0);
            while a != 1 {
                a = if a % 2 == 0 { a / 2 } else { 3 * a + 1 };
                n += 1;
            }
            n
        },
    );
    check(
        "fn f(t: u32) -> u32 { var i = 0u; var s = 0u; loop { let x = i * 3u; s += x; continuing { i += 2u; break if x > t; } } return s; }",
        |t| {
            let (mut i, mut s) = (0, 0);
            loop {
                let x = i * 3;
                s += x;
                i += 2;
                if x > t {
                    return s;
                }
            }
        },
    );
    check("fn f(t: u32) -> u32 {
        var s = 0u;
        for (var i = 0u; i < 8u; i++) { var k = 0u; for (var j = 0u; j < 8u; j++) { if j * i > t { break; } k += j; if k > 30u { return s; } } s += k; }
        return s; }", |t| {
        let mut s = 0;
        for i in 0..8 {
            let mut k = 0;
            for j in 0..8 {
                if j * i > t {
                    break;
                }
                k += j;
                if k > 30 {
                    return s;
                }
            }
            s += k;
        }
        s
    });
    // A variable is new in each turn.
    check("fn f(t: u32) -> u32 { var s = 0u; for (var i = 0u; i < 5u; i++) { var x: u32; x += i; s += x; } return s; }", |_| 10);
}

#[test]
fn switches() {
    check("fn f(t: u32) -> u32 {
        var x = 1u;
        switch t % 7u { case 0u, 3u: { x = 10u; } case 1u: { if t > 30u { break; } x = 20u; } case 2u, default: { x = 30u; } case 6u: { return 5u; } }
        return x + 1u; }", |t| match t % 7 {
        0 | 3 => 11,
        1 => if t > 30 { 2 } else { 21 },
        6 => 5,
        _ => 31,
    });
    check("fn f(t: u32) -> u32 {
        var s = 0u;
        for (var i = 0u; i < 6u; i++) { switch (i + t) % 4u { case 0u: { continue; } case 1u: { switch i { case 2u: { s += 100u; } default: { s += 1u; } } } default: { s += 10u; } } s += 1000u; }
        return s; }", |t| {
        let mut s = 0;
        for i in 0..6 {
            match (i + t) % 4 {
                0 => continue,
                1 => s += if i == 2 { 100 } else { 1 },
                _ => s += 10,
            }
            s += 1000;
        }
        s
    });
    check("fn f(t: u32) -> u32 { switch i32(t) - 3 { case -1: { return 1u; } default: { return 2u; } } }", |t| if t == 2 { 1 } else { 2 });
}

#[test]
fn functions_and_pointers() {
    check(
        "fn g(p: ptr<function, u32>, n: u32) -> bool { *p += n; if *p > 40u { return true; } *p *= 2u; return false; }
        fn f(t: u32) -> u32 { var x = t; if g(&x, 3u) { return x; } let again = g(&x, 1u); return x + select(0u, 1000u, again); }",
        |t| {
            let g = |p: &mut u32, n| {
                *p += n;
                if *p > 40 {
                    return true;
                }
                *p *= 2;
                false
            };
            let mut x = t;
            if g(&mut x, 3) {
                return x;
            }
            let again = g(&mut x, 1);
            x + if again { 1000 } else { 0 }
        },
    );
    check(
        "var<private> calls: u32 = 5u;
        fn g(x: u32) -> u32 { calls += 1u; for (var i = 0u; ; i++) { if i * i > x { return i; } } return 0u; }
        fn f(t: u32) -> u32 { let a = g(t); let b = g(2u * t); return a + 10u * b + 1000u * calls; }",
        |t| {
            let g = |x| (0..).find(|i| i * i > x).unwrap();
            g(t) + 10 * g(2 * t) + 7000
        },
    );
    check("struct S { a: u32, b: array<vec2<u32>, 3>, c: mat2x2<f32> }
        fn g(s: S) -> S { var r = s; r.b[s.a % 3u].y = 9u; r.c[1][s.a % 2u] = 4.0; return r; }
        fn f(t: u32) -> u32 { var s: S; s.a = t; s.b[1] = vec2(t, 1u); let r = g(s); return r.b[0].y + 10u * r.b[1].y + 100u * r.b[2].y + u32(r.c[1].y) * 1000u; }", |t| {
        let mut y = [0, 1, 0];
        y[t as usize % 3] = 9;
        y[0] + 10 * y[1] + 100 * y[2] + if t % 2 == 1 { 4000 } else { 0 }
    });
    check(
        "const TABLE = array<u32, 4>(3u, 1u, 4u, 1u);
        fn f(t: u32) -> u32 { var v = vec4<u32>(t); v[t % 4u] = 7u; let w = v.zyx; return TABLE[t % 4u] + 10u * w[t % 3u]; }",
        |t| {
            let mut v = [t; 4];
            v[t as usize % 4] = 7;
            [3, 1, 4, 1][t as usize % 4] + 10 * [v[2], v[1], v[0]][t as usize % 3]
        },
    );
}

#[test]
fn workgroup_memory_and_atomics() {
    check("var<workgroup> tile: array<array<vec2<u32>, 8>, 8>;
        fn f(t: u32) -> u32 { tile[t / 8u][t % 8u] = vec2(t, 2u * t); workgroupBarrier(); let v = tile[t % 8u][t / 8u]; return v.x + v.y; }", |t| {
        3 * (t % 8 * 8 + t / 8)
    });
    check(
        "var<workgroup> n: atomic<u32>; var<workgroup> flags: array<bool, 64>;
        fn f(t: u32) -> u32 {
            if t == 0u { atomicStore(&n, 100u); }
            flags[t] = t % 2u == 0u;
            workgroupBarrier();
            atomicAdd(&n, t); atomicMax(&n, 50u); atomicSub(&n, 1u);
            workgroupBarrier();
            return atomicLoad(&n) + select(0u, 1u, flags[63u - t]); }",
        |t| 100 + 2016 - 64 + t % 2,
    );
    check("fn f(t: u32) -> u32 {
            atomicOr(&counters[0], 1u << (t % 32u)); atomicXor(&counters[1], t); atomicAnd(&counters[2], 0u); atomicMin(&counters[3], t); 
            loop { let old = atomicLoad(&counters[4]); let r = atomicCompareExchangeWeak(&counters[4], old, old + 2u); if r.exchanged { break; } }
            storageBarrier();
            return atomicLoad(&counters[0]) / 65536u + atomicLoad(&counters[1]) + atomicLoad(&counters[4]) + atomicExchange(&counters[8u + t % 4u * 0u + t % 56u], 0u); }",
        |_| 65535 + 128);
}

#[test]
fn quads() {
    check(
        "fn f(t: u32) -> u32 { return quadSwapX(t) + 100u * quadSwapY(t) + 10000u * quadSwapDiagonal(t) + 1000000u * (quadBroadcast(t, 2u) % 64u); }",
        |t| (t ^ 1) + 100 * (t ^ 2) + 10000 * (t ^ 3) + 1000000 * (t & !3 | 2),
    );
}

#[test]
fn wide_values() {
    check(
        "var<workgroup> sum: atomic<u64>;
        fn f(t: u32) -> u32 {
            if t == 0u { atomicStore(&sum, 0lu); }
            workgroupBarrier();
            atomicAdd(&sum, u64(t) << 33u);
            workgroupBarrier();
            var v = array<vec2<f64>, 2>(vec2(0.5lf, f64(t)), vec2(2.0lf));
            v[t % 2u][1] *= 3.0lf;
            let m = subgroupMax(u64(t) << 40u);
            return u32(atomicLoad(&sum) >> 33u) + u32(v[0].y + v[1].y) + u32(m >> 40u) * 10000u; }",
        |t| 2016 + if t % 2 == 0 { 3 * t + 2 } else { t + 6 } + (t / 8 * 8 + 7) * 10000,
    );
}

#[test]
fn matrices_and_vectors_by_index() {
    check(
        "fn f(t: u32) -> u32 {
            var m = mat3x2<f32>(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
            m[t % 3u][t % 2u] += 10.0; m[1] *= 2.0;
            let column = m[(t + 1u) % 3u];
            let big = m * 2.0 + m;
            return u32(column.x + 100.0 * column.y) + u32(big[2][1]) * 10000u + select(0u, 1000000u, all(column > vec2(3.0))); }",
        |t| {
            let mut m = [[1u32, 2], [3, 4], [5, 6]];
            m[t as usize % 3][t as usize % 2] += 10;
            m[1] = m[1].map(|x| 2 * x);
            let column = m[(t as usize + 1) % 3];
            column[0] + 100 * column[1] + 3 * m[2][1] * 10000 + if column[0] > 3 && column[1] > 3 { 1000000 } else { 0 }
        },
    );
}

#[test]
fn subgroups() {
    for size in [1u32, 4, 8, 32, 64, 128] {
        let text = "
@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) t: u32, @builtin(subgroup_invocation_id) i: u32, @builtin(subgroup_id) s: u32,
    @builtin(subgroup_size) size: u32, @builtin(num_subgroups) n: u32) {
    var x = subgroupAdd(t) + subgroupMax(t) * 3u + subgroupMin(t) * 5u + subgroupExclusiveAdd(t) * 7u + subgroupInclusiveAdd(t) * 11u;
    x += subgroupBroadcast(t, 0u) * 13u + subgroupBroadcastFirst(t) * 17u + subgroupShuffleXor(t, size / 2u) * 19u;
    x += countOneBits(subgroupBallot(t % 2u == 0u).x) * 23u + subgroupShuffle(t, size - 1u - i) * 29u + n + s * 31u + size;
    let up = subgroupShuffleUp(t, 1u);
    if i > 0u { x += up; }
    if subgroupAll(t < 128u) && subgroupAny(t % size == 0u) { x += 1u; }
    out[t] = x;
}";
        let shader = Shader::new(&format!("{text}{DECLARATIONS}")).unwrap();
        let kernel = shader.entry("main").unwrap().compile().unwrap();
        let (mut memory, mut bindings) = memory();
        bindings[2] = Binding::whole(0, 2, memory.add(Buffer::unwritten(512)));
        let report = kernel.dispatch([1, 1, 1], &mut memory, &bindings, &Config { subgroup_size: size, ..Config::default() }).unwrap();
        assert!(report.is_clean(), "{report}");
        for t in 0..128u32 {
            let first = t / size * size;
            let lanes = first..first + size;
            let i = t - first;
            let mut x =
                lanes.clone().sum::<u32>() + 3 * (lanes.end - 1) + 5 * first + 7 * (first..t).sum::<u32>() + 11 * (first..=t).sum::<u32>();
            x += 13 * first + 17 * first + 19 * (first + (i ^ (size / 2)));
            x += 23 * lanes.clone().take(32).filter(|t| t % 2 == 0).count() as u32
                + 29 * (first + size - 1 - i)
                + 128 / size
                + t / size * 31
                + size;
            x += if i > 0 { t - 1 } else { 0 } + 1;
            assert_eq!(memory[bindings[2].buffer].to_vec::<u32>()[t as usize], x, "subgroups of {size}, invocation {t}");
        }
    }
}
