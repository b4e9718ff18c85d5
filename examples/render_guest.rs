//! A guest in a program that renders: a texture, its spectrum, what a filter leaves of it, and a
//! render pass that shows all three, in one encoder on the program's own device.
//!
//! ```text
//! cargo run --release --example render_guest -- [OPTIONS] [PICTURE]
//! ```
//!
//! The program opens wgpu itself; `Gpu::from_wgpu` borrows its device. The picture is a texture, as
//! games and viewers have it. Two plans load its texels and store theirs to textures, which the
//! fragment shader of the render pass reads. Nothing is copied in between, and nothing comes to the
//! host but the rendered picture, which a program with a window would not need either.

mod support;

use std::process::ExitCode;

use image::RgbaImage;
use support::{Options, Result};
use wgpu_fft::wgpu::{self, util::DeviceExt};
use wgpu_fft::{Fragment, Gpu, Texel, fft::C2c, signal::SpectralFilter};

const USAGE: &str = "Renders a picture beside its spectrum and its edges, on a device that the program has opened itself.

Usage: render_guest [OPTIONS] [PICTURE]
";

/// A triangle that covers everything. From left to right it shows the picture, the levels of its
/// spectrum, and its edges.
const SHOW: &str = "
@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var levels: texture_2d<f32>;
@group(0) @binding(2) var edges: texture_2d<f32>;

@vertex
fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
    return vec4(f32(i & 1u) * 4.0 - 1.0, f32(i & 2u) * 2.0 - 1.0, 0.0, 1.0);
}

@fragment
fn colour(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let size = textureDimensions(picture);
    let pixel = vec2<u32>(at.xy);
    if (pixel.x < size.x) {
        return vec4(textureLoad(picture, pixel, 0).rrr, 1.0);
    }
    if (pixel.x >= 2u * size.x) {
        return vec4(textureLoad(edges, pixel - vec2(2u * size.x, 0u), 0).rrr, 1.0);
    }
    let level = textureLoad(levels, pixel - vec2(size.x, 0u), 0).r;
    return vec4(clamp(vec3(3.0, 2.0, 1.4) * level - vec3(0.3, 0.7, 0.0), vec3(0.0), vec3(1.0)), 1.0);
}";

fn main() -> ExitCode {
    support::exit(run())
}

