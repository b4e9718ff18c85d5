//! Means over rings by their definition, in whole numbers.

use wgpu_fft::plan::Program;
use wgpu_fft::signal::RadialAverage;
use wgpu_fft::{Complex32, DeviceProfile, Fragment, Spec};

#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    pub shape: &'a [usize],
    pub batch: usize,
    pub centred: bool,
    pub half: bool,
    pub corners: bool,
}

/// Recipes by hand.
pub const RECIPES: [&str; 4] =
    ["rings 64 lines=1 join=1", "rings 1 lines=7 join=2", "rings 5 lines=3 join=16", "rings 16 lines=30000 join=4"];

impl<'a> Case<'a> {
    pub fn new(shape: &'a [usize]) -> Self {
        Self { shape, batch: 1, centred: false, half: false, corners: false }
    }

    pub fn spec(&self) -> RadialAverage {
        let mut spec = RadialAverage::new(self.shape).batch(self.batch);
        for (is, set) in [
            (self.centred, RadialAverage::centred as fn(RadialAverage) -> RadialAverage),
            (self.half, RadialAverage::half),
            (self.corners, RadialAverage::corners),
        ] {
            spec = if is { set(spec) } else { spec };
        }
        spec
    }

    pub fn stored(&self) -> Vec<usize> {
        let mut stored = self.shape.to_vec();
        let last = stored.last_mut().unwrap();
        *last = if self.half { *last / 2 + 1 } else { *last };
        stored
    }

    /// The ring of each stored element, and how often the element counts.
    pub fn places(&self) -> Vec<(usize, u64)> {
        let (stored, last) = (self.stored(), self.shape.len() - 1);
        let place = |i: usize| {
            let (mut rest, mut times) = (i, 1);
            let mut frequencies = vec![0; self.shape.len()];
            for axis in (0..=last).rev() {
                let (n, own) = (self.shape[axis] as i128, (rest % stored[axis]) as i128);
                rest /= stored[axis];
                frequencies[axis] = if self.half && axis == last {
                    times = if own > 0 && 2 * own < n { 2 } else { 1 };
                    own
                } else if self.centred {
                    own - n / 2
                } else {
                    (own + n / 2) % n - n / 2
                };
            }
            (ring(self.shape, &frequencies), times)
        };
        (0..stored.iter().product()).map(place).collect()
    }

    /// For each ring, the sum over its elements and how many there are.
    pub fn sums(&self, x: &[f64]) -> Vec<(f64, u64)> {
        let places = self.places();
        let longest = *self.shape.iter().max().unwrap();
        let rings = if self.corners { places.iter().map(|(ring, _)| ring + 1).max().unwrap() } else { longest / 2 + 1 };
        let of_array = |x: &[f64]| {
            let mut sums = vec![(0.0, 0); rings];
            for (x, &(ring, times)) in x.iter().zip(&places).filter(|(_, place)| place.0 < rings) {
                sums[ring] = (sums[ring].0 + x * times as f64, sums[ring].1 + times);
            }
            sums
        };
        x.chunks(places.len()).flat_map(of_array).collect()
    }
}

/// The largest r with (r - 1/2)² ≤ Σ (L·k/n)². All is multiplied by twice the product of extents.
fn ring(shape: &[usize], frequencies: &[i128]) -> usize {
    let product = shape.iter().product::<usize>() as i128;
    let longest = *shape.iter().max().unwrap() as i128;
    let square: i128 = shape.iter().zip(frequencies).map(|(&n, k)| (2 * longest * k * (product / n as i128)).pow(2)).sum();
    let is_outside = |r: usize| ((2 * r as i128 - 1) * product).pow(2) <= square;
    // Rounding in f64 is far less than a ring.
    let guess = (square as f64).sqrt() / (2.0 * product as f64);
    let begin = (guess as usize).saturating_sub(1);
    (begin + 1..).take_while(|&r| is_outside(r)).last().unwrap_or(begin)
}

/// Programs by the default recipe and by hand, with and without fragments.
pub fn programs(profile: &DeviceProfile, programs: &mut Vec<Program>) {
    let spec = Case { batch: 2, ..Case::new(&[12, 18]) }.spec();
    programs.push(spec.lower(&spec.design(profile).unwrap(), profile).unwrap());
    programs.extend(RECIPES.iter().filter_map(|text| spec.lower(&text.parse().unwrap(), profile).ok()));
    let bytes = RadialAverage::new([6, 10]).centred().map_input::<u8>(Fragment::new("f32(value) * f0 + f32(k1 + i32(batch))")).unwrap();
    programs.push(bytes.lower(&bytes.design(profile).unwrap(), profile).unwrap());
    let power = Fragment::new("dot(value, value) * gains[i0]").array::<f32>("gains", 6);
    let power = RadialAverage::new([6, 10]).half().map_input::<Complex32>(power).unwrap();
    programs.push(power.lower(&power.design(profile).unwrap(), profile).unwrap());
}
