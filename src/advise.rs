//! Where to compute: what a run takes on a device and on the host, by estimates.

use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;
#[cfg(not(target_arch = "wasm32"))]
use std::time::Instant;

#[cfg(target_arch = "wasm32")]
use web_time::Instant;

use num_complex::Complex32;

use crate::dynamic::AnySpec;
use crate::error::Result;
use crate::fft::C2c;
use crate::gpu::{Gpu, OfDevice, Stopwatch, Times, cannot_block};
use crate::plan::{Plan, Program, Spec};
use crate::planner::Planner;

/// Where the arrays of a run are: what it reads, and where its results are wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Location {
    Host,
    Device,
}

/// What one run takes, by estimates: see [`Planner::advise`].
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Advice {
    /// On the device, with all copies, from the call to the result. Where the host is faster by
    /// far, a bare round trip, which is less.
    pub device: Duration,
    /// On one thread of the host by rustfft, with all copies. `None` for what is no Fourier
    /// transform.
    pub host: Option<Duration>,
}

impl Advice {
    /// Whether the host is faster.
    #[must_use]
    pub fn is_host_faster(&self) -> bool {
        self.host.is_some_and(|host| host < self.device)
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3?} on the device", self.device)?;
        self.host.map_or(Ok(()), |host| write!(f, ", {host:.3?} on the host"))
    }
}

impl Planner {
    /// Estimates what a run of `spec` takes on this device and on the host, when its arrays are on
    /// the host. Small arrays are better transformed on the host: a device answers no call in
    /// less than some 50 µs.
    ///
    /// ```no_run
    /// use wgpu_fft::{Planner, fft::C2c};
    ///
    /// # fn f(planner: &Planner) -> wgpu_fft::Result<()> {
    /// let spec = C2c::forward([256, 256]);
    /// let advice = planner.advise(&spec)?;
    /// println!("{spec}: {advice}"); // c2c fwd 256x256: …µs on the device, …µs on the host
    /// let plan = if advice.is_host_faster() { None } else { Some(planner.plan(spec)?) };
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// To choose among adapters, ask a planner of each:
    ///
    /// ```no_run
    /// use wgpu_fft::{Planner, Spec};
    ///
    /// /// The planner whose device takes least.
    /// fn fastest<'a>(planners: &'a [Planner], spec: &impl Spec) -> Option<&'a Planner> {
    ///     let time = |planner: &&Planner| planner.advise(spec).map_or(std::time::Duration::MAX, |advice| advice.device);
    ///     planners.iter().min_by_key(time)
    /// }
    /// ```
    ///
    /// # Definition
    /// With B bytes of all inputs and outputs, d dispatches of the recipe that the rules choose,
    /// and F = 5·Σ N·log₂n operations over the axes:
    ///
    /// - on the device: c + B·t + d·max(e, B·m), without B·t if the arrays are there
    ///   ([`advise_on_device`](Self::advise_on_device));
    /// - of a software adapter: max(d·e, F·f) in place of the last term;
    /// - on the host: F·h, and r + B·t besides if the arrays are on the device.
    ///
    /// Reals count half in F, f64 twice, double-single arithmetic on a device 20 times, lengths
    /// with prime factors above 31 by their convolution, and fragments not at all. Measured when
    /// they are needed for the first time are c, what a call takes, e, a dispatch, m, a byte of the
    /// device's memory, t, a byte on its way, r, a round trip, f and h, an operation of the device
    /// and of the host, which depends on whether B fits its caches. That takes a few milliseconds
    /// where the host takes less than a quarter of r, and else up to a second, with the compilation
    /// of two kernels. h is that of the program's rustfft: build it with its features `avx`, `sse`
    /// and `neon`.
    ///
    /// # Accuracy
    /// Where both take about as long, the advice may be wrong; it is meant for choices that differ
    /// by much.
    ///
    /// # Errors
    /// Those of [`choose`](Self::choose), except that a transform which the host computes in less
    /// than a quarter of r is not checked; those of running; [`Error::Unsupported`](crate::Error)
    /// in the browser, where nothing may wait for a measurement.
    pub fn advise<S: Spec>(&self, spec: &S) -> Result<Advice> {
        self.advise_at(spec, Location::Host)
    }

    /// The same when its arrays are in buffers of the device: the host would have to copy them
    /// there and back.
    ///
    /// # Errors
    /// Those of [`advise`](Self::advise).
    pub fn advise_on_device<S: Spec>(&self, spec: &S) -> Result<Advice> {
        self.advise_at(spec, Location::Device)
    }

