//! A sound in a room: convolution with a response of seconds, in blocks of a few milliseconds, as in
//! real time.
//!
//! ```text
//! cargo run --release --example reverb -- speech.wav --response hall.wav -o out/hall.wav
//! cargo run --release --example reverb -- --minutes 10 --paced
//! ```
//!
//! The example prints how long blocks take beside how long they last, and how many would have been
//! late: those that are not there one block later, when a sound card would play them, or some blocks
//! later, if it has more buffers. A block that comes while the one before is still computed
//! waits for it. The example compares some samples with sums in f64 on the processor.

mod support;

use std::f64::consts::TAU;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use lexopt::ValueExt;
use support::{Options, Result};
use wgpu_fft::signal::StreamConvolve;

const USAGE: &str = "Convolves a sound with the response of a room, block by block, on the GPU.

Usage: reverb [OPTIONS] [SOUND]

SOUND is a WAV file. Without one, the example makes clicks and notes. The result is written as a WAV file of floats.

      --response FILE  a WAV file with one channel, or with those of the sound (default: noise that decays by 60 decibels)
      --seconds T      how long the room's own response is (default 3)
      --block N        samples of a block (default 128)
      --rate N         samples per second of the example's own sound (default 48000)
      --partitions P   larger partitions, as multiples of a block, such as 8,64, or 'none' (default: by counting work)
      --minutes T      repeats the sound for so long, to measure
      --paced          waits for each block as a sound card would
";

fn main() -> ExitCode {
    support::exit(run())
}

