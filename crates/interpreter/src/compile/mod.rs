//! From naga's IR to a `Program`.
//!
//! Functions are inlined where they are called: WGSL has no recursion, and a pointer that is an
//! argument is then known when compiling. Vectors, matrices and structs are lists of scalars, so
//! that taking them apart and putting them together costs nothing.

mod allocate;
mod expression;
mod flow;
mod math;
mod operator;
mod place;
pub(crate) mod shape;
mod subgroup;

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{Expression, Function, GlobalVariable, Handle, LocalVariable, Module, Span};

use crate::error::Error;
use crate::ops::{Kernel, Kind, Reg};
use crate::program::{Builtin, Instr, Mask, Program, Site, SiteId, Slot};
use place::Place;
use shape::{Shape, Types, unsupported};

/// What an expression stands for while compiling.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// One register for each scalar, the first of two for scalars of 64 bits.
    Scalars(Rc<[Reg]>),
    Pointer(Rc<Place>),
}

/// A function that is being inlined.
struct Frame<'m> {
    function: &'m Function,
    info: &'m FunctionInfo,
    values: Vec<Option<Value>>,
    arguments: Vec<Value>,
    locals: HashMap<Handle<LocalVariable>, Reg>,
    /// Where `return` puts its value, and the mask of those who have returned.
    result: Vec<(Reg, Kind)>,
    returns: Mask,
    /// A function whose only `return` is its last statement needs no mask.
    plain: bool,
    plain_result: Option<Value>,
    caller: Option<SiteId>,
}

/// What `break` and `continue` leave.
struct Breakable {
    breaks: Mask,
    continues: Option<Mask>,
}

/// A run of registers that belong together, and are allocated together.
struct Unit {
    first: Reg,
    words: u32,
    /// Holds its value from before the first instruction, or past the last.
    pinned: bool,
}

pub(crate) struct Compiler<'m> {
    module: &'m Module,
    info: &'m ModuleInfo,
    types: Types<'m>,
    program: Program,
    units: Vec<Unit>,
    /// Registers of constants, by their bits and words.
    constants: HashMap<(u64, u32), Reg>,
    /// The bits of registers that hold constants.
    known: HashMap<Reg, u64>,
    builtins: HashMap<Builtin, Reg>,
    globals: HashMap<Handle<GlobalVariable>, Rc<Place>>,
    global_values: HashMap<Handle<Expression>, Value>,
    frames: Vec<Frame<'m>>,
    /// Jumps to the end of each construct around the present place, which are given their target
    /// there.
    joins: Vec<Vec<usize>>,
    breakables: Vec<Breakable>,
    /// First and last instructions of loops.
    loops: Vec<(u32, u32)>,
    span: Span,
    depth: usize,
}

/// Instructions that a program may have. Inlining multiplies; nobody wants to wait for more.
const MAX_INSTRUCTIONS: usize = 1 << 22;

/// Register 0 holds zeros.
pub(crate) const ZERO: Reg = 0;

/// Compiles the entry point with this index, whose overrides have been given values.
pub(crate) fn compile(module: &Module, info: &ModuleInfo, entry: usize, source: &Arc<str>) -> Result<Program, Error> {
    let point = &module.entry_points[entry];
    let program = Program {
        code: Vec::new(),
        accesses: Vec::new(),
        sites: Vec::new(),
        slots: Vec::new(),
        registers: 0,
        masks: 0,
        constants: Vec::new(),
        builtins: Vec::new(),
        workgroup_words: 0,
        workgroup_size: point.workgroup_size,
        halves: false,
        source: source.clone(),
    };
    let mut compiler = Compiler {
        module,
        info,
        types: Types { module },
        program,
        units: Vec::new(),
        constants: HashMap::new(),
        known: HashMap::new(),
        builtins: HashMap::new(),
        globals: HashMap::new(),
        global_values: HashMap::new(),
        frames: Vec::new(),
        joins: Vec::new(),
        breakables: Vec::new(),
        loops: Vec::new(),
        span: Span::UNDEFINED,
        depth: 0,
    };
    let result = compiler.entry(entry);
    let line = compiler.span.to_range().map_or(0, |_| compiler.span.location(source).line_number);
    match result {
        Ok(()) => Ok(compiler.finish()),
        Err(Error::Unsupported { what, line: 0 }) => Err(Error::Unsupported { what, line }),
        Err(e) => Err(e),
    }
}

