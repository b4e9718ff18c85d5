//! The rules for processors that pose as GPUs, where the kernel `fft/lanes` fits.
//!
//! Times in the comments are medians in ms on lavapipe (Mesa 22.3.6, 2 cores, of which other
//! programs held one), comparable within a comment's colon only; the runs are in
//! benches/reports/2026-11-21-lavapipe-fft.

use super::designer::Text;
use super::designer::{MAX_PRIME, SMALL_ARRAY};
use crate::fft::chain::chain;
use crate::fft::chain::line::lines;
use crate::fft::chain::moved::{moved_ends, must_move, whole};
use crate::fft::chain::step::Step;
use crate::fft::emit::lanes;
use crate::fft::emit::lanes::{CACHE_LINE, MAX_ELEMENTS, MAX_IN_LOOPS, SUBGROUP, row_elements, slots, widest};
use crate::fft::factors::split;
use crate::fft::recipe::{AxisRecipe, PassRecipe, Reals};
use crate::fft::spec::geometry::Geometry;
use crate::fft::spec::kind::Kind;
use crate::fft::spec::real_kind::Inner;
use crate::fft::spec::transform::Transform;
use crate::gpu::DeviceProfile;

/// Longest line of a single pass in one lane.
const LONGEST_COLUMN: u32 = 64;

/// Rows up to here need accesses of full width.
const SHORT_ROW: u32 = 32;

/// Longest column of a single pass in several lanes. In 21 rounds on both cores, in one pass and in
/// two: 512² 1.62 and 2.15, four of them 6.66 and 15.3; 512x2048 7.23 and 14.8; 640x512 2.82 and
/// 5.14; 1024² 9.06 and 15.2; 1000x1024 11.3 and 14.7; 1080x1920 22.5 and 29.5; but 2048² 63.0 and
/// 62.6.
const LONGEST_SHARED_COLUMN: u32 = 1536;

/// Longest text of an axis, by the units of [`weight`], where a program waits for its first result:
/// for transforms of one axis, of two, and of more. The driver's compiler takes about a millisecond
/// for one unit. On lavapipe (Mesa 22.3.6, 2 cores), seconds of a processor until the first result
/// with nothing cached, and ms of a run:
///
/// | | long text | short text |
/// |---|---|---|
/// | 256 rows of 1024 | 8 lanes 1.34, 0.75 | 32 + 32 in one lane 0.5, 1.30 |
/// | 512 rows of 512 | 4 lanes by 4 numbers 1.11, 1.02 | 8 lanes by 2 0.61, 1.05 |
/// | 4096 columns of 64 | one lane 1.77, 0.88 | 8 lanes by 4 numbers 0.18, 1.3 |
/// | 1024 columns of 256 | 8 lanes by 4 numbers 1.26, 1.13 | by 2 0.57, 1.35; in two passes 0.32, 1.62 |
/// | 512 columns of 512 | 8 lanes by 4 numbers 3.2, 0.65 | 16 + 32 by 2 0.43, 1.75; by 4 0.9, 1.6 |
/// | 256 columns of 1080 | 30 + 36 by 4 numbers 1.46, 1.57 | by 2 0.73, 1.44 |
/// | 64 columns of 4096 | 64 + 64 by 4 numbers 4.2, 2.2 | 16 + 16 + 16 by 2 0.35 |
/// | 1000 rows of 2048 | 8 lanes by 4 numbers 4.4, 14.5 | 16 + 8 + 16 by 2 0.44, 36 |
/// | 512² | 5.0, 2.5 | 1.1, 3.3 |
///
/// 256² has 770 units and takes 0.7 s, 512² 1020 and 0.7 s, 1024² 800 and 0.9 s, 1080x1920 1500
/// and 1.4 s. 3000x2000 with axes of at most 1350 took 2.4 s, now 0.75 s, and runs as fast.
///
/// Where the long text is not this kernel's but `fft/pass`, with its barriers, the short one is
/// faster in every respect: 1000 rows of 8192 457 and 229, 100 rows of 10000 84 and 28, 2^20 88 and
/// 54 (benches/reports/2026-11-22-first-use, with other programs on both cores).
///
/// With three axes, columns of 256 in 8 lanes by 2 numbers have 512 units, and are compiled as soon
/// as those by 1 number: 256³ in loops by 1 179, by 2 121, real 92.0 and 77.4
/// (benches/reports/2026-11-25-processors-reals).
const LONGEST_TEXT: [u32; 3] = [1350, 600, 520];

