//! Adjoints: ⟨Ax, y⟩ = ⟨x, A*y⟩ for arrays of noise, with programs that run on the host.

use wgpu_fft::elements::Number;
use wgpu_fft::fft::{C2c, C2r, R2c, R2r, RealKind, Scale};
use wgpu_fft::half::f16;
use wgpu_fft::num_complex::Complex;
use wgpu_fft::plan::Placement;
use wgpu_fft::signal::{Convolve, Frequencies, Mode, Resample, Roll, Scaling, Stft, Zoom};
use wgpu_fft::transpose::Permute;
use wgpu_fft::{Complex32, DeviceProfile, Edge, Element, Error, Fragment, Layout, Spec, bytemuck};

use crate::reference::noise;
use crate::sanitized::{UNWRITTEN, run};

/// Noise in an array of f32 or complex f32.
fn filled<T: Element>(len: usize, seed: u64) -> Vec<T> {
    bytemuck::pod_collect_to_vec(&noise(len * size_of::<T>() / 4, seed))
}

/// Re Σ conj(u)·v. What lies in gaps counts nothing.
fn product<T: Element>(u: &[T], v: &[T]) -> f64 {
    let [u, v]: [&[f32]; 2] = [u, v].map(bytemuck::cast_slice);
    let is_there = |x: f32| x.to_bits() != UNWRITTEN;
    u.iter().zip(v).filter(|(u, v)| is_there(**u) && is_there(**v)).map(|(u, v)| f64::from(*u) * f64::from(*v)).sum()
}

/// `second` is what both read besides.
fn check<A: Spec, B: Spec<Input = A::Output, Output = A::Input>>(spec: &A, adjoint: &B, second: Option<&[f32]>) {
    let profile = DeviceProfile::webgpu_defaults();
    let lowered = spec.lower(&spec.design(&profile).unwrap_or_else(|why| panic!("{spec}: {why}")), &profile).unwrap();
    let back = adjoint.lower(&adjoint.design(&profile).unwrap_or_else(|why| panic!("{adjoint}: {why}")), &profile).unwrap();
    assert_eq!((lowered.inputs()[0].len, lowered.output().len), (back.output().len, back.inputs()[0].len), "{spec} and {adjoint}");
    let (x, y) = (filled::<A::Input>(lowered.inputs()[0].len, 1), filled::<A::Output>(lowered.output().len, 2));
    let (kernel_in, kernel_out): (&[A::Input], &[A::Output]) =
        second.map_or((&[], &[]), |second| (bytemuck::cast_slice(second), bytemuck::cast_slice(second)));
    let (inputs, gradients) = match second {
        None => (vec![&x[..]], vec![&y[..]]),
        Some(_) => (vec![&x[..], kernel_in], vec![&y[..], kernel_out]),
    };
    let there: Vec<A::Output> = run(&lowered, &inputs, 1, 1);
    let here: Vec<A::Input> = run(&back, &gradients, 1, 1);
    let [one, other] = [product(&there, &y), product(&x, &here)];
    let scale = (product(&there, &there) * product(&y, &y)).sqrt();
    assert!((one - other).abs() <= 1e-5 * scale, "{one} and {other} of {scale}: {spec} and {adjoint}");
    assert!(scale > 0.0, "{spec}");
}

