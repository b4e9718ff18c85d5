// What all kernels know of the fine grid and of the points. Axes are counted from the fastest one
// on.
struct Grid {
    // Cells along each axis, 1 for axes that are not there; their product.
    n: vec4<u32>,
    // Tiles along each axis; their product.
    tiles: vec4<u32>,
    // Bins along the fastest axis; bins.
    bins: vec2<u32>,
    points: u32,
    // Items of work beyond one for each tile: room for so many.
    extra: u32,
}

// The invocation's place among all of a dispatch, whose workgroups may lie along two axes.
fn item_of(group: vec3<u32>, groups: vec3<u32>, local: u32) -> u32 {
    return (group.y * groups.x + group.x) * SIZE + local;
}
