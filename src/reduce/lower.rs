//! Translates a recipe for a reduction into dispatches.

use super::Core;
use super::design::fixed_order;
use super::emit::{self, value_words};
use super::fit::{FittedPass, Portion, Problem};
use super::geometry::Geometry;
use super::recipe::Recipe;
use crate::error::{Error, Result};
use crate::gpu::DeviceProfile;
use crate::kernels::reduce::{Arrays, Stage, Workgroup, columns, lines, tree};
use crate::kernels::{Dispatch, Slot};
use crate::plan::{Array, Placement, Program};
use crate::strides::IoDim;

pub(super) fn lower(spec: &Core, recipe: &Recipe, profile: &DeviceProfile) -> Result<Program> {
    let geometry = Geometry::of(spec)?;
    let operator = spec.operator(&geometry, profile)?;
    let order = spec.is_ordered(&operator).then(|| fixed_order(&operator, &geometry));
    Problem { title: spec.to_string(), operator, geometry, order, portion: Portion::Whole }.lower(recipe, profile)
}

impl Problem {
    /// The program of a recipe.
    pub fn lower(self, recipe: &Recipe, profile: &DeviceProfile) -> Result<Program> {
        let Self { title, operator, geometry, portion, .. } = &self;
        let unfit = |why: String| Error::UnfitRecipe { recipe: recipe.to_string(), spec: title.clone(), why };
        self.order_fits(recipe).map_err(unfit)?;
        // Partial results are words: only the kernels know their type.
        let partials = |parts: u32| {
            let words = operator.value().bytes() as usize / 4;
            Array { len: parts as usize * geometry.results() as usize * words, element_bytes: 4 }
        };
        let elements = Array { len: geometry.len(), element_bytes: operator.input.bytes() as usize };
        let results = Array { len: geometry.results() as usize, element_bytes: operator.result().bytes() as usize };
        let (input, output) = match *portion {
            Portion::Whole => (elements, results),
            Portion::Parts { count, .. } => (elements, partials(count)),
            Portion::Join(count) => (partials(count), results),
        };
        input.check(title, "input", profile)?;
        output.check(title, "output", profile)?;
        let inputs = vec![input; if operator.takes_two() && !matches!(portion, Portion::Join(_)) { 2 } else { 1 }];
        let program = Program::new(title.clone(), Placement::OutOfPlace, inputs, output);
        let mut lowering = Lowering { program, problem: &self, profile };
        match recipe {
            Recipe::Tree { workgroup } => {
                self.tree_fits(*workgroup, profile).map_err(unfit)?;
                lowering.tree(*workgroup)?;
            }
            Recipe::Passes(passes) => {
                let steps = self.steps(passes, profile).map_err(unfit)?;
                lowering.passes(steps, unfit)?;
            }
        }
        Ok(lowering.program)
    }
}

/// The most dispatches of a plan, as for permutations: with tiny bindings, an array would need
/// millions.
const MOST_DISPATCHES: u64 = 4096;

struct Lowering<'a> {
    program: Program,
    problem: &'a Problem,
    profile: &'a DeviceProfile,
}

/// A range of the lines or planes, and of the parts of each.
#[derive(Clone, Copy, Debug)]
struct Section {
    first_line: u32,
    lines: u32,
    first_part: u32,
    parts: u32,
}

/// What a pass goes over, in accesses.
#[derive(Clone, Debug)]
struct Extent {
    /// Contiguous accesses, of a line or a row.
    contiguous: u32,
    /// Reduced: accesses of a line, or rows.
    count: u32,
    /// Kept, except the columns of a row: lines or planes.
    lines: u32,
    /// Extent and stride of the reduced elements within a run (stride 1 for lines), and of the
    /// runs.
    reduced: [(u32, u32); 2],
    /// Extent and stride of the lines or planes, and of blocks of them.
    kept: [(u32, u32); 2],
}

