//! Specifications and plans whose types are known only when the program runs: for command lines,
//! configuration files, and other languages.
//!
//! [`AnySpec`] is a specification from its text, or any [`Spec`](crate::Spec) without its type.
//! [`AnySpec::plan`] makes an [`AnyPlan`] of it, which takes and returns bytes. Programs that know
//! the types when they are written are better served by the specifications themselves, whose plans
//! take slices of the right type.
//!
//! ```no_run
//! use wgpu_fft::dynamic::AnySpec;
//! use wgpu_fft::{Gpu, GpuOptions, Planner, bytemuck};
//!
//! # fn main() -> wgpu_fft::Result<()> {
//! let gpu = pollster::block_on(Gpu::request(&GpuOptions::default()))?;
//! let spec: AnySpec = "r2c fwd 480x640".parse()?;
//! let plan = spec.plan(&Planner::new(&gpu), None)?;
//! assert_eq!((plan.input().name(), plan.output().name()), ("f32", "complex f32"));
//!
//! let picture = vec![0.5_f32; plan.program().inputs()[0].len];
//! let spectrum: Vec<u8> = plan.run(&[bytemuck::cast_slice(&picture)])?.wait()?;
//! assert_eq!(spectrum.len(), 480 * 321 * 8);
//! # Ok(())
//! # }
//! ```
//!
//! # Texts
//! A text is what a specification prints:
//!
//! | text | specification |
//! |---|---|
//! | `c2c fwd 512x512 1/n`, `r2c fwd 1000 x4`, `c2r inv 480x640`, `r2r dct2 480x640`; also of f64: `c2c fwd 512 f64` | [`fft`](crate::fft) |
//! | `transpose u8 480x640`, `permute complex f32 480x640x3 order=2,0,1` | [`Permute`](crate::transpose::Permute) |
//! | `sum f32 4096`, `argmax i32 480x640 axes=1` | [`reduce`](crate::reduce) |
//! | `convolve f32 480x640 by 31x31 same`, `correlate complex f32 1000 by 50`; with `lengths=512x672` the kernel's spectrum is the array `spectrum` | `signal::Convolve` |
//! | `roll f32 480x640 by=240,320` | `signal::Roll` |
//! | `radial-average f32 512x512 half` | `signal::RadialAverage` |
//! | `phase-correlate 480x640 x4` | `signal::PhaseCorrelate` |
//! | `frequencies f32 64x4096 bins 3,17`, `frequencies f32 205 at 0.087,0.151` | `signal::Frequencies` |
//! | `zoom f32 1000 to 200 in 0.1..0.2`, `resample f32 480x640 to 960x1280` | `signal::Zoom`, `signal::Resample` |
//!
//! The documentation of each specification says what else its text may have. Sums, products and dot
//! products of i32 and u32 are of the same type, modulo 2³²; `wide_sum i32 4096` is a sum in i64.

mod plan;
mod spec;

pub use crate::fragment::format_named;

pub use plan::{AnyPlan, Operand};
pub use spec::AnySpec;
