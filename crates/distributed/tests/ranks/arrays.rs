//! Runs from and to arrays on the ranks' devices.

use wgpu_fft_distributed::wgpu_fft::fft::{C2c, C2r, R2c, Scale};
use wgpu_fft_distributed::wgpu_fft::transpose::Permute;
use wgpu_fft_distributed::wgpu_fft::{Complex32, DeviceBuffer, Element, Fragment, GpuOptions, View, bytemuck, gpu, wgpu};
use wgpu_fft_distributed::{Cluster, Decomposition, Divide, Error, Job, JobOptions, Order};

use crate::bits::{ORDERS, first_difference, rubbish, variants};
use crate::harness::{Context, Outcome};
use crate::reference::{complex_noise, noise};

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// An array on the rank's device, between guards; none of no elements.
struct Guarded<T>(Option<DeviceBuffer<T>>);

/// Elements on either side: 256 bytes of the smallest, where views may begin.
const GUARD: usize = 64;

impl<T: Element> Guarded<T> {
    fn new(context: &Context, values: &[T]) -> Result<Self, String> {
        let guard = vec![bytemuck::pod_read_unaligned::<T>(&vec![0xaa; size_of::<T>()]); GUARD];
        let all = [&guard[..], values, &guard].concat();
        Ok(Self(if values.is_empty() { None } else { Some(context.cluster.gpu().upload(&all).map_err(text)?) }))
    }

    fn view(&self) -> Option<View<'_, T>> {
        self.0.as_ref().map(|buffer| buffer.slice(GUARD..buffer.len() - GUARD).expect("the part between the guards"))
    }

    /// What it holds, if the guards are as they were.
    fn values(&self, context: &Context) -> Result<Vec<T>, String> {
        let Some(buffer) = &self.0 else { return Ok(Vec::new()) };
        let all = context.cluster.gpu().download(buffer).map_err(text)?.wait().map_err(text)?;
        let (begin, end) = (&all[..GUARD], &all[all.len() - GUARD..]);
        if bytemuck::cast_slice::<T, u8>(begin).iter().chain(bytemuck::cast_slice(end)).any(|byte| *byte != 0xaa) {
            return Err("what is beside the array was written".to_owned());
        }
        Ok(all[GUARD..all.len() - GUARD].to_vec())
    }
}

/// The bits of a run on the host; and how many phases copy.
fn compare<S: Divide>(context: &Context, job: &Job<S, Cluster>, input: &[S::Input], copies: usize) -> Outcome {
    let mut expected = rubbish::<S>(job.output_len());
    job.run(input, &mut expected).map_err(text)?;
    let on_device = Guarded::new(context, input)?;
    // From the first run all is there, and padding is as it was.
    for start in [rubbish::<S>(job.output_len()), expected.clone()] {
        let output = Guarded::new(context, &start)?;
        let report = job.run_on_device(on_device.view(), output.view()).map_err(text)?;
        first_difference(bytemuck::cast_slice(&output.values(context)?), bytemuck::cast_slice(&expected))?;
        if bytemuck::cast_slice::<_, u8>(&on_device.values(context)?) != bytemuck::cast_slice::<_, u8>(input) {
            return Err("the input was written".to_owned());
        }
        if report.phases.iter().filter(|phase| phase.label == "copy").count() != copies {
            return Err(format!("not {copies} copies: {report}"));
        }
    }
    Ok(())
}

