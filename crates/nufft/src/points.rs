//! Points, sorted by the bins of the fine grid.

use std::marker::PhantomData;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use wgpu_fft::low_level::threads::side_by_side;
use wgpu_fft::{DeviceBuffer, Element, Error, Gpu, Planner, Result, View, wgpu};

use crate::device::{Dispatch, Kernel, begin_pass, binding, groups_for, spread_groups, uniform, whole};
use crate::digits::Digits;
use crate::geometry::{Geometry, check_bytes};
use crate::kernels::{BLOCK, Texts, place_words};
use crate::real::Real;

/// What the shaders know of the grid, as `shaders/grid.wgsl` has it.
#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Grid {
    pub n: [u32; 4],
    pub tiles: [u32; 4],
    pub bins: [u32; 2],
    pub points: u32,
    pub extra: u32,
}

/// 1/2π as a binary fraction, for angles in f64 of any size. The highest bits are first.
const INVERSE_TURN: [u128; 10] = [
    0x28be60db_9391054a_7f09d5f4_7d4d3770,
    0x36d8a566_4f10e410_7f9458ea_f7aef158,
    0x6dc91b8e_909374b8_01924bba_82746487,
    0x3f877ac7_2c4a69cf_ba208d7d_4baed121,
    0x3a671c09_ad17df90_4e64758e_60d4ce7d,
    0x272117e2_ef7e4a0e_c7fe25ff_f7816603,
    0xfbcbc462_d6829b47_db4d9fb3_c9f2c26d,
    0xd3d18fd9_a797fa8b_5d49eeb1_faf97c5e,
    0xcf41ce7d_e294a4ba_9afed7ec_47e35742,
    0x1580cc11_bf1edaea_fc33ef08_26bd0d87,
];

/// The word of it at such a place, the highest one first, and 0 outside.
pub(crate) fn inverse_turn_word(i: i32) -> u32 {
    let words = usize::try_from(i).ok().and_then(|i| INVERSE_TURN.get(i / 4));
    words.map_or(0, |words| (words >> (96 - 32 * (i % 4))) as u32)
}

/// The kernel that finds the bins of coordinates.
#[derive(Debug)]
pub(crate) struct Binning {
    kernel: Kernel,
    /// What it must know: the words of 1/2π after 6 words of zeros, for angles in f64, or what the
    /// coordinates of type 3 mean.
    words: Option<wgpu::Buffer>,
}

impl Binning {
    /// Of coordinates in radians.
    pub fn radians<T: Real>(planner: &Planner, texts: &Texts) -> Result<Self> {
        let words = if T::DOUBLE { Some(inverse_turn(planner.gpu())?) } else { None };
        Ok(Self { kernel: Kernel::new(planner, texts, "bin")?, words })
    }

    /// Of coordinates in radians in f64.
    pub fn radians_f64(planner: &Planner, texts: &Texts) -> Result<Self> {
        Ok(Self { kernel: Kernel::new(planner, texts, "bin f64")?, words: Some(inverse_turn(planner.gpu())?) })
    }

    /// Of coordinates of type 3 in f64, of which these words say what they mean.
    pub fn offsets(planner: &Planner, texts: &Texts, words: wgpu::Buffer) -> Result<Self> {
        Ok(Self { kernel: Kernel::new(planner, texts, "bin offsets")?, words: Some(words) })
    }
}

/// The words of 1/2π after 6 words of zeros.
fn inverse_turn(gpu: &Gpu) -> Result<wgpu::Buffer> {
    uniform::<[u32; 44]>(gpu, &std::array::from_fn(|i| inverse_turn_word(i as i32 - 6)))
}

/// The kernels that sort points by their bins.
#[derive(Debug)]
pub(crate) struct Sorting {
    scatter: Kernel,
    rank: Kernel,
    count: Kernel,
    moving: Kernel,
    sums: Kernel,
    scan: Kernel,
    extra: Kernel,
    arrange: Kernel,
    digits: Digits,
}

impl Sorting {
    pub fn new(planner: &Planner, texts: &Texts) -> Result<Self> {
        let kernel = |name| Kernel::new(planner, texts, name);
        Ok(Self {
            scatter: kernel("scatter")?,
            rank: kernel("rank")?,
            count: kernel("count")?,
            moving: kernel("move")?,
            sums: kernel("sums")?,
            scan: kernel("scan")?,
            extra: kernel("extra")?,
            arrange: kernel("arrange")?,
            digits: texts.digits,
        })
    }
}

