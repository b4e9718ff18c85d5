//! Lengths that are worth padding to.

use crate::error::{Error, Result};
use crate::fft::choose;
use crate::fft::factors::largest_prime;
use crate::fft::recipe::{AxisRecipe, PassRecipe, Reals, Recipe};
use crate::fft::spec::kind::{Direction, Kind};
use crate::fft::spec::transform::Transform;
use crate::gpu::DeviceProfile;
use crate::shape::Shape;

/// The three kinds of transform, where nothing else of a specification matters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TransformKind {
    /// [`C2c`](crate::fft::C2c), of complex numbers.
    C2c,
    /// [`R2c`](crate::fft::R2c), of real numbers.
    R2c,
    /// [`C2r`](crate::fft::C2r), to real numbers.
    C2r,
}

/// The largest prime factor of the lengths that [`next_fast_len`] considers, for lengths up to a
/// number. Larger primes have butterflies with so much arithmetic that the next length without them
/// costs less. Of long lengths few are considered, because the rules take milliseconds for each.
const LARGEST_PRIMES: [(u32, u32); 3] = [(1 << 14, 13), (1 << 20, 5), (u32::MAX, 3)];

/// Points of the array whose rows are compared: many rows of a length, as in filters.
const POINTS: usize = 1 << 22;

/// Bytes that a stage of radix 2 costs as much as, for each complex number. H200, rows of 2²⁵
/// points: two stages of radix 8 take 0.130 ms, the time of 16 bytes in and out at the speed of
/// memory; four stages 0.168; convolutions of 2048 for rows of 1009, which have six stages of twice
/// as many numbers, 0.341.
const STAGE: f64 = 2.0;

/// The smallest cost of a complex number: one pass with one stage.
const LEAST: f64 = 16.0 + STAGE;

/// Returns the length from `n` on that costs least on a device of `profile` by
/// [`length_cost`]: the length to pad to where it can be chosen, as for convolutions. The
/// counterpart of `scipy.fft.next_fast_len`.
///
/// It considers lengths up to the next power of two whose prime factors are at most 13, of lengths
/// above 2¹⁴ at most 5, and above 2²⁰ at most 3. Of equal costs the shortest length wins. A larger
/// `n` never gives a smaller result. The lengths of real transforms count reals.
///
/// It designs recipes for some dozens of lengths, which takes 1 to 100 ms: keep the result.
///
/// ```
/// use wgpu_fft::DeviceProfile;
/// use wgpu_fft::fft::{TransformKind, length_cost, next_fast_len};
///
/// let profile = DeviceProfile::webgpu_defaults();
/// let cost = |n| length_cost(&profile, TransformKind::R2c, n);
/// // A filter of 101 taps on 1000 samples.
/// let padded = next_fast_len(&profile, TransformKind::R2c, 1000 + 101 - 1)?;
/// assert!((1100..=2048).contains(&padded) && cost(padded)? <= cost(2048)?);
/// # Ok::<(), wgpu_fft::Error>(())
/// ```
///
/// # Errors
/// [`Error::Empty`] if `n` is 0. [`Error::LimitExceeded`] if the next power of two exceeds 2³¹.
pub fn next_fast_len(profile: &DeviceProfile, kind: TransformKind, n: usize) -> Result<usize> {
    Ok(cheaper_lens(profile, kind, n)?.last().map_or(n, |(length, _)| *length))
}

