//! Whether a recipe can do a permutation on a device, and if not, why.

use std::sync::Arc;

use super::problem::{Part, Problem};
use super::recipe::{Blocks, Recipe, Spread, Tiles, Walk};
use crate::error::{Error, Result};
use crate::gpu::DeviceProfile;
use crate::kernels::element::Width;
use crate::kernels::transpose::tiled::{self, Tile};
use crate::kernels::transpose::tiles::{self, Side};
use crate::kernels::transpose::{Matrices, gather, naive, strided, swap};
use crate::kernels::{Grid, Slot, copy};
use crate::strides::IoDim;

/// A permutation on a device, as an operation needs it.
pub(crate) struct Task<'a> {
    pub problem: &'a Problem,
    /// Dense matrices, and the bytes of their elements, if that is what it is: for the kernels that
    /// do nothing else.
    pub matrices: Option<(Matrices, u32)>,
    /// What it is, for labels and errors.
    pub label: String,
    pub slots: [Slot; 2],
    /// Bytes of the arrays.
    pub bytes: [u64; 2],
    pub profile: &'a DeviceProfile,
}

/// Most elements along a side of a tile.
const MAX_TILE: u32 = 1 << 16;

/// Most bytes that an invocation holds: 256 registers of 4.
const MAX_HELD: u32 = 1024;

/// Most blocks of an invocation: each is written out in the text.
const MAX_BLOCKS: u32 = 16;

/// Most spare elements or accesses at the end of a tile's row. Workgroup memory has 32 banks, so
/// more of them place the next row as fewer do.
const MAX_PADDING: u32 = 32;

/// Elements that a part of a copy is a multiple of: even as words they are 256 bytes long, so each
/// part begins where a binding may.
const COPY_UNIT: u32 = 64;

/// A reason why a recipe does not fit, or the error of a limit.
pub(super) enum Unfit {
    Why(String),
    Limit(Error),
}

impl From<Error> for Unfit {
    fn from(error: Error) -> Self {
        Self::Limit(error)
    }
}

type Fit<T> = std::result::Result<T, Unfit>;

/// A recipe that fits: what runs, and the parts that arrays larger than a binding are cut into.
pub(super) struct Fitted {
    pub runs: Runs,
    pub parts: Vec<Part>,
}

/// A kernel, with what the checks found out about it.
pub(super) enum Runs {
    Copy { width: Width, workgroup: u32 },
    Naive { matrices: Matrices, width: Width, workgroup: [u32; 2] },
    Tiled { matrices: Matrices, width: Width, tile: Tile },
    Tiles { form: Arc<tiles::Tiles>, turned: [usize; 2] },
    Strided { width: Width, block: strided::Block },
    Gather { bytes: u32, workgroup: [u32; 2] },
    Swap { bytes: u32, workgroup: [u32; 2], turned: [usize; 2] },
}

impl Runs {
    /// The workgroups for a part.
    fn grid(&self, problem: &Problem, max_groups: u32) -> Result<Grid> {
        match self {
            Self::Copy { workgroup, .. } => copy::grid(problem.axes[0].extent, *workgroup, max_groups),
            Self::Naive { matrices, workgroup, .. } => naive::grid(*matrices, *workgroup, max_groups),
            Self::Tiled { matrices, tile, .. } => tiled::grid(*matrices, *tile, max_groups),
            Self::Tiles { form, turned } => {
                Grid::linear(tiles::groups(form, tiles_along(problem, *turned, form.tile), outer(problem, turned)), max_groups)
            }
            Self::Strided { block, .. } => {
                let (x, y, axes) = fastest(problem);
                strided::grid([x.extent, y.extent], outer(problem, &axes), *block, max_groups)
            }
            Self::Gather { bytes, workgroup } => {
                let (x, y, axes) = rows(problem);
                gather::grid([x.extent, y.extent], outer(problem, &axes), *bytes, *workgroup, max_groups)
            }
            Self::Swap { workgroup, turned, .. } => {
                swap::grid(problem.axes[turned[1]].extent, outer(problem, turned), *workgroup, max_groups)
            }
        }
    }
}

/// The axes that the invocations of a workgroup go along, x and y, and their numbers. Where there
/// is none, it has one element.
fn plane(problem: &Problem, x: Option<usize>, y: Option<usize>) -> (IoDim, IoDim, Vec<usize>) {
    let axis = |i: Option<usize>| i.map_or(IoDim { extent: 1, strides: [0, 0] }, |i| problem.axes[i]);
    (axis(x), axis(y), x.into_iter().chain(y).collect())
}

