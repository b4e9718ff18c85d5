//! Fourier transforms.
//!
//! | | specification | input → output |
//! |---|---|---|
//! | complex to complex | [`C2c`] | n complex → n complex |
//! | real to complex | [`R2c`] | n real → ⌊n/2⌋+1 complex |
//! | complex to real | [`C2r`] | ⌊n/2⌋+1 complex → n real |
//!
//! All three have the options `batch`, `axes`, `input_layout`, `output_layout`, `scale` and
//! `in_place`. They print as text and parse that text:
//!
//! ```
//! use wgpu_fft::Layout;
//! use wgpu_fft::fft::{C2c, C2r, R2c, Scale};
//!
//! let planes = C2c::forward([64, 100, 120]).batch(2).axes([1, 2]);
//! assert_eq!(planes.to_string(), "c2c fwd 64x100x120 x2 axes=1,2");
//! let padded = R2c::forward([480, 640]).input_layout(Layout::strides([1024, 1]));
//! assert_eq!(padded.to_string(), "r2c fwd 480x640 in=1024,1");
//! assert_eq!("c2r inv 480x640 1/n in-place".parse(), Ok(C2r::inverse([480, 640]).scale(Scale::InvLen).in_place()));
//! ```
//!
//! A [`Planner`](crate::Planner) turns them into plans that work on wgpu buffers, see
//! [`Plan`](crate::Plan). If you come from another library, see [`guides`](crate::guides).

mod adapt;
#[cfg(feature = "ndarray")]
mod arrays;
mod banks;
mod bindings;
mod codelets;
mod design;
mod design_cpu;
mod factors;
mod fast_len;
#[cfg(feature = "signal")]
pub(crate) mod filter;
mod fit;
pub(crate) mod framed;
mod fused;
mod lanes;
mod line;
mod lower;
#[cfg(feature = "tune")]
mod neighbours;
mod number;
mod pass;
mod passes;
mod place;
mod recipe;
pub(crate) mod roots;
#[cfg(feature = "tune")]
mod samples;
mod spec;
pub(crate) mod split;
mod stages;
#[cfg(feature = "signal")]
pub(crate) mod step;
mod transform;
pub(crate) mod window;

pub use fast_len::{TransformKind, length_cost, next_fast_len};
#[cfg(feature = "signal")]
pub use filter::FilterRecipe;
pub use number::{ComplexElement, RealElement};
pub use recipe::{AxisRecipe, Exchange, PassRecipe, Reals, Recipe, Roots, Stockham};
pub use spec::{Adapt, C2c, C2r, R2c};
#[cfg(feature = "signal")]
pub(crate) use transform::End;
pub use transform::{Direction, Scale};
