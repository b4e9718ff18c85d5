//! Translates a recipe for a reduction into dispatches.

use std::ops::{Range, RangeInclusive};

use super::access::value_words;
use super::core::Core;
use super::emit::{self, Places, declaring};
use super::fit::{FittedPass, Portion, Problem};
use super::geometry::Geometry;
use super::order::fixed_order;
use super::recipe::Recipe;
use crate::error::{Error, Result};
use crate::fragment::Texels;
use crate::gpu::DeviceProfile;
use crate::kernels::reduce::operator::{Indexed, Operator};
use crate::kernels::reduce::{Arrays, Stage, Workgroup, columns, lines, tree};
use crate::kernels::{Bind, Dispatch, Slot, bind_textures};
use crate::plan::{Array, Placement, Program};
use crate::strides::IoDim;

pub(super) fn lower(spec: &Core, recipe: &Recipe, profile: &DeviceProfile) -> Result<Program> {
    let geometry = spec.geometry()?;
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
        let elements = Array { len: geometry.span(), element_bytes: operator.element_bytes() as usize };
        let results = Array { len: geometry.results() as usize, element_bytes: operator.result_bytes() as usize };
        let (input, output) = match *portion {
            Portion::Whole => (elements, results),
            Portion::Parts { count, .. } => (elements, partials(count)),
            Portion::Join(count) => (partials(count), results),
        };
        let inputs = vec![input; if operator.takes_two() && !matches!(portion, Portion::Join(_)) { 2 } else { 1 }];
        let textures =
            [&operator.source, &operator.sink].map(|side| side.as_ref().is_some_and(|own| own.fragment.array.texels().is_some()));
        let program = Program::new(title.clone(), Placement::OutOfPlace, inputs, output).checked_with_textures(textures, profile)?;
        let mut lowering = Lowering { program, problem: &self, declared: [Vec::new(), Vec::new()], profile };
        lowering.declare()?;
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
const MAX_DISPATCHES: u64 = 4096;

struct Lowering<'a> {
    program: Program,
    problem: &'a Problem,
    /// The bindings of what the fragments declare: of the one on the elements, and of the one on
    /// the results.
    declared: [Vec<Bind>; 2],
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

impl Section {
    /// The first of the reduced accesses or rows, and how many they are. A part has `chunk` of
    /// them, except the last.
    fn reduced(self, chunk: u32, all: u32) -> (u32, u32) {
        let first = self.first_part * chunk;
        (first, (all - first).min(self.parts.saturating_mul(chunk)))
    }
}

/// What a pass goes over, in accesses.
#[derive(Clone, Debug)]
struct Extent {
    /// Accesses of a row; 1 for lines.
    columns: u32,
    column_stride: u32,
    /// Reduced: accesses of a line, or rows.
    count: u32,
    /// Kept, except the columns of a row: lines or planes.
    lines: u32,
    /// Extents and strides of the kept dimensions except columns, fastest first. Strides and the
    /// offset count what is loaded at once: accesses, or elements if they are gathered.
    kept: Vec<(u32, u32)>,
    reduced: Vec<(u32, u32)>,
    offset: u32,
    /// Bytes of what is loaded at once.
    unit_bytes: u64,
    /// Loads of an access.
    loads: u32,
}

impl Extent {
    /// The bytes from the first to the last element of a section.
    fn bytes(&self, section: Section, chunk: u32) -> Range<u64> {
        let (first, count) = section.reduced(chunk, self.count);
        let loads = u64::from(self.loads);
        let kept = places(&self.kept, u64::from(section.first_line), u64::from(section.lines));
        let reduced = places(&self.reduced, u64::from(first) * loads, u64::from(count) * loads);
        let columns = u64::from(self.columns - 1) * u64::from(self.column_stride);
        let begin = u64::from(self.offset) + kept.start() + reduced.start();
        let last = u64::from(self.offset) + kept.end() + reduced.end() + columns;
        begin * self.unit_bytes..(last + 1) * self.unit_bytes
    }
}

/// The places between which `count` elements lie, from the element of this index on. The dimensions
/// have extents and strides, fastest first.
fn places(dims: &[(u32, u32)], first: u64, count: u64) -> RangeInclusive<u64> {
    let Some((&(extent, stride), slower)) = dims.split_first() else { return 0..=0 };
    let (extent, stride, last) = (u64::from(extent), u64::from(stride), first + count - 1);
    if slower.is_empty() {
        return first * stride..=last * stride;
    }
    let runs = places(slower, first / extent, last / extent - first / extent + 1);
    let own = if first / extent == last / extent { [first % extent, last % extent] } else { [0, extent - 1] };
    runs.start() + own[0] * stride..=runs.end() + own[1] * stride
}

/// The largest number up to `most` that fits, or 0. Every smaller number fits too.
fn largest(most: u32, fits: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (0, most);
    while low < high {
        let middle = high - (high - low) / 2;
        (low, high) = if fits(middle) { (middle, high) } else { (low, middle - 1) };
    }
    low
}

impl Lowering<'_> {
    /// Declares what the fragments declare.
    fn declare(&mut self) -> Result<()> {
        let operator = &self.problem.operator;
        for (binds, own) in self.declared.iter_mut().zip(declaring(operator)) {
            if let Some((Indexed { fragment, .. }, first)) = own {
                *binds = self.program.bind_declared(fragment, first)?;
            }
        }
        Ok(())
    }

    /// The texture that stands there.
    fn texture(&self, slot: Slot) -> Option<Texels> {
        let Operator { source, sink, .. } = &self.problem.operator;
        let fragment = match slot {
            Slot::Input(0) => source,
            Slot::Output => sink,
            _ => return None,
        };
        fragment.as_ref()?.fragment.array.texels()
    }

    /// Adds a dispatch of a stage that reads partial results or elements, and stores either.
    fn push(&mut self, mut dispatch: Dispatch, partial: bool, last: bool) {
        let textures = [(Slot::Input(0), !partial), (Slot::Output, last)].map(|(end, is_end)| self.texture(end).filter(|_| is_end));
        bind_textures(&mut dispatch.binds, textures);
        for (binds, is_applied) in self.declared.iter().zip([!partial, last]) {
            dispatch.binds.extend(binds.iter().filter(|_| is_applied).cloned());
        }
        self.program.dispatches.push(dispatch);
    }

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
    fn arrivals(&mut self, stage: &Stage, section: Section) -> Slot {
        let len = section.lines as usize * (1 + section.parts as usize * 2 * value_words(stage) as usize);
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
                gathered: false,
                lanes: workgroup,
                accumulators: 1,
                join: 0,
            };
            let dispatch = tree::dispatch(length, emit::tree(stage), workgroup, self.profile.groups_per_axis, Arrays::whole(from, to))?;
            self.push(dispatch, pass > 0, last);
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
            let sections = self.sections(from, step, &extent)?;
            if pass.join && sections.iter().any(|section| section.parts < *parts) {
                let why = "an array larger than a binding has parts in several dispatches, which none can join";
                return Err(unfit(why.to_owned()));
            }
            for section in sections {
                let arrivals = pass.join.then(|| self.arrivals(stage, section));
                let dispatch = self.dispatch(step, &extent, section, Arrays { arrivals, ..Arrays::whole(from, to) })?;
                self.push(dispatch, stage.partial, stage.last);
            }
            from = to;
        }
        Ok(())
    }

    fn extent(&self, step: &FittedPass) -> Extent {
        let geometry = &self.problem.geometry;
        let Geometry { lines, reduced, kept, .. } = geometry;
        let FittedPass { pass, stage, count, .. } = step;
        let loads = if stage.gathered { pass.width } else { 1 };
        // Elements that are loaded at once.
        let unit = pass.width / loads;
        let columns = if *lines { 1 } else { geometry.columns() / pass.width };
        let of_kept = geometry.results() / geometry.columns();
        let count = geometry.length(*count, pass.width);
        let own = Extent {
            columns,
            column_stride: 1,
            count,
            lines: of_kept,
            kept: Vec::new(),
            reduced: Vec::new(),
            offset: 0,
            unit_bytes: u64::from(stage.element_bytes()) * u64::from(unit),
            loads,
        };
        if stage.partial {
            // Lines of partial results, or planes of rows of them, one after the other.
            let kept = vec![(of_kept, columns * count)];
            return Extent { kept, reduced: vec![(count, columns)], ..own };
        }
        let strided = |dims: &[IoDim]| dims.iter().map(|dim| (dim.extent, dim.strides[0] / unit)).collect::<Vec<_>>();
        let (mut reduced, offset) = (strided(reduced), geometry.offset() / unit);
        if *lines {
            // Accesses of a run, not elements.
            if let Some(run) = reduced.first_mut().filter(|_| !stage.gathered) {
                *run = (run.0 / unit, 1);
            }
            return Extent { kept: strided(kept), reduced, offset, ..own };
        }
        let (row, planes) = kept.split_first().expect("columns are kept");
        let column_stride = if stage.gathered { row.strides[0] } else { 1 };
        Extent { column_stride, kept: strided(planes), reduced, offset, ..own }
    }

    /// The bound part of the input: its first byte and its size. It begins with a whole access,
    /// whose size is a power of two up to 32, or three times one.
    fn bound(&self, section: Section, chunk: u32, extent: &Extent) -> (u64, u64) {
        let bytes = extent.bytes(section, chunk);
        let thrice = if extent.unit_bytes.is_multiple_of(3) { 3 } else { 1 };
        let alignment = u64::from(self.profile.storage_alignment).max(32) * thrice;
        let begin = bytes.start / alignment * alignment;
        (begin, (bytes.end - begin).next_multiple_of(4))
    }

    /// One section for the whole, or, if the input is larger than a binding, as much per section as
    /// fits.
    fn sections(&self, from: Slot, step: &FittedPass, extent: &Extent) -> Result<Vec<Section>> {
        let (chunk, parts, lines) = (step.chunk, step.parts, extent.lines);
        let limit = self.profile.binding_bytes;
        let bytes = self.program.bytes(from);
        let whole = Section { first_line: 0, lines, first_part: 0, parts };
        if bytes <= limit || from != Slot::Input(0) || self.texture(from).is_some() {
            return Ok(vec![whole]);
        }
        let fits = |section: Section| self.bound(section, chunk, extent).1 <= limit;
        let mut sections = Vec::new();
        let mut next = Section { lines: 0, parts: 0, ..whole };
        while next.first_line < lines {
            let first_line = next.first_line;
            let own = largest(lines - first_line, |lines| fits(Section { first_line, lines, ..whole }));
            if own > 0 {
                sections.push(Section { first_line, lines: own, ..whole });
                next.first_line += own;
            } else {
                // Not even one line.
                let of_line = |first_part: u32, parts: u32| Section { first_line, lines: 1, first_part, parts };
                let own = largest(parts - next.first_part, |parts| fits(of_line(next.first_part, parts)));
                if own == 0 {
                    let what = format!("`{}`: the bytes of the input in one binding", self.program.title);
                    return Err(Error::LimitExceeded { what, limit: "max_storage_buffer_binding_size", required: bytes, available: limit });
                }
                sections.push(of_line(next.first_part, own));
                next.first_part += own;
                if next.first_part == parts {
                    next = Section { first_line: first_line + 1, first_part: 0, ..next };
                }
            }
            if sections.len() as u64 > MAX_DISPATCHES {
                let what = format!("`{}` in bindings of {limit} bytes", self.program.title);
                // As many again for each of the rest.
                let done = u64::from(next.first_line) * u64::from(parts) + u64::from(next.first_part);
                let required = (sections.len() as u64).saturating_mul((u64::from(lines) * u64::from(parts)).div_ceil(done));
                return Err(Error::LimitExceeded { what, limit: "dispatches of a plan", required, available: MAX_DISPATCHES });
            }
        }
        Ok(sections)
    }

    fn dispatch(&self, step: &FittedPass, extent: &Extent, section: Section, arrays: Arrays) -> Result<Dispatch> {
        let FittedPass { pass, stage, chunk, parts: all_parts, .. } = step;
        let (chunk, all_parts, width) = (*chunk, *all_parts, pass.width);
        let (begin, count) = section.reduced(chunk, extent.count);
        // The index among all elements that are reduced to one; this program may have only a piece
        // of them.
        let first_of_all = if let Portion::Parts { first, chunk, .. } = self.problem.portion { first * chunk } else { 0 };
        let is_whole = section.lines == extent.lines && section.parts == all_parts;
        let range = (!is_whole || self.program.bytes(arrays.input) > self.profile.binding_bytes && self.texture(arrays.input).is_none())
            .then(|| self.bound(section, chunk, extent));
        let bound = range.map_or(0, |(begin, _)| begin / extent.unit_bytes) as u32;
        let first_access = extent.offset;
        let max_groups = self.profile.groups_per_axis;
        let arrays = Arrays { range, ..arrays };
        let places = Places { kept: extent.kept.len(), reduced: extent.reduced.len(), of_part: range.is_some() };
        let (kept_extents, kept_strides) = fields(&extent.kept);
        let (reduced_extents, reduced_strides) = fields(&extent.reduced);
        if self.problem.geometry.lines {
            let params = lines::Params {
                lines: section.lines,
                parts: section.parts,
                chunk,
                first_line: section.first_line,
                begin,
                end: begin + count,
                kept_extents,
                kept_strides,
                reduced_extents,
                reduced_strides,
                first_access,
                bound,
                first_index: first_of_all * width,
                first_result: if pass.join { section.first_line } else { section.first_line * all_parts + section.first_part },
                zero: 0,
            };
            let (generated, bytes) = emit::lines(stage.clone(), pass, places);
            lines::dispatch(params, generated, Workgroup { invocations: pass.workgroup, bytes }, max_groups, arrays)
        } else {
            let [a, b, _] = kept_extents;
            let [c, d, e, _] = kept_strides;
            let params = columns::Params {
                columns: extent.columns,
                parts: section.parts,
                chunk,
                planes: section.lines,
                first_plane: section.first_line,
                begin,
                end: begin + count,
                column_stride: extent.column_stride,
                kept_extents: [a, b],
                kept_strides: [c, d, e],
                reduced_extents,
                reduced_strides,
                first_access,
                bound,
                first_index: first_of_all,
                first_result: (section.first_line * all_parts + section.first_part) * extent.columns * width,
                zero: 0,
            };
            let (generated, bytes) = emit::columns(stage.clone(), pass, places);
            columns::dispatch(params, generated, Workgroup { invocations: pass.workgroup, bytes }, max_groups, arrays)
        }
    }
}

/// Extents and strides of up to four dimensions as `Params` have them.
fn fields(dims: &[(u32, u32)]) -> ([u32; 3], [u32; 4]) {
    let (mut extents, mut strides) = ([1; 3], [0; 4]);
    extents.iter_mut().zip(dims).for_each(|(own, dim)| *own = dim.0);
    strides.iter_mut().zip(dims).for_each(|(own, dim)| *own = dim.1);
    (extents, strides)
}
