//! Runs every generated text on the device and under wgsl-sanitizer with equal inputs. It shows
//! which bits a driver computes differently from what the text and IEEE 754 say.
//!
//! Each dispatch gets the same arrays on both sides, and every array that it writes is compared
//! word by word. [`DIFFERENT`] lists the known differences with their reasons. For these, and
//! nowhere else, an error bound replaces bit equality. If an entry no longer differs on the driver
//! where it was seen, that is a failure too in a thorough run, unless `WGPU_FFT_MAY_AGREE=1` is set.
//! CONTRIBUTING.md explains this list.
//!
//! A driver may take seconds to compile a text. So on a processor a run takes one of every
//! [`KNOWN_SHARE`] texts of a kernel that are in the list, and of the others one of every [`SHARE`],
//! always the same ones. `WGPU_FFT_THOROUGH=1` takes all, and a GPU all that are in the list.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Instant;

use wgpu_fft::low_level::reduction::{Finish, Fold, Kind, Map, Stage};
use wgpu_fft::low_level::{self, Access, Dispatch, Form, Slot};
use wgpu_fft::{Program, wgpu};

use crate::harness::Device;
use crate::lists::asks_for_all;
use crate::sanitized::{Arrays, subgroup_size};
use crate::variants::all_programs;

/// One text of this many is compared, always including the first.
const SHARE: usize = 40;

/// The same of texts whose difference is known.
const KNOWN_SHARE: usize = 6;

/// The most bytes of an array in this test.
const MAX_BYTES: u64 = 1 << 16;

/// A known difference between a driver and the sanitizer.
struct Different {
    what: &'static str,
    why: &'static str,
    /// The adapters on which it may occur.
    on: fn(&wgpu::AdapterInfo) -> bool,
    /// The driver on which it was seen and must still occur: a part of
    /// [`wgpu::AdapterInfo::driver`].
    seen_on: &'static str,
    /// The affected texts.
    is: fn(&Dispatch) -> bool,
    /// The bound of the relative error in the two-norm, over an array that the dispatch writes.
    bound: f64,
}

/// u = 2⁻²⁴, the unit roundoff of f32. The bounds are at least twice the largest error seen.
const U: f64 = crate::harness::U;

const DIFFERENT: &[Different] = &[
    Different {
        what: "the low parts of numbers of two f32",
        why: "Mesa reassociates their sums and products, which the text leaves to compilers",
        on: |info| info.driver.contains("llvmpipe"),
        seen_on: "llvmpipe",
        is: by_two_f32,
        bound: 1.0 / (1_u64 << 45) as f64,
    },
    Different {
        what: "sums of products of complex numbers",
        why: "Mesa reassociates (a*b + c*d) + e to (a*b + e) + c*d",
        on: |info| info.driver.contains("llvmpipe"),
        seen_on: "llvmpipe",
        is: |dispatch| stage(dispatch).is_some_and(|stage| adds_products(stage) && stage.operator.input == Kind::Complex),
        bound: 4.0 * U,
    },
    Different {
        what: "the last pass of a convolution in several passes, of whose results not all are stored",
        why: "Mesa reassociates sums of products that are used once",
        on: |info| info.driver.contains("llvmpipe"),
        seen_on: "llvmpipe",
        is: |dispatch| match dispatch.generated.as_ref().map(|generated| &generated.form) {
            Some(Form::Pass(radices)) => {
                let text = dispatch.wgsl();
                // Results times the conjugate chirp, and no roots of a longer transform.
                let of_convolution = text.contains("= complex_mul(") || text.contains("* complex_mul(");
                radices.len() == 1 && dispatch.label.contains("FFT of axis") && of_convolution && !text.contains("// Times exp(")
            }
            _ => false,
        },
        bound: 4.0 * U,
    },
    Different {
        what: "the sign of zeros: imaginary parts of x[0] and x[n/2], of reals by twos in one stage and in halves",
        why: "Mesa reassociates sums without regard to it; only the sign differs, so the error is 0",
        on: |info| info.driver.contains("llvmpipe"),
        seen_on: "llvmpipe",
        is: |dispatch| match dispatch.generated.as_ref().map(|generated| &generated.form) {
            // The two parts of such a spectrum have these names, as those of some butterflies have.
            Some(Form::Pass(radices)) => radices.len() == 1 && dispatch.wgsl().contains("let even"),
            _ => dispatch.kernel.name == "fft/halves",
        },
        bound: 0.0,
    },
    Different {
        what: "division by a constant that is no power of two",
        why: "spirv-opt, a part of SwiftShader, multiplies by the rounded reciprocal",
        on: |info| info.driver.contains("SwiftShader"),
        seen_on: "SwiftShader",
        is: |dispatch| {
            let divides = |stage: &Stage| match stage.operator.finish {
                Finish::Mean(count) | Finish::Variance(count) | Finish::Deviation(count) => !count.is_power_of_two(),
                Finish::Identity | Finish::Root => false,
            };
            stage(dispatch).is_some_and(|stage| stage.last && divides(stage))
        },
        bound: 4.0 * U,
    },
    Different {
        what: "transforms",
        why: "compilers of GPUs fuse products and sums",
        on: is_gpu,
        seen_on: "NVIDIA",
        is: |dispatch| dispatch.kernel.name.starts_with("fft/"),
        bound: 16.0 * U,
    },
    Different {
        what: "filters",
        why: "compilers of GPUs fuse products and sums",
        on: is_gpu,
        seen_on: "NVIDIA",
        is: |dispatch| dispatch.kernel.name.starts_with("filter/"),
        bound: 64.0 * U,
    },
    Different {
        what: "products that are added",
        why: "compilers of GPUs fuse products and sums",
        on: is_gpu,
        seen_on: "NVIDIA",
        is: |dispatch| stage(dispatch).is_some_and(adds_products),
        bound: 16.0 * U,
    },
    Different {
        what: "divisions and square roots",
        why: "those of GPUs are not correctly rounded, and WGSL does not ask for it",
        on: is_gpu,
        seen_on: "NVIDIA",
        is: |dispatch| {
            stage(dispatch).is_some_and(|Stage { operator, last, partial, .. }| {
                *last && operator.finish != Finish::Identity || !partial && operator.map == Map::Distance && operator.input == Kind::Complex
            })
        },
        bound: 16.0 * U,
    },
];

