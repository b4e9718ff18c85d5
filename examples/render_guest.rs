//! A guest in a program that renders: a texture, its spectrum, and a render pass that shows both,
//! in one encoder on the program's own device.
//!
//! ```text
//! cargo run --release --example render_guest -- [OPTIONS] [PICTURE]
//! ```
//!
//! The program opens wgpu itself; `Gpu::from_wgpu` borrows its device. The picture is a texture, as
//! games and viewers have it. The encoder copies it to a buffer, the plan transforms that, bytes to
//! levels, and the fragment shader of the render pass reads the levels. Nothing comes to the host
//! but the rendered picture, which a program with a window would not need either.

mod support;

use std::process::ExitCode;

use image::RgbaImage;
use support::{Options, Result};
use wgpu_fft::wgpu::{self, util::DeviceExt};
use wgpu_fft::{Fragment, Gpu, Layout, View, fft::C2c};

const USAGE: &str = "Renders a picture beside its spectrum, on a device that the program has opened itself.

Usage: render_guest [OPTIONS] [PICTURE]
";

/// A triangle that covers everything. The left half shows the texture, the right half the levels.
const SHOW: &str = "
@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var<storage, read> levels: array<f32>;

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
    let level = levels[pixel.y * size.x + pixel.x - size.x];
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
    let usage = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_SRC;
    let shown = texture(size, wgpu::TextureFormat::R8Unorm, usage);
    let shown = device.create_texture_with_data(&queue, &shown, Default::default(), &picture);
    let wide = wgpu::Extent3d { width: 2 * width, ..size };
    let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC;
    let target = device.create_texture(&texture(wide, wgpu::TextureFormat::Rgba8Unorm, usage));
    let pipeline = pipeline(&device);

    // The guest. Rows of a texture have a pitch of a multiple of 256 bytes in a buffer.
    let pitch = width.next_multiple_of(256);
    let to_complex = Fragment::new("vec2(f32(value) / 255.0, 0.0)");
    let to_levels = Fragment::new("0.06 * log2(dot(value, value) + 1e-12) - 0.4");
    let spec = C2c::forward([rows, columns])
        .input_layout(Layout::strides([pitch as usize, 1]).within(pitch as usize * rows))
        .output_part([rows, columns].map(|n| -(n as i64 / 2)..(n as i64 + 1) / 2))
        .map_input::<u8>(to_complex)?
        .map_output::<f32>(to_levels)?;
    let gpu = Gpu::from_wgpu(device.clone(), queue.clone());
    let plan = options.plan(&options.planner(&gpu), spec)?;
    let buffer =
        |bytes: u64, usage| device.create_buffer(&wgpu::BufferDescriptor { label: None, size: bytes, usage, mapped_at_creation: false });
    let pixels = buffer(u64::from(pitch) * u64::from(height), wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::STORAGE);
    let levels = buffer(4 * plan.output_len() as u64, wgpu::BufferUsages::STORAGE);
    let rendered_pitch = (8 * width).next_multiple_of(256);
    let rendered = gpu.alloc::<u8>(rendered_pitch as usize * rows)?;

    let mut encoder = device.create_command_encoder(&Default::default());
    let rows_of = |pitch| wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(pitch), rows_per_image: None };
    let in_buffer = wgpu::TexelCopyBufferInfo { buffer: &pixels, layout: rows_of(pitch) };
    encoder.copy_texture_to_buffer(shown.as_image_copy(), in_buffer, size);
    plan.encode(&mut encoder, View::whole(&pixels)?, View::whole(&levels)?)?;
    render(&device, &mut encoder, &pipeline, [&shown, &target], &levels);
    let in_buffer = wgpu::TexelCopyBufferInfo { buffer: rendered.buffer(), layout: rows_of(rendered_pitch) };
    encoder.copy_texture_to_buffer(target.as_image_copy(), in_buffer, wide);
    queue.submit([encoder.finish()]);

    let rendered = gpu.download(&rendered)?.wait()?;
    let rows = rendered.chunks_exact(rendered_pitch as usize).flat_map(|row| &row[..8 * columns]);
    let rendered = RgbaImage::from_raw(2 * width, height, rows.copied().collect()).ok_or("the rendered picture has another size")?;
    // Frequency 0 is the sum of all pixels, so the brightest, and stands in the middle.
    let [middle, corner] = [(width + width / 2, height / 2), (width, 0)].map(|(x, y)| rendered.get_pixel(x, y).0);
    println!("check       {middle:?} in the middle of the spectrum, {corner:?} in its corner");
    support::write_picture("rendered", &options.output, image::DynamicImage::from(rendered))?;
    let sum = |colour: [u8; 4]| colour.iter().map(|&part| u32::from(part)).sum::<u32>();
    if sum(middle) >= sum(corner) { Ok(()) } else { Err("check: the spectrum is not what was rendered".into()) }
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
    textures: [&wgpu::Texture; 2],
    levels: &wgpu::Buffer,
) {
    let [shown, target] = textures.map(|texture| texture.create_view(&Default::default()));
    let entries = [
        wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(&shown) },
        wgpu::BindGroupEntry { binding: 1, resource: levels.as_entire_binding() },
    ];
    let layout = &pipeline.get_bind_group_layout(0);
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries });
    let (view, ops) = (&target, Default::default());
    let attachment = Some(wgpu::RenderPassColorAttachment { view, depth_slice: None, resolve_target: None, ops });
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor { color_attachments: &[attachment], ..Default::default() });
    pass.set_pipeline(pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.draw(0..3, 0..1);
}
