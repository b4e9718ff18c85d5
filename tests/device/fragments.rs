//! Fragments on devices, with arrays and uniforms of the caller's, and parts of Fourier transforms.
#![allow(clippy::single_range_in_vec_init, reason = "a part of one axis is one range")]

use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::sync::Arc;
use std::time::Duration;

use num_complex::Complex64;
use wgpu_fft::With;
use wgpu_fft::fft::{C2c, C2r, R2c, Scale};
use wgpu_fft::low_level;
use wgpu_fft::low_level::tune::record::Items as _;
use wgpu_fft::low_level::tune::{DeviceIdentity, End, Source};
use wgpu_fft::num_complex;
use wgpu_fft::reduce;
use wgpu_fft::transpose::Permute;
use wgpu_fft::tune::{Record, Rigor, Tuning};
use wgpu_fft::{Complex32, DeviceBuffer, Element, Error, Fragment, FragmentArrays, Gpu, Planner, View, bytemuck, wgpu};

use crate::harness::*;
use crate::permute::{Case, MAPPED};
use crate::reference::dft;

/// SwiftShader's sine and cosine are off by 2⁻¹¹; the fragments here use neither.
const BOUND: f64 = 1e-6;

fn raw(gpu: &Gpu, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    gpu.device().create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
}

/// A buffer for uniforms and arrays, with data at an offset.
fn shared<T: Element>(gpu: &Gpu, offset: u64, data: &[T]) -> wgpu::Buffer {
    let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
    let buffer = raw(gpu, offset + size_of_val(data) as u64, usage);
    gpu.queue().write_buffer(&buffer, offset, bytemuck::cast_slice(data));
    buffer
}

fn encoder(gpu: &Gpu) -> wgpu::CommandEncoder {
    gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
}

/// Elements of an axis of `n`, from a signed index.
fn wrapped(index: i64, n: usize) -> usize {
    index.rem_euclid(n as i64) as usize
}

pub fn padded_and_cropped(device: &Device) {
    // 12 x 40 in a field of zeros, and the lowest frequencies alone, negative ones first.
    let (rows, columns) = (32, 96);
    let x = complex_noise(12 * 40, 1);
    let mut whole = vec![Complex64::ZERO; rows * columns];
    for (i, z) in wide(&x).into_iter().enumerate() {
        whole[wrapped((i / 40) as i64 - 5, rows) * columns + i % 40] = z;
    }
    dft(&mut whole, &[rows, columns], &[0, 1], false);
    let expected: Vec<Complex64> =
        (0..9 * 17).map(|i| whole[wrapped((i / 17) as i64 - 4, rows) * columns + wrapped((i % 17) as i64 - 8, columns)]).collect();
    let spec = C2c::forward([rows, columns]).input_part([-5..7, 0..40]).output_part([-4..5, -8..9]);
    let plan = device.planner.plan(spec).unwrap();
    assert_eq!((plan.input_len(), plan.output_len()), (12 * 40, 9 * 17));
    assert_close(&run_guarded(device, &plan, &x), &expected, BOUND, &device.name);

    // A part of a long axis, and the spectrum of a prefix of reals.
    for n in [4096usize, 1000, 509] {
        let x = complex_noise(n / 3, 2);
        let mut whole = vec![Complex64::ZERO; n];
        wide(&x).into_iter().enumerate().for_each(|(i, z)| whole[i] = z);
        dft(&mut whole, &[n], &[0], true);
        let plan = device.planner.plan(C2c::inverse(n).input_part([0..(n / 3) as i64]).output_part([-20..30])).unwrap();
        let expected: Vec<Complex64> = (-20..30).map(|i| whole[wrapped(i, n)]).collect();
        assert_close(&run_guarded(device, &plan, &x), &expected, BOUND, &device.name);
    }
    let reals = noise(90, 3);
    let mut whole: Vec<Complex64> = reals.iter().map(|&x| f64::from(x).into()).chain([Complex64::ZERO; 110]).collect();
    dft(&mut whole, &[200], &[0], false);
    let plan = device.planner.plan(R2c::forward(200).input_part([0..90]).output_part([0..33])).unwrap();
    assert_close(&run_guarded(device, &plan, &reals), &whole[..33], BOUND, &device.name);
}

