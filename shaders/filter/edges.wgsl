// The element that stands for one outside an array, along one axis of n elements. An index is
// counted modulo 2³², so that one before the array is a large number.
//
// The functions `near_` are for indices at most n outside; they map every other index to some
// element too. `edge_zero` maps all indices outside to n, which stands for no element.
//
// Rust twin: src/kernels/filter/stencil.rs

fn edge_zero(i: u32, n: u32) -> u32 {
    return min(i, n);
}

fn edge_nearest(i: u32, n: u32) -> u32 {
    return min(select(i, 0u, i >= 0x80000000u), n - 1u);
}

fn near_wrap(i: u32, n: u32) -> u32 {
    let behind = select(i, i + n, i >= 0x80000000u);
    return min(select(behind, behind - n, behind >= n), n - 1u);
}

fn near_reflect(i: u32, n: u32) -> u32 {
    let behind = select(i, ~i, i >= 0x80000000u);
    return min(select(behind, 2u * n - 1u - behind, behind >= n), n - 1u);
}

fn near_mirror(i: u32, n: u32) -> u32 {
    let behind = select(i, 0u - i, i >= 0x80000000u);
    return min(select(behind, 2u * n - 2u - behind, behind >= n), n - 1u);
}

/// The index modulo a period.
fn wrapped(i: u32, period: u32) -> u32 {
    let rest = bitcast<i32>(i) % i32(period);
    return u32(select(rest, rest + i32(period), rest < 0i));
}

fn edge_wrap(i: u32, n: u32) -> u32 {
    return wrapped(i, n);
}

fn edge_reflect(i: u32, n: u32) -> u32 {
    let j = wrapped(i, 2u * n);
    return min(j, 2u * n - 1u - j);
}

fn edge_mirror(i: u32, n: u32) -> u32 {
    let period = max(2u * n - 2u, 1u);
    let j = wrapped(i, period);
    return min(j, period - j);
}
