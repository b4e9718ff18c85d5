//! Benchmarks what is fused into transforms: fragments, parts of axes, and convolutions.
//!
//! ```sh
//! cargo bench --bench measure -- fused                       # all tables
//! cargo bench --bench measure -- fused --table convolve
//! cargo bench --bench measure -- fused --filter 4096x4096
//! ```
//!
//! **`fragments`**: the cases for which cuFFT was measured, without a fragment, and with fragments
//! on load and store: a factor, and a factor that depends on all indices. `ratio` is the time over
//! that without fragments.
//!
//! **`parts`**: a transform of padded data, and of the same data without the padding. `ratio` is
//! the time over that of the padded data.
//!
//! **`convolve`**: our convolution with a kernel, with a kernel whose spectrum is given, and the
//! chain of plans that one would write without them: copy into a padded array, transform, the same
//! for the kernel, product, inverse transform, copy of the wanted part. `ratio` is the time over
//! that of the chain. `peers/fftconvolve.py` measures CuPy for the same cases.
//!
//! **`direct`**: convolutions with few taps by transforms and by sums. `ratio` is the time over
//! that by transforms.
//!
//! **`spectrogram`**: log-magnitudes of frames of 1024 samples, 256 apart. `ratio` is the time over
//! that of the spectra without the fragment, and `of copy` has the bytes of signal and result, each
//! once. As many frames 16 apart, of a signal that the caches hold, show what the samples' way from
//! memory costs. The same without reading samples, and with 8 frequencies written alone, shows what
//! arithmetic and exchanges cost.
//!
//! **`move`**: transposes with fragments, and cyclic shifts. `ratio` is the time over that of the
//! plain transpose.
//!
//! **`rings`**: averages over rings of frequencies, by several recipes. `of copy` has the bytes of
//! the array once. `ratio` is the time over that of the recipe of the rules.
//!
//! **`resample`**: pictures with other numbers of rows and columns, and zoomed spectra. `ratio` is
//! the time over that of one real transform of the picture.
//!
//! **`inline`**: rows convolved by a shader with transforms of `fft::Inline`, and by a spectral filter.
//! `ratio` is the time over that of the filter. A shader of one's own has bounds checks, those of the
//! filter are proven needless: WGPU_FFT_CHECKED=1 gives it the same.
//!
//! **`textures`**: pictures filtered by their frequencies, from bytes in a buffer to bytes, and from a
//! texture into a texture. `ratio` is the time over that of buffers, which comes without the two copies
//! that they would need.
//!
//! **`shift`**: phase correlation. `ratio` is the time over that of one real transform.

use serde_json::json;
use wgpu_fft::elements::Readable;
use wgpu_fft::fft::{C2c, C2r, Inline, InlineText, R2c};
use wgpu_fft::low_level::recipes::signal::{By, Convolve as ConvolveRecipe};
use wgpu_fft::low_level::tune::Recorder;
use wgpu_fft::signal::Stft;
use wgpu_fft::signal::window::Window;
use wgpu_fft::signal::{Convolve, PhaseCorrelate, RadialAverage, Resample, Roll, SpectralFilter, Zoom};
use wgpu_fft::transpose::Permute;
use wgpu_fft::{Bound, Complex32, DeviceBuffer, Fragment, FragmentArrays, Gpu, Layout, Plan, Spec, Texel, View, With, bytemuck, wgpu};

use crate::support::{Arrays, Bench, Candidate, Case, Column, Format, Program, Result, Table, pipeline, rounded};

pub const PROGRAM: Program = Program {
    name: "fused",
    about: "what is fused into transforms: fragments, parts of axes, convolutions, spectrograms, ...",
    options: "  --table NAME    fragments, parts, convolve, direct, spectrogram, rings,
                  move, resample, inline, textures or shift; may be repeated
",
    columns: COLUMNS,
    work: |bench| bench.tables(TABLES),
};

const COLUMNS: &[Column] = &[
    Column::new("case", "spec", Format::Group),
    Column::new("by", "candidate", Format::Text),
    Column::new("ms", "ms", Format::Digits),
    Column::new("spread", "spread", Format::Percent),
    Column::new("ratio", "ratio", Format::Digits),
    Column::new("of copy", "copy_fraction", Format::Percent),
    Column::new("passes", "dispatches", Format::Decimals(0)),
];