/// A picture of bytes is windowed and transformed, and comes back as decibels.
pub fn pictures_of_bytes_become_decibels(device: &Device) {
    let (rows, columns) = (48, 60);
    let picture: Vec<u8> = (0..rows * columns).map(|i| ((i as u32).wrapping_mul(0x9e37_79b1) >> 24) as u8).collect();
    let triangle = |i: usize, n: usize| 1.0 - (2.0 * i as f64 / n as f64 - 1.0).abs();
    let mut expected: Vec<Complex64> =
        picture.iter().enumerate().map(|(i, &byte)| (f64::from(byte) / 255.0 * triangle(i % columns, columns)).into()).collect();
    dft(&mut expected, &[rows, columns], &[0, 1], false);
    let half = columns / 2 + 1;
    let input = Fragment::new("f32(value) / 255.0 * triangle(i1, n1)")
        .functions("fn triangle(i: u32, n: u32) -> f32 { return 1.0 - abs(2.0 * f32(i) / f32(n) - 1.0); }");
    let output = Fragment::new("4.342944819 * log(dot(value, value))");
    let spec = R2c::forward([rows, columns]).map_input::<u8>(input).unwrap().map_output::<f32>(output).unwrap();
    let plan = device.planner.plan(spec).unwrap();
    for decibels in [plan.run(&picture).unwrap().wait().unwrap(), run_guarded(device, &plan, &picture)] {
        assert_eq!(decibels.len(), rows * half);
        for (i, actual) in decibels.iter().enumerate() {
            let expected = 10.0 * expected[i / half * columns + i % half].norm_sqr().log10();
            assert!((f64::from(*actual) - expected).abs() < 0.05, "{}: element {i}: {actual} and {expected}", device.name);
        }
    }
}

/// Indices and frequencies, in a batch, in place, and with a scale.
pub fn indices_and_frequencies(device: &Device) {
    let (rows, columns, batch) = (12, 40, 3);
    let x = complex_noise(rows * columns * batch, 4);
    let place = |i: usize| 1.0 + (i % columns) as f64 + 0.5 * (i / columns % rows) as f64 - 0.25 * (i / (rows * columns)) as f64;
    let mut expected: Vec<Complex64> = wide(&x).into_iter().enumerate().map(|(i, z)| z * place(i)).collect();
    dft(&mut expected, &[rows, columns], &[0, 1], false);
    // A derivative along the rows, by their frequencies.
    let signed = |k: usize| if 2 * k >= columns { k as f64 - columns as f64 } else { k as f64 };
    let factor = 1.0 / (rows * columns) as f64;
    expected.iter_mut().enumerate().for_each(|(i, z)| *z *= Complex64::new(0.0, TAU * signed(i % columns)) * factor);
    let spec = C2c::forward([rows, columns])
        .batch(batch)
        .scale(Scale::InvLen)
        .map_input::<Complex32>(Fragment::new("value * (1.0 + f32(i1) + 0.5 * f32(i0) - 0.25 * f32(batch))"))
        .unwrap()
        .map_output::<Complex32>(Fragment::new("vec2(-value.y, value.x) * (6.283185307179586 * f32(k1))"))
        .unwrap();
    for spec in [spec.clone(), spec.in_place()] {
        let plan = device.planner.plan(spec).unwrap();
        assert_close(&run_guarded(device, &plan, &x), &expected, BOUND, &format!("{}: {}", device.name, plan.spec()));
    }
}

/// Bytes are weighted by an array of the caller's and by where they are, and then added up over every
/// kind of axes.
pub fn reductions_map_what_they_load(device: &Device) {
    let gpu = device.gpu();
    let (planes, rows, columns, batch) = (3, 130, 70, 2);
    let bytes: Vec<u8> = (0..planes * rows * columns * batch).map(|i| ((i as u32).wrapping_mul(0x9e37_79b1) >> 24) as u8).collect();
    let weights: Vec<u32> = (0..columns as u32).map(|i| i.wrapping_mul(0x85eb_ca6b) >> 16).collect();
    let fragment = Fragment::new("value * weights[i2] + i0 * 3u + i1 * gain + batch * n1")
        .array::<u32>("weights", columns)
        .uniform::<u32>("gain", "u32");
    let (weights_buffer, gain_buffer) = (gpu.upload(&weights).unwrap(), shared(gpu, 0, &[1001u32, 0, 0, 0]));
    let arrays = FragmentArrays::new().with("weights", &weights_buffer).with("gain", View::<u32>::new(&gain_buffer, 0, 1).unwrap());
    for axes in [&[0, 1, 2][..], &[2], &[1], &[0], &[0, 2], &[0, 1]] {
        let mut expected = BTreeMap::<[usize; 4], u32>::new();
        for (i, &byte) in bytes.iter().enumerate() {
            let index = [i / (planes * rows * columns), i / (rows * columns) % planes, i / columns % rows, i % columns];
            let [b, p, r, c] = index.map(|index| index as u32);
            let value = (u32::from(byte) * weights[c as usize]).wrapping_add(p * 3 + r * 1001 + b * rows as u32);
            let result = [0, 1, 2, 3].map(|i| if i > 0 && axes.contains(&(i - 1)) { 0 } else { index[i] });
            let sum = expected.entry(result).or_default();
            *sum = sum.wrapping_add(value);
        }
        let expected: Vec<u32> = expected.into_values().collect();
        let sum = reduce::sum::<u32>([planes, rows, columns]).batch(batch).axes(axes);
        for spec in [sum.clone(), sum.across_devices()] {
            let plan = device.planner.plan(spec.map_input::<u8>(fragment.clone()).unwrap()).unwrap();
            let sums = plan.run(With(&bytes, &arrays)).unwrap().wait().unwrap();
            assert_eq!(sums, expected, "{}: {axes:?}", device.name);
        }
    }
}