fn is_gpu(info: &wgpu::AdapterInfo) -> bool {
    info.device_type != wgpu::DeviceType::Cpu
}

fn stage(dispatch: &Dispatch) -> Option<&Stage> {
    match &dispatch.generated.as_ref()?.form {
        Form::Reduction(stage) => Some(stage),
        _ => None,
    }
}

/// Whether a product of floats may be fused with an addition.
fn adds_products(stage: &Stage) -> bool {
    let operator = &stage.operator;
    let is_float = matches!(operator.value(), Kind::F32 | Kind::F64 | Kind::Complex);
    let maps = matches!(operator.map, Map::Norm | Map::Product | Map::ConjugateProduct);
    let folds = operator.fold == Fold::Product && operator.value() == Kind::Complex;
    is_float && !operator.rounded && (maps && operator.fold == Fold::Sum && !stage.partial || folds)
}

/// Numbers of either sign and with every mantissa, below 2 and far from subnormal. They are valid
/// as f32, as f16, and as integers.
fn numbers(program: &Program, seed: u32) -> Vec<u8> {
    let size = program.inputs()[0].element_bytes;
    let word = |i: usize| (i as u32 ^ seed).wrapping_mul(0x9e37_79b1) ^ (i as u32).rotate_left(13).wrapping_mul(0x85eb_ca6b);
    let one = |i: usize| {
        let bits = word(i);
        match size {
            1 => vec![(bits >> 24) as u8],
            2 => ((bits >> 16) as u16 & 0x83ff | 0x3800).to_le_bytes().to_vec(),
            _ => (bits & 0x80ff_ffff | 0x3f00_0000).to_le_bytes().to_vec(),
        }
    };
    (0..program.inputs()[0].len * size.div_ceil(4)).flat_map(one).collect()
}

/// Whether the device has the features that a text needs. Limits are checked elsewhere.
fn can_run(device: &Device, dispatch: &Dispatch) -> bool {
    let (profile, text) = (device.gpu().profile(), dispatch.wgsl());
    let needs = |part: &str| text.contains(part);
    (profile.f64 || !needs("f64"))
        && (profile.int64 || !needs("u64"))
        && dispatch.binds.len() as u32 <= profile.storage_buffers
        && (!uses_subgroups(dispatch) || profile.subgroups && subgroups(device, dispatch).is_some())
}

fn uses_subgroups(dispatch: &Dispatch) -> bool {
    ["subgroupShuffle", "subgroup_invocation_id"].iter().any(|part| dispatch.wgsl().contains(part))
}

