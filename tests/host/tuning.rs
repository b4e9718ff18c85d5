//! Rules for workgroup sizes, and searches. They are replayed on published tables and compared with
//! brute force.

use std::collections::HashSet;
use std::ops::ControlFlow;

use proptest::prelude::*;
use wgpu_fft::Error;
use wgpu_fft::gpu::DeviceProfile;
use wgpu_fft::low_level::tune::search::{Climb, Pace, climb};
use wgpu_fft_tests::paper::takemoto::{Limits, Priority, local_size_1d, local_size_2d, pe_per_cu, six_neighbours};

use crate::paper::PaperKernel;
use crate::validators;

/// The times of all shapes, in ms.
struct Table(Vec<([u32; 2], f64)>);

impl Table {
    fn parse(csv: &str) -> Self {
        let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let columns: Vec<u32> = lines.next().unwrap()[1..].iter().map(|x| x.parse().unwrap()).collect();
        let cells = lines.flat_map(|line| {
            let y: u32 = line[0].parse().unwrap();
            let row = columns.iter().zip(&line[1..]).filter(|(_, time)| !time.is_empty());
            row.map(|(&x, time)| ([x, y], time.parse().unwrap())).collect::<Vec<_>>()
        });
        Self(cells.collect())
    }

    fn matrix_product() -> Self {
        Self::parse(include_str!("../data/takemoto_table5.csv"))
    }

    fn bilinear_resize() -> Self {
        Self::parse(include_str!("../data/takemoto_table6.csv"))
    }

    fn time(&self, shape: [u32; 2]) -> Option<f64> {
        self.0.iter().find(|(other, _)| *other == shape).map(|(_, time)| *time)
    }

    fn best(&self) -> ([u32; 2], f64) {
        self.0.iter().copied().min_by(|(_, a), (_, b)| a.total_cmp(b)).unwrap()
    }

    /// The time of a shape divided by the best time.
    fn ratio(&self, shape: [u32; 2]) -> f64 {
        self.time(shape).unwrap() / self.best().1
    }

    /// Climbs over the shapes of the table. Fails if a shape is measured twice.
    fn climb(&self, starts: &[[u32; 2]], pace: Pace) -> Climb<[u32; 2]> {
        let mut measured = HashSet::new();
        let inside = |&shape: &[u32; 2]| six_neighbours(shape).into_iter().filter(|&shape| self.time(shape).is_some()).collect();
        climb(starts.to_vec(), pace, inside, |batch| {
            assert!(!batch.is_empty() && batch.iter().all(|&shape| measured.insert(shape)), "{batch:?} again");
            ControlFlow::Continue(batch.iter().map(|&shape| self.time(shape)).collect())
        })
    }

    /// Climbs from every shape. Returns the worst ratio, and the least and the most measurements.
    fn climb_from_everywhere(&self, pace: Pace) -> (f64, usize, usize) {
        let climbs: Vec<_> = self.0.iter().map(|&(start, _)| self.climb(&[start], pace)).collect();
        let ratios = climbs.iter().map(|found| self.ratio(found.best.unwrap().0));
        let counts = climbs.iter().map(|found| found.measured);
        (ratios.fold(0.0, f64::max), counts.clone().min().unwrap(), counts.max().unwrap())
    }
}

const GENEROUS: Limits = Limits { invocations: 1024, axes: [1024, 1024] };

fn digits(ratio: f64, digits: usize) -> String {
    format!("{ratio:.digits$}")
}

#[test]
fn the_tables_are_those_of_the_report() {
    for (table, best) in [(Table::matrix_product(), ([32, 4], 30.63)), (Table::bilinear_resize(), ([1, 128], 0.09))] {
        assert_eq!((table.0.len(), table.best()), (66, best));
    }
}

