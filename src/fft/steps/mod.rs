//! The prologue and the epilogue of a pass: steps that are fused between an array and the
//! transform, one file each.
//!
//! A side of a pass is an array's [`Storage`](crate::fft::place::Storage) and a list of steps, with
//! the one next to the array first. A loaded value goes through the list from the front to the
//! back, and a stored value from the back to the front. A step says what it does to a value, which
//! constants it looks up, and how far it reaches into the array. To add a step, add a file here.

mod chirp;
mod frames;
mod fuse;
mod half;
mod limit;
mod map;
mod packed;
mod pairs;
mod part;
mod real;
mod real_axis;
mod swap;
mod twiddle;

pub(super) use chirp::Factors;
pub(super) use frames::Frames;
pub(super) use fuse::{Coordinates, Element, Fuse, Fused, LookUp, Pair, Site, Spot, place_of};
pub(super) use half::{Half, Separate};
pub(super) use limit::Limit;
pub(super) use map::{IndexFrom, Map, MapIndex, Neighbours};
pub(super) use packed::{OfPacked, ToPacked};
pub(super) use pairs::Pairs;
pub(super) use part::{Part, PartOfAxis, Parts};
pub(super) use real::Real;
pub(super) use real_axis::{Coefficients, PairCoefficients, Quarter, RealAxis, Sequence};
pub(super) use swap::SwapReIm;
pub(super) use twiddle::Twiddle;
