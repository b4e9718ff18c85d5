//! A program run on host data: bytes in, bytes out.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::build::{Executable, SLOW, filled};
use super::textures::{Placeholder, Resource};
use super::{Array, FragmentArrays, Placement};
use crate::error::{Error, Result};
use crate::gpu::late::collected;
use crate::gpu::{Commands, Download, Role, Staging, cannot_block, input_name, wait_for};
use crate::kernels::Slot;

/// Fails unless `data` holds as many elements as an array.
fn check_len(argument: &'static str, array: &Array, data: &[u8]) -> Result<()> {
    let actual = data.len() / array.element_bytes;
    if actual == array.len { Ok(()) } else { Err(Error::WrongLen { argument, expected: array.len, actual }) }
}

impl Executable {
    /// Fails unless `output` holds as many elements as the program's.
    pub fn check_output(&self, output: &[u8]) -> Result<()> {
        check_len("output", &self.program.output, output)
    }

    /// Runs the program on host data and blocks until the output is written.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn run_into(&self, inputs: &[&[u8]], output: &mut [u8]) -> Result<()> {
        let download = self.run(inputs, FragmentArrays::NONE, false)?;
        let progress = download.progress().clone();
        progress.block_on(download.read_all(output))
    }

    /// Counts a run on host data, and says whether it is one to be verified.
    pub fn is_due(&self) -> bool {
        let every = u64::from(self.gpu.verify_every());
        every > 0 && (self.runs.fetch_add(1, Ordering::Relaxed) + 1).is_multiple_of(every)
    }

    /// Runs the program once on zeros in arrays of its own, and blocks until the device has
    /// finished.
    pub fn warm_up(&self) -> Result<Duration> {
        if cfg!(target_arch = "wasm32") {
            return Err(cannot_block());
        }
        let (gpu, program, start) = (&self.gpu, &self.program, Instant::now());
        let array = |slot| Placeholder::new(gpu, program, slot);
        let output = array(Slot::Output)?;
        let inputs: Vec<Placeholder> = match program.placement {
            Placement::InPlace => Vec::new(),
            Placement::OutOfPlace => (0..program.inputs.len()).map(|i| array(Slot::Input(i))).collect::<Result<_>>()?,
        };
        let declared = self.placeholders()?;
        let bound = self.bind(|slot| match slot {
            Slot::Input(i) if program.placement == Placement::OutOfPlace => inputs[i].resource(),
            Slot::Declared(i) => Resource::Buffer(&declared[i], 0),
            _ => output.resource(),
        })?;
        let submission = gpu.submit(|encoder| bound.encode(encoder))?;
        wait_for(gpu, submission)?;
        let time = start.elapsed();
        if time > SLOW {
            log::info!("the first run of `{}` on {} took {time:.1?}, most of it the driver's compiler", program.title, gpu.profile().name);
        }
        Ok(time)
    }

    /// Arrays of the number 1 in place of those that fragments declare.
    pub fn placeholders(&self) -> Result<Vec<wgpu::Buffer>> {
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::UNIFORM;
        let ones = |slot| {
            let bytes = self.program.bytes(slot);
            filled(&self.gpu, "array of a fragment", bytes, usage, bytemuck::cast_slice(&vec![1.0_f32; bytes.div_ceil(4) as usize]))
        };
        (0..self.program.declared.len()).map(Slot::Declared).map(ones).collect()
    }

    /// Uploads the inputs and submits the program. The output is on its way then. If the program
    /// leaves `gaps` in it, they hold zeros.
    pub fn run(&self, inputs: &[&[u8]], arrays: &FragmentArrays<'_>, gaps: bool) -> Result<Download> {
        let (download, late) = collected(|| self.begin(inputs, arrays, gaps));
        Ok(download?.with_late(late))
    }

    fn begin(&self, inputs: &[&[u8]], arrays: &FragmentArrays<'_>, gaps: bool) -> Result<Download> {
        let (gpu, program) = (&self.gpu, &self.program);
        program.check_arrays("a run on host data of")?;
        program.check_inputs(inputs.len())?;
        gpu.flush()?;
        for (i, (data, array)) in inputs.iter().zip(&program.inputs).enumerate() {
            check_len(input_name(i), array, data)?;
        }
        let (bytes, threads) = (program.bytes(Slot::Output), gpu.transfers().copy_threads);
        let mut commands = Commands::new(gpu)?;
        let role = match program.placement {
            Placement::OutOfPlace => Role::Output,
            Placement::InPlace => Role::InPlace,
        };
        let mut output = Staging::array(gpu, role, bytes)?;
        let declared = arrays.of_program(program, gpu, Some(output.buffer()))?;
        let mut staged: Vec<Staging> = Vec::new();
        match program.placement {
            Placement::InPlace => commands.fill(&mut output, vec![inputs[0]], threads)?,
            Placement::OutOfPlace => {
                if gaps && !output.is_new() {
                    commands.clear(&output, bytes);
                }
                for (i, data) in inputs.iter().enumerate() {
                    let mut array = Staging::array(gpu, Role::Input, program.bytes(Slot::Input(i)))?;
                    commands.fill(&mut array, vec![data], threads)?;
                    staged.push(array);
                }
            }
        }
        let bound = self.bind(|slot| match slot {
            Slot::Input(i) if program.placement == Placement::OutOfPlace => (staged[i].buffer(), 0),
            Slot::Declared(i) => declared[i].place(),
            _ => (output.buffer(), 0),
        })?;
        bound.encode(&mut commands.encoder)?;
        let mut download = Download::of_array(gpu, output, bytes);
        download.record(&mut commands)?;
        let submission = commands.submit()?;
        download.begin(&submission)?;
        staged.into_iter().for_each(|array| array.keep(gpu));
        Ok(download)
    }
}
