//! Transforms over several axes and over some of them, with every placement and scale, and with
//! random shapes.

use proptest::prelude::*;
use wgpu_fft::fft::Scale;

use crate::cases::*;
use crate::harness::*;

const SCALES: [Scale; 3] = [Scale::One, Scale::InvLen, Scale::InvSqrtLen];

pub fn two_axes_in_every_placement(device: &Device) {
    let device = &device.alone();
    let tally = Tally::new(device, "two axes");
    let shapes = [[1, 1], [1, 64], [64, 1], [2, 3], [2, 1000], [1024, 2], [16, 16], [37, 21], [60, 100], [256, 81]];
    for (i, shape) in shapes.into_iter().enumerate() {
        for (batch, kind) in [(1, Kind::Forward), (3, Kind::Inverse)] {
            tally.run(device, &Case::new(kind, &shape).batch(batch).scale(SCALES[i % 3]));
            tally.run(device, &Case::new(kind, &shape).batch(batch).in_place(true));
        }
    }
    for shape in [[1, 7], [7, 1], [16, 64], [30, 21]] {
        tally.run(device, &Case::new(Kind::Forward, &shape).batch(2).transposed());
        tally.run(device, &Case::new(Kind::Inverse, &shape).batch(2).transposed().in_place(true));
    }
    tally.finish();
}

pub fn three_axes_and_subsets(device: &Device) {
    let device = &device.alone();
    let tally = Tally::new(device, "three axes, and some axes only");
    for (i, shape) in [[2, 3, 4], [1, 5, 1], [16, 8, 32], [7, 11, 13], [5, 1, 30]].into_iter().enumerate() {
        let kind = if i % 2 == 0 { Kind::Forward } else { Kind::Inverse };
        tally.run(device, &Case::new(kind, &shape).batch(3).in_place(i % 2 == 0));
    }
    let shape = [6, 10, 15];
    for (i, axes) in [vec![0], vec![1], vec![2], vec![0, 1], vec![0, 2], vec![1, 2], vec![0, 1, 2]].into_iter().enumerate() {
        tally.run(device, &Case::new(Kind::Forward, &shape).axes(&axes).batch(2).in_place(i % 2 == 1));
        tally.run(device, &Case::new(Kind::Inverse, &shape).axes(&axes).batch(2).in_place(i % 2 == 0).scale(Scale::InvLen));
    }
    tally.run(device, &Case::new(Kind::Forward, &[4, 6, 8]).batch(2).transposed());
    tally.finish();
}

/// Other libraries fail with more than 1024 rows, or with more than 65,535 workgroups.
pub fn many_rows(device: &Device) {
    Case::new(Kind::Forward, &[16]).batch(5000).check(device);
    assert!(Case::new(Kind::Forward, &[2]).batch(65_537).by("axis 0: stockham 2 lanes=1 lines=1").check(device) > 0.0);
    assert!(Case::new(Kind::Inverse, &[2]).batch(65_537).in_place(true).by("axis 0: radix2 rows=1 lanes=1").check(device) > 0.0);
}

/// Random shapes with few elements, and random axes, batch, scale and placement.
pub fn random_shapes(device: &Device) {
    let device = &device.alone();
    let tally = Tally::new(device, "random shapes");
    let extents = (1usize..4).prop_flat_map(|rank| proptest::collection::vec(1usize..[300, 60, 24][rank - 1], rank));
    let count = if device.is_thorough() { 200 } else { 16 };
    proptest!(cases(count), |(shape in extents, kind in 0usize..4, batch in 1usize..6, in_place: bool, axes in 0usize..8, scale in 0usize..3)| {
        let rank = shape.len();
        let mut axes: Vec<usize> = (0..rank).filter(|axis| axes >> axis & 1 == 1).collect();
        // Real transforms must include the last axis.
        if axes.is_empty() || kind > 1 && !axes.contains(&(rank - 1)) {
            axes.push(rank - 1);
        }
        let case = Case::new(KINDS[kind], &shape).axes(&axes).batch(batch).in_place(in_place).scale(SCALES[scale]);
        // With few elements, errors are a matter of chance, so only the bound is checked.
        case.check(device);
        tally.run(device, &case.batch(batch.max(4000 / shape.iter().product::<usize>())));
    });
    tally.finish();
}