/// Non-uniform points on the device, sorted for a grid. They serve every plan of the same shape,
/// tolerance and numbers, of either type and with any batch.
///
/// [`Plan::points`](crate::Plan::points) makes them of arrays on the host, and
/// [`Plan::alloc_points`](crate::Plan::alloc_points) and [`set`](Self::set) of arrays on the
/// device.
#[derive(Debug)]
pub struct Points<T = f32> {
    pub(crate) gpu: Gpu,
    pub(crate) geometry: Geometry,
    /// Finds the bins of coordinates in radians.
    bin: Arc<Binning>,
    len: usize,
    /// Nothing for no points.
    pub(crate) sorted: Option<Sorted>,
    numbers: PhantomData<T>,
}

/// The arrays of points, and the dispatches that fill them.
#[derive(Debug)]
pub(crate) struct Sorted {
    pub geometry: Geometry,
    pub len: usize,
    pub grid: wgpu::Buffer,
    /// The bin of each point, in the caller's order, and how many of the bin were counted before it.
    unsorted_keys: DeviceBuffer<u32>,
    ranks: DeviceBuffer<u32>,
    /// Whether a bin has more than [`CROWD`](crate::geometry::CROWD) points.
    crowded: DeviceBuffer<u32>,
    /// The bin of each point, and which one of the caller's it is, in the order of the bins.
    keys: DeviceBuffer<u32>,
    indices: DeviceBuffer<u32>,
    /// For each bin, the points before its own.
    pub starts: DeviceBuffer<u32>,
    /// The places of the points along each axis, in the caller's order.
    unsorted: DeviceBuffer<u32>,
    /// The same in the order of the bins.
    pub places: DeviceBuffer<u32>,
    /// For each tile, the further items of work before its own.
    pub extra: DeviceBuffer<u32>,
    /// Most further items.
    pub capacity: u64,
    /// What follows on finding the bins.
    sort: Vec<Dispatch>,
}

impl<T: Real> Points<T> {
    pub(crate) fn new(gpu: &Gpu, sorting: &Sorting, bin: &Arc<Binning>, geometry: &Geometry, len: usize) -> Result<Self> {
        let sorted = if len == 0 { None } else { Some(Sorted::new::<T>(gpu, sorting, geometry, len)?) };
        Ok(Self { gpu: gpu.clone(), geometry: geometry.clone(), bin: Arc::clone(bin), len, sorted, numbers: PhantomData })
    }

    /// How many points there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Records the sorting of other points, as many as before: one array of coordinates for each
    /// axis, in the order of the axes of the shape. What is recorded later uses them.
    ///
    /// A point with a coordinate that is NaN or infinite counts as absent: it adds nothing, and its
    /// value is 0.
    ///
    /// # Errors
    /// [`Error::WrongInputs`] for another number of arrays than there are axes;
    /// [`Error::WrongLen`], [`Error::MissingUsage`] and [`Error::Misaligned`] for arrays that do
    /// not fit.
    pub fn set(&self, encoder: &mut wgpu::CommandEncoder, coordinates: &[View<'_, T>]) -> Result<()> {
        check_axes(self.geometry.axes, coordinates.len())?;
        match &self.sorted {
            Some(sorted) => sorted.set(&self.gpu, &self.bin, encoder, coordinates),
            None => Ok(()),
        }
    }
}

/// Refuses another number of arrays of coordinates than there are axes.
fn check_axes(axes: usize, actual: usize) -> Result<()> {
    if actual == axes {
        return Ok(());
    }
    Err(Error::WrongInputs { spec: format!("points of {axes} axes"), expected: axes, actual })
}

/// Numbers that a thread of the host takes in one go.
pub(crate) const SHARE: usize = 1 << 18;

/// Refuses coordinates on the host that are no points, and says how many there are, and the least and
/// the largest one along each axis.
pub(crate) fn check_coordinates<T: Copy + Into<f64> + Sync>(axes: usize, coordinates: &[&[T]]) -> Result<(usize, Vec<[f64; 2]>)> {
    check_axes(axes, coordinates.len())?;
    let len = coordinates[0].len();
    let mut extents = Vec::new();
    for (axis, values) in coordinates.iter().enumerate() {
        if values.len() != len {
            return Err(Error::WrongLen { argument: "coordinates", expected: len, actual: values.len() });
        }
        let shares: Vec<&[T]> = values.chunks(SHARE).collect();
        let Some(own) = side_by_side(&shares, |share| extent(share)).into_iter().collect::<Option<Vec<_>>>() else {
            let i = values.iter().position(|&value| !value.into().is_finite()).unwrap_or_default();
            let what = format!("the coordinate {} of point {i} on axis {axis}", values[i].into());
            return Err(Error::Unsupported { what, why: "coordinates are finite".to_owned() });
        };
        extents
            .push(own.into_iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], [least, most]| [low.min(least), high.max(most)]));
    }
    Ok((len, extents))
}

