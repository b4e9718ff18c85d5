//! A picture and its spectrum as sprites of bevy, behind a low-pass that moves.
//!
//! `cargo run --release` in this folder opens the window. The transforms run on bevy's own wgpu
//! device. A system of the render graph records them into bevy's encoder, before the cameras draw;
//! they store to the textures of two images. Nothing is copied, and nothing comes to the host.

use std::sync::Arc;

use bevy::asset::RenderAssetUsages;
use bevy::prelude::*;
use bevy::render::extract_resource::{ExtractResource, ExtractResourcePlugin};
use bevy::render::render_asset::RenderAssets;
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat, TextureUsages};
use bevy::render::renderer::{RenderContext, RenderDevice, RenderGraph, RenderGraphSystems, RenderQueue};
use bevy::render::texture::GpuImage;
use bevy::render::{RenderApp, RenderStartup};
use wgpu_fft::fft::C2c;
use wgpu_fft::signal::SpectralFilter;
use wgpu_fft::{DeviceBuffer, Fragment, FragmentArrays, Gpu, Plan, Planner, Texel, View, With, bytemuck, wgpu};

/// The photograph of the other examples, and its width and height.
const PHOTOGRAPH: &[u8] = include_bytes!("../../../data/camera.png");
const SIDE: u32 = 512;
const FORMAT: TextureFormat = TextureFormat::Rgba16Float;

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, FilterPlugin))
        .add_systems(Startup, setup)
        .add_systems(Update, |time: Res<Time>, mut filter: ResMut<LowPass>| filter.cutoff = 0.06 * (1.5 * time.elapsed_secs().sin()).exp())
        .run();
}

/// What the plugin reads: the frequency, in cycles per pixel, and the images that it fills.
#[derive(Resource, Clone)]
struct LowPass {
    cutoff: f32,
    images: [Handle<Image>; 2],
}

impl ExtractResource<RenderApp> for LowPass {
    type Source = Self;

    fn extract_resource(source: &Self) -> Self {
        source.clone()
    }
}

fn setup(mut commands: Commands, mut images: ResMut<Assets<Image>>) {
    let size = Extent3d { width: SIDE, height: SIDE, depth_or_array_layers: 1 };
    // Linear numbers, in a format that shaders store to and cameras sample.
    let image = || {
        let mut image = Image::new_fill(size, TextureDimension::D2, &[0; 8], FORMAT, RenderAssetUsages::RENDER_WORLD);
        image.texture_descriptor.usage |= TextureUsages::STORAGE_BINDING;
        image
    };
    let images = [images.add(image()), images.add(image())];
    commands.spawn(Camera2d);
    for (image, x) in images.iter().zip([-260.0, 260.0]) {
        commands.spawn((Sprite::from_image(image.clone()), Transform::from_xyz(x, 0.0, 0.0)));
    }
    commands.insert_resource(LowPass { cutoff: 0.1, images });
}

/// Fills the images of [`LowPass`] in each frame.
struct FilterPlugin;

impl Plugin for FilterPlugin {
    fn build(&self, app: &mut App) {
        app.add_plugins(ExtractResourcePlugin::<LowPass>::default());
        let Some(render_app) = app.get_sub_app_mut(RenderApp) else { return };
        render_app.add_systems(RenderStartup, plan);
        render_app.add_systems(RenderGraph, compute.in_set(RenderGraphSystems::Begin));
    }
}

/// The plans on bevy's device, and what they read.
#[derive(Resource)]
struct Guest {
    gpu: Gpu,
    /// What the fragments read.
    uniform: wgpu::Buffer,
    photograph: DeviceBuffer<u8>,
    filter: Arc<Plan<SpectralFilter<u8, Texel>>>,
    spectrum: Arc<Plan<C2c<u8, Texel>>>,
}

/// Compiles the plans, once for each device.
fn plan(mut commands: Commands, device: Res<RenderDevice>, queue: Res<RenderQueue>) -> Result {
    let wgpu_queue: &wgpu::Queue = &queue;
    let gpu = Gpu::from_wgpu(device.wgpu_device().clone(), wgpu_queue.clone());
    let planner = Planner::new(&gpu);
    let shape = [SIDE as usize; 2];
    let photograph = gpu.upload(image::load_from_memory(PHOTOGRAPH)?.to_luma8().as_raw())?;
    let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
    let uniform = gpu.device().create_buffer(&wgpu::BufferDescriptor { label: None, size: 4, usage, mapped_at_creation: false });

    let weight = "fn weight(f: vec2<f32>) -> f32 { return exp(-0.5 * dot(f, f) / (cutoff * cutoff)); }";
    let low_pass = Fragment::new("value * weight(vec2(f0, f1))").functions(weight).uniform::<f32>("cutoff", "f32");
    // The numbers of the photograph are as the screen shows them.
    let shown = |code: &str| Fragment::new(code).texels(FORMAT, shape);
    let grey = shown("vec4(srgb_decoded(vec3(clamp(value, 0.0, 1.0))), 1.0)").functions(Fragment::SRGB);
    let filter = SpectralFilter::real(shape, low_pass)?.map_input::<u8>(Fragment::new("f32(value) / 255.0"))?.map_output::<Texel>(grey)?;

    let level = shown("vec4(srgb_decoded(vec3(min(log2(1.0 + weight(vec2(f0, f1)) * length(value)) / 12.75, 1.0))), 1.0)")
        .functions(format!("{weight}\n{}", Fragment::SRGB))
        .uniform::<f32>("cutoff", "f32");
    let middle = i64::from(SIDE / 2);
    let spectrum = C2c::forward(shape)
        .output_part([-middle..middle, -middle..middle])
        .map_input::<u8>(Fragment::new("vec2(f32(value) / 255.0, 0.0)"))?
        .map_output::<Texel>(level)?;

    let (filter, spectrum) = (planner.plan(filter)?, planner.plan(spectrum)?);
    commands.insert_resource(Guest { gpu, uniform, photograph, filter, spectrum });
    Ok(())
}

/// Records the transforms into the frame, from the photograph to the textures of the images.
fn compute(mut context: RenderContext, filter: Option<Res<LowPass>>, guest: Res<Guest>, images: Res<RenderAssets<GpuImage>>) -> Result {
    let Some(filter) = filter else { return Ok(()) };
    guest.gpu.queue().write_buffer(&guest.uniform, 0, bytemuck::bytes_of(&filter.cutoff));
    // An image has a texture from the frame on after it was added.
    let [Some(left), Some(right)] = filter.images.each_ref().map(|image| images.get(image)) else { return Ok(()) };
    let arrays = FragmentArrays::new().with("cutoff", View::<f32>::whole(&guest.uniform)?);
    let encoder = context.command_encoder();
    guest.filter.encode(encoder, With(&guest.photograph, &arrays), &*left.texture)?;
    guest.spectrum.encode(encoder, With(&guest.photograph, &arrays), &*right.texture)?;
    Ok(())
}