/// Returns the shape whose extents are at least those of `shape` that costs least: the shape to pad
/// to, as for convolutions in several axes. All axes are transformed, the last one by `kind`.
///
/// It is not [`next_fast_len`] of each axis: what one axis is padded by, the others have to
/// transform as well. With cᵢ the [`length_cost`] of an extent nᵢ, and mⱼ = nⱼ, or nⱼ/2+1 along the
/// last axis of a real transform, it minimises
///
/// Σᵢ cᵢ · Πⱼ mⱼ, j ≠ i.
///
/// Of equal costs the shape with the fewest stored numbers wins. No extent exceeds that of
/// [`next_fast_len`]. It designs recipes for some dozens of lengths of each axis: keep the result.
///
/// ```
/// use wgpu_fft::DeviceProfile;
/// use wgpu_fft::fft::{TransformKind, next_fast_shape};
///
/// // A filter of 31x31 on a picture.
/// let profile = DeviceProfile::webgpu_defaults();
/// let padded = next_fast_shape(&profile, TransformKind::R2c, [1080 + 30, 1920 + 30])?;
/// assert!(padded.extents()[0] >= 1110 && padded.extents()[1] >= 1950);
/// # Ok::<(), wgpu_fft::Error>(())
/// ```
///
/// # Errors
/// Those of [`next_fast_len`], and [`Error::Empty`] for a shape without axes.
pub fn next_fast_shape(profile: &DeviceProfile, kind: TransformKind, shape: impl Into<Shape>) -> Result<Shape> {
    let shape = shape.into();
    let Some((&last, others)) = shape.extents().split_last() else {
        return Err(Error::Empty { what: "a shape", shape: shape.to_string() });
    };
    let others = others.iter().map(|&n| cheaper_lens(profile, TransformKind::C2c, n));
    let axes = others.chain([cheaper_lens(profile, kind, last)]).collect::<Result<Vec<_>>>()?;
    let stored = |axis: usize, n: usize| if axis + 1 == axes.len() && kind != TransformKind::C2c { n / 2 + 1 } else { n };
    // Each way to take one length of each axis, which are a few. The first one is the shortest.
    let mut best: Option<([f64; 2], Vec<usize>)> = None;
    for mut choice in 0..axes.iter().map(Vec::len).product() {
        let taken: Vec<(usize, f64)> = axes
            .iter()
            .map(|lengths| {
                let own = lengths[choice % lengths.len()];
                choice /= lengths.len();
                own
            })
            .collect();
        let numbers: Vec<f64> = taken.iter().enumerate().map(|(axis, (n, _))| stored(axis, *n) as f64).collect();
        let all: f64 = numbers.iter().product();
        let cost = taken.iter().zip(&numbers).map(|((_, cost), own)| cost * all / own).sum();
        if best.as_ref().is_none_or(|(least, _)| [cost, all] < *least) {
            best = Some(([cost, all], taken.into_iter().map(|(n, _)| n).collect()));
        }
    }
    Ok(best.map_or(shape, |(_, extents)| Shape::from(extents)))
}

/// The lengths from `n` on that cost less than all shorter ones from there, each with its cost. No
/// other length is the best of any transform that has one of at least `n` along an axis, since a
/// longer one costs the other axes more.
fn cheaper_lens(profile: &DeviceProfile, kind: TransformKind, n: usize) -> Result<Vec<(usize, f64)>> {
    let limit = 1u32 << 31;
    let last = u32::try_from(n).ok().and_then(u32::checked_next_power_of_two).ok_or_else(|| Error::LimitExceeded {
        what: format!("the next fast length from {n} on"),
        limit: "elements indexed by a u32",
        required: n as u64,
        available: limit.into(),
    })?;
    check(n)?;
    let least = if kind == TransformKind::C2c { LEAST } else { LEAST / 2.0 };
    let of_last = length_cost(profile, kind, last as usize)?;
    let mut found: Vec<(usize, f64)> = Vec::new();
    for length in smooth(n as u32, last) {
        let bound = found.last().map_or(of_last, |(_, cost)| of_last.min(*cost));
        // Longer ones cost more, whatever their passes are.
        if least * f64::from(length) > bound {
            break;
        }
        let cost = if length == last { of_last } else { length_cost(profile, kind, length as usize)? };
        if found.last().is_none_or(|(_, before)| cost < *before) {
            found.push((length as usize, cost));
        }
    }
    Ok(found)
}

