// Linear workgroup index in a folded grid.
//
// WebGPU allows 65,535 workgroups per axis. The host folds a longer row of workgroups into a
// rectangle (`Grid::linear`), and this function unfolds it. The rectangle may contain a few surplus
// workgroups, so a kernel must compare the index with its own number of workgroups.
//
// Rust twin: src/kernels/grid.rs

fn workgroup_index(id: vec3<u32>, count: vec3<u32>) -> u32 {
    return id.y * count.x + id.x;
}