fn run() -> Result<()> {
    let Some(options) = Options::parse(USAGE, "out/render_guest.png", |_, _| Ok(false))? else { return Ok(()) };
    let picture = options.read_picture()?.to_luma8();
    let (width, height) = picture.dimensions();
    let [rows, columns] = [height, width].map(|extent| extent as usize);

    // What a program that renders has anyway: a device, a texture, a pipeline.
    let adapter = options.adapter()?;
    let wanted = wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..Default::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&wanted))?;
    let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
    let texture = |size, format, usage| {
        let (dimension, view_formats) = (wgpu::TextureDimension::D2, &[][..]);
        wgpu::TextureDescriptor { label: None, size, mip_level_count: 1, sample_count: 1, dimension, format, usage, view_formats }
    };
    let shown = texture(size, wgpu::TextureFormat::R8Unorm, wgpu::TextureUsages::TEXTURE_BINDING);
    let shown = device.create_texture_with_data(&queue, &shown, Default::default(), &picture);
    let usage = wgpu::TextureUsages::STORAGE_BINDING | wgpu::TextureUsages::TEXTURE_BINDING;
    let computed = || device.create_texture(&texture(size, wgpu::TextureFormat::R32Float, usage));
    let [levels, edges] = [computed(), computed()];
    let wide = wgpu::Extent3d { width: 3 * width, ..size };
    let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC;
    let target = device.create_texture(&texture(wide, wgpu::TextureFormat::Rgba8Unorm, usage));
    let pipeline = pipeline(&device);

    // The guest. Its plans load texels of one texture and store those of another.
    let grey = |code: &str| Fragment::new(code).texels(wgpu::TextureFormat::R8Unorm, [rows, columns]);
    let result = |code: &str| Fragment::new(code).texels(wgpu::TextureFormat::R32Float, [rows, columns]);
    let spectrum = C2c::forward([rows, columns])
        .output_part([rows, columns].map(|n| -(n as i64 / 2)..(n as i64 + 1) / 2))
        .map_input::<Texel>(grey("vec2(value, 0.0)"))?
        .map_output::<Texel>(result("0.06 * log2(dot(value, value) + 1e-12) - 0.4"))?;
    // Of low frequencies nothing is left, so that edges stand out from grey.
    let filter = SpectralFilter::real([rows, columns], Fragment::new("value * (1.0 - exp(-300.0 * (f0 * f0 + f1 * f1)))"))?
        .map_input::<Texel>(grey("value"))?
        .map_output::<Texel>(result("0.5 + 1.5 * value"))?;
    let gpu = Gpu::from_wgpu(device.clone(), queue.clone());
    let planner = options.planner(&gpu);
    let (spectrum, filter) = (options.plan(&planner, spectrum)?, options.plan(&planner, filter)?);
    let rendered_pitch = (12 * width).next_multiple_of(256);
    let rendered = gpu.alloc::<u8>(rendered_pitch as usize * rows)?;

    let mut encoder = device.create_command_encoder(&Default::default());
    spectrum.encode(&mut encoder, &shown, &levels)?;
    filter.encode(&mut encoder, &shown, &edges)?;
    render(&device, &mut encoder, &pipeline, [&shown, &levels, &edges], &target);
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(rendered_pitch), rows_per_image: None };
    let in_buffer = wgpu::TexelCopyBufferInfo { buffer: rendered.buffer(), layout };
    encoder.copy_texture_to_buffer(target.as_image_copy(), in_buffer, wide);
    queue.submit([encoder.finish()]);

    let rendered = gpu.download(&rendered)?.wait()?;
    let rows = rendered.chunks_exact(rendered_pitch as usize).flat_map(|row| &row[..12 * columns]);
    let rendered = RgbaImage::from_raw(3 * width, height, rows.copied().collect()).ok_or("the rendered picture has another size")?;
    // Frequency 0 is the sum of all pixels, so the brightest, and stands in the middle.
    let [middle, corner] = [(width + width / 2, height / 2), (width, 0)].map(|(x, y)| rendered.get_pixel(x, y).0);
    let of_edges = rendered.enumerate_pixels().filter(|(x, ..)| *x >= 2 * width).map(|(.., pixel)| f64::from(pixel.0[0]));
    let mean = of_edges.sum::<f64>() / f64::from(width * height);
    println!("check       {middle:?} in the middle of the spectrum, {corner:?} in its corner, edges around {mean:.1}");
    support::write_picture("rendered", &options.output, image::DynamicImage::from(rendered))?;
    let sum = |colour: [u8; 4]| colour.iter().map(|&part| u32::from(part)).sum::<u32>();
    if sum(middle) < sum(corner) {
        return Err("check: the spectrum is not what was rendered".into());
    }
    // Without frequency 0 the mean is 0, but for what is darker than black.
    if (mean - 127.5).abs() < 5.0 { Ok(()) } else { Err("check: the edges are not what was rendered".into()) }
}

fn pipeline(device: &wgpu::Device) -> wgpu::RenderPipeline {
    let module = &device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source: wgpu::ShaderSource::Wgsl(SHOW.into()) });
    let targets = &[Some(wgpu::TextureFormat::Rgba8Unorm.into())];
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: None,
        layout: None,
        vertex: wgpu::VertexState { module, entry_point: None, compilation_options: Default::default(), buffers: &[] },
        primitive: Default::default(),
        depth_stencil: None,
        multisample: Default::default(),
        fragment: Some(wgpu::FragmentState { module, entry_point: None, compilation_options: Default::default(), targets }),
        multiview_mask: None,
        cache: None,
    })
}

fn render(
    device: &wgpu::Device,
    encoder: &mut wgpu::CommandEncoder,
    pipeline: &wgpu::RenderPipeline,
    shown: [&wgpu::Texture; 3],
    target: &wgpu::Texture,
) {
    let shown = shown.map(|texture| texture.create_view(&Default::default()));
    let target = target.create_view(&Default::default());
    let entry = |binding: u32| {
        let resource = wgpu::BindingResource::TextureView(&shown[binding as usize]);
        wgpu::BindGroupEntry { binding, resource }
    };
    let entries = [0, 1, 2].map(entry);
    let layout = &pipeline.get_bind_group_layout(0);
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries });
    let (view, ops) = (&target, Default::default());
    let attachment = Some(wgpu::RenderPassColorAttachment { view, depth_slice: None, resolve_target: None, ops });
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor { color_attachments: &[attachment], ..Default::default() });
    pass.set_pipeline(pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.draw(0..3, 0..1);
}
