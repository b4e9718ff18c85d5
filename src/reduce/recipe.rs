//! How to reduce, and the rules that choose.

use std::fmt;
use std::str::FromStr;

use super::geometry::Geometry;
use super::text::{has_access, needs_f64, needs_int64};
use super::{Core, Determinism};
use crate::error::{Error, Result};
use crate::gpu::DeviceProfile;
use crate::kernels::reduce::Stage;
use crate::kernels::reduce::operator::{Kind, Operator};

/// How to reduce. Printed as `tree 256`, or as passes with a `+` between them:
/// `workgroup=256 lanes=256 width=4 accumulators=1 unroll=8 parts=1024 subgroup=32 + workgroup=256 lanes=256 width=4 accumulators=1 unroll=1`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Recipe {
    /// The kernel `reduce/tree` on a whole array, repeated until one value is left: the readable baseline.
    Tree {
        /// Invocations of a workgroup, each with one value: a power of two.
        workgroup: u32,
    },
    /// The kernels `reduce/lines` or `reduce/columns`, whichever the axes ask for; each pass but the last leaves several partial results.
    Passes(Vec<Pass>),
}

/// One dispatch over the elements or over partial results.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pass {
    /// Invocations of a workgroup, a power of two.
    pub workgroup: u32,
    /// Those of them that share a line or a part of it, or the rows of a column: a power of two. Rows of lanes go over the elements.
    pub lanes: u32,
    /// Elements of an access, a power of two that divides what is contiguous.
    pub width: u32,
    /// Values that an invocation combines side by side, a power of two: each takes its turn with every so many rows of lanes.
    pub accumulators: u32,
    /// How many accesses for each of them are under way before any is combined.
    pub unroll: u32,
    /// Partial results of a line or column, at most; 1 in the last pass.
    pub parts: u32,
    /// Size of the subgroups that exchange values without workgroup memory, or at least so many invocations; 0 for none.
    pub subgroup: u32,
}

/// The longest list of passes.
const MOST_PASSES: usize = 4;

impl Recipe {
    /// Additions that an element passes through.
    pub(super) fn depth(&self, geometry: &Geometry) -> u32 {
        match self {
            Self::Tree { workgroup } => {
                let mut length = geometry.count();
                let mut passes = 1;
                while length > *workgroup {
                    length = length.div_ceil(*workgroup);
                    passes += 1;
                }
                passes * workgroup.ilog2()
            }
            Self::Passes(passes) => {
                let mut count = geometry.count();
                let mut depth = 0;
                for pass in passes {
                    let in_line = if geometry.lines { pass.width } else { 1 };
                    let (chunk, parts) = pass.chunk(count / in_line);
                    let own = chunk.min(count / in_line);
                    depth += own.div_ceil(pass.lanes * pass.accumulators) + (in_line * pass.lanes * pass.accumulators).ilog2();
                    count = parts;
                }
                depth
            }
        }
    }
}

impl Pass {
    /// Accesses, or rows, of a part, and how many parts there are: whole rows of lanes for every accumulator.
    pub(super) fn chunk(&self, length: u32) -> (u32, u32) {
        let row = u64::from(self.lanes * self.accumulators);
        let chunk = u64::from(length.div_ceil(self.parts)).next_multiple_of(row).min(u64::from(u32::MAX)) as u32;
        (chunk, length.div_ceil(chunk))
    }

