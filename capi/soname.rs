// Part of the build scripts of both libraries.

/// The number after `.so`: programs that were linked with one number run with it alone.
const INTERFACE: u32 = 0;

fn name_library(name: &str) {
    match std::env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux" | "android" | "freebsd" | "netbsd" | "openbsd") => {
            println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,lib{name}.so.{INTERFACE}");
            // Drivers have threads that run to the end of the process: dlclose must leave their code.
            println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
        }
        Ok("macos") => println!("cargo::rustc-cdylib-link-arg=-Wl,-install_name,@rpath/lib{name}.{INTERFACE}.dylib"),
        _ => {}
    }
}
