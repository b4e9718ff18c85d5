//! What JavaScript needs of the crate: devices, arrays as bytes, and plans by the text of their
//! specification. The classes that users see are in `js/`; they move the data, and this module
//! plans, binds and submits.
// The planner is made for threads, and there are none.
#![allow(clippy::arc_with_non_send_sync)]

mod array;
mod error;
mod fragment;
mod gpu;
mod inline;
mod plan;
mod stream;

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console, js_name = error)]
    fn say(message: &str);
}

/// A panic is a mistake of this package, and the module stops. The console has what a report needs.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|panic| say(&format!("wgpu-fft: {panic}"))));
}
