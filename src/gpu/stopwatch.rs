//! Measures time on the device.

use std::time::{Duration, Instant};

use super::buffer::View;
use super::device::Gpu;
use super::pending::cannot_block;
use super::progress::wait_for;
use crate::error::{Error, Result};

/// Measures the time of recorded work, with the device's clock where it has one.
///
/// ```no_run
/// # fn time(gpu: &wgpu_fft::Gpu, bound: &wgpu_fft::Bound) -> wgpu_fft::Result<std::time::Duration> {
/// let stopwatch = wgpu_fft::low_level::Stopwatch::new(gpu)?;
/// stopwatch.time(|pass| bound.record(pass))
/// # }
/// ```
#[derive(Debug)]
pub struct Stopwatch {
    gpu: Gpu,
    stamps: Option<Stamps>,
}

/// Which clock a [`Stopwatch`] reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "tune", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Timer {
    /// Timestamps that the device writes at the begin and the end of a compute pass.
    #[cfg_attr(feature = "tune", serde(rename = "timestamps"))]
    Timestamps,
    /// The host's clock, from submitting the pass until it has finished. This includes the cost of
    /// submission.
    #[cfg_attr(feature = "tune", serde(rename = "wall clock"))]
    WallClock,
}

impl std::fmt::Display for Timer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Timestamps => "timestamps",
            Self::WallClock => "wall clock",
        })
    }
}

/// Two timestamps and the buffer that they arrive in.
#[derive(Debug)]
struct Stamps {
    queries: wgpu::QuerySet,
    buffer: wgpu::Buffer,
    seconds_per_tick: f64,
}

impl Stamps {
    fn new(gpu: &Gpu) -> Result<Self> {
        let (ty, count) = (wgpu::QueryType::Timestamp, 2);
        let usage = wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::STORAGE;
        let descriptor = wgpu::QuerySetDescriptor { label: Some("stopwatch"), ty, count };
        Ok(Self {
            queries: gpu.caught("timing", 16, || gpu.device().create_query_set(&descriptor))?,
            buffer: gpu.create_buffer("timestamps", 16, usage)?,
            seconds_per_tick: f64::from(gpu.queue().get_timestamp_period()) * 1e-9,
        })
    }

    fn writes(&self) -> wgpu::ComputePassTimestampWrites<'_> {
        wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(0),
            end_of_pass_write_index: Some(1),
        }
    }

    /// Seconds between the two; not positive if the clock stood still or stepped back.
    fn read(&self, gpu: &Gpu) -> Result<f64> {
        let ticks = gpu.download(View::<u64>::new(&self.buffer, 0, 2)?)?.wait()?;
        Ok(ticks[1].wrapping_sub(ticks[0]) as i64 as f64 * self.seconds_per_tick)
    }
}

impl Stopwatch {
    /// A stopwatch that uses timestamps if the device was opened with `TIMESTAMP_QUERY`, and the
    /// host's clock otherwise.
    ///
    /// # Errors
    /// [`Error::DeviceLost`], [`Error::OutOfMemory`].
    pub fn new(gpu: &Gpu) -> Result<Self> {
        let stamps = gpu.profile().timestamps.then(|| Stamps::new(gpu)).transpose()?;
        Ok(Self { gpu: gpu.clone(), stamps })
    }

    /// A stopwatch that uses the host's clock.
    #[must_use]
    pub fn by_wall_clock(gpu: &Gpu) -> Self {
        Self { gpu: gpu.clone(), stamps: None }
    }

    /// Which clock it uses.
    #[must_use]
    pub fn timer(&self) -> Timer {
        if self.stamps.is_some() { Timer::Timestamps } else { Timer::WallClock }
    }

    /// Records `record` into a compute pass of its own, runs it, waits for it and returns its time.
    /// If the time is not positive, the measurement is repeated, up to 5 times in all.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the clock stands still, and in the browser, where nothing may
    /// wait; errors of wgpu; [`Error::DeviceLost`].
    pub fn time(&self, record: impl Fn(&mut wgpu::ComputePass<'_>)) -> Result<Duration> {
        const TRIES: usize = 5;
        if cfg!(target_arch = "wasm32") {
            return Err(cannot_block());
        }
        for _ in 0..TRIES {
            let seconds = self.time_once(&record)?;
            if let Ok(time) = Duration::try_from_secs_f64(seconds)
                && !time.is_zero()
            {
                return Ok(time);
            }
        }
        let why = format!("its clock gave no positive time in {TRIES} tries; use the host's clock instead (Stopwatch::by_wall_clock)");
        Err(Error::Unsupported { what: format!("timing by {} on {}", self.timer(), self.gpu), why })
    }

    fn time_once(&self, record: impl Fn(&mut wgpu::ComputePass<'_>)) -> Result<f64> {
        self.gpu.flush()?;
        let mut start = Instant::now();
        let submission = self.gpu.caught("timing", 0, || {
            let mut encoder = self.gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("stopwatch") });
            let timestamp_writes = self.stamps.as_ref().map(Stamps::writes);
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some("stopwatch"), timestamp_writes });
            record(&mut pass);
            drop(pass);
            if let Some(stamps) = &self.stamps {
                encoder.resolve_query_set(&stamps.queries, 0..2, &stamps.buffer, 0);
            }
            let commands = encoder.finish();
            start = Instant::now();
            self.gpu.queue().submit([commands])
        })?;
        self.gpu.submissions.add(&submission);
        match &self.stamps {
            Some(stamps) => stamps.read(&self.gpu),
            None => {
                wait_for(&self.gpu, submission)?;
                Ok(start.elapsed().as_secs_f64())
            }
        }
    }
}