const TABLES: &[Table] = &[
    ("fragments", |bench| {
        bench.each(
            FRAGMENTS,
            |bench, spec| if spec.starts_with("c2c") { fragments::<Complex>(bench, spec) } else { fragments::<Real>(bench, spec) },
        )
    }),
    ("parts", |bench| bench.each(PARTS, parts)),
    ("convolve", |bench| bench.each(CONVOLVE, convolve)),
    ("direct", |bench| bench.each(DIRECT, direct)),
    ("spectrogram", |bench| bench.each(SPECTROGRAM, spectrogram)),
    ("rings", |bench| bench.each(RINGS, rings)),
    ("move", |bench| bench.each(MOVE, moves)),
    ("resample", |bench| bench.each(MOVE, resample)),
    ("inline", |bench| bench.each(INLINE, inline)),
    ("textures", |bench| bench.each(MOVE, textures)),
    ("shift", |bench| bench.each(MOVE, shifts)),
];

/// The cases on a GPU, on a software adapter, and in a smoke test.
const FRAGMENTS: [&[&str]; 3] = [
    &[
        "c2c fwd 512x512",
        "c2c fwd 1024x1024",
        "c2c fwd 2048x2048",
        "c2c fwd 4096x4096",
        "c2c fwd 8192x8192",
        "c2c fwd 1080x1920",
        "c2c fwd 1000x1000",
        "c2c fwd 256x256x256",
        "c2c fwd 64 x1048576",
        "c2c fwd 256 x262144",
        "c2c fwd 1024 x65536",
        "c2c fwd 4096 x16384",
        "c2c fwd 16384 x4096",
        "c2c fwd 65536 x1024",
        "c2c fwd 1048576 x64",
        "c2c fwd 1009 x33255",
        "r2c fwd 1024x1024",
        "r2c fwd 4096x4096",
        "r2c fwd 8192x8192",
    ],
    &["c2c fwd 512x512", "c2c fwd 1024 x1024", "r2c fwd 1080x1920"],
    &["c2c fwd 16x16", "r2c fwd 16x12"],
];

/// Shapes, of which half along each axis is data.
const PARTS: [&[usize]; 3] = [&[1024, 2048, 4096, 8192], &[512, 1024], &[32]];

/// The shapes of a picture and of a kernel, and the number of pictures.
type Convolution = ([usize; 2], [usize; 2], usize);

const CONVOLVE: [&[Convolution]; 3] = [
    &[
        ([1080, 1920], [31, 31], 1),
        ([1080, 1920], [255, 255], 1),
        ([4096, 4096], [31, 31], 1),
        ([4096, 4096], [255, 255], 1),
        ([512, 512], [31, 31], 64),
    ],
    &[([540, 960], [31, 31], 1), ([512, 512], [31, 31], 1)],
    &[([20, 24], [3, 5], 2)],
];

/// Few taps, around the number up to which sums are faster.
const DIRECT: [&[Convolution]; 3] = [
    &[
        ([1080, 1920], [3, 3], 1),
        ([1080, 1920], [7, 7], 1),
        ([1080, 1920], [11, 11], 1),
        ([1080, 1920], [15, 15], 1),
        ([1080, 1920], [1, 31], 1),
        ([1080, 1920], [31, 1], 1),
        ([4096, 4096], [7, 7], 1),
        ([4096, 4096], [11, 11], 1),
        ([4096, 4096], [15, 15], 1),
        ([512, 512], [7, 7], 64),
        ([512, 512], [11, 11], 64),
        ([512, 512], [15, 15], 64),
        ([1, 1000], [1, 15], 4096),
        ([1, 1000], [1, 31], 4096),
        ([1, 1000], [1, 63], 4096),
        ([1, 1 << 22], [1, 15], 1),
        ([1, 1 << 22], [1, 63], 1),
        ([1, 1 << 22], [1, 127], 1),
    ],
    &[([540, 960], [5, 5], 1), ([540, 960], [9, 9], 1)],
    &[([20, 24], [3, 5], 2)],
];

/// Samples of a spectrogram.
const SPECTROGRAM: [&[usize]; 3] = [&[1 << 20, 1 << 23, 1 << 26], &[1 << 16, 1 << 18], &[5000]];

/// Shapes whose rings are averaged.
const RINGS: [&[&[usize]]; 3] = [&[&[1024, 1024], &[4096, 4096], &[256, 256, 256]], &[&[512, 512]], &[&[20, 24]]];

/// Shapes that are transposed, shifted or compared.
const MOVE: [&[[usize; 2]]; 3] = [&[[1024, 1024], [1080, 1920], [4096, 4096]], &[[512, 512], [1080, 1920]], &[[20, 24]]];