#[test]
fn fourier_transforms() {
    let complex = [
        C2c::forward(12),
        C2c::inverse([6, 10]).scale(Scale::InvLen).batch(2),
        C2c::forward([3, 4, 5]).axes([0, 2]).scale_by(0.75),
        C2c::forward([8, 9]).transposed(),
        C2c::forward([16, 12]).input_part([0..9, -3..5]).output_part([-4..4, 0..7]),
        C2c::forward(37).input_layout(Layout::strides([2]).offset(1)),
    ];
    for spec in complex {
        check(&spec, &spec.adjoint().unwrap(), None);
        assert_eq!(spec.adjoint().unwrap().adjoint().as_ref(), Ok(&spec));
    }
    for shape in [vec![8], vec![9], vec![1], vec![2], vec![5, 8], vec![4, 7], vec![3, 4, 6]] {
        let there = R2c::forward(shape.as_slice()).batch(2).scale(Scale::InvSqrtLen);
        check(&there, &there.adjoint().unwrap(), None);
        let back = C2r::inverse(shape.as_slice()).scale(Scale::InvLen);
        check(&back, &back.adjoint().unwrap(), None);
    }
    for spec in [R2c::forward([5, 8]).axes([1]).scale_by(0.5), R2c::forward([6, 7]).rows_may_mix().output_layout(Layout::strides([5, 1]))] {
        check(&spec, &spec.adjoint().unwrap(), None);
    }
    let in_place = R2c::forward([6, 8]).in_place().adjoint().unwrap();
    let profile = DeviceProfile::webgpu_defaults();
    let program = in_place.lower(&in_place.design(&profile).unwrap(), &profile).unwrap();
    assert_eq!(program.placement(), Placement::InPlace);
    let half = C2c::forward(16).input_as::<Complex<f16>>();
    assert_eq!(half.adjoint().unwrap().to_string(), "c2c inv 16 out-as=complex-f16");
    let part = R2c::forward([12, 16]).input_part([0..5, 0..9]).output_part([-3..3, 0..6]);
    check(&part, &part.adjoint().unwrap(), None);
}

#[test]
fn transforms_of_reals() {
    for kind in RealKind::ALL {
        for n in [2, 5, 8] {
            for spec in [R2r::new(kind, n), R2r::new(kind, [3, n]).axes([1]).scale(Scale::InvLen), R2r::new(kind, n).orthonormal()] {
                check(&spec, &spec.adjoint().unwrap(), None);
            }
        }
    }
    let walls = R2r::by_axis([RealKind::DctI, RealKind::DstII, RealKind::OfHalfComplex], [4, 3, 6]);
    check(&walls, &walls.adjoint().unwrap(), None);
}

#[test]
fn moves_and_convolutions() {
    let permute = Permute::<f32>::new([2, 3, 4], [2, 0, 1]).batch(3);
    check(&permute, &permute.adjoint().unwrap(), None);
    assert_eq!(permute.adjoint().unwrap().adjoint().as_ref(), Ok(&permute));
    let roll = Roll::<Complex32>::new([5, 6], [2, -1]);
    check(&roll, &roll.adjoint(), None);
    assert_eq!(roll.adjoint().adjoint(), roll);
    for (mode, kernel) in [(Mode::Full, [2, 4]), (Mode::Valid, [4, 3]), (Mode::Same, [3, 5])] {
        let taps = noise(2 * kernel[0] * kernel[1], 3);
        let specs = [Convolve::<f32>::convolution([7, 9], kernel), Convolve::correlation([7, 9], kernel)];
        for spec in specs.map(|spec| spec.mode(mode).batch(2)) {
            check(&spec, &spec.adjoint().unwrap(), Some(&taps[..kernel[0] * kernel[1]]));
        }
        let specs = [Convolve::<Complex32>::convolution([7, 9], kernel), Convolve::correlation([7, 9], kernel)];
        for spec in specs.map(|spec| spec.mode(mode)) {
            check(&spec, &spec.adjoint().unwrap(), Some(&taps));
        }
    }
}

