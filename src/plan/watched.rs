//! Runs on host data, of which every n-th is verified on its own data if the device says so.

use super::FragmentArrays;
use super::untyped::Untyped;
use super::verify::wrong;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::gpu::{Download, Pending, cannot_block};
use crate::verify::{Sample, TestInput, count_not_finite};

/// A run under way, with what its result is compared with.
pub(crate) struct Begun {
    download: Download,
    check: Option<Check>,
}

/// How a result is verified.
struct Check {
    /// A second run on the same data.
    again: Download,
    /// Elements of the right result.
    samples: Vec<Sample>,
    /// The error for a fault.
    wrong: Box<dyn Fn(String) -> Error + Send>,
}

/// Uploads the inputs and submits the program.
pub(crate) fn begun(plan: &dyn Untyped, inputs: &[&[u8]], arrays: &FragmentArrays<'_>) -> Result<Begun> {
    let (executable, gaps) = (plan.executable(), plan.sealed().leaves_gaps());
    let download = executable.run(inputs, arrays, gaps)?;
    if !executable.is_due() {
        return Ok(Begun { download, check: None });
    }
    let again = executable.run(inputs, arrays, gaps)?.driven_by(&download);
    let samples = match inputs {
        [input] => samples_of(plan, input),
        // Their definition knows of one.
        _ => Vec::new(),
    };
    let Error::WrongResult { spec, recipe, device, .. } = wrong(plan, String::new()) else { unreachable!("it is one") };
    let wrong = move |fault| Error::WrongResult { spec: spec.clone(), recipe: recipe.clone(), device: device.clone(), fault };
    Ok(Begun { download, check: Some(Check { again, samples, wrong: Box::new(wrong) }) })
}

/// Elements of the result for a caller's input, as far as they can be judged.
fn samples_of(plan: &dyn Untyped, input: &[u8]) -> Vec<Sample> {
    let mut words: Vec<u32> = bytemuck::pod_collect_to_vec(input);
    // Arrays of a run in place may be longer than what is read of them.
    words.resize(plan.executable().program().inputs()[0].bytes().div_ceil(4) as usize, 0);
    // What the kernels make of numbers that are infinite or none is for their own tests to say.
    let kind = match plan.sealed().verification().input {
        TestInput::Bits => None,
        TestInput::Numbers(format, ..) => Some(crate::verify::Tolerance::Numbers(format, 0.0)),
    };
    if kind.and_then(|kind| count_not_finite(kind, &words)).is_some_and(|count| count > 0) {
        return Vec::new();
    }
    let mut samples = plan.sealed().samples(&words);
    if kind.is_some() {
        samples.retain(Sample::is_ordinary);
    }
    samples
}

impl Begun {
    /// The elements that arrive.
    pub fn collect<T: Element>(self, len: usize) -> Pending<Vec<T>> {
        let progress = self.download.progress().clone();
        let elements = async move {
            let mut elements: Vec<T> = bytemuck::zeroed_vec(len);
            self.read(bytemuck::cast_slice_mut(&mut elements)).await?;
            Ok(elements)
        };
        Pending::new(&progress, elements)
    }

    fn finish_into(self, output: &mut [u8]) -> Result<()> {
        let progress = self.download.progress().clone();
        progress.block_on(self.read(output))
    }

    async fn read(self, output: &mut [u8]) -> Result<()> {
        self.download.read_all(output).await?;
        match self.check {
            None => Ok(()),
            Some(check) => check.conclude(output).await,
        }
    }
}

impl Check {
    async fn conclude(self, output: &[u8]) -> Result<()> {
        let mut again = vec![0; output.len()];
        self.again.read_all(&mut again).await?;
        let differ = output.iter().zip(&again).filter(|(a, b)| a != b).count();
        if differ > 0 {
            return Err((self.wrong)(format!("two runs on equal data differ in {differ} of {} bytes", output.len())));
        }
        if let Some(sample) = self.samples.iter().find(|sample| sample.error(output) > 1.0) {
            let words: Vec<u32> = bytemuck::pod_collect_to_vec(output);
            let fault = sample.fault(&words).unwrap_or_else(|| format!("the element at byte {} is wrong", sample.byte));
            return Err((self.wrong)(fault));
        }
        Ok(())
    }
}

/// Runs the program on host data and blocks until the output is written.
pub(crate) fn run_into(plan: &dyn Untyped, inputs: &[&[u8]], arrays: &FragmentArrays<'_>, output: &mut [u8]) -> Result<()> {
    check_blocking(plan, output)?;
    begun(plan, inputs, arrays)?.finish_into(output)
}

/// The same, over the input.
pub(super) fn run_over(plan: &dyn Untyped, data: &mut [u8]) -> Result<()> {
    check_blocking(plan, data)?;
    begun(plan, &[data], FragmentArrays::NONE)?.finish_into(data)
}

/// Fails where nothing may block, and for an output of another length.
fn check_blocking(plan: &dyn Untyped, output: &[u8]) -> Result<()> {
    if cfg!(target_arch = "wasm32") {
        return Err(cannot_block());
    }
    plan.executable().program().check_arrays("a run on host data of")?;
    plan.executable().check_output(output)
}
