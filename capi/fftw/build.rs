//! Gives the library the name that programs which link it look for.

include!("../soname.rs");

fn main() {
    println!("cargo::rerun-if-changed=../soname.rs");
    println!("cargo::rustc-check-cfg=cfg(double)");
    name_library("wgpu_fftw3f");
}
