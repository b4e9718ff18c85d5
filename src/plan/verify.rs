//! Verifies what a device computes, on the user's machine.

use std::fmt;
use std::ops::Range;
use std::time::Duration;
#[cfg(not(target_arch = "wasm32"))]
use std::time::Instant;

#[cfg(target_arch = "wasm32")]
use web_time::Instant;

use super::build::Executable;
use super::program::Placement;
use super::untyped::Untyped;
use crate::error::{Error, Result};
use crate::gpu::cannot_block;
use crate::kernels::Slot;
use crate::verify::{Guarded, Sample, UNWRITTEN, count_not_finite, fill};

/// Words of an output that are read as a whole. Of larger ones, this reads their ends and what is
/// around each element that is compared.
const MAX_WHOLE: usize = 1 << 23;

/// Words of each end.
const END: usize = 1 << 16;

/// Words around an element.
const AROUND: usize = 64;

/// What a second run finds in its output. The first one finds another number, so that a place that
/// nobody writes differs.
const UNWRITTEN_AGAIN: u32 = UNWRITTEN ^ 0x0001_1000;

/// What [`Plan::verify`](crate::Plan::verify) looked at, all of which was right.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Verified {
    /// What the plan computes.
    pub spec: String,
    /// How it computes it.
    pub recipe: String,
    /// The device and its driver.
    pub device: String,
    /// Elements of the result that were compared with their definition, summed up in f64. It is 0
    /// for what has no short definition, and where a fragment of the caller's takes part.
    pub samples: usize,
    /// The largest error of these elements, in parts of the error that is allowed.
    pub worst: f64,
    /// The difference of the sums of squares by Parseval's theorem, in parts of the allowed one;
    /// for Fourier transforms whose result was read as a whole.
    pub energy: Option<f64>,
    /// Words of 4 bytes that have equal bits after two runs.
    pub equal_words: usize,
    /// Words of the output.
    pub words: usize,
    /// Words of guards around all arrays that nobody wrote.
    pub guard_words: usize,
    /// Whether all of the words that were read are finite numbers, where that must be so.
    pub finite: bool,
    /// How long this took, without planning.
    pub time: Duration,
}

