//! Twin of `shaders/grid.wgsl`: rows of workgroups longer than one axis allows.

use crate::error::{Result, within};

/// Workgroups along x and y; z is always 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Grid {
    /// Workgroups along x.
    pub x: u32,
    /// Workgroups along y.
    pub y: u32,
}

impl Grid {
    /// At least `count` workgroups, at most `max_per_axis` along each axis.
    ///
    /// # Errors
    /// [`Error::LimitExceeded`](crate::Error::LimitExceeded) if `count` does not fit this rectangle
    /// or a u32.
    pub fn linear(count: u64, max_per_axis: u32) -> Result<Self> {
        let max = u64::from(max_per_axis.max(1));
        let available = (max * max).min(u64::from(u32::MAX));
        within(|| "a grid of workgroups".to_owned(), "max_compute_workgroups_per_dimension", count, available)?;
        let y = count.div_ceil(max).max(1);
        Ok(Self { x: count.div_ceil(y) as u32, y: y as u32 })
    }

    /// All workgroups, including the surplus of a folded grid.
    #[must_use]
    pub fn count(&self) -> u64 {
        u64::from(self.x) * u64::from(self.y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn folds_cover_the_count_with_little_surplus() {
        for count in [1, 2, 65_534, 65_535, 65_536, 65_537, 131_070, 131_071, 1 << 22, 16_777_259] {
            let grid = Grid::linear(count, 65_535).unwrap();
            assert!(grid.x <= 65_535 && grid.y <= 65_535, "{count}: {grid:?}");
            assert!(grid.count() >= count && grid.count() - count < u64::from(grid.y), "{count}: {grid:?}");
        }
        assert_eq!(Grid::linear(65_535, 65_535).unwrap(), Grid { x: 65_535, y: 1 });
        assert_eq!(Grid::linear(65_536, 65_535).unwrap(), Grid { x: 32_768, y: 2 });
    }

    #[test]
    fn grids_past_the_limit_are_refused() {
        assert!(matches!(Grid::linear(101, 10), Err(Error::LimitExceeded { required: 101, available: 100, .. })));
        assert!(Grid::linear(100, 10).is_ok());
    }
}
