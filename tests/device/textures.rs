//! Textures as inputs and outputs of plans.

use wgpu_fft::fft::{C2c, C2r, R2c, Scale};
use wgpu_fft::half::f16;
use wgpu_fft::low_level::tune::Source;
use wgpu_fft::plan::TextureLevel;
use wgpu_fft::signal::{RadialAverage, SpectralFilter};
use wgpu_fft::transpose::Permute;
use wgpu_fft::tune::Tuning;
use wgpu_fft::{Complex32, Element, Error, Fragment, Gpu, Layout, Planner, Shape, Texel, bytemuck, reduce, wgpu};

use crate::harness::*;
use crate::unhappy::in_an_instance_of_its_own;
use wgpu::TextureFormat as F;

/// How a format stores a number.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Unorm,
    Snorm,
    Uint,
    Sint,
    Float,
    /// The fourth channel is linear.
    Srgb,
}

/// A format with its channels, the bits of each, and whether blue comes first.
#[derive(Clone, Copy, Debug)]
struct Format {
    format: F,
    channels: usize,
    bits: usize,
    kind: Kind,
    turned: bool,
}

const fn plain(format: F, channels: usize, bits: usize, kind: Kind) -> Format {
    Format { format, channels, bits, kind, turned: false }
}

const FORMATS: &[Format] = &[
    plain(F::R8Unorm, 1, 8, Kind::Unorm),
    plain(F::R8Snorm, 1, 8, Kind::Snorm),
    plain(F::R8Uint, 1, 8, Kind::Uint),
    plain(F::R8Sint, 1, 8, Kind::Sint),
    plain(F::R16Uint, 1, 16, Kind::Uint),
    plain(F::R16Sint, 1, 16, Kind::Sint),
    plain(F::R16Float, 1, 16, Kind::Float),
    plain(F::Rg8Unorm, 2, 8, Kind::Unorm),
    plain(F::Rg8Snorm, 2, 8, Kind::Snorm),
    plain(F::Rg8Uint, 2, 8, Kind::Uint),
    plain(F::Rg8Sint, 2, 8, Kind::Sint),
    plain(F::R32Uint, 1, 32, Kind::Uint),
    plain(F::R32Sint, 1, 32, Kind::Sint),
    plain(F::R32Float, 1, 32, Kind::Float),
    plain(F::Rg16Uint, 2, 16, Kind::Uint),
    plain(F::Rg16Sint, 2, 16, Kind::Sint),
    plain(F::Rg16Float, 2, 16, Kind::Float),
    plain(F::Rgba8Unorm, 4, 8, Kind::Unorm),
    plain(F::Rgba8UnormSrgb, 4, 8, Kind::Srgb),
    plain(F::Rgba8Snorm, 4, 8, Kind::Snorm),
    plain(F::Rgba8Uint, 4, 8, Kind::Uint),
    plain(F::Rgba8Sint, 4, 8, Kind::Sint),
    Format { turned: true, ..plain(F::Bgra8Unorm, 4, 8, Kind::Unorm) },
    Format { turned: true, ..plain(F::Bgra8UnormSrgb, 4, 8, Kind::Srgb) },
    plain(F::Rg32Uint, 2, 32, Kind::Uint),
    plain(F::Rg32Sint, 2, 32, Kind::Sint),
    plain(F::Rg32Float, 2, 32, Kind::Float),
    plain(F::Rgba16Uint, 4, 16, Kind::Uint),
    plain(F::Rgba16Sint, 4, 16, Kind::Sint),
    plain(F::Rgba16Float, 4, 16, Kind::Float),
    plain(F::Rgba32Uint, 4, 32, Kind::Uint),
    plain(F::Rgba32Sint, 4, 32, Kind::Sint),
    plain(F::Rgba32Float, 4, 32, Kind::Float),
];

/// The formats that every device stores to.
const STORED: &[F] = &[
    F::R32Uint,
    F::R32Sint,
    F::R32Float,
    F::Rgba8Unorm,
    F::Rgba8Snorm,
    F::Rgba8Uint,
    F::Rgba8Sint,
    F::Rg32Uint,
    F::Rg32Sint,
    F::Rg32Float,
    F::Rgba16Uint,
    F::Rgba16Sint,
    F::Rgba16Float,
    F::Rgba32Uint,
    F::Rgba32Sint,
    F::Rgba32Float,
];

fn format(of: F) -> Format {
    *FORMATS.iter().find(|own| own.format == of).unwrap()
}

/// Random numbers.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    /// A number from `first` to `last`.
    fn within(&mut self, first: u32, last: u32) -> u32 {
        first + self.next() % (last - first + 1)
    }
}

impl Format {
    fn bytes(&self) -> usize {
        self.channels * self.bits / 8
    }

    /// Bits of a channel that stand for a finite number.
    fn draw(&self, draws: &mut Draws) -> u32 {
        let number = draws.within(0, 4000) as f32 / 1000.0 - 2.0;
        match (self.kind, self.bits) {
            (Kind::Float, 16) => f16::from_f32(number).to_bits().into(),
            (Kind::Float, _) => number.to_bits(),
            (_, 32) => draws.next(),
            (_, bits) => draws.next() >> (32 - bits),
        }
    }

    /// The number that these bits stand for.
    fn decoded(&self, raw: u32, channel: usize) -> f64 {
        let signed = f64::from(((raw << (32 - self.bits)) as i32) >> (32 - self.bits));
        let most = 2f64.powi(self.bits as i32 - 1) - 1.0;
        let unorm = f64::from(raw) / (2f64.powi(self.bits as i32) - 1.0);
        match self.kind {
            Kind::Srgb if channel < 3 && unorm <= 0.04045 => unorm / 12.92,
            Kind::Srgb if channel < 3 => ((unorm + 0.055) / 1.055).powf(2.4),
            Kind::Unorm | Kind::Srgb => unorm,
            Kind::Snorm => (signed / most).max(-1.0),
            // A shader converts it to an f32.
            Kind::Uint => f64::from(raw as f32),
            Kind::Sint => f64::from(signed as f32),
            Kind::Float if self.bits == 16 => f16::from_bits(raw as u16).to_f64(),
            Kind::Float => f64::from(f32::from_bits(raw)),
        }
    }