/// Frames that overlap, that leave gaps, longer than the signal and shorter, with every way to store
/// them; and back. A window of noise is its own dual nowhere.
#[test]
fn frames() {
    fn of<T: Number>() {
        let cases = [(40, 8, 2, 8), (37, 9, 4, 12), (30, 5, 8, 5), (9, 16, 4, 16), (64, 7, 7, 15)];
        for (i, (len, m, hop, n)) in cases.into_iter().enumerate() {
            let window: Vec<f32> = noise(m, 5).iter().map(|w| w + 1.5).collect();
            let stft = Stft::<T>::new(len, &window, hop).nfft(n).batch(1 + i % 2);
            let stft = if i % 2 == 0 { stft.phase_shift(None) } else { stft.frequencies_first().scaling(Scaling::Magnitude) };
            let adjoint = stft.adjoint().unwrap();
            check(&stft, &adjoint, None);
            assert_eq!(adjoint.adjoint().as_ref(), Ok(&stft));
            if hop <= m {
                let istft = stft.inverse().unwrap();
                check(&istft, &istft.adjoint().unwrap(), None);
                assert_eq!(istft.adjoint().unwrap().adjoint(), Ok(istft));
            }
        }
        let some = Stft::<T>::new(50, &[0.5f32; 8], 3).frames(2..9);
        check(&some, &some.adjoint().unwrap(), None);
    }
    of::<f32>();
    of::<Complex32>();
}

/// The adjoint of a transform back stores what a fragment makes of it.
#[test]
fn adjoint_frames_have_maps() {
    let istft = Stft::<f32>::new(40, &[0.75f32; 8], 2).inverse().unwrap();
    let plain = istft.adjoint().unwrap();
    let twice = istft.adjoint().unwrap().map_output::<Complex32>(Fragment::new("value * 2.0")).unwrap();
    let profile = DeviceProfile::webgpu_defaults();
    let x: Vec<f32> = filled(40, 1);
    let plain: Vec<Complex32> = run(&plain.lower(&plain.design(&profile).unwrap(), &profile).unwrap(), &[&x[..]], 1, 1);
    let twice: Vec<Complex32> = run(&twice.lower(&twice.design(&profile).unwrap(), &profile).unwrap(), &[&x[..]], 1, 1);
    assert!(plain.iter().any(|z| z.norm() > 0.0));
    assert_eq!(twice, plain.iter().map(|z| z * 2.0).collect::<Vec<_>>());
}

/// Lengths that are even and odd, longer and shorter, along one axis and several.
#[test]
fn zooms_and_resampling() {
    fn zoom<T: Number>() {
        for (shape, axis, points) in [(vec![12], 0, 5), (vec![9], 0, 20), (vec![4, 7], 0, 3), (vec![3, 5, 4], 1, 8), (vec![1], 0, 1)] {
            for endpoint in [false, true] {
                let spec = Zoom::<T>::new(&shape, [0.13, -0.41], points).axis(axis).batch(2).endpoint(endpoint);
                let adjoint = spec.adjoint().unwrap();
                assert_eq!(adjoint.output_shape().unwrap().extents(), shape);
                check(&spec, &adjoint, None);
                assert_eq!(adjoint.adjoint(), Ok(spec));
            }
        }
    }
    zoom::<f32>();
    zoom::<Complex32>();
    fn resample<T: Number>() {
        for n in 1..8 {
            for m in 1..8 {
                let spec = Resample::<T>::new(n, m).batch(2);
                check(&spec, &spec.adjoint().unwrap(), None);
            }
        }
        for (from, to) in [(vec![6, 5], vec![4, 8]), (vec![4, 4], vec![8, 2]), (vec![3, 6, 4], vec![6, 6, 3]), (vec![5, 6], vec![8, 6])] {
            let spec = Resample::<T>::new(from, to);
            let adjoint = spec.adjoint().unwrap();
            check(&spec, &adjoint, None);
            assert_eq!(adjoint.to_string().parse().as_ref(), Ok(&adjoint));
            assert_eq!(adjoint.adjoint(), Ok(spec));
        }
    }
    resample::<f32>();
    resample::<Complex32>();
}