/// The two fastest axes of the output.
pub(super) fn fastest(problem: &Problem) -> (IoDim, IoDim, Vec<usize>) {
    plane(problem, Some(0), (problem.axes.len() > 1).then_some(1))
}

/// Along x rows of neighbours in the output, along y those rows that are closest in the input.
pub(super) fn rows(problem: &Problem) -> (IoDim, IoDim, Vec<usize>) {
    let x = problem.axes.iter().position(|axis| axis.strides[1] == 1);
    let others = (0..problem.axes.len()).filter(|&i| Some(i) != x);
    plane(problem, x, others.min_by_key(|&i| problem.axes[i].strides[0]))
}

/// Indices of all axes but these.
fn outer(problem: &Problem, axes: &[usize]) -> u64 {
    problem.others::<4>(axes).2
}

/// Tiles along the axes b and a.
pub(super) fn tiles_along(problem: &Problem, axes: [usize; 2], tile: [u32; 2]) -> [u32; 2] {
    [0, 1].map(|i| problem.axes[axes[i]].extent.div_ceil(tile[i]))
}

impl Recipe {
    /// Whether the recipe can do it.
    pub(super) fn fits(&self, task: &Task<'_>) -> bool {
        self.fit(task).is_ok()
    }

    /// What its dispatches need, or why there are none.
    pub(super) fn fit(&self, task: &Task<'_>) -> Fit<Fitted> {
        let in_place = matches!(self, Self::Tiles(_) | Self::Blocks(_) | Self::Swap { .. });
        ensure(in_place || !task.problem.in_place, || "it does not work in place".to_owned())?;
        let fitted = match *self {
            Self::Copy => task.copy()?,
            Self::Naive { workgroup } => {
                let (matrices, width) = task.matrices()?;
                check_workgroup(workgroup, task.profile)?;
                task.whole(Runs::Naive { matrices, width, workgroup })
            }
            Self::Tiled { tile, padding, elements } => {
                let (matrices, width) = task.matrices()?;
                let tile = Tile { size: tile, padding, elements };
                check_tile(tile, width, task.profile)?;
                task.whole(Runs::Tiled { matrices, width, tile })
            }
            Self::Tiles(Tiles { tile, width, blocks, spread, walk }) => task.tiles(tile, width, blocks, Some(spread), false, walk)?,
            Self::Blocks(Blocks { tile, width, blocks, across, walk }) => task.tiles(tile, width, blocks, None, across, walk)?,
            Self::Strided { workgroup, elements } => task.strided(strided::Block { workgroup, elements })?,
            Self::Gather { workgroup } => {
                let bytes = task.small()?;
                check_workgroup(workgroup, task.profile)?;
                Fitted { runs: Runs::Gather { bytes, workgroup }, parts: task.parts(task.problem, |_| Some(1))? }
            }
            Self::Swap { workgroup } => task.swap(workgroup)?,
        };
        for part in &fitted.parts {
            fitted.runs.grid(&part.problem, task.profile.groups_per_axis)?;
        }
        Ok(fitted)
    }
}

fn ensure(fine: bool, why: impl FnOnce() -> String) -> Fit<()> {
    if fine { Ok(()) } else { Err(Unfit::Why(why())) }
}

fn check_workgroup([x, y]: [u32; 2], profile: &DeviceProfile) -> Fit<()> {
    let [most_x, most_y, _] = profile.workgroup_size;
    let invocations = u64::from(x) * u64::from(y);
    ensure(invocations > 0 && invocations <= profile.invocations.into() && x <= most_x && y <= most_y, || {
        format!("{x} x {y} invocations are not between 1 and {most_x} x {most_y}, {} in all", profile.invocations)
    })
}

fn check_tile(tile: Tile, width: Width, profile: &DeviceProfile) -> Fit<()> {
    let Tile { size, padding, elements } = tile;
    ensure(size > 0 && size <= profile.invocations && padding <= MAX_PADDING, || {
        format!("a tile has 1 to {} elements along a side and 0 to {MAX_PADDING} spare ones", profile.invocations)
    })?;
    ensure(elements > 0 && elements <= tiled::MAX_ELEMENTS && size.is_multiple_of(elements), || {
        format!("elements must divide the tile and be 1 to {}", tiled::MAX_ELEMENTS)
    })?;
    check_workgroup([size, size / elements], profile)?;
    let bytes = tile.area() * width.bytes();
    ensure(bytes <= profile.workgroup_bytes, || format!("it needs {bytes} bytes of workgroup memory of {}", profile.workgroup_bytes))
}

