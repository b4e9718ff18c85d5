//! `wgpu-fft stream`: a sound of any length and an impulse response.

use std::fs::File;
use std::io::{BufWriter, IsTerminal, Write};
use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use wgpu_fft::Planner;
use wgpu_fft::low_level::files::Replacement;
use wgpu_fft::signal::StreamConvolve;

use crate::Result;
use crate::device::Device;
use crate::files;
use crate::sound::{self, Sound};

#[derive(clap::Args)]
pub struct Arguments {
    /// A sound (.wav), or - for little-endian 32-bit floats from the standard input, those of all channels after one
    /// another
    input: PathBuf,
    /// The impulse response: a sound (.wav) of one channel or of as many, or an array of one axis (.npy)
    response: PathBuf,
    /// Where the result goes: a sound (.wav) of 32-bit floats, or - for floats to the standard output
    #[arg(value_parser = result)]
    pub output: PathBuf,
    /// Samples of a block: a sound from the standard input comes out so much later
    #[arg(long, default_value_t = 16384, value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    block: u32,
    /// Channels of what the standard input gives
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    channels: u32,
    /// A factor on the result
    #[arg(long, default_value_t = 1.0, allow_negative_numbers = true)]
    gain: f32,
}

fn result(path: &str) -> std::result::Result<PathBuf, String> {
    let path = PathBuf::from(path);
    let is_wav = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("wav"));
    if is_wav || files::is_stdout(&path) { Ok(path) } else { Err("the name of a result must end in .wav, or be -".to_owned()) }
}

/// The most bytes of samples in a .wav file.
const MAX_BYTES: u64 = u32::MAX as u64 - 1024;

/// Where samples go.
enum Sink<'f> {
    Wav(hound::WavWriter<BufWriter<&'f File>>, u64),
    Raw(std::io::StdoutLock<'static>),
}

impl Sink<'_> {
    /// Writes samples of all channels after one another.
    fn write(&mut self, samples: &[f32]) -> Result<()> {
        match self {
            // A block goes out as soon as it is there.
            Self::Raw(out) => {
                samples.iter().try_for_each(|sample| out.write_all(&sample.to_le_bytes()))?;
                Ok(out.flush()?)
            }
            Self::Wav(out, bytes) => {
                *bytes += size_of_val(samples) as u64;
                if *bytes > MAX_BYTES {
                    return Err(format!("the result has more than the {MAX_BYTES} bytes that a .wav file can have: write to -").into());
                }
                samples.iter().try_for_each(|&sample| Ok(out.write_sample(sample)?))
            }
        }
    }

    fn finish(self) -> Result<()> {
        match self {
            Self::Raw(mut out) => Ok(out.flush()?),
            Self::Wav(out, _) => Ok(out.finalize()?),
        }
    }
}

impl Arguments {
    pub fn run(&self, device: &Device) -> Result<()> {
        let mut sound = Sound::open(&self.input, self.channels as usize)?;
        let (kernel, taps, for_each) = self.kernel(&sound)?;
        let (block, channels) = (self.block as usize, sound.channels);
        let spec = StreamConvolve::new(block, taps).channels(channels);
        let spec = if for_each { spec.kernel_for_each() } else { spec };
        let mut stream = spec.stream(&Planner::new(&device.open()?), &kernel)?;

        let replacement = if files::is_stdout(&self.output) { None } else { Some(Replacement::new(&self.output)?) };
        let mut sink = match &replacement {
            None => Sink::Raw(std::io::stdout().lock()),
            Some(file) => {
                let rate = sound.rate.unwrap_or(48_000);
                let channels = u16::try_from(channels).map_err(|_| format!("a .wav file cannot have {channels} channels"))?;
                let spec = hound::WavSpec { channels, sample_rate: rate, bits_per_sample: 32, sample_format: hound::SampleFormat::Float };
                Sink::Wav(hound::WavWriter::new(BufWriter::new(file.file()), spec)?, 0)
            }
        };
        let bar = bar(device, sound.frames)?;
        let frames = self.convolve(
            &mut sound,
            taps,
            |samples, results| Ok(stream.push_into(samples, results)?),
            |samples| {
                bar.inc((samples.len() / channels) as u64);
                sink.write(samples)
            },
        )?;
        sink.finish()?;
        if let Some(file) = replacement {
            file.finish()?;
        }
        bar.finish_and_clear();
        device.output.note("result", format_args!("{}, {frames} samples of {channels} channels", files::result_name(&self.output)));
        device.output.record(&json!({ "output": self.output, "frames": frames, "channels": channels, "taps": taps, "block": block }));
        Ok(())
    }

