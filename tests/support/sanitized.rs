//! Runs programs without a device: the texts that the device would get, under all checks of
//! wgsl-sanitizer.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

use wgpu_fft::low_level::{self, Access, Dispatch, Slot};
use wgpu_fft::plan::Placement;
use wgpu_fft::{Element, Program};
use wgsl_sanitizer::{Binding, Buffer, BufferId, Config, FindingKind, Kernel, Memory, Report, Shader};

/// The content of an array before it is written: a NaN that no arithmetic produces.
pub const UNWRITTEN: u32 = 0x7fc0_dead;

/// Runs programs on the host.
pub trait RunOnHost {
    /// Runs the program and returns its output. It panics at the first finding. Unwritten places of
    /// the output contain [`UNWRITTEN`].
    fn run_on_host<I: Element, O: Element>(&self, input: &[I]) -> Vec<O>;

    /// The same for a program with two inputs.
    fn run_two_on_host<I: Element, O: Element>(&self, x: &[I], y: &[I]) -> Vec<O>;
}

impl RunOnHost for Program {
    fn run_on_host<I: Element, O: Element>(&self, input: &[I]) -> Vec<O> {
        run(self, &[input], 1, 1)
    }

    fn run_two_on_host<I: Element, O: Element>(&self, x: &[I], y: &[I]) -> Vec<O> {
        run(self, &[x, y], 1, 1)
    }
}

/// Runs a program in an order determined by a seed. Subgroups are `subgroups` times as large as the
/// least that its text allows, if it allows other sizes.
pub fn run<I: Element, O: Element>(program: &Program, inputs: &[&[I]], seed: u64, subgroups: u32) -> Vec<O> {
    run_with(program, inputs, &[], seed, subgroups)
}

/// The same with arrays and uniforms for what fragments declare.
pub fn run_with<I: Element, O: Element>(
    program: &Program,
    inputs: &[&[I]],
    declared: &[(&str, &[u8])],
    seed: u64,
    subgroups: u32,
) -> Vec<O> {
    for (input, array) in inputs.iter().zip(program.inputs()) {
        assert_eq!((input.len(), size_of::<I>()), (array.len, array.element_bytes), "{program}");
    }
    assert_eq!(size_of::<O>(), program.output().element_bytes, "{program}");
    let inputs: Vec<&[u8]> = inputs.iter().map(|input| bytemuck::cast_slice(input)).collect();
    let mut arrays = Arrays::new(program, &inputs);
    arrays.declare(declared);
    for dispatch in low_level::dispatches(program) {
        arrays.dispatch(dispatch, seed, subgroup_size(dispatch, subgroups));
    }
    let mut output: Vec<O> = bytemuck::pod_collect_to_vec(&arrays.words(Slot::Output));
    output.truncate(program.output().len);
    output
}

/// The arrays of a program on the host, between two of its dispatches.
pub struct Arrays<'a> {
    program: &'a Program,
    memory: Memory,
    buffers: HashMap<Slot, BufferId>,
}

impl<'a> Arrays<'a> {
    /// The arrays before the first dispatch.
    pub fn new(program: &'a Program, inputs: &[&[u8]]) -> Self {
        assert_eq!(inputs.len(), program.inputs().len(), "{program}");
        let mut memory = Memory::new();
        let poisoned = |bytes: u64| Buffer::from_slice(&vec![UNWRITTEN; bytes.div_ceil(4) as usize]);
        let unwritten = |bytes: u64| {
            let mut buffer = poisoned(bytes);
            buffer.mark_unwritten();
            buffer
        };
        let filled = |data: &[u8], bytes: u64| {
            let mut buffer = Buffer::zeros(bytes);
            buffer.write(0, data);
            buffer
        };
        let mut buffers = HashMap::new();
        let in_place = program.placement() == Placement::InPlace;
        let output = if in_place {
            filled(inputs[0], low_level::bytes(program, Slot::Output))
        } else if program.output().element_bytes < 4 {
            // Words are shared: at the ends, some bytes belong to others and must not change.
            poisoned(low_level::bytes(program, Slot::Output))
        } else {
            unwritten(low_level::bytes(program, Slot::Output))
        };
        buffers.insert(Slot::Output, memory.add(output));
        if !in_place {
            for (i, data) in inputs.iter().enumerate() {
                buffers.insert(Slot::Input(i), memory.add(filled(data, low_level::bytes(program, Slot::Input(i)))));
            }
        }
        for i in 0..low_level::workspaces(program).len() {
            // Atomics that join parts start as zeros, like all buffers of wgpu.
            let joins = low_level::dispatches(program)
                .iter()
                .any(|dispatch| dispatch.binds.iter().any(|bind| bind.begins_as_zeros() && bind.slot == Slot::Workspace(i)));
            let bytes = low_level::bytes(program, Slot::Workspace(i));
            buffers.insert(Slot::Workspace(i), memory.add(if joins { Buffer::zeros(bytes) } else { unwritten(bytes) }));
        }
        for (i, table) in low_level::tables(program).iter().enumerate() {
            buffers.insert(Slot::Table(i), memory.add(Buffer::from_slice(&table.words())));
        }
        Self { program, memory, buffers }
    }

