//! Gives the library its name, and makes it that of double precision.

include!("../../soname.rs");

fn main() {
    println!("cargo::rerun-if-changed=../../soname.rs");
    println!("cargo::rustc-check-cfg=cfg(double)");
    println!("cargo::rustc-cfg=double");
    name_library("wgpu_fftw3");
}