    /// The difference of two neighbouring numbers around one, or what a shader may round it by.
    fn step(&self, around: f64) -> f64 {
        match self.kind {
            Kind::Unorm => 1.0 / (2f64.powi(self.bits as i32) - 1.0),
            Kind::Snorm => 1.0 / (2f64.powi(self.bits as i32 - 1) - 1.0),
            Kind::Uint | Kind::Sint => 0.0,
            Kind::Srgb => 2e-3,
            Kind::Float if self.bits == 16 => around.abs() * 2f64.powi(-10),
            Kind::Float => 0.0,
        }
    }

    /// The channels of texels, red first.
    fn numbers(&self, bytes: &[u8]) -> Vec<[f64; 4]> {
        let number = |texel: &[u8], channel: usize| {
            let place = if self.turned && channel < 3 { 2 - channel } else { channel };
            let mut raw = [0; 4];
            let each = self.bits / 8;
            raw[..each].copy_from_slice(&texel[place * each..][..each]);
            self.decoded(u32::from_le_bytes(raw), channel)
        };
        let texel = |texel: &[u8]| {
            let mut numbers = [0.0; 4];
            (0..self.channels).for_each(|channel| numbers[channel] = number(texel, channel));
            numbers
        };
        bytes.chunks_exact(self.bytes()).map(texel).collect()
    }

    /// WGSL of the value as four f32.
    fn widened(&self) -> &'static str {
        match self.channels {
            1 => "vec4(f32(value), 0.0, 0.0, 0.0)",
            2 => "vec4(vec2<f32>(value), 0.0, 0.0)",
            _ => "vec4<f32>(value)",
        }
    }

    /// WGSL of four f32 as the value.
    fn narrowed(&self) -> String {
        let scalar = match self.kind {
            Kind::Uint => "u32",
            Kind::Sint => "i32",
            _ => "f32",
        };
        match self.channels {
            1 => format!("{scalar}(value.x)"),
            2 => format!("vec2<{scalar}>(value.xy)"),
            _ => format!("vec4<{scalar}>(value)"),
        }
    }
}

/// A texture, and the bytes of each level.
struct Picture {
    format: Format,
    texture: wgpu::Texture,
    levels: Vec<Vec<u8>>,
    is_volume: bool,
}

impl Picture {
    /// Width, height and layers or depth, with random texels.
    fn new(gpu: &Gpu, format: Format, size: [u32; 3], levels: u32, is_volume: bool, usage: wgpu::TextureUsages, draws: &mut Draws) -> Self {
        let texture = gpu.device().create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: size[2] },
            mip_level_count: levels,
            sample_count: 1,
            dimension: if is_volume { wgpu::TextureDimension::D3 } else { wgpu::TextureDimension::D2 },
            format: format.format,
            usage: usage | wgpu::TextureUsages::COPY_DST | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[format.format.remove_srgb_suffix(), format.format.add_srgb_suffix()],
        });
        let mut own = Self { format, texture, levels: Vec::new(), is_volume };
        for level in 0..levels {
            let [width, height, layers] = own.extents(level);
            let channels = (width * height * layers) as usize * format.channels;
            let bytes = (0..channels).flat_map(|_| format.draw(draws).to_le_bytes().into_iter().take(format.bits / 8)).collect::<Vec<u8>>();
            let (bytes_per_row, rows_per_image) = (Some(width * format.bytes() as u32), Some(height));
            let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row, rows_per_image };
            gpu.queue().write_texture(own.copy(level), &bytes, layout, own.extent(level));
            own.levels.push(bytes);
        }
        own
    }

    fn extents(&self, level: u32) -> [u32; 3] {
        let wgpu::Extent3d { width, height, depth_or_array_layers } = self.texture.size();
        let at_level = |extent: u32| (extent >> level).max(1);
        [at_level(width), at_level(height), if self.is_volume { at_level(depth_or_array_layers) } else { depth_or_array_layers }]
    }

    fn extent(&self, level: u32) -> wgpu::Extent3d {
        let [width, height, depth_or_array_layers] = self.extents(level);
        wgpu::Extent3d { width, height, depth_or_array_layers }
    }

    fn copy(&self, mip_level: u32) -> wgpu::TexelCopyTextureInfo<'_> {
        wgpu::TexelCopyTextureInfo { mip_level, ..self.texture.as_image_copy() }
    }

    /// The bytes of a level now.
    fn read(&self, gpu: &Gpu, level: u32) -> Vec<u8> {
        let [width, height, layers] = self.extents(level);
        let row = width * self.format.bytes() as u32;
        let pitch = row.next_multiple_of(256);
        let buffer = gpu.alloc::<u32>((pitch * height * layers / 4) as usize).unwrap();
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(pitch), rows_per_image: Some(height) };
        let target = wgpu::TexelCopyBufferInfo { buffer: buffer.buffer(), layout };
        gpu.submit(|encoder| {
            encoder.copy_texture_to_buffer(self.copy(level), target, self.extent(level));
            Ok(())
        })
        .unwrap();
        let words = gpu.download(&buffer).unwrap().wait().unwrap();
        bytemuck::cast_slice::<u32, u8>(&words).chunks_exact(pitch as usize).flat_map(|line| &line[..row as usize]).copied().collect()
    }

    /// The numbers of a layer, or of a volume.
    fn numbers(&self, level: u32, layer: u32) -> Vec<[f64; 4]> {
        let [width, height, layers] = self.extents(level);
        let all = self.format.numbers(&self.levels[level as usize]);
        if self.is_volume || layers == 1 {
            return all;
        }
        let each = (width * height) as usize;
        all[layer as usize * each..][..each].to_vec()
    }
}

fn narrow(numbers: &[[f64; 4]]) -> Vec<[f32; 4]> {
    numbers.iter().map(|texel| texel.map(|number| number as f32)).collect()
}