/// The product needs priority x, the resize needs y.
#[test]
fn the_rule_lands_where_the_report_says() {
    for (table, right, near, far) in
        [(Table::matrix_product(), Priority::X, "1.01", "16.9"), (Table::bilinear_resize(), Priority::Y, "1.11", "9.6")]
    {
        let wrong = if right == Priority::X { Priority::Y } else { Priority::X };
        let ratio = |priority| table.ratio(local_size_2d([1024, 1024], priority, &GENEROUS).unwrap());
        assert_eq!((digits(ratio(right), 2).as_str(), digits(ratio(wrong), 1).as_str()), (near, far));
    }
}

/// 8 x 8 takes 1.66 times as long as the best shape in one table and 2.00 times in the other. Every
/// other shape is worse in one of the two.
#[test]
fn no_shape_suits_both_tables() {
    let (product, resize) = (Table::matrix_product(), Table::bilinear_resize());
    let least =
        product.0.iter().map(|&(shape, _)| (shape, product.ratio(shape).max(resize.ratio(shape)))).min_by(|(_, a), (_, b)| a.total_cmp(b));
    assert_eq!(least.map(|(shape, ratio)| (shape, digits(ratio, 2))), Some(([8, 8], "2.00".to_owned())));
    let both = [product.ratio([8, 8]), resize.ratio([8, 8])];
    assert_eq!(both.map(|ratio| digits(ratio, 2)), ["1.66", "2.00"]);
    assert!(product.0.iter().all(|&(shape, _)| shape == [8, 8] || product.ratio(shape) > both[0] || resize.ratio(shape) > both[1]));
}

/// With one neighbour at a time, a climb takes 5 to 20 measurements, within the report's 24. With
/// all six at a time it takes up to 33. Both reach the best shape or, for the product, a shape
/// within 1% of it.
#[test]
fn climbs_find_the_best_from_every_start() {
    for (batch, product, resize) in [(1, (5, 20), (5, 20)), (6, (5, 23), (5, 33))] {
        for (table, counts) in [(Table::matrix_product(), product), (Table::bilinear_resize(), resize)] {
            let (ratio, least, most) = table.climb_from_everywhere(Pace { batch, gain: 0.0 });
            assert!(ratio <= 1.02, "{ratio} in batches of {batch}");
            assert_eq!((least, most), counts, "in batches of {batch}");
        }
    }
}

/// If a step must save 1%, the result for the product is at most 1% worse. Where the clock is
/// coarser than that, it is not worse.
#[test]
fn climbs_that_ask_for_a_gain_come_as_far() {
    for batch in [1, 6] {
        for table in [Table::matrix_product(), Table::bilinear_resize()] {
            let (ratio, _, most) = table.climb_from_everywhere(Pace { batch, gain: 0.01 });
            assert!(ratio <= 1.02 && most <= if batch == 1 { 24 } else { 33 }, "{ratio} in {most}, batches of {batch}");
        }
    }
}

#[test]
fn climbs_begin_at_the_best_start() {
    let table = Table::bilinear_resize();
    let starts = [[512, 1], [1, 256], [1, 1], [512, 1]];
    let found = table.climb(&starts, Pace { batch: 1, gain: 0.0 });
    assert_eq!((found.best, found.complete, found.refused), (Some(([1, 128], 0.09)), true, 0));
    assert!(found.measured <= 3 + 6, "{found:?}");
}

/// Times on a line of integers. There are none outside.
fn climb_line(times: &[f64], starts: &[i64], pace: Pace) -> (Climb<i64>, Vec<Vec<i64>>) {
    let mut batches = Vec::new();
    let found = climb(
        starts.to_vec(),
        pace,
        |&i| vec![i - 1, i + 1],
        |batch| {
            batches.push(batch.to_vec());
            ControlFlow::Continue(batch.iter().map(|&i| usize::try_from(i).ok().and_then(|i| times.get(i).copied())).collect())
        },
    );
    (found, batches)
}

