//! Shakes a camera from side to side: rows of a picture are blurred in one compute shader of the
//! program's own, with a transform there and back inside it.
//!
//! ```text
//! cargo run --release --example own_shader -- [OPTIONS] [PICTURE]
//! cargo run --release --example own_shader -- photo.jpg -o photo-shaken.png --pixels 41
//! ```
//!
//! A workgroup has a row in registers: it reads the row's bytes, reflects them at the ends,
//! transforms, multiplies by the spectrum of a mean of so many pixels, transforms back, and writes. The
//! transforms are functions that `fft::Inline` writes. The example compares pixels with means in f64 on
//! the processor. `--help` lists the options.

mod support;

use std::process::ExitCode;

use image::GrayImage;
use lexopt::ValueExt;
use support::{Options, Result};
use wgpu_fft::fft::{Inline, TransformKind, next_fast_len};
use wgpu_fft::wgpu;

const USAGE: &str = "Shakes a picture from side to side, in one shader with transforms in it.

Usage: own_shader [OPTIONS] [PICTURE]

      --pixels NUMBER  an odd number of pixels for the mean (default 25)
";

fn main() -> ExitCode {
    support::exit(run())
}

fn run() -> Result<()> {
    let mut taps = 25;
    let options = Options::parse(USAGE, "out/shaken.png", |name, parser| {
        if name == "pixels" {
            taps = parser.value()?.parse()?;
        }
        Ok(name == "pixels")
    })?;
    let Some(options) = options else { return Ok(()) };
    let picture = options.read_picture()?.into_luma8();
    let (columns, rows) = (picture.width() as usize, picture.height() as usize);
    if taps % 2 == 0 || taps / 2 > columns {
        return Err(lexopt::Error::from(format!("--pixels {taps} is not odd, or more than two rows of {columns}")).into());
    }

    let gpu = options.open_gpu()?;
    // Half the mean before and after each row, in a length of small factors.
    let n = 2 * next_fast_len(gpu.profile(), TransformKind::C2c, (columns + taps - 1).div_ceil(2))?;
    let fft = Inline::new(n).real().workgroup_memory(gpu.profile().workgroup_bytes).generate()?;
    println!("transform   {n} reals by {} invocations, {} complex numbers in each", fft.invocations, fft.elements);

    let (elements, size, half) = (fft.elements, fft.invocations, taps / 2);
    let each = |statement: &str| {
        (0..elements).map(|k| statement.replace("[k]", &format!("[{k}]")).replace("(k)", &format!("({k}u)"))).collect::<String>()
    };
    let shader = format!(
        "
        @group(0) @binding(0) var<storage, read> pixels: array<f32>;
        @group(0) @binding(1) var<storage, read_write> shaken: array<f32>;

        // A pixel of the row with its mirror images at the ends.
        fn pixel(row: u32, i: u32) -> f32 {{
            let at = (i + {shift}u) % {twice}u;
            return pixels[row * {columns}u + min(at, {last}u - at)];
        }}

        // The spectrum of the mean: the sum of its cosines.
        fn response(frequency: u32) -> f32 {{
            let angle = {half_turn}f / {n}f * f32(frequency);
            return select(sin({taps}f * angle) / ({taps}f * sin(angle)), 1.0, frequency == 0u);
        }}

        @compute @workgroup_size({size})
        fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) invocation: u32) {{
            let row = group.x;
            var values: array<vec2f, {elements}>;
            {loads}
            fft_forward(&values, invocation);
            {products}
            fft_inverse(&values, invocation);
            {stores}
        }}

        fn load(row: u32, j: u32) -> vec2f {{
            return vec2f(pixel(row, 2u * j), pixel(row, 2u * j + 1u));
        }}

        // The number with frequency 0 has that of n/2 as its imaginary part.
        fn filtered(z: vec2f, frequency: u32) -> vec2f {{
            let own = response(frequency);
            return z * vec2f(own, select(own, response({m}u), frequency == 0u)) / {n}f;
        }}

        fn store(row: u32, j: u32, value: vec2f) {{
            for (var part = 0u; part < 2u; part++) {{
                let i = 2u * j + part;
                if (j < {m}u && i >= {half}u && i < {end}u) {{
                    shaken[row * {columns}u + i - {half}u] = value[part];
                }}
            }}
        }}
        {wgsl}",
        shift = 2 * columns * (taps / columns + 1) - half,
        twice = 2 * columns,
        last = 2 * columns - 1,
        half_turn = std::f64::consts::PI,
        m = n / 2,
        end = columns + half,
        loads = each("values[k] = load(row, fft_position(invocation, (k)));\n"),
        products = each("values[k] = filtered(values[k], fft_frequency(invocation, (k)));\n"),
        stores = each("store(row, fft_position(invocation, (k)), values[k]);\n"),
        wgsl = fft.wgsl
    );

    let input: Vec<f32> = picture.iter().map(|&byte| f32::from(byte)).collect();
    let [input, output] = [gpu.upload(&input)?, gpu.alloc::<f32>(input.len())?];
    let device = gpu.device();
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source: wgpu::ShaderSource::Wgsl(shader.into()) });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("own shader"),
        layout: None,
        module: &module,
        entry_point: Some("main"),
        compilation_options: Default::default(),
        cache: None,
    });
    let entry = |(binding, buffer)| wgpu::BindGroupEntry { binding, resource: wgpu::Buffer::as_entire_binding(buffer) };
    let entries = [(0, input.buffer()), (1, output.buffer())].map(entry);
    let layout = &pipeline.get_bind_group_layout(0);
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries });
    let most = device.limits().max_compute_workgroups_per_dimension as usize;
    if rows > most {
        return Err(format!("a dispatch has at most {most} rows, and the picture {rows}").into());
    }
    gpu.submit(|encoder| {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(rows as u32, 1, 1);
        Ok(())
    })?;
    let shaken: Vec<f32> = gpu.download(&output)?.wait()?;
    check(&picture, &shaken, taps)?;
    let bytes = shaken.iter().map(|value| value.round() as u8).collect();
    let shaken = GrayImage::from_raw(picture.width(), picture.height(), bytes).expect("as many pixels as the picture had");
    support::write_picture("shaken", &options.output, shaken)
}

/// Compares a thousand pixels with means in f64 on the processor.
fn check(picture: &GrayImage, shaken: &[f32], taps: usize) -> Result<()> {
    let columns = picture.width() as usize;
    let mut worst = 0f64;
    for i in (0..shaken.len()).step_by((shaken.len() / 1000).max(1)) {
        let (y, x) = (i / columns, i % columns);
        let pixel = |t: usize| {
            let at = (x + t + 2 * columns * (taps / columns + 1) - taps / 2) % (2 * columns);
            f64::from(picture.get_pixel(at.min(2 * columns - 1 - at) as u32, y as u32).0[0])
        };
        let mean = (0..taps).map(pixel).sum::<f64>() / taps as f64;
        worst = worst.max((f64::from(shaken[i]) - mean).abs());
    }
    // Of levels up to 255. The spectrum of the mean is by the device's sine.
    let bound = 0.1;
    println!("check       the largest difference is {worst:.1e} of 255 levels, at most {bound} is right");
    if worst <= bound { Ok(()) } else { Err("check: the result is wrong".into()) }
}