impl<'m> Compiler<'m> {
    fn entry(&mut self, entry: usize) -> Result<(), Error> {
        let zero = self.word(0);
        debug_assert_eq!(zero, ZERO);
        let point = &self.module.entry_points[entry];
        let info = self.info.get_entry_point(entry);
        let mut arguments = Vec::new();
        for argument in &point.function.arguments {
            arguments.push(self.entry_argument(argument)?);
        }
        for (handle, variable) in self.module.global_variables.iter() {
            if !info[handle].is_empty() {
                self.span = self.module.global_variables.get_span(handle);
                self.global(handle, variable)?;
            }
        }
        self.inline(&point.function, info, arguments, None)?;
        self.emit(Instr::End);
        Ok(())
    }

    fn entry_argument(&mut self, argument: &naga::FunctionArgument) -> Result<Value, Error> {
        let mut registers = Vec::new();
        match (&argument.binding, &self.module.types[argument.ty].inner) {
            (Some(binding), _) => self.builtin(binding, &mut registers)?,
            (None, naga::TypeInner::Struct { members, .. }) => {
                for member in members {
                    let binding = member.binding.as_ref().ok_or_else(|| unsupported("an argument without a builtin"))?;
                    self.builtin(binding, &mut registers)?;
                }
            }
            _ => return Err(unsupported("an argument without a builtin")),
        }
        Ok(Value::Scalars(registers.into()))
    }

    fn builtin(&mut self, binding: &naga::Binding, registers: &mut Vec<Reg>) -> Result<(), Error> {
        use naga::BuiltIn as B;
        let naga::Binding::BuiltIn(builtin) = binding else {
            return Err(unsupported("Binding::Location in a compute shader"));
        };
        let triple: fn(u8) -> Builtin = match builtin {
            B::GlobalInvocationId => Builtin::GlobalInvocation,
            B::LocalInvocationId => Builtin::LocalInvocation,
            B::WorkGroupId => Builtin::Workgroup,
            B::NumWorkGroups => Builtin::Workgroups,
            B::WorkGroupSize => {
                for size in self.program.workgroup_size {
                    registers.push(self.word(size));
                }
                return Ok(());
            }
            single => {
                let single = match single {
                    B::LocalInvocationIndex => Builtin::LocalIndex,
                    B::SubgroupSize => Builtin::SubgroupSize,
                    B::SubgroupInvocationId => Builtin::SubgroupInvocation,
                    B::SubgroupId => Builtin::Subgroup,
                    B::NumSubgroups => Builtin::Subgroups,
                    other => return Err(unsupported(format!("BuiltIn::{other:?}"))),
                };
                registers.push(self.builtin_register(single));
                return Ok(());
            }
        };
        for axis in 0..3 {
            registers.push(self.builtin_register(triple(axis)));
        }
        Ok(())
    }

    fn builtin_register(&mut self, builtin: Builtin) -> Reg {
        if let Some(&register) = self.builtins.get(&builtin) {
            return register;
        }
        let register = self.registers(1, true);
        self.builtins.insert(builtin, register);
        register
    }

    /// Takes a variable of the module in.
    fn global(&mut self, handle: Handle<GlobalVariable>, variable: &GlobalVariable) -> Result<(), Error> {
        use crate::program::Root;
        use naga::AddressSpace as Space;
        let shape = self.types.shape(variable.ty)?;
        let name: Arc<str> = variable.name.as_deref().unwrap_or("?").into();
        let (root, offset) = match variable.space {
            Space::Uniform | Space::Storage { .. } | Space::Immediate => {
                let slot = self.program.slots.len() as u32;
                let writable = matches!(variable.space, Space::Storage { access } if access.contains(naga::StorageAccess::STORE));
                let binding = variable.binding.as_ref().map(|b| (b.group, b.binding));
                let inner = &self.module.types[variable.ty].inner;
                self.program.halves |= self.has_halves(shape)?;
                self.program.slots.push(Slot { name: name.clone(), binding, writable, least_bytes: inner.size(self.module.to_ctx()) });
                (Root::Buffer(slot), 0)
            }
            Space::WorkGroup => {
                let first = self.program.workgroup_words;
                let words = self.types.words(shape)?;
                self.program.workgroup_words = first
                    .checked_add(words)
                    .filter(|&w| w <= 1 << 26)
                    .ok_or_else(|| unsupported("more than 256 MiB of workgroup memory"))?;
                (Root::Workgroup, first)
            }
            Space::Private => {
                let words = self.types.words(shape)?;
                let first = self.registers(words, true);
                let init = match variable.init {
                    Some(init) => self.global_value(init)?,
                    None => self.zero(shape)?,
                };
                self.initialise(first, shape, &init)?;
                (Root::Registers(first), 0)
            }
            space => return Err(unsupported(format!("AddressSpace::{}", shape::variant(&space)))),
        };
        self.globals.insert(handle, Rc::new(Place { root, offset, steps: Vec::new(), shape, name }));
        Ok(())
    }

