//! What holds between transforms.

use wgpu_fft_nufft::wgpu_fft::num_complex::Complex64;
use wgpu_fft_nufft::wgpu_fft::{Complex32, Gpu};
use wgpu_fft_nufft::{Nufft, Sign};

use crate::support::{Case, Device, relative_error, wide};

/// ⟨A c, f⟩ = ⟨c, A* f⟩: both types use one window and one grid, so they agree to rounding errors,
/// which is better than to the tolerance.
pub fn adjoint(device: &Device) {
    for &modes in device.share(&[&[60][..], &[20, 21], &[8, 9, 7]]) {
        let one = Case { tolerance: 1e-2, ..Case::new(true, modes, 800, 20) };
        let two = Case { tolerance: 1e-2, coordinates: one.coordinates.clone(), ..Case::new(false, modes, 800, 21) };
        let dot = |x: &[Complex32], y: &[Complex32]| -> Complex64 { x.iter().zip(y).map(|(x, y)| wide(*x) * wide(*y).conj()).sum() };
        let norm = |x: &[Complex32]| x.iter().map(|x| wide(*x).norm_sqr()).sum::<f64>().sqrt();
        let found = one.run(device);
        let (left, right) = (dot(&found, &two.input), dot(&one.input, &two.run(device)));
        let error = (left - right).norm() / (norm(&found) * norm(&two.input));
        assert!(error < 1e-6, "{modes:?}: {left} and {right}, {error:e}");
    }
}

/// Two runs, and another device of the adapter, whose points are sorted anew.
pub fn equal_bits(device: &Device) {
    let planner = wgpu_fft_nufft::wgpu_fft::Planner::new(&pollster::block_on(Gpu::from_adapter(&device.adapter)).unwrap());
    let other = Device { name: device.name.clone(), adapter: device.adapter.clone(), planner };
    for type1 in [true, false] {
        let mut case = Case::new(type1, &[30, 31], 20_000, 22);
        // Half of them in one place, so that their order matters.
        case.coordinates.iter_mut().for_each(|values| values[5000..15_000].fill(1.0));
        let first = case.run(device);
        assert!(first == case.run(device) && first == case.run(&other));
        case.input[700].re += 1e-3;
        assert!(first != case.run(device), "the comparison can fail");
    }
}

pub fn one_set_of_points_for_both_types(device: &Device) {
    let case = Case::new(true, &[18, 9], 400, 23);
    let one = Nufft::type1([18, 9]).sign(Sign::Minus).plan(&device.planner).unwrap();
    let two = Nufft::type2([18, 9]).batch(2).plan(&device.planner).unwrap();
    let points = one.points(&case.slices()).unwrap();
    let modes = one.run(&points, &case.input).unwrap().wait().unwrap();
    assert!(relative_error(&modes, &Case { sign: Sign::Minus, ..case.clone() }.expected()) < 1.1e-5);
    let back = two.run(&points, &[&modes[..], &modes].concat()).unwrap().wait().unwrap();
    let expected = Case { type1: false, sign: Sign::Minus, input: modes, ..case }.expected();
    assert!(relative_error(&back[..400], &expected) < 1.1e-5 && back[..400] == back[400..]);
}
