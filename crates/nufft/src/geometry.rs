//! The fine grid of a transform, its tiles and bins, and whether a device has room for them.

use wgpu_fft::fft::{TransformKind, next_fast_len};
use wgpu_fft::{DeviceProfile, Error, Result, Shape};

use crate::real::Real;
use crate::window::Window;

/// Cells of a bin along the fastest axis; it has one along the others. Points are sorted by bins. 4
/// divides all tiles and 128, which the 7 bits of a place count.
pub(crate) const BIN: u32 = 4;

/// Points that an invocation adds to a tile at most. What more reach the tile are shared among
/// further invocations, so that points in one place do not make one invocation run for seconds.
pub(crate) const CHUNK: u32 = 2048;
/// Most points of a bin that are compared with one another, each with all. If a bin has more, all
/// points are sorted by digits.
pub(crate) const CROWD: u32 = 1024;

/// Axes are counted from the fastest one on, and have 1 cell where there are fewer than three.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Geometry {
    pub axes: usize,
    /// Cells of the fine grid.
    pub cells: [u32; 3],
    /// Cells that a point reaches along each axis.
    pub width: u32,
    /// Cells of a tile. An invocation keeps its cells in registers.
    pub tile: [u32; 3],
}

impl Geometry {
    /// A grid of twice as many cells as modes.
    pub fn new<T: Real>(profile: &DeviceProfile, shape: &Shape, window: &Window) -> Result<Self> {
        let least = |&modes: &usize| match modes {
            0 => Err(Error::Empty { what: "the modes", shape: shape.to_string() }),
            modes => Ok(modes.saturating_mul(2).max(2 * window.width as usize)),
        };
        let least = shape.extents().iter().map(least).collect::<Result<Vec<_>>>()?;
        Self::of_cells::<T>(profile, &least, window, &format!("the fine grid of {shape} modes"))
    }

    /// A grid of so many cells or more along the axes of a shape.
    pub fn of_cells<T: Real>(profile: &DeviceProfile, least: &[usize], window: &Window, what: &str) -> Result<Self> {
        let axes = least.len();
        check_axes(axes)?;
        let mut cells = [1; 3];
        for (own, &least) in cells.iter_mut().zip(least.iter().rev()) {
            let limit = 1u32 << 29;
            if least > limit as usize {
                let what = what.to_owned();
                return Err(Error::LimitExceeded { what, limit: "cells of an axis", required: least as u64, available: limit.into() });
            }
            *own = next_fast_len(profile, TransformKind::C2c, least)? as u32;
        }
        // Interpolation loads pairs of cells.
        while !cells[0].is_multiple_of(2) {
            cells[0] = next_fast_len(profile, TransformKind::C2c, cells[0] as usize + 1)? as u32;
        }
        // lavapipe, ms of type 1 at 1e-6. 512², a million points: 8x4 238, 16x4 246, 16x2 263, 4x4
        // 275, 8x2 285. 64³, 300,000 points, of processor time: 4x4x4 248, 8x4x4 188, 16x4x4 174;
        // at 1e-3 100, 77, 75. The longer, the fewer of its segments have no point. The cells of
        // 4x4x4 take 128 registers, or twice as many in f64, and a GPU's invocation has at most 255.
        let volume = if profile.is_cpu() { [8, 4, 4] } else { [4, 4, if T::DOUBLE { 2 } else { 4 }] };
        let tile = [[32, 1, 1], [8, 4, 1], volume][axes - 1];
        Ok(Self { axes, cells, width: window.width, tile })
    }

    /// Extents, slowest axis first.
    pub fn shape(&self) -> Vec<usize> {
        self.cells[..self.axes].iter().rev().map(|&cells| cells as usize).collect()
    }

    /// Cells of the fine grid.
    pub fn len(&self) -> u64 {
        self.cells.iter().map(|&cells| u64::from(cells)).product()
    }

    /// Tiles along each axis.
    pub fn tiles(&self) -> [u32; 3] {
        std::array::from_fn(|axis| self.cells[axis].div_ceil(self.tile[axis]))
    }