/// Longest text of a line in loops, in all transforms: rows in several passes cannot have wide
/// accesses on both sides. 1000 rows of 2048 in one pass 21.0, in loops 27.2, in three passes 53.7;
/// 1080x1920 with rows in loops 87.7, in two passes 100; 2048² 113 and 156; 1024² 20.3 and 31.4.
/// (benches/reports/2026-11-22-first-use/lavapipe-loops.txt, with other programs on both cores).
/// Of several axes of small arrays they may be shorter: 2048² has its first result after 1.28 s, in
/// three passes after 0.76 s. Of large ones not, on free cores, in loops and in three passes: rows
/// of 2048² 15.4 and 50.1, of 3000x2000 27.9 and 65.7. 1000 rows of 4096, whose loops compile for
/// 2.8 s, 18.3 and 30.6 (benches/reports/2026-11-25-processors-rows).
const LONGEST_LOOPS: [u32; 2] = [1100, 1000];

/// Longest text of a column of several axes in one pass, and the text that a row should rather stay
/// below. 256² on free cores, seconds until the first result and ms of a run: rows in 4 lanes by 4
/// numbers and columns in 8 lanes by 2 0.98, 0.72; both in 8 lanes by 2 0.71, 0.73; the columns by
/// 1 number 0.46, 0.82; the columns in two passes 0.58, 0.93.
const LONGEST_COLUMN_TEXT: u32 = 512;
const PREFERRED_ROW_TEXT: u32 = 500;

/// Longest column of complex numbers in loops by 2 of them. On lavapipe (2 cores of another machine,
/// in use by others too), ms of all axes with these columns by 1 number and by 2, the least of three
/// runs: 320x240 1.35 and 1.15, 384x512 3.29 and 2.53, 512² 4.69 and 3.68, 4 of them 15.1 and 10.1,
/// 512x1024 9.97 and 7.80, 640x480 2.43 and 2.21, 720x1280 13.0 and 9.15, 768x1024 12.2 and 8.40,
/// 32x512x512 213 and 172. Not so 1000² (15.5 and 13.2, in two other runs more), 1080x1920 24.7 and
/// 25.3, and halves of reals, 0.94 to 1.10 of the time (benches/reports/2026-11-26-limits).
const LONGEST_BY_TWOS: u32 = 768;

/// Longest texts of one of several passes over an axis: the second where the first makes the texts
/// of all passes together too long. A wider access does not pay for a longer one. 1024² on free
/// cores with columns as 32 + 32 by 2 numbers 6.6, as 16 + 8 + 8 by 4 7.0.
const LONGEST_PASSES: [u32; 2] = [600, 300];

/// Elements of an invocation up to which wider accesses are better than fewer elements.
const FEW_ELEMENTS: u32 = 64;

/// For lanes, elements are moved to a whole array and from one where at least one in [`LEAST_PART`]
/// of its elements is given, and it has at least [`LEAST_MOVED`]. On lavapipe (2 free cores of a
/// fast machine), ms with steps fused into `fft/pass`, and in lanes with elements moved: reals
/// 1024² of which 700² are given 6.89 and 4.96, 512² 4.99 and 4.41, 300² 3.58 and 4.47; back, of
/// which 700² are stored 6.59 and 5.17, 512² 4.2 and 4.6 to 6.8; complex 1024² of which 700² are
/// given 7.96 and 7.78, 512² 6.60 and 7.63. Complex rows gain nothing, 1024 rows of 1024 of f16
/// 5.65 and 8.99. Convolutions of reals, 256² by 15x15 1.26 and 1.87, 512² by 31x31 5.89 and 5.54,
/// 2048² by 31x31 133 and 94 (benches/reports/2026-11-26-processors-moves).
const LEAST_PART: u64 = 2;
const LEAST_MOVED: u64 = 1 << 17;

