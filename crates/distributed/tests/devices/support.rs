//! Sets of devices, and comparisons.

use std::sync::OnceLock;

use wgpu_fft::{Element, Error, Gpu, GpuOptions, Planner, gpu};
use wgpu_fft_distributed::takemoto::Amount;
use wgpu_fft_distributed::{DeviceSet, Divide, Job, JobOptions, Report, Strategy};

pub use crate::compare::{assert_equal_bits, first_difference};
pub use crate::reference::{complex_noise, noise};

/// A device of each adapter found, or two devices of a single adapter.
pub fn find_gpus() -> Result<&'static [Gpu], Error> {
    static GPUS: OnceLock<Result<Vec<Gpu>, Error>> = OnceLock::new();
    GPUS.get_or_init(open).as_deref().map_err(Clone::clone)
}

/// New devices, for tests that break them.
pub fn open() -> Result<Vec<Gpu>, Error> {
    pollster::block_on(async {
        let adapters = gpu::adapters(&GpuOptions::default()).await?;
        let again = if adapters.len() == 1 { 2 } else { 1 };
        let mut gpus = Vec::new();
        for adapter in adapters.iter().cycle().take(adapters.len() * again) {
            gpus.push(Gpu::from_adapter(adapter).await?);
        }
        Ok(gpus)
    })
}

/// All devices found, as one set.
pub fn set() -> &'static DeviceSet {
    static SET: OnceLock<DeviceSet> = OnceLock::new();
    SET.get_or_init(|| DeviceSet::of(find_gpus().unwrap().iter().cloned()).unwrap())
}

/// The default options with a strategy.
pub fn by(strategy: Strategy) -> JobOptions {
    JobOptions::default().strategy(strategy)
}

/// Every way to divide a job.
pub fn strategies(members: usize) -> Vec<Strategy> {
    let amounts = [Some(Amount::Large), None];
    let takemoto = |amount| Strategy::Takemoto { processing_elements: (0..members as u32).map(|i| 128 + 64 * i).collect(), amount };
    let mut all: Vec<Strategy> = (0..members).map(Strategy::Single).collect();
    all.extend([Strategy::Equal, Strategy::Ratio((1..=members).map(|i| i as f64).collect())]);
    all.extend(amounts.map(takemoto));
    all.extend([Strategy::Measured, Strategy::Dynamic, Strategy::Auto]);
    all
}

/// Runs a job with an output that contains garbage.
pub fn run<S: Divide>(job: &Job<S>, inputs: &[&[S::Input]]) -> (Vec<S::Output>, wgpu_fft_distributed::Result<Report>) {
    let mut output = vec![rubbish(); job.output_len()];
    let report = match inputs {
        [x, y] => job.run_two(x, y, &mut output),
        _ => job.run(inputs[0], &mut output),
    };
    (output, report)
}

/// Bits that no computation in these tests produces.
fn rubbish<T: Element>() -> T {
    let bytes = [0xde, 0xad, 0xc0, 0x7f].into_iter().cycle().take(size_of::<T>()).collect::<Vec<u8>>();
    bytemuck::pod_read_unaligned(&bytes)
}

/// Plans on the first device.
pub fn planner() -> &'static Planner {
    static PLANNER: OnceLock<Planner> = OnceLock::new();
    PLANNER.get_or_init(|| Planner::new(&find_gpus().unwrap()[0]))
}

/// The result of a plan on the first device.
pub fn on_one_device<S: Divide>(spec: S, inputs: &[&[S::Input]]) -> Vec<S::Output> {
    let plan = planner().plan(spec).unwrap();
    match inputs {
        [x, y] => plan.run((x, y)),
        _ => plan.run(inputs[0]),
    }
    .unwrap()
    .wait()
    .unwrap()
}