    /// Bins along the fastest axis.
    pub fn row_bins(&self) -> u32 {
        self.cells[0].div_ceil(BIN)
    }

    pub fn bins(&self) -> u64 {
        u64::from(self.row_bins()) * u64::from(self.cells[1]) * u64::from(self.cells[2])
    }

    /// Items of work that so many points need at most besides one for each tile.
    pub fn further_items(&self, points: u64) -> u64 {
        points * self.most_tiles() / u64::from(CHUNK)
    }

    /// How many tiles a point reaches at most, counted once more where a grid is so small that it
    /// reaches them from both sides.
    fn most_tiles(&self) -> u64 {
        let on_axis = |axis: usize| {
            let bin = if axis == 0 { BIN - 1 } else { 0 };
            // The cells of points that reach a tile, and tiles begin at multiples of its size, but
            // for the first one behind an incomplete tile at the end.
            let (tile, is_even) = (self.tile[axis], self.cells[axis].is_multiple_of(self.tile[axis]));
            let reach = tile + self.width - 1 + bin;
            u64::from((reach - 1) / tile + 1 + u32::from(!is_even))
        };
        (0..self.axes).map(on_axis).product()
    }

    /// Elements of the parts of further items.
    pub fn tile_len(&self) -> u64 {
        self.tile.iter().map(|&cells| u64::from(cells)).product()
    }
}

/// Refuses other numbers of axes than there are texts for.
pub(crate) fn check_axes(axes: usize) -> Result<()> {
    if (1..=3).contains(&axes) {
        return Ok(());
    }
    let what = format!("a transform on non-uniform points of {axes} axes");
    Err(Error::Unsupported { what, why: "it has 1 to 3 axes".to_owned() })
}

/// Refuses an array that a shader cannot see as a whole. As bindings are smaller than 4 GiB and
/// elements have 4 bytes or more, indices of what passes fit 30 bits.
pub(crate) fn check_bytes(profile: &DeviceProfile, what: &str, required: u64) -> Result<()> {
    let limits = [("max_storage_buffer_binding_size", profile.binding_bytes), ("max_buffer_size", profile.buffer_bytes)];
    match limits.into_iter().find(|(_, available)| required > *available) {
        Some((limit, available)) => Err(Error::LimitExceeded { what: format!("{what} (bytes)"), limit, required, available }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::Double;

    /// By counting, on small grids, with every tile that a segment of the spreading names.
    #[test]
    fn no_point_reaches_more_tiles_than_planned() {
        let gpu = DeviceProfile::webgpu_defaults();
        let processor = gpu.clone().with(|profile| profile.device_type = wgpu_fft::wgpu::DeviceType::Cpu);
        for (digits, shapes, profile) in
            [(1, 2..40, &gpu), (4, 5..60, &processor), (6, 7..60, &gpu), (6, 7..60, &processor), (12, 13..60, &gpu)]
        {
            let window = Window::new::<Double>(10f64.powi(-digits), 1);
            for modes in shapes {
                for axes in 1..=3 {
                    let geometry = Geometry::new::<f64>(profile, &Shape::from(&vec![modes; axes][..]), &window).unwrap();
                    let bound = geometry.most_tiles();
                    let most: u64 = (0..axes)
                        .map(|axis| {
                            let (n, tile, width) = (geometry.cells[axis], geometry.tile[axis], geometry.width);
                            let bin = if axis == 0 { BIN } else { 1 };
                            let reaches = |cell: u32| {
                                (0..n).step_by(tile as usize).map(move |corner| {
                                    let first = corner + 1 - width.min(corner + 1);
                                    let direct = first / bin <= cell / bin && cell / bin <= ((corner + tile).min(n) - 1) / bin;
                                    let around = corner + 1 < width && (n + corner + 1 - width) / bin <= cell / bin;
                                    u64::from(direct) + u64::from(around)
                                })
                            };
                            (0..n).map(|cell| reaches(cell).sum::<u64>()).max().unwrap()
                        })
                        .product();
                    assert!(most <= bound, "{geometry:?}: {most} > {bound}");
                }
            }
        }
    }
}
