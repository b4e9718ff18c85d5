// What strengths at points are multiplied by, or values at frequencies: a wave, and for frequencies
// what undoes the window's transform.
@group(0) @binding(0) var<uniform> grid: Grid;
// COORDINATES
@group(0) @binding(5) var<storage, read_write> factors: array<vec2<Real>>;

// exp(2πi · turn), of units of 2^-64: from the middle of the nearest quarter on.
fn wave(turn: vec2<u32>) -> vec2<Real> {
    let quarter = (turn.y + 0x20000000u) >> 30u;
    let rest = real_of(vec2(turn.x, turn.y - (quarter << 30u)));
    let square = rest * rest;
    let z = vec2(cosine(square), rest * sine(square));
    let turned = select(z, vec2(-z.y, z.x), (quarter & 1u) != 0u);
    return select(turned, -turned, (quarter & 2u) != 0u);
}

@compute @workgroup_size(SIZE)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let i = item_of(group, groups, local);
    if i >= grid.points {
        return;
    }
    var turn = vec2<u32>();
    var scale = ONE;
    // AXES
    factors[i] = scale * wave(turn);
}