/// Takes the kernel `fft/lanes` for every axis that it can do well.
pub(in crate::fft) fn improve(axes: &mut [AxisRecipe], transform: &Transform, geometry: &Geometry, profile: &DeviceProfile, text: Text) {
    if !profile.is_cpu() {
        return;
    }
    let Some(inside) = ForLanes::new(transform, geometry, profile) else { return };
    // The recipes of each axis, the best one first. What cannot be done in lanes, because of its
    // layout, stays as it was.
    let mut choices: Vec<std::vec::IntoIter<AxisRecipe>> = axes
        .iter()
        .map(|plain| {
            let mut all = if transform.real_kind(plain.axis).is_none() { inside.axis(plain.axis, text) } else { Vec::new() };
            all.push(plain.clone());
            all.into_iter()
        })
        .collect();
    for (axis, choices) in axes.iter_mut().zip(&mut choices) {
        axis.clone_from(&choices.next().expect("there is the plain one"));
    }
    let wrong = |axes: &[AxisRecipe]| {
        let [input, output] = if inside.moves { [false; 2] } else { moved_ends(transform, geometry, axes) };
        let at_end = if input { Some(0) } else { output.then_some(axes.len() - 1) };
        at_end.or_else(|| unfit(axes, transform, geometry, profile))
    };
    while let Some(i) = wrong(axes) {
        let Some(next) = choices[i].next() else { return };
        axes[i] = next;
    }
}

/// Whether such a device can do anything of such a transform in lanes, and fast: where there are no
/// subgroups of 8, barriers take their place.
pub(in crate::fft) fn has_lanes(transform: &Transform, profile: &DeviceProfile) -> bool {
    let knows = match transform.kind {
        Kind::C2c(_) | Kind::R2c | Kind::C2r => transform.framing.is_none(),
        Kind::R2r | Kind::Filter { .. } => false,
    };
    lanes::has_subgroups(profile) && knows && transform.number.check_kernel("lanes").is_ok()
}

/// Whether lanes may begin and end with passes that move elements.
fn moves_pay(transform: &Transform, geometry: &Geometry) -> bool {
    let ends = must_move(transform, geometry);
    let (_, all) = whole(transform, geometry, ends);
    let counts = |of: &Geometry| {
        [&of.input_extents, &of.output_extents].map(|extents| extents.iter().map(|&extent| u64::from(extent)).product::<u64>())
    };
    let (given, all) = (counts(geometry), counts(&all));
    let is_row = matches!(transform.kind, Kind::C2c(_)) && geometry.axes.len() == 1;
    let has_most = (0..2).all(|end| !ends[end] || LEAST_PART * given[end] >= all[end]);
    has_most && all.iter().any(|&all| all >= LEAST_MOVED) && !is_row
}

/// The transform whose passes can be lanes: between those that move elements, where these pay.
pub(in crate::fft) struct ForLanes<'a> {
    transform: Transform,
    geometry: Geometry,
    profile: &'a DeviceProfile,
    /// Whether there may be passes that move elements.
    moves: bool,
}

impl<'a> ForLanes<'a> {
    /// `None` if the device can do nothing of it in lanes.
    pub fn new(transform: &Transform, geometry: &Geometry, profile: &'a DeviceProfile) -> Option<Self> {
        if !has_lanes(transform, profile) {
            return None;
        }
        let moves = moves_pay(transform, geometry);
        let ends = if moves { must_move(transform, geometry) } else { [false; 2] };
        let any = moves || matches!(transform.kind, Kind::C2c(_)) || transform.is_plain();
        any.then(|| {
            let (transform, geometry) = whole(transform, geometry, ends);
            Self { transform, geometry, profile, moves }
        })
    }

