//! Arrays larger than one binding, and sizes for which a reference would be slow. The latter are
//! checked by the transform's own laws.

use std::f64::consts::TAU;

use wgpu_fft::fft::C2c;
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::{Complex32, Gpu, Planner, wgpu};

use crate::cases::*;
use crate::harness::*;
use crate::progress::less;
use crate::reference::Places;

const MIB: u64 = 1 << 20;

/// A device of the adapter whose bindings hold 1 MiB, which is 2¹⁷ complex numbers.
fn with_small_bindings(device: &Device) -> Device {
    let required_limits = wgpu::Limits { max_storage_buffer_binding_size: MIB, ..device.gpu().device().limits() };
    let descriptor = wgpu::DeviceDescriptor { required_limits, ..Default::default() };
    let (wgpu_device, queue) = pollster::block_on(device.adapter.request_device(&descriptor)).unwrap();
    let planner = Planner::new(&Gpu::from_wgpu(wgpu_device, queue));
    assert_eq!(planner.gpu().profile().binding_bytes, MIB);
    Device { name: format!("{} with small bindings", device.name), adapter: device.adapter.clone(), planner }
}

/// Sizes just below, at, and just above one binding and several.
pub fn arrays_around_one_binding(device: &Device) {
    let device = &with_small_bindings(device);
    let tally = Tally::new(device, "arrays in several bindings");
    // Rows that may cross a boundary: 131 · 1000.6 = 2¹⁷.
    for (n, batch) in [(1024, 128), (1024, 129), (1000, 400)] {
        tally.run(device, &Case::new(Kind::Forward, &[n]).batch(batch).in_place(batch > 200));
    }
    tally.run(device, &Case::new(Kind::Inverse, &[1000]).batch(132).in_place(true));
    // One axis in several passes; a convolution whose workspaces are longer than its arrays; and
    // one whose constants take two bindings.
    for (n, batch) in [(132_000, 1), (1 << 18, 1), (40_009, 3), (65_003, 1)] {
        tally.run(device, &Case::new(Kind::Forward, &[n]).batch(batch));
    }
    // Two and three axes.
    for (i, shape) in [vec![600, 500], vec![50, 60, 70]].into_iter().enumerate() {
        tally.run(device, &Case::new(Kind::Inverse, &shape).in_place(i % 2 == 0));
    }
    // 2¹⁸ reals.
    for (n, batch) in [(1024, 257), (1 << 19, 1)] {
        for kind in [Kind::R2c, Kind::C2r] {
            tally.run(device, &Case::new(kind, &[n]).batch(batch).in_place(batch == 257));
        }
    }
    // A layout with an odd element at the boundary, and one that begins beyond it.
    let padded = |offset| Places { strides: vec![1], distance: 1031, offset };
    tally.run(device, &Case::new(Kind::Forward, &[1000]).batch(200).layouts(&padded(7), &padded((1 << 17) + 1)));
    tally.run(device, &Case::new(Kind::Inverse, &[1000]).batch(200).layouts(&padded(7), &padded(7)).in_place(true));
    tally.finish();
}

/// exp(-2πi·jk/n) for j = 0, 1, …. Each is a product of few factors. For the first factor, jk is
/// reduced modulo n in integers.
fn wave(n: usize, k: usize) -> impl Iterator<Item = Complex64> {
    let turn = move |j: usize| Complex64::cis(-TAU * (j * k % n) as f64 / n as f64);
    (0..n).step_by(64).flat_map(move |first| (0..64.min(n - first)).scan(turn(first), move |w, _| Some(std::mem::replace(w, *w * turn(1)))))
}

/// The same over two axes, row by row.
fn wave2([rows, columns]: [usize; 2], [j, k]: [usize; 2]) -> impl Iterator<Item = Complex64> {
    wave(rows, j).flat_map(move |row| wave(columns, k).map(move |z| row * z))
}

/// Checks an impulse, Parseval's theorem, and some frequencies summed directly.
fn laws(device: &Device, planner: &Planner, extents: [usize; 2]) {
    let [rows, columns] = extents;
    let n = rows * columns;
    let budget = fft_budget(n);
    let plan = if rows == 1 { planner.plan(C2c::forward(columns)) } else { planner.plan(C2c::forward(extents)) }.unwrap();
    let name = format!("{}: `{}`", device.name, plan.spec());
    let run = |input: &[Complex32]| plan.run(input).unwrap().wait().unwrap();
    let wide = |z: &Complex32| Complex64::new(z.re.into(), z.im.into());

    let place = [rows / 3, columns / 7 * 2 + 1];
    let mut impulse = vec![Complex32::ZERO; n];
    impulse[place[0] * columns + place[1]] = Complex32::ONE;
    let difference: f64 = run(&impulse).iter().zip(wave2(extents, place)).map(|(z, expected)| (wide(z) - expected).norm_sqr()).sum();
    let error = (difference / n as f64).sqrt();
    assert!(error <= budget, "{name}: an impulse has error {error:.2e}, more than {budget:.2e}");

    let input = complex_noise(n, 2);
    let output = run(&input);
    let energy = |data: &[Complex32]| data.iter().map(|z| wide(z).norm_sqr()).sum::<f64>();
    let ratio = energy(&output) / energy(&input) / n as f64;
    assert!((ratio - 1.0).abs() < 2.0 * budget, "{name}: Parseval {ratio}");

    let norm = (energy(&output) / n as f64).sqrt();
    for frequency in [[0, 1], [rows - 1, columns / 2], [rows / 5, columns / 3 + 1]] {
        let bin: Complex64 = input.iter().zip(wave2(extents, frequency)).map(|(z, w)| wide(z) * w).sum();
        let z = output[frequency[0] * columns + frequency[1]];
        assert!((wide(&z) - bin).norm() < 4.0 * budget * norm, "{name}: bin {frequency:?} is {z}, expected {bin}");
    }
}

/// The sums with which transforms are compared follow the definition.
pub fn waves_follow_the_definition() {
    let (extents, frequency) = ([3, 200], [2, 77]);
    for (i, z) in wave2(extents, frequency).enumerate() {
        let expected = Complex64::cis(-TAU * ((i / 200 * 2) as f64 / 3.0 + (i % 200 * 77) as f64 / 200.0));
        assert!((z - expected).norm() < 1e-12, "{i}: {z} {expected}");
    }
}

pub fn laws_at_a_large_size(device: &Device) {
    laws(device, &device.planner, if device.is_slow() { [270, 480] } else { [1080, 1920] });
}

/// Sizes of one binding of 128 MiB, the limit of lavapipe and WebGPU's minimum, and in the thorough run
/// above it, which `arrays_around_one_binding` has with smaller bindings.
pub fn around_two_to_the_24(device: &Device) {
    if device.is_slow() {
        return less(format!("{}: no transform of 2^24 numbers, which would take minutes", device.name));
    }
    // A planner of its own frees its memory at the end.
    laws(device, &Planner::new(device.gpu()), [1, 1 << 24]);
    if device.is_thorough() {
        laws(device, &Planner::new(device.gpu()), [4096, 4125]);
        laws(device, &Planner::new(device.gpu()), [1, 17_000_000]);
    }
}
