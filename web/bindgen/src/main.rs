//! `wgpu-fft-bindgen IN.wasm OUT_FOLDER NAME`: an ES module for browsers, and its types.

use std::error::Error;
use std::path::PathBuf;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(input), Some(folder), Some(name)) = (arguments.next(), arguments.next(), arguments.next()) else {
        return Err("usage: wgpu-fft-bindgen IN.wasm OUT_FOLDER NAME".into());
    };
    let name = name.to_str().ok_or("the name is not UTF-8")?;
    Bindgen::new().input_path(PathBuf::from(input)).web(true)?.typescript(true).out_name(name).generate(PathBuf::from(folder))?;
    Ok(())
}