    /// The response by channels, how many taps it has, and whether there is one for each channel.
    fn kernel(&self, sound: &Sound) -> Result<(Vec<f32>, usize, bool)> {
        let name = files::input_name(&self.response);
        if files::is_stdin(&self.response) {
            return Err("the impulse response comes from a file, as the standard input is the sound's".into());
        }
        let response = Sound::open(&self.response, 1)?;
        let own = response.channels;
        if own != 1 && own != sound.channels {
            return Err(format!("{name} has {own} channels, and the sound has {}: there must be 1 or as many", sound.channels).into());
        }
        if let (Some(own), Some(other)) = (response.rate, sound.rate)
            && own != other
        {
            return Err(format!("{name} has {own} samples a second, and the sound has {other}").into());
        }
        let samples = response.samples.collect::<Result<Vec<f32>>>().map_err(|error| files::unread(&self.response, error))?;
        sound::check(&self.response, &samples)?;
        if !self.gain.is_finite() {
            return Err(format!("the gain is {}, and must be a number", self.gain).into());
        }
        let taps = samples.len() / own;
        let kernel = (0..own).flat_map(|channel| samples.chunks_exact(own).map(move |frame| frame[channel] * self.gain)).collect();
        Ok((kernel, taps, own > 1))
    }

    /// Pushes blocks until all taps have left the last sample, and returns how many samples each channel
    /// has.
    fn convolve(
        &self,
        sound: &mut Sound,
        taps: usize,
        mut push: impl FnMut(&[f32], &mut [f32]) -> Result<()>,
        mut write: impl FnMut(&[f32]) -> Result<()>,
    ) -> Result<u64> {
        let (block, channels) = (self.block as usize, sound.channels);
        let [mut given, mut found, mut mixed] = [0; 3].map(|_: i32| vec![0f32; block * channels]);
        let (mut read, mut written, mut is_over) = (0u64, 0u64, false);
        loop {
            given.fill(0.0);
            let mut frames = 0;
            while frames < block && !is_over {
                for channel in 0..channels {
                    match sound.samples.next().transpose().map_err(|error| files::unread(&self.input, error))? {
                        Some(sample) => given[channel * block + frames] = sample,
                        None if channel == 0 => is_over = true,
                        None => return Err(format!("the sound ends with {channel} of {channels} channels").into()),
                    }
                    if is_over {
                        break;
                    }
                }
                frames += usize::from(!is_over);
            }
            read += frames as u64;
            if read == 0 {
                return Err(format!("{}: it has no samples", files::input_name(&self.input)).into());
            }
            let end = if is_over { read + taps as u64 - 1 } else { u64::MAX };
            let count = block.min(usize::try_from(end - written).unwrap_or(usize::MAX));
            if count > 0 {
                push(&given, &mut found)?;
                for (i, sample) in mixed.iter_mut().enumerate() {
                    *sample = found[i % channels * block + i / channels];
                }
                write(&mixed[..count * channels])?;
            }
            written += count as u64;
            if written == end {
                return Ok(written);
            }
        }
    }
}

/// The progress of so many samples, on a terminal.
fn bar(device: &Device, frames: Option<u64>) -> Result<ProgressBar> {
    let (bar, style) = match frames {
        Some(frames) => (ProgressBar::new(frames), "[{bar:30}] {percent}% of {human_len} samples, {eta} left"),
        None => (ProgressBar::no_length(), "{spinner} {human_pos} samples"),
    };
    if !device.output.is_chatty() || !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    Ok(bar.with_style(ProgressStyle::with_template(style)?))
}