/// The subgroup size to run a text with on the host: the device's own size if the text supports it.
fn subgroups(device: &Device, dispatch: &Dispatch) -> Option<u32> {
    let least = subgroup_size(dispatch, 1);
    if !uses_subgroups(dispatch) {
        return Some(least);
    }
    let [smallest, largest] = device.gpu().profile().subgroup_sizes;
    let fits = smallest == largest && if dispatch.kernel.name == "fft/lanes" { smallest == 8 } else { smallest >= least };
    fits.then_some(smallest)
}

/// The entry of the list to which a text belongs.
fn entry(dispatch: &Dispatch, info: &wgpu::AdapterInfo) -> Option<usize> {
    DIFFERENT.iter().position(|entry| (entry.on)(info) && (entry.is)(dispatch))
}

/// Whether a dispatch computes with numbers of two f32.
fn by_two_f32(dispatch: &Dispatch) -> bool {
    ["fft/pass_double", "fft/probe_double"].contains(&dispatch.kernel.name)
}

/// Programs with some dispatches to compare, and which dispatches those are.
fn chosen(device: &Device) -> Vec<(Program, Vec<bool>)> {
    let mut seen = HashSet::new();
    let mut counts: HashMap<(&str, Option<usize>), usize> = HashMap::new();
    let info = device.adapter.get_info();
    let mut chosen = Vec::new();
    for program in all_programs() {
        let arrays = [program.inputs()[0], program.output()];
        if arrays.iter().chain(low_level::workspaces(&program)).any(|array| array.bytes() > MAX_BYTES)
            || program.check(device.gpu().profile()).is_err()
        {
            continue;
        }
        let take = |dispatch: &Dispatch| {
            if !can_run(device, dispatch) || !seen.insert((dispatch.wgsl(), dispatch.overrides.clone())) {
                return false;
            }
            if asks_for_all() {
                return true;
            }
            // Texts of two f32 take drivers long, and all of them are on the list.
            let known = entry(dispatch, &info).filter(|_| !by_two_f32(dispatch));
            let of = match known {
                None => SHARE,
                Some(_) if !device.is_thorough() => KNOWN_SHARE,
                Some(_) => return true,
            };
            let count = counts.entry((dispatch.kernel.name, known)).or_default();
            *count += 1;
            *count % of == 1
        };
        let taken: Vec<bool> = low_level::dispatches(&program).iter().map(take).collect();
        if taken.contains(&true) {
            chosen.push((program, taken));
        }
    }
    chosen
}

/// Runs a dispatch on the device and returns the arrays that it writes.
fn run_on_device(device: &Device, program: &Program, dispatch: &Dispatch, arrays: &Arrays<'_>) -> BTreeMap<Slot, Vec<u32>> {
    let gpu = device.gpu();
    let wgpu_device = gpu.device();
    let pipeline = low_level::compile(gpu, dispatch).unwrap_or_else(|error| panic!("{dispatch}: {error}"));
    let buffer = |words: &[u32], usage| {
        let buffer = wgpu_device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 4 * words.len() as u64,
            usage: usage | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        gpu.queue().write_buffer(&buffer, 0, bytemuck::cast_slice(words));
        buffer
    };
    let params = buffer(&bytemuck::pod_collect_to_vec(&dispatch.params), wgpu::BufferUsages::UNIFORM);
    let slots: HashSet<Slot> = dispatch.binds.iter().map(|bind| bind.slot).collect();
    let buffers: HashMap<Slot, wgpu::Buffer> =
        slots.iter().map(|&slot| (slot, buffer(&arrays.words(slot), wgpu::BufferUsages::STORAGE))).collect();
    let mut entries = vec![wgpu::BindGroupEntry { binding: 0, resource: params.as_entire_binding() }];
    entries.extend(dispatch.binds.iter().map(|bind| {
        let (offset, bytes) = bind.range.unwrap_or((0, low_level::bytes(program, bind.slot)));
        let size = wgpu::BufferSize::new(bytes);
        let resource = wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer: &buffers[&bind.slot], offset, size });
        wgpu::BindGroupEntry { binding: bind.binding, resource }
    }));
    let group = wgpu_device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &entries,
    });
    let mut encoder = wgpu_device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(dispatch.grid.x, dispatch.grid.y, 1);
    }
    let written = dispatch.binds.iter().filter(|bind| matches!(bind.access, Access::ReadWrite | Access::Arrivals)).map(|bind| bind.slot);
    let staging: BTreeMap<Slot, wgpu::Buffer> = written
        .map(|slot| {
            let staging = wgpu_device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: buffers[&slot].size(),
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            encoder.copy_buffer_to_buffer(&buffers[&slot], 0, &staging, 0, staging.size());
            (slot, staging)
        })
        .collect();
    gpu.queue().submit([encoder.finish()]);
    for staging in staging.values() {
        staging.slice(..).map_async(wgpu::MapMode::Read, |result| result.unwrap());
    }
    wgpu_device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    let words = |staging: &wgpu::Buffer| bytemuck::pod_collect_to_vec(&staging.slice(..).get_mapped_range().unwrap()[..]);
    staging.iter().map(|(&slot, staging)| (slot, words(staging))).collect()
}