/// Lengths of rows that are convolved, and their number.
const INLINE: [&[[usize; 2]]; 3] =
    [&[[256, 1 << 15], [1000, 1 << 14], [1024, 1 << 14], [2048, 1 << 13], [4096, 1 << 12]], &[[256, 1024], [1024, 256]], &[[24, 10]]];

/// Measures candidates, each with its dispatches, beside a copy, and reports each with the ratio of
/// its time to that of the first.
fn report<N: ToString>(bench: &mut Bench, case: &Case, arrays: &Arrays, all: Vec<(N, usize, Candidate)>) -> Result<()> {
    let mut candidates = vec![arrays.copy(bench)?];
    let mut names = Vec::new();
    for (name, dispatches, candidate) in all {
        names.push((name.to_string(), dispatches));
        candidates.push(candidate);
    }
    let samples = bench.measure(candidates)?;
    let copy = samples[0].gb_per_s(arrays.copy_bytes());
    for ((name, dispatches), own) in names.iter().zip(&samples[1..]) {
        let ratio = own.median() / samples[1].median();
        bench.report(case, "", own, copy, [("candidate", json!(name)), ("ratio", rounded(ratio)), ("dispatches", json!(dispatches))]);
    }
    Ok(())
}

fn dispatches<S: Spec>(plan: &Plan<S>) -> usize {
    plan.program().dispatch_count()
}

/// A kind of transform to which fragments are added.
trait Mapped {
    type Spec: Spec<Input = Self::Input, Output = Complex32> + std::str::FromStr<Err = wgpu_fft::Error>;
    type Input: Readable;
    fn map(spec: Self::Spec, input: Fragment, output: Fragment) -> wgpu_fft::Result<Self::Spec>;
}

struct Complex;
struct Real;

impl Mapped for Complex {
    type Spec = C2c;
    type Input = Complex32;

    fn map(spec: C2c, input: Fragment, output: Fragment) -> wgpu_fft::Result<C2c> {
        spec.map_input(input)?.map_output(output)
    }
}

impl Mapped for Real {
    type Spec = R2c;
    type Input = f32;

    fn map(spec: R2c, input: Fragment, output: Fragment) -> wgpu_fft::Result<R2c> {
        spec.map_input(input)?.map_output(output)
    }
}

fn fragments<M: Mapped>(bench: &mut Bench, text: &str) -> Result<()> {
    let spec: M::Spec = text.parse()?;
    let rank = text.split_whitespace().nth(2).map_or(1, |shape| shape.split('x').count());
    let indices: String = (0..rank).map(|axis| format!(" + 1e-9 * f32(i{axis})")).collect();
    let shape = text.split_once(" fwd ").map_or(text, |(_, shape)| shape).to_owned();
    bench.contest(text, |bench| {
        let factor = M::map(spec.clone(), Fragment::new("value * 1.25"), Fragment::new("value * 0.8"))?;
        let indexed = M::map(
            spec.clone(),
            Fragment::new(format!("value * (1.0{indices} + 1e-9 * f32(batch))")),
            Fragment::new(format!("value * (1.0{indices} + 1e-9 * f32(batch))")),
        )?;
        let plain = bench.planner().plan(spec.clone())?;
        let arrays = Arrays::for_plan(bench, &plain)?;
        let case = Case::of(text, shape, &plain);
        let mut all = vec![("plain", dispatches(&plain), arrays.bind(&plain)?)];
        for (name, spec) in [("factor", factor), ("indexed", indexed)] {
            let plan = bench.planner().plan(spec)?;
            all.push((name, dispatches(&plan), arrays.bind(&plan)?));
        }
        report(bench, &case, &arrays, all)
    })
}

fn parts(bench: &mut Bench, n: usize) -> Result<()> {
    let (whole, half) = (C2c::forward([n, n]), n as i64 / 2);
    let title = format!("{n}x{n} of which {half}x{half} is data");
    bench.contest(&title.clone(), |bench| {
        let plain = bench.planner().plan(whole.clone())?;
        let padded = bench.planner().plan(whole.clone().input_part([0..half, 0..half]))?;
        let cropped =
            bench.planner().plan(whole.clone().input_part([0..half, 0..half]).output_part([-half / 2..half / 2, -half / 2..half / 2]))?;
        let arrays = Arrays::for_plan(bench, &plain)?;
        let case = Case::of(title, format!("{n}x{n}"), &padded);
        let all = vec![
            ("padded array", dispatches(&plain), arrays.bind(&plain)?),
            ("input_part", dispatches(&padded), arrays.bind(&padded)?),
            ("and output_part", dispatches(&cropped), arrays.bind(&cropped)?),
        ];
        report(bench, &case, &arrays, all)
    })
}