    /// The recipes of an axis in lanes, with wide accesses first. Real rows are taken in halves, and
    /// packed if there are other axes.
    pub fn axis(&self, axis: usize, text: Text) -> Vec<AxisRecipe> {
        let Self { transform, geometry, profile, .. } = self;
        let Inner { n, reals } = transform.inner(axis);
        let rank = transform.shape.rank();
        let row = transform.inner(rank - 1).n;
        let in_pairs = matches!(transform.kind, Kind::R2c | Kind::C2r) && row.is_multiple_of(2) && transform.reals_in_twos(geometry);
        let (n, reals) = match reals {
            None => (n, Reals::Complex),
            Some(_) if in_pairs => (n / 2, if geometry.axes.len() > 1 { Reals::Packed } else { Reals::Halves }),
            Some(_) => return Vec::new(),
        };
        let mut extents = geometry.output_extents.clone();
        if in_pairs {
            extents[rank - 1] = row / 2;
        }
        // Between passes pairs lie one after the other, but for gaps of whole cache lines.
        let strides = if in_pairs {
            vec![extents[axis + 1..rank].iter().product()]
        } else {
            [&geometry.input, &geometry.output].map(|placed| placed.strides[axis]).to_vec()
        };
        let along = strides.iter().all(|stride| *stride == 1);
        let aligned = strides.iter().all(|stride| stride.is_multiple_of(CACHE_LINE));
        let is_one = geometry.axes.len() <= 1;
        let points: u64 = extents.iter().map(|&extent| u64::from(extent)).product();
        let longest = LONGEST_TEXT[geometry.axes.len().clamp(1, LONGEST_TEXT.len()) - 1];
        let mut all: Vec<AxisRecipe> = Vec::new();
        for most in [4, 2, 1].into_iter().filter(|own| *own <= widest(profile)) {
            let rules = Rules {
                widths: [4, 2, 1].into_iter().filter(|own| *own <= most).collect(),
                full: widest(profile),
                invocations: invocations(profile),
                text,
                longest,
                longest_column: if is_one { longest } else { longest.min(LONGEST_COLUMN_TEXT) },
                preferred_row: if is_one { longest } else { longest.min(PREFERRED_ROW_TEXT) },
                longest_loops: LONGEST_LOOPS[usize::from(!is_one && points <= SMALL_ARRAY)],
                aligned,
                longest_passes: if is_one { u32::MAX } else { longest },
                longest_by_twos: if in_pairs { 0 } else { LONGEST_BY_TWOS },
            };
            let passes = if along { rules.row(n) } else { rules.column(n) };
            let own = passes.map(|passes| AxisRecipe { reals, ..AxisRecipe::new(axis, passes) });
            all.extend(own.filter(|own| !all.contains(own)));
        }
        all
    }
}

/// The first axis whose recipe of lanes cannot run.
pub(in crate::fft) fn unfit(axes: &[AxisRecipe], transform: &Transform, geometry: &Geometry, profile: &DeviceProfile) -> Option<usize> {
    let is_lanes = |pass: &PassRecipe| matches!(pass, PassRecipe::Lanes { .. });
    let runs = |step: &Step<'_>| {
        let lines = lines(step);
        if step.combines.is_some() {
            lanes::halves::fit(step, &lines, profile).is_ok()
        } else {
            lanes::fit(step, &lines, false, profile).is_ok()
        }
    };
    let wrong = match chain(transform, geometry, axes) {
        Ok(steps) => {
            let wrong = steps.iter().find(|step| step.recipe.is_some_and(is_lanes) && !runs(step))?;
            axes.iter().position(|axis| axis.axis == wrong.element.0)
        }
        Err(_) => axes.iter().position(|axis| axis.passes.iter().any(is_lanes)),
    };
    wrong.filter(|&axis| axes[axis].passes.iter().any(is_lanes))
}

/// Invocations of a workgroup. 1024 rows of 1024: 32 5.38, 64 5.50, 128 6.17; rows of 512: 64 5.11,
/// 128 5.80; 2048² 64 89.9, 128 94.7.
fn invocations(profile: &DeviceProfile) -> u32 {
    64.min(profile.invocations.min(profile.workgroup_size[0])) / SUBGROUP * SUBGROUP
}

