//! The arrays that the candidates of a contest use in rotation.

use wgpu_fft::low_level::tune::{self, Bindings, Compiled, Recorder};
use wgpu_fft::plan::Placement;
use wgpu_fft::transpose::Permute;
use wgpu_fft::{Bound, DeviceBuffer, FragmentArrays, Plan, Spec, View, With, wgpu};

use super::{Bench, Candidate, Result};

/// Where a second input may begin on every device.
const ALIGNMENT: u64 = 256;

/// Pairs of an input and an output. Both are filled with noise, so that no sample pays for the
/// first access to memory.
#[derive(Debug)]
pub struct Arrays {
    pairs: Vec<[DeviceBuffer<u32>; 2]>,
    /// The number of 16-byte elements that [`copy`](Self::copy) moves.
    copied: usize,
}

impl Arrays {
    /// Makes enough pairs to exceed the caches together.
    pub fn new(bench: &Bench, input_bytes: u64, output_bytes: u64) -> Result<Self> {
        let count = bench.rotation_bytes().div_ceil(input_bytes + output_bytes).clamp(1, 512);
        let gpu = bench.gpu();
        let pair = || -> Result<[DeviceBuffer<u32>; 2]> {
            let pair = [gpu.alloc(input_bytes.div_ceil(4) as usize)?, gpu.alloc(output_bytes.div_ceil(4) as usize)?];
            pair.iter().try_for_each(|buffer| bench.noise().fill(gpu, buffer.buffer()))?;
            Ok(pair)
        };
        let copied = input_bytes.min(output_bytes).min(gpu.profile().binding_bytes) / 16;
        Ok(Self { pairs: (0..count).map(|_| pair()).collect::<Result<_>>()?, copied: copied as usize })
    }

    /// The arrays for a plan.
    pub fn for_plan<S: Spec>(bench: &Bench, plan: &Plan<S>) -> Result<Self> {
        let inputs = plan.program().inputs().iter().map(|input| input.bytes().next_multiple_of(ALIGNMENT)).sum();
        Self::new(bench, inputs, plan.program().output().bytes())
    }

    /// Binds a plan to every pair. A plan that works in place is bound to every array of the same
    /// size as its data.
    ///
    /// Small outputs are not used in rotation, because small dispatches that share no array would
    /// run at the same time.
    pub fn bind<S: Spec>(&self, plan: &Plan<S>) -> Result<Candidate> {
        self.bind_with(plan, &FragmentArrays::new())
    }

    /// The same with arrays for fragments.
    pub fn bind_with<S: Spec>(&self, plan: &Plan<S>, named: &FragmentArrays<'_>) -> Result<Candidate> {
        let bounds: wgpu_fft::Result<Vec<Bound>> = match plan.program().placement() {
            Placement::OutOfPlace => {
                let small = plan.program().output().bytes() * 16 <= plan.program().inputs()[0].bytes();
                self.pairs.iter().map(|[input, own]| bind_pair(plan, [input, if small { &self.pairs[0][1] } else { own }], named)).collect()
            }
            Placement::InPlace => {
                let fits = |buffer: &&DeviceBuffer<u32>| buffer.buffer().size() >= plan.program().output().bytes();
                self.pairs.iter().flatten().filter(fits).map(|buffer| bind_alone(plan, buffer, named)).collect()
            }
        };
        Ok(Candidate::device(bounds?))
    }

    /// Binds a compiled recipe of any tunable to every pair; in place, to the outputs. Two inputs
    /// are placed one after the other in one buffer.
    pub fn bind_compiled(&self, arrays: tune::Arrays, compiled: &Compiled) -> Result<Candidate> {
        let words = |bytes: u64| (bytes / 4) as usize;
        let small = arrays.output_bytes * 16 <= arrays.input_bytes;
        let recorder = |[input, own]: &[DeviceBuffer<u32>; 2]| -> Result<Recorder> {
            let output = View::new(if small { self.pairs[0][1].buffer() } else { own.buffer() }, 0, words(arrays.output_bytes))?;
            let inputs = match arrays.placement {
                Placement::InPlace => [output; 2],
                Placement::OutOfPlace => {
                    let at = |i: usize| View::new(input.buffer(), i as u64 * arrays.input_bytes, words(arrays.input_bytes));
                    [at(0)?, at(arrays.inputs - 1)?]
                }
            };
            Ok(compiled(&Bindings { inputs, output })?)
        };
        Ok(Candidate::recorded(self.pairs.iter().map(recorder).collect::<Result<_>>()?))
    }