/// Runs a plan from a texture to an array.
fn loaded<S>(gpu: &Gpu, plan: &wgpu_fft::Plan<S>, input: TextureLevel<'_>) -> Vec<S::Output>
where
    S: wgpu_fft::Spec<Input = Texel>,
{
    let output = gpu.upload(&vec![bytemuck::Zeroable::zeroed(); plan.output_len()]).unwrap();
    gpu.submit(|encoder| plan.encode(encoder, input, &output)).unwrap();
    gpu.download(&output).unwrap().wait().unwrap()
}

fn assert_near(actual: &[[f32; 4]], expected: &[[f64; 4]], bound: impl Fn(f64) -> f64, what: &str) {
    assert_eq!(actual.len(), expected.len(), "{what}");
    for (i, (actual, expected)) in actual.iter().zip(expected).enumerate() {
        for (a, e) in actual.iter().zip(expected) {
            assert!((f64::from(*a) - e).abs() <= bound(*e), "{what}: texel {i} is {actual:?} and not {expected:?}");
        }
    }
}

/// Every format is loaded from odd sizes, any level and any layer, by permutations.
pub fn texels_are_loaded(device: &Device) {
    let (gpu, mut draws) = (device.gpu(), Draws(seed()));
    for own in FORMATS {
        let [width, height, layers] = [draws.within(1, 90), draws.within(1, 60), draws.within(1, 4)];
        let levels = 1 + draws.within(0, width.max(height).ilog2().min(3));
        let picture = Picture::new(gpu, *own, [width, height, layers], levels, false, wgpu::TextureUsages::TEXTURE_BINDING, &mut draws);
        let (level, layer) = (draws.within(0, levels - 1), draws.within(0, layers - 1));
        let [columns, rows, _] = picture.extents(level).map(|extent| extent as usize);
        let fragment = Fragment::new(own.widened()).texels(own.format, [rows, columns]);
        let order: [usize; 2] = if draws.within(0, 1) == 0 { [0, 1] } else { [1, 0] };
        let plan = device.planner.plan(Permute::<[f32; 4]>::new([rows, columns], order).map_input::<Texel>(fragment).unwrap()).unwrap();
        let texels = loaded(gpu, &plan, TextureLevel::of(&picture.texture).mip_level(level).layer(layer));
        let mut expected = picture.numbers(level, layer);
        if order == [1, 0] {
            expected = transposed(&expected, rows, columns);
        }
        // A shader's conversion has an error of a few units in the last place.
        let bound = |expected: f64| if own.kind == Kind::Srgb { own.step(expected) } else { 4.0 * U * expected.abs() };
        assert_near(&texels, &expected, bound, &format!("{}: {own:?} {width}x{height}, level {level}, layer {layer}", device.name));
    }
}

/// Every format that a device stores to is stored to, and nothing else of the texture is changed.
pub fn texels_are_stored(device: &Device) {
    let (gpu, mut draws) = (device.gpu(), Draws(seed() ^ 1));
    let bgra = gpu.device().features().contains(wgpu::Features::BGRA8UNORM_STORAGE).then_some(F::Bgra8Unorm);
    for own in STORED.iter().copied().chain(bgra).map(format) {
        let [width, height, layers] = [draws.within(1, 90), draws.within(1, 60), draws.within(1, 4)];
        let levels = 1 + draws.within(0, width.max(height).ilog2().min(3));
        let picture = Picture::new(gpu, own, [width, height, layers], levels, false, wgpu::TextureUsages::STORAGE_BINDING, &mut draws);
        let (level, layer) = (draws.within(0, levels - 1), draws.within(0, layers - 1));
        let [columns, rows, _] = picture.extents(level).map(|extent| extent as usize);
        let mut number = || match own.kind {
            Kind::Uint => draws.within(0, 255) as f32,
            Kind::Sint => draws.within(0, 255) as f32 - 128.0,
            Kind::Unorm => draws.within(0, 1000) as f32 / 1000.0,
            _ => draws.within(0, 2000) as f32 / 1000.0 - 1.0,
        };
        let numbers: Vec<[f32; 4]> = (0..rows * columns).map(|_| std::array::from_fn(|_| number())).collect();
        let fragment = Fragment::new(own.narrowed()).texels(own.format, [rows, columns]);
        let spec = Permute::<[f32; 4]>::new([columns, rows], [1, 0]).map_output::<Texel>(fragment).unwrap();
        let plan = device.planner.plan(spec).unwrap();
        let input = gpu.upload(&transposed(&numbers, rows, columns)).unwrap();
        let output = TextureLevel::of(&picture.texture).mip_level(level).layer(layer);
        gpu.submit(|encoder| plan.encode(encoder, &input, output)).unwrap();
        let what = format!("{}: {own:?} {width}x{height}, level {level}, layer {layer}", device.name);
        let kept = |texel: &[f32; 4]| std::array::from_fn(|channel| if channel < own.channels { f64::from(texel[channel]) } else { 0.0 });
        let expected: Vec<[f64; 4]> = numbers.iter().map(kept).collect();
        for (before, other) in picture.levels.iter().zip(0..) {
            let after = picture.read(gpu, other);
            let each = before.len() / picture.extents(other)[2] as usize;
            for (i, (before, after)) in before.chunks_exact(each).zip(after.chunks_exact(each)).enumerate() {
                if (other, i as u32) == (level, layer) {
                    assert_near(&narrow(&own.numbers(after)), &expected, |around| own.step(around), &what);
                } else {
                    assert!(before == after, "{what}: level {other} and layer {i} changed");
                }
            }
        }
    }
}

/// What plans make of textures is what they make of arrays with the same numbers.
pub fn plans_of_textures_agree_with_plans_of_arrays(device: &Device) {
    let (gpu, mut draws) = (device.gpu(), Draws(seed() ^ 2));
    let planner = &device.planner;
    let shapes = [(45usize, 70usize), (1, 96), (64, 1), (33, 51), (48, 128), (3, 4096)];
    let widest = gpu.device().limits().max_texture_dimension_2d as usize;
    for (rows, columns) in device.share(shapes, 1, seed() as usize) {
        let columns = columns.min(widest);
        let own = format([F::Rgba8Unorm, F::Rgba16Float, F::Rgba32Float, F::Bgra8Unorm][draws.within(0, 3) as usize]);
        let size = [columns as u32, rows as u32, 1];
        let picture = Picture::new(gpu, own, size, 1, false, wgpu::TextureUsages::TEXTURE_BINDING, &mut draws);
        let array = gpu.upload(&narrow(&picture.numbers(0, 0))).unwrap();
        let what = format!("{}: {own:?} {rows}x{columns}", device.name);
        // Real numbers and complex ones, filtered by frequency, and added up.
        let luminance = || Fragment::new("dot(value.rgb, vec3(0.2126, 0.7152, 0.0722)) * f32(1u + i1 % 3u)");
        let pair = || Fragment::new("value.xy - value.zw");
        macro_rules! check {
            ($spec:expr, $fragment:expr, $bound:expr) => {
                let textures = planner.plan($spec.map_input::<Texel>($fragment.texels(own.format, [rows, columns])).unwrap()).unwrap();
                let arrays = planner.plan($spec.map_input::<[f32; 4]>($fragment).unwrap()).unwrap();
                let actual = loaded(gpu, &textures, TextureLevel::of(&picture.texture));
                let output = gpu.alloc(arrays.output_len()).unwrap();
                gpu.submit(|encoder| arrays.encode(encoder, &array, &output)).unwrap();
                let expected = gpu.download(&output).unwrap().wait().unwrap();
                let [actual, expected] = [actual, expected].map(|numbers| bytemuck::pod_collect_to_vec::<_, f32>(&numbers));
                let difference: f64 = actual.iter().zip(&expected).map(|(a, b)| f64::from(a - b).powi(2)).sum();
                let size: f64 = expected.iter().map(|number| f64::from(*number).powi(2)).sum();
                assert!(difference <= $bound * $bound * size, "{what}, `{}`: {difference} of {size}", textures.spec());
            };
        }
        let bound = 2e-6;
        check!(R2c::forward([rows, columns]), luminance(), bound);
        check!(C2c::forward([rows, columns]), pair(), bound);
        check!(C2c::inverse([rows, columns]).scale(Scale::InvLen).axes([1]), pair(), bound);
        let gauss = || Fragment::new("value * exp(-9.0 * (f0 * f0 + f1 * f1))");
        check!(SpectralFilter::real([rows, columns], gauss()).unwrap(), luminance(), bound);
        check!(reduce::sum::<f32>([rows, columns]), luminance(), 1e-5);
        check!(reduce::sum::<f32>([rows, columns]).axes([0]), luminance(), 1e-5);
        check!(reduce::max::<f32>([rows, columns]).axes([1]), luminance(), bound);
        check!(RadialAverage::new([rows, columns]), luminance(), 1e-5);
    }
}

/// A spectrum, a filtered picture and means of rows go to textures.
pub fn results_are_textures(device: &Device) {
    let (gpu, mut draws) = (device.gpu(), Draws(seed() ^ 3));
    let planner = &device.planner;
    for (rows, columns) in device.share([(45usize, 70usize), (64, 128), (1, 97), (31, 2048)], 1, seed() as usize) {
        let (half, x) = (columns / 2 + 1, noise(rows * columns, 7));
        let input = gpu.upload(&x).unwrap();
        let target = |draws: &mut Draws, format, rows: usize, columns: usize| {
            Picture::new(gpu, format, [columns as u32, rows as u32, 1], 1, false, wgpu::TextureUsages::STORAGE_BINDING, draws)
        };
        let stored = |picture: &Picture| narrow(&picture.format.numbers(&picture.read(gpu, 0)));
        let what = format!("{}: {rows}x{columns}", device.name);
        let close = |actual: &[f32], expected: &[f32], bound: f64, name: &str| {
            let difference: f64 = actual.iter().zip(expected).map(|(a, b)| f64::from(a - b).powi(2)).sum();
            let size: f64 = expected.iter().map(|number| f64::from(*number).powi(2)).sum();
            assert!(actual.len() == expected.len() && difference <= bound * bound * size, "{what}, {name}: {difference} of {size}");
        };

        let spectrum = target(&mut draws, format(F::Rg32Float), rows, half);
        let fragment = Fragment::new("value").texels(F::Rg32Float, [rows, half]);
        let plan = planner.plan(R2c::forward([rows, columns]).map_output::<Texel>(fragment).unwrap()).unwrap();
        gpu.submit(|encoder| plan.encode(encoder, &input, &spectrum.texture)).unwrap();
        let expected: Vec<Complex32> = planner.plan(R2c::forward([rows, columns])).unwrap().run(&x).unwrap().wait().unwrap();
        let flat = |texels: Vec<[f32; 4]>, channels: usize| texels.iter().flat_map(|own| own[..channels].to_vec()).collect::<Vec<f32>>();
        close(&flat(stored(&spectrum), 2), bytemuck::cast_slice(&expected), 2e-6, "spectrum");

        // And back again, from that texture, which can now be sampled.
        let usage = wgpu::TextureUsages::STORAGE_BINDING | wgpu::TextureUsages::TEXTURE_BINDING;
        let both = Picture::new(gpu, format(F::Rg32Float), [half as u32, rows as u32, 1], 1, false, usage, &mut draws);
        let back = target(&mut draws, format(F::R32Float), rows, columns);
        let inverse = C2r::inverse([rows, columns]).scale(Scale::InvLen);
        let inverse = inverse.map_input::<Texel>(Fragment::new("value").texels(F::Rg32Float, [rows, half])).unwrap();
        let inverse = inverse.map_output::<Texel>(Fragment::new("value").texels(F::R32Float, [rows, columns])).unwrap();
        let inverse = planner.plan(inverse).unwrap();
        let bound = [plan.bind(&input, &both.texture).unwrap(), inverse.bind(&both.texture, &back.texture).unwrap()];
        gpu.submit(|encoder| bound.iter().try_for_each(|bound| bound.encode(encoder))).unwrap();
        close(&flat(stored(&back), 1), &x, 2e-6, "there and back");

        let means = target(&mut draws, format(F::Rgba16Float), rows, 1);
        let fragment = Fragment::new("vec4(value, 0.5, -0.25, f32(i0))").texels(F::Rgba16Float, [rows, 1]);
        let mean = planner.plan(reduce::mean::<f32>([rows, columns]).axes([1]).map_output::<Texel>(fragment).unwrap()).unwrap();
        gpu.submit(|encoder| mean.encode(encoder, &input, &means.texture)).unwrap();
        for (i, (texel, row)) in stored(&means).iter().zip(x.chunks_exact(columns)).enumerate() {
            let expected = row.iter().map(|&x| f64::from(x)).sum::<f64>() / columns as f64;
            assert!((f64::from(texel[0]) - expected).abs() < 1e-3, "{what}: the mean of row {i} is {} and not {expected}", texel[0]);
            assert_eq!(texel[1..], [0.5, -0.25, i as f32], "{what}");
        }
    }
}

/// A batch is the layers of a texture, three axes are a volume, and the same level is loaded and
/// stored in one encoder with what renders it.
pub fn layers_volumes_and_parts(device: &Device) {
    let (gpu, mut draws) = (device.gpu(), Draws(seed() ^ 4));
    let planner = &device.planner;
    let usage = wgpu::TextureUsages::TEXTURE_BINDING;
    let own = format(F::R32Float);
    let real = |picture: &Picture| picture.format.numbers(&picture.levels[0]).iter().map(|own| own[0] as f32).collect::<Vec<f32>>();
    // Layers 2 to 4 of 6 are a batch of 3.
    let layers = Picture::new(gpu, own, [20, 14, 6], 1, false, usage, &mut draws);
    let spec = R2c::forward([14, 20]).batch(3);
    let of_layers = spec.clone().map_input::<Texel>(Fragment::new("value").texels(F::R32Float, [3, 14, 20])).unwrap();
    let actual = loaded(gpu, &planner.plan(of_layers).unwrap(), TextureLevel::of(&layers.texture).layer(2));
    let expected = planner.plan(spec).unwrap().run(&real(&layers)[2 * 280..5 * 280]).unwrap().wait().unwrap();
    assert_close(&actual, &wide(&expected), 2e-6, &format!("{}: layers", device.name));

    // A volume there, and the result as the levels of another.
    let volume = Picture::new(gpu, own, [9, 10, 6], 1, true, usage, &mut draws);
    let spec = R2c::forward([6, 10, 9]);
    let of_volume = spec.clone().map_input::<Texel>(Fragment::new("value").volume(F::R32Float, [6, 10, 9])).unwrap();
    let actual = loaded(gpu, &planner.plan(of_volume).unwrap(), TextureLevel::of(&volume.texture));
    let expected = planner.plan(spec.clone()).unwrap().run(&real(&volume)).unwrap().wait().unwrap();
    assert_close(&actual, &wide(&expected), 2e-6, &format!("{}: a volume", device.name));
    let stored = Picture::new(gpu, format(F::Rg32Float), [5, 10, 6], 1, true, wgpu::TextureUsages::STORAGE_BINDING, &mut draws);
    let to_volume = spec.map_output::<Texel>(Fragment::new("value").volume(F::Rg32Float, [6, 10, 5])).unwrap();
    let input = gpu.upload(&real(&volume)).unwrap();
    gpu.submit(|encoder| planner.plan(to_volume.clone()).unwrap().encode(encoder, &input, &stored.texture)).unwrap();
    let texels: Vec<Complex32> =
        stored.format.numbers(&stored.read(gpu, 0)).iter().map(|own| Complex32::new(own[0] as f32, own[1] as f32)).collect();
    assert_close(&texels, &wide(&expected), 2e-6, &format!("{}: to a volume", device.name));

    // 8 x 16 texels from row 3, column 2 on, every second column.
    let picture = Picture::new(gpu, own, [40, 14, 1], 1, false, usage, &mut draws);
    let layout = Layout::strides([40, 2]).offset(3 * 40 + 2).within(40 * 14);
    let spec = R2c::forward([8, 16]);
    let of_part = spec.clone().input_layout(layout).map_input::<Texel>(Fragment::new("value").texels(F::R32Float, [14, 40])).unwrap();
    let actual = loaded(gpu, &planner.plan(of_part).unwrap(), TextureLevel::of(&picture.texture));
    let all = real(&picture);
    let part: Vec<f32> = (0..8 * 16).map(|i| all[(3 + i / 16) * 40 + 2 + 2 * (i % 16)]).collect();
    let expected = planner.plan(spec).unwrap().run(&part).unwrap().wait().unwrap();
    assert_close(&actual, &wide(&expected), 2e-6, &format!("{}: a part", device.name));

    // A frame is cleared, filtered into the next level, and copied, in one encoder.
    let usages = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::STORAGE_BINDING | wgpu::TextureUsages::RENDER_ATTACHMENT;
    let frame = Picture::new(gpu, format(F::Rgba8Unorm), [32, 16, 1], 2, false, usages, &mut draws);
    let halved = Permute::<f32>::new([8, 16], [0, 1]);
    let every_second = Layout::strides([64, 2]).within(512);
    let halved = halved.input_layout(every_second).map_input::<Texel>(Fragment::new("value.g").texels(F::Rgba8Unorm, [16, 32])).unwrap();
    let halved = halved.map_output::<Texel>(Fragment::new("vec4(value, 1.0 - value, 0.0, 1.0)").texels(F::Rgba8Unorm, [8, 16])).unwrap();
    let plan = planner.plan(halved).unwrap();
    let target = frame.texture.create_view(&wgpu::TextureViewDescriptor { mip_level_count: Some(1), ..Default::default() });
    gpu.submit(|encoder| {
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &target,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color { r: 1.0, g: 0.2, b: 0.0, a: 1.0 }),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..Default::default()
        });
        plan.encode(encoder, &frame.texture, TextureLevel::of(&frame.texture).mip_level(1))
    })
    .unwrap();
    assert_eq!(frame.read(gpu, 1), [51, 204, 0, 255].repeat(8 * 16), "{}", device.name);
}