/// Sums of bytes become pairs that know where they are, with a table that both fragments read; norms
/// are scaled by a uniform, and the largest elements become coordinates.
pub fn reductions_map_their_results(device: &Device) {
    let gpu = device.gpu();
    let (planes, rows, columns, batch) = (3, 130, 70, 2);
    let bytes: Vec<u8> = (0..planes * rows * columns * batch).map(|i| ((i as u32).wrapping_mul(0x9e37_79b1) >> 24) as u8).collect();
    let weights: Vec<u32> = (0..130u32).map(|i| i.wrapping_mul(0x85eb_ca6b) >> 16).collect();
    let input = Fragment::new("value * weights[i2]").array::<u32>("weights", 130);
    let output = "vec2(value + batch * 7u, i0 * 10000u + i1 * 100u + i2 + n1 + weights[i1])";
    let output = Fragment::new(output).array::<u32>("weights", 130);
    let weights_buffer = gpu.upload(&weights).unwrap();
    let arrays = FragmentArrays::new().with("weights", &weights_buffer);
    for axes in [&[0, 1, 2][..], &[2], &[1], &[0], &[0, 2], &[0, 1]] {
        let mut expected = BTreeMap::<[usize; 4], [u32; 2]>::new();
        for (i, &byte) in bytes.iter().enumerate() {
            let index = [i / (planes * rows * columns), i / (rows * columns) % planes, i / columns % rows, i % columns];
            let result = [0, 1, 2, 3].map(|i| if i > 0 && axes.contains(&(i - 1)) { 0 } else { index[i] });
            let [b, p, r, c] = result.map(|index| index as u32);
            let place = p * 10_000 + r * 100 + c + rows as u32 + weights[r as usize];
            let [sum, _] = expected.entry(result).or_insert([b * 7, place]);
            *sum = sum.wrapping_add(u32::from(byte) * weights[index[3]]);
        }
        let expected: Vec<[u32; 2]> = expected.into_values().collect();
        let sum = reduce::sum::<u32>([planes, rows, columns]).batch(batch).axes(axes);
        for spec in [sum.clone(), sum.across_devices()] {
            let spec = spec.map_input::<u8>(input.clone()).unwrap().map_output::<[u32; 2]>(output.clone()).unwrap();
            let pairs = device.planner.plan(spec).unwrap().run(With(&bytes, &arrays)).unwrap().wait().unwrap();
            assert!(pairs == expected, "{}: {axes:?}", device.name);
        }
    }

    let (rows, columns) = (33, 5000);
    let x = noise(rows * columns, 12);
    let factor = shared(gpu, 0, &[2.5f32, 0.0, 0.0, 0.0]);
    let arrays = FragmentArrays::new().with("factor", View::<[f32; 4]>::new(&factor, 0, 1).unwrap());
    let scaled = Fragment::new("value * factor.x").uniform::<[f32; 4]>("factor", "vec4<f32>");
    let norms = reduce::norm::<f32>([rows, columns]).axes([1]).map_output::<f32>(scaled).unwrap();
    let norms = device.planner.plan(norms).unwrap().run(With(&x, &arrays)).unwrap().wait().unwrap();
    let peaks = Fragment::new("vec2(f32(value), f32(i0))");
    let peaks = reduce::argmax::<f32>([rows, columns]).axes([1]).map_output::<[f32; 2]>(peaks).unwrap();
    let peaks = device.planner.plan(peaks).unwrap().run(&x).unwrap().wait().unwrap();
    let largest = Fragment::new("vec2(value, -value)");
    let largest = reduce::max::<f32>(rows * columns).map_output::<[f32; 2]>(largest).unwrap();
    let largest = device.planner.plan(largest).unwrap().run(&x).unwrap().wait().unwrap();
    for (i, row) in x.chunks(columns).enumerate() {
        let norm = 2.5 * row.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt();
        assert!((f64::from(norms[i]) - norm).abs() < 1e-5 * norm, "{}: {} and {norm}", device.name, norms[i]);
        let most = row.iter().copied().fold(f32::MIN, f32::max);
        let at = row.iter().position(|&x| x == most).unwrap();
        assert_eq!(peaks[i], [at as f32, i as f32], "{}", device.name);
    }
    let most = x.iter().copied().fold(f32::MIN, f32::max);
    assert_eq!(largest, [[most, -most]], "{}", device.name);
}