/// The length of the text of a DFT of n by codelets: 1 for each value and each factor 2 or 3 of n,
/// more for larger primes. Lengths without a recipe are asked for too, so it may be any number.
pub(in crate::fft) fn weight(n: u32) -> u32 {
    let (mut rest, mut prime, mut twice) = (n, 2, 0);
    while rest > 1 {
        if u64::from(prime) * u64::from(prime) > rest.into() {
            // No smaller prime divides it.
            prime = rest;
        }
        if rest.is_multiple_of(prime) {
            rest /= prime;
            twice += u64::from((prime - 1).max(2));
        } else {
            prime += 1;
        }
    }
    u32::try_from(u64::from(n) * twice / 2).unwrap_or(u32::MAX)
}

/// Complex numbers of an invocation, and the length of its text.
fn size([j, k]: [u32; 2], lanes: u32, along: u32, across: u32) -> (u32, u32) {
    let slots = |n: u32| slots(n, lanes, along);
    let text = slots(k).saturating_mul(weight(j)).saturating_add(slots(j).saturating_mul(weight(k)));
    (across.saturating_mul(row_elements([j, k], lanes, along)), across.saturating_mul(text))
}

/// The same with loops, which have one DFT of each factor, and move every number a few times.
fn size_in_loops([j, k]: [u32; 2], lanes: u32, along: u32) -> (u32, u32) {
    let elements = row_elements([j, k], lanes, along);
    (elements, weight(j).saturating_add(weight(k)).saturating_add(elements.saturating_mul(2)))
}

/// The length of the text of lines in one lane, by passes.
fn text_of(passes: &[PassRecipe]) -> u32 {
    let text = |pass: &PassRecipe| match pass {
        PassRecipe::Lanes { factors: [n, _], width, .. } => weight(*n).saturating_mul(*width),
        _ => u32::MAX,
    };
    passes.iter().map(text).fold(0, u32::saturating_add)
}

/// What the recipes of axes have in common.
struct Rules {
    /// Widths of accesses to choose from, the largest first.
    widths: Vec<u32>,
    /// The widest access of the device.
    full: u32,
    invocations: u32,
    text: Text,
    /// Longest text of an axis, if it is to be short.
    longest: u32,
    /// Longest text of a column in one pass, if it is to be short.
    longest_column: u32,
    /// Longest text of a row, if there is such a text.
    preferred_row: u32,
    /// Longest text of a row in loops.
    longest_loops: u32,
    /// Longest text of several passes together, if shorter passes would do.
    longest_passes: u32,
    /// Longest column in loops by 2 numbers.
    longest_by_twos: u32,
    /// The elements of a line are whole lines of a cache apart.
    aligned: bool,
}

impl Rules {
    fn pass(&self, factors: [u32; 2], lanes: u32, width: u32) -> PassRecipe {
        PassRecipe::Lanes { factors, lanes, width, invocations: self.invocations, loops: false }
    }

    fn allows(&self, size: (u32, u32), longest: u32) -> bool {
        let (elements, text) = size;
        elements <= MAX_ELEMENTS && self.allows_text(text, longest)
    }

    fn allows_text(&self, text: u32, longest: u32) -> bool {
        self.text == Text::Long || text <= longest
    }

    /// A dense line in one pass, with few elements of a lane, then wide accesses, then few lanes.
    /// 4096 rows of 256 with 64 elements 7.23, with 128 8.87; 16384 rows of 64 with 32 4.15, with
    /// 64 5.61; 1000 rows of 64 in 2 lanes by 4 numbers 0.31, in 8 lanes by 1 0.35; but 512 rows of
    /// 512 in 4 lanes by 4 numbers, with 128 elements, 2.40, in 8 lanes by 2, with 64, 2.05. If
    /// that text is too long, loops, or else several passes.
    fn row(&self, n: u32) -> Option<Vec<PassRecipe>> {
        // 1000 rows of 15 in 8 lanes by 1 number 0.22, by `fft/pass` 0.15; of 60 0.37 and 0.60.
        let widths = self.widths.iter().filter(|width| n > SHORT_ROW || **width == self.full);
        let all = widths.flat_map(|&width| pairs(n, width).map(move |factors| (width, factors)));
        let all = all.flat_map(|(width, factors)| [1, 2, 4, 8].map(|lanes| (size(factors, lanes, width, 1), lanes, width, factors)));
        let all: Vec<_> = all.collect();
        let best = |longest: u32| {
            let fitting = all.iter().filter(|(size, ..)| self.allows(*size, longest));
            fitting.min_by_key(|&&((elements, _), lanes, width, _)| (elements.max(FEW_ELEMENTS), 4 - width, elements, lanes))
        };
        match best(self.preferred_row).or_else(|| best(self.longest)) {
            Some(&(_, lanes, width, factors)) => Some(vec![self.pass(factors, lanes, width)]),
            None if n > SHORT_ROW => self.in_loops(n).or_else(|| self.in_several(n, true)),
            None => None,
        }
    }

