//! The registers of a GPU, by what the device says of itself. No interface tells them, so they are
//! data: `registers.txt`, which says what its columns are.

use crate::text::table;

const TABLE: &str = include_str!("registers.txt");

/// The registers of a device, in 32-bit words, as far as the rules for recipes keep to them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Registers {
    /// How many an invocation should take, so that enough invocations share a core.
    pub liked: u32,
    /// How many an invocation can have.
    pub most: u32,
    /// How many the invocations of a workgroup have together.
    pub workgroup: u32,
    /// Bytes of workgroup memory that all workgroups of a core share, where a workgroup can take so
    /// much that no other one fits beside it.
    pub memory: Option<u32>,
}

impl Registers {
    /// Of a device whose rules do not ask: they were measured, or it is a processor.
    pub const PLENTY: Self = Self { liked: u32::MAX, most: u32::MAX, workgroup: u32::MAX, memory: None };

    /// Those of a GPU with this PCI number of its vendor, or 0, this name, and this smallest
    /// subgroup.
    pub(crate) fn of(vendor: u32, name: &str, subgroup: u32) -> Self {
        let name = name.to_lowercase();
        let line = lines().find(|line| line.fits(vendor, &name, subgroup));
        line.expect("the last line fits all").registers
    }

    /// Those of all lines of the table.
    #[cfg(all(test, feature = "tune"))]
    pub(crate) fn known() -> impl Iterator<Item = Self> {
        lines().map(|line| line.registers)
    }

    /// Whether an invocation has 32 at least, and each of 256 invocations of a workgroup those
    /// liked; of any number it is 32 each.
    #[cfg(any(test, feature = "tune"))]
    pub(crate) fn are_enough(self) -> bool {
        let Self { liked, most, workgroup, .. } = self;
        32 <= liked && liked <= most && u64::from(workgroup) >= 256 * if liked == u32::MAX { 32 } else { u64::from(liked) }
    }
}

struct Line<'a> {
    /// A number and a part of the name, or none for any vendor.
    vendor: Option<(u32, &'a str)>,
    least_subgroup: u32,
    registers: Registers,
}

impl Line<'_> {
    fn fits(&self, vendor: u32, name: &str, subgroup: u32) -> bool {
        let is_vendor = |(number, word): (u32, &str)| vendor == number || name.contains(word);
        self.vendor.is_none_or(is_vendor) && subgroup >= self.least_subgroup
    }
}

fn lines() -> impl Iterator<Item = Line<'static>> {
    table(TABLE).map(|(text, columns)| line(&columns).unwrap_or_else(|| panic!("registers.txt: `{text}`")))
}

fn line<'a>(columns: &[&'a str]) -> Option<Line<'a>> {
    let [vendor, least_subgroup, liked, most, workgroup, memory, _] = columns[..] else { return None };
    let vendor = match vendor {
        "*" => None,
        _ => {
            let (number, word) = vendor.split_once(' ')?;
            let number = if number == "-" { u32::MAX } else { u32::from_str_radix(number, 16).ok()? };
            Some((number, word.trim()))
        }
    };
    let number = |text: &str| if text == "-" { Some(u32::MAX) } else { text.parse().ok() };
    let memory = number(memory).filter(|bytes| *bytes < u32::MAX);
    let registers = Registers { liked: number(liked)?, most: number(most)?, workgroup: number(workgroup)?, memory };
    Some(Line { vendor, least_subgroup: least_subgroup.parse().ok()?, registers })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_whole() {
        let all: Vec<Line<'_>> = lines().collect();
        assert!(all.iter().all(|line| line.registers.are_enough()));
        // Nothing stands behind the line that fits all.
        let first = all.iter().position(|line| line.vendor.is_none() && line.least_subgroup <= 1);
        assert_eq!(first, Some(all.len() - 1));
    }

    #[test]
    fn devices_are_known_by_number_or_name() {
        let liked = |vendor, name, subgroup| Registers::of(vendor, name, subgroup).liked;
        assert_eq!(Registers::of(0x10de, "GeForce", 32), Registers::PLENTY);
        // Metal and browsers tell no number.
        assert_eq!(Registers::of(0, "NVIDIA GeForce RTX 3060", 32), Registers::PLENTY);
        assert_eq!(liked(0x1002, "AMD Radeon RX 580", 64), 64);
        assert_eq!(liked(0x1002, "AMD Radeon RX 7900", 32), 128);
        assert_eq!(liked(0x13b5, "Mali-G610 MC4", 16), 56);
        assert_eq!(liked(0, "unnamed adapter", 4), 88);
        assert_eq!(liked(0, "fxc", 1), 64);
    }
}
