//! Gives the library the name that programs which link it look for.

include!("../soname.rs");

fn main() {
    println!("cargo::rerun-if-changed=../soname.rs");
    name_library("wgpu_fft_mpi");
}