    /// A dense line in loops, with accesses of full width. Where they are impossible, the factors
    /// with the shortest text, by accesses of any width. A narrow access need not be slower: 1000
    /// rows of 1000 as 40·25 by 1 number 18.9, as 50·20 by 2 numbers 23.5
    /// (benches/reports/2026-11-24-lavapipe-lanes/rows.jsonl; other programs may have run).
    fn in_loops(&self, n: u32) -> Option<Vec<PassRecipe>> {
        let (wide, narrow): (Vec<u32>, Vec<u32>) = self.widths.iter().partition(|width| **width == self.full);
        let (_, pass) = self.shortest_loops(n, &wide).or_else(|| self.shortest_loops(n, &narrow))?;
        Some(vec![pass])
    }

    /// The loops with the shortest text, by accesses of these widths, and the length of that text.
    fn shortest_loops(&self, n: u32, widths: &[u32]) -> Option<(u32, PassRecipe)> {
        let (lanes, invocations) = (SUBGROUP, self.invocations);
        let of_width = |&width: &u32| {
            let all = pairs(n, width).filter(move |[j, _]| lanes * width < 4 * j);
            all.map(move |factors| (size_in_loops(factors, lanes, width), 4 - width, factors))
        };
        let fits = |(elements, text): (u32, u32)| elements <= MAX_IN_LOOPS && self.allows_text(text, self.longest_loops);
        let fitting = widths.iter().flat_map(of_width).filter(|(size, ..)| fits(*size));
        let ((_, text), narrow, factors) = fitting.min_by_key(|&((_, text), narrow, factors)| (text, narrow, factors))?;
        Some((text, PassRecipe::Lanes { factors, lanes, width: 4 - narrow, invocations, loops: true }))
    }

    /// A line across the fastest index, whole or in several passes.
    fn column(&self, n: u32) -> Option<Vec<PassRecipe>> {
        // Accesses of one number are too short: 512 columns of 512 in 8 lanes take 2.4, in two
        // passes by 2 numbers 1.75.
        let widths = || self.widths.iter().copied().filter(|&width| width > 1 || self.widths[0] == 1 || self.text == Text::Long);
        if n <= LONGEST_COLUMN
            && let Some(width) = widths().find(|&width| self.allows(size([n, 1], 1, 1, width), self.longest_column))
        {
            return Some(vec![self.pass([n, 1], 1, width)]);
        }
        if n <= LONGEST_SHARED_COLUMN {
            let factors = pairs(n, 1).filter(|[larger, _]| *larger <= LONGEST_COLUMN);
            let all: Vec<_> = factors.flat_map(|factors| [2, 4, 8].map(|lanes| (lanes, factors))).collect();
            // Wide accesses come first: 512² in 8 lanes by 4 numbers 1.91, in 4 lanes by 2 2.16.
            for width in widths() {
                let fitting = all.iter().map(|&(lanes, factors)| (lanes, size(factors, lanes, 1, width), factors));
                if let Some((lanes, _, factors)) = fitting.filter(|(_, size, _)| self.allows(*size, self.longest_column)).min() {
                    return Some(vec![self.pass(factors, lanes, width)]);
                }
            }
        }
        let several = self.in_several(n, false);
        // One pass in loops by 1 number, where its text is about as short as that of several
        // passes.
        //
        // Both axes with the columns in loops and in several passes, ms of a run on free cores, and
        // seconds of a processor until the first result: 512² 1.78 and 1.94, 0.76 and 0.64; 640x480
        // 2.57 and 4.30, 0.92 and 0.67; 720x1280 7.01 and 13.3, 1.45 and 1.54; 1000² 9.12 and 16.5,
        // 1.42 and 1.19; 1080x1920 16.1 and 27.6, 1.72 and 1.28. Not so 1024², 8.35 and 7.20, and
        // 2048², 68.3 and 53.1. By 2 numbers 512² takes 1.49 and 0.96 s, 640x480 2.36 and 1.12 s,
        // unrolled 1080x1920 14.7 and 2.6 s. Rows that do not begin with a line of the cache gain less
        // or lose: 720x1275 9.96 and 12.7, 1000x1001 12.6 twice, real 1080x1920 16.2 and 13.4.
        let in_loops = n <= LONGEST_SHARED_COLUMN && self.aligned && self.text == Text::Short;
        let loops = if in_loops { self.shortest_loops(n, &[1]) } else { None };
        let longest = several.as_deref().map_or(u32::MAX, |passes| text_of(passes).saturating_add(text_of(passes) / 8));
        match loops {
            Some((text, pass)) if text <= longest => Some(vec![self.by_twos(n, pass)]),
            _ => several,
        }
    }

