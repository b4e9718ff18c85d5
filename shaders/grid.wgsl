// Linear workgroup index of a folded grid.
//
// WebGPU allows 65,535 workgroups per axis. The host folds a longer row of workgroups into a rectangle
// (`Grid::linear`); this function unfolds it. The rectangle may hold a few workgroups more than were asked for,
// so a kernel compares the index with its own count.
//
// Rust twin: src/kernels/grid.rs

fn workgroup_index(id: vec3<u32>, count: vec3<u32>) -> u32 {
    return id.y * count.x + id.x;
}