/// Of an sRGB texture, the plan's format says whether numbers are linear, and whoever stores encodes.
pub fn numbers_of_srgb_are_linear_or_as_stored(device: &Device) {
    let (gpu, mut draws) = (device.gpu(), Draws(seed() ^ 5));
    let picture = Picture::new(gpu, format(F::Rgba8UnormSrgb), [37, 11, 1], 1, false, wgpu::TextureUsages::TEXTURE_BINDING, &mut draws);
    for (seen, bound) in [(F::Rgba8UnormSrgb, 2e-3), (F::Rgba8Unorm, 1e-6)] {
        let spec = Permute::<[f32; 4]>::new([11, 37], [0, 1]).map_input::<Texel>(Fragment::new("value").texels(seen, [11, 37])).unwrap();
        let texels = loaded(gpu, &device.planner.plan(spec).unwrap(), TextureLevel::of(&picture.texture));
        let expected = format(seen).numbers(&picture.levels[0]);
        assert_near(&texels, &expected, |_| bound, &format!("{}: seen as {seen:?}", device.name));
    }
    // All 256 linear numbers are encoded and decoded again.
    let linear: Vec<f32> = (0..256).map(|i| i as f32 / 255.0).collect();
    let encoded = Fragment::new("vec4(srgb_encoded(vec3(value)), value)").functions(Fragment::SRGB).texels(F::Rgba8Unorm, [1, 256]);
    let plan = device.planner.plan(Permute::<f32>::new(256, [0]).map_output::<Texel>(encoded).unwrap()).unwrap();
    let stored = Picture::new(gpu, format(F::Rgba8Unorm), [256, 1, 1], 1, false, wgpu::TextureUsages::STORAGE_BINDING, &mut draws);
    let input = gpu.upload(&linear).unwrap();
    gpu.submit(|encoder| plan.encode(encoder, &input, &stored.texture)).unwrap();
    let texels = format(F::Rgba8UnormSrgb).numbers(&stored.read(gpu, 0));
    for (texel, expected) in texels.iter().zip(&linear) {
        // Half a step of the code is less than this in linear numbers.
        assert!((texel[0] - f64::from(*expected)).abs() < 0.006, "{}: {texel:?} and not {expected}", device.name);
    }
}