/// What the transform of one row of `n` numbers costs on a device of `profile` by the rules, in
/// bytes moved: an estimate to compare lengths with, not a time.
///
/// It adds up the passes of the recipe that the rules choose for many contiguous rows:
///
/// cost = Σ over passes of c · (16 + Σ over stages of 2 · (1 + log₂(r)/16 + p/16) · s)
///
/// - c complex numbers are in the row; half as many where reals are taken in pairs or halves. 16 is
///   the bytes of a load and a store.
/// - r is the radix of a stage. p is its largest prime factor if that is larger than 5, else 0.
/// - s ≥ 1 is the number of values for which an invocation has registers and time, over those that
///   there are: the invocations of a row may have unequal numbers of butterflies.
/// - A convolution of length m ≥ 2n − 1 (Bluestein) counts with c = m and with every stage, or
///   every pass, twice.
///
/// The weights are those by which the rules compare radices, and the price of a stage in bytes is
/// that of an H200.
///
/// # Errors
/// [`Error::Empty`] if `n` is 0. Those of planning such a transform, if the device cannot run it.
pub fn length_cost(profile: &DeviceProfile, kind: TransformKind, n: usize) -> Result<f64> {
    check(n)?;
    let kind = match kind {
        TransformKind::C2c => Kind::C2c(Direction::Forward),
        TransformKind::R2c => Kind::R2c,
        TransformKind::C2r => Kind::C2r,
    };
    let transform = Transform { batch: POINTS.div_ceil(n), ..Transform::new(kind, Shape::from(n)) };
    match choose::design(&transform, profile)? {
        Recipe::Axes(axes) => Ok(axes.iter().map(|axis| cost(axis, n as f64)).sum()),
        Recipe::Transposed { .. } => unreachable!("the rules choose no transposes"),
    }
}

fn check(n: usize) -> Result<()> {
    if n > 0 { Ok(()) } else { Err(Error::Empty { what: "a length", shape: n.to_string() }) }
}

/// What an axis of length `n` costs.
fn cost(axis: &AxisRecipe, n: f64) -> f64 {
    let numbers = match (axis.bluestein.map(f64::from), axis.reals) {
        (None, Reals::Complex) => n,
        (None, _) => n / 2.0,
        (Some(m), Reals::Pairs) => m / 2.0,
        // That of halves is half as long.
        (Some(m), _) => m,
    };
    let (stages_twice, passes_twice) = match (axis.bluestein, &axis.passes[..]) {
        (None, _) => (1.0, 1.0),
        (Some(_), [_]) => (2.0, 1.0),
        (Some(_), _) => (1.0, 2.0),
    };
    axis.passes.iter().map(|pass| numbers * passes_twice * (16.0 + stages_twice * STAGE * work(pass))).sum()
}

/// What the stages of a pass cost, counted in stages.
fn work(pass: &PassRecipe) -> f64 {
    let stage = |radix: u32| {
        let prime = largest_prime(radix);
        1.0 + f64::from(radix.max(1)).log2() / 16.0 + if prime > 5 { f64::from(prime) / 16.0 } else { 0.0 }
    };
    match pass {
        PassRecipe::Stockham(stockham) => {
            let n = stockham.n();
            let busy = |radix: u32| f64::from((n / radix).div_ceil(stockham.lanes) * stockham.lanes * radix) / f64::from(n);
            stockham.radices.iter().map(|&radix| stage(radix) * busy(radix)).sum()
        }
        PassRecipe::Lanes { factors, .. } => factors.iter().filter(|factor| **factor > 1).map(|&factor| stage(factor)).sum(),
        PassRecipe::Radix2 { .. } => unreachable!("the rules choose it nowhere"),
    }
}

/// The numbers from `first` to `last` that [`LARGEST_PRIMES`] admits, in ascending order.
fn smooth(first: u32, last: u32) -> Vec<u32> {
    let largest = |length: u32| LARGEST_PRIMES.iter().find(|(most, _)| length <= *most).map_or(1, |&(_, prime)| prime);
    let mut products = vec![1u32];
    for prime in [13, 11, 7, 5, 3, 2] {
        // The vector grows while it is walked: each product is multiplied again.
        let mut i = 0;
        while i < products.len() {
            let product = products[i].checked_mul(prime).filter(|&product| product <= last);
            // A multiple of what is too long for this prime is too long for it as well.
            products.extend(product.filter(|&product| largest_prime(product) <= largest(product)));
            i += 1;
        }
    }
    products.retain(|product| *product >= first);
    products.sort_unstable();
    products
}