impl Task<'_> {
    /// Dense matrices whose elements have a width of their own.
    fn matrices(&self) -> Fit<(Matrices, Width)> {
        let (matrices, bytes) = self.matrices.ok_or_else(|| Unfit::Why("it is for dense matrices that are transposed".to_owned()))?;
        let why = || Unfit::Why(format!("it is for elements of 4, 8 or 16 bytes, not {bytes}"));
        let width = Width::of_bytes(bytes as usize).ok_or_else(why)?;
        let limit = self.profile.binding_bytes;
        let required = self.bytes[0].max(self.bytes[1]);
        if required > limit {
            let what = format!("{} (bytes)", self.label);
            return Err(Error::LimitExceeded { what, limit: "max_storage_buffer_binding_size", required, available: limit }.into());
        }
        Ok((matrices, width))
    }

    /// The width of the problem's elements, as they are moved.
    fn width(&self) -> Fit<Width> {
        let bytes = self.problem.bytes;
        let why = || format!("here it would move elements of {bytes} bytes, less than a word");
        Width::of_bytes(bytes as usize).ok_or_else(|| Unfit::Why(why()))
    }

    /// Bytes of elements that are smaller than words.
    fn small(&self) -> Fit<u32> {
        let bytes = self.problem.bytes;
        ensure(bytes < 4, || format!("here elements are moved {bytes} bytes at a time, and it is for 1 and 2"))?;
        Ok(bytes)
    }

    /// The axes b and a; of what stays as it is in place, two of length 1.
    fn turned(&self) -> Fit<(Problem, [usize; 2])> {
        let mut problem = self.problem.clone();
        if problem.in_place && problem.is_identity() {
            let one = IoDim { extent: 1, strides: [1, 2] };
            problem.axes = vec![one, IoDim { strides: [2, 1], ..one }];
            return Ok((problem, [1, 0]));
        }
        let why = || Unfit::Why("it is for what has neighbours in memory that are none in the output".to_owned());
        let axes = problem.turned().ok_or_else(why)?;
        Ok((problem, axes))
    }

    fn whole(&self, runs: Runs) -> Fitted {
        Fitted { runs, parts: vec![Part { problem: self.problem.clone(), ranges: [None; 2] }] }
    }

    /// Parts that are multiples of what `unit` says of each axis; none for an axis that stays
    /// whole.
    fn parts(&self, problem: &Problem, unit: impl Fn(usize) -> Option<u32>) -> Result<Vec<Part>> {
        let units: Vec<_> = (0..problem.axes.len()).map(unit).collect();
        problem.parts(&self.label, self.bytes, &units, self.profile)
    }

    fn copy(&self) -> Fit<Fitted> {
        let problem = self.problem;
        let fine = matches!(problem.axes[..], [axis] if axis.strides == [1, 1]) && problem.offsets == [0, 0];
        ensure(fine, || "a copy is for what keeps its order, without gaps".to_owned())?;
        let (width, profile) = (self.width()?, self.profile);
        let workgroup = profile.invocations.min(profile.workgroup_size[0]).min(copy::MAX_WORKGROUP);
        ensure(workgroup > 0, || "the device has no invocations".to_owned())?;
        let parts = self.parts(problem, |_| Some(COPY_UNIT))?;
        let aligned = parts.iter().all(|part| part.problem.offsets == [0, 0]);
        ensure(aligned, || "its parts begin within an alignment".to_owned())?;
        Ok(Fitted { runs: Runs::Copy { width, workgroup }, parts })
    }

    fn strided(&self, block: strided::Block) -> Fit<Fitted> {
        let width = self.width()?;
        check_workgroup(block.workgroup, self.profile)?;
        let most = strided::MAX_ELEMENTS;
        ensure((1..=most).contains(&block.elements), || format!("elements are 1 to {most}"))?;
        Ok(Fitted { runs: Runs::Strided { width, block }, parts: self.parts(self.problem, |_| Some(1))? })
    }

    fn swap(&self, workgroup: [u32; 2]) -> Fit<Fitted> {
        ensure(self.problem.in_place, || "it works in place".to_owned())?;
        let bytes = self.small()?;
        check_workgroup(workgroup, self.profile)?;
        let (problem, turned) = self.turned()?;
        let parts = self.parts(&problem, |i| (!turned.contains(&i)).then_some(1))?;
        Ok(Fitted { runs: Runs::Swap { bytes, workgroup, turned }, parts })
    }

    /// With tiles in workgroup memory if `spread` says how they lie there, else without.
    fn tiles(&self, tile: [u32; 2], width: [u32; 2], blocks: u32, spread: Option<Spread>, across: bool, walk: Walk) -> Fit<Fitted> {
        let (problem, turned) = self.turned()?;
        let [b, a] = turned;
        let (bytes, profile, in_place) = (problem.bytes, self.profile, problem.in_place);
        for width in width {
            ensure(matches!(width, 4 | 8 | 16) && width >= bytes || width == 32 && bytes >= 8, || {
                format!("accesses of elements of {bytes} bytes have {bytes} to 16 bytes, or 32 of 8 and 16, not {width}")
            })?;
            ensure(width != 32 || profile.int64, || "the device has no 64-bit integers, which accesses of 32 bytes consist of".to_owned())?;
        }
        let [load, store] = [0, 1].map(|side| width[side] / bytes);
        let aligned = [problem.aligned(0, a, load), problem.aligned(1, b, store)];
        let [load, store] = [(load, aligned[0]), (store, aligned[1])].map(|(elements, aligned)| Side { elements, shifted: !aligned });
        for (side, what) in [(load, "input"), (store, "output")] {
            let rows = || format!("rows of the {what} do not begin and end at multiples of {} elements", side.elements);
            ensure(!side.shifted || bytes < 4 && !in_place, rows)?;
        }
        ensure(!store.shifted || spread.is_some() && width[1] == 4, || {
            "rows of the output begin within words: that takes workgroup memory and store=4".to_owned()
        })?;
        ensure(!in_place || width[0] == width[1] && tile[0] == tile[1], || {
            "in place tiles are square, and both sides have the same accesses".to_owned()
        })?;
        let [rows, columns] = tile;
        ensure(rows > 0 && columns > 0 && rows <= MAX_TILE && columns <= MAX_TILE, || {
            format!("tiles have 1 to {MAX_TILE} elements a side")
        })?;
        ensure(rows.is_multiple_of(store.elements) && columns.is_multiple_of(load.elements), || {
            format!("a tile has whole blocks of {} x {} elements", store.elements, load.elements)
        })?;
        let grid = u64::from(rows / store.elements) * u64::from(columns / load.elements);
        ensure((1..=MAX_BLOCKS).contains(&blocks) && grid.is_multiple_of(blocks.into()), || {
            format!("blocks of an invocation are 1 to {MAX_BLOCKS} and divide the {grid} of the tile")
        })?;
        let invocations = grid / u64::from(blocks);
        let most = profile.invocations.min(profile.workgroup_size[0]);
        ensure(invocations <= most.into(), || format!("it needs {invocations} invocations of {most}"))?;
        let held = load.elements * store.elements * bytes * if spread.is_some() { blocks } else { 1 } * (1 + u32::from(in_place));
        ensure(held <= MAX_HELD, || format!("an invocation would hold {held} bytes, more than {MAX_HELD}"))?;
        match spread {
            Some(Spread::Padding(padding)) => ensure(padding <= MAX_PADDING, || format!("there are 0 to {MAX_PADDING} spare accesses"))?,
            Some(Spread::Swizzle) => ensure((rows / store.elements).is_power_of_two(), || {
                format!("rows of {} accesses are no power of two, as a swizzle needs", rows / store.elements)
            })?,
            None => {}
        }
        ensure(!matches!(walk, Walk::Bands(0)), || "a band has at least one row of tiles".to_owned())?;

        let unit = |i: usize| match i {
            i if i != a && i != b => Some(1),
            _ if in_place => None,
            i => Some(if i == a { columns } else { rows }),
        };
        let parts = self.parts(&problem, unit)?;
        let others = problem.axes.len() as u32 - 2;
        let mut form =
            tiles::Tiles { bytes, tile, load, store, blocks, memory: spread, across, walk, outer: others, in_place, guarded: false };
        for Part { problem, .. } in &parts {
            let groups = tiles::groups(&form, tiles_along(problem, turned, tile), outer(problem, &turned));
            let grid = Grid::linear(groups, profile.groups_per_axis)?;
            let whole = [(b, rows), (a, columns)].iter().all(|&(axis, tile)| problem.axes[axis].extent.is_multiple_of(tile));
            form.guarded |= !whole || grid.count() != groups;
        }
        let memory = form.memory_bytes();
        ensure(memory <= profile.workgroup_bytes.into(), || {
            format!("it needs {memory} bytes of workgroup memory of {}", profile.workgroup_bytes)
        })?;
        Ok(Fitted { runs: Runs::Tiles { form: Arc::new(form), turned }, parts })
    }
}
