//! What WGSL of a caller's is proven to do: on what naga makes of it, in which every name is
//! resolved and every constant is computed. Kernels that contain it may run without wgpu's checks
//! of indices and loops.

use std::collections::BTreeSet;

use naga::valid::{Capabilities, FunctionInfo, ModuleInfo, ValidationFlags, Validator};
use naga::{
    AddressSpace, BinaryOperator, Block, Expression, Function, Handle, Literal, LocalVariable, Module, ScalarKind, Span, Statement,
    StorageAccess, TypeInner,
};

/// Turns of all loops that a call goes through: those of loops in a row are added, those of loops
/// within one another multiplied, also in functions that are called.
const MAX_TURNS: u64 = 65_536;
/// Calls of functions in the text, where each function that is called counts with its own.
/// Compilers for GPUs put the text of a function in place of each call.
const MAX_CALLS: u64 = 4096;
/// Calls that are made when it runs, those in loops as often as the loop turns.
const MAX_CALLS_MADE: u64 = 1 << 20;
/// Of a value, and of all variables of a function: WGSL promises no more.
const MAX_BYTES: u64 = 8192;
/// Of all arrays in variables, where those of a function count for each of its calls.
const MAX_BYTES_OF_ARRAYS: u64 = 65_536;

/// A module that naga accepts, and what it knows of its types.
pub(crate) struct Parsed {
    pub module: Module,
    info: ModuleInfo,
}

/// Why a text is refused, and where.
#[derive(Debug)]
pub(crate) enum Refusal {
    Wrong { span: Option<Span>, why: String },
    Limit { what: &'static str, limit: &'static str, required: u64, available: u64 },
}

type Result<T> = std::result::Result<T, Refusal>;

fn wrong<T>(span: Span, why: impl Into<String>) -> Result<T> {
    Err(Refusal::Wrong { span: Some(span), why: why.into() })
}

fn within(what: &'static str, limit: &'static str, required: u64, available: u64) -> Result<()> {
    if required <= available { Ok(()) } else { Err(Refusal::Limit { what, limit, required, available }) }
}

/// Parses a text and checks it by WGSL's rules. An error has its first place that `is_own`, and
/// comes with naga's own picture of it.
pub(crate) fn parsed(text: &str, is_own: impl Fn(Span) -> bool) -> std::result::Result<Parsed, (Refusal, String)> {
    let module = naga::front::wgsl::parse_str(text).map_err(|error| {
        let note = error.labels().map(|(_, label)| label.to_owned()).find(|label| !label.is_empty());
        let span = error.labels().next().map(|(span, _)| span);
        let why = match note {
            Some(note) if !error.message().contains(&note) => format!("{}: {note}", error.message()),
            _ => error.message().to_owned(),
        };
        (Refusal::Wrong { span, why }, error.emit_to_string(text))
    })?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::SHADER_FLOAT16_IN_FLOAT32);
    let info = validator.validate(&module).map_err(|error| {
        let span = error.spans().map(|(span, _)| *span).find(|span| is_own(*span));
        let mut why = error.as_inner().to_string();
        let mut source = std::error::Error::source(error.as_inner());
        while let Some(cause) = source {
            why += &format!(": {cause}");
            source = cause.source();
        }
        (Refusal::Wrong { span, why }, error.emit_to_string(text))
    })?;
    Ok(Parsed { module, info })
}

/// What a call of a function takes.
#[derive(Clone, Copy, Default, Debug)]
struct Cost {
    calls: u64,
    calls_made: u64,
    turns: u64,
    bytes_of_arrays: u64,
}

impl Cost {
    /// This, and then the other.
    fn then(self, other: Self) -> Self {
        Self {
            calls_made: self.calls_made.saturating_add(other.calls_made),
            turns: self.turns.saturating_add(other.turns),
            ..self.or(other)
        }
    }

