//! The stages of a run: its steps, with an exchange before and after them for parts of the caller's. Each
//! reads what the one before it wrote, so two arrays take turns. One of them is the caller's output.

use super::array::{OnDevice, Source, Target};
use super::bricks::Reshape;
use super::failure::guarded;
use super::local::LocalPass;
use super::phase::Phase;
use super::run::Run;
use super::steps::Step;
use crate::error::Result;
use crate::job::zeros;

/// What a run does with the whole of this rank's part.
#[derive(Clone, Copy)]
enum Stage<'r> {
    Reshape(&'r Reshape),
    Step(&'r Step),
}

/// Which of the three arrays that stages write is the caller's output. The others are scratch.
const OUTPUT: usize = 0;

/// The array that each stage writes. Of a stage are given its bytes, and whether it writes over what it
/// reads. The last one writes the caller's output, which others may write before if their bytes fit
/// into `room`.
fn arrays(stages: &[(usize, bool)], room: usize) -> Vec<usize> {
    let mut arrays = vec![OUTPUT; stages.len()];
    for i in (0..stages.len().saturating_sub(1)).rev() {
        let (next, (_, in_place)) = (arrays[i + 1], stages[i + 1]);
        arrays[i] = match next {
            next if in_place => next,
            1 | 2 if stages[i].0 <= room => OUTPUT,
            1 => 2,
            _ => 1,
        };
    }
    arrays
}

impl Stage<'_> {
    fn phase(self) -> Phase {
        if let Self::Step(step) = self { step.phase() } else { Phase::Reshape }
    }

    /// Whether it can write over what it reads: a pass that keeps each piece where it is.
    fn is_in_place(self) -> bool {
        let Self::Step(Step { pass: Some(pass), exchange: None }) = self else { return false };
        pass.pass.as_ref().is_none_or(LocalPass::is_in_place)
    }
}

impl<'r> Run<'r> {
    /// Exchanges parts of the caller's for those of the transform, if there are any, transforms, and
    /// exchanges back. An exchange must not end on the device, and one of parts not begin there.
    pub async fn all_steps(&mut self, input: Source<'_>, output: Target<'_>) -> Result<()> {
        let [before, after] = self.core.reshapes.each_ref().map(Option::as_ref);
        self.stages(before, after, input, output).await
    }

    /// The transform alone, of the part that it works on.
    pub async fn transform(&mut self, input: Source<'_>, output: Target<'_>) -> Result<()> {
        self.stages(None, None, input, output).await
    }

    async fn stages(
        &mut self,
        before: Option<&'r Reshape>,
        after: Option<&'r Reshape>,
        input: Source<'_>,
        output: Target<'_>,
    ) -> Result<()> {
        let core = self.core;
        let steps = core.steps.iter().map(Stage::Step);
        let stages: Vec<Stage<'r>> = before.map(Stage::Reshape).into_iter().chain(steps).chain(after.map(Stage::Reshape)).collect();
        let (host, device): (&mut [u8], Option<OnDevice<'_>>) = match output {
            Target::Host(host) => (host, None),
            Target::Device(device) => (&mut [], Some(device)),
        };
        let last = stages.len() - 1;
        let plan = |(i, stage): (usize, &Stage<'_>)| {
            let bytes = match stage {
                Stage::Step(step) => step.bytes(),
                Stage::Reshape(_) if i == last => host.len(),
                Stage::Reshape(_) => core.part_bytes(core.cluster.rank(), true),
            };
            (bytes, i > 0 && (i < last || device.is_none()) && stage.is_in_place())
        };
        let planned: Vec<(usize, bool)> = stages.iter().enumerate().map(plan).collect();
        // What is behind the rows of a part of the caller's must stay as it is.
        let room = if after.is_some_and(|after| after.parts[1].padding > 0) { 0 } else { host.len() };
        let places = arrays(&planned, room);
        let mut others = [Vec::new(), Vec::new()];
        if last > 0 {
            let most = |array: usize| places.iter().zip(&planned).filter(|(own, _)| **own == array).map(|(_, (bytes, _))| *bytes).max();
            let made = guarded(|| Ok([zeros(most(1).unwrap_or(0))?, zeros(most(2).unwrap_or(0))?]));
            others = core.link.agreed(stages[0].phase(), made).await?;
        }
        let [first, second] = &mut others;
        let mut arrays: [&mut [u8]; 3] = [host, first, second];
        // Where the input of the next stage is, and its bytes.
        let mut read: Option<(usize, usize)> = None;
        for (i, (stage, (place, (bytes, _)))) in stages.into_iter().zip(places.into_iter().zip(planned)).enumerate() {
            let (source, target) = match (read, stage) {
                (None, _) => (input, &mut *arrays[place]),
                (Some((own, len)), stage) => {
                    let Ok([source, target]) = arrays.get_disjoint_mut([own, place]) else {
                        // The same one: a pass over what is there.
                        self.over(stage, &mut arrays[own][..len]).await?;
                        continue;
                    };
                    (Source::Host(&source[..len]), &mut **target)
                }
            };
            let target = match device {
                Some(device) if i == last => Target::Device(device),
                _ => Target::Host(&mut target[..bytes]),
            };
            self.stage(stage, source, target).await?;
            read = Some((place, bytes));
        }
        Ok(())
    }

    async fn over(&mut self, stage: Stage<'r>, array: &mut [u8]) -> Result<()> {
        let Stage::Step(Step { pass: Some(pass), .. }) = stage else { return Ok(()) };
        self.local(pass, None, Target::Host(array)).await
    }

    async fn stage(&mut self, stage: Stage<'r>, source: Source<'_>, target: Target<'_>) -> Result<()> {
        match (stage, source, target) {
            (Stage::Step(step), source, target) => {
                let steps = &self.core.steps;
                if self.core.geometry.half && steps.len() > 1 && std::ptr::eq(step, &raw const steps[0]) {
                    self.largest = self.core.largest(step.phase(), source).await?;
                }
                self.step(step, source, target).await
            }
            (Stage::Reshape(reshape), Source::Host(source), Target::Host(target)) => self.reshape(reshape, source, target).await,
            (Stage::Reshape(_), ..) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_arrays_take_turns() {
        // Slabs: an exchange, and lines in its place.
        assert_eq!(arrays(&[(8, false), (8, true)], 8), [OUTPUT, OUTPUT]);
        // Pencils.
        assert_eq!(arrays(&[(8, false), (8, false), (8, true)], 8), [1, OUTPUT, OUTPUT]);
        // Parts of the caller's: before, rows, lines, after.
        assert_eq!(arrays(&[(8, false), (8, false), (8, true), (8, false)], 8), [OUTPUT, 1, 1, OUTPUT]);
        // What is larger than the output has a third array.
        assert_eq!(arrays(&[(9, false), (9, false), (9, false), (8, false)], 8), [1, 2, 1, OUTPUT]);
        assert_eq!(arrays(&[(9, false), (8, false), (9, false), (8, false)], 8), [1, OUTPUT, 1, OUTPUT]);
        assert_eq!(arrays(&[(7, false)], 0), [OUTPUT]);
    }
}