#[test]
fn small_gains_are_noise() {
    let times = [10.0, 9.5, 8.0, 7.9];
    let (found, batches) = climb_line(&times, &[0], Pace { batch: 2, gain: 0.02 });
    assert_eq!(found, Climb { best: Some((2, 8.0)), measured: 4, refused: 1, complete: true });
    assert_eq!(batches, [vec![0], vec![-1, 1], vec![2], vec![3]]);
    let (found, _) = climb_line(&times, &[0], Pace { batch: 0, gain: 0.0 });
    assert_eq!(found, Climb { best: Some((3, 7.9)), measured: 4, refused: 2, complete: true });
}

#[test]
fn level_ground_is_crossed() {
    let (found, _) = climb_line(&[5.0, 5.0, 5.0, 4.0, 6.0, 1.0], &[0], Pace { batch: 1, gain: 0.02 });
    assert_eq!(found.best, Some((3, 4.0)));
    // The climb ends even if all times are equal.
    let (found, _) = climb_line(&[5.0; 100], &[50], Pace { batch: 2, gain: 0.0 });
    assert_eq!(found, Climb { best: Some((50, 5.0)), measured: 100, refused: 2, complete: true });
}

#[test]
fn what_cannot_run_is_never_best() {
    let (found, batches) = climb_line(&[f64::NAN, f64::INFINITY], &[0, 1, 7, 0], Pace { batch: 1, gain: 0.0 });
    assert_eq!(found, Climb { best: None, measured: 0, refused: 3, complete: true });
    assert_eq!(batches, [[0, 1, 7]]);
    let (found, batches) = climb_line(&[], &[], Pace { batch: 1, gain: 0.0 });
    assert_eq!((found.best, found.complete, batches.len()), (None, true, 0));
}

#[test]
fn the_measurer_ends_a_climb() {
    for budget in 0..8 {
        let mut left = budget;
        let found = climb(
            vec![0i64],
            Pace { batch: 2, gain: 0.0 },
            |&i| vec![i - 1, i + 1],
            |batch| {
                let times: Vec<_> = batch.iter().take(left).map(|&i| Some((i - 100).abs() as f64)).collect();
                left -= times.len();
                if left == 0 { ControlFlow::Break(times) } else { ControlFlow::Continue(times) }
            },
        );
        assert_eq!((found.measured, found.refused, found.complete), (budget, 0, false));
        assert_eq!(found.best.map(|(i, _)| i), [None, Some(0), Some(0), Some(1), Some(2), Some(3), Some(4), Some(5)][budget]);
    }
}

#[test]
fn neighbours_are_six() {
    assert_eq!(six_neighbours([8, 4]), [[4, 8], [16, 2], [16, 4], [8, 8], [4, 4], [8, 2]]);
    assert_eq!(six_neighbours([1, 1]), [[2, 1], [1, 2]]);
    assert_eq!(six_neighbours([1 << 31, 1]), [[1 << 30, 2], [1 << 31, 2], [1 << 30, 1]]);
    let shape = |x: u32, y: u32| [1 << x, 1 << y];
    for (x, y) in (0..31).flat_map(|x| (0..31).map(move |y| (x, y))) {
        let around = six_neighbours(shape(x, y));
        assert_eq!(around.iter().collect::<HashSet<_>>().len(), around.len());
        assert!(around.iter().all(|&other| six_neighbours(other).contains(&shape(x, y))), "{x} {y}");
    }
}

#[test]
fn local_sizes_are_those_of_the_report() {
    let narrow = Limits { invocations: 256, ..GENEROUS };
    for (pe, size) in [(192, 256), (48, 64), (8, 8)] {
        assert_eq!(local_size_1d(1 << 18, pe, &GENEROUS).unwrap(), size);
    }
    for (limits, long) in [(GENEROUS, 512), (narrow, 256), (Limits { axes: [256, 256], ..GENEROUS }, 256)] {
        let short = if limits.invocations == 1024 && long == 256 { 2 } else { 1 };
        assert_eq!(local_size_2d([1024, 1024], Priority::X, &limits).unwrap(), [long, short]);
        assert_eq!(local_size_2d([1024, 1024], Priority::Y, &limits).unwrap(), [short, long]);
    }
}

