//! Time on the device.

use std::time::Instant;

use wgpu_fft::{Bound, Gpu, View, wgpu};

use super::Result;

/// Times recorded work, by the device's clock where it has one.
#[derive(Debug)]
pub struct Stopwatch {
    gpu: Gpu,
    stamps: Option<Stamps>,
}

/// Two timestamps and the buffer that they arrive in.
#[derive(Debug)]
struct Stamps {
    queries: wgpu::QuerySet,
    buffer: wgpu::Buffer,
    seconds_per_tick: f64,
}

impl Stamps {
    fn new(gpu: &Gpu) -> Self {
        let (ty, count) = (wgpu::QueryType::Timestamp, 2);
        let usage = wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::STORAGE;
        Self {
            queries: gpu.device().create_query_set(&wgpu::QuerySetDescriptor { label: Some("stopwatch"), ty, count }),
            buffer: gpu.device().create_buffer(&wgpu::BufferDescriptor {
                label: Some("stopwatch"),
                size: 16,
                usage,
                mapped_at_creation: false,
            }),
            seconds_per_tick: f64::from(gpu.queue().get_timestamp_period()) * 1e-9,
        }
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
    /// A stopwatch that uses timestamps if the device has them, unless it should not.
    pub fn new(gpu: &Gpu, wall_clock: bool) -> Self {
        let stamps = (gpu.profile().timestamps && !wall_clock).then(|| Stamps::new(gpu));
        Self { gpu: gpu.clone(), stamps }
    }

    /// Which clock it uses.
    pub fn timer(&self) -> &'static str {
        if self.stamps.is_some() { "timestamps" } else { "wall clock" }
    }

    /// Runs `work` in one compute pass and returns its time in seconds. A time that is not positive is measured again.
    pub fn time<'a>(&self, work: impl Iterator<Item = &'a Bound> + Clone) -> Result<f64> {
        const TRIES: usize = 5;
        for _ in 0..TRIES {
            let seconds = self.time_once(work.clone())?;
            if seconds > 0.0 {
                return Ok(seconds);
            }
        }
        Err(format!("the {} gave no positive time in {TRIES} tries; --wall-clock does without the device's clock", self.timer()).into())
    }

    fn time_once<'a>(&self, work: impl Iterator<Item = &'a Bound>) -> Result<f64> {
        let mut encoder = self.gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("sample") });
        let timestamp_writes = self.stamps.as_ref().map(Stamps::writes);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some("sample"), timestamp_writes });
        work.for_each(|bound| bound.record(&mut pass));
        drop(pass);
        if let Some(stamps) = &self.stamps {
            encoder.resolve_query_set(&stamps.queries, 0..2, &stamps.buffer, 0);
        }
        let commands = encoder.finish();
        let start = Instant::now();
        let submission = self.gpu.queue().submit([commands]);
        match &self.stamps {
            Some(stamps) => stamps.read(&self.gpu),
            None => {
                self.gpu.device().poll(wgpu::PollType::Wait { submission_index: Some(submission), timeout: None })?;
                Ok(start.elapsed().as_secs_f64())
            }
        }
    }
}
