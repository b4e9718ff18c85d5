//! Checks whether a device can run a recipe for a permutation, and if not, says why.

use std::sync::Arc;

use super::recipe::{Blocks, Recipe, Spread, Tiles, Walk};
use super::strides::{Part, Problem};
use crate::error::{Error, Result, within};
use crate::gpu::DeviceProfile;
use crate::kernels::element::Width;
use crate::kernels::transpose::tiled::{self, Tile};
use crate::kernels::transpose::tiles::{self, Side};
use crate::kernels::transpose::{Matrices, strided};
use crate::kernels::{Grid, Slot, copy};
use crate::plan::{self, check_invocations, check_memory, check_workgroup, ensure};
use crate::strides::IoDim;

/// A permutation on a device, as an operation needs it.
pub(crate) struct OnDevice<'a> {
    pub problem: &'a Problem,
    /// The dense matrices and the size of their elements in bytes, if the permutation transposes
    /// such matrices. Some kernels can do nothing else.
    pub matrices: Option<(Matrices, u32)>,
    /// The name of the permutation in labels and errors.
    pub label: String,
    pub slots: [Slot; 2],
    /// The sizes of input and output in bytes.
    pub bytes: [u64; 2],
    pub profile: &'a DeviceProfile,
}

/// The most elements along a side of a tile.
const MAX_TILE: u32 = 1 << 16;

/// The most bytes that an invocation holds: 256 registers of 4 bytes.
const MAX_HELD: u32 = 1024;

/// The most blocks of an invocation. Each is written out in the WGSL.
const MAX_BLOCKS: u32 = 16;

/// The most elements or accesses of padding in a tile's row. Workgroup memory has 32 banks, so more
/// padding has the same effect as less.
const MAX_PADDING: u32 = 32;

/// Parts of a copy are multiples of this many elements. Even if elements are words, this makes 256
/// bytes, so each part begins where a binding may begin.
const COPY_UNIT: u32 = 64;

/// Why a recipe does not fit: a reason, or the error of a limit.
pub(super) enum Unfit {
    Why(String),
    Limit(Error),
}

impl From<Error> for Unfit {
    fn from(error: Error) -> Self {
        Self::Limit(error)
    }
}

impl From<String> for Unfit {
    fn from(why: String) -> Self {
        Self::Why(why)
    }
}

impl Unfit {
    /// The error that a caller gets.
    pub fn error(self, recipe: &Recipe, label: &str) -> Error {
        match self {
            Self::Why(why) => Error::UnfitRecipe { recipe: recipe.to_string(), spec: label.to_owned(), why },
            Self::Limit(error) => error,
        }
    }
}

pub(super) type Fit<T> = std::result::Result<T, Unfit>;

/// A recipe that fits: its kernel, and the parts into which arrays larger than a binding are cut.
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

/// The axes x and y along which the invocations of a workgroup go, and their numbers. A missing
/// axis has extent 1.
fn plane(problem: &Problem, x: Option<usize>, y: Option<usize>) -> (IoDim, IoDim, Vec<usize>) {
    let axis = |i: Option<usize>| i.map_or(IoDim { extent: 1, strides: [0, 0] }, |i| problem.axes[i]);
    (axis(x), axis(y), x.into_iter().chain(y).collect())
}

/// The two fastest axes of the output.
pub(super) fn fastest(problem: &Problem) -> (IoDim, IoDim, Vec<usize>) {
    plane(problem, Some(0), (problem.axes.len() > 1).then_some(1))
}

/// x is the axis that is contiguous in the output; y is the other axis with the smallest stride in
/// the input.
pub(super) fn rows(problem: &Problem) -> (IoDim, IoDim, Vec<usize>) {
    let x = problem.axes.iter().position(|axis| axis.strides[1] == 1);
    let others = (0..problem.axes.len()).filter(|&i| Some(i) != x);
    plane(problem, x, others.min_by_key(|&i| problem.axes[i].strides[0]))
}

/// The number of tiles along the axes b and a.
pub(super) fn tiles_along(problem: &Problem, axes: [usize; 2], tile: [u32; 2]) -> [u32; 2] {
    [0, 1].map(|i| problem.axes[axes[i]].extent.div_ceil(tile[i]))
}

impl Recipe {
    /// Whether the recipe fits.
    pub(super) fn fits(&self, task: &OnDevice<'_>) -> bool {
        self.fit(task).is_ok()
    }

    /// What the dispatches need, or why the recipe does not fit. Their grids have limits as well.
    pub(super) fn fit(&self, task: &OnDevice<'_>) -> Fit<Fitted> {
        let fitted = self.fit_but_for_grids(task)?;
        fitted.dispatches(task, &Arc::default())?;
        Ok(fitted)
    }