    /// Says why the pass cannot run, if it cannot. `contiguous` elements are read in one piece.
    pub(super) fn unfit(&self, stage: &Stage, geometry: &Geometry, contiguous: u32, profile: &DeviceProfile) -> Option<String> {
        let most = profile.invocations.min(profile.workgroup_size[0]);
        let Self { workgroup, lanes, width, accumulators, unroll, parts, subgroup } = *self;
        if !workgroup.is_power_of_two() || workgroup > most {
            return Some(format!("the workgroup must be a power of two of at most {most}"));
        }
        if !lanes.is_power_of_two() || lanes > workgroup {
            return Some(format!("lanes must be a power of two of at most {workgroup}, the workgroup"));
        }
        if !width.is_power_of_two() || !contiguous.is_multiple_of(width) || !has_access(stage) {
            return Some(format!(
                "a width of {width} must divide the {contiguous} elements in one piece, and make accesses of 4, 8, 16 or 32 bytes"
            ));
        }
        if needs_int64(stage) && !profile.int64 {
            return Some(format!("a width of {width} takes 64-bit integers, which the device has not"));
        }
        if !accumulators.is_power_of_two() || unroll == 0 || u64::from(accumulators) * u64::from(unroll) > 64 {
            return Some("accumulators must be a power of two, unroll at least 1, and their product at most 64".to_owned());
        }
        if parts == 0 {
            return Some("there is at least one part".to_owned());
        }
        if subgroup > 0 {
            let least = profile.subgroup_sizes[0];
            if !profile.subgroups || !subgroup.is_power_of_two() || subgroup > least {
                return Some(format!(
                    "subgroups of {subgroup} are not what the device has for certain: {}",
                    if profile.subgroups { least } else { 0 }
                ));
            }
            if !geometry.lines || stage.operator.value() == Kind::F64 || workgroup < subgroup {
                return Some("subgroups exchange values of lines, of 32-bit words, in workgroups that hold one".to_owned());
            }
        }
        None
    }
}

/// The rules' choice.
pub(super) fn design(spec: &Core, profile: &DeviceProfile) -> Result<Recipe> {
    let geometry = Geometry::of(spec)?;
    let operator = spec.operator(&geometry)?;
    if needs_f64(&stage_of(&operator, false)) && !profile.f64 {
        return Err(spec.unsupported(&format!("{} has no f64 in shaders (`SHADER_F64`)", profile.name)));
    }
    if spec.determinism == Determinism::AcrossDevices && !operator.is_exact() {
        return Ok(fixed(&operator, &geometry, profile));
    }
    Ok(fastest(&operator, &geometry, profile))
}

/// A stage as far as reading is concerned.
fn stage_of(operator: &Operator, partial: bool) -> Stage {
    Stage { operator: operator.clone(), partial, last: false, width: 1, lanes: 1, accumulators: 1 }
}

/// The largest power of two up to `most` that is at least `wanted`.
fn up_to(wanted: u32, most: u32) -> u32 {
    wanted.max(1).next_power_of_two().min(1 << most.max(1).ilog2())
}

/// The widest access of at most `most_bytes` that divides what is contiguous.
fn widest(operator: &Operator, partial: bool, contiguous: u32, most_bytes: u32) -> u32 {
    let stage = stage_of(operator, partial);
    let fits = |width: &u32| {
        contiguous.is_multiple_of(*width)
            && stage.source().bytes() * width <= most_bytes
            && has_access(&Stage { width: *width, ..stage.clone() })
    };
    [8, 4, 2].into_iter().find(fits).unwrap_or(1)
}

/// Most invocations of a workgroup, and those whose values fit the workgroup memory.
fn most_invocations(operator: &Operator, width: u32, profile: &DeviceProfile) -> u32 {
    let value_bytes = operator.value().bytes() * width;
    let most = profile.invocations.min(profile.workgroup_size[0]).min(profile.workgroup_bytes / value_bytes);
    1 << most.max(1).ilog2()
}

/// Values that the order of a sum across devices has side by side in a line, and in a column.
const FIXED_LINE: u32 = 256;
const FIXED_COLUMN: u32 = 8;
/// Parts that it has at least where there is enough to reduce, and rows of values in each at most.
const FIXED_PARTS: u32 = 1024;
const FIXED_ROWS: u32 = 64;
/// Bytes of a part at most, so that arrays larger than a binding can be cut between parts: bindings have 128 MiB or more.
const FIXED_BYTES: u64 = 64 << 20;

/// What the shape alone decides, for each pass: values side by side, width of an access and parts.
fn fixed_order(operator: &Operator, geometry: &Geometry) -> Vec<[u32; 3]> {
    let mut passes = Vec::new();
    let mut count = geometry.count();
    loop {
        let partial = !passes.is_empty();
        let contiguous = if geometry.lines { count } else { geometry.contiguous() };
        let contiguous = if partial { contiguous } else { geometry.contiguous() };
        let width = widest(operator, partial, contiguous, 16);
        let (length, groups) =
            if geometry.lines { (count / width, geometry.results()) } else { (count, (geometry.results() / width).div_ceil(32)) };
        let side_by_side = length.next_power_of_two().min(if geometry.lines { FIXED_LINE } else { FIXED_COLUMN });
        let wanted = FIXED_PARTS.div_ceil(groups);
        let rows = length.div_ceil(side_by_side * wanted).clamp(1, FIXED_ROWS);
        let parts = if groups >= FIXED_PARTS { 1 } else { length.div_ceil(rows * side_by_side) };
        let parts =
            if partial { parts } else { parts.max(least_parts(geometry, operator, FIXED_BYTES)).min(length.div_ceil(side_by_side)) };
        passes.push([side_by_side, width, parts]);
        if parts == 1 {
            return passes;
        }
        count = parts;
    }
}

