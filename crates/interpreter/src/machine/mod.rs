//! Runs a program over a grid of workgroups.

mod access;
mod group;
mod recorder;
mod run;
mod subgroup;

use crate::config::{Config, Random};
use crate::error::Error;
use crate::memory::{Binding, Buffer, Memory};
use crate::ops::LANES;
use crate::program::{Instr, Program, Slot};
use crate::races::{Clock, Shadow};
use crate::report::{FindingKind, Report};

use group::{Group, State, lanes};
use recorder::Recorder;

/// Invocations of a workgroup that the race check has room for. Devices have 1024 at most.
const MAX_INVOCATIONS: u64 = 65_534;

/// What is bound to a variable.
#[derive(Clone, Copy)]
struct Bound {
    buffer: usize,
    /// Bytes.
    offset: u32,
    bytes: u32,
}

pub(crate) struct Machine<'a> {
    program: &'a Program,
    config: &'a Config,
    buffers: &'a mut Vec<Buffer>,
    slots: Vec<Bound>,
    /// Of buffers that the program may write to.
    shadows: Vec<Option<Shadow>>,
    storage_clock: Clock,
    workgroup_words: Vec<u32>,
    workgroup_written: Vec<u8>,
    workgroup_shadow: Shadow,
    workgroup_clock: Clock,
    recorder: Recorder<'a>,
    random: Random,
    /// The lane that comes first in an atomic operation.
    atomic_turn: usize,
    steps: u64,
}

/// Runs `program` on a grid of workgroups.
pub(crate) fn dispatch(
    program: &Program,
    grid: [u32; 3],
    memory: &mut Memory,
    bindings: &[Binding],
    config: &Config,
) -> Result<Report, Error> {
    check_config(config)?;
    let invocations = program.workgroup_size.iter().map(|&n| n as u64).product::<u64>();
    if invocations == 0 || invocations > MAX_INVOCATIONS {
        return Err(Error::Config(format!("a workgroup must have 1 to {MAX_INVOCATIONS} invocations, not {invocations}")));
    }
    let immediates = memory.buffers.len();
    memory.buffers.push(Buffer::from_slice(&config.immediates));
    let result = bind(program, memory, bindings, immediates).map(|slots| {
        let mut machine = Machine::new(program, config, memory, slots);
        machine.run(grid);
        machine.recorder.finish(machine.steps, &program.source)
    });
    memory.buffers.truncate(immediates);
    result
}

fn check_config(config: &Config) -> Result<(), Error> {
    let size = config.subgroup_size;
    let most = LANES as u32;
    if !size.is_power_of_two() || size > most {
        return Err(Error::Config(format!("the subgroup size must be a power of two, at most {most}, not {size}")));
    }
    if !config.lockstep.is_multiple_of(size) || config.lockstep > most {
        return Err(Error::Config(format!(
            "lockstep must be a multiple of the subgroup size {size}, at most {most}, not {}",
            config.lockstep
        )));
    }
    Ok(())
}

fn bind(program: &Program, memory: &Memory, bindings: &[Binding], immediates: usize) -> Result<Vec<Bound>, Error> {
    program
        .slots
        .iter()
        .map(|slot| {
            let variable = slot.name.to_string();
            let binding = match slot.binding {
                None => Binding { group: 0, binding: 0, buffer: crate::memory::BufferId(immediates), offset: 0, size: None },
                Some((group, binding)) => *bindings
                    .iter()
                    .find(|b| (b.group, b.binding) == (group, binding))
                    .ok_or_else(|| Error::MissingBinding { group, binding, variable: variable.clone() })?,
            };
            bound(slot, memory, &binding)
        })
        .collect()
}

fn bound(slot: &Slot, memory: &Memory, binding: &Binding) -> Result<Bound, Error> {
    let variable = slot.name.to_string();
    let buffer = binding.buffer.0;
    let size = memory.buffers.get(buffer).map_or(0, Buffer::size);
    let available = binding.size.unwrap_or(size.saturating_sub(binding.offset));
    let end = binding.offset.saturating_add(available);
    if end > size || !binding.offset.is_multiple_of(4) || end > u32::MAX as u64 {
        return Err(Error::BadRange { variable, offset: binding.offset, end, size });
    }
    let required = slot.least_bytes as u64;
    if available < required {
        return Err(Error::BindingTooShort { variable, required, available });
    }
    Ok(Bound { buffer, offset: binding.offset as u32, bytes: available as u32 })
}