    /// One of both.
    fn or(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            calls_made: self.calls_made.max(other.calls_made),
            turns: self.turns.max(other.turns),
            bytes_of_arrays: self.bytes_of_arrays.saturating_add(other.bytes_of_arrays),
        }
    }

    /// This in a loop.
    fn times(self, turns: u64) -> Self {
        Self { calls_made: self.calls_made.saturating_mul(turns), turns: self.turns.max(1).saturating_mul(turns), ..self }
    }
}

impl Parsed {
    /// Proves that the module computes values and does nothing else: it stores to variables of its
    /// functions alone, its loops end, and it stays within the limits above. Returns whether it
    /// indexes memory of its own. Functions that `is_ours` are not looked at and cost nothing.
    pub fn prove(&self, is_ours: impl Fn(&str) -> bool) -> Result<bool> {
        let module = &self.module;
        for (handle, variable) in module.global_variables.iter() {
            let is_read = match variable.space {
                AddressSpace::Storage { access } => access == StorageAccess::LOAD,
                space => space == AddressSpace::Uniform,
            };
            if !is_read {
                return wrong(module.global_variables.get_span(handle), "a fragment has no variables outside of functions");
            }
        }
        if !module.overrides.is_empty() || module.entry_points.len() != 1 {
            return Err(Refusal::Wrong { span: None, why: "`override` and entry points have no place in a fragment".to_owned() });
        }
        let mut costs: Vec<Cost> = Vec::new();
        let mut indexes_memory = false;
        // Functions stand behind those that they call.
        for (handle, function) in module.functions.iter() {
            if function.name.as_deref().is_some_and(&is_ours) {
                costs.push(Cost::default());
                continue;
            }
            let proof = Proof { module, function, info: &self.info[handle], costs: &costs, is_ours: &is_ours };
            indexes_memory |= proof.expressions()?;
            let arrays = Cost { bytes_of_arrays: proof.variables()?, ..Cost::default() };
            let cost = proof.block(&function.body)?.then(arrays);
            within("calls of its functions", "calls of a fragment", cost.calls, MAX_CALLS)?;
            within("calls of its functions in loops", "calls that a fragment makes", cost.calls_made, MAX_CALLS_MADE)?;
            within("iterations of all loops", "iterations of a fragment", cost.turns, MAX_TURNS)?;
            within("bytes of arrays in variables", "bytes of a fragment's arrays", cost.bytes_of_arrays, MAX_BYTES_OF_ARRAYS)?;
            costs.push(cost);
        }
        Ok(indexes_memory)
    }
}

struct Proof<'a> {
    module: &'a Module,
    function: &'a Function,
    info: &'a FunctionInfo,
    /// Of the functions before this one.
    costs: &'a [Cost],
    is_ours: &'a dyn Fn(&str) -> bool,
}