    /// Stores a value in registers of a variable, for all active lanes.
    fn initialise(&mut self, first: Reg, shape: Shape, value: &Value) -> Result<(), Error> {
        let Value::Scalars(values) = value else { return Err(unsupported("a variable that holds a pointer")) };
        let mut to = first;
        for (&(_, kind), &from) in self.types.scalars(shape)?.iter().zip(values.iter()) {
            self.assign(to, from, kind);
            to += kind.words();
        }
        Ok(())
    }

    /// Copies a scalar for the active lanes.
    fn assign(&mut self, to: Reg, from: Reg, kind: Kind) {
        for word in 0..kind.words() {
            self.emit(Instr::Move { to: to + word, from: from + word, masked: true });
        }
    }

    fn has_halves(&self, shape: Shape) -> Result<bool, Error> {
        Ok(match shape {
            Shape::Scalar(kind) | Shape::Atomic(kind) | Shape::Vector { kind, .. } | Shape::Matrix { kind, .. } => kind == Kind::F16,
            Shape::Array { base, .. } => self.has_halves(self.types.shape(base)?)?,
            Shape::Struct(_) => {
                let mut any = false;
                for i in 0..self.types.children(shape) {
                    any |= self.has_halves(self.types.child(shape, i)?.0)?;
                }
                any
            }
        })
    }

    fn emit(&mut self, instr: Instr) -> usize {
        self.program.code.push(instr);
        self.program.code.len() - 1
    }

    fn here(&self) -> u32 {
        self.program.code.len() as u32
    }

    fn registers(&mut self, words: u32, pinned: bool) -> Reg {
        let first = self.program.registers;
        self.program.registers += words;
        self.units.push(Unit { first, words, pinned });
        first
    }

    fn temporary(&mut self, kind: Kind) -> Reg {
        self.registers(kind.words(), false)
    }

    fn mask(&mut self) -> Mask {
        self.program.masks += 1;
        self.program.masks - 1
    }

    /// The register of a constant word.
    fn word(&mut self, word: u32) -> Reg {
        self.constant(word as u64, 1)
    }

    fn constant(&mut self, bits: u64, words: u32) -> Reg {
        if let Some(&register) = self.constants.get(&(bits, words)) {
            return register;
        }
        let register = self.registers(words, true);
        for i in 0..words {
            self.program.constants.push((register + i, (bits >> (32 * i)) as u32));
        }
        self.constants.insert((bits, words), register);
        self.known.insert(register, bits);
        register
    }

    /// The present place in the text.
    fn site(&mut self) -> SiteId {
        let caller = self.frames.last().and_then(|frame| frame.caller);
        let site = Site { span: self.span, caller };
        if let Some(last) = self.program.sites.last()
            && last.span == site.span
            && last.caller == site.caller
        {
            return self.program.sites.len() as u32 - 1;
        }
        self.program.sites.push(site);
        self.program.sites.len() as u32 - 1
    }

    fn compute(&mut self, kernel: Option<Kernel>, result: Kind, sources: &[Reg], what: &dyn std::fmt::Debug) -> Result<Reg, Error> {
        let kernel = kernel.ok_or_else(|| unsupported(format!("{what:?} of this type")))?;
        let to = self.temporary(result);
        let mut r = [ZERO; 5];
        r[0] = to;
        r[1..=sources.len()].copy_from_slice(sources);
        self.emit(Instr::Compute { kernel, r, float: result.is_float().then_some(result) });
        Ok(to)
    }

    fn frame(&mut self) -> &mut Frame<'m> {
        self.frames.last_mut().expect("a function is being compiled")
    }

    fn finish(mut self) -> Program {
        self.program.builtins = self.builtins.iter().map(|(&builtin, &register)| (register, builtin)).collect();
        allocate::allocate(&mut self.program, &self.units, &self.loops);
        self.program
    }
}
