//! Reductions of an array to one value, or to one value for each row, column or plane.
//!
//! | | result for x\[0\] … x\[n-1\] | element types | result type |
//! |---|---|---|---|
//! | [`sum`](Reduce::sum), [`product`](Reduce::product) | Σ x, Π x | all | the same; f32 for f16 |
//! | [`min`](Reduce::min), [`max`](Reduce::max) | the smallest, the largest | all but complex | the same; f32 for f16 |
//! | [`argmin`](Reduce::argmin), [`argmax`](Reduce::argmax) | the index of its first occurrence | all but complex | u32 |
//! | [`mean`](Reduce::mean) | Σ x / n | all but integers | the same; f32 for f16 |
//! | [`sum_squares`](Reduce::sum_squares), [`norm`](Reduce::norm) | Σ \|x\|², √Σ \|x\|² | all but integers | real |
//! | [`dot`](Reduce::dot), [`vdot`](Reduce::vdot) | Σ x·y, Σ x̅·y | all | the same; f32 for f16 |
//! | [`max_abs_diff`](Reduce::max_abs_diff) | max \|x - y\| | all | real; u32 for i32 |
//! | [`any`](Reduce::any), [`all`](Reduce::all), [`count`](Reduce::count) | whether any or all are nonzero, and how many are | all | u32 |
//! | [`custom`](Reduce::custom) | a user-defined [operator](Custom) in WGSL | all but f64 | the same; f32 for f16 |
//!
//! Elements are f32, i32, u32, complex f32, f16 or f64. f16 takes 2 bytes in memory, is computed in
//! f32, and needs no device feature. Sums, products and differences of f64 need a device with
//! `SHADER_F64`. Minima, maxima and counts of f64 work on every device.
//!
//! ```no_run
//! use wgpu_fft::half::f16;
//! use wgpu_fft::reduce::{Map, Reduce};
//! use wgpu_fft::{Complex32, Gpu, GpuOptions, Planner};
//!
//! # fn example(picture: &[f16], x: &[Complex32], y: &[Complex32]) -> wgpu_fft::Result<()> {
//! let gpu = pollster::block_on(Gpu::request(&GpuOptions::default()))?;
//! let planner = Planner::new(&gpu);
//!
//! // The mean of each row of a picture of 512 rows, as 512 f32.
//! let means = planner.plan(Reduce::<f16>::mean([512, 640]).axes([1]))?.run(picture)?.wait()?;
//!
//! // The largest distance of two arrays. To keep the result on the device, call
//! // `plan.encode(&mut encoder, (&x, &y), &output)` with buffers, or with views by value.
//! let worst = planner.plan(Reduce::<Complex32>::max_abs_diff(1000))?.run_two(x, y)?.wait()?[0];
//!
//! // Σ x², without an extra pass for the squares.
//! let energy = Reduce::<f32>::sum([480, 640]).map(Map::Square);
//! # Ok(())
//! # }
//! ```

mod arithmetic;
mod custom;
mod design;
// The building blocks of reductions on several devices. Hidden, because only those and the tests
// use them.
#[doc(hidden)]
pub mod divide;
mod emit;
mod fit;
mod geometry;
mod lower;
#[cfg(feature = "tune")]
mod neighbours;
mod parse;
mod recipe;
#[cfg(feature = "tune")]
mod samples;
mod spec;
#[cfg(feature = "tune")]
mod verification;

pub use custom::Custom;
pub use recipe::{Pass, Recipe};
use spec::Core;
pub use spec::{Determinism, Float, Map, Real, Reduce, Reduction, Value};