/// The least and the largest number, or nothing if one is not finite.
fn extent<T: Copy + Into<f64>>(values: &[T]) -> Option<[f64; 2]> {
    // Several at once, as vectors of a processor have them.
    let (mut low, mut high, mut rest) = ([f64::INFINITY; 8], [f64::NEG_INFINITY; 8], [0.0; 8]);
    for values in values.chunks(8) {
        for (lane, &value) in values.iter().enumerate() {
            let value: f64 = value.into();
            low[lane] = if value < low[lane] { value } else { low[lane] };
            high[lane] = if value > high[lane] { value } else { high[lane] };
            // NaN, unless the number is finite.
            rest[lane] += value * 0.0;
        }
    }
    let all = |lanes: [f64; 8], chosen: fn(f64, f64) -> f64| lanes.into_iter().reduce(chosen).expect("there are lanes");
    (all(rest, |a, b| a + b) == 0.0).then(|| [all(low, f64::min), all(high, f64::max)])
}

impl Sorted {
    pub fn new<T: Real>(gpu: &Gpu, kernels: &Sorting, geometry: &Geometry, len: usize) -> Result<Self> {
        let profile = gpu.profile();
        let points = len as u64;
        let words = place_words::<T>(geometry.axes);
        check_bytes(profile, &format!("the places of {len} points"), 4 * points.saturating_mul(words as u64))?;
        check_bytes(profile, "the bins of the fine grid", 4 * (geometry.bins() + 1))?;
        let [x, y, z] = geometry.tiles();
        let tiles = u64::from(x) * u64::from(y) * u64::from(z);
        let capacity = geometry.further_items(points);
        let [cells_x, cells_y, cells_z] = geometry.cells;
        let grid = Grid {
            n: [cells_x, cells_y, cells_z, geometry.len() as u32],
            tiles: [x, y, z, tiles as u32],
            bins: [geometry.row_bins(), geometry.bins() as u32],
            points: len as u32,
            extra: capacity as u32,
        };
        let grid = uniform(gpu, &grid)?;
        let room = || gpu.alloc::<u32>(len);
        let (unsorted_keys, crowded) = (room()?, gpu.alloc(1)?);
        let (keys, indices) = ([room()?, room()?], [room()?, room()?]);
        let starts = gpu.alloc::<u32>(geometry.bins() as usize + 1)?;
        let [unsorted, places] = [gpu.alloc::<u32>(len * words)?, gpu.alloc(len * words)?];
        let extra = gpu.alloc::<u32>(tiles as usize + 1)?;

        let (mut sort, point_groups) = (Vec::new(), groups_for(profile, points, 1)?);
        scan(gpu, kernels, &starts, &mut sort)?;
        // The second arrays are free until digits are sorted.
        let [ranks, scattered] = [&keys[1], &indices[1]];
        let of_points = [(0, grid.as_entire_binding()), (1, whole(&unsorted_keys)), (3, whole(&starts))];
        let scatter = [&of_points[..], &[(2, whole(ranks)), (4, whole(scattered))]].concat();
        sort.push(kernels.scatter.on(gpu, &scatter, point_groups)?);
        let rank = [&of_points[..], &[(2, whole(scattered)), (4, whole(&keys[0])), (5, whole(&indices[0]))]].concat();
        sort.push(kernels.rank.on(gpu, &rank, point_groups)?);

        let Digits { bits, steps, .. } = kernels.digits;
        let blocks = points.div_ceil(u64::from(kernels.digits.block()));
        let block_groups = spread_groups(profile, blocks, 1)?;
        let digits = gpu.alloc::<u32>(blocks as usize * (1 << bits))?;
        for step in 0..steps as usize {
            // It ends with the first arrays.
            let left = steps as usize - step;
            let (from, to) = (left % 2, (left + 1) % 2);
            let own = if step == 0 { &unsorted_keys } else { &keys[from] };
            let words = uniform(gpu, &[len as u32, bits * step as u32, blocks as u32, u32::from(step == 0)])?;
            let read = [(0, words.as_entire_binding()), (1, whole(own)), (6, whole(&crowded))];
            sort.push(kernels.count.on(gpu, &[&read[..], &[(2, whole(&digits))]].concat(), block_groups)?);
            scan(gpu, kernels, &digits, &mut sort)?;
            let moved = [(2, whole(&indices[from])), (3, whole(&digits)), (4, whole(&keys[to])), (5, whole(&indices[to]))];
            sort.push(kernels.moving.on(gpu, &[&read[..], &moved].concat(), block_groups)?);
        }
        let arrange = [(0, grid.as_entire_binding()), (1, whole(&indices[0])), (2, whole(&unsorted)), (3, whole(&places))];
        sort.push(kernels.arrange.on(gpu, &arrange, point_groups)?);
        let bindings = [(0, grid.as_entire_binding()), (1, whole(&starts)), (2, whole(&extra))];
        sort.push(kernels.extra.on(gpu, &bindings, groups_for(profile, tiles + 1, 1)?)?);
        scan(gpu, kernels, &extra, &mut sort)?;
        let ([keys, ranks], [indices, _]) = (keys, indices);
        let geometry = geometry.clone();
        Ok(Self { geometry, len, grid, unsorted_keys, ranks, crowded, keys, indices, starts, unsorted, places, extra, capacity, sort })
    }