#[test]
fn local_sizes_of_awkward_numbers() {
    let prime = 4_294_967_291;
    assert_eq!(local_size_1d(prime, 32, &GENEROUS).unwrap(), 1);
    // 3 * 5 * 17 * 257 * 65537.
    assert_eq!(local_size_1d(u32::MAX, 32, &GENEROUS).unwrap(), 51);
    assert_eq!(local_size_1d(u32::MAX, u32::MAX, &GENEROUS).unwrap(), 771);
    let boundless = Limits { invocations: u32::MAX, axes: [u32::MAX; 2] };
    assert_eq!(local_size_1d(prime, 2, &boundless).unwrap(), prime);
    assert_eq!(local_size_2d([prime, u32::MAX], Priority::X, &boundless).unwrap(), [1, 1]);
    assert_eq!(local_size_2d([prime, u32::MAX], Priority::Y, &boundless).unwrap(), [1, 771]);
    assert_eq!(local_size_2d([1 << 31, 1 << 31], Priority::Y, &boundless).unwrap(), [1, 512]);
    // The device has fewer invocations than a multiple of 16 needs.
    let tiny = Limits { invocations: 8, axes: [4, 8] };
    assert_eq!(local_size_2d([1024, 1024], Priority::X, &tiny).unwrap(), [4, 1]);
}

#[test]
fn local_sizes_of_nothing_are_errors() {
    let empty = |result: Result<_, Error>| matches!(result, Err(Error::Empty { shape, .. }) if shape.contains('0'));
    assert!(empty(local_size_1d(0, 32, &GENEROUS).map(|size| [size, 1])));
    assert!(empty(local_size_2d([0, 5], Priority::X, &GENEROUS)) && empty(local_size_2d([5, 0], Priority::X, &GENEROUS)));
    let limit = |result: Result<_, Error>| matches!(result, Err(Error::LimitExceeded { available: 0, .. }));
    let none = Limits { axes: [1, 0], ..GENEROUS };
    assert!(limit(local_size_2d([5, 5], Priority::X, &none)));
    assert_eq!(local_size_1d(5, 1, &none).unwrap(), 1);
    assert!(limit(local_size_1d(5, 1, &Limits { invocations: 0, ..GENEROUS }).map(|size| [size, 1])));
}

#[test]
fn profiles_give_limits_and_a_stand_in() {
    let defaults = DeviceProfile::webgpu_defaults();
    assert_eq!(Limits::from(&defaults), Limits { invocations: 256, axes: [256, 256] });
    assert_eq!(pe_per_cu(&defaults), 4);
    assert_eq!(pe_per_cu(&defaults.with(|profile| profile.subgroup_sizes = [0, 0])), 1);
}

/// The rule for one axis, literally.
fn brute_force_1d(global: u32, pe: u32, limits: &Limits) -> u32 {
    let admissible = || (1..=global).filter(|size| global.is_multiple_of(*size) && *size <= limits.invocations.min(limits.axes[0]));
    admissible().find(|&size| size >= pe).unwrap_or_else(|| admissible().max().unwrap())
}

/// The rule for two axes, literally.
fn brute_force_2d(global: [u32; 2], priority: Priority, limits: &Limits) -> [u32; 2] {
    let allowed = |axis: usize, size: u32| global[axis].is_multiple_of(size) && size <= limits.axes[axis];
    let within = |product: u32| product < 1024 && product <= limits.invocations;
    let pairs = (1..=global[0]).flat_map(|x| (1..=global[1]).map(move |y| [x, y]));
    let pairs = pairs.filter(|&[x, y]| allowed(0, x) && allowed(1, y) && within(x * y));
    let along = |[x, y]: [u32; 2]| if priority == Priority::X { x } else { y };
    let best = pairs.clone().filter(|[x, y]| (x * y) % 16 == 0).max_by_key(|&[x, y]| (along([x, y]), x * y));
    best.unwrap_or_else(|| pairs.filter(|&[x, y]| x * y == along([x, y])).max_by_key(|&pair| along(pair)).unwrap())
}