fn convolve(bench: &mut Bench, (shape, kernel, batch): Convolution) -> Result<()> {
    let spec = Convolve::<f32>::convolution(shape, kernel).batch(batch);
    bench.contest(&spec.to_string(), |bench| {
        let plan = bench.planner().plan(spec.clone())?;
        let lengths = plan.recipe().lengths.clone();
        let (transform, given) = spec.clone().by_spectrum(bench.gpu().profile())?;
        let given = bench.planner().plan(given)?;
        let spectrum = bench.gpu().alloc::<Complex32>(bench.planner().plan(transform)?.output_len())?;
        let arrays = Arrays::for_plan(bench, &plan)?;
        let elements = shape[0] * shape[1] * batch;
        let case = Case { title: spec.to_string(), shape: format!("{shape:?}"), bytes: 8 * elements as u64 };
        let chain = Chain::new(bench, shape, kernel, batch, &lengths)?;
        let all = vec![
            ("chain of plans", chain.dispatches, chain.candidate(&arrays)?),
            ("convolve", dispatches(&plan), arrays.bind(&plan)?),
            ("with a spectrum", dispatches(&given), arrays.bind_with(&given, &FragmentArrays::new().with("spectrum", &spectrum))?),
        ];
        report(bench, &case, &arrays, all)
    })
}

fn direct(bench: &mut Bench, (shape, kernel, batch): Convolution) -> Result<()> {
    // A single row is a line.
    let of = |extents: [usize; 2]| extents[usize::from(shape[0] == 1)..].to_vec();
    let spec = Convolve::<f32>::convolution(of(shape), of(kernel)).batch(batch);
    bench.contest(&spec.to_string(), |bench| {
        let profile = bench.gpu().profile().clone();
        let by_sums = |recipe: &ConvolveRecipe| matches!(recipe.by, By::Sums(_));
        let mut recipes = vec![spec.design(&profile)?];
        recipes.extend(spec.alternatives(&profile));
        let of_kind = |sums: bool| recipes.iter().find(|recipe| by_sums(recipe) == sums).cloned();
        let [Some(transforms), Some(sums)] = [false, true].map(of_kind) else {
            return Err(format!("{spec}: there is one way alone").into());
        };
        let [transforms, sums] = [bench.planner().plan_with(spec.clone(), transforms)?, bench.planner().plan_with(spec.clone(), sums)?];
        let arrays = Arrays::for_plan(bench, &transforms)?;
        let case = Case { title: spec.to_string(), shape: format!("{shape:?}"), bytes: (8 * shape[0] * shape[1] * batch) as u64 };
        let all =
            vec![("transforms", dispatches(&transforms), arrays.bind(&transforms)?), ("sums", dispatches(&sums), arrays.bind(&sums)?)];
        report(bench, &case, &arrays, all)
    })
}

fn spectrogram(bench: &mut Bench, len: usize) -> Result<()> {
    let window: Vec<f64> = Window::Hann.periodic(1024)?;
    let spectra = Stft::<f32>::new(len, &window, 256);
    let decibels = |spec: Stft<f32>| spec.map_output::<f32>(Fragment::new("log(max(dot(value, value), 1e-20)) * 4.342945"));
    let title = format!("spectrogram of {len} samples");
    bench.contest(&title.clone(), |bench| {
        let plain = bench.planner().plan(spectra.clone())?;
        let plan = bench.planner().plan(decibels(spectra.clone())?)?;
        let turned = bench.planner().plan(decibels(spectra.clone().frequencies_first())?)?;
        let near = bench.planner().plan(decibels(Stft::<f32>::new(len / 16, &window, 16))?)?;
        let frames = plan.program().output().bytes() as usize / (4 * 513);
        let unread = || {
            let spec = R2c::forward([frames, 1024]).axes([1]).input_layout(Layout::strides([0, 1]));
            let made = Fragment::new("f32(i1 ^ (i0 & 255)) * 1e-3");
            spec.map_input::<f32>(made)?.map_output::<f32>(Fragment::new("log(max(dot(value, value), 1e-20)) * 4.342945"))
        };
        let unwritten = bench.planner().plan(unread()?.output_part([0..frames as i64, 0..8]))?;
        let unread = bench.planner().plan(unread()?)?;
        // Of few samples, those 16 apart have more frames.
        let result_bytes = plain.program().output().bytes().max(near.program().output().bytes());
        let arrays = Arrays::new(bench, plain.program().inputs()[0].bytes(), result_bytes)?;
        let case = Case::of(title, len.to_string(), &plan);
        let all = vec![
            ("spectra", dispatches(&plain), arrays.bind(&plain)?),
            ("decibels", dispatches(&plan), arrays.bind(&plan)?),
            ("frequencies first", dispatches(&turned), arrays.bind(&turned)?),
            ("16 apart", dispatches(&near), arrays.bind(&near)?),
            ("nothing read", dispatches(&unread), arrays.bind(&unread)?),
            ("nothing read, 8 written", dispatches(&unwritten), arrays.bind(&unwritten)?),
        ];
        report(bench, &case, &arrays, all)
    })
}