impl Lowering<'_> {
    /// Where a pass stores: the output, or one of two workspaces used alternately.
    fn target(&mut self, pass: usize, last: bool, results: u64) -> Slot {
        if last {
            return Slot::Output;
        }
        // Later passes have fewer partial results, which fit too.
        if pass < 2 {
            self.program.workspaces.push(Array { len: results as usize, element_bytes: self.problem.operator.value().bytes() as usize });
        }
        Slot::Workspace(pass % 2)
    }

    /// Atomics. They start as zeros, like all memory of a plan, and are zeros again after each run.
    fn arrivals(&mut self, stage: &Stage, cut: Section) -> Slot {
        let len = cut.lines as usize * (1 + cut.parts as usize * 2 * value_words(stage) as usize);
        self.program.workspaces.push(Array { len, element_bytes: 4 });
        Slot::Workspace(self.program.workspaces.len() - 1)
    }

    fn tree(&mut self, workgroup: u32) -> Result<()> {
        let mut length = self.problem.geometry.count();
        let mut from = Slot::Input(0);
        for pass in 0.. {
            let partials = length.div_ceil(workgroup);
            let last = partials == 1;
            let to = self.target(pass, last, partials.into());
            let stage = Stage {
                operator: self.problem.operator.clone(),
                partial: pass > 0,
                last,
                width: 1,
                lanes: workgroup,
                accumulators: 1,
                join: 0,
            };
            let dispatch = tree::dispatch(length, emit::tree(stage), workgroup, self.profile.groups_per_axis, Arrays::whole(from, to))?;
            self.program.dispatches.push(dispatch);
            if last {
                break;
            }
            (from, length) = (to, partials);
        }
        Ok(())
    }

    fn passes(&mut self, steps: Vec<FittedPass>, unfit: impl Fn(String) -> Error) -> Result<()> {
        let mut from = Slot::Input(0);
        let count = steps.len();
        for (i, step) in steps.iter().enumerate() {
            let FittedPass { pass, stage, parts, .. } = step;
            let to = self.target(i, i + 1 == count, u64::from(self.problem.geometry.results()) * u64::from(*parts));
            let extent = self.extent(step);
            let cuts = self.cuts(from, step, &extent)?;
            if pass.join && cuts.iter().any(|cut| cut.parts < *parts) {
                let why = "an array larger than a binding has parts in several dispatches, which none can join";
                return Err(unfit(why.to_owned()));
            }
            for cut in cuts {
                let arrivals = pass.join.then(|| self.arrivals(stage, cut));
                let dispatch = self.dispatch(step, &extent, cut, Arrays { arrivals, ..Arrays::whole(from, to) })?;
                self.program.dispatches.push(dispatch);
            }
            from = to;
        }
        Ok(())
    }

    fn extent(&self, step: &FittedPass) -> Extent {
        let Geometry { lines, reduced, kept, .. } = &self.problem.geometry;
        let (width, partial, count) = (step.pass.width, step.stage.partial, step.count);
        let columns = if *lines { 1 } else { self.problem.geometry.contiguous() };
        let of_kept = self.problem.geometry.results() / columns;
        if partial {
            // Lines of partial results, or planes of rows of them, one after the other.
            let (contiguous, length) = if *lines { (count / width, count / width) } else { (columns / width, count) };
            let distance = if *lines { contiguous } else { contiguous * count };
            let step = if *lines { 1 } else { contiguous };
            return Extent {
                contiguous,
                count: length,
                lines: of_kept,
                reduced: [(length, step), (1, 0)],
                kept: [(of_kept, distance), (1, 0)],
            };
        }
        let run = |runs: &[IoDim], i: usize| runs.get(i).map_or((1, 0), |run| (run.extent, run.strides[0] / width));
        let contiguous = self.problem.geometry.contiguous() / width;
        if *lines {
            let run_of_line = reduced.first().map_or((1, 1), |run| (run.extent / width, 1));
            let count = self.problem.geometry.count() / width;
            Extent { contiguous, count, lines: of_kept, reduced: [run_of_line, run(reduced, 1)], kept: [run(kept, 0), run(kept, 1)] }
        } else {
            let count = self.problem.geometry.count();
            Extent { contiguous, count, lines: of_kept, reduced: [run(reduced, 0), run(reduced, 1)], kept: [run(kept, 1), run(kept, 2)] }
        }
    }

    /// The alignment of bindings: a multiple of the size of every access.
    fn alignment(&self) -> u64 {
        u64::from(self.profile.storage_alignment).max(32)
    }

    /// One cut for the whole, or, if the input is larger than a binding, as much per cut as fits.
    fn cuts(&self, from: Slot, step: &FittedPass, extent: &Extent) -> Result<Vec<Section>> {
        let FittedPass { stage, chunk, parts, .. } = step;
        let (chunk, parts) = (*chunk, *parts);
        let lines = extent.lines;
        let limit = self.profile.binding_bytes;
        let bytes = self.program.bytes(from);
        if bytes <= limit || from != Slot::Input(0) {
            return Ok(vec![Section { first_line: 0, lines, first_part: 0, parts }]);
        }
        let access_bytes = u64::from(stage.source().bytes()) * u64::from(stage.width);
        let is_simple = extent.reduced[1].0 == 1 && extent.kept[1].0 == 1;
        let line_bytes = u64::from(extent.kept[0].1) * access_bytes;
        let line_bytes = if lines == 1 { bytes } else { line_bytes };
        let part_bytes = u64::from(chunk) * u64::from(extent.reduced[0].1) * access_bytes;
        // The most of `count` pieces of `piece` bytes that fit, wherever they begin. If nothing is
        // kept apart or nothing is reduced, pieces have no size, and there is only one.
        let at_once = |piece: u64, count: u32| {
            let most = limit.saturating_sub(self.alignment()).checked_div(piece).unwrap_or(0);
            (most > 0).then(|| most.min(count.into()) as u32)
        };
        let too_large = || {
            let what = format!("`{}`: the bytes of the input in one binding", self.program.title);
            Error::LimitExceeded { what, limit: "max_storage_buffer_binding_size", required: bytes, available: limit }
        };
        let (own_lines, own_parts) = match (at_once(line_bytes, lines), at_once(part_bytes, parts)) {
            _ if !is_simple => return Err(too_large()),
            (Some(own), _) if lines > 1 => (own, parts),
            (_, Some(own)) if parts > 1 => (1, own),
            _ => return Err(too_large()),
        };
        let count = u64::from(lines.div_ceil(own_lines)) * u64::from(parts.div_ceil(own_parts));
        if count > MOST_DISPATCHES {
            let what = format!("`{}` in bindings of {limit} bytes", self.program.title);
            return Err(Error::LimitExceeded { what, limit: "dispatches of a plan", required: count, available: MOST_DISPATCHES });
        }
        let of_lines = |first_line: u32| {
            let lines = own_lines.min(lines - first_line);
            let cut = move |first_part: u32| Section { first_line, lines, first_part, parts: own_parts.min(parts - first_part) };
            (0..parts).step_by(own_parts as usize).map(cut)
        };
        Ok((0..lines).step_by(own_lines as usize).flat_map(of_lines).collect())
    }

    fn dispatch(&self, step: &FittedPass, extent: &Extent, cut: Section, arrays: Arrays) -> Result<Dispatch> {
        let FittedPass { pass, stage, chunk, parts: all_parts, .. } = step;
        let (chunk, all_parts) = (*chunk, *all_parts);
        let width = pass.width;
        let runs = extent.reduced[1].0 > 1;
        let access_bytes = u64::from(stage.source().bytes()) * u64::from(width);
        let first = cut.first_part * chunk;
        // The index among all elements that are reduced to one; this program may have only a piece
        // of them.
        let first_of_all = if let Portion::Parts { first, chunk, .. } = self.problem.portion { first * chunk } else { 0 } + first;
        let count = (extent.count - first).min(cut.parts.saturating_mul(chunk));
        let is_whole = cut.lines == extent.lines && cut.parts == all_parts;
        let mut first_access = 0;
        let range = (!is_whole).then(|| {
            let begin = u64::from(cut.first_line) * u64::from(extent.kept[0].1) + u64::from(first) * u64::from(extent.reduced[0].1);
            let bound = begin * access_bytes / self.alignment() * self.alignment();
            first_access = (begin - bound / access_bytes) as u32;
            let last_line = u64::from(cut.lines - 1) * u64::from(extent.kept[0].1);
            let of_line = if self.problem.geometry.lines { u64::from(count) } else { u64::from(count) * u64::from(extent.contiguous) };
            (bound, ((begin + last_line + of_line) * access_bytes - bound).next_multiple_of(4))
        });
        let max_groups = self.profile.groups_per_axis;
        let [(run, row_stride), (_, run_stride)] = extent.reduced;
        let arrays = Arrays { range, ..arrays };
        let [(block, line_stride), (_, block_stride)] = extent.kept;
        if self.problem.geometry.lines {
            let params = lines::Params {
                lines: cut.lines,
                length: count,
                parts: cut.parts,
                chunk,
                block,
                line_stride,
                block_stride,
                run,
                run_stride,
                first_access,
                first_index: first_of_all * width,
                first_result: if pass.join { cut.first_line } else { cut.first_line * all_parts + cut.first_part },
                zero: 0,
            };
            let (generated, bytes) = emit::lines(stage.clone(), pass, runs);
            lines::dispatch(params, generated, Workgroup { invocations: pass.workgroup, bytes }, max_groups, arrays)
        } else {
            let params = columns::Params {
                columns: extent.contiguous,
                rows: count,
                parts: cut.parts,
                chunk,
                planes: cut.lines,
                block,
                plane_stride: line_stride,
                block_stride,
                run,
                row_stride,
                run_stride,
                first_access,
                first_index: first_of_all,
                first_result: (cut.first_line * all_parts + cut.first_part) * extent.contiguous * width,
                zero: 0,
            };
            let (generated, bytes) = emit::columns(stage.clone(), pass, runs);
            columns::dispatch(params, generated, Workgroup { invocations: pass.workgroup, bytes }, max_groups, arrays)
        }
    }
}