impl Proof<'_> {
    fn bytes(&self, inner: &TypeInner) -> u64 {
        inner.try_size(self.module.to_ctx()).map_or(u64::MAX, u64::from)
    }

    fn type_of(&self, expression: Handle<Expression>) -> &TypeInner {
        self.info[expression].ty.inner_with(&self.module.types)
    }

    fn is_pointer(&self, expression: Handle<Expression>) -> bool {
        matches!(self.type_of(expression), TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. })
    }

    /// Refuses what does more than compute a value. Whether something is indexed by a value that is
    /// not constant; the caller's arrays are read by functions of ours.
    fn expressions(&self) -> Result<bool> {
        let mut indexes_memory = false;
        for (handle, expression) in self.function.expressions.iter() {
            let span = self.function.expressions.get_span(handle);
            match expression {
                Expression::Access { .. } => indexes_memory = true,
                Expression::Literal(_)
                | Expression::Constant(_)
                | Expression::ZeroValue(_)
                | Expression::Compose { .. }
                | Expression::AccessIndex { .. }
                | Expression::Splat { .. }
                | Expression::Swizzle { .. }
                | Expression::FunctionArgument(_)
                | Expression::GlobalVariable(_)
                | Expression::LocalVariable(_)
                | Expression::Load { .. }
                | Expression::Unary { .. }
                | Expression::Binary { .. }
                | Expression::Select { .. }
                | Expression::Relational { .. }
                | Expression::Math { .. }
                | Expression::As { .. }
                | Expression::CallResult(_) => {}
                _ => return wrong(span, "a fragment reads and computes values, and does nothing else"),
            }
            if !self.is_pointer(handle) {
                within("bytes of a value", "bytes of a value", self.bytes(self.type_of(handle)), MAX_BYTES)?;
            }
        }
        for argument in &self.function.arguments {
            if let TypeInner::Pointer { space, .. } = self.module.types[argument.ty].inner
                && !matches!(space, AddressSpace::Function | AddressSpace::Uniform)
            {
                return Err(Refusal::Wrong { span: None, why: "pointers of a fragment are to variables of functions".to_owned() });
            }
        }
        Ok(indexes_memory)
    }

    /// Bytes of all arrays among the variables, and among the values that are indexed, which
    /// compilers put into variables.
    fn variables(&self) -> Result<u64> {
        let all = self.function.local_variables.iter().map(|(_, variable)| &self.module.types[variable.ty].inner);
        let indexed: BTreeSet<Handle<Expression>> = self
            .function
            .expressions
            .iter()
            .filter_map(|(_, expression)| match expression {
                Expression::Access { base, .. } if !self.is_pointer(*base) => Some(*base),
                _ => None,
            })
            .collect();
        let all: Vec<&TypeInner> = all.chain(indexed.into_iter().map(|base| self.type_of(base))).collect();
        let sum = |all: &mut dyn Iterator<Item = &&TypeInner>| all.fold(0u64, |sum, inner| sum.saturating_add(self.bytes(inner)));
        within("bytes of the variables of a function", "bytes of variables", sum(&mut all.iter()), MAX_BYTES)?;
        Ok(sum(&mut all.iter().filter(|inner| matches!(inner, TypeInner::Array { .. } | TypeInner::Struct { .. }))))
    }

    fn block(&self, block: &Block) -> Result<Cost> {
        let mut cost = Cost::default();
        // The last statement that is not a computation.
        let mut before = None;
        for (statement, span) in block.span_iter() {
            let own = match statement {
                Statement::Emit(_) => continue,
                Statement::Break | Statement::Continue | Statement::Return { .. } => Cost::default(),
                Statement::Block(inner) => self.block(inner)?,
                Statement::If { accept, reject, .. } => self.block(accept)?.or(self.block(reject)?),
                Statement::Switch { cases, .. } => {
                    let (mut worst, mut falling) = (Cost::default(), Cost::default());
                    for case in cases {
                        falling = falling.then(self.block(&case.body)?);
                        if !case.fall_through {
                            worst = worst.or(std::mem::take(&mut falling));
                        }
                    }
                    worst.or(falling)
                }
                Statement::Loop { body, continuing, .. } => {
                    let turns = self.turns(body, continuing, before).or_else(|why| wrong(*span, why))?;
                    self.block(body)?.then(self.block(continuing)?).times(turns)
                }
                Statement::Store { pointer, .. } if self.is_to_variable(*pointer) => Cost::default(),
                Statement::Call { function, .. } => {
                    let is_ours = self.module.functions[*function].name.as_deref().is_some_and(self.is_ours);
                    let call = Cost { calls: 1, calls_made: 1, ..Cost::default() };
                    if is_ours { Cost::default() } else { self.costs[function.index()].then(call) }
                }
                Statement::ControlBarrier(_) | Statement::MemoryBarrier(_) => return wrong(*span, "a barrier has no place in a fragment"),
                Statement::Atomic { .. } | Statement::ImageAtomic { .. } => {
                    return wrong(*span, "an atomic operation has no place in a fragment");
                }
                Statement::Kill => return wrong(*span, "`discard` has no place in a fragment"),
                _ => return wrong(*span, "a fragment computes a value, and does nothing else"),
            };
            cost = cost.then(own);
            before = Some(statement);
        }
        Ok(cost)
    }

    /// Whether a pointer is to a variable of this function or of one that calls it.
    fn is_to_variable(&self, pointer: Handle<Expression>) -> bool {
        match self.function.expressions[pointer] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => self.is_to_variable(base),
            Expression::LocalVariable(_) => true,
            Expression::FunctionArgument(i) => matches!(
                self.module.types[self.function.arguments[i as usize].ty].inner,
                TypeInner::Pointer { space: AddressSpace::Function, .. } | TypeInner::ValuePointer { space: AddressSpace::Function, .. }
            ),
            _ => false,
        }
    }

    /// The most turns of a loop that counts a variable up to a constant.
    ///
    /// Its first statement leaves it unless the counter is below the end; the counter is a variable
    /// whose address nobody has, and nothing but one statement at the end of each turn changes it
    /// in the loop: it adds a constant. So whatever the counter is when the loop begins, if it is
    /// at least `first`, there are at most (end - first) / step turns. It is at least that if it is
    /// set right before the loop, or if nothing else ever sets it.
    fn turns(&self, body: &Block, continuing: &Block, before: Option<&Statement>) -> std::result::Result<u64, &'static str> {
        const SHAPE: &str = "a loop must count up to a constant, as `for (var i = 0u; i < 8u; i++)` does, with numbers or constants";
        let (counter, end) = self.head(body).ok_or(SHAPE)?;
        let stores = |block: &Block| {
            let mut count = 0;
            visit(block, &mut |statement| {
                count += usize::from(matches!(statement, Statement::Store { pointer, .. } if self.root(*pointer) == Some(counter)));
            });
            count
        };
        let pointers = |handle: &Handle<Expression>| self.root(*handle) == Some(counter) && self.is_pointer(*handle);
        let mut is_given_away = false;
        visit(&self.function.body, &mut |statement| {
            if let Statement::Call { arguments, .. } = statement {
                is_given_away |= arguments.iter().any(pointers);
            }
        });
        if is_given_away || stores(body) > 0 || stores(continuing) > 1 {
            return Err("the counter of a loop must not be changed in its body, and no pointer to it may be passed to a function");
        }
        let step = self.step(continuing, counter).ok_or(SHAPE)?;
        let first = match before {
            Some(Statement::Store { pointer, value }) if self.is_variable(*pointer, counter) => self.constant(*value).ok_or(SHAPE)?,
            _ if stores(&self.function.body) == 1 => {
                self.function.local_variables[counter].init.map_or(Some(0), |init| self.constant(init)).ok_or(SHAPE)?
            }
            _ => return Err(SHAPE),
        };
        if step < 1 {
            return Err("the step of a loop must be at least 1");
        }
        // A counter of 32 bits that goes past its largest value begins again, and the loop never
        // ends.
        if end.saturating_add(step) > i64::from(i32::MAX) {
            return Err("the bound and the step of a loop must add up to less than 2147483648");
        }
        Ok(u64::try_from((end - first).max(0)).unwrap_or(0).div_ceil(step.unsigned_abs()))
    }

    /// The counter and the end of a loop that goes on while the counter is below the end.
    fn head(&self, body: &Block) -> Option<(Handle<LocalVariable>, i64)> {
        let is_computed = |block: &[&Statement], handle| {
            block.iter().any(|statement| matches!(statement, Statement::Emit(range) if range.clone().any(|own| own == handle)))
        };
        let statements: Vec<&Statement> = body.iter().collect();
        let at = statements.iter().position(|statement| !matches!(statement, Statement::Emit(_)))?;
        let (computed, Statement::If { condition, accept, reject }) = (&statements[..at], statements[at]) else { return None };
        let leaves = |block: &Block| matches!(block.iter().collect::<Vec<_>>()[..], [Statement::Break]);
        let Expression::Binary { op, left, right } = self.function.expressions[*condition] else { return None };
        // Whether it goes on where the left is less, or less or equal, than the right, or the other
        // way round.
        let (is_turned, is_included) = match op {
            BinaryOperator::Less => (false, false),
            BinaryOperator::LessEqual => (false, true),
            BinaryOperator::Greater => (true, false),
            BinaryOperator::GreaterEqual => (true, true),
            _ => return None,
        };
        let is_negated = leaves(accept) && reject.is_empty();
        if !(is_negated || accept.is_empty() && leaves(reject)) {
            return None;
        }
        let (counter, end) = if is_turned == is_negated { (left, right) } else { (right, left) };
        let is_included = is_included != is_negated;
        // Both are computed again in each turn.
        if !is_computed(computed, *condition) || !is_computed(computed, counter) {
            return None;
        }
        Some((self.loaded(counter)?, self.constant(end)? + i64::from(is_included)))
    }

    /// What the last part of a turn adds to the counter.
    fn step(&self, continuing: &Block, counter: Handle<LocalVariable>) -> Option<i64> {
        let mut computed = BTreeSet::new();
        for statement in continuing.iter() {
            match statement {
                Statement::Emit(range) => computed.extend(range.clone()),
                Statement::Store { pointer, value } if self.is_variable(*pointer, counter) => {
                    let Expression::Binary { op: BinaryOperator::Add, left, right } = self.function.expressions[*value] else {
                        return None;
                    };
                    let (old, step) = if self.loaded(left) == Some(counter) { (left, right) } else { (right, left) };
                    let is_new = computed.contains(value) && computed.contains(&old);
                    return if is_new && self.loaded(old) == Some(counter) { self.constant(step) } else { None };
                }
                _ => {}
            }
        }
        None
    }

    /// The variable that an expression is the value of.
    fn loaded(&self, expression: Handle<Expression>) -> Option<Handle<LocalVariable>> {
        let Expression::Load { pointer } = self.function.expressions[expression] else { return None };
        self.variable(pointer)
    }

    fn variable(&self, pointer: Handle<Expression>) -> Option<Handle<LocalVariable>> {
        let Expression::LocalVariable(variable) = self.function.expressions[pointer] else { return None };
        Some(variable)
    }

    fn is_variable(&self, pointer: Handle<Expression>, variable: Handle<LocalVariable>) -> bool {
        self.variable(pointer) == Some(variable)
    }

    /// The variable that a pointer is to, or to a part of it.
    fn root(&self, pointer: Handle<Expression>) -> Option<Handle<LocalVariable>> {
        match self.function.expressions[pointer] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => self.root(base),
            _ => self.variable(pointer),
        }
    }

    /// The value of a constant in 32 bits.
    fn constant(&self, expression: Handle<Expression>) -> Option<i64> {
        let mut expressions = &self.function.expressions;
        let mut at = expression;
        if let Expression::Constant(constant) = expressions[at] {
            (expressions, at) = (&self.module.global_expressions, self.module.constants[constant].init);
        }
        match expressions[at] {
            Expression::Literal(Literal::I32(value)) => Some(value.into()),
            Expression::Literal(Literal::U32(value)) => Some(value.into()),
            Expression::ZeroValue(ty) => {
                let TypeInner::Scalar(scalar) = self.module.types[ty].inner else { return None };
                (matches!(scalar.kind, ScalarKind::Sint | ScalarKind::Uint) && scalar.width == 4).then_some(0)
            }
            _ => None,
        }
    }
}

fn visit(block: &Block, f: &mut dyn FnMut(&Statement)) {
    for statement in block.iter() {
        f(statement);
        match statement {
            Statement::Block(inner) => visit(inner, f),
            Statement::If { accept, reject, .. } => [accept, reject].into_iter().for_each(|inner| visit(inner, f)),
            Statement::Switch { cases, .. } => cases.iter().for_each(|case| visit(&case.body, f)),
            Statement::Loop { body, continuing, .. } => [body, continuing].into_iter().for_each(|inner| visit(inner, f)),
            _ => {}
        }
    }
}
