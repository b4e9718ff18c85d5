//! What a run allocates on the host.

use wgpu_fft_distributed::wgpu_fft::fft::{C2c, C2r};
use wgpu_fft_distributed::wgpu_fft::{Complex32, bytemuck};
use wgpu_fft_distributed::{Cluster, Decomposition, Job, JobOptions, Order, Part, Redistribution, Result};
use wgpu_fft_tests::memory::peak;

use crate::harness::{Context, Outcome};

/// What every number of ranks up to 4 divides.
const SHAPE: [usize; 3] = [192, 96, 96];
const MESSAGE: usize = 1 << 16;
/// Of a piece, input and output.
const PIECE: usize = 1 << 18;
/// Everything that does not grow with the array: commands, reports, lists of messages.
const REST: usize = 1 << 18;

/// What a run may take: so many arrays beside the caller's two, the messages that are under way, and a piece.
fn bound(context: &Context, arrays: usize, part: usize) -> usize {
    arrays * part + part / 4 + PIECE / 2 + 2 * MESSAGE * (context.size - 1) + REST
}

fn check(context: &Context, what: &str, arrays: usize, part: usize, allocated: usize) -> Outcome {
    if context.rank == 0 {
        println!("{what}: {:.2} parts with the caller's two", 2.0 + allocated as f64 / part as f64);
    }
    let most = bound(context, arrays, part);
    if allocated <= most { Ok(()) } else { Err(format!("{what} allocates {allocated} bytes for parts of {part}, and {most} are stated")) }
}

/// The job, its largest part in bytes, and what its second run allocates: the first one may fill caches.
fn measured<S: wgpu_fft_distributed::Divide>(job: &Job<S, Cluster>) -> Result<[usize; 2]> {
    let zeros = |bytes: usize| vec![0u64; bytes.div_ceil(8)];
    let bytes = [job.input_len() * size_of::<S::Input>(), job.output_len() * size_of::<S::Output>()];
    let [input, mut output] = bytes.map(zeros);
    let input = &bytemuck::cast_slice(&input)[..job.input_len()];
    let output = &mut bytemuck::cast_slice_mut(&mut output)[..job.output_len()];
    job.run(input, output)?;
    let (done, allocated) = peak(|| job.run(input, output));
    done?;
    Ok([bytes[0].max(bytes[1]), allocated])
}

pub fn memory_of_the_host(context: &Context) -> Outcome {
    let text = |error: wgpu_fft_distributed::Error| error.to_string();
    let options = JobOptions::default().message_bytes(MESSAGE).piece_bytes(PIECE);
    let pencils = options.clone().decomposition(Decomposition::Pencils);
    for (what, options, arrays) in [
        ("slabs", options.clone(), 0),
        ("slabs in natural order", options.clone().order(Order::Natural), 1),
        ("pencils", pencils.clone(), 1),
        ("pencils in natural order", pencils.clone().order(Order::Natural), 1),
    ] {
        let job = Job::new(&context.cluster, C2c::forward(SHAPE), &options).map_err(text)?;
        let [part, allocated] = measured(&job).map_err(text)?;
        check(context, what, arrays, part, allocated)?;
    }
    // Half a spectrum has more bytes than its reals, so an array before them does not fit in their place.
    let job = Job::new(&context.cluster, C2r::inverse(SHAPE), &pencils).map_err(text)?;
    let [part, allocated] = measured(&job).map_err(text)?;
    check(context, "pencils of half a spectrum", 2, part, allocated)?;

    let share = |extent: usize| extent * context.rank / context.size..extent * (context.rank + 1) / context.size;
    let job = Job::new(&context.cluster, C2c::forward(SHAPE), &options).map_err(text)?;
    let [mut before, mut after] = [job.input(), job.output()];
    before.ranges = vec![0..SHAPE[0], 0..SHAPE[1], share(SHAPE[2])];
    after.ranges = vec![0..SHAPE[1], share(SHAPE[2]), 0..SHAPE[0]];
    let job = job.with_parts(Some(before), Some(after)).map_err(text)?;
    let [part, allocated] = measured(&job).map_err(text)?;
    check(context, "bricks", 1, part, allocated)?;

    let from = Part::of_box(&SHAPE, &[share(SHAPE[0]), 0..SHAPE[1], 0..SHAPE[2]]);
    let to = Part::of_box(&SHAPE, &[0..SHAPE[0], share(SHAPE[1]), 0..SHAPE[2]]).stored_as(&[1, 2, 0]);
    let turn = Redistribution::new(&context.cluster, &from, &to, 8, &options).map_err(text)?;
    let [input, mut output] = [&from, &to].map(|part| vec![Complex32::ONE; part.len()]);
    let (done, allocated) = peak(|| turn.run(&input, &mut output));
    done.map_err(text)?;
    check(context, "a redistribution", 0, 8 * from.len(), allocated)
}