/// A transform with a filter and two uniforms, shared between the fragments by their names.
fn filtered(n: usize) -> C2c {
    let input = Fragment::new("value * taps[i0] + vec2(settings.offset.x, f32(marks[i0 % 4u]))")
        .functions("struct Settings { offset: vec4<f32> }")
        .array::<f32>("taps", n)
        .array::<u8>("marks", 3)
        .uniform::<[f32; 4]>("settings", "Settings");
    let output = Fragment::new("value * taps[n0 - 1u - i0] * gain").array::<f32>("taps", n).uniform::<f32>("gain", "f32");
    C2c::forward(n).map_input::<Complex32>(input).unwrap().map_output::<Complex32>(output).unwrap()
}

/// What `filtered` computes.
fn expected_of_filtered(x: &[Complex32], taps: &[f32], marks: &[u8], offset: f32, gain: f32) -> Vec<Complex64> {
    let n = x.len();
    let number = |i: usize| Complex64::new(offset.into(), marks[(i % 4).min(2)].into());
    let mut expected: Vec<Complex64> = wide(x).into_iter().enumerate().map(|(i, z)| z * f64::from(taps[i]) + number(i)).collect();
    dft(&mut expected, &[n], &[0], false);
    expected.iter_mut().enumerate().for_each(|(i, z)| *z *= f64::from(taps[n - 1 - i]) * f64::from(gain));
    expected
}

pub fn arrays_and_uniforms_are_bound_by_name(device: &Device) {
    let gpu = device.gpu();
    let n = 240;
    let (x, taps, marks) = (complex_noise(n, 5), noise(n, 6), [3u8, 5, 8]);
    let expected = expected_of_filtered(&x, &taps, &marks, 0.5, 3.0);
    for in_place in [false, true] {
        let spec = if in_place { filtered(n).in_place() } else { filtered(n) };
        let plan = device.planner.plan(spec).unwrap();
        // All in one buffer, at offsets that the device allows.
        let unit = gpu.profile().uniform_alignment.max(gpu.profile().storage_alignment) as usize;
        let places = [0usize, 1, 2, 3].map(|i| if i < 3 { i * unit } else { (3 * unit + 4 * n).next_multiple_of(unit) });
        let mut bytes = vec![0xffu8; places[3] + 16];
        let settings = [0.5f32, 0.0, 0.0, 0.0];
        let all: [&[u8]; 4] = [&marks, bytemuck::bytes_of(&settings), bytemuck::cast_slice(&taps), bytemuck::bytes_of(&3.0f32)];
        for (place, data) in places.into_iter().zip(all) {
            bytes[place..place + data.len()].copy_from_slice(data);
        }
        let buffer = shared(gpu, 0, &bytes);
        let [at_marks, at_settings, at_taps, at_gain] = places.map(|place| place as u64);
        let arrays = FragmentArrays::new()
            .with("gain", View::<f32>::new(&buffer, at_gain, 1).unwrap())
            .with("taps", View::<u32>::new(&buffer, at_taps, n).unwrap())
            // The last array for a name is taken.
            .with("taps", View::<f32>::new(&buffer, at_taps, n).unwrap())
            .with("settings", View::<[f32; 4]>::new(&buffer, at_settings, 1).unwrap())
            .with("marks", View::<u8>::new(&buffer, at_marks, 3).unwrap());
        let output = plan.run(With(&x, &arrays)).unwrap().wait().unwrap();
        assert_close(&output, &expected, BOUND, &device.name);
        let mut into = vec![Complex32::default(); n];
        plan.run_into(With(&x, &arrays), &mut into).unwrap();
        assert_close(&into, &expected, BOUND, &device.name);

        let data = gpu.upload(&x).unwrap();
        let result: DeviceBuffer<Complex32> = gpu.alloc(n).unwrap();
        let bound = if in_place { plan.bind_in_place(With(&data, &arrays)) } else { plan.bind(With(&data, &arrays), &result) }.unwrap();
        gpu.submit(|encoder| bound.encode(encoder)).unwrap();
        let output = gpu.download(if in_place { &data } else { &result }).unwrap().wait().unwrap();
        assert_close(&output, &expected, BOUND, &device.name);

        // Arrays may change between two runs of what is bound.
        let halves: Vec<f32> = taps.iter().map(|tap| tap * 0.5).collect();
        gpu.queue().write_buffer(&buffer, at_taps, bytemuck::cast_slice(&halves));
        gpu.write(&data, &x).unwrap();
        gpu.submit(|encoder| bound.encode(encoder)).unwrap();
        let output = gpu.download(if in_place { &data } else { &result }).unwrap().wait().unwrap();
        assert_close(&output, &expected_of_filtered(&x, &halves, &marks, 0.5, 3.0), BOUND, &device.name);
        plan.warm_up().unwrap();
    }
}