    /// What `make` makes of every pair.
    pub fn each(&self, make: impl Fn(&DeviceBuffer<u32>, &DeviceBuffer<u32>) -> Result<Recorder>) -> Result<Candidate> {
        Ok(Candidate::recorded(self.pairs.iter().map(|[input, output]| make(input, output)).collect::<Result<_>>()?))
    }

    /// Binds a plan to the first pair alone.
    pub fn bind_first<S: Spec>(&self, plan: &Plan<S>) -> Result<Bound> {
        match plan.program().placement() {
            Placement::OutOfPlace => Ok(bind_pair(plan, self.pairs[0].each_ref(), &FragmentArrays::new())?),
            Placement::InPlace => Ok(bind_alone(plan, &self.pairs[0][1], &FragmentArrays::new())?),
        }
    }

    /// The input and the output of the first pair.
    pub fn first(&self) -> &[DeviceBuffer<u32>; 2] {
        &self.pairs[0]
    }

    /// Fills the first pair with noise again.
    pub fn refill_first(&self, bench: &Bench) -> Result<()> {
        Ok(self.pairs[0].iter().try_for_each(|buffer| bench.noise().fill(bench.gpu(), buffer.buffer()))?)
    }

    /// The crate's copy of each input to its output. The smaller of the two and the size of a
    /// binding limit it.
    pub fn copy(&self, bench: &Bench) -> Result<Candidate> {
        self.bind(&*bench.planner().plan(Permute::<[u32; 4]>::transpose([1, self.copied]))?)
    }

    /// The bytes that [`copy`](Self::copy) reads and writes.
    pub fn copy_bytes(&self) -> u64 {
        self.copied as u64 * 32
    }
}

/// Binds a plan to a pair. A plan with two inputs reads them one after the other from the same
/// buffer.
fn bind_pair<S: Spec>(plan: &Plan<S>, [input, output]: [&DeviceBuffer<u32>; 2], named: &FragmentArrays<'_>) -> wgpu_fft::Result<Bound> {
    let program = plan.program();
    let buffer = input.buffer();
    let input = View::<S::Input>::new(buffer, 0, program.inputs()[0].len)?;
    let output = View::<S::Output>::new(output.buffer(), 0, program.output().len)?;
    if program.inputs().len() == 2 {
        let begin = program.inputs()[0].bytes().next_multiple_of(ALIGNMENT);
        let second = View::<S::Input>::new(buffer, begin, program.inputs()[1].len)?;
        return plan.bind(With((input, second), named), output);
    }
    plan.bind(With(input, named), output)
}

fn bind_alone<S: Spec>(plan: &Plan<S>, data: &DeviceBuffer<u32>, named: &FragmentArrays<'_>) -> wgpu_fft::Result<Bound> {
    plan.bind_in_place(With(View::<S::Output>::new(data.buffer(), 0, plan.output_len())?, named))
}

/// Numbers in -1 … 1 that repeat after a few megabytes, on the host and on the device.
#[derive(Debug)]
pub struct Noise {
    host: Vec<f32>,
    device: DeviceBuffer<f32>,
}

impl Noise {
    pub fn new(gpu: &wgpu_fft::Gpu) -> wgpu_fft::Result<Self> {
        const LEN: usize = 1 << 20;
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / 8_388_608.0 - 1.0
        };
        let host: Vec<f32> = (0..LEN).map(|_| next()).collect();
        Ok(Self { device: gpu.upload(&host)?, host })
    }

    /// The first `len` numbers.
    pub fn take(&self, len: usize) -> impl Iterator<Item = f32> + '_ {
        self.host.iter().copied().cycle().take(len)
    }

    /// Fills a buffer on the device with the same numbers.
    fn fill(&self, gpu: &wgpu_fft::Gpu, target: &wgpu::Buffer) -> wgpu_fft::Result<()> {
        let period = self.device.view().len_bytes();
        gpu.submit(|encoder| {
            for offset in (0..target.size()).step_by(period as usize) {
                encoder.copy_buffer_to_buffer(self.device.buffer(), 0, target, offset, period.min(target.size() - offset));
            }
            Ok(())
        })?;
        Ok(())
    }
}