    /// A column in loops by 2 numbers instead of 1, where that pays for the text, which takes 0.05 to
    /// 0.3 s more to compile.
    fn by_twos(&self, n: u32, pass: PassRecipe) -> PassRecipe {
        match pass {
            PassRecipe::Lanes { factors, lanes, width: 1, invocations, loops } if n <= self.longest_by_twos && self.widths.contains(&2) => {
                PassRecipe::Lanes { factors, lanes, width: 2, invocations, loops }
            }
            pass => pass,
        }
    }

    /// A line in several passes of lines in one lane. 2048² as 64·32 94.7, as 32·64 99.0.
    fn in_several(&self, n: u32, row: bool) -> Option<Vec<PassRecipe>> {
        if self.text == Text::Long {
            let factors = pairs(n, 1).min().filter(|&[larger, _]| larger <= LONGEST_COLUMN && !row)?;
            return Some(factors.map(|factor| self.pass([factor, 1], 1, self.widths[0])).to_vec());
        }
        let narrow = *self.widths.iter().find(|width| **width <= 2)?;
        let passes = |longest: u32| {
            let is_short = |length: u32| weight(length).saturating_mul(narrow) <= longest;
            let lengths = split(n, &|length| length <= LONGEST_COLUMN && (is_short(length) || length <= MAX_PRIME))?;
            let mut rest = n;
            let passes = lengths.into_iter().map(|length| {
                // In a row the neighbours of an element are the other digits of its index, for the
                // last pass those of another line.
                rest /= length;
                let wide = is_short(length) && (!row || rest.is_multiple_of(narrow) && rest > 1);
                self.pass([length, 1], 1, if wide { narrow } else { 1 })
            });
            Some(passes.collect::<Vec<_>>())
        };
        let [longer, shorter] = LONGEST_PASSES.map(passes);
        longer.filter(|passes| text_of(passes) <= self.longest_passes).or(shorter)
    }
}

/// Two factors larger than 1 that are multiples of `of`, the larger first.
pub(in crate::fft) fn pairs(n: u32, of: u32) -> impl Iterator<Item = [u32; 2]> {
    let factors = (2..=n.isqrt()).filter(move |small| n.is_multiple_of(*small)).map(move |small| [n / small, small]);
    factors.filter(move |factors| factors.iter().all(|factor| factor.is_multiple_of(of)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Found by fuzzing: the weights of lengths with a large prime exceed 32 bits, and looking for
    /// the prime took seconds.
    #[test]
    fn weights_of_any_length_are_numbers() {
        assert_eq!([1, 2, 3, 4, 12, 31, 67].map(weight), [0, 2, 3, 8, 36, 465, 2211]);
        assert_eq!([1_000_732, 4_294_967_291, u32::MAX].map(weight), [u32::MAX; 3]);
        assert_eq!(size([1_000_732, 1], 1, 1, 4).1, u32::MAX);
    }
}