pub fn what_is_bound_wrongly_is_refused(device: &Device) {
    let gpu = device.gpu();
    let n = 240;
    let (x, taps, marks) = (complex_noise(n, 5), noise(n, 6), [3u8, 5, 8]);
    let plan = device.planner.plan(filtered(n)).unwrap();
    let (taps_buffer, marks_buffer) = (gpu.upload(&taps).unwrap(), gpu.upload(&marks).unwrap());
    let (settings, gain) = (shared(gpu, 0, &[0.5f32, 0.0, 0.0, 0.0]), shared(gpu, 0, &[3.0f32]));
    let (input, output) = (gpu.upload(&x).unwrap(), gpu.upload(&vec![Complex32::new(7.0, 8.0); n]).unwrap());
    let settings = || View::<[f32; 4]>::new(&settings, 0, 1).unwrap();
    let gain = || View::<f32>::new(&gain, 0, 1).unwrap();
    let without = |name: &str| {
        let mut arrays = FragmentArrays::new();
        if name != "taps" {
            arrays = arrays.with("taps", &taps_buffer);
        }
        if name != "marks" {
            arrays = arrays.with("marks", &marks_buffer);
        }
        if name != "settings" {
            arrays = arrays.with("settings", settings());
        }
        if name != "gain" { arrays.with("gain", gain()) } else { arrays }
    };
    let mut pending = encoder(gpu);
    let refused = |arrays: &FragmentArrays<'_>| {
        let error = plan.bind(With(&input, arrays), &output).unwrap_err();
        assert_eq!(plan.run(With(&x, arrays)).unwrap_err(), error, "{}", device.name);
        error
    };
    let names = |error: Error| match error {
        Error::WrongArrays { spec, expected, actual } => {
            assert_eq!(spec, plan.spec().to_string());
            (expected, actual)
        }
        other => panic!("{other}"),
    };
    let declared = "taps, marks, settings, gain";
    assert_eq!(names(refused(&without("gain"))), (declared.to_owned(), "taps, marks, settings".to_owned()));
    let (expected, actual) = names(refused(&without("gain").with("gian", gain())));
    assert_eq!((&*expected, &*actual), (declared, "taps, marks, settings, gian"));
    assert_eq!(names(refused(&without("").with("more", &taps_buffer))).1, "taps, marks, settings, gain, more");
    assert_eq!(names(refused(&FragmentArrays::new())).1, "none");
    // A plan with fragments that is run like one without.
    assert_eq!(names(plan.run(&x).unwrap_err()).0, declared);
    assert_eq!(names(plan.bind(&input, &output).unwrap_err()).0, declared);
    assert_eq!(names(plan.encode(&mut pending, &input, &output).unwrap_err()).0, declared);
    assert_eq!(names(plan.run_into(&x, &mut vec![Complex32::ZERO; n]).unwrap_err()).0, declared);
    // And a plan without fragments that is given arrays.
    let plain = device.planner.plan(C2c::forward(n)).unwrap();
    match plain.bind(With(&input, &FragmentArrays::new().with("taps", &taps_buffer)), &output).unwrap_err() {
        Error::WrongArrays { expected, actual, .. } => assert_eq!((&*expected, &*actual), ("none", "taps")),
        other => panic!("{other}"),
    }

    let of = |error: Error, expected_name: &str| match error {
        Error::FragmentArray { name, source } => {
            assert_eq!(name, expected_name);
            *source
        }
        other => panic!("{other}"),
    };
    let short: DeviceBuffer<f32> = gpu.alloc(n - 1).unwrap();
    let error = of(refused(&without("taps").with("taps", &short)), "taps");
    assert_eq!(error, Error::WrongLen { argument: "array", expected: n, actual: n - 1 });
    let words: DeviceBuffer<u32> = gpu.alloc(n).unwrap();
    let error = of(refused(&without("taps").with("taps", &words)), "taps");
    assert!(matches!(&error, Error::Unsupported { .. }) && error.to_string().contains("elements of f32"), "{error}");
    let small = shared(gpu, 0, &[1.0f32, 2.0]);
    let error = of(refused(&without("settings").with("settings", View::<f32>::new(&small, 0, 2).unwrap())), "settings");
    assert_eq!(error, Error::WrongLen { argument: "bytes of a uniform", expected: 16, actual: 8 });
    let stored = raw(gpu, 4, wgpu::BufferUsages::STORAGE);
    let error = of(refused(&without("gain").with("gain", View::<f32>::new(&stored, 0, 1).unwrap())), "gain");
    assert!(matches!(error, Error::MissingUsage { required: wgpu::BufferUsages::UNIFORM, .. }), "{error}");
    let uniform = raw(gpu, 4 * n as u64, wgpu::BufferUsages::UNIFORM);
    let error = of(refused(&without("taps").with("taps", View::<f32>::new(&uniform, 0, n).unwrap())), "taps");
    assert!(matches!(error, Error::MissingUsage { required: wgpu::BufferUsages::STORAGE, .. }), "{error}");
    let moved = shared(gpu, 4, &taps);
    let error = of(refused(&without("taps").with("taps", View::<f32>::new(&moved, 4, n).unwrap())), "taps");
    let alignment = gpu.profile().storage_alignment.into();
    assert_eq!(error, Error::Misaligned { argument: "array", offset_bytes: 4, alignment });
    let error = of(refused(&without("gain").with("gain", View::<f32>::new(&moved, 8, 1).unwrap())), "gain");
    let alignment = gpu.profile().uniform_alignment.into();
    assert_eq!(error, Error::Misaligned { argument: "array", offset_bytes: 8, alignment });
    // The output itself, which no kernel may read as an array.
    let target = shared(gpu, 0, &vec![7.0f32; 2 * n]);
    let result = View::<Complex32>::new(&target, 0, n).unwrap();
    let arrays = without("taps").with("taps", View::<f32>::new(&target, 0, n).unwrap());
    let error = of(plan.bind(With(&input, &arrays), result).unwrap_err(), "taps");
    assert_eq!(error, Error::Aliased { first: "array", second: "output" });
    let other = device.open_another();
    let foreign = other.upload(&taps).unwrap();
    let error = of(refused(&without("taps").with("taps", &foreign)), "taps");
    assert!(matches!(error, Error::ForeignObject { .. }), "{error}");

    // Nothing was changed, and the encoder still works.
    assert!(gpu.download(&output).unwrap().wait().unwrap().iter().all(|z| *z == Complex32::new(7.0, 8.0)), "{}", device.name);
    plan.bind(With(&input, &without("")), &output).unwrap().encode(&mut pending).unwrap();
    gpu.queue().submit([pending.finish()]);
    let result = gpu.download(&output).unwrap().wait().unwrap();
    assert_close(&result, &expected_of_filtered(&x, &taps, &marks, 0.5, 3.0), BOUND, &device.name);
    // The input may be read as an array as well: both are read only.
    let plan = device
        .planner
        .plan(C2c::forward(n).map_input::<Complex32>(Fragment::new("value * again[i0].x").array::<Complex32>("again", n)).unwrap())
        .unwrap();
    plan.bind(With(&input, &FragmentArrays::new().with("again", &input)), &output).unwrap();
}