pub fn arrays_on_the_device(context: &Context) -> Outcome {
    let shape = [12, 10, 14];
    for order in ORDERS {
        for (decomposition, options) in [(Decomposition::Slabs, 0), (Decomposition::Pencils, 1), (Decomposition::Slabs, 2)] {
            let options = variants(context.size).swap_remove(options).order(order).decomposition(decomposition).piece_bytes(2000);
            // Only an exchange that comes last needs a copy.
            let last = usize::from(order == Order::Natural);
            let job = Job::new(&context.cluster, R2c::forward(shape), &options).map_err(text)?;
            compare(context, &job, &noise(job.input_len(), 1), last)?;
            let back = Job::new(&context.cluster, C2r::inverse(shape), &options).map_err(text)?;
            compare(context, &back, &complex_noise(back.input_len(), 2), 0)?;

            // Parts of the caller's: all of the last axis on one rank, with padding.
            let (mut given, mut wanted) = (job.input(), job.output());
            for part in [&mut given, &mut wanted] {
                (part.ranges, part.padding) = (part.extents.iter().map(|extent| 0..*extent).collect(), 3);
                let last = part.ranges.last_mut().expect("there are three axes");
                *last = if context.rank + 1 == context.size { last.clone() } else { 0..0 };
            }
            let job = job.with_parts(Some(given), Some(wanted)).map_err(text)?;
            compare(context, &job, &noise(job.input_len(), 3), 3)?;
        }
    }
    // Rounded exchanges need the largest number of the input, which is on the devices.
    let options = variants(context.size).swap_remove(1).exchange_as_f16().piece_bytes(1000);
    let job = Job::new(&context.cluster, C2c::forward([61, 53]), &options).map_err(text)?;
    compare(context, &job, &complex_noise(job.input_len(), 6), 0)?;
    // One pass, and nothing to exchange; in f64 too.
    let options = JobOptions::default().piece_bytes(500);
    let job = Job::new(&context.cluster, C2c::forward(60).batch(9), &options).map_err(text)?;
    compare(context, &job, &complex_noise(job.input_len(), 4), 0)?;
    let job = Job::new(&context.cluster, R2c::forward([12, 10]).f64_by_f32(), &options).map_err(text)?;
    let reals: Vec<f64> = noise(job.input_len(), 5).into_iter().map(f64::from).collect();
    compare(context, &job, &reals, 0)
}

/// Forward, factors by a kernel of the caller's, inverse: nothing but exchanges passes the host.
pub fn a_step_of_a_solver_on_the_device(context: &Context) -> Outcome {
    let shape = [16, 12, 10];
    let options = JobOptions::default();
    let there = Job::new(&context.cluster, R2c::forward(shape), &options).map_err(text)?;
    let back = Job::new(&context.cluster, C2r::inverse(shape).scale(Scale::InvLen), &options).map_err(text)?;
    let input = noise(there.input_len(), 6);
    let field = Guarded::new(context, &input)?;
    let [spectrum, changed] = [0, 1].map(|_| Guarded::new(context, &rubbish::<R2c>(there.output_len())));
    let (spectrum, changed) = (spectrum?, changed?);
    there.run_on_device(field.view(), spectrum.view()).map_err(text)?;
    if let (Some(from), Some(to)) = (spectrum.view(), changed.view()) {
        // By i, which the host computes to the same bits.
        let factor = Fragment::new("vec2f(-value.y, value.x)");
        let times = Permute::<Complex32>::transpose([1, from.len()]).map_input::<Complex32>(factor).map_err(text)?;
        let plan = context.cluster.planner().plan(times).map_err(text)?;
        plan.bind(from, to).map_err(text)?.enqueue().map_err(text)?;
    }
    back.run_on_device(changed.view(), field.view()).map_err(text)?;

    let mut on_host = rubbish::<R2c>(there.output_len());
    there.run(&input, &mut on_host).map_err(text)?;
    on_host.iter_mut().for_each(|value| *value = Complex32::new(-value.im, value.re));
    let mut expected = vec![0.0; input.len()];
    back.run(&on_host, &mut expected).map_err(text)?;
    first_difference(&field.values(context)?, &expected)
}