impl<'a> Machine<'a> {
    fn new(program: &'a Program, config: &'a Config, memory: &'a mut Memory, slots: Vec<Bound>) -> Self {
        let shift = if program.halves { 1 } else { 2 };
        let mut shadows: Vec<Option<Shadow>> = memory.buffers.iter().map(|_| None).collect();
        for (slot, bound) in program.slots.iter().zip(&slots) {
            if slot.writable {
                shadows[bound.buffer] = Some(Shadow::new((memory.buffers[bound.buffer].words.len() * 4) >> shift));
            }
        }
        let words = program.workgroup_words as usize;
        Self {
            program,
            config,
            buffers: &mut memory.buffers,
            slots,
            shadows,
            storage_clock: Clock { now: 0, workgroup: 0, shared: true },
            workgroup_words: vec![0; words],
            workgroup_written: vec![0; words],
            workgroup_shadow: Shadow::new(words),
            workgroup_clock: Clock::default(),
            recorder: Recorder::new(program, config.max_findings),
            random: Random::new(config.seed),
            atomic_turn: 0,
            steps: 0,
        }
    }

    fn run(&mut self, grid: [u32; 3]) {
        let invocations: u32 = self.program.workgroup_size.iter().product();
        let lockstep = if self.config.lockstep == 0 { self.config.subgroup_size.max(64) } else { self.config.lockstep };
        let mut groups: Vec<Group> = (0..invocations)
            .step_by(lockstep as usize)
            .map(|first| Group::new(self.program, self.config, first, lockstep.min(invocations - first)))
            .collect();
        let count = grid.iter().map(|&n| n as u64).product::<u64>();
        let mut order: Vec<u64> = (0..count).collect();
        if self.config.seed != 0 {
            self.random.shuffle(&mut order);
        }
        for index in order {
            let (x, y) = (grid[0] as u64, grid[1] as u64);
            let workgroup = [(index % x) as u32, (index / x % y) as u32, (index / x / y) as u32];
            self.workgroup(&mut groups, workgroup, grid);
        }
    }

    fn workgroup(&mut self, groups: &mut [Group], workgroup: [u32; 3], grid: [u32; 3]) {
        for clock in [&mut self.storage_clock, &mut self.workgroup_clock] {
            clock.now += 1;
            clock.workgroup = clock.now;
        }
        self.recorder.workgroup = workgroup;
        self.recorder.starts.push((self.storage_clock.now, workgroup));
        access::start_workgroup_memory(&mut self.workgroup_words, &mut self.workgroup_written, self.config.zero_workgroup_memory);
        for group in groups.iter_mut() {
            group.start(self.program, workgroup, grid);
        }
        let mut order: Vec<usize> = (0..groups.len()).collect();
        loop {
            if self.config.seed != 0 {
                self.random.shuffle(&mut order);
                self.atomic_turn = (self.random.next() % LANES as u64) as usize;
            }
            for &i in &order {
                if groups[i].state == State::Running {
                    self.run_group(&mut groups[i]);
                }
            }
            if groups.iter().any(|g| g.state == State::Running) {
                continue;
            }
            if groups.iter().all(|g| g.state == State::Done) {
                return;
            }
            self.meet(groups);
        }
    }

    /// All groups wait at a barrier or are done.
    fn meet(&mut self, groups: &mut [Group]) {
        let Some(at) = groups.iter().find_map(|g| if let State::Waiting(at) = g.state { Some(at) } else { None }) else { return };
        let expected: u32 = groups.iter().map(|g| g.all.count_ones()).sum();
        let here = |g: &Group| if g.state == State::Waiting(at) { g.active } else { 0 };
        let arrived: u32 = groups.iter().map(|g| here(g).count_ones()).sum();
        if arrived != expected
            && let Instr::Barrier { site, .. } = self.program.code[at as usize]
            && let Some((g, lane)) = groups.iter().find_map(|g| lanes(g.all & !here(g)).next().map(|lane| (g, lane)))
        {
            // The first mask is that of invocations that have returned from the entry point.
            let returned = g.state == State::Done || g.masks[0] >> lane & 1 == 1;
            self.recorder.report(site, g.first + lane as u32, FindingKind::DivergentBarrier { arrived, expected, returned });
        }
        let (mut workgroup, mut storage) = (false, false);
        for g in groups {
            if let State::Waiting(at) = g.state {
                if let Instr::Barrier { workgroup: w, storage: s, .. } = self.program.code[at as usize] {
                    workgroup |= w;
                    storage |= s;
                }
                g.state = State::Running;
            }
        }
        self.workgroup_clock.now += workgroup as u32;
        self.storage_clock.now += storage as u32;
    }
}