    /// The same without the check of the grids, which dispatches have when they are made.
    pub(super) fn fit_but_for_grids(&self, task: &OnDevice<'_>) -> Fit<Fitted> {
        let in_place = matches!(self, Self::Tiles(_) | Self::Blocks(_) | Self::Swap { .. });
        ensure(in_place || !task.problem.in_place, || "it does not work in place".to_owned())?;
        Ok(match *self {
            Self::Copy => task.copy()?,
            Self::Naive { workgroup } => {
                let (matrices, width) = task.matrices()?;
                check_workgroup(workgroup, task.profile)?;
                task.whole(Runs::Naive { matrices, width, workgroup })
            }
            Self::Tiled { tile, padding, elements } => {
                let (matrices, width) = task.matrices()?;
                let tile = Tile { size: tile, padding, elements };
                check_tile(tile, task.profile)?;
                check_memory(u64::from(tile.area()) * u64::from(width.bytes()), task.profile)?;
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
        })
    }
}

pub(super) fn check_tile(tile: Tile, profile: &DeviceProfile) -> plan::Fit {
    let Tile { size, padding, elements } = tile;
    ensure(size > 0 && size <= profile.invocations && padding <= MAX_PADDING, || {
        format!("a tile must have 1 to {} elements along a side and 0 to {MAX_PADDING} elements of padding", profile.invocations)
    })?;
    ensure(elements > 0 && elements <= tiled::MAX_ELEMENTS && size.is_multiple_of(elements), || {
        format!("elements must divide the tile and be 1 to {}", tiled::MAX_ELEMENTS)
    })?;
    check_workgroup([size, size / elements], profile)
}

impl OnDevice<'_> {
    /// The dense matrices and the width of their elements, if the matrices fit one binding.
    fn matrices(&self) -> Fit<(Matrices, Width)> {
        let (matrices, bytes) = self.matrices.ok_or_else(|| "it can only transpose dense matrices".to_owned())?;
        let why = || format!("it needs elements of 4, 8 or 16 bytes, not {bytes}");
        let width = Width::of_bytes(bytes as usize).ok_or_else(why)?;
        let required = self.bytes[0].max(self.bytes[1]);
        within(|| format!("{} (bytes)", self.label), "max_storage_buffer_binding_size", required, self.profile.binding_bytes)?;
        Ok((matrices, width))
    }

    /// The width of the problem's elements as they are moved.
    fn width(&self) -> plan::Fit<Width> {
        let bytes = self.problem.bytes;
        let why = || format!("here it would move elements of {bytes} bytes, which is less than a word");
        Width::of_bytes(bytes as usize).ok_or_else(why)
    }

    /// The bytes of elements that are smaller than words.
    fn small(&self) -> plan::Fit<u32> {
        let bytes = self.problem.bytes;
        ensure(bytes < 4, || format!("it moves elements of 1 or 2 bytes, but here {bytes} bytes can be moved at a time"))?;
        Ok(bytes)
    }

    /// The axes b and a. If nothing moves in place, two axes of extent 1.
    fn turned(&self) -> plan::Fit<(Problem, [usize; 2])> {
        let mut problem = self.problem.clone();
        if problem.in_place && problem.is_identity() {
            let one = IoDim { extent: 1, strides: [1, 2] };
            problem.axes = vec![one, IoDim { strides: [2, 1], ..one }];
            return Ok((problem, [1, 0]));
        }
        let why = || "it needs a permutation that separates neighbours in memory".to_owned();
        let axes = problem.turned().ok_or_else(why)?;
        Ok((problem, axes))
    }

    fn whole(&self, runs: Runs) -> Fitted {
        Fitted { runs, parts: vec![Part { problem: self.problem.clone(), ranges: [None; 2] }] }
    }

    /// Cuts the problem into parts. `unit` gives, for each axis, the number of elements of which
    /// pieces are multiples; `None` for an axis that stays whole.
    fn parts(&self, problem: &Problem, unit: impl Fn(usize) -> Option<u32>) -> Result<Vec<Part>> {
        let units: Vec<_> = (0..problem.axes.len()).map(unit).collect();
        problem.parts(&self.label, self.bytes, &units, self.profile)
    }

    fn copy(&self) -> Fit<Fitted> {
        let problem = self.problem;
        let fine = matches!(problem.axes[..], [axis] if axis.strides == [1, 1]) && problem.offsets == [0, 0];
        ensure(fine, || "a copy needs elements that keep their order, without gaps".to_owned())?;
        let (width, profile) = (self.width()?, self.profile);
        let workgroup = profile.invocations_in_a_row().min(copy::MAX_WORKGROUP);
        ensure(workgroup > 0, || "the device allows no invocations in a workgroup".to_owned())?;
        let parts = self.parts(problem, |_| Some(COPY_UNIT))?;
        let aligned = parts.iter().all(|part| part.problem.offsets == [0, 0]);
        ensure(aligned, || "its parts do not begin at aligned offsets".to_owned())?;
        Ok(Fitted { runs: Runs::Copy { width, workgroup }, parts })
    }

    fn strided(&self, block: strided::Block) -> Fit<Fitted> {
        let width = self.width()?;
        check_workgroup(block.workgroup, self.profile)?;
        let most = strided::MAX_ELEMENTS;
        ensure((1..=most).contains(&block.elements), || format!("elements must be 1 to {most}"))?;
        Ok(Fitted { runs: Runs::Strided { width, block }, parts: self.parts(self.problem, |_| Some(1))? })
    }

