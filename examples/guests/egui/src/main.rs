//! `cargo run --release` in this folder opens the window.

use eframe::egui::ViewportBuilder;
use wgpu_fft_egui_guest::App;

fn main() -> eframe::Result {
    let options = eframe::NativeOptions {
        renderer: eframe::Renderer::Wgpu,
        viewport: ViewportBuilder::default().with_inner_size([1060.0, 580.0]),
        ..Default::default()
    };
    eframe::run_native("A picture and its spectrum", options, Box::new(|context| Ok(Box::new(App::new(context)?))))
}
