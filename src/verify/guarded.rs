//! Arrays on a device between guards, for runs whose stores are looked at.

use std::ops::Range;

use crate::error::Result;
use crate::gpu::{DeviceBuffer, Gpu, View};

/// Words before and after each array that nobody may write: 64 KiB, so that arrays begin at a page
/// of the device's, as callers' arrays do.
const GUARD: usize = 1 << 14;
const GUARDS: u32 = 0x7fc0_6a6d;
/// What an output holds before: a NaN that no arithmetic makes.
pub(crate) const UNWRITTEN: u32 = 0x7fc0_dead;

/// Inputs and an output, each between guards.
pub(crate) struct Guarded {
    gpu: Gpu,
    /// None if the output overwrites the input.
    inputs: Vec<DeviceBuffer<u32>>,
    output: DeviceBuffer<u32>,
}

impl Guarded {
    /// Arrays of so many bytes, which are multiples of 4.
    pub fn new(gpu: &Gpu, inputs: usize, input_bytes: u64, output_bytes: u64) -> Result<Self> {
        let array = |bytes: u64| gpu.alloc::<u32>((bytes / 4) as usize + 2 * GUARD);
        let inputs = (0..inputs).map(|_| array(input_bytes)).collect::<Result<_>>()?;
        Ok(Self { gpu: gpu.clone(), inputs, output: array(output_bytes)? })
    }

    /// Writes the input everywhere, and the guards. What the output has besides is `unwritten`.
    pub fn fill(&self, input: &[u32], unwritten: u32) -> Result<()> {
        for buffer in &self.inputs {
            self.write(buffer, input)?;
        }
        let mut before = vec![unwritten; self.output_words()];
        if self.inputs.is_empty() {
            let words = input.len().min(before.len());
            before[..words].copy_from_slice(&input[..words]);
        }
        self.write(&self.output, &before)
    }

    fn write(&self, buffer: &DeviceBuffer<u32>, words: &[u32]) -> Result<()> {
        let after = GUARD + words.len();
        let write = |first: usize, words: &[u32]| self.gpu.write(View::new(buffer.buffer(), first as u64 * 4, words.len())?, words);
        write(0, &vec![GUARDS; GUARD])?;
        write(GUARD, words)?;
        write(after, &vec![GUARDS; buffer.len() - after])
    }

    /// Whether the output overwrites the input.
    #[cfg(all(feature = "tune", not(target_arch = "wasm32")))]
    pub fn is_in_place(&self) -> bool {
        self.inputs.is_empty()
    }

    /// An input; the first one where there is no other, and the output where there is none.
    pub fn input(&self, i: usize) -> Result<View<'_, u32>> {
        view(self.inputs.get(i).or(self.inputs.first()).unwrap_or(&self.output))
    }

    pub fn output(&self) -> Result<View<'_, u32>> {
        view(&self.output)
    }

    pub fn output_words(&self) -> usize {
        self.output.len() - 2 * GUARD
    }

    /// Words of guards.
    pub fn guard_words(&self) -> usize {
        (self.inputs.len() + 1) * 2 * GUARD
    }

    /// Reads a part of the output.
    pub fn read(&self, range: Range<usize>) -> Result<Vec<u32>> {
        self.read_from(&self.output, GUARD + range.start, range.len())
    }

    fn read_from(&self, buffer: &DeviceBuffer<u32>, first: usize, words: usize) -> Result<Vec<u32>> {
        self.gpu.download(View::<u32>::new(buffer.buffer(), first as u64 * 4, words)?)?.wait()
    }

    /// Which array was written that should not have been, or past its ends, if any was.
    pub fn fault(&self, input: &[u32]) -> Result<Option<String>> {
        for (i, buffer) in self.inputs.iter().enumerate() {
            if let Some(fault) = self.fault_of_input(buffer, input)? {
                return Ok(Some(format!("{fault} input {i}")));
            }
        }
        let end = self.output.len() - GUARD;
        let intact = |first| Ok(self.read_from(&self.output, first, GUARD)?.iter().all(|&word| word == GUARDS));
        Ok(match (intact(0)?, intact(end)?) {
            (false, _) => Some("it writes before the output".to_owned()),
            (true, false) => Some("it writes past the output".to_owned()),
            (true, true) => None,
        })
    }

    /// Whether an input or its guards were written. Of a large one its ends are looked at: reading
    /// gigabytes back takes as long as many a search.
    fn fault_of_input(&self, buffer: &DeviceBuffer<u32>, input: &[u32]) -> Result<Option<&'static str>> {
        const MAX_READ: usize = 1 << 24;
        let words = buffer.len();
        let ends = if words <= MAX_READ { [(0, words), (0, 0)] } else { [(0, MAX_READ / 2), (words - MAX_READ / 2, MAX_READ / 2)] };
        for (first, len) in ends.into_iter().filter(|(_, len)| *len > 0) {
            let after = self.read_from(buffer, first, len)?;
            let before = |i: usize| i.checked_sub(GUARD).and_then(|i| input.get(i)).copied().unwrap_or(GUARDS);
            if let Some(i) = (first..).zip(&after).find(|(i, word)| **word != before(*i)).map(|(i, _)| i) {
                return Ok(Some(if i < GUARD {
                    "it writes before"
                } else if i < words - GUARD {
                    "it writes to"
                } else {
                    "it writes past"
                }));
            }
        }
        Ok(None)
    }
}

fn view(buffer: &DeviceBuffer<u32>) -> Result<View<'_, u32>> {
    View::new(buffer.buffer(), GUARD as u64 * 4, buffer.len() - 2 * GUARD)
}
