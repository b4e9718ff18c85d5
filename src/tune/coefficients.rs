//! What the rules know of a device besides its limits.

use std::fmt;

use crate::gpu::{DeviceProfile, Registers};
use crate::text::{Field, Flag, parsed};

/// The key of a device's coefficients in a record.
pub(crate) const KEY: &str = "coefficients";

/// What the rules take a device to be like, as far as no interface tells: the fields of the same
/// names of a [`DeviceProfile`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Coefficients {
    /// The registers of a GPU.
    pub registers: Registers,
    /// Whether a processor transforms each line in one lane.
    pub one_lane: bool,
}

impl Coefficients {
    /// Those of a profile.
    #[must_use]
    pub fn of(profile: &DeviceProfile) -> Self {
        Self { registers: profile.registers, one_lane: profile.one_lane }
    }

    /// A profile with these in place of its own.
    #[must_use]
    pub fn on(self, profile: &DeviceProfile) -> DeviceProfile {
        profile.with(|profile| (profile.registers, profile.one_lane) = (self.registers, self.one_lane))
    }
}

impl fmt::Display for Coefficients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Registers { liked, most, workgroup, memory } = self.registers;
        let number = |value: u32| if value == u32::MAX { "any".to_owned() } else { value.to_string() };
        write!(f, "registers liked={} most={} workgroup={}", number(liked), number(most), number(workgroup))?;
        write!(f, "{}{}", Field("memory", memory), Flag("one-lane", self.one_lane))
    }
}

parsed!(Coefficients, "coefficients of a device", |text, whole| {
    let mut words = text.words(whole);
    words.skip("registers")?;
    let mut fields = words.fields();
    let mut number = |name: &str| match fields.value(name) {
        None | Some("any") => Ok(u32::MAX),
        Some(value) => text.number(value),
    };
    let (liked, most, workgroup, memory) = (number("liked")?, number("most")?, number("workgroup")?, number("memory")?);
    let registers = Registers { liked, most, workgroup, memory: Some(memory).filter(|bytes| *bytes < u32::MAX) };
    if !registers.are_enough() {
        let why = format!("expected 32 <= liked <= most and 256 * liked <= workgroup, not {liked}, {most} and {workgroup}");
        return Err(text.wrong("", why));
    }
    let one_lane = fields.flag("one-lane");
    fields.done("liked=…, most=…, workgroup=…, memory=… or one-lane")?;
    Ok(Self { registers, one_lane })
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_are_read_as_they_are_printed() {
        let own = Coefficients::of(&DeviceProfile::webgpu_defaults());
        let memory = Coefficients { registers: Registers { memory: Some(65_536), ..own.registers }, one_lane: true };
        for own in [own, memory, Coefficients { registers: Registers::PLENTY, ..own }] {
            assert_eq!(own.to_string().parse(), Ok(own), "{own}");
        }
        assert_eq!(own.to_string(), "registers liked=88 most=120 workgroup=32768");
        for text in [
            "",
            "registers liked=0",
            "registers most=40 liked=88",
            "registers workgroup=1000",
            "registers liked=88 liked=64",
            "registers few",
        ] {
            assert!(text.parse::<Coefficients>().is_err(), "{text}");
        }
    }
}