fn some_limits() -> impl Strategy<Value = Limits> {
    (1u32..1500, [1u32..1500, 1..1500]).prop_map(|(invocations, axes)| Limits { invocations, axes })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn local_sizes_are_those_of_brute_force(global in [1u32..130, 1..130], pe in 0u32..200, x in any::<bool>(), limits in some_limits(), small in 1u32..20) {
        let priority = if x { Priority::X } else { Priority::Y };
        for limits in [limits, GENEROUS, Limits { invocations: small, ..GENEROUS }] {
            let long = global[0] * global[1];
            prop_assert_eq!(local_size_1d(long, pe, &limits).unwrap(), brute_force_1d(long, pe, &limits));
            prop_assert_eq!(local_size_2d(global, priority, &limits).unwrap(), brute_force_2d(global, priority, &limits));
        }
    }

    #[test]
    fn local_sizes_divide_and_fit(global in [1..=u32::MAX, 1..=u32::MAX], pe in any::<u32>(), x in any::<bool>(), limits in some_limits()) {
        let priority = if x { Priority::X } else { Priority::Y };
        let size = local_size_1d(global[0], pe, &limits).unwrap();
        prop_assert!(global[0].is_multiple_of(size) && size <= limits.invocations.min(limits.axes[0]));
        let [x, y] = local_size_2d(global, priority, &limits).unwrap();
        prop_assert!(global[0].is_multiple_of(x) && global[1].is_multiple_of(y) && x <= limits.axes[0] && y <= limits.axes[1]);
        prop_assert!(x * y < 1024 && x * y <= limits.invocations);
        let other = if priority == Priority::X { y } else { x };
        prop_assert!((x * y).is_multiple_of(16) || other == 1);
    }
}

#[test]
fn kernels_of_the_report_are_valid() {
    let mut tint = validators::Tint::default();
    for kernel in [PaperKernel::matrix_product([61, 53], 47), PaperKernel::bilinear_resize([61, 53], [40, 75])] {
        validators::naga(kernel.wgsl).unwrap_or_else(|error| panic!("{}: {error}", kernel.name));
        tint.add(&kernel.name, kernel.wgsl);
    }
    tint.accepts("validation of the kernels to tune");
}

#[test]
fn references_of_the_report_are_right_by_hand() {
    let product = PaperKernel::matrix_product([1, 2], 3);
    assert_eq!(product.reference(&[vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], vec![1.0, 0.5, -1.0]]), [-1.0, 0.5]);
    // Two columns, (0, 4) and (8, 12), become four columns of four.
    let resize = PaperKernel::bilinear_resize([4, 4], [2, 2]);
    let column = |first: f32| [0.0, 1.0, 3.0, 4.0].map(|y| first + y);
    assert_eq!(resize.reference(&[vec![0.0, 4.0, 8.0, 12.0]]), [column(0.0), column(2.0), column(6.0), column(8.0)].concat());
    let same = PaperKernel::bilinear_resize([5, 7], [5, 7]);
    assert_eq!(same.reference(&same.inputs(3)), same.inputs(3)[0]);
}

#[test]
fn shapes_are_the_66_of_the_report_where_1024_invocations_are_allowed() {
    let kernel = PaperKernel::matrix_product([1024, 1024], 1024);
    let defaults = DeviceProfile::webgpu_defaults();
    assert_eq!(kernel.shapes(&defaults).len(), 45);
    let generous = defaults.with(|profile| {
        profile.invocations = 2048;
        profile.workgroup_size = [2048, 1024, 64];
    });
    let shapes: HashSet<_> = kernel.shapes(&generous).into_iter().collect();
    assert_eq!(shapes, Table::matrix_product().0.into_iter().map(|(shape, _)| shape).collect());
}
