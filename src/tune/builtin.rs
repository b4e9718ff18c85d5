//! Recipes that beat the rules on the devices that this crate's authors measured.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::any::{AnyTunable, Erased};
use super::choice::{Choice, Chooser, Source};
use crate::error::Result;
use crate::gpu::{DeviceProfile, Gpu};
use crate::plan::AnyValue;
use crate::sort::sort_short_by_key;

/// A line for each: `vendor:device type | specification | recipe | measurement`.
const TABLE: &str = include_str!("builtin.txt");

/// A line of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct TableLine {
    vendor: u32,
    device: u32,
    device_type: wgpu::DeviceType,
    spec: &'static str,
    recipe: &'static str,
    measurement: &'static str,
}

fn parse(line: &'static str) -> Option<TableLine> {
    let mut parts = line.split(" | ").map(str::trim);
    let (device, spec, recipe, measurement) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let (numbers, device_type) = device.split_once(' ')?;
    let (vendor, device) = numbers.split_once(':')?;
    let device_type = match device_type {
        "discrete" => wgpu::DeviceType::DiscreteGpu,
        "integrated" => wgpu::DeviceType::IntegratedGpu,
        "virtual" => wgpu::DeviceType::VirtualGpu,
        "cpu" => wgpu::DeviceType::Cpu,
        _ => return None,
    };
    let number = |text| u32::from_str_radix(text, 16).ok();
    Some(TableLine { vendor: number(vendor)?, device: number(device)?, device_type, spec, recipe, measurement })
}

fn lines() -> impl Iterator<Item = &'static str> {
    TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The lines of a specification.
fn known(spec: &str) -> &'static [TableLine] {
    static KNOWN: OnceLock<HashMap<&'static str, Vec<TableLine>>> = OnceLock::new();
    let known = KNOWN.get_or_init(|| {
        let mut known: HashMap<&str, Vec<TableLine>> = HashMap::new();
        lines().filter_map(parse).for_each(|line| known.entry(line.spec).or_default().push(line));
        known
    });
    known.get(spec).map_or(&[], Vec::as_slice)
}

/// Chooses without measurement.
#[derive(Debug)]
pub(crate) struct Estimate;

impl Chooser for Estimate {
    fn choose(&self, gpu: &Gpu, spec: &Erased) -> Result<Choice<AnyValue>> {
        estimate(gpu, gpu.profile(), &**spec)
    }
}

/// The choice without measurement: what is known of this device, or else of one of the same vendor
/// and type, or else what the rules say of a device with this profile.
pub(super) fn estimate(gpu: &Gpu, profile: &DeviceProfile, spec: &dyn AnyTunable) -> Result<Choice<AnyValue>> {
    let lines = known(&spec.to_string());
    if !lines.is_empty() {
        let info = gpu.device().adapter_info();
        let related = |line: &&TableLine| (line.vendor, line.device_type) == (info.vendor, info.device_type);
        let mut related: Vec<&TableLine> = lines.iter().filter(related).collect();
        sort_short_by_key(&mut related, |line| line.device != info.device);
        for line in related {
            // On a device with other limits, or after a change of the kernels, a recipe may not fit
            // any more.
            if let Some(recipe) = spec.parse(line.recipe)
                && spec.fingerprint(&recipe, gpu.profile()).is_ok()
            {
                return Ok(Choice { recipe, source: Source::BuiltIn { measurement: line.measurement } });
            }
        }
    }
    Ok(Choice { recipe: spec.estimate(profile)?, source: Source::Rules })
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use super::*;
    use crate::fft::{C2c, R2c};
    use crate::transpose::Permute;
    use crate::{Complex32, DeviceProfile, Error, Spec};

    #[test]
    fn every_line_can_be_read_and_stands_once() {
        let mut seen = std::collections::HashSet::new();
        for line in lines() {
            let own = parse(line).unwrap_or_else(|| panic!("{line}"));
            assert!(seen.insert((own.vendor, own.device, own.device_type, own.spec)), "twice: {line}");
            assert!(!own.measurement.is_empty(), "{line}");
        }
    }

    /// What the devices of the table have at least, as far as recipes go.
    fn profile(device_type: wgpu::DeviceType) -> DeviceProfile {
        let binding_bytes = 1 << 30;
        let base = DeviceProfile { device_type, binding_bytes, buffer_bytes: 1 << 32, ..DeviceProfile::webgpu_defaults() };
        match device_type {
            // SwiftShader.
            wgpu::DeviceType::Cpu => DeviceProfile { subgroup_sizes: [4, 4], one_lane: true, ..base },
            // NVIDIA's.
            _ => DeviceProfile { device_type, binding_bytes, buffer_bytes: 1 << 32, ..DeviceProfile::large_gpu() },
        }
    }

    /// A line that nothing could use would go unnoticed: then the rules' choice is taken.
    #[test]
    fn every_line_fits_its_device_and_is_not_what_the_rules_choose() {
        fn check<T: Spec + FromStr<Err = Error>>(line: &TableLine) {
            let profile = profile(line.device_type);
            let spec: T = line.spec.parse().unwrap();
            assert_eq!(spec.to_string(), line.spec, "the key is the printed specification");
            let recipe: T::Recipe = line.recipe.parse().unwrap();
            spec.lower(&recipe, &profile).unwrap().check(&profile).unwrap();
            assert_ne!(spec.design(&profile).unwrap(), recipe, "{line:?}");
        }
        for line in lines().filter_map(parse) {
            match line.spec.split(' ').next() {
                Some("c2c") => check::<C2c>(&line),
                Some("r2c") => check::<R2c>(&line),
                Some("transpose") if line.spec.starts_with("transpose f32") => check::<Permute<f32>>(&line),
                Some("transpose") if line.spec.starts_with("transpose complex") => check::<Permute<Complex32>>(&line),
                _ => panic!("teach this test to read `{}`", line.spec),
            }
        }
    }
}