    fn swap(&self, workgroup: [u32; 2]) -> Fit<Fitted> {
        ensure(self.problem.in_place, || "it only works in place".to_owned())?;
        let bytes = self.small()?;
        check_workgroup(workgroup, self.profile)?;
        let (problem, turned) = self.turned()?;
        let parts = self.parts(&problem, |i| (!turned.contains(&i)).then_some(1))?;
        Ok(Fitted { runs: Runs::Swap { bytes, workgroup, turned }, parts })
    }

    /// With tiles in workgroup memory if `spread` says how they are stored there, else without.
    fn tiles(&self, tile: [u32; 2], width: [u32; 2], blocks: u32, spread: Option<Spread>, across: bool, walk: Walk) -> Fit<Fitted> {
        let (problem, turned) = self.turned()?;
        let [b, a] = turned;
        let (bytes, profile, in_place) = (problem.bytes, self.profile, problem.in_place);
        for width in width {
            ensure(matches!(width, 4 | 8 | 16) && width >= bytes || width == 32 && bytes >= 8, || {
                format!(
                    "accesses must be powers of two from 4 to 16 bytes and no smaller than an element of {bytes} bytes, or 32 bytes for elements of 8 and 16, not {width}"
                )
            })?;
            ensure(width != 32 || profile.int64, || {
                "accesses of 32 bytes need 64-bit integers, which the device does not support".to_owned()
            })?;
        }
        let [load, store] = [0, 1].map(|side| width[side] / bytes);
        let aligned = [problem.aligned(0, a, load), problem.aligned(1, b, store)];
        let [load, store] = [(load, aligned[0]), (store, aligned[1])].map(|(elements, aligned)| Side { elements, shifted: !aligned });
        for (side, what) in [(load, "input"), (store, "output")] {
            let rows = || format!("rows of the {what} do not begin and end at multiples of {} elements", side.elements);
            ensure(!side.shifted || bytes < 4 && !in_place, rows)?;
        }
        ensure(!store.shifted || spread.is_some() && width[1] == 4, || {
            "rows of the output begin within words, which requires workgroup memory and store=4".to_owned()
        })?;
        ensure(!in_place || width[0] == width[1] && tile[0] == tile[1], || {
            "in place, tiles must be square and both sides must have the same accesses".to_owned()
        })?;
        let [rows, columns] = tile;
        ensure(rows > 0 && columns > 0 && rows <= MAX_TILE && columns <= MAX_TILE, || {
            format!("tiles must have 1 to {MAX_TILE} elements along each side")
        })?;
        ensure(rows.is_multiple_of(store.elements) && columns.is_multiple_of(load.elements), || {
            format!("a tile must consist of whole blocks of {} x {} elements", store.elements, load.elements)
        })?;
        let grid = u64::from(rows / store.elements) * u64::from(columns / load.elements);
        ensure((1..=MAX_BLOCKS).contains(&blocks) && grid.is_multiple_of(blocks.into()), || {
            format!("the blocks of an invocation must be 1 to {MAX_BLOCKS} and divide the {grid} blocks of the tile")
        })?;
        check_invocations(grid / u64::from(blocks), profile)?;
        let held = load.elements * store.elements * bytes * if spread.is_some() { blocks } else { 1 } * (1 + u32::from(in_place));
        ensure(held <= MAX_HELD, || format!("an invocation would hold {held} bytes, more than {MAX_HELD}"))?;
        match spread {
            Some(Spread::Padding(padding)) => {
                ensure(padding <= MAX_PADDING, || format!("the padding must be 0 to {MAX_PADDING} accesses"))?
            }
            Some(Spread::Swizzle) => ensure((rows / store.elements).is_power_of_two(), || {
                format!("a swizzle needs rows of a power of two of accesses, not of {}", rows / store.elements)
            })?,
            None => {}
        }
        ensure(!matches!(walk, Walk::Bands(0)), || "a band must have at least one row of tiles".to_owned())?;

        let unit = |i: usize| match i {
            i if i != a && i != b => Some(1),
            _ if in_place => None,
            i => Some(if i == a { columns } else { rows }),
        };
        let parts = self.parts(&problem, unit)?;
        let others = problem.axes.len() as u32 - 2;
        let int64 = profile.int64 && (load.shifted || store.shifted);
        let mut form =
            tiles::Tiles { bytes, tile, load, store, blocks, memory: spread, across, walk, outer: others, in_place, guarded: false, int64 };
        for Part { problem, .. } in &parts {
            let groups = tiles::groups(&form, tiles_along(problem, turned, tile), problem.others::<3>(&turned).2);
            let grid = Grid::linear(groups, profile.groups_per_axis)?;
            let whole = [(b, rows), (a, columns)].iter().all(|&(axis, tile)| problem.axes[axis].extent.is_multiple_of(tile));
            form.guarded |= !whole || grid.count() != groups;
        }
        check_memory(form.memory_bytes(), profile)?;
        Ok(Fitted { runs: Runs::Tiles { form: Arc::new(form), turned }, parts })
    }
}
