//! `wgpu-fft spectrogram`: the levels of a sound over time and frequency.

use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::json;
use wgpu_fft::dynamic::AnySpec;
use wgpu_fft::signal::window;
use wgpu_fft::signal::{Scaling, Stft};
use wgpu_fft::{Fragment, Planner};

use crate::Result;
use crate::array::{Array, Elements};
use crate::compute::result;
use crate::device::Device;
use crate::files::{self, Shown};
use crate::sound;

/// Windows, with SciPy's names.
#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Window {
    #[default]
    Hann,
    Hamming,
    Blackman,
    Boxcar,
}

#[derive(clap::Args)]
pub struct Arguments {
    /// A sound (.wav), whose channels are averaged, or an array of one axis (.npy)
    input: PathBuf,
    /// Where the levels go: a picture (.png) with time from left to right, or decibels (.npy), with
    /// an axis of frequencies and one of times
    #[arg(value_parser = result())]
    pub output: PathBuf,
    /// Samples of a frame
    #[arg(long, default_value_t = 1024, value_parser = clap::value_parser!(u32).range(2..=65536))]
    window: u32,
    /// Samples from one frame to the next [default: a quarter of the window]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    hop: Option<u32>,
    /// The shape of the window
    #[arg(long, value_enum, default_value_t)]
    shape: Window,
    /// Decibels from black to white in a picture
    #[arg(long, default_value_t = 90.0)]
    range: f32,
}

impl Arguments {
    pub fn run(&self, device: &Device) -> Result<()> {
        let samples = sound::read(&self.input)?;
        let shape = match self.shape {
            Window::Hann => window::Window::Hann,
            Window::Hamming => window::Window::Hamming,
            Window::Blackman => window::Window::Blackman,
            Window::Boxcar => window::Window::Boxcar,
        };
        let weights: Vec<f64> = shape.periodic(self.window as usize)?;
        let hop = self.hop.unwrap_or((self.window / 4).max(1)) as usize;
        let spec = Stft::<f32>::new(samples.len(), &weights, hop).scaling(Scaling::Magnitude).frequencies_first();
        let decibels = Fragment::new("10.0 * log(max(dot(value, value), 1e-20)) / log(10.0)");
        let spec = spec.map_output::<f32>(decibels)?;
        let shape: Vec<usize> = spec.output_shape()?.extents().to_vec();
        device.output.note("frames", format_args!("{} of {} samples, {hop} apart; {} frequencies", shape[1], self.window, shape[0]));

        let gpu = device.open()?;
        let plan = AnySpec::new(spec).plan(&Planner::new(&gpu), None)?;
        let levels: Vec<f32> = bytemuck::pod_collect_to_vec(&plan.run(&[bytemuck::cast_slice(&samples)])?.wait()?);
        let elements = if files::is_picture(&self.output) { self.shades(&levels, shape[1]) } else { levels };
        files::write(&self.output, &Array { shape: shape.clone(), elements: Elements::F32(elements) }, Shown::Grey)?;
        device.output.note("result", files::result_name(&self.output));
        device.output.record(&json!({ "output": self.output, "shape": shape }));
        Ok(())
    }

    /// Levels from 0 to 1, with high frequencies at the top.
    fn shades(&self, levels: &[f32], frames: usize) -> Vec<f32> {
        // Silence is black.
        let loudest = levels.iter().copied().fold(-100.0, f32::max);
        levels.chunks_exact(frames).rev().flatten().map(|level| 1.0 + (level - loudest) / self.range).collect()
    }
}
