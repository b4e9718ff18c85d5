//! Where cases run: on the host under the checks of the interpreter, and on adapters. Specifications
//! and arrays have no types here, so that this is compiled once for all operations.

use wgpu_fft::low_level::{self, Slot};
use wgpu_fft::plan::Placement;
use wgpu_fft::{Error, FragmentArrays, Program, View, wgpu};

use crate::harness::{Device, UNWRITTEN};
use crate::sanitized;
use crate::subject::Subject;

#[derive(Clone, Copy)]
pub enum Place<'a> {
    /// Without a device: programs run in the interpreter.
    Host,
    Device(&'a Device),
}

impl Place<'_> {
    pub fn name(&self) -> &str {
        match self {
            Place::Host => "host",
            Place::Device(device) => &device.name,
        }
    }
}

/// The order in which the interpreter runs invocations, and the size of its subgroups.
#[derive(Clone, Copy)]
pub struct Order {
    pub seed: u64,
    pub subgroups: u32,
}

/// Runs a program on bytes. The output, which was [`UNWRITTEN`] or the input before.
pub fn run(
    place: Place<'_>,
    subject: &Subject,
    recipe: &str,
    program: &Program,
    inputs: &[Vec<u8>],
    order: Order,
) -> Result<Vec<u8>, Error> {
    let inputs: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
    let mut output = match place {
        Place::Host => {
            let mut arrays = sanitized::Arrays::new(program, &inputs);
            for dispatch in low_level::dispatches(program) {
                arrays.dispatch(dispatch, order.seed, sanitized::subgroup_size(dispatch, order.subgroups));
            }
            bytemuck::pod_collect_to_vec(&arrays.words(Slot::Output))
        }
        Place::Device(device) => {
            let output = on_device(device, subject, recipe, &inputs);
            device.planner.clear();
            output?
        }
    };
    output.truncate(program.output().bytes() as usize);
    Ok(output)
}

/// Words around an array that must not change.
const GUARD: [u32; 64] = [0xdead_beef; 64];

/// Runs between guards; the workspace is dirty, as the plan runs twice where it has one. The inputs
/// and the words around each array must not change.
fn on_device(device: &Device, subject: &Subject, recipe: &str, inputs: &[&[u8]]) -> Result<Vec<u8>, Error> {
    let gpu = device.gpu();
    let plan = subject.spec.plan(&device.planner, Some(recipe))?;
    let program = plan.program();
    let in_place = program.placement() == Placement::InPlace;
    let words = |bytes: &[u8]| -> Vec<u32> {
        let mut whole = bytes.to_vec();
        whole.resize(bytes.len().next_multiple_of(4), 0);
        bytemuck::pod_collect_to_vec(&whole)
    };
    let guarded = |words: &[u32]| [&GUARD, words, &GUARD].concat();
    let inputs: Vec<Vec<u32>> = inputs.iter().map(|input| words(input)).collect();
    let bytes = |words: usize, slot_bytes: u64| {
        assert!(slot_bytes.div_ceil(4) as usize == words, "{program}");
        slot_bytes as usize
    };
    let before = if in_place { inputs[0].clone() } else { vec![UNWRITTEN; program.output().bytes().div_ceil(4) as usize] };
    let offset = size_of_val(&GUARD) as u64;
    let mut after = Vec::new();
    for _ in 0..if program.workspace_bytes() > 0 { 2 } else { 1 } {
        let target = gpu.upload(&guarded(&before))?;
        let sources = inputs.iter().map(|input| gpu.upload(&guarded(input))).collect::<Result<Vec<_>, _>>()?;
        let target_view = View::<u8>::new(target.buffer(), offset, bytes(before.len(), program.output().bytes()))?;
        let mut views = Vec::new();
        if !in_place {
            for ((source, input), array) in sources.iter().zip(&inputs).zip(program.inputs()) {
                views.push(View::<u8>::new(source.buffer(), offset, bytes(input.len(), array.bytes()))?);
            }
        }
        let bound = plan.bind(&views, target_view, &FragmentArrays::new())?;
        let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        bound.encode(&mut encoder)?;
        gpu.queue().submit([encoder.finish()]);
        for (source, input) in sources.iter().zip(&inputs) {
            assert!(gpu.download(source)?.wait()? == guarded(input), "it changed its input");
        }
        after = gpu.download(&target)?.wait()?;
    }
    let (head, rest) = after.split_at(GUARD.len());
    let (body, tail) = rest.split_at(rest.len() - GUARD.len());
    assert!(head == GUARD && tail == GUARD, "it wrote past its output");
    let (before, body): (&[u8], &[u8]) = (bytemuck::cast_slice(&before), bytemuck::cast_slice(body));
    let used = program.output().bytes() as usize;
    assert_eq!(body[used..], before[used..], "it wrote past its output, into the rest of a word");
    Ok(body.to_vec())
}
