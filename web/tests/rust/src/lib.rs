//! What Rust programs do in a browser: plans of types, results to await, and errors. Every exported
//! function is a test; an error is its failure.

// The planner is made for threads, and there are none.
#![allow(clippy::arc_with_non_send_sync)]

use std::sync::Arc;

use rustfft::num_complex::Complex64;
use wasm_bindgen::prelude::*;
use wgpu_fft::fft::{C2c, R2c};
use wgpu_fft::low_level::Stopwatch;
use wgpu_fft::num_complex::Complex;
use wgpu_fft::{Complex32, Error, Gpu, GpuOptions, Pending, Planner, Spec, reduce, transpose};

type Outcome = Result<String, String>;

async fn planner() -> Result<Arc<Planner>, String> {
    let gpu = Gpu::request(&GpuOptions::default()).await.map_err(text)?;
    Ok(Arc::new(Planner::new(&gpu)))
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn noise(count: usize) -> Vec<Complex32> {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / 8_388_608.0 - 1.0
    };
    (0..count).map(|_| Complex32::new(next(), next())).collect()
}

/// The transform of rows in f64.
fn reference(data: &[Complex32], n: usize) -> Vec<Complex64> {
    let mut data: Vec<Complex64> = data.iter().map(|z| Complex::new(z.re.into(), z.im.into())).collect();
    rustfft::FftPlanner::new().plan_fft_forward(n).process(&mut data);
    data
}

fn close(actual: &[Complex64], expected: &[Complex64], bound: f64) -> Outcome {
    let size: f64 = expected.iter().map(Complex64::norm_sqr).sum();
    let difference: f64 = actual.iter().zip(expected).map(|(a, b)| (a - b).norm_sqr()).sum();
    let error = (difference / size).sqrt();
    let message = format!("relative error {error:.1e} of {} numbers, bound {bound:.1e}", actual.len());
    if actual.len() == expected.len() && error <= bound { Ok(message) } else { Err(message) }
}

fn wide(data: &[Complex32]) -> Vec<Complex64> {
    data.iter().map(|z| Complex::new(z.re.into(), z.im.into())).collect()
}

/// 1.5·2⁻²⁴·√log₂n, as documented.
fn bound(n: usize) -> f64 {
    1.5 * 2_f64.powi(-24) * (n as f64).log2().sqrt()
}

/// `Pending` is a future there.
#[wasm_bindgen]
pub async fn plans_are_run_and_awaited() -> Outcome {
    let planner = planner().await?;
    let data = noise(4 * 600);
    let plan = planner.plan_async(C2c::forward(600).batch(4)).await.map_err(text)?;
    let first = plan.run(&data).map_err(text)?;
    // A second run before the first has been awaited.
    let second = plan.run(&data).map_err(text)?;
    let actual = first.await.map_err(text)?;
    if actual != second.await.map_err(text)? {
        return Err("two runs differ".to_owned());
    }
    close(&wide(&actual), &reference(&data, 600), bound(600))
}

/// Without `plan_async` too; several megabytes go there and back in pieces.
#[wasm_bindgen]
pub async fn arrays_are_uploaded_and_read_back() -> Outcome {
    let planner = planner().await?;
    let gpu = planner.gpu();
    let data = noise(1 << 20);
    let (x, y) = (gpu.upload(&data).map_err(text)?, gpu.alloc::<Complex32>(1 << 20).map_err(text)?);
    let plan = planner.plan(transpose::Permute::<Complex32>::transpose([1 << 9, 1 << 11])).map_err(text)?;
    gpu.submit(|encoder| plan.encode(encoder, &x, &y)).map_err(text)?;
    let turned = gpu.download(&y).map_err(text)?.await.map_err(text)?;
    if let Some(i) = (0..1 << 20).find(|&i| turned[i] != data[i % (1 << 9) * (1 << 11) + i / (1 << 9)]) {
        return Err(format!("element {i} is wrong"));
    }
    let bytes = [1_u8, 2, 3, 4, 5, 6, 7];
    let few = gpu.upload(&bytes).map_err(text)?;
    let back = gpu.download(&few).map_err(text)?.await.map_err(text)?;
    if back == bytes { Ok(format!("{} bytes kept", gpu.kept_bytes())) } else { Err(format!("{back:?}")) }
}

/// The device's arithmetic is tried first, which only an asynchronous call can await.
#[wasm_bindgen]
pub async fn f64_by_f32_is_tried_before_it_is_planned() -> Outcome {
    let planner = planner().await?;
    let spec = C2c::forward(96).f64_by_f32();
    match planner.plan(spec.clone()) {
        Err(Error::Unsupported { .. }) => {}
        other => return Err(format!("planned at once: {other:?}")),
    }
    let data: Vec<Complex64> = wide(&noise(96));
    let plan = planner.plan_async(spec.clone()).await.map_err(text)?;
    let actual = plan.run(&data).map_err(text)?.await.map_err(text)?;
    let mut expected = data;
    rustfft::FftPlanner::new().plan_fft_forward(96).process(&mut expected);
    planner.plan(spec).map_err(text)?;
    close(&actual, &expected, 2_f64.powi(-44))
}