    fn advise_at<S: Spec>(&self, spec: &S, location: Location) -> Result<Advice> {
        let program = || spec.lower(&spec.design(self.gpu().profile())?, self.gpu().profile());
        self.advise_any(&program, spec.operations(), location)
    }

    fn advise_any(&self, program: &dyn Fn() -> Result<Program>, operations: Option<[f64; 2]>, location: Location) -> Result<Advice> {
        if cfg!(target_arch = "wasm32") {
            return Err(cannot_block());
        }
        let gpu = self.gpu();
        let trip = gpu.times.trip(gpu)?;
        // Then nothing else needs to be measured.
        if let (Location::Host, Some([host, _])) = (location, operations) {
            let host = host * of_operation(0.0);
            if BY_FAR * host < trip {
                return Ok(Advice { device: seconds(trip), host: Some(seconds(host)) });
            }
        }
        let program = program()?;
        let arrays = program.inputs().iter().chain([&program.output()]).map(|array| array.bytes()).sum::<u64>() as f64;
        let times = gpu.times.device(self)?;
        // A software adapter computes, and a GPU waits for its memory.
        let of_device = operations.filter(|_| gpu.profile().is_cpu()).map(|[_, device]| device);
        let on_device = times.run(arrays, program.dispatch_count() as f64, of_device, location);
        let back = if location == Location::Device { trip + arrays * times.transfer } else { 0.0 };
        let on_host = operations.map(|[host, _]| host * of_operation(arrays) + back);
        Ok(Advice { device: seconds(on_device), host: on_host.map(seconds) })
    }
}

impl AnySpec {
    /// What a run takes on a planner's device and on the host, by estimates. See
    /// [`Planner::advise`].
    ///
    /// # Errors
    /// Those of [`Planner::advise`].
    pub fn advise(&self, planner: &Planner) -> Result<Advice> {
        self.advise_at(planner, Location::Host)
    }

    /// The same when its arrays are in buffers of the device. See [`Planner::advise_on_device`].
    ///
    /// # Errors
    /// Those of [`Planner::advise`].
    pub fn advise_on_device(&self, planner: &Planner) -> Result<Advice> {
        self.advise_at(planner, Location::Device)
    }

    fn advise_at(&self, planner: &Planner, location: Location) -> Result<Advice> {
        planner.advise_any(&|| self.lower(None, planner.gpu().profile()), self.operations(), location)
    }
}

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

/// The host is faster by far if it takes so many times less than a bare round trip.
const BY_FAR: f64 = 4.0;

/// Rows of one length: a few, and as many as take 16 MiB on each side.
const ROW: usize = 1024;
const ROWS: [usize; 2] = [1, 2048];

/// The least of so many times counts, after the first one.
const TRIES: usize = 5;

/// Once they have taken as long as this, two are enough.
const LONG: Duration = Duration::from_millis(100);

/// So many runs of a few rows are timed together.
const RUNS: u32 = 16;

impl Times {
    fn trip(&self, gpu: &Gpu) -> Result<f64> {
        self.trip.get_or_try_init(|| shortest(|| gpu.download(&gpu.upload(&[0.0_f32; 64])?)?.wait().map(drop))).copied()
    }

    fn device(&self, planner: &Planner) -> Result<OfDevice> {
        self.device.get_or_try_init(|| OfDevice::measured(planner)).copied()
    }
}

impl OfDevice {
    /// Seconds of a run with so many bytes of arrays, and so many operations if these decide.
    fn run(&self, arrays: f64, dispatches: f64, operations: Option<f64>, location: Location) -> f64 {
        let there = if location == Location::Host { arrays * self.transfer } else { 0.0 };
        let kernels = match operations {
            Some(operations) => (dispatches * self.dispatch).max(operations * self.operation),
            None => dispatches * self.dispatch.max(arrays * self.byte),
        };
        self.call + there + kernels
    }

    fn measured(planner: &Planner) -> Result<Self> {
        let [few, many] = ROWS;
        let ((call, dispatch), (large, pass)) = (run_and_pass(planner, few)?, run_and_pass(planner, many)?);
        let numbers = (ROW * ROWS[1]) as f64;
        let bytes = 2.0 * 8.0 * numbers;
        Ok(Self {
            call,
            dispatch,
            byte: pass / bytes,
            transfer: (large - pass - call).max(0.0) / bytes,
            operation: pass / operations(ROW, numbers),
        })
    }
}