pub fn plans_with_fragments_are_kept_apart(device: &Device) {
    let planner = Planner::new(device.gpu());
    let spec = |factor: &str| C2c::forward(64).map_input::<f32>(Fragment::new(format!("vec2(value * {factor}, 0.0)"))).unwrap();
    let [two, three] = ["2.0", "3.0"].map(|factor| planner.plan(spec(factor)).unwrap());
    assert!(Arc::ptr_eq(&two, &planner.plan(spec("2.0")).unwrap()));
    assert!(!Arc::ptr_eq(&two, &three) && two.spec() != three.spec() && two.program() != three.program());
    let x = noise(64, 7);
    let mut expected: Vec<Complex64> = x.iter().map(|&x| f64::from(x).into()).collect();
    dft(&mut expected, &[64], &[0], false);
    for (plan, factor) in [(&two, 2.0), (&three, 3.0)] {
        let expected: Vec<Complex64> = expected.iter().map(|z| z * factor).collect();
        assert_close(&plan.run(&x).unwrap().wait().unwrap(), &expected, BOUND, &device.name);
        let text = plan.program().to_string();
        assert!(text.contains(&format!("c2c fwd 64 from f32 by `vec2(value * {factor:.1}, 0.0)`")), "{text}");
        let wgsl: String = plan.program().wgsl().collect();
        assert!(wgsl.contains(&format!("value * {factor:.1}")), "{wgsl}");
    }
}

/// wgpu checks the indices of a kernel only if a fragment indexes memory of its own.
pub fn indices_of_fragments_are_checked_where_they_must_be(device: &Device) {
    let n = 24;
    let x = complex_noise(n, 8);
    let local = "fn weight(i: u32) -> f32 { var weights = array<f32, 4>(1.0, 2.0, 3.0, 4.0); return weights[i % 8u % 4u]; }";
    let proven = |fragment: Fragment| {
        let plan = device.planner.plan(C2c::forward(n).map_input::<Complex32>(fragment).unwrap()).unwrap();
        let proven: Vec<bool> = low_level::dispatches(plan.program()).iter().map(|dispatch| dispatch.proven).collect();
        (plan, proven)
    };
    let (plan, all) = proven(Fragment::new("value * weight(i0)").functions(local));
    assert!(!all[0], "{}", plan.program());
    let mut expected: Vec<Complex64> = wide(&x).into_iter().enumerate().map(|(i, z)| z * ((i % 4) as f64 + 1.0)).collect();
    dft(&mut expected, &[n], &[0], false);
    assert_close(&run_guarded(device, &plan, &x), &expected, BOUND, &device.name);
    // With a constant index, and with an array of the caller's, they are proven.
    let (_, all) =
        proven(Fragment::new("value * weight()").functions("fn weight() -> f32 { var w = array<f32, 2>(1.0, 2.0); return w[1]; }"));
    assert!(all.into_iter().all(|proven| proven));
    // Past the end of an array of the caller's, the last element is read, whatever lies behind it.
    let (plan, all) = proven(Fragment::new("value * weights[i0 * i0 * 1000u]").array::<f32>("weights", 2));
    assert!(all.into_iter().all(|proven| proven));
    let weights = device.gpu().upload(&[2.0f32, 5.0, 99.0, 99.0]).unwrap();
    let arrays = FragmentArrays::new().with("weights", View::<f32>::new(weights.buffer(), 0, 2).unwrap());
    let mut expected: Vec<Complex64> = wide(&x).into_iter().enumerate().map(|(i, z)| z * if i == 0 { 2.0 } else { 5.0 }).collect();
    dft(&mut expected, &[n], &[0], false);
    assert_close(&plan.run(With(&x, &arrays)).unwrap().wait().unwrap(), &expected, BOUND, &device.name);
}

