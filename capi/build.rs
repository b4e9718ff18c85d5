//! Gives the library the name that programs which link it look for.

include!("soname.rs");

fn main() {
    name_library("wgpu_fft");
}