fn rings(bench: &mut Bench, shape: &[usize]) -> Result<()> {
    let spec = RadialAverage::new(shape);
    bench.contest(&spec.to_string(), |bench| {
        let own = bench.planner().plan(spec.clone())?;
        let bytes = own.program().inputs()[0].bytes();
        let arrays = Arrays::new(bench, bytes, bytes)?;
        let case = Case { title: spec.to_string(), shape: format!("{shape:?}"), bytes };
        let mut all = vec![(own.recipe().to_string(), dispatches(&own), arrays.bind(&own)?)];
        for invocations in [32, 64, 256] {
            for lines in [4, 16, 64, 256] {
                let recipe = format!("rings {invocations} lines={lines} join=64");
                let plan = recipe.parse().and_then(|recipe| bench.planner().plan_with(spec.clone(), recipe));
                if let Ok(plan) = plan {
                    all.push((recipe, dispatches(&plan), arrays.bind(&plan)?));
                }
            }
        }
        report(bench, &case, &arrays, all)
    })
}

fn moves(bench: &mut Bench, shape: [usize; 2]) -> Result<()> {
    let title = format!("{}x{} f32", shape[0], shape[1]);
    bench.contest(&title.clone(), |bench| {
        let plain = bench.planner().plan(Permute::<f32>::transpose(shape))?;
        let factor = Permute::<f32>::transpose(shape).map_input::<f32>(Fragment::new("value * 1.25"))?;
        let factor = bench.planner().plan(factor)?;
        let indexed = Fragment::new("value * (1.0 + 1e-9 * f32(i0) + 1e-9 * f32(i1))");
        let indexed = bench.planner().plan(Permute::<f32>::transpose(shape).map_output::<f32>(indexed)?)?;
        let rolled = bench.planner().plan(Roll::<f32>::fftshift(shape))?;
        let odd = bench.planner().plan(Roll::<f32>::new(shape, [3, 7]))?;
        let arrays = Arrays::for_plan(bench, &plain)?;
        let case = Case { title, shape: format!("{shape:?}"), bytes: 8 * (shape[0] * shape[1]) as u64 };
        let all = vec![
            ("transpose", dispatches(&plain), arrays.bind(&plain)?),
            ("factor", dispatches(&factor), arrays.bind(&factor)?),
            ("indexed", dispatches(&indexed), arrays.bind(&indexed)?),
            ("fftshift", dispatches(&rolled), arrays.bind(&rolled)?),
            ("roll by 3, 7", dispatches(&odd), arrays.bind(&odd)?),
        ];
        report(bench, &case, &arrays, all)
    })
}

fn resample(bench: &mut Bench, shape: [usize; 2]) -> Result<()> {
    let title = format!("{}x{} f32", shape[0], shape[1]);
    bench.contest(&format!("resample {title}"), |bench| {
        let transform = bench.planner().plan(R2c::forward(shape))?;
        let third = bench.planner().plan(Resample::<f32, f32>::new(shape, shape.map(|n| n * 2 / 3)))?;
        let rows = bench.planner().plan(Resample::<f32, f32>::new(shape, [shape[0], shape[1] / 2]))?;
        let double = bench.planner().plan(Resample::<f32, f32>::new(shape, shape.map(|n| n * 2)))?;
        let zoom = bench.planner().plan(Zoom::<f32, Complex32>::new(shape, [0.1, 0.2], shape[1] / 2))?;
        let bytes = double.program().output().bytes();
        let arrays = Arrays::new(bench, bytes, bytes)?;
        let case = Case { title, shape: format!("{shape:?}"), bytes: 8 * (shape[0] * shape[1]) as u64 };
        let all = vec![
            ("R2c", dispatches(&transform), arrays.bind(&transform)?),
            ("to 2/3", dispatches(&third), arrays.bind(&third)?),
            ("columns to 1/2", dispatches(&rows), arrays.bind(&rows)?),
            ("to 2", dispatches(&double), arrays.bind(&double)?),
            ("zoom of rows", dispatches(&zoom), arrays.bind(&zoom)?),
        ];
        report(bench, &case, &arrays, all)
    })
}