/// Few frequencies and many, twice the same one, between those of the FFT and on them.
#[test]
fn spectra_at_frequencies() {
    fn frequencies<T: Number>() {
        for (shape, axis, all) in [
            (vec![12], 0, &[0.1, -0.3, 0.1, 1.25][..]),
            (vec![9], 0, &[0.0]),
            (vec![4, 70], 1, &[0.37, 0.21, 0.004]),
            (vec![4, 7], 0, &[0.05, 0.7]),
            (vec![3, 5, 4], 1, &[0.11, -0.2, 0.3, 0.41, 0.5, 0.6, 0.77]),
            (vec![1], 0, &[0.3]),
        ] {
            let n = shape[axis];
            let bins: Vec<usize> = all.iter().map(|f: &f64| (f.abs() * n as f64) as usize % n).collect();
            for spec in [Frequencies::<T>::new(&shape, all), Frequencies::bins(&shape, bins)] {
                let spec = spec.axis(axis).batch(2);
                let adjoint = spec.adjoint().unwrap();
                assert_eq!(adjoint.output_shape().unwrap().extents(), shape);
                check(&spec, &adjoint, None);
                assert_eq!(adjoint.adjoint(), Ok(spec));
            }
        }
        // So many that they are picked from a transform, on the way there.
        let all = Frequencies::<T>::bins(16, (0..16).rev().collect::<Vec<_>>());
        check(&all, &all.adjoint().unwrap(), None);
    }
    frequencies::<f32>();
    frequencies::<Complex32>();
    let mapped = Frequencies::<f32>::new(8, [0.1]).map_input::<f32>(Fragment::new("value * value")).unwrap();
    assert!(mapped.adjoint().unwrap_err().to_string().contains("fragments"));
}

#[test]
fn what_has_no_adjoint_says_why() {
    let refused = |result: Result<String, Error>, why: &str| match result {
        Err(Error::Unsupported { why: own, .. }) => assert!(own.contains(why), "{own}, not {why}"),
        other => panic!("{other:?}, not {why}"),
    };
    let text = |spec: wgpu_fft::Result<C2c>| spec.map(|spec| spec.to_string());
    refused(text(C2c::forward(8).map_input::<Complex32>(Fragment::new("value * value.x")).unwrap().adjoint()), "fragments");
    refused(text(C2c::forward([8, 8]).axis_kind(0, RealKind::DctI).adjoint()), "other kinds");
    refused(text(C2c::forward([8, 8]).axes([1]).transposed().adjoint()), "transposed");
    let frames = || Stft::<f32>::new(40, &[1.0f32; 8], 4);
    let text = |spec: wgpu_fft::Result<wgpu_fft::signal::Istft<f32>>| spec.map(|spec| spec.to_string());
    refused(text(frames().edge(Edge::Mirror).adjoint()), "zeros");
    refused(text(frames().map_output::<Complex32>(Fragment::new("value")).unwrap().adjoint()), "fragments");
    refused(text(frames().inverse().unwrap().adjoint().unwrap().inverse()), "without an inverse");
    let padded = frames().inverse().unwrap().adjoint().unwrap().edge(Edge::Nearest);
    refused(padded.frame_range().map(|_| String::new()), "zeros");
    refused(Zoom::<f32>::new(8, [0.0, 2.0], 3).axis(1).adjoint().map(|spec| spec.to_string()), "axis 1");
    let mapped = Zoom::<f32>::new(8, [0.0, 2.0], 3).map_input::<u8>(Fragment::new("f32(value)")).unwrap();
    refused(mapped.adjoint().map(|spec| spec.to_string()), "fragments");
    let mapped = Resample::<f32>::new(8, 3).map_input::<u8>(Fragment::new("f32(value)")).unwrap();
    refused(mapped.adjoint().map(|spec| spec.to_string()), "fragments");
    let convolve = || Convolve::<f32>::convolution(8, 4);
    let text = |spec: Convolve<f32>| spec.adjoint().map(|spec| spec.to_string());
    refused(text(convolve()), "even length");
    refused(text(convolve().mode(Mode::Full).edge(Edge::Wrap)), "edge");
    refused(text(convolve().mode(Mode::Full).channels(2, 3)), "other kernels");
    let mapped = Permute::<f32>::transpose([3, 4]).map_input::<u8>(Fragment::new("f32(value)")).unwrap();
    refused(mapped.adjoint().map(|spec| spec.to_string()), "fragments");
}
