//! Finds what the rules should know of a device, by measuring on it.

use std::fmt;

use crate::error::Result;
use crate::fft::C2c;
use crate::gpu::{DeviceProfile, Gpu, Registers};
use crate::plan::{Placement, Program, Spec};
use crate::tune::coefficients::{Coefficients, KEY};
use crate::tune::hash::{text_hash, wgsl_hash};
use crate::tune::tunable::{Arrays, Bindings, Compiled, Tunable, compile};
use crate::verify::Verification;

/// A search for the [`Coefficients`] of a device: those whose rules make the fastest recipes for a
/// few transforms together.
///
/// For GPUs that this crate's authors have not measured. The record keeps the result, and any
/// [`Tuning`](crate::tune::Tuning) with that record chooses by it what was not measured by itself,
/// on this device with this driver and this version of the crate.
///
/// ```no_run
/// use std::time::Duration;
///
/// use wgpu_fft::low_level::tune::Calibration;
/// use wgpu_fft::tune::{Record, Tuning};
/// use wgpu_fft::{Gpu, GpuOptions, Planner, fft};
///
/// # fn main() -> wgpu_fft::Result<()> {
/// let gpu = pollster::block_on(Gpu::request(&GpuOptions::default()))?;
/// let record = Record::open_default();
/// let tuning = Tuning::measure().time_limit(Duration::from_secs(30)).record(record.clone());
/// println!("{}", tuning.choose(&gpu, &Calibration::new())?.source);
/// let planner = Planner::new(&gpu).with_tuning(Tuning::recorded(record));
/// let plan = planner.plan(fft::C2c::forward([1080, 1920]))?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default, Debug)]
pub struct Calibration {
    start: Option<Coefficients>,
}

/// Rows, columns, a volume, long lines and other factors than two: of 4 million points each on a
/// GPU, as smaller ones tell recipes less apart (benches/reports/2026-11-29-calibration), and of
/// 260,000 on a processor.
const TRANSFORMS: [[&str; 6]; 2] = [
    ["2048x2048", "4096 x1024", "128x128x256", "1920x2160", "131072 x32", "16384 x256"],
    ["512x512", "1024 x256", "32x64x128", "480x540", "16384 x16", "4096 x64"],
];

/// Each runs so often in a row, since a change of the kernel costs a GPU time that programs seldom
/// spend.
const RUNS_ON_GPU: usize = 3;

/// What a GPU has, as far as any is known (src/gpu/registers.txt).
const LIKED: [u32; 7] = [56, 64, 88, 128, 152, 256, u32::MAX];
const WORKGROUP: [u32; 5] = [16_384, 32_768, 49_152, 65_536, u32::MAX];

impl Calibration {
    /// From what the device's profile says.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// From these coefficients, as if the device's profile had them.
    #[must_use]
    pub fn starting_from(start: Coefficients) -> Self {
        Self { start: Some(start) }
    }
}

fn transforms(profile: &DeviceProfile) -> impl Iterator<Item = C2c> {
    let texts = &TRANSFORMS[usize::from(profile.is_cpu())];
    texts.iter().map(|text| format!("c2c fwd {text}").parse().expect("these are specifications"))
}

/// The programs of all transforms by these coefficients.
fn programs(coefficients: Coefficients, profile: &DeviceProfile) -> Result<Vec<Program>> {
    let by_rule = coefficients.on(profile);
    transforms(profile).map(|transform| transform.lower(&transform.design(&by_rule)?, profile)).collect()
}

impl fmt::Display for Calibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(KEY)
    }
}

impl Tunable for Calibration {
    type Recipe = Coefficients;

    fn estimate(&self, profile: &DeviceProfile) -> Result<Coefficients> {
        Ok(self.start.unwrap_or_else(|| Coefficients::of(profile)))
    }

    fn baseline(&self, profile: &DeviceProfile) -> Result<Coefficients> {
        self.estimate(profile)
    }

    fn alternatives(&self, profile: &DeviceProfile) -> Vec<Coefficients> {
        let own = Coefficients::of(profile);
        if profile.is_cpu() { Vec::new() } else { vec![Coefficients { registers: Registers::PLENTY, ..own }] }
    }