fn run() -> Result<()> {
    let (mut response_file, mut seconds, mut block, mut rate) = (None, 3.0, 128usize, 48_000);
    let (mut larger, mut minutes, mut paced) = (None, None, false);
    let options = Options::parse(USAGE, "out/reverb.wav", |name, parser| {
        match name {
            "response" => response_file = Some(std::path::PathBuf::from(parser.value()?)),
            "seconds" => seconds = parser.value()?.parse::<f64>()?,
            "block" => block = parser.value()?.parse()?,
            "rate" => rate = parser.value()?.parse::<u32>()?,
            "partitions" => larger = Some(parser.value()?.string()?),
            "minutes" => minutes = Some(parser.value()?.parse::<f64>()?),
            "paced" => paced = true,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let Some(options) = options else { return Ok(()) };
    if block == 0 || !support::RATES.contains(&rate) || !(0.01..=60.0).contains(&seconds) {
        return Err(lexopt::Error::from("--block takes at least 1, --rate 1 to 1000000, --seconds 0.01 to 60").into());
    }
    if minutes.is_some_and(|minutes| !(minutes > 0.0 && minutes <= 10_000.0)) {
        return Err(lexopt::Error::from("--minutes takes more than 0, and at most 10000").into());
    }
    let (sound, rate) = match &options.file {
        None => (vec![own_sound(rate)], rate),
        Some(path) => support::read_sound(path)?,
    };
    let channels = sound.len();
    let response = match &response_file {
        None => vec![own_response((seconds * f64::from(rate)) as usize)],
        Some(path) => {
            let (response, own) = support::read_sound(path)?;
            if own != rate || ![1, channels].contains(&response.len()) {
                let (path, count) = (path.display(), response.len());
                return Err(format!("{path} has {count} channels at {own} samples per second; the sound has {channels} at {rate}").into());
            }
            response
        }
    };
    let (len, taps) = (sound[0].len(), response[0].len());
    println!("sound       {:.3} s, {channels} channels at {rate} samples per second", len as f64 / f64::from(rate));

    let spec = StreamConvolve::new(block, taps).channels(channels);
    let spec = if response.len() > 1 { spec.kernel_for_each() } else { spec };
    let spec = match larger.as_deref() {
        None => spec,
        Some("none") => spec.larger([]),
        Some(text) => spec.larger(text.split(',').map(str::parse).collect::<std::result::Result<Vec<usize>, _>>()?),
    };
    let planner = options.planner(&options.open_gpu()?);
    let begun = Instant::now();
    let mut room = spec.stream(&planner, &response.concat())?;
    let partitions: Vec<String> = room.partitions().iter().map(|[taps, count]| format!("{count} of {taps}")).collect();
    println!("response    {taps} taps; partitions: {}; planned in {:.1?}", partitions.join(", "), begun.elapsed());

    // The sound and what the room adds to it; or for some minutes the sound again and again.
    let heard = len + taps - 1;
    let total = minutes.map_or(heard, |minutes| (minutes * 60.0 * f64::from(rate)) as usize).div_ceil(block).max(1);
    let sample =
        |channel: usize, t: usize| if minutes.is_some() { sound[channel][t % len] } else { sound[channel].get(t).copied().unwrap_or(0.0) };
    let mut result: Vec<Vec<f32>> = vec![Vec::new(); channels];
    let [mut input, mut output] = [(); 2].map(|()| vec![0.0; channels * block]);
    let lasts = Duration::from_secs_f64(block as f64 / f64::from(rate));
    let mut times = Vec::with_capacity(total);
    // Since the first block began to come: when the last result was there, and how many were late.
    let (mut done, mut late) = (Duration::ZERO, [0; 4]);
    let start = Instant::now();
    for b in 0..total {
        for (channel, own) in input.chunks_mut(block).enumerate() {
            own.iter_mut().enumerate().for_each(|(i, own)| *own = sample(channel, b * block + i));
        }
        let ends = lasts * (b as u32 + 1);
        if paced {
            std::thread::sleep(ends.saturating_sub(start.elapsed()));
        }
        let begun = Instant::now();
        room.push_into(&input, &mut output)?;
        let time = begun.elapsed();
        if result[0].len() < heard {
            result.iter_mut().zip(output.chunks(block)).for_each(|(all, own)| all.extend_from_slice(own));
        }
        done = if paced { start.elapsed() } else { done.max(ends) + time };
        late.iter_mut().zip([1, 2, 4, 8]).for_each(|(late, blocks)| *late += u32::from(done > ends + lasts * blocks));
        times.push(time);
    }
    times.sort_unstable();
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize].as_secs_f64() * 1e3;
    let busy: Duration = times.iter().sum();
    println!("block       {block} samples, {:.3} ms; at most {} dispatches", lasts.as_secs_f64() * 1e3, room.most_dispatches());
    println!("time        median {:.3} ms, 99% {:.3} ms, 99.9% {:.3} ms, maximum {:.3} ms", at(0.5), at(0.99), at(0.999), at(1.0));
    let [late, two, four, eight] = late;
    println!("late        {late} of {total} blocks; if played two blocks later {two}, four {four}, eight {eight}");
    println!(
        "sound       {:.1} s{}; busy for {:.1}% of it",
        total as f64 * lasts.as_secs_f64(),
        if paced { " at its own pace" } else { "" },
        100.0 * busy.as_secs_f64() / (total as f64 * lasts.as_secs_f64())
    );
    support::write_sound(&options.output, &result, heard.min(result[0].len()), rate)?;

    // The root mean square of the difference at some samples, beside that of the samples.
    let mut squares = [0.0; 2];
    for (channel, own) in result.iter().enumerate() {
        let kernel = &response[channel % response.len()];
        for t in (0..own.len()).step_by(own.len() / 100 + 1) {
            let exact: f64 =
                kernel[..kernel.len().min(t + 1)].iter().enumerate().map(|(k, h)| f64::from(*h) * f64::from(sample(channel, t - k))).sum();
            squares[0] += (f64::from(own[t]) - exact).powi(2);
            squares[1] += exact.powi(2);
        }
    }
    let [error, norm] = squares.map(f64::sqrt);
    println!("check       differs from f64 by {error:.1e}, of {norm:.1e}");
    if error <= 1e-5 * norm { Ok(()) } else { Err("check: the difference is too large".into()) }
}

/// Four seconds: notes that end at once, and clicks.
fn own_sound(rate: u32) -> Vec<f32> {
    let sample = |i: u32| {
        let t = f64::from(i) / f64::from(rate);
        let note = [220.0, 277.2, 329.6, 440.0][t as usize % 4];
        let sounds = f64::from(u8::from(t.fract() < 0.4));
        let click = f64::from(u8::from(i % rate == 3 * rate / 4));
        (0.3 * sounds * (TAU * note * t).sin() + 0.2 * sounds * (2.0 * TAU * note * t).sin() + 0.5 * click) as f32
    };
    (0..4 * rate).map(sample).collect()
}

/// Noise that decays by 60 decibels, with the power 1.
fn own_response(taps: usize) -> Vec<f32> {
    let mut state = 1u32;
    let noise = (0..taps).map(|i| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (f64::from(state) / f64::from(u32::MAX) - 0.5) * 10f64.powf(-3.0 * i as f64 / taps as f64)
    });
    let noise: Vec<f64> = noise.collect();
    let power = noise.iter().map(|h| h * h).sum::<f64>().sqrt();
    noise.into_iter().map(|h| (h / power) as f32).collect()
}