/// The tuner measures transforms with fragments, with arrays of its own, and remembers the
/// fragment.
pub fn fragments_are_tuned_and_remembered(device: &Device) {
    let device = &device.alone();
    let fragment = |factor: &str| Fragment::new(format!("value * taps[i1] * {factor}")).array::<f32>("taps", 48);
    let spec = |factor: &str| C2c::forward([32, 48]).map_input::<Complex32>(fragment(factor)).unwrap();
    let record = Record::in_memory();
    let tuning = Tuning::measure().record(record.clone()).time_limit(Duration::from_secs(1));
    let planner = Planner::new(device.gpu()).with_tuning(tuning);
    let chosen = planner.choose(&spec("2.0")).unwrap();
    let Source::Measured(found) = &chosen.source else { panic!("{}: {}", device.name, chosen.source) };
    assert!(found.measured >= 1 && found.faults.is_empty(), "{}: {found:?}", device.name);
    let find = |spec: &C2c| record.find(&spec.to_string(), &DeviceIdentity::of(device.gpu()), Rigor::Measure);
    match find(&spec("2.0")) {
        Some(entry) => assert!(entry.spec.contains("`value * taps[i1] * 2.0`, taps: 48 f32"), "{}", entry.spec),
        // On a busy machine there may have been no time for any comparison.
        None => assert_eq!((found.measured, found.end), (1, End::Time), "{}: {found}", device.name),
    }
    assert_eq!(find(&spec("3.0")), None, "another fragment has a record of its own");

    let (x, taps) = (complex_noise(32 * 48, 9), noise(48, 10));
    let mut expected: Vec<Complex64> = wide(&x).into_iter().enumerate().map(|(i, z)| z * 2.0 * f64::from(taps[i % 48])).collect();
    dft(&mut expected, &[32, 48], &[0, 1], false);
    let plan = planner.plan(spec("2.0")).unwrap();
    assert_eq!(*plan.recipe(), chosen.recipe);
    let taps = device.gpu().upload(&taps).unwrap();
    let output = plan.run(With(&x, &FragmentArrays::new().with("taps", &taps))).unwrap().wait().unwrap();
    assert_close(&output, &expected, BOUND, &device.name);
}

/// Reals from a half-spectrum that is filtered on the way, as 16-bit pairs.
pub fn half_spectra_are_filtered(device: &Device) {
    let (rows, columns) = (10, 64);
    let half = columns / 2 + 1;
    let x = noise(rows * columns, 11);
    let forward = device.planner.plan(R2c::forward([rows, columns]).scale(Scale::InvLen)).unwrap();
    let spectrum = forward.run(&x).unwrap().wait().unwrap();
    // The mean of each element and its neighbour, by the shift theorem with a table of factors.
    let factors: Vec<[f32; 2]> = (0..half)
        .map(|k| {
            let (sin, cos) = (TAU * k as f64 / columns as f64).sin_cos();
            [(0.5 + 0.5 * cos) as f32, (0.5 * sin) as f32]
        })
        .collect();
    let input = Fragment::new("product(value, factors[i1])")
        .functions("fn product(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> { return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }")
        .array::<[f32; 2]>("factors", half);
    let spec = C2r::inverse([rows, columns]).map_input::<Complex32>(input).unwrap();
    let spec = spec.map_output::<[f32; 2]>(Fragment::new("vec2(value, f32(i0 * 100u + i1))")).unwrap();
    let plan = device.planner.plan(spec).unwrap();
    let factors = device.gpu().upload(&factors).unwrap();
    let output = plan.run(With(&spectrum, &FragmentArrays::new().with("factors", &factors))).unwrap().wait().unwrap();
    for (i, [mean, place]) in output.into_iter().enumerate() {
        let (row, column) = (i / columns, i % columns);
        let expected = 0.5 * (x[i] + x[row * columns + (column + 1) % columns]);
        assert!((mean - expected).abs() < 1e-5, "{}: element {i}: {mean} and {expected}", device.name);
        assert_eq!(place, (row * 100 + column) as f32);
    }
}