/// Textures are bound by no storage binding, so that its limit says nothing about them.
pub fn limits_of_buffers_are_not_those_of_textures(device: &Device) {
    let device = device.limited(|limits| limits.max_storage_buffer_binding_size = 4096);
    let (gpu, mut draws) = (device.gpu(), Draws(seed() ^ 6));
    let own = format(F::R32Float);
    let picture = Picture::new(gpu, own, [128, 64, 1], 1, false, wgpu::TextureUsages::TEXTURE_BINDING, &mut draws);
    let fragment = || Fragment::new("value").texels(F::R32Float, [64, 128]);
    let numbers = own.numbers(&picture.levels[0]);
    let expected: f64 = numbers.iter().map(|own| own[0]).sum();
    let size: f64 = numbers.iter().map(|own| own[0].abs()).sum();
    let sum = device.planner.plan(reduce::sum::<f32>([64, 128]).map_input::<Texel>(fragment()).unwrap()).unwrap();
    let actual = loaded(gpu, &sum, TextureLevel::of(&picture.texture))[0];
    assert!((f64::from(actual) - expected).abs() < 1e-5 * size, "{}: {actual} and not {expected}", device.name);
    // The columns alone: an array of 64 KiB would need 16 bindings.
    let rows = R2c::forward([64, 128]).axes([1]).output_part([0..64, 0..2]).map_input::<Texel>(fragment()).unwrap();
    let columns = loaded(gpu, &device.planner.plan(rows).unwrap(), TextureLevel::of(&picture.texture));
    for (row, line) in numbers.chunks_exact(128).enumerate() {
        let expected: f64 = line.iter().map(|own| own[0]).sum();
        assert!((f64::from(columns[2 * row].re) - expected).abs() < 1e-3, "{}: row {row}", device.name);
    }
}