impl fmt::Display for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` on {}: ", self.spec, self.device)?;
        match self.samples {
            0 => f.write_str("no element has a short definition")?,
            count => write!(f, "{count} elements by their definition, error {:.2} of the bound", self.worst)?,
        }
        if let Some(energy) = self.energy {
            write!(f, "; Parseval, {energy:.2} of the bound")?;
        }
        write!(f, "; {} of {} words equal in two runs", self.equal_words, self.words)?;
        if self.finite {
            f.write_str(" and finite")?;
        }
        write!(f, "; nothing written around the arrays; {:.1?}", self.time)
    }
}

/// The device and its driver, as a user would look for them.
pub(super) fn device_of(executable: &Executable) -> String {
    let info = executable.gpu().adapter_info();
    let driver = format!("{} {}", info.driver, info.driver_info);
    match driver.trim() {
        "" => executable.gpu().to_string(),
        driver => format!("{}, driver {driver}", executable.gpu()),
    }
}

pub(super) fn wrong(plan: &dyn Untyped, fault: String) -> Error {
    Error::WrongResult { spec: plan.spec(), recipe: plan.recipe(), device: device_of(plan.executable()), fault }
}

/// Runs a plan twice on random data between guards, and looks at the results.
pub(crate) fn verify(plan: &dyn Untyped) -> Result<Verified> {
    if cfg!(target_arch = "wasm32") {
        return Err(cannot_block());
    }
    plan.executable().program().check_arrays("a verification of")?;
    let start = Instant::now();
    let (executable, verification) = (plan.executable(), plan.sealed().verification());
    let (gpu, program) = (executable.gpu(), executable.program());
    let in_place = program.placement() == Placement::InPlace;
    let (inputs, input_bytes) = (
        if in_place { 0 } else { program.inputs().len() },
        (0..program.inputs().len()).map(|i| program.bytes(Slot::Input(i))).max().unwrap_or_default(),
    );
    let input = fill(verification.input, (input_bytes / 4) as usize);
    let arrays = Guarded::new(gpu, inputs, input_bytes, program.bytes(Slot::Output))?;
    let declared = executable.placeholders()?;
    let views = [arrays.input(0)?, arrays.input(1)?, arrays.output()?];
    let bound = executable.bind(|slot| match slot {
        Slot::Input(i) if !in_place => (views[i.min(1)].buffer(), views[i.min(1)].offset_bytes()),
        Slot::Declared(i) => (&declared[i], 0),
        _ => (views[2].buffer(), views[2].offset_bytes()),
    })?;
    let samples = plan.sealed().samples(&input);
    let words = arrays.output_words();
    let windows = windows(words, &samples);
    let run = |unwritten: u32| -> Result<std::result::Result<Vec<Vec<u32>>, String>> {
        arrays.fill(&input, unwritten)?;
        gpu.submit(|encoder| bound.encode(encoder))?;
        Ok(match arrays.fault(&input)? {
            Some(fault) => Err(fault),
            None => Ok(windows.iter().map(|window| arrays.read(window.clone())).collect::<Result<_>>()?),
        })
    };
    // Of the last word a part may belong to nobody, and stays as it was.
    let gaps = plan.sealed().leaves_gaps() || !program.output().bytes().is_multiple_of(4);
    let [first, second] = [run(UNWRITTEN)?, run(if gaps { UNWRITTEN } else { UNWRITTEN_AGAIN })?];
    let both = first.and_then(|first| Ok((first, second?)));
    let (first, second) = both.map_err(|fault| wrong(plan, fault))?;

    let errors = samples.iter().map(|sample| error_in(sample, &windows, &first));
    let worst = errors.fold(0.0, f64::max);
    if worst > 1.0 {
        let fault = samples.iter().find_map(|sample| fault_in(sample, &windows, &first));
        return Err(wrong(plan, fault.unwrap_or_else(|| format!("an error of {worst:.1} times the bound"))));
    }
    let finite = !gaps && !plan.sealed().has_wgsl() && !matches!(verification.output, crate::verify::Tolerance::Bits);
    if finite {
        let count: usize = first.iter().filter_map(|words| count_not_finite(verification.output, words)).sum();
        if count > 0 {
            return Err(wrong(plan, format!("{count} numbers of the result are infinite or no numbers, or were not written")));
        }
    }
    let whole = windows.len() == 1 && windows[0] == (0..words);
    let energy = if whole { plan.sealed().energy(&input, &first[0]).map(|energy| energy.error()) } else { None };
    if let Some(error) = energy.filter(|error| *error > 1.0) {
        return Err(wrong(plan, format!("by Parseval's theorem the sum of squares is wrong, by {error:.1} times what is allowed")));
    }
    let compared: usize = windows.iter().map(ExactSizeIterator::len).sum();
    let unequal: usize = first.iter().zip(&second).map(|(a, b)| a.iter().zip(b).filter(|(a, b)| a != b).count()).sum();
    if unequal > 0 {
        return Err(wrong(plan, format!("two runs on equal data differ in {unequal} of {compared} words, or these are not written")));
    }
    Ok(Verified {
        spec: plan.spec(),
        recipe: plan.recipe(),
        device: device_of(executable),
        samples: samples.len(),
        worst,
        energy,
        equal_words: compared,
        words,
        guard_words: arrays.guard_words(),
        finite,
        time: start.elapsed(),
    })
}

/// The parts of an output that are read: all, or the ends and what is around samples, which may
/// overlap.
fn windows(words: usize, samples: &[Sample]) -> Vec<Range<usize>> {
    if words <= MAX_WHOLE {
        return std::iter::once(0..words).collect();
    }
    let around = |sample: &Sample| {
        let first = (sample.byte / 4).saturating_sub(AROUND / 2).min(words - AROUND);
        first..first + AROUND
    };
    [0..END, words - END..words].into_iter().chain(samples.iter().map(around)).collect()
}

/// What a sample says of the window that holds it.
fn in_window<R>(sample: &Sample, windows: &[Range<usize>], read: &[Vec<u32>], judge: impl Fn(&Sample, &[u32]) -> R) -> Option<R> {
    // Windows around samples come last, and each holds its sample as a whole.
    let words = sample.byte / 4..(sample.byte + sample.bytes()).div_ceil(4);
    let i = windows.iter().rposition(|window| window.start <= words.start && words.end <= window.end)?;
    let own = Sample { byte: sample.byte - windows[i].start * 4, value: sample.value.clone() };
    Some(judge(&own, &read[i]))
}

fn error_in(sample: &Sample, windows: &[Range<usize>], read: &[Vec<u32>]) -> f64 {
    in_window(sample, windows, read, |sample, words| sample.error(bytemuck::cast_slice(words))).unwrap_or(f64::INFINITY)
}

fn fault_in(sample: &Sample, windows: &[Range<usize>], read: &[Vec<u32>]) -> Option<String> {
    in_window(sample, windows, read, Sample::fault).unwrap_or_else(|| Some("an element was not read".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::{Format, Known};

    #[test]
    fn each_sample_is_in_a_window() {
        for words in [10, MAX_WHOLE, MAX_WHOLE + 1, 3 * MAX_WHOLE] {
            // An element may end with the output, and have any length.
            let samples: Vec<Sample> = [1, 2, 4]
                .into_iter()
                .flat_map(|len| [0, words / 2, words - len, words.saturating_sub(AROUND), END - 2].map(|word| (word, len)))
                .filter(|(word, len)| word + len <= words)
                .map(|(word, len)| Sample { byte: word * 4, value: Known::Numbers(Format::F32, vec![0.0; len], 0.0) })
                .collect();
            let windows = windows(words, &samples);
            let output = |word: usize| if word.is_multiple_of(2) { f64::from(word as u32).to_bits() as u32 } else { 0 };
            let read: Vec<Vec<u32>> = windows.iter().map(|window| window.clone().map(output).collect()).collect();
            for sample in &samples {
                let len = sample.bytes() / 4;
                let first = in_window(sample, &windows, &read, |sample, words| words[sample.byte / 4..][..len].to_vec()).unwrap();
                assert_eq!(first, (sample.byte / 4..).take(len).map(output).collect::<Vec<_>>(), "{words}");
            }
        }
    }
}