/// What is wrong on one rank is an error on all, and the job goes on working.
pub fn wrong_arrays_on_one_rank(context: &Context) -> Outcome {
    let job = Job::new(&context.cluster, C2c::forward([8, 8]), &JobOptions::default()).map_err(text)?;
    let own = context.cluster.gpu();
    let (good, result) = (own.alloc::<Complex32>(job.input_len()).map_err(text)?, own.alloc::<Complex32>(job.output_len()).map_err(text)?);
    let foreign = pollster::block_on(gpu::Gpu::request(&GpuOptions::default())).map_err(text)?;
    let foreign = foreign.alloc::<Complex32>(job.input_len()).map_err(text)?;
    let (size, usage) = (good.buffer().size(), wgpu::BufferUsages::STORAGE);
    let unusable = own.device().create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
    let short = good.slice(1..).map_err(text)?;
    let last = context.size - 1;
    for (wrong, output, why) in [
        (None, result.view(), "got 0"),
        (Some(short), result.view(), "expected"),
        (Some(foreign.view()), result.view(), "device"),
        (Some(View::whole(&unusable).map_err(text)?), result.view(), "COPY_SRC"),
        (Some(good.view()), good.view(), "output"),
    ] {
        let (input, output) = if context.rank == last { (wrong, output) } else { (Some(good.view()), result.view()) };
        for outcome in [job.run_on_device(input, Some(output)), job.start_on_device(input, Some(output)).and_then(|run| run.wait())] {
            match outcome {
                Err(Error::OnRank { rank, message, .. }) if rank == last && message.contains(why) => {}
                outcome => return Err(format!("{why}: {outcome:?}")),
            }
        }
    }
    job.run_on_device(Some(good.view()), Some(result.view())).map(drop).map_err(text)
}

/// The device finds the same number as the host, also among infinities, NaNs and zeros: how small numbers
/// are rounded depends on it.
pub fn the_largest_number_on_the_device(context: &Context) -> Outcome {
    let options = JobOptions::default().decomposition(Decomposition::Pencils).exchange_as_f16();
    // In one piece, and in many.
    [options.clone(), options.piece_bytes(200)].iter().try_for_each(|options| largest_on_the_device(context, options))
}

fn largest_on_the_device(context: &Context, options: &JobOptions) -> Outcome {
    let job = Job::new(&context.cluster, C2c::forward([6, 10]).batch(4), options).map_err(text)?;
    let len = job.input_len() / job.input().batch.len().max(1);
    let others = [f32::INFINITY, f32::NAN, 0.0, f32::NEG_INFINITY, -f32::NAN];
    // What is no number stays in the first array. The largest is in the second, and the last is small
    // enough to show which one that was.
    let input = job.input().batch.flat_map(|array| {
        let noise = complex_noise(len, 7).into_iter().enumerate();
        noise.map(move |(i, value)| match array {
            0 => Complex32::new(others[i % 5], others[i % 3]),
            1 => value,
            2 => Complex32::ZERO,
            _ => value * 2f32.powi(-30),
        })
    });
    let input: Vec<Complex32> = input.collect();
    for (input, is_zero) in [(&vec![Complex32::ZERO; input.len()], true), (&input, false)] {
        let [mut on_host, nothing] = [0, 1].map(|_| rubbish::<C2c>(job.output_len()));
        job.run(input, &mut on_host).map_err(text)?;
        let (from, to) = (Guarded::new(context, input)?, Guarded::new(context, &nothing)?);
        job.run_on_device(from.view(), to.view()).map_err(text)?;
        // A NaN may have any bits.
        let numbers = |values: &[Complex32]| -> Vec<f32> {
            bytemuck::cast_slice::<_, f32>(values).iter().map(|number| if number.is_nan() { f32::INFINITY } else { *number }).collect()
        };
        let (on_host, on_device) = (numbers(&on_host), numbers(&to.values(context)?));
        first_difference(&on_device, &on_host)?;
        let len = on_host.len() / job.output().batch.len().max(1);
        for (i, array) in job.output().batch.enumerate() {
            let values = &on_host[i * len..][..len];
            let is_right = match array {
                0 if !is_zero => values.iter().all(|value| !value.is_finite()),
                1 | 3 if !is_zero => values.iter().all(|value| value.is_finite()) && values.iter().any(|value| *value != 0.0),
                _ => values.iter().all(|value| *value == 0.0),
            };
            if !is_right && len > 0 {
                return Err(format!("array {array}: {values:?}"));
            }
        }
    }
    Ok(())
}