fn shifts(bench: &mut Bench, shape: [usize; 2]) -> Result<()> {
    let title = format!("shift between {}x{}", shape[0], shape[1]);
    bench.contest(&title.clone(), |bench| {
        let transform = bench.planner().plan(R2c::forward(shape))?;
        let spec = PhaseCorrelate::new(shape);
        let own = bench.planner().plan(spec.clone())?;
        let bytes = transform.program().output().bytes();
        let arrays = Arrays::new(bench, 2 * bytes.next_multiple_of(256), bytes)?;
        let case = Case { title, shape: format!("{shape:?}"), bytes: 8 * (shape[0] * shape[1]) as u64 };
        let mut all = vec![("R2c", dispatches(&transform), arrays.bind(&transform)?), ("chosen", dispatches(&own), arrays.bind(&own)?)];
        for (name, parts) in [("64 parts", 64), ("256 parts", 256), ("1024 parts", 1024), ("4096 parts", 4096)] {
            let mut recipe = own.recipe().clone();
            if (parts as usize) < bytes as usize / 8 && parts != recipe.parts {
                recipe.parts = parts;
                let plan = bench.planner().plan_with(spec.clone(), recipe)?;
                all.push((name, dispatches(&plan), arrays.bind(&plan)?));
            }
        }
        report(bench, &case, &arrays, all)
    })
}

