//! A recipe for a permutation as dispatches.

use std::sync::Arc;

use super::emit;
use super::problem::{Part, Problem};
use super::recipe::{Blocks, Recipe, Spread, Tiles, Walk};
use crate::error::{Error, Result};
use crate::gpu::DeviceProfile;
use crate::kernels::element::Width;
use crate::kernels::transpose::tiled::{self, Tile};
use crate::kernels::transpose::tiles::{self, Side};
use crate::kernels::transpose::{Arrays, Matrices, gather, naive, strided, swap};
use crate::kernels::{Dispatch, Slot, copy};
use crate::strides::IoDim;

/// What the dispatches of a permutation are about.
pub(crate) struct Task<'a> {
    pub problem: &'a Problem,
    /// Dense matrices, and the bytes of their elements, if that is what it is: for the kernels that do nothing else.
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

/// A reason why a recipe does not fit, or the error of a limit.
enum Unfit {
    Why(String),
    Limit(Error),
}

impl From<String> for Unfit {
    fn from(why: String) -> Self {
        Self::Why(why)
    }
}

impl From<Error> for Unfit {
    fn from(error: Error) -> Self {
        Self::Limit(error)
    }
}

/// How far a recipe is from doing it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fitness {
    Unfit,
    /// It would, if a limit of the device were larger.
    Exceeds,
    Fits,
}

type Fit<T> = std::result::Result<T, Unfit>;

impl Recipe {
    /// The dispatches of this recipe, for whatever operation needs a permutation.
    pub(crate) fn dispatches(&self, task: &Task<'_>) -> Result<Vec<Dispatch>> {
        self.try_dispatches(task).map_err(|unfit| match unfit {
            Unfit::Why(why) => Error::UnfitRecipe { recipe: self.to_string(), spec: task.label.clone(), why },
            Unfit::Limit(error) => error,
        })
    }

    /// Whether the recipe can do it.
    pub(super) fn fits(&self, task: &Task<'_>) -> Fitness {
        match self.try_dispatches(task) {
            Ok(_) => Fitness::Fits,
            Err(Unfit::Limit(_)) => Fitness::Exceeds,
            Err(Unfit::Why(_)) => Fitness::Unfit,
        }
    }