fn unsupported<T>(what: &str, result: Result<T, Error>) -> Outcome {
    match result {
        Err(Error::Unsupported { why, .. }) => Ok(why),
        Err(other) => Err(format!("{what}: {other}")),
        Ok(_) => Err(format!("{what} was not refused")),
    }
}

#[wasm_bindgen]
pub async fn nothing_blocks() -> Outcome {
    let planner = planner().await?;
    let plan = planner.plan_async(reduce::sum::<f32>(1000)).await.map_err(text)?;
    let bound = {
        let gpu = planner.gpu();
        let (x, y) = (gpu.upload(&[1.0_f32; 1000]).map_err(text)?, gpu.alloc::<f32>(1).map_err(text)?);
        plan.bind(&x, &y).map_err(text)?
    };
    let pending: Pending<Vec<f32>> = plan.run(&[1.0; 1000]).map_err(text)?;
    unsupported("wait", pending.wait())?;
    unsupported("run_into", plan.run_into(&[1.0; 1000], &mut [0.0]))?;
    unsupported("warm_up", plan.warm_up())?;
    let stopwatch = Stopwatch::by_wall_clock(planner.gpu());
    unsupported("Stopwatch", stopwatch.time(|pass| bound.record(pass)))
}

/// Lengths are checked before anything is recorded, as everywhere.
#[wasm_bindgen]
pub async fn mistakes_are_errors() -> Outcome {
    let planner = planner().await?;
    let plan = planner.plan_async(R2c::forward(100)).await.map_err(text)?;
    match plan.run(&[0.0; 99]) {
        Err(Error::WrongLen { expected: 100, actual: 99, .. }) => {}
        other => return Err(format!("{other:?}")),
    }
    let profile = planner.gpu().profile();
    if profile.subgroups || profile.f64 {
        return Err("a browser has neither subgroups nor f64 through wgpu".to_owned());
    }
    match planner.plan(C2c::forward(64).f64()) {
        Err(error @ Error::Unsupported { .. }) => Ok(format!("{error}; {}", C2c::forward(64).design(profile).map_err(text)?)),
        other => Err(format!("{other:?}")),
    }
}

/// JavaScript makes every buffer invalid meanwhile: the error arrives after `run` has returned.
#[wasm_bindgen]
pub async fn errors_of_a_run_reach_its_result(break_buffers: js_sys::Function, mend: js_sys::Function) -> Outcome {
    let planner = planner().await?;
    let plan = planner.plan_async(C2c::forward(128)).await.map_err(text)?;
    let data = noise(128);
    let call = |function: &js_sys::Function| function.call0(&JsValue::NULL).map(drop).map_err(|why| format!("{why:?}"));
    call(&break_buffers)?;
    let broken = plan.run(&data);
    call(&mend)?;
    let message = match broken.map_err(text)?.await {
        Err(error @ Error::Wgpu { .. }) => error.to_string(),
        other => return Err(format!("{other:?}")),
    };
    let actual = plan.run(&data).map_err(text)?.await.map_err(text)?;
    close(&wide(&actual), &reference(&data, 128), bound(128)).map(|_| message)
}

/// The same where the browser says that there is no memory.
#[wasm_bindgen]
pub async fn missing_memory_is_out_of_memory(pretend: js_sys::Function, mend: js_sys::Function) -> Outcome {
    let planner = planner().await?;
    let call = |function: &js_sys::Function| function.call0(&JsValue::NULL).map(drop).map_err(|why| format!("{why:?}"));
    call(&pretend)?;
    let planned = planner.plan_async(C2c::forward(320)).await;
    call(&mend)?;
    match planned {
        Err(error @ Error::OutOfMemory { .. }) => planner.plan_async(C2c::forward(320)).await.map_err(text).map(|_| error.to_string()),
        other => Err(format!("{other:?}")),
    }
}

#[wasm_bindgen]
pub async fn a_lost_device_is_an_error() -> Outcome {
    let planner = planner().await?;
    let plan = planner.plan_async(C2c::forward(256)).await.map_err(text)?;
    let data = noise(256);
    let under_way = plan.run(&data).map_err(text)?;
    planner.gpu().device().destroy();
    match under_way.await {
        Ok(_) | Err(Error::DeviceLost { .. }) => {}
        other => return Err(format!("under way: {other:?}")),
    }
    let afterwards = match plan.run(&data) {
        Ok(pending) => pending.await,
        Err(error) => Err(error),
    };
    match afterwards {
        Err(error @ Error::DeviceLost { .. }) if planner.gpu().is_lost() => Ok(error.to_string()),
        other => Err(format!("{other:?}")),
    }
}