fn textures(bench: &mut Bench, [rows, columns]: [usize; 2]) -> Result<()> {
    let title = format!("filter of a picture of {rows}x{columns}");
    bench.contest(&title.clone(), |bench| {
        let shape = [rows, columns];
        let filter = || SpectralFilter::real(shape, Fragment::new("value * exp(-50.0 * (f0 * f0 + f1 * f1))"));
        let bytes = filter()?
            .map_input::<[u8; 4]>(Fragment::new("f32(value.x) / 255.0"))?
            .map_output::<[u8; 4]>(Fragment::new("vec4(vec3(u32(clamp(255.0 * value, 0.0, 255.0))), 255u)"))?;
        let of = |code: &str| Fragment::new(code).texels(wgpu::TextureFormat::Rgba8Unorm, shape);
        let texels = filter()?.map_input::<Texel>(of("value.x"))?.map_output::<Texel>(of("vec4(vec3(value), 1.0)"))?;
        let (bytes, texels) = (bench.planner().plan(bytes)?, bench.planner().plan(texels)?);
        let texture = |usage| {
            bench.gpu().device().create_texture(&wgpu::TextureDescriptor {
                label: None,
                size: wgpu::Extent3d { width: columns as u32, height: rows as u32, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format: wgpu::TextureFormat::Rgba8Unorm,
                usage,
                view_formats: &[],
            })
        };
        let bound = texels.bind(&texture(wgpu::TextureUsages::TEXTURE_BINDING), &texture(wgpu::TextureUsages::STORAGE_BINDING))?;
        let arrays = Arrays::for_plan(bench, &bytes)?;
        let case = Case { title, shape: format!("{shape:?}"), bytes: 8 * (rows * columns) as u64 };
        let all = vec![
            ("buffers", dispatches(&bytes), arrays.bind(&bytes)?),
            ("textures", dispatches(&texels), Candidate::recorded(vec![Box::new(move |pass| bound.record(pass))])),
        ];
        report(bench, &case, &arrays, all)
    })
}

fn inline(bench: &mut Bench, [n, rows]: [usize; 2]) -> Result<()> {
    let title = format!("rows of {n} convolved, x{rows}");
    bench.contest(&title.clone(), |bench| {
        let gpu = bench.gpu().clone();
        let response = gpu.upload(&vec![Complex32::new(0.5, 0.5); n])?;
        let product = Fragment::new("product(value, response[i0])")
            .functions("fn product(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> { return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }")
            .array::<Complex32>("response", n);
        let plan = bench.planner().plan(SpectralFilter::complex(n, product)?.batch(rows))?;
        let bytes = (8 * n * rows) as u64;
        let arrays = Arrays::new(bench, bytes, bytes)?;
        let declared = FragmentArrays::new().with("response", &response);
        let filter = arrays.each(|input, output| {
            let [input, output] = [input, output].map(|own| View::<Complex32>::new(own.buffer(), 0, n * rows));
            let bound = plan.bind(With(input?, &declared), output?)?;
            Ok(Box::new(move |pass| bound.record(pass)))
        })?;
        let mut all = vec![("filter", dispatches(&plan), filter)];
        let own = Inline::new(n).twiddles_at(0, 3);
        let holding = |elements: u32| own.clone().invocations(n as u32 / elements);
        let candidates = [
            ("inline", own.clone()),
            ("more memory", own.clone().workgroup_memory(32_768)),
            ("computed", Inline::new(n)),
            ("4 elements", holding(4)),
            ("8 elements", holding(8)),
            ("16 elements", holding(16)),
            ("32 elements", holding(32)),
        ];
        for (name, own) in candidates {
            let Ok(text) = own.generate() else { continue };
            let recorders = convolved(&gpu, &text, [n, rows], &response);
            all.push((name, 1, arrays.each(|input, output| Ok(recorders(input, output)))?));
        }
        report(bench, &Case { title, shape: format!("{n} x{rows}"), bytes: 2 * bytes }, &arrays, all)
    })
}

/// Dispatches that convolve rows from one array into another.
fn convolved<'a>(
    gpu: &'a Gpu,
    text: &InlineText,
    [n, rows]: [usize; 2],
    response: &'a DeviceBuffer<Complex32>,
) -> impl Fn(&DeviceBuffer<u32>, &DeviceBuffer<u32>) -> Recorder + use<'a> {
    let (elements, size) = (text.elements, text.invocations);
    let lines = size as usize * elements / n;
    let wgsl = format!(
        "@group(0) @binding(0) var<storage, read> rows: array<vec2f>;
        @group(0) @binding(1) var<storage, read_write> result: array<vec2f>;
        @group(0) @binding(2) var<storage, read> response: array<vec2f>;
        @compute @workgroup_size({size})
        fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) invocation: u32) {{
            let row = {n}u * ({lines}u * group.x + fft_line(invocation));
            var values: array<vec2f, {elements}>;
            {loads}
            fft_forward(&values, invocation);
            {products}
            fft_inverse(&values, invocation);
            {stores}
        }}
        {wgsl}",
        loads = each(elements, "values[K] = rows[row + fft_position(invocation, K)];"),
        products = each(elements, "values[K] = fft_complex_mul(values[K], response[fft_frequency(invocation, K)]);"),
        stores = each(elements, &format!("result[row + fft_position(invocation, K)] = values[K] * {}f;", 1.0 / n as f64)),
        wgsl = text.wgsl
    );
    let pipeline = pipeline(gpu, "inline", &wgsl, &[]);
    let roots = Some(text.twiddles.as_slice()).filter(|roots| !roots.is_empty());
    let roots = roots.map(|roots| gpu.upload(&bytemuck::pod_collect_to_vec::<u8, u32>(roots)).expect("a table is small"));
    let groups = rows.div_ceil(lines) as u32;
    move |input, output| {
        let roots = roots.as_ref().map(DeviceBuffer::buffer);
        let bound = [input.buffer(), output.buffer(), response.buffer()].into_iter().chain(roots).zip(0..);
        let entries: Vec<_> =
            bound.map(|(buffer, binding)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() }).collect();
        let layout = pipeline.get_bind_group_layout(0);
        let bind_group = gpu.device().create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout: &layout, entries: &entries });
        let pipeline = pipeline.clone();
        Box::new(move |pass| {
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &bind_group, &[]);
            pass.dispatch_workgroups(groups, 1, 1);
        })
    }
}

/// A statement for each number.
fn each(count: usize, statement: &str) -> String {
    (0..count).map(|k| statement.replace('K', &format!("{k}u"))).collect::<Vec<_>>().join("\n")
}

/// A convolution by plans without fused steps.
struct Chain {
    bounds: Vec<Bound>,
    product: Product,
    /// How many of the plans come before the product.
    before: usize,
    dispatches: usize,
}

