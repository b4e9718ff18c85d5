//! The window without a window: egui renders into a picture.

use egui_kittest::Harness;
use wgpu_fft_egui_guest::App;

#[test]
fn both_panels_are_shown() {
    let build = |context: &mut eframe::CreationContext<'_>| App::new(context).expect("egui renders with wgpu");
    let mut harness = Harness::builder().with_size([1060.0, 580.0]).wgpu().build_eframe(build);
    harness.run();
    let window = harness.render().expect("a picture of the window");
    if let Some(file) = std::env::var_os("WGPU_FFT_PICTURE") {
        window.save(file).expect("written");
    }
    // The middle of the spectrum is bright, its corner dark, and the picture neither.
    let at = |x: f32, y: f32| window.get_pixel((x * window.width() as f32) as u32, (y * window.height() as f32) as u32).0[0];
    assert!(at(0.745, 0.5) > 200, "{}", at(0.745, 0.5));
    assert!(at(0.97, 0.9) < 60, "{}", at(0.97, 0.9));
    assert!((30..230).contains(&at(0.25, 0.9)), "{}", at(0.25, 0.9));
}
