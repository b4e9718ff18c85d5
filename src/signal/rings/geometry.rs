//! Where the elements of a spectrum lie, and how long their frequencies are, in integers.

use super::spec::Core;
use crate::error::{Result, refuse_if, within};
use crate::reduce::geometry::gcd;
use crate::text::join;

/// The largest common multiple of extents. Twice any length, 2(r+1) units, is then less than 2³².
const MAX_MULTIPLE: u64 = 1 << 30;

/// The axes of a spectrum as those of an array of rank 3, with leading axes of extent 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Geometry {
    /// Extents of the transform.
    pub extents: [u32; 3],
    /// Elements of a line that are stored.
    pub columns: u32,
    /// Where frequency 0 is.
    pub zero: [u32; 3],
    /// The length of frequency k on axis a is |k| times this weight.
    pub weights: [u32; 3],
    /// Rings are this wide.
    pub unit: u32,
    pub rings: u32,
}

impl Core {
    pub fn geometry(&self) -> Result<Geometry> {
        self.shape.elements("radial average", self.batch)?;
        let own = self.shape.extents();
        refuse_if(own.len() > 3, self, format_args!("it has {} axes: rings are those of 1 to 3 axes", own.len()))?;
        let mut extents = [1; 3];
        // Fewer than 2³² elements.
        extents[3 - own.len()..].iter_mut().zip(own).for_each(|(extent, &n)| *extent = n as u32);
        let multiple =
            extents.iter().fold(1u64, |multiple, &n| multiple / u64::from(gcd(n, (multiple % u64::from(n)) as u32)) * u64::from(n));
        let what = || format!("`{self}`: the least common multiple of {}", join(own, ", "));
        within(what, "units of a frequency's length", multiple, MAX_MULTIPLE)?;
        let longest = extents.iter().copied().max().unwrap_or(1);
        let unit = (multiple / u64::from(longest)) as u32;
        let weights = extents.map(|n| (multiple / u64::from(n)) as u32);
        let rings = if self.corners {
            // The largest r with (2r - 1) · unit ≤ 2 · length, of the longest frequency.
            let squares = extents.iter().zip(weights).map(|(&n, weight)| (2 * u64::from(weight) * u64::from(n / 2)).pow(2));
            (squares.sum::<u64>().isqrt() / u64::from(unit)).div_ceil(2) + 1
        } else {
            u64::from(longest / 2) + 1
        };
        let [_, _, n] = extents;
        let zero = |axis: usize| if self.centred && !(self.half && axis == 2) { extents[axis] / 2 } else { 0 };
        Ok(Geometry {
            extents,
            columns: if self.half { n / 2 + 1 } else { n },
            zero: [0, 1, 2].map(zero),
            weights,
            unit,
            // At most √3/2 times an extent, and 1.
            rings: rings as u32,
        })
    }
}

impl Geometry {
    pub fn lines(&self) -> u32 {
        self.extents[0] * self.extents[1]
    }

    pub fn elements(&self) -> usize {
        self.lines() as usize * self.columns as usize
    }
}

#[cfg(test)]
mod tests {
    use super::super::RadialAverage;
    use crate::error::Error;

    #[test]
    fn weights_make_all_frequencies_commensurable() {
        let of = |shape: &[usize]| RadialAverage::new(shape).core.geometry();
        let equal = of(&[512, 512]).unwrap();
        assert_eq!((equal.weights, equal.unit, equal.rings), ([512, 1, 1], 1, 257));
        let picture = of(&[1080, 1920]).unwrap();
        assert_eq!((picture.weights, picture.unit, picture.rings), ([17_280, 16, 9], 9, 961));
        assert_eq!(of(&[7]).unwrap().rings, 4);
        assert!(matches!(of(&[2047, 2049, 511]), Err(Error::LimitExceeded { required: 2_143_288_833, .. })));
        assert!(matches!(of(&[2; 4]), Err(Error::Unsupported { .. })));
    }
}