fn why<T>(result: wgpu_fft::Result<T>) -> String {
    result.err().expect("it must be refused").to_string()
}

/// What does not fit is refused with its numbers, and nothing is recorded.
pub fn wrong_textures_are_refused(device: &Device) {
    let (gpu, planner, mut draws) = (device.gpu(), &device.planner, Draws(7));
    let usage = wgpu::TextureUsages::TEXTURE_BINDING;
    let fragment = |format, size: &[usize]| Fragment::new("value.x").texels(format, Shape::from(size.to_vec()));
    let spec = |size: &[usize]| R2c::forward([14, 20]).map_input::<Texel>(fragment(F::Rgba8Unorm, size)).map(|spec| planner.plan(spec));
    for (size, reason) in [
        (&[14usize, 21][..], "input: expected 280 texels, as the array of 14x20x1 has"),
        (
            &[20, 14],
            "input: expected rows as long as those of the array of 14x20x1 with strides 20,1,280, got a texture of rgba8unorm 20x14",
        ),
    ] {
        let text = why(spec(size).unwrap());
        assert!(text.contains(reason), "{text}");
    }
    for (size, reason) in [(&[0usize, 20][..], "every extent"), (&[1, 1, 14, 20], "has rows and columns, and maybe layers before them")] {
        let text = why(spec(size));
        assert!(text.contains(reason), "{text}");
    }
    // A single row of texels is memory like any other.
    assert!(spec(&[280]).unwrap().is_ok());
    let plan = spec(&[14, 20]).unwrap().unwrap();
    let (output, mut encoder) = (gpu.alloc::<Complex32>(14 * 11).unwrap(), gpu.device().create_command_encoder(&Default::default()));
    let mut refused = |input: TextureLevel<'_>, reason: &str| {
        let text = why(plan.encode(&mut encoder, input, &output));
        assert!(text.contains(reason), "{text}");
    };
    let rgba = format(F::Rgba8Unorm);
    let larger = Picture::new(gpu, rgba, [21, 14, 2], 2, false, usage, &mut draws);
    let expected = "input: expected a texture of rgba8unorm 14x20 with the usage TextureUsages(TEXTURE_BINDING), got level 0 and layer 0 of a \
                    texture of rgba8unorm 14x21 with 2 levels, 2 layers, 1 samples and the usage";
    refused((&larger.texture).into(), expected);
    let right = Picture::new(gpu, rgba, [20, 14, 2], 2, false, usage, &mut draws);
    refused(TextureLevel::of(&right.texture).mip_level(1), "got level 1 and layer 0 of");
    refused(TextureLevel::of(&right.texture).mip_level(2), "got level 2 and layer 0 of");
    refused(TextureLevel::of(&right.texture).mip_level(u32::MAX), "got level 4294967295");
    refused(TextureLevel::of(&right.texture).layer(2), "got level 0 and layer 2 of");
    refused(TextureLevel::of(&right.texture).layer(u32::MAX), "layer 4294967295 of");
    let format_of = Picture::new(gpu, format(F::Rgba16Float), [20, 14, 1], 1, false, usage, &mut draws);
    refused((&format_of.texture).into(), "texture of rgba16float 14x20");
    let stored = Picture::new(gpu, rgba, [20, 14, 1], 1, false, wgpu::TextureUsages::STORAGE_BINDING, &mut draws);
    refused((&stored.texture).into(), "STORAGE_BINDING");
    // The encoder is as good as new.
    plan.encode(&mut encoder, TextureLevel::of(&right.texture).layer(1), &output).unwrap();
    gpu.queue().submit([encoder.finish()]);

    // A texture of another device.
    let other = device.open_another();
    let foreign = Picture::new(&other, rgba, [20, 14, 1], 1, false, usage, &mut draws);
    let error = plan.bind(&foreign.texture, &output).unwrap_err();
    assert!(matches!(error, Error::ForeignObject { .. }), "{error}");

    // One that may not be seen as linear.
    let srgb = R2c::forward([14, 20]).map_input::<Texel>(fragment(F::Rgba8UnormSrgb, &[14, 20])).unwrap();
    let descriptor = wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width: 20, height: 14, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: F::Rgba8Unorm,
        usage,
        view_formats: &[],
    };
    let srgb = planner.plan(srgb).unwrap();
    let text = why(srgb.bind(&gpu.device().create_texture(&descriptor), &output));
    assert!(text.contains("input: expected a texture made with rgba8unorm-srgb among its `view_formats`, got level 0"), "{text}");
    // One that was destroyed.
    let destroyed = gpu.device().create_texture(&wgpu::TextureDescriptor { view_formats: &[F::Rgba8UnormSrgb], ..descriptor });
    destroyed.destroy();
    let text = why(srgb.bind(&destroyed, &output));
    assert!(text.contains("destroyed"), "{text}");

    // Textures in place of arrays, and arrays in place of textures.
    let arrays = planner.plan(R2c::forward([14, 20]).map_output::<Texel>(Fragment::new("value").texels(F::Rg32Float, [14, 11])).unwrap());
    let (arrays, input) = (arrays.unwrap(), gpu.alloc::<f32>(280).unwrap());
    let text = why(arrays.bind(&input, &right.texture));
    assert!(
        text.contains("output: expected a texture of rg32float 14x11 with the usage TextureUsages(STORAGE_BINDING), got level 0"),
        "{text}"
    );
    let buffer = gpu.alloc::<u32>(1000).unwrap();
    let view = wgpu_fft::View::<Texel>::new(buffer.buffer(), 0, 280).unwrap();
    let text = why(plan.bind(view, &output));
    assert!(text.contains("input: expected a texture of rgba8unorm 14x20, got an array of 280 elements in a buffer"), "{text}");
    // One texture as input and output.
    let usages = wgpu::TextureUsages::STORAGE_BINDING | usage;
    let one = Picture::new(gpu, format(F::R32Float), [8, 8, 2], 1, false, usages, &mut draws);
    let copy = Permute::<f32>::new([8, 8], [1, 0]).map_input::<Texel>(Fragment::new("value").texels(F::R32Float, [8, 8])).unwrap();
    let copy = planner.plan(copy.map_output::<Texel>(Fragment::new("value").texels(F::R32Float, [8, 8])).unwrap()).unwrap();
    let text = why(copy.bind(&one.texture, &one.texture));
    assert!(text.contains("output: expected other texels than those of the input, got level 0 and layer 0 of"), "{text}");
    let apart = copy.bind(TextureLevel::of(&one.texture).layer(1), &one.texture).unwrap();
    gpu.submit(|encoder| apart.encode(encoder)).unwrap();
    let (after, layer) = (one.format.numbers(&one.read(gpu, 0)), one.numbers(0, 1));
    assert_eq!(after[..64], transposed(&layer, 8, 8)[..], "{}", device.name);

    // Formats that are not stored to.
    let stores = |format| R2c::forward(64).map_output::<Texel>(Fragment::new("vec4(value, 0.0, 1.0)").texels(format, [1, 33]));
    let text = why(stores(F::Rgba8UnormSrgb));
    assert!(text.contains("a texture of rgba8unorm-srgb 1x33 is not supported: no shader stores to an sRGB format"), "{text}");
    let text = why(stores(F::Bc1RgbaUnorm));
    assert!(text.contains("uncompressed formats"), "{text}");
    let one_channel = R2c::forward(64).map_output::<Texel>(Fragment::new("value.x").texels(F::R8Unorm, [1, 33])).unwrap();
    if !gpu.device().features().contains(wgpu::Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES) {
        let text = why(planner.plan(one_channel));
        assert!(text.contains("a texture of r8unorm 1x33 as an output of `r2c fwd 64") && text.contains("is promised for r32"), "{text}");
    }
    // Textures that the device does not have.
    let limits = gpu.device().limits();
    let (widest, most) = (limits.max_texture_dimension_2d as usize, limits.max_texture_array_layers as usize);
    for (shape, limit) in [(vec![1, widest + 1], "max_texture_dimension_2d"), (vec![most + 1, 2, 3], "max_texture_array_layers")] {
        let fragment = Fragment::new("value").texels(F::R32Float, Shape::from(shape.clone()));
        let text = why(planner.plan(reduce::sum::<f32>(shape).map_input::<Texel>(fragment).unwrap()));
        assert!(text.contains(limit), "{text}");
    }
    // Types that do not say the same as the fragment.
    let text = why(R2c::forward(64).map_input::<Texel>(Fragment::new("value.x")));
    assert!(text.contains("the fragment must say the format and the size"), "{text}");
    let text = why(R2c::forward(64).map_input::<f32>(fragment(F::R32Float, &[1, 64])));
    assert!(text.contains("a texture of r32float 1x64 as an array of f32 is not supported"), "{text}");
    // In place, on the host, and measured.
    let value = || Fragment::new("value").texels(F::Rg32Float, [1, 64]);
    let text = why(planner.plan(C2c::forward(64).in_place().map_input::<Texel>(value()).unwrap()));
    assert!(text.contains("in place"), "{text}");
    let in_place = Permute::<f32>::new([8, 8], [1, 0]).in_place().map_input::<Texel>(Fragment::new("value").texels(F::R32Float, [8, 8]));
    let text = why(planner.plan(in_place.unwrap().map_output::<Texel>(Fragment::new("value").texels(F::R32Float, [8, 8])).unwrap()));
    assert!(text.contains("textures are transformed from one into another, not in place"), "{text}");
    for text in [why(plan.run(&[])), why(plan.verify()), why(plan.run_into(&[], &mut vec![Complex32::default(); 154]))] {
        assert!(text.contains("bind the textures with `Plan::bind` or `Plan::encode`"), "{text}");
    }
    plan.warm_up().unwrap();
    copy.warm_up().unwrap();
    // Nothing can be measured, and the rules' choice is taken.
    let measured = Planner::new(gpu).with_tuning(Tuning::measure());
    let spec = plan.spec().clone();
    let choice = measured.choose(&spec).unwrap();
    let Source::Failed(reason) = &choice.source else { panic!("{}: {:?}", device.name, choice.source) };
    assert!(reason.to_string().contains("a measurement of"), "{reason}");
    assert!(measured.plan(spec).is_ok());
    assert_eq!(Texel::NAME, "texel");
}

