//! Reductions of an array to one value, or to one value for each row, column or plane.
//!
//! | | result for x\[0\] … x\[n-1\] | element types | result type |
//! |---|---|---|---|
//! | [`sum`], [`product`] | Σ x, Π x | all | the same; f32 for f16 |
//! | [`wide_sum`] | Σ x | i32, u32 | i64, u64 |
//! | [`min`], [`max`], [`max_abs`] | the smallest, the largest, the largest \|x\| | all but complex | the same; f32 for f16 |
//! | [`argmin`], [`argmax`], [`argmax_abs`] | the index of its first occurrence | all but complex | u32 |
//! | [`mean`] | Σ x / n | all but integers | the same; f32 for f16 |
//! | [`sum_abs`] | Σ \|x\| | all but complex | the same; f32 for f16 |
//! | [`sum_squares`], [`mean_squares`], [`norm`] | Σ \|x\|², Σ \|x\|² / n, √Σ \|x\|² | all but integers | real |
//! | [`variance`], [`standard_deviation`] | v = Σ \|x - μ\|² / (n - ddof), √v, where μ is the mean | all but integers | real |
//! | [`dot`], [`vdot`] | Σ x·y, Σ x̅·y | all | the same; f32 for f16 |
//! | [`max_abs_diff`] | max \|x - y\| | all | real; u32 for i32 |
//! | [`any`], [`all`], [`count`] | whether any or all are nonzero, and how many are | all | u32 |
//! | [`custom`](custom()) | a user-defined operator in WGSL | all but f64 | the same; f32 for f16 |
//!
//! Elements are f32, i32, u32, complex f32, f16 or f64. f16 takes 2 bytes in memory, is computed in
//! f32, and needs no device feature. Sums, products and differences of f64 need a device with
//! `SHADER_F64`. Minima, maxima and counts of f64 work on every device.
//!
//! ```no_run
//! use wgpu_fft::half::f16;
//! use wgpu_fft::{Complex32, Fragment, Gpu, GpuOptions, Planner, reduce};
//!
//! # fn example(picture: &[f16], x: &[Complex32], y: &[Complex32]) -> wgpu_fft::Result<()> {
//! let gpu = pollster::block_on(Gpu::request(&GpuOptions::default()))?;
//! let planner = Planner::new(&gpu);
//!
//! // The mean of each row of a picture of 512 rows, as 512 f32.
//! let means = planner.plan(reduce::mean::<f16>([512, 640]).axes([1]))?.run(picture)?.wait()?;
//!
//! // The largest distance of two arrays. To keep the result on the device, call
//! // `plan.encode(&mut encoder, (&x, &y), &output)` with buffers, or with views by value.
//! let worst = planner.plan(reduce::max_abs_diff::<Complex32>(1000))?.run((x, y))?.wait()?[0];
//!
//! // Σ |x|³, without an extra pass for the cubes.
//! let cubes = Fragment::new("abs(value * value * value)");
//! let sum = planner.plan(reduce::sum::<f32>([480, 640]).map_input::<f32>(cubes)?)?;
//! # Ok(())
//! # }
//! ```

mod access;
mod arithmetic;
#[cfg(feature = "ndarray")]
mod arrays;
#[cfg(feature = "signal")]
mod between;
mod core;
mod custom;
mod design;
pub(crate) mod divide;
mod emit;
mod fit;
pub(crate) mod geometry;
mod lower;
mod neighbours;
mod operations;
mod order;
mod parse;
pub(crate) mod recipe;
mod samples;
mod spec;
pub(crate) mod value;
mod verification;

pub use custom::custom;
pub use operations::{
    all, any, argmax, argmax_abs, argmin, count, dot, max, max_abs, max_abs_diff, mean, mean_squares, min, norm, product,
    standard_deviation, sum, sum_abs, sum_squares, variance, vdot, wide_sum,
};
pub(crate) use parse::{any_spec, is_operation};
#[cfg(feature = "signal")]
pub(crate) use recipe::{MAX_STEPS_ON_CPU, Recipe};
pub use spec::Reduction;