/// The relative error of words that are f32, or pairs of words that are f64, and which words
/// differ; `None` if all bits are equal.
fn difference(actual: &[u32], expected: &[u32], f64s: bool) -> Option<(f64, String)> {
    let differing = || (0..expected.len()).filter(|&i| actual[i] != expected[i]);
    let first = differing().next()?;
    let numbers = |words: &[u32]| -> Vec<f64> {
        if f64s { bytemuck::pod_collect_to_vec(words) } else { words.iter().map(|&bits| f64::from(f32::from_bits(bits))).collect() }
    };
    let [mut error, mut norm] = [0.0; 2];
    for (a, b) in numbers(actual).into_iter().zip(numbers(expected)) {
        // Places that nobody writes are NaNs on both sides.
        if a.to_bits() != b.to_bits() {
            error += (a - b).powi(2);
        }
        if b.is_finite() {
            norm += b.powi(2);
        }
    }
    let what = format!(
        "{} of {} words, word {first} is {:08x}, should be {:08x}",
        differing().count(),
        expected.len(),
        actual[first],
        expected[first]
    );
    Some(((error / norm).sqrt(), what))
}

pub fn drivers_compute_what_the_interpreter_does(device: &Device) {
    let info = device.adapter.get_info();
    let begin = Instant::now();
    let mut wrong = Vec::new();
    // For each entry of the list: how many texts were compared, and how many differed.
    let mut counts = vec![[0; 2]; DIFFERENT.len()];
    let mut texts = 0;
    for (program, taken) in chosen(device) {
        let inputs: Vec<Vec<u8>> = (0..program.inputs().len() as u32).map(|seed| numbers(&program, seed)).collect();
        let inputs: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
        let mut arrays = Arrays::new(&program, &inputs);
        for (dispatch, taken) in low_level::dispatches(&program).iter().zip(taken) {
            let after = if taken { run_on_device(device, &program, dispatch, &arrays) } else { BTreeMap::new() };
            arrays.dispatch(dispatch, 0, subgroups(device, dispatch).unwrap_or_else(|| subgroup_size(dispatch, 1)));
            if !taken {
                continue;
            }
            texts += 1;
            let f64s = dispatch.kernel.name == "fft/pass_f64"
                || by_two_f32(dispatch)
                || stage(dispatch).is_some_and(|stage| stage.target() == Kind::F64);
            let different = after.iter().filter_map(|(&slot, actual)| difference(actual, &arrays.words(slot), f64s));
            let different = different.max_by(|a, b| a.0.total_cmp(&b.0));
            let (bound, expected) = match entry(dispatch, &info) {
                Some(entry) => {
                    counts[entry][0] += 1;
                    counts[entry][1] += i32::from(different.is_some());
                    (DIFFERENT[entry].bound, format!("at most {:.1e}: {}", DIFFERENT[entry].bound, DIFFERENT[entry].what))
                }
                None => (-1.0, "equal bits".to_owned()),
            };
            // A NaN is not within any bound.
            if let Some((error, what)) = different.filter(|&(error, _)| error.is_nan() || error > bound) {
                wrong.push(format!("error {error:.1e}, expected {expected}; {what}; {dispatch}, of `{}`", program.title()));
            }
        }
    }
    println!("{}: {texts} texts in {:.0} s", device.name, begin.elapsed().as_secs_f64());
    let may_agree = std::env::var("WGPU_FFT_MAY_AGREE").is_ok_and(|value| value == "1");
    for (entry, [compared, differ]) in DIFFERENT.iter().zip(counts).filter(|(_, counts)| counts[0] > 0) {
        println!("  {differ} of {compared} differ: {}; {}", entry.what, entry.why);
        if device.is_thorough() && differ == 0 && info.driver.contains(entry.seen_on) && !may_agree {
            wrong.push(format!("nothing differs any more, so take it off the list: {}", entry.what));
        }
    }
    assert!(wrong.is_empty(), "{}, driver {} {}:\n{}", device.name, info.driver, info.driver_info, wrong.join("\n"));
}