    fn try_dispatches(&self, task: &Task<'_>) -> Fit<Vec<Dispatch>> {
        let profile = task.profile;
        if task.problem.in_place && !matches!(self, Self::Tiles(_) | Self::Blocks(_) | Self::Swap { .. }) {
            return Err("it does not work in place".to_owned().into());
        }
        match *self {
            Self::Copy => task.copy(),
            Self::Naive { workgroup } => {
                let (matrices, width) = task.matrices()?;
                check_workgroup(workgroup, profile)?;
                Ok(vec![naive::dispatch(matrices, width, workgroup, profile.groups_per_axis, task.slots[0], task.slots[1])?])
            }
            Self::Tiled { tile, padding, elements } => {
                let (matrices, width) = task.matrices()?;
                let tile = Tile { size: tile, padding, elements };
                check_tile(tile, width, profile)?;
                Ok(vec![tiled::dispatch(matrices, width, tile, profile.groups_per_axis, task.slots[0], task.slots[1])?])
            }
            Self::Tiles(Tiles { tile, width, blocks, spread, walk }) => task.tiles(tile, width, blocks, Some(spread), false, walk),
            Self::Blocks(Blocks { tile, width, blocks, across, walk }) => task.tiles(tile, width, blocks, None, across, walk),
            Self::Strided { workgroup, elements } => task.strided(workgroup, elements),
            Self::Gather { workgroup } => task.gather(workgroup),
            Self::Swap { workgroup } => task.swap(workgroup),
        }
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
    ensure(size > 0 && size <= profile.invocations && padding <= 32, || {
        format!("a tile has 1 to {} elements along a side and 0 to 32 spare ones", profile.invocations)
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
        let (matrices, bytes) = self.matrices.ok_or_else(|| "it is for dense matrices that are transposed".to_owned())?;
        let width = Width::of_bytes(bytes as usize).ok_or_else(|| format!("it is for elements of 4, 8 or 16 bytes, not {bytes}"))?;
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

    fn parts(&self, granules: &[Option<u32>]) -> Result<Vec<Part>> {
        self.problem.parts(&self.label, self.bytes, granules, self.profile)
    }

    fn arrays(&self, part: &Part) -> Arrays {
        Arrays { slots: self.slots, ranges: part.ranges }
    }

    /// The dispatches of the parts, which say how many they are.
    fn labelled(&self, parts: &[Part], mut dispatch: impl FnMut(String, &Part) -> Fit<Dispatch>) -> Fit<Vec<Dispatch>> {
        let label = |i: usize| if parts.len() == 1 { self.label.clone() } else { format!("{} ({} of {})", self.label, i + 1, parts.len()) };
        parts.iter().enumerate().map(|(i, part)| dispatch(label(i), part)).collect()
    }

    fn copy(&self) -> Fit<Vec<Dispatch>> {
        let problem = self.problem;
        let fine = matches!(problem.axes[..], [axis] if axis.strides == [1, 1]) && problem.offsets == [0, 0];
        ensure(fine, || "a copy is for what keeps its order, without gaps".to_owned())?;
        let (width, profile) = (self.width()?, self.profile);
        let workgroup = profile.invocations.min(profile.workgroup_size[0]).min(copy::MAX_WORKGROUP);
        ensure(workgroup > 0, || "the device has no invocations".to_owned())?;
        self.labelled(&self.parts(&[Some(64)])?, |_, part| {
            let length = part.problem.axes[0].extent;
            let mut dispatch = copy::dispatch(length, width, workgroup, profile.groups_per_axis, self.slots[0], self.slots[1])?;
            // A part begins where its bindings do: a granule is as long as any alignment.
            dispatch.binds.iter_mut().zip(part.ranges).for_each(|(bind, range)| bind.range = range);
            ensure(part.problem.offsets == [0, 0], || "its parts begin within an alignment".to_owned())?;
            Ok(dispatch)
        })
    }

    fn strided(&self, workgroup: [u32; 2], elements: u32) -> Fit<Vec<Dispatch>> {
        let width = self.width()?;
        check_workgroup(workgroup, self.profile)?;
        let most = strided::MAX_ELEMENTS;
        ensure((1..=most).contains(&elements), || format!("elements are 1 to {most}"))?;
        let granules: Vec<_> = self.problem.axes.iter().map(|_| Some(1)).collect();
        self.labelled(&self.parts(&granules)?, |label, part| {
            let problem = &part.problem;
            let x = problem.axes[0];
            let y = problem.axes.get(1).copied();
            let ([outer_0, outer_1, _], [input, output], outer) = problem.others::<3>(&[0, 1]);
            let params = strided::Params {
                extent_x: x.extent,
                extent_y: y.map_or(1, |y| y.extent),
                blocks_x: 0,
                blocks_y: 0,
                groups: 0,
                input: problem.offsets[0],
                output: problem.offsets[1],
                outer_0,
                outer_1,
                input_x: x.strides[0],
                input_y: y.map_or(0, |y| y.strides[0]),
                input_0: input[0],
                input_1: input[1],
                input_2: input[2],
                output_x: x.strides[1],
                output_y: y.map_or(0, |y| y.strides[1]),
                output_0: output[0],
                output_1: output[1],
                output_2: output[2],
            };
            let block = strided::Block { workgroup, elements };
            Ok(strided::dispatch(label, params, outer, width, block, self.profile.groups_per_axis, self.arrays(part))?)
        })
    }

    fn small(&self) -> Fit<u32> {
        let bytes = self.problem.bytes;
        ensure(bytes < 4, || format!("here elements are moved {bytes} bytes at a time, and it is for 1 and 2"))?;
        Ok(bytes)
    }

    fn gather(&self, workgroup: [u32; 2]) -> Fit<Vec<Dispatch>> {
        let bytes = self.small()?;
        check_workgroup(workgroup, self.profile)?;
        let granules: Vec<_> = self.problem.axes.iter().map(|_| Some(1)).collect();
        self.labelled(&self.parts(&granules)?, |label, part| {
            let problem = &part.problem;
            let x = problem.axes.iter().position(|axis| axis.strides[1] == 1);
            // Rows that are neighbours in the input are gathered together.
            let others = (0..problem.axes.len()).filter(|&i| Some(i) != x);
            let y = others.min_by_key(|&i| problem.axes[i].strides[0]);
            let of = |axis: Option<usize>| axis.map_or((1, [0, 0]), |i| (problem.axes[i].extent, problem.axes[i].strides));
            let ((extent_x, strides_x), (extent_y, strides_y)) = (of(x), of(y));
            let without: Vec<usize> = x.into_iter().chain(y).collect();
            let ([outer_0, outer_1, outer_2, _], [input, output], outer) = problem.others::<4>(&without);
            let params = gather::Params {
                extent_x,
                extent_y,
                words: 0,
                blocks_x: 0,
                blocks_y: 0,
                groups: 0,
                input: problem.offsets[0],
                output: problem.offsets[1],
                outer_0,
                outer_1,
                outer_2,
                input_x: strides_x[0],
                input_y: strides_y[0],
                input_0: input[0],
                input_1: input[1],
                input_2: input[2],
                input_3: input[3],
                output_y: strides_y[1],
                output_0: output[0],
                output_1: output[1],
                output_2: output[2],
                output_3: output[3],
            };
            Ok(gather::dispatch(label, params, outer, bytes, workgroup, self.profile.groups_per_axis, self.arrays(part))?)
        })
    }

    /// The axes b and a; of what stays as it is in place, two of length 1.
    fn turned(&self) -> Fit<(Problem, [usize; 2])> {
        let mut problem = self.problem.clone();
        if problem.in_place && problem.is_identity() {
            let one = IoDim { extent: 1, strides: [1, 2] };
            problem.axes = vec![one, IoDim { strides: [2, 1], ..one }];
            return Ok((problem, [1, 0]));
        }
        let axes = problem.turned().ok_or_else(|| "it is for what has neighbours in memory that are none in the output".to_owned())?;
        Ok((problem, axes))
    }

    fn swap(&self, workgroup: [u32; 2]) -> Fit<Vec<Dispatch>> {
        ensure(self.problem.in_place, || "it works in place".to_owned())?;
        let bytes = self.small()?;
        check_workgroup(workgroup, self.profile)?;
        let (problem, [b, a]) = self.turned()?;
        let granules: Vec<_> = (0..problem.axes.len()).map(|i| (i != a && i != b).then_some(1)).collect();
        let parts = problem.parts(&self.label, self.bytes, &granules, self.profile)?;
        self.labelled(&parts, |label, part| {
            let problem = &part.problem;
            let ([outer_0, outer_1, _], [strides, _], outer) = problem.others::<3>(&[b, a]);
            let params = swap::Params {
                extent: problem.axes[a].extent,
                blocks_x: 0,
                blocks_y: 0,
                groups: 0,
                data: problem.offsets[0],
                row: problem.axes[b].strides[0],
                outer_0,
                outer_1,
                data_0: strides[0],
                data_1: strides[1],
                data_2: strides[2],
            };
            Ok(swap::dispatch(label, params, outer, bytes, workgroup, self.profile.groups_per_axis, self.arrays(part))?)
        })
    }

    /// With tiles in workgroup memory if `spread` says how they lie there, else without.
    fn tiles(&self, tile: [u32; 2], width: [u32; 2], blocks: u32, spread: Option<Spread>, across: bool, walk: Walk) -> Fit<Vec<Dispatch>> {
        let (problem, [b, a]) = self.turned()?;
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
        ensure((1..=16).contains(&blocks) && grid.is_multiple_of(blocks.into()), || {
            format!("blocks of an invocation are 1 to 16 and divide the {grid} of the tile")
        })?;
        let invocations = grid / u64::from(blocks);
        let most = profile.invocations.min(profile.workgroup_size[0]);
        ensure(invocations <= most.into(), || format!("it needs {invocations} invocations of {most}"))?;
        let held = load.elements * store.elements * bytes * if spread.is_some() { blocks } else { 1 } * (1 + u32::from(in_place));
        ensure(held <= MAX_HELD, || format!("an invocation would hold {held} bytes, more than {MAX_HELD}"))?;
        match spread {
            Some(Spread::Padding(padding)) => ensure(padding <= 32, || "there are 0 to 32 spare accesses".to_owned())?,
            Some(Spread::Swizzle) => ensure((rows / store.elements).is_power_of_two(), || {
                format!("rows of {} accesses are no power of two, as a swizzle needs", rows / store.elements)
            })?,
            None => {}
        }
        ensure(!matches!(walk, Walk::Bands(0)), || "a band has at least one row of tiles".to_owned())?;

        let granules: Vec<_> = (0..problem.axes.len())
            .map(|i| match i {
                i if i != a && i != b => Some(1),
                _ if in_place => None,
                i => Some(if i == a { columns } else { rows }),
            })
            .collect();
        let parts = problem.parts(&self.label, self.bytes, &granules, profile)?;
        let count = |part: &Part| [(b, rows), (a, columns)].map(|(axis, tile)| part.problem.axes[axis].extent.div_ceil(tile));
        let others = (0..problem.axes.len()).filter(|i| *i != a && *i != b).count() as u32;
        let mut form =
            tiles::Tiles { bytes, tile, load, store, blocks, memory: spread, across, walk, outer: others, in_place, guarded: false };
        for part in &parts {
            let (_, _, outer) = part.problem.others::<3>(&[b, a]);
            let groups = tiles::groups(&form, count(part), outer);
            let grid = crate::kernels::Grid::linear(groups, profile.groups_per_axis)?;
            let whole = [(b, rows), (a, columns)].iter().all(|&(axis, tile)| part.problem.axes[axis].extent.is_multiple_of(tile));
            form.guarded |= !whole || grid.count() != groups;
        }
        let memory = form.memory_bytes();
        ensure(memory <= profile.workgroup_bytes.into(), || {
            format!("it needs {memory} bytes of workgroup memory of {}", profile.workgroup_bytes)
        })?;
        let text: Arc<str> = emit::wgsl(&form).into();
        let form = Arc::new(form);
        self.labelled(&parts, |label, part| {
            let problem = &part.problem;
            let ([outer_0, outer_1, _], [mut input, mut output], outer) = problem.others::<3>(&[b, a]);
            let [tiles_b, tiles_a] = count(part);
            let unit = |side: Side| if side.shifted { 1 } else { side.elements };
            let units = [unit(load), unit(store)];
            input.iter_mut().for_each(|stride| *stride /= units[0]);
            output.iter_mut().for_each(|stride| *stride /= units[1]);
            let params = tiles::Params {
                extent_a: problem.axes[a].extent,
                extent_b: problem.axes[b].extent,
                tiles_a,
                tiles_b,
                groups: tiles::groups(&form, [tiles_b, tiles_a], outer) as u32,
                input: problem.offsets[0] / units[0],
                output: problem.offsets[1] / units[1],
                input_b: problem.axes[b].strides[0] / units[0],
                output_a: problem.axes[a].strides[1] / units[1],
                outer_0,
                outer_1,
                input_0: input[0],
                input_1: input[1],
                input_2: input[2],
                output_0: output[0],
                output_1: output[1],
                output_2: output[2],
            };
            Ok(tiles::dispatch(label, params, &form, text.clone(), profile.groups_per_axis, self.arrays(part))?)
        })
    }
}