    /// Records the sorting of points with these coordinates, by axis, the slowest one first.
    pub fn set<T: Element>(&self, gpu: &Gpu, bin: &Binning, encoder: &mut wgpu::CommandEncoder, coordinates: &[View<'_, T>]) -> Result<()> {
        let views = coordinates.iter().map(|view| binding(gpu, "coordinates", *view, self.len)).collect::<Result<Vec<_>>>()?;
        let mut bindings = vec![(0, self.grid.as_entire_binding())];
        bindings.extend((2..).zip(views.into_iter().rev()));
        let Self { unsorted_keys, ranks, starts, unsorted, crowded, .. } = self;
        bindings.extend((5..).zip([unsorted_keys, ranks, starts, unsorted, crowded].map(whole)));
        bindings.extend(bin.words.as_ref().map(|words| (1, words.as_entire_binding())));
        let bin = bin.kernel.on(gpu, &bindings, groups_for(gpu.profile(), self.len as u64, 1)?)?;
        encoder.clear_buffer(starts.buffer(), 0, None);
        encoder.clear_buffer(crowded.buffer(), 0, None);
        let pass = &mut begin_pass(encoder);
        bin.record(pass);
        self.sort.iter().for_each(|dispatch| dispatch.record(pass));
        Ok(())
    }

    /// The bin of each point, in their order.
    pub fn sorted_keys(&self) -> &DeviceBuffer<u32> {
        &self.keys
    }

    /// Which point of the caller's comes where in the order of the bins.
    pub fn sorted_indices(&self) -> &DeviceBuffer<u32> {
        &self.indices
    }
}

/// The dispatches that replace each number by the sum of those before it.
fn scan(gpu: &Gpu, kernels: &Sorting, values: &DeviceBuffer<u32>, dispatches: &mut Vec<Dispatch>) -> Result<()> {
    let blocks = values.len().div_ceil(BLOCK as usize);
    let groups = spread_groups(gpu.profile(), blocks as u64, 1)?;
    let words = uniform(gpu, &[values.len() as u32, u32::from(blocks > 1), 0, 0])?;
    let sums = gpu.alloc::<u32>(blocks)?;
    if blocks > 1 {
        dispatches.push(kernels.sums.on(gpu, &[(0, words.as_entire_binding()), (1, whole(values)), (2, whole(&sums))], groups)?);
        scan(gpu, kernels, &sums, dispatches)?;
    }
    dispatches.push(kernels.scan.on(gpu, &[(0, words.as_entire_binding()), (1, whole(values)), (2, whole(&sums))], groups)?);
    Ok(())
}
