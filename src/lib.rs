//! Fast Fourier transforms, transposes and reductions on any GPU, through wgpu and WGSL.
//!
//! A [`Spec`] says what to compute. A [`Planner`] turns it into a [`Plan`] for one device. The plan
//! records its work into your command encoder, on buffers that you own:
//!
//! ```no_run
//! use wgpu_fft::{Gpu, Planner, View, fft, wgpu};
//!
//! # fn transform(device: &wgpu::Device, queue: &wgpu::Queue, image: &wgpu::Buffer, spectrum: &wgpu::Buffer, encoder: &mut wgpu::CommandEncoder)
//! # -> wgpu_fft::Result<()> {
//! let gpu = Gpu::from_wgpu(device.clone(), queue.clone());
//! let planner = Planner::new(&gpu);
//!
//! let plan = planner.plan(fft::C2c::forward([512, 512]).scale(fft::Scale::InvSqrtLen))?;
//! plan.encode(encoder, View::whole(image)?, View::whole(spectrum)?)?;
//! # Ok(())
//! # }
//! ```
//!
//! If you have no device, [`Gpu::request`] opens one. [`Plan::run`] takes a slice and returns a
//! [`Pending`] vector, which you await or wait for; [`Plan::run_into`] writes to a slice of yours.
//! [Which call when](guides::device#which-call-when) says what each way copies, allocates and
//! submits.
//!
//! ```no_run
//! use wgpu_fft::{Gpu, GpuOptions, Planner, reduce};
//!
//! # fn main() -> wgpu_fft::Result<()> {
//! let gpu = pollster::block_on(Gpu::request(&GpuOptions::default()))?;
//! let plan = Planner::new(&gpu).plan(reduce::sum::<f32>(1000))?;
//! println!("{}", plan.program());
//! println!("{:?}", plan.run(&[0.5; 1000])?.wait()?);
//! # Ok(())
//! # }
//! ```
//!
//! # Operations
//! | | specification |
//! |---|---|
//! | Fourier transforms of complex numbers and of reals | [`fft::C2c`], [`fft::R2c`], [`fft::C2r`] |
//! | cosine, sine and Hartley transforms | [`fft::R2r`] |
//! | transposes, any permutation of axes | [`transpose::Permute`] |
//! | sums, extremes and their places, norms, products, counts, your own operators | [`reduce`] |
//! | convolution, also of streams, filters, spectrograms, power spectra, resampling, zoomed spectra, registration, shifts | the module `signal` |
//!
//! [`guides::which`](guides::which#what-each-operation-supports) says what each of them supports.
//! Each of them documents its definition, shapes, accuracy, determinism, cost, errors and sources.
//! Arithmetic is in f32 or in 32-bit integers. WGSL has no f64; Fourier transforms in f64
//! ([`f64`](fft::C2c::f64)) and most reductions of f64 need a device with wgpu's feature
//! `SHADER_F64`. [`f64_by_f32`](fft::C2c::f64_by_f32) transforms arrays of f64 on any device.
//!
//! [`dynamic`] makes any of them from its text, with element types that are known only at run time.
//!
//! Reductions of two arrays take a pair. They are [`dot`](reduce::dot), [`vdot`](reduce::vdot) and
//! [`max_abs_diff`](reduce::max_abs_diff):
//!
//! ```no_run
//! use wgpu_fft::{Complex32, DeviceBuffer, Planner, reduce};
//!
//! /// The largest |x - y| of two arrays on the device. Only its 4 bytes are read back.
//! fn difference(planner: &Planner, x: &DeviceBuffer<Complex32>, y: &DeviceBuffer<Complex32>) -> wgpu_fft::Result<f32> {
//!     let gpu = planner.gpu();
//!     let plan = planner.plan(reduce::max_abs_diff::<Complex32>(x.len()))?;
//!     let worst = gpu.alloc::<f32>(1)?;
//!     gpu.submit(|encoder| plan.encode(encoder, (x, y), &worst))?;
//!     Ok(gpu.download(&worst)?.wait()?[0])
//! }
//! ```
//!
//! # Guides
//! [`guides`] has a page for each question. [`guides::start`] leads to a first program, and
//! [`guides::which`] says which operation to take. [`guides::device`] is about devices and buffers
//! of yours. Others are about [layouts](guides::shapes), [code of yours](guides::fragments) inside
//! a transform, [precision](guides::precision), [tuning](guides::tuning), and what to do
//! [when it is slow or wrong](guides::trouble).
//!
//! # How it works
//! Specification → [`Recipe`](Spec::Recipe) → [`Program`] → [`Plan`]. The recipe holds every
//! decision, and the program every dispatch. Both are plain data that can be printed, and neither
//! needs a GPU. You can write a recipe by hand and give it to [`Planner::plan_with`].
//! ARCHITECTURE.md in the repository walks one transform through all four.
//!
//! # Errors
//! A mistake of the caller is an [`Error`] that carries the numbers. It leaves the encoder as it
//! was, unless the encoder has an open pass or belongs to another device: see [`Error`].
#![warn(missing_docs)]
// Allowed in src/gpu/unchecked.rs alone.
#![deny(unsafe_code)]
// There wgpu's objects stay in their thread, and an `Arc` holds them as it does elsewhere.
#![cfg_attr(target_arch = "wasm32", allow(clippy::arc_with_non_send_sync))]

mod advise;
#[cfg(feature = "tune")]
mod calibration;
pub mod dynamic;
mod edge;
mod element;
pub mod elements;
mod error;
pub mod fft;
mod files;
mod fragment;
pub mod gpu;
pub mod guides;
mod kernels;
mod layout;
pub mod low_level;
mod operations;
pub mod plan;
mod planner;
pub mod reduce;
mod settings;
mod shape;
#[cfg(feature = "signal")]
pub mod signal;
mod slot;
mod sort;
mod strides;
mod text;
mod threads;
pub mod transpose;
pub mod tune;
mod verify;
mod wgsl;

pub use advise::Advice;
pub use bytemuck;
pub use edge::Edge;
pub use element::{Element, ElementType};
pub use error::{Cause, Error, ErrorKind, Result};
pub use fragment::{Fragment, Texel};
pub use gpu::{DeviceBuffer, DeviceProfile, Gpu, GpuOptions, IntoView, Pending, View};
pub use half;
pub use layout::Layout;
pub use num_complex::{self, Complex32};
pub use plan::{Bound, FragmentArrays, Inputs, IntoHostInputs, IntoInputs, Plan, Program, Spec, With};
pub use planner::Planner;
pub use shape::{Axes, Shape};
pub use wgpu;

/// The examples of the README, compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