/// The passes of [`fixed_order`] for a device.
fn fixed(operator: &Operator, geometry: &Geometry, profile: &DeviceProfile) -> Recipe {
    let pass = |(i, [side_by_side, width, parts]): (usize, [u32; 3])| {
        let partial = i > 0;
        let most = most_invocations(operator, if geometry.lines { 1 } else { width }, profile);
        let subgroup = subgroup_for(operator, geometry, profile);
        let (workgroup, lanes) = match (geometry.lines, profile.is_cpu()) {
            (true, true) => (up_to(8, most), up_to(8, most).min(side_by_side)),
            (true, false) => (up_to(256, most), up_to(256, most).min(side_by_side)),
            (false, true) => (up_to(8, most), 1),
            (false, false) => (up_to(256, most), up_to(8, most).min(side_by_side)),
        };
        let accumulators = side_by_side / lanes;
        let unroll = (8 / accumulators).max(1);
        let _ = partial;
        Pass { workgroup, lanes, width, accumulators, unroll, parts, subgroup: subgroup.min(workgroup) }
    };
    Recipe::Passes(fixed_order(operator, geometry).into_iter().enumerate().map(pass).collect())
}

/// Whether a recipe combines in the order that the shape alone decides.
pub(super) fn is_fixed(recipe: &Recipe, operator: &Operator, geometry: &Geometry) -> bool {
    let Recipe::Passes(passes) = recipe else { return false };
    let own: Vec<[u32; 3]> = passes.iter().map(|pass| [pass.lanes * pass.accumulators, pass.width, pass.parts]).collect();
    own == fixed_order(operator, geometry)
}

/// Size of the subgroups to exchange values in, 0 for none.
fn subgroup_for(operator: &Operator, geometry: &Geometry, profile: &DeviceProfile) -> u32 {
    let usable = profile.subgroups && geometry.lines && operator.value() != Kind::F64;
    if usable && profile.subgroup_sizes[0].is_power_of_two() { profile.subgroup_sizes[0] } else { 0 }
}

/// Parts of a line or plane, so that none has more than so many bytes.
fn least_parts(geometry: &Geometry, operator: &Operator, most_bytes: u64) -> u32 {
    let columns = if geometry.lines { 1 } else { geometry.contiguous() };
    let bytes = u64::from(geometry.count()) * u64::from(columns) * u64::from(operator.input.bytes());
    bytes.div_ceil(most_bytes.max(1)).min(geometry.count().into()) as u32
}

/// The same for an array that is larger than a binding.
fn least_parts_for(geometry: &Geometry, operator: &Operator, profile: &DeviceProfile) -> u32 {
    let bytes = geometry.len as u64 * u64::from(operator.input.bytes());
    if bytes <= profile.binding_bytes { 1 } else { least_parts(geometry, operator, profile.binding_bytes / 2) }
}

/// Workgroups that keep a GPU busy.
const GROUPS: u32 = 1056;