    /// Adds the arrays and uniforms that fragments declare.
    fn declare(&mut self, declared: &[(&str, &[u8])]) {
        for (i, name) in low_level::declared(self.program).enumerate() {
            let (_, data) = declared.iter().find(|(own, _)| *own == name).unwrap_or_else(|| panic!("nothing for `{name}`"));
            let mut buffer = Buffer::zeros(low_level::bytes(self.program, Slot::Declared(i)));
            buffer.write(0, data);
            self.buffers.insert(Slot::Declared(i), self.memory.add(buffer));
        }
    }

    /// The content of an array.
    pub fn words(&self, slot: Slot) -> Vec<u32> {
        self.memory[self.buffers[&slot]].to_vec()
    }

    /// Runs a dispatch. Panics if the sanitizer finds anything.
    pub fn dispatch(&mut self, dispatch: &Dispatch, seed: u64, subgroup_size: u32) {
        let program = self.program;
        let report = self.report(dispatch, seed, subgroup_size).unwrap_or_else(|error| panic!("{error}\n{program}\nin {dispatch}"));
        assert!(report.is_clean(), "{report}\n{program}\nin {dispatch}\n{}", dispatch.wgsl());
    }

    /// Runs a dispatch, and returns what the sanitizer finds.
    fn report(&mut self, dispatch: &Dispatch, seed: u64, subgroup_size: u32) -> Result<Report, wgsl_sanitizer::Error> {
        let program = self.program;
        let params = self.memory.add(Buffer::from_slice(&dispatch.params));
        let mut bindings = vec![Binding::whole(0, 0, params)];
        bindings.extend(dispatch.binds.iter().map(|bind| {
            let (first, bytes) = bind.range.unwrap_or((0, low_level::bytes(program, bind.slot)));
            assert!(bind.access != Access::ReadWrite || !matches!(bind.slot, Slot::Input(_)), "{dispatch} writes to the input");
            Binding::part(0, bind.binding, self.buffers[&bind.slot], first, bytes)
        }));
        // In place, every store depends on what was loaded from the same place: the value is a sum
        // over all elements of its line, or came through workgroup memory after a barrier that
        // follows all loads. So no device stores too early.
        let is_in_place = dispatch.binds.iter().any(|bind| bind.name == "data");
        let config = Config { seed, subgroup_size, later_writes_race: !is_in_place, ..Config::default() };
        let grid = [dispatch.grid.x, dispatch.grid.y, 1];
        compiled(dispatch)?.dispatch(grid, &mut self.memory, &bindings, &config)
    }
}

/// What a program stores, and what the sanitizer finds.
pub struct Outcome {
    pub words: Vec<u32>,
    pub findings: Vec<FindingKind>,
}

/// Runs a program whose text may do what it should not. Fails where it is no WGSL.
pub fn outcome(program: &Program, input: &[u8], declared: &[(&str, &[u8])]) -> Result<Outcome, wgsl_sanitizer::Error> {
    let mut arrays = Arrays::new(program, &[input]);
    arrays.declare(declared);
    let mut findings = Vec::new();
    for dispatch in low_level::dispatches(program) {
        let report = arrays.report(dispatch, 1, subgroup_size(dispatch, 1))?;
        findings.extend(report.findings().iter().map(|finding| finding.kind.clone()));
    }
    Ok(Outcome { words: arrays.words(Slot::Output), findings })
}

/// `times` times the least subgroup size with which a text works, which is twice the largest
/// distance between lanes that exchange values. `fft/lanes` requires 8.
pub fn subgroup_size(dispatch: &Dispatch, times: u32) -> u32 {
    if dispatch.kernel.name == "fft/lanes" {
        return 8;
    }
    let text = dispatch.wgsl();
    let distances = text.match_indices("subgroupShuffleDown(").filter_map(|(at, _)| {
        let arguments = text[at..].split_once(')')?.0;
        arguments.rsplit([' ', ',']).next()?.trim_end_matches('u').parse::<u32>().ok()
    });
    let least = distances.max().map_or(1, |distance| 2 * distance);
    (least.next_power_of_two() * times).min(128)
}

/// A cache of compiled kernels.
fn compiled(dispatch: &Dispatch) -> Result<Kernel, wgsl_sanitizer::Error> {
    const MOST: usize = 2000;
    type Key = (String, Vec<(&'static str, u64)>);
    static KERNELS: LazyLock<Mutex<HashMap<Key, Kernel>>> = LazyLock::new(Mutex::default);
    let overrides: Vec<_> = dispatch.overrides.iter().map(|&(name, value)| (name, value.as_f64())).collect();
    let key = (dispatch.wgsl(), overrides.iter().map(|&(name, value)| (name, value.to_bits())).collect());
    let lock = || KERNELS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(kernel) = lock().get(&key) {
        return Ok(kernel.clone());
    }
    let kernel = Shader::new(&key.0)?.entry("main")?.with_overrides(overrides.iter().copied()).compile()?;
    let mut kernels = lock();
    if kernels.len() >= MOST {
        kernels.clear();
    }
    kernels.insert(key, kernel.clone());
    Ok(kernel)
}
