//! Sounds from files.

use std::path::Path;

use crate::array::Elements;
use crate::{Result, files};

/// Reads a sound, from -1 to 1: `.wav`, or an array of one axis. An error says which file, and what
/// is wrong with it.
pub fn read(path: &Path) -> Result<Vec<f32>> {
    let is_wav = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("wav"));
    let samples = if is_wav { wav(path) } else { one_axis(path) };
    let samples = samples.map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    if samples.is_empty() || !samples.iter().all(|value| value.is_finite()) {
        return Err(format!("{}: it has no samples, or samples that are no numbers", path.display()).into());
    }
    Ok(samples)
}

fn one_axis(path: &Path) -> Result<Vec<f32>> {
    let array = files::read(path)?;
    match (array.shape.len(), array.converted(false, false)?.elements) {
        (1, Elements::F32(samples)) => Ok(samples),
        (axes, _) => Err(format!("it has {axes} axes, and a sound has one").into()),
    }
}

/// The mean of the channels, from -1 to 1.
fn wav(path: &Path) -> Result<Vec<f32>> {
    let mut reader = hound::WavReader::open(path)?;
    let hound::WavSpec { channels, bits_per_sample, sample_format, .. } = reader.spec();
    let samples: Vec<f32> = match sample_format {
        hound::SampleFormat::Float => reader.samples::<f32>().collect::<hound::Result<_>>()?,
        hound::SampleFormat::Int => {
            let full = 2f32.powi(i32::from(bits_per_sample) - 1);
            reader.samples::<i32>().map(|sample| Ok(sample? as f32 / full)).collect::<hound::Result<_>>()?
        }
    };
    let channels = usize::from(channels.max(1));
    Ok(samples.chunks_exact(channels).map(|all| all.iter().sum::<f32>() / channels as f32).collect())
}
