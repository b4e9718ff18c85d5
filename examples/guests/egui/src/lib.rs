//! A picture and its spectrum in a window of egui, with a slider for a low-pass.
//!
//! The transforms run on egui's own wgpu device, `RenderState::device`, and store to the textures that
//! egui shows. So nothing is copied, and the host never sees the results.

use eframe::egui::{self, TextureId, vec2};
use wgpu_fft::With;
use wgpu_fft::fft::C2c;
use wgpu_fft::signal::SpectralFilter;
use wgpu_fft::{Bound, Fragment, FragmentArrays, Gpu, Planner, Texel, View, bytemuck, wgpu};

/// What egui asks for: numbers as the screen shows them.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// The photograph of the other examples, which is square.
const PHOTOGRAPH: &[u8] = include_bytes!("../../../data/camera.png");

/// The program, as egui calls it.
pub struct App {
    gpu: Gpu,
    cutoff: f32,
    /// What the fragments read.
    uniform: wgpu::Buffer,
    /// The filtered picture and its spectrum.
    panels: [Panel; 2],
}

/// A plan with its arrays, and egui's name for the texture that it fills.
struct Panel {
    bound: Bound,
    id: TextureId,
}

impl App {
    /// Borrows egui's device. Compiles the plans, once.
    pub fn new(context: &eframe::CreationContext<'_>) -> Result<Self, Error> {
        let state = context.wgpu_render_state.as_ref().ok_or("egui does not render with wgpu")?;
        let gpu = Gpu::from_wgpu(state.device.clone(), state.queue.clone());
        let planner = Planner::new(&gpu);
        let photograph = image::load_from_memory(PHOTOGRAPH)?.to_luma8();
        let side = photograph.width();
        let shape = [side as usize; 2];
        let input = gpu.upload(photograph.as_raw())?;
        let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let uniform = gpu.device().create_buffer(&wgpu::BufferDescriptor { label: None, size: 4, usage, mapped_at_creation: false });
        let arrays = FragmentArrays::new().with("cutoff", View::<f32>::whole(&uniform)?);

        let weight = "fn weight(f: vec2<f32>) -> f32 {
            return exp(-0.5 * dot(f, f) / (cutoff * cutoff));
        }";
        let low_pass = Fragment::new("value * weight(vec2(f0, f1))").functions(weight).uniform::<f32>("cutoff", "f32");
        let shown = |code: &str| Fragment::new(code).texels(FORMAT, shape);
        let filter = SpectralFilter::real(shape, low_pass)?
            .map_input::<u8>(Fragment::new("f32(value) / 255.0"))?
            .map_output::<Texel>(shown("vec4(vec3(value), 1.0)"))?;

        let level = shown("vec4(vec3(log2(1.0 + weight(vec2(f0, f1)) * length(value)) / 12.75), 1.0)")
            .functions(weight)
            .uniform::<f32>("cutoff", "f32");
        let middle = i64::from(side / 2);
        let spectrum = C2c::forward(shape)
            .output_part([-middle..middle, -middle..middle])
            .map_input::<u8>(Fragment::new("vec2(f32(value) / 255.0, 0.0)"))?
            .map_output::<Texel>(level)?;

        let textures = [texture(&state.device, side), texture(&state.device, side)];
        let [of_filter, of_spectrum] = [
            planner.plan(filter)?.bind(With(&input, &arrays), &textures[0])?,
            planner.plan(spectrum)?.bind(With(&input, &arrays), &textures[1])?,
        ];
        let [left, right] = textures.map(|texture| {
            let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
            state.renderer.write().register_native_texture(&state.device, &view, wgpu::FilterMode::Linear)
        });
        let panels = [Panel { bound: of_filter, id: left }, Panel { bound: of_spectrum, id: right }];
        let app = Self { gpu, cutoff: 0.1, uniform, panels };
        app.compute()?;
        Ok(app)
    }

    /// Computes both panels anew. Commands of one queue run in order, so egui draws what is new.
    fn compute(&self) -> Result<(), Error> {
        self.gpu.queue().write_buffer(&self.uniform, 0, bytemuck::bytes_of(&self.cutoff));
        self.gpu.submit(|encoder| self.panels.iter().try_for_each(|panel| panel.bound.encode(encoder)))?;
        Ok(())
    }
}

impl eframe::App for App {
    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        egui::CentralPanel::default().show(ui, |ui| {
            let slider = egui::Slider::new(&mut self.cutoff, 0.005..=0.5).logarithmic(true).text("cutoff, cycles per pixel");
            if ui.add(slider).changed()
                && let Err(error) = self.compute()
            {
                ui.label(error.to_string());
            }
            let side = (ui.available_width() / 2.0 - 8.0).min(ui.available_height());
            ui.horizontal(|ui| {
                for panel in &self.panels {
                    ui.image((panel.id, vec2(side, side)));
                }
            });
        });
    }
}

fn texture(device: &wgpu::Device, side: u32) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width: side, height: side, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: FORMAT,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::STORAGE_BINDING,
        view_formats: &[],
    })
}