/// Pictures of bytes become planes of numbers, and numbers pixels, by the rules' recipes and by
/// hand-written ones.
pub fn permutations_map_their_elements(device: &Device) {
    let (rows, columns) = (70, 93);
    let picture: Vec<u8> = (0..rows * columns * 3).map(|i| ((i as u32).wrapping_mul(0x9e37_79b1) >> 24) as u8).collect();
    let means = [1.0f32, 2.0, 4.0];
    let case = Case::new(&[rows, columns, 3], &[2, 0, 1]);
    let input = Fragment::new("(f32(value) - means[i2]) * 0.5").array::<f32>("means", 3);
    let spec = case.spec::<f32>().map_input::<u8>(input).unwrap();
    let spec = spec.map_output::<[f32; 2]>(Fragment::new("vec2(value, f32(i2 + n2 * i0))")).unwrap();
    let moved: Vec<f32> = picture.iter().enumerate().map(|(i, &byte)| (f32::from(byte) - means[i % 3]) * 0.5).collect();
    let moved = case.expected(&moved, &vec![0.0; moved.len()]);
    let place = |i: usize| (i % columns + columns * (i / (rows * columns))) as f32;
    let expected: Vec<[f32; 2]> = moved.iter().enumerate().map(|(i, &x)| [x, place(i)]).collect();
    let array = device.gpu().upload(&means).unwrap();
    let arrays = FragmentArrays::new().with("means", &array);
    let recipes = MAPPED.iter().map(|text| Some(text.parse().unwrap()));
    let mut solved = 0;
    for plan in [None].into_iter().chain(recipes).filter_map(|recipe| device.plan_if_fit(spec.clone(), recipe)) {
        let output = plan.run(With(&picture, &arrays)).unwrap().wait().unwrap();
        assert!(output == expected, "{}: {} by {}", device.name, plan.spec(), plan.recipe());
        solved += 1;
    }
    assert!(solved >= 8, "{}: {solved}", device.name);

    for case in [Case::transpose(&[65, 130]).batch(2), Case::new(&[40, 90], &[0, 1]), Case::transpose(&[80, 80]).batch(2).in_place()] {
        let numbers: Vec<f32> = (0..case.shape.iter().product::<usize>() * case.batch).map(|i| (i % 251) as f32).collect();
        let weight = |i: usize| (i / case.shape[1] % case.shape[0]) as f32 + 100.0 * (i / (case.shape[0] * case.shape[1])) as f32;
        let mapped: Vec<f32> = numbers.iter().enumerate().map(|(i, x)| x + weight(i)).collect();
        let expected = case.expected(&mapped, &mapped);
        let spec = case.spec::<f32>().map_input::<f32>(Fragment::new("value + f32(i0) + 100.0 * f32(batch)")).unwrap();
        let recipes = MAPPED.iter().map(|text| Some(text.parse().unwrap()));
        for plan in [None].into_iter().chain(recipes).filter_map(|recipe| device.plan_if_fit(spec.clone(), recipe)) {
            let output = run_guarded(device, &plan, &numbers);
            assert!(output == expected, "{}: {} by {}", device.name, plan.spec(), plan.recipe());
        }
    }
}

/// The search measures permutations with fragments, from elements of one size to those of another.
pub fn permutations_with_fragments_are_tuned(device: &Device) {
    let device = &device.alone();
    let record = Record::in_memory();
    let tuning = Tuning::measure().record(record.clone()).time_limit(Duration::from_secs(1));
    let planner = Planner::new(device.gpu()).with_tuning(tuning);
    let input = Fragment::new("vec2<f32>(value) * gain[i1]").array::<f32>("gain", 64);
    let spec = Permute::<[f32; 2]>::transpose([96, 64]).map_input::<[u8; 2]>(input).unwrap();
    let chosen = planner.choose(&spec).unwrap();
    let Source::Measured(found) = &chosen.source else { panic!("{}: {}", device.name, chosen.source) };
    assert!(found.measured >= 1 && found.faults.is_empty(), "{}: {found:?}", device.name);
    let picture: Vec<[u8; 2]> = (0..96 * 64).map(|i| [(i % 256) as u8, (i % 7) as u8]).collect();
    let gain: Vec<f32> = (0..64).map(|i| i as f32 * 0.5).collect();
    let mapped: Vec<[f32; 2]> = picture.iter().enumerate().map(|(i, byte)| byte.map(|byte| f32::from(byte) * gain[i % 64])).collect();
    let gain = device.gpu().upload(&gain).unwrap();
    let output = planner.plan(spec).unwrap().run(With(&picture, &FragmentArrays::new().with("gain", &gain))).unwrap().wait().unwrap();
    assert!(output == transposed(&mapped, 96, 64), "{}: {}", device.name, chosen.recipe);
}
