//! `wgpu-fft convolve`: an array and a kernel.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::Result;
use crate::compute::{Computation, joined, result};
use crate::device::{Device, Recipes};
use crate::files::{self, Shown};

/// Which part of the result is wanted, with SciPy's names.
#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Mode {
    /// Wherever array and kernel overlap
    Full,
    /// As large as the array
    #[default]
    Same,
    /// Where the kernel lies within the array
    Valid,
}

/// What lies outside the array, with SciPy's names.
#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Edge {
    /// Zeros
    #[default]
    Zero,
    /// The array again
    Wrap,
    /// The array mirrored, with its last elements repeated
    Reflect,
    /// The array mirrored at its last elements
    Mirror,
    /// The nearest element
    Nearest,
}

#[derive(clap::Args)]
pub struct Arguments {
    /// An array (.npy) or a picture
    input: PathBuf,
    /// The kernel, with as many axes
    kernel: PathBuf,
    /// Where the result goes
    #[arg(value_parser = result())]
    pub output: PathBuf,
    #[arg(long, value_enum, default_value_t)]
    mode: Mode,
    #[arg(long, value_enum, default_value_t)]
    edge: Edge,
    /// Correlate instead: the kernel is not reversed
    #[arg(long)]
    correlate: bool,
    /// Divide the kernel by the sum of its elements, so that a constant stays as it is
    #[arg(long)]
    normalize: bool,
    #[command(flatten)]
    recipes: Recipes,
}

impl Arguments {
    pub fn run(&self, device: &Device) -> Result<()> {
        let (array, kernel) = (files::read(&self.input)?, files::read(&self.kernel)?);
        if array.shape.len() != kernel.shape.len() {
            let (own, other) = (array.shape.len(), kernel.shape.len());
            return Err(format!("the array has {own} axes and the kernel {other}: they must have as many").into());
        }
        let complex = array.is_complex() || kernel.is_complex();
        let (array, mut kernel) = (array.converted(complex, false)?, kernel.converted(complex, false)?);
        if self.normalize {
            let sum: f64 = match &mut kernel.elements {
                crate::array::Elements::F32(data) => {
                    let sum = data.iter().map(|value| f64::from(*value)).sum::<f64>();
                    data.iter_mut().for_each(|value| *value = (f64::from(*value) / sum) as f32);
                    sum
                }
                _ => return Err("--normalize needs a kernel of real numbers".into()),
            };
            if sum == 0.0 || !sum.is_finite() {
                return Err(format!("the kernel cannot be normalized: its sum is {sum}").into());
            }
        }
        let word = if self.correlate { "correlate" } else { "convolve" };
        let mut text = format!("{word} {} {} by {}", array.element(), joined(&array.shape, "x"), joined(&kernel.shape, "x"));
        let pairs = array.shape.iter().zip(&kernel.shape);
        let (mode, shape): (&str, Vec<usize>) = match self.mode {
            Mode::Full => ("full", pairs.map(|(n, m)| n + m - 1).collect()),
            Mode::Same => ("same", array.shape.clone()),
            Mode::Valid => ("valid", pairs.map(|(n, m)| (n + 1).saturating_sub(*m)).collect()),
        };
        text += &format!(" {mode}");
        if let Some(edge) = self.edge.to_possible_value().filter(|_| self.edge != Edge::Zero) {
            text += &format!(" {}", edge.get_name());
        }
        let computation = Computation { recipes: &self.recipes, text: &text, inputs: &[&array, &kernel], shape };
        computation.run_into(device, &device.open()?, &self.output, Shown::Grey)
    }
}