/// A texture of the device, of one level and one layer.
fn plain_texture(device: &wgpu::Device, format: F, [width, height]: [u32; 2], usage: wgpu::TextureUsages) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    })
}

/// Whichever is another device's is named, and nothing panics: neither where it cannot be seen so.
pub fn textures_of_other_devices_are_errors(device: &Device) {
    let gpu = device.gpu();
    // It has no handler for errors but wgpu's own, which panics.
    let (other, _queue) = pollster::block_on(device.adapter.request_device(&wgpu::DeviceDescriptor::default())).unwrap();
    let (loads, stores) = (wgpu::TextureUsages::TEXTURE_BINDING, wgpu::TextureUsages::STORAGE_BINDING);
    let fragment = |format| Fragment::new("value").texels(format, [8, 8]);
    let copy = Permute::<f32>::new([8, 8], [1, 0]).map_input::<Texel>(fragment(F::R32Float)).unwrap();
    let plan = device.planner.plan(copy.map_output::<Texel>(fragment(F::R32Float)).unwrap()).unwrap();
    let of = |own: &wgpu::Device, usage| plain_texture(own, F::R32Float, [8, 8], usage);
    let (input, output) = (of(gpu.device(), loads), of(gpu.device(), stores));
    for (wrong, result) in [
        ("input", plan.bind(&of(&other, loads), &output)),
        ("output", plan.bind(&input, &of(&other, stores))),
        ("input", plan.bind(&of(&other, loads), &of(&other, stores))),
    ] {
        let error = result.unwrap_err();
        assert!(matches!(error, Error::ForeignObject { argument, .. } if argument == wrong), "{}: {wrong}: {error}", device.name);
    }
    // What is wrong with another thing is not the textures' fault.
    let spoilt = of(gpu.device(), stores);
    spoilt.destroy();
    let error = plan.bind(&input, &spoilt).unwrap_err();
    assert!(!matches!(error, Error::ForeignObject { .. }) && error.to_string().contains("destroyed"), "{}: {error}", device.name);
    // Its device is told of what is wrong with its view.
    let linear = Permute::<[f32; 4]>::new([8, 8], [1, 0]).map_input::<Texel>(fragment(F::Rgba8UnormSrgb)).unwrap();
    let linear = device.planner.plan(linear).unwrap();
    let array = gpu.alloc::<[f32; 4]>(64).unwrap();
    let error = linear.bind(&plain_texture(&other, F::Rgba8Unorm, [8, 8], loads), &array).unwrap_err();
    assert!(matches!(error, Error::ForeignObject { argument: "input", .. }), "{}: {error}", device.name);
    plan.bind(&input, &output).unwrap();
}