fn fastest(operator: &Operator, geometry: &Geometry, profile: &DeviceProfile) -> Recipe {
    let mut passes: Vec<Pass> = Vec::new();
    let mut count = geometry.count();
    loop {
        let partial = !passes.is_empty();
        let contiguous = if geometry.lines && partial { count } else { geometry.contiguous() };
        let most_bytes = if profile.is_cpu() && profile.int64 { 32 } else { 16 };
        let width = widest(operator, partial, contiguous, most_bytes);
        let most = most_invocations(operator, if geometry.lines { 1 } else { width }, profile);
        let subgroup = subgroup_for(operator, geometry, profile);
        let pass = match (geometry.lines, profile.is_cpu()) {
            (true, false) => {
                let length = count / width;
                let results = geometry.results();
                let lanes = if results >= GROUPS { up_to(length / 8, most.min(256)) } else { up_to(length, most.min(256)) };
                let parts = if results >= GROUPS { 1 } else { length.div_ceil(lanes * 4).min(GROUPS.div_ceil(results)) };
                let parts = if length <= lanes * 16 { 1 } else { parts };
                Pass { workgroup: up_to(256, most), lanes, width, accumulators: 1, unroll: 8, parts, subgroup }
            }
            (true, true) => {
                let length = count / width;
                let lanes = up_to(8, most);
                let parts = if length <= 4096 { 1 } else { 128u32.div_ceil(geometry.results()) };
                Pass { workgroup: lanes, lanes, width, accumulators: 8, unroll: 1, parts, subgroup }
            }
            (false, false) => {
                let columns = geometry.contiguous() / width;
                let across = up_to(columns, 32.min(most));
                let lanes = up_to(count / 4, (256 / across).min(most / across));
                let groups = columns.div_ceil(across) * (geometry.results() / geometry.contiguous());
                let parts = if groups >= GROUPS / 2 { 1 } else { count.div_ceil(lanes * 4).min(GROUPS / groups.max(1)) };
                Pass { workgroup: across * lanes, lanes, width, accumulators: 1, unroll: 8, parts, subgroup: 0 }
            }
            (false, true) => Pass { workgroup: up_to(8, most), lanes: 1, width, accumulators: 1, unroll: 4, parts: 1, subgroup: 0 },
        };
        let least = if partial { 1 } else { least_parts_for(geometry, operator, profile) };
        let pass = Pass { parts: pass.parts.max(least), ..pass };
        let (_, parts) = pass.chunk(if geometry.lines { count / width } else { count });
        let pass = Pass { parts, subgroup: pass.subgroup.min(pass.workgroup), ..pass };
        passes.push(pass);
        if parts == 1 || passes.len() == MOST_PASSES {
            return Recipe::Passes(passes);
        }
        count = parts;
    }
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tree { workgroup } => write!(f, "tree {workgroup}"),
            Self::Passes(passes) => {
                for (i, pass) in passes.iter().enumerate() {
                    write!(f, "{}{pass}", if i == 0 { "" } else { " + " })?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { workgroup, lanes, width, accumulators, unroll, parts, subgroup } = self;
        write!(
            f,
            "workgroup={workgroup} lanes={lanes} width={width} accumulators={accumulators} unroll={unroll} parts={parts} subgroup={subgroup}"
        )
    }
}

/// Reads what [`Display`](fmt::Display) prints. What is left out is 1, the subgroup 0.
impl FromStr for Recipe {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = |why: &str| Error::Parse { what: "reduction recipe", text: text.to_owned(), why: why.to_owned() };
        if let Some(workgroup) = text.trim().strip_prefix("tree ") {
            return workgroup.trim().parse().map(|workgroup| Self::Tree { workgroup }).map_err(|_| wrong("a tree is `tree 256`"));
        }
        let pass = |text: &str| {
            let mut pass = Pass { workgroup: 1, lanes: 1, width: 1, accumulators: 1, unroll: 1, parts: 1, subgroup: 0 };
            let mut seen: Vec<&str> = Vec::new();
            for word in text.split_whitespace() {
                let (name, value) =
                    word.split_once('=').ok_or_else(|| wrong("it is `tree 256`, or passes of words such as `lanes=256`"))?;
                let value = value.parse().map_err(|_| wrong(&format!("`{value}` is no number")))?;
                let field = match name {
                    "workgroup" => &mut pass.workgroup,
                    "lanes" => &mut pass.lanes,
                    "width" => &mut pass.width,
                    "accumulators" => &mut pass.accumulators,
                    "unroll" => &mut pass.unroll,
                    "parts" => &mut pass.parts,
                    "subgroup" => &mut pass.subgroup,
                    _ => return Err(wrong(&format!("`{name}` is none of workgroup, lanes, width, accumulators, unroll, parts, subgroup"))),
                };
                *field = value;
                if seen.contains(&name) {
                    return Err(wrong(&format!("`{name}` stands a second time")));
                }
                seen.push(name);
            }
            if seen.is_empty() { Err(wrong("a pass says at least its workgroup")) } else { Ok(pass) }
        };
        Ok(Self::Passes(text.split('+').map(pass).collect::<Result<_>>()?))
    }
}