    /// Those that differ in one value, and in the recipes that they make.
    fn neighbours(&self, recipe: &Coefficients, profile: &DeviceProfile) -> Vec<Coefficients> {
        let with = |registers| Coefficients { registers, ..*recipe };
        let Registers { liked, most, workgroup, .. } = recipe.registers;
        let near: Vec<Coefficients> = if profile.is_cpu() {
            vec![Coefficients { one_lane: !recipe.one_lane, ..*recipe }]
        } else {
            // A workgroup has as many as its invocations.
            let enough = |liked: u32| WORKGROUP.into_iter().find(|all| *all / 256 >= liked).unwrap_or(u32::MAX).max(workgroup);
            let likeds = beside(&LIKED, liked)
                .map(|liked| with(Registers { liked, most: most.max(liked), workgroup: enough(liked), ..recipe.registers }));
            let mosts = beside(&LIKED, most).map(|most| with(Registers { most, liked: liked.min(most), ..recipe.registers }));
            let workgroups = beside(&WORKGROUP, workgroup).map(|workgroup| with(Registers { workgroup, ..recipe.registers }));
            likeds.chain(workgroups).chain(mosts).filter(|own| own.registers.are_enough()).collect()
        };
        let mut known = vec![self.fingerprint(recipe, profile).ok()];
        let mut is_new = |own: &Coefficients| {
            let own = self.fingerprint(own, profile).ok();
            let is_new = own.is_some() && !known.contains(&own);
            known.push(own);
            is_new
        };
        near.into_iter().filter(|own| is_new(own)).collect()
    }

    fn verification(&self) -> Verification {
        // All have about as many points.
        Tunable::verification(&C2c::forward([2048, 2048]))
    }

    /// Each transform has its own part of the output. Passes and repetitions move more than that.
    fn arrays(&self, profile: &DeviceProfile) -> Result<Arrays> {
        let arrays = transforms(profile).map(|transform| Tunable::arrays(&transform, profile)).collect::<Result<Vec<_>>>()?;
        Ok(Arrays {
            input_bytes: arrays.iter().map(|own| own.input_bytes).max().unwrap_or(0),
            inputs: 1,
            output_bytes: arrays.iter().map(|own| own.output_bytes).sum(),
            placement: Placement::OutOfPlace,
        })
    }

    fn fingerprint(&self, recipe: &Coefficients, profile: &DeviceProfile) -> Result<u64> {
        let programs = programs(*recipe, profile)?;
        programs.iter().try_for_each(|program| program.check(profile))?;
        Ok(text_hash(&programs.iter().map(|program| wgsl_hash(program).to_string()).collect::<String>()))
    }

    /// All transforms one after another, each into a part of the output.
    fn compile(&self, gpu: &Gpu, recipe: &Coefficients) -> Result<Compiled> {
        let programs = programs(*recipe, gpu.profile())?;
        let runs = if gpu.profile().is_cpu() { 1 } else { RUNS_ON_GPU };
        let words = programs.iter().map(|program| (program.output.bytes() / 4) as usize).collect::<Vec<_>>();
        let compiled = programs.into_iter().map(|program| compile(gpu, program)).collect::<Result<Vec<_>>>()?;
        Ok(Box::new(move |bindings| {
            let mut begin = 0;
            let bound = compiled.iter().zip(&words).map(|(compiled, words)| {
                let output = bindings.output.slice(begin..begin + words)?;
                begin += words;
                compiled(&Bindings { output, ..*bindings })
            });
            let bound = bound.collect::<Result<Vec<_>>>()?;
            Ok(Box::new(move |pass| bound.iter().for_each(|record| (0..runs).for_each(|_| record(pass)))))
        }))
    }
}

/// The values of a list before and behind one that need not be in it.
fn beside(values: &[u32], own: u32) -> impl Iterator<Item = u32> {
    let before = values.iter().rfind(|value| **value < own);
    let behind = values.iter().find(|value| **value > own);
    before.into_iter().chain(behind).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_any_start_liked_registers_can_rise_to_plenty_and_fall_to_the_least() {
        let profile = DeviceProfile::large_gpu();
        let search = Calibration::new();
        let climb = |start: Coefficients, better: fn(u32, u32) -> bool| {
            std::iter::successors(Some(start), |place| {
                let near = search.neighbours(place, &profile);
                near.into_iter().find(|own| better(own.registers.liked, place.registers.liked))
            })
            .last()
            .unwrap()
        };
        for registers in Registers::known() {
            let start = Coefficients { registers, ..Coefficients::of(&profile) };
            let many = climb(start, |own, before| own > before);
            assert!(many.registers.liked >= 256, "{start}: {many}");
            assert!(climb(many, |own, before| own < before).registers.liked <= 64, "{start}: {many}");
        }
    }
}
