//! Twins of `shaders/reduce/*.wgsl`.

pub(crate) mod columns;
pub(crate) mod lines;
pub mod operator;
pub(crate) mod tree;

use std::sync::Arc;

use operator::{Fold, Indexed, Kind, Map, Operator};

use super::{Access, Bind, Dispatch, Form, Generated, Grid, Kernel, Slot, Source, sources};

/// What the generated part of a reduction kernel computes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Stage {
    /// The arithmetic.
    pub operator: Operator,
    /// Whether it reads partial results of an earlier stage instead of elements.
    pub partial: bool,
    /// Whether it stores results instead of partial results.
    pub last: bool,
    /// Elements of one access.
    pub width: u32,
    /// Whether the elements of an access are loaded one by one, because they do not follow one
    /// another.
    pub gathered: bool,
    /// Invocations that share a line, or the rows of a column.
    pub lanes: u32,
    /// Independent accumulators per invocation, used round-robin.
    pub accumulators: u32,
    /// How many invocations of the last workgroup to arrive combine the parts; 0 if the parts are
    /// not joined.
    pub join: u32,
}

impl Stage {
    /// The size of an element that is read, in bytes.
    #[must_use]
    pub fn element_bytes(&self) -> u32 {
        if self.partial { self.operator.value().bytes() } else { self.operator.element_bytes() }
    }

    /// The fragment that is applied to what is read.
    pub(crate) fn source(&self) -> Option<&Indexed> {
        self.operator.source.as_deref().filter(|_| !self.partial)
    }

    /// The fragment that is applied to what is stored.
    pub(crate) fn sink(&self) -> Option<&Indexed> {
        self.operator.sink.as_deref().filter(|_| self.last)
    }

    /// What is stored, or what a fragment maps before.
    #[must_use]
    pub fn target(&self) -> Kind {
        if self.last { self.operator.result() } else { self.operator.value() }
    }

    /// Whether there is a second input.
    #[must_use]
    pub fn takes_two(&self) -> bool {
        !self.partial && self.operator.takes_two()
    }

    /// The file that converts numbers to ranks and back, if this stage does either.
    fn rank(&self) -> Option<&'static Source> {
        let Self { operator, partial, last, .. } = self;
        let is_used = operator.is_ranked() && (!partial || *last && !operator.is_arg());
        is_used.then(|| match operator.mapped() {
            Kind::F32 => &sources::REDUCE_RANK_F32,
            Kind::F64 => &sources::REDUCE_RANK_PAIR,
            Kind::I32 => &sources::REDUCE_RANK_I32,
            _ => &sources::REDUCE_RANK_U32,
        })
    }

    /// The file that divides counts, if every device must do so alike.
    fn share(&self) -> Option<&'static Source> {
        let is_used = self.operator.fold == Fold::Moments && self.operator.rounded && self.operator.has_words();
        is_used.then_some(&sources::REDUCE_SHARE)
    }

    /// The file that scales numbers, if their squares are added at a scale of their own.
    fn scale(&self) -> Option<&'static Source> {
        let scales_differences = (&self.operator.map, self.operator.input) == (&Map::Distance, Kind::Complex) && !self.partial;
        let is_used = self.operator.has_scale() && self.operator.has_words() || scales_differences;
        is_used.then_some(&sources::REDUCE_SCALE)
    }

    /// The file that computes differences, if they are not plain subtractions.
    fn difference(&self) -> Option<&'static Source> {
        match (&self.operator.map, self.operator.input) {
            (Map::Distance, Kind::F32 | Kind::F16) if !self.partial => Some(&sources::REDUCE_DIFFERENCE_F32),
            (Map::Distance, Kind::Complex) if !self.partial => Some(&sources::REDUCE_DIFFERENCE_COMPLEX),
            _ => None,
        }
    }
}

const SCALES: &[&Source] = &[&sources::REDUCE_SCALE];
const SHARES: &[&Source] = &[&sources::REDUCE_SHARE];
const RANKS: &[&Source] = &[&sources::REDUCE_RANK_F32, &sources::REDUCE_RANK_PAIR, &sources::REDUCE_RANK_I32, &sources::REDUCE_RANK_U32];
const DIFFERENCES: &[&Source] = &[&sources::REDUCE_DIFFERENCE_F32, &sources::REDUCE_DIFFERENCE_COMPLEX];

/// The arrays of a dispatch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrays {
    /// The array that is read. If the operator takes two inputs, the second is read as well.
    pub input: Slot,
    /// The first byte and the size of the bound part of the inputs; `None` for all of them.
    pub range: Option<(u64, u64)>,
    /// The array that is stored.
    pub output: Slot,
    /// Atomics, if the last workgroup joins the parts.
    pub arrivals: Option<Slot>,
}

impl Arrays {
    /// Whole arrays.
    #[must_use]
    pub fn whole(input: Slot, output: Slot) -> Self {
        Self { input, range: None, output, arrivals: None }
    }

    fn binds(self, stage: &Stage) -> Vec<Bind> {
        let bind = |binding, name: &'static str, access, slot, range| Bind { binding, name: name.into(), access, slot, range };
        let mut binds =
            vec![bind(1, "input", Access::Read, self.input, self.range), bind(2, "output", Access::ReadWrite, self.output, None)];
        if stage.takes_two() {
            binds.push(bind(3, "second", Access::Read, Slot::Input(1), self.range));
        }
        binds.extend(self.arrivals.map(|slot| bind(4, "arrivals", Access::Arrivals, slot, None)));
        binds
    }
}

/// Invocations of a workgroup along x, and its memory in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Workgroup {
    /// Invocations.
    pub invocations: u32,
    /// Bytes.
    pub bytes: u64,
}

/// One run of a reduction kernel.
fn dispatch(
    kernel: &'static Kernel,
    label: String,
    params: &impl bytemuck::NoUninit,
    generated: Generated,
    workgroup: Workgroup,
    arrays: Arrays,
    grid: Grid,
) -> Dispatch {
    let stage = stage_of(&generated);
    let binds = arrays.binds(&stage);
    Dispatch {
        appended: [Some(&sources::GRID), stage.rank(), stage.difference(), stage.scale(), stage.share()].into_iter().flatten().collect(),
        generated: Some(generated),
        workgroup_bytes: workgroup.bytes,
        ..kernel.dispatch(label, params, grid, [workgroup.invocations, 1, 1], binds)
    }
}

/// What generated text computes.
pub(crate) fn stage_of(generated: &Generated) -> Arc<Stage> {
    match &generated.form {
        Form::Reduction(stage) => Arc::clone(stage),
        other => panic!("the text of a reduction is generated, not {other:?}"),
    }
}
