//! `wgpu-fft wgsl`: FFTs for shaders of one's own, as text.

use std::path::PathBuf;

use serde_json::json;
use wgpu_fft::fft::Inline;
use wgpu_fft_cli::{files, usage};

use crate::Result;
use crate::device::Device;

#[derive(clap::Args)]
pub struct Arguments {
    /// Numbers of a line
    n: usize,
    /// Lines of real numbers, and half-spectra
    #[arg(long)]
    real: bool,
    /// Numbers of f64
    #[arg(long)]
    f64: bool,
    /// Invocations for each line
    #[arg(long, value_name = "COUNT")]
    invocations: Option<u32>,
    /// Lines for each workgroup
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    lines: u32,
    /// Workgroup memory that the transforms may have, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 16_384)]
    memory: u32,
    /// Also declare an array of the lines in workgroup memory, and transforms of it
    #[arg(long)]
    data: bool,
    /// What all names begin with
    #[arg(long, value_name = "NAME", default_value = "fft")]
    name: String,
    /// Read the twiddle factors from this binding in place of computing them
    #[arg(long, value_name = "GROUP,BINDING", value_parser = binding)]
    twiddles_at: Option<(u32, u32)>,
    /// Write those twiddle factors to a file, as the bytes of that buffer
    #[arg(long, value_name = "FILE", requires = "twiddles_at")]
    twiddles: Option<PathBuf>,
    /// Where the text goes
    #[arg(default_value = "-")]
    pub output: PathBuf,
}

fn binding(text: &str) -> std::result::Result<(u32, u32), String> {
    let numbers = text.split_once(',').and_then(|(group, binding)| Some((group.parse().ok()?, binding.parse().ok()?)));
    numbers.ok_or_else(|| "it is a group and a binding, such as 0,3".to_owned())
}

impl Arguments {
    pub fn run(self, device: &Device) -> Result<()> {
        let own = Inline::new(self.n).lines(self.lines).workgroup_memory(self.memory).name(&self.name);
        let own = if self.real { own.real() } else { own };
        let own = if self.f64 { own.f64() } else { own };
        let own = if self.data { own.with_data() } else { own };
        let own = self.invocations.map_or(own.clone(), |count| own.invocations(count));
        let own = self.twiddles_at.map_or(own.clone(), |(group, binding)| own.twiddles_at(group, binding));
        let text = own.generate().map_err(|error| usage(error.to_string()))?;
        if let Some(path) = &self.twiddles {
            files::write_bytes(path, &text.twiddles)?;
            device.output.note("twiddles", path.display());
        }
        device.output.note("workgroup", format!("{} invocations, each with {} numbers", text.invocations, text.elements));
        device.output.note("needs", format!("{} bytes of its memory, about {} registers", text.workgroup_bytes, text.registers));
        files::write_text(&self.output, &text.wgsl)?;
        device.output.record(&json!({
            "invocations": text.invocations,
            "elements": text.elements,
            "even": text.is_even,
            "workgroup_bytes": text.workgroup_bytes,
            "registers": text.registers,
        }));
        Ok(())
    }
}