/// wgpu takes a view of another instance for its own view of the same number, and panics where there
/// is none. A view that is taken for it is of another size, and nothing beyond it is loaded.
pub fn textures_of_another_instance_are_refused_or_read_within(device: &Device) {
    let (gpu, other) = (in_an_instance_of_its_own(device), in_an_instance_of_its_own(device));
    let planner = Planner::new(&gpu);
    let usage = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST;
    let spec = |n: usize| C2c::forward([n, n]).axes([1]).map_input::<Texel>(Fragment::new("value").texels(F::Rg32Float, [n, n])).unwrap();
    let large = planner.plan(spec(64)).unwrap();
    let output = gpu.alloc::<Complex32>(64 * 64).unwrap();
    // These views stay, with the first numbers. Their texels are 1.
    let texels = |_| {
        let texture = plain_texture(gpu.device(), F::Rg32Float, [4, 4], usage);
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(32), rows_per_image: None };
        gpu.queue().write_texture(texture.as_image_copy(), bytemuck::cast_slice(&[1f32; 32]), layout, texture.size());
        texture.create_view(&wgpu::TextureViewDescriptor::default())
    };
    let own: Vec<wgpu::TextureView> = (0..8).map(texels).collect();
    let foreign = plain_texture(other.device(), F::Rg32Float, [64, 64], usage);
    let mut views = Vec::new();
    let (mut refused, mut taken) = (0, 0);
    for i in 0..24 {
        match large.bind(&foreign, &output) {
            Err(error) => {
                assert!(matches!(error, Error::ForeignObject { argument: "input", .. }), "{}: {error}", device.name);
                refused += 1;
            }
            Ok(bound) => {
                gpu.submit(|encoder| bound.encode(encoder)).unwrap();
                let spectrum = gpu.download(&output).unwrap().wait().unwrap();
                // Of the small texture's texels, zeros, and copies of its outermost ones.
                let most = spectrum.iter().map(|z| z.norm()).fold(0.0, f32::max);
                assert!((5.6..=91.0).contains(&most), "{}: {most} from outside of a texture", device.name);
                taken += 1;
            }
        }
        // The number is given back, and comes again in another generation; then it stays in use.
        if i % 2 == 1 {
            views.push(foreign.create_view(&wgpu::TextureViewDescriptor::default()));
        }
    }
    assert!(refused > own.len() && taken > 0, "{}: {refused} refused, {taken} taken", device.name);
}