impl Chain {
    fn new(bench: &Bench, shape: [usize; 2], kernel: [usize; 2], batch: usize, lengths: &[u32]) -> Result<Self> {
        let (gpu, planner) = (bench.gpu(), bench.planner());
        let padded = [lengths[0] as usize, lengths[1] as usize];
        let half = padded[0] * (padded[1] / 2 + 1);
        let reals = |count: usize| gpu.upload(&vec![0.0f32; count]);
        let (image, kernel_array) = (reals(shape[0] * shape[1] * batch)?, reals(kernel[0] * kernel[1])?);
        let (wide, wide_kernel) = (reals(padded[0] * padded[1] * batch)?, reals(padded[0] * padded[1])?);
        let (spectrum, kernel_spectrum) = (gpu.alloc::<Complex32>(half * batch)?, gpu.alloc::<Complex32>(half)?);
        let output = reals(shape[0] * shape[1] * batch)?;
        let layout = |first: usize| Layout::strides([padded[1], 1]).batch_distance(padded[0] * padded[1]).offset(first);
        let pad = |own: [usize; 2], batch: usize| planner.plan(Permute::<f32>::new(own, [0, 1]).batch(batch).output_layout(layout(0)));
        let first = (kernel[0] - 1) / 2 * padded[1] + (kernel[1] - 1) / 2;
        let (pad_image, pad_kernel) = (pad(shape, batch)?, pad(kernel, 1)?);
        let forward = planner.plan(R2c::forward(padded).batch(batch))?;
        let forward_kernel = planner.plan(R2c::forward(padded))?;
        let back = planner.plan(C2r::inverse(padded).batch(batch).scale(wgpu_fft::fft::Scale::InvLen))?;
        let crop = planner.plan(Permute::<f32>::new(shape, [0, 1]).batch(batch).input_layout(layout(first)))?;
        let dispatches = [
            dispatches(&pad_image),
            dispatches(&pad_kernel),
            dispatches(&forward),
            dispatches(&forward_kernel),
            1,
            dispatches(&back),
            dispatches(&crop),
        ];
        let bounds = vec![
            pad_image.bind(&image, wide.slice(..pad_image.output_len())?)?,
            pad_kernel.bind(&kernel_array, wide_kernel.slice(..pad_kernel.output_len())?)?,
            forward.bind(&wide, &spectrum)?,
            forward_kernel.bind(&wide_kernel, &kernel_spectrum)?,
            back.bind(&spectrum, &wide)?,
            crop.bind(wide.slice(..crop.input_len())?, &output)?,
        ];
        let product = Product::new(bench, &spectrum, &kernel_spectrum);
        Ok(Self { bounds, product, before: 4, dispatches: dispatches.iter().sum() })
    }

    /// The arrays of the other candidates are not used: all of the chain's are its own, and larger.
    fn candidate(self, _: &Arrays) -> Result<Candidate> {
        let Self { bounds, product, before, .. } = self;
        let recorder: Recorder = Box::new(move |pass| {
            bounds[..before].iter().for_each(|bound| bound.record(pass));
            product.record(pass);
            bounds[before..].iter().for_each(|bound| bound.record(pass));
        });
        Ok(Candidate::recorded(vec![recorder]))
    }
}

/// Elementwise products with a kernel's spectrum, in place.
struct Product {
    pipeline: wgpu::ComputePipeline,
    bind_group: wgpu::BindGroup,
    groups: [u32; 2],
}

impl Product {
    fn new(bench: &Bench, data: &DeviceBuffer<Complex32>, kernel: &DeviceBuffer<Complex32>) -> Self {
        const TEXT: &str = "
            @group(0) @binding(0) var<storage, read_write> data: array<vec2<f32>>;
            @group(0) @binding(1) var<storage, read> spectrum: array<vec2<f32>>;
            @compute @workgroup_size(256)
            fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) own: u32) {
                let i = (group.y * count.x + group.x) * 256u + own;
                if (i < arrayLength(&data)) {
                    let a = data[i];
                    let b = spectrum[i % arrayLength(&spectrum)];
                    data[i] = vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
                }
            }";
        let device = bench.gpu().device();
        let pipeline = pipeline(bench.gpu(), "product", TEXT, &[]);
        fn entry(binding: u32, buffer: &DeviceBuffer<Complex32>) -> wgpu::BindGroupEntry<'_> {
            wgpu::BindGroupEntry { binding, resource: buffer.buffer().as_entire_binding() }
        }
        let layout = pipeline.get_bind_group_layout(0);
        let entries = [entry(0, data), entry(1, kernel)];
        let bind_group = device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout: &layout, entries: &entries });
        let groups = data.len().div_ceil(256) as u32;
        let x = groups.min(65_535);
        Self { pipeline, bind_group, groups: [x, groups.div_ceil(x)] }
    }

    fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bind_group, &[]);
        pass.dispatch_workgroups(self.groups[0], self.groups[1], 1);
    }
}