/// Seconds of a run from the host, and of one dispatch of it on the device.
fn run_and_pass(planner: &Planner, rows: usize) -> Result<(f64, f64)> {
    let gpu = planner.gpu();
    let spec = C2c::forward(ROW).batch(rows);
    let recipe = spec.design(gpu.profile())?;
    let plan: Plan<C2c> = planner.build(spec, recipe)?;
    let data = vec![Complex32::default(); plan.input_len()];
    let run = shortest(|| plan.run(&data)?.wait().map(drop))?;
    let (input, output) = (gpu.upload(&data)?, gpu.alloc::<Complex32>(plan.output_len())?);
    let bound = plan.bind(&input, &output)?;
    // A clock on the device may stand still, and few rows are done before one has moved.
    let clocks = [Stopwatch::new(gpu)?, Stopwatch::by_wall_clock(gpu)];
    let runs = if rows == 1 { RUNS } else { 1 };
    let time = |clock: &Stopwatch| clock.time(|pass| (0..runs).for_each(|_| bound.record(pass)));
    let passes = least(|| Ok(time(&clocks[0]).or_else(|_| time(&clocks[1]))?.as_secs_f64()))?;
    Ok((run, passes / f64::from(runs) / plan.program().dispatch_count() as f64))
}

/// The least time that some work takes, in seconds.
fn shortest(mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    least(|| {
        let begun = Instant::now();
        work()?;
        Ok(begun.elapsed().as_secs_f64())
    })
}

/// The least of some times. The first one also compiles and allocates.
fn least(mut time: impl FnMut() -> Result<f64>) -> Result<f64> {
    let begun = Instant::now();
    time()?;
    let mut least = time()?;
    for _ in 1..TRIES {
        if begun.elapsed() > LONG {
            break;
        }
        least = least.min(time()?);
    }
    Ok(least)
}

/// By the usual count, for rows of n with so many numbers in all.
fn operations(n: usize, numbers: f64) -> f64 {
    5.0 * numbers * (n as f64).log2()
}

/// Bytes of arrays that the host's caches hold, and of such that they do not.
const CACHED: [f64; 2] = [(1 << 18) as f64, (1 << 24) as f64];

/// Seconds that the host takes for an operation, where the arrays have so many bytes.
fn of_operation(bytes: f64) -> f64 {
    static TIMES: [OnceLock<f64>; 2] = [OnceLock::new(), OnceLock::new()];
    let measured = |i: usize| {
        *TIMES[i].get_or_init(|| {
            let n = CACHED[i] as usize / 16;
            let fft = rustfft::FftPlanner::<f32>::new().plan_fft_forward(n);
            let (mut data, mut scratch) = (vec![Complex32::default(); n], vec![Complex32::default(); fft.get_inplace_scratch_len()]);
            let run = || {
                fft.process_with_scratch(&mut data, &mut scratch);
                Ok(())
            };
            shortest(run).unwrap_or(f64::INFINITY) / operations(n, n as f64)
        })
    };
    let near = measured(0);
    if bytes <= CACHED[0] {
        return near;
    }
    let share = ((bytes / CACHED[0]).log2() / (CACHED[1] / CACHED[0]).log2()).min(1.0);
    near * (measured(1) / near).powf(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_take_calls_copies_and_passes() {
        let times = OfDevice { call: 100.0, dispatch: 5.0, byte: 0.25, transfer: 1.0, operation: 0.5 };
        let run = |arrays, operations, location| times.run(arrays, 2.0, operations, location);
        assert_eq!(run(64.0, None, Location::Host), 100.0 + 64.0 + 2.0 * 16.0);
        assert_eq!(run(64.0, None, Location::Device), 100.0 + 2.0 * 16.0);
        // A dispatch takes its time, however little it moves or computes.
        assert_eq!(run(8.0, None, Location::Device), 100.0 + 2.0 * 5.0);
        assert_eq!(run(64.0, Some(1000.0), Location::Device), 100.0 + 500.0);
        assert_eq!(run(64.0, Some(10.0), Location::Device), 100.0 + 2.0 * 5.0);
    }

    #[test]
    fn the_host_is_no_faster_beyond_its_caches_than_measured() {
        let [near, far] = CACHED.map(of_operation);
        let between = of_operation((CACHED[0] * CACHED[1]).sqrt());
        assert!(between >= near.min(far) && between <= near.max(far) && of_operation(1e12) == far && of_operation(1.0) == near);
    }
}
