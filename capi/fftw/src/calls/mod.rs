//! All functions that C calls.
//!
//! Arrays of FFTW's complex numbers are pointers to reals here, as the parts are neighbours.

#![allow(clippy::missing_safety_doc, reason = "FFTW's manual says what each function asks for")]

mod basic;
mod execute;
pub mod guru;
mod info;
mod memory;
mod real;
mod wisdom;

use std::ffi::{c_int, c_uint};
use std::ptr;

use rustfft::FftDirection;
use wgpu_fft::fft::RealKind;
use wgpu_fft::tune::Rigor;

use crate::guard;
use crate::library::Choosing;
use crate::plan::{Inputs, Outputs, Plan};
use crate::problem::{Kind, Problem};
use crate::side::Dim;

/// `fftwf_plan`.
type Handle = *mut Plan;

/// The numbers of FFTW's flags that say how a recipe is chosen. The others ask for nothing that
/// needs asking of our plans: no alignment is needed, and inputs are never changed.
mod flags {
    use std::ffi::c_uint;

    pub const EXHAUSTIVE: c_uint = 1 << 3;
    pub const PATIENT: c_uint = 1 << 5;
    pub const ESTIMATE: c_uint = 1 << 6;
    pub const WISDOM_ONLY: c_uint = 1 << 21;
}

fn choosing(flags: c_uint) -> Choosing {
    let recorded_only = flags & flags::WISDOM_ONLY != 0;
    let rigor = if flags & flags::ESTIMATE != 0 || recorded_only {
        // FFTW's estimates, too, take what wisdom has.
        Rigor::Recorded
    } else if flags & (flags::PATIENT | flags::EXHAUSTIVE) != 0 {
        Rigor::Patient
    } else {
        Rigor::Measure
    };
    Choosing { rigor, recorded_only }
}

fn direction(sign: c_int) -> Option<FftDirection> {
    match sign {
        -1 => Some(FftDirection::Forward),
        1 => Some(FftDirection::Inverse),
        _ => None,
    }
}

/// By the numbers of `fftwf_r2r_kind`. REDFT and RODFT have the digits of what is even or odd about
/// which half sample: 01 is type III, and 10 is type II.
const REAL_KINDS: [RealKind; 11] = {
    use RealKind::*;
    [ToHalfComplex, OfHalfComplex, Hartley, DctI, DctIII, DctII, DctIV, DstI, DstIII, DstII, DstIV]
};

pub fn real_kind(kind: c_int) -> Option<RealKind> {
    REAL_KINDS.get(usize::try_from(kind).ok()?).copied()
}

/// The number of a kind.
pub fn number_of(kind: RealKind) -> Option<c_int> {
    REAL_KINDS.iter().position(|known| *known == kind)?.try_into().ok()
}

/// Numbers of C as extents.
///
/// # Safety
/// `numbers` must point to `count` of them, unless there are none.
unsafe fn extents<T: Copy>(count: c_int, numbers: *const T) -> Option<Vec<usize>>
where
    usize: TryFrom<T>,
{
    // SAFETY: the caller's.
    unsafe { list(count, numbers) }?.iter().map(|&n| usize::try_from(n).ok()).collect()
}

/// # Safety
/// `items` must point to `count` of them, unless there are none.
unsafe fn list<'a, T>(count: c_int, items: *const T) -> Option<&'a [T]> {
    match usize::try_from(count).ok()? {
        0 => Some(&[]),
        _ if items.is_null() => None,
        // SAFETY: the caller's.
        count => Some(unsafe { std::slice::from_raw_parts(items, count) }),
    }
}

/// Plans what a function asks for.
fn plan(function: &str, flags: c_uint, inputs: Inputs, outputs: Outputs, problem: impl FnOnce() -> Option<Problem>) -> Handle {
    guard::guarded(function, ptr::null_mut(), || {
        let plan = Plan::new(problem(), choosing(flags), flags, inputs, outputs);
        plan.map_or(ptr::null_mut(), |plan| Box::into_raw(Box::new(plan)))
    })
}

/// The arrays of the advanced interface on one side.
#[derive(Clone, Copy)]
struct Embedded<'a> {
    /// The extents of the arrays that those of the transform are parts of.
    physical: Option<&'a [c_int]>,
    stride: c_int,
    distance: c_int,
}

impl Embedded<'_> {
    /// Of one dense array.
    const DENSE: Self = Self { physical: None, stride: 1, distance: 0 };

    /// # Safety
    /// `physical` must be null, or point to as many numbers as there are axes.
    unsafe fn new(rank: c_int, physical: *const c_int, stride: c_int, distance: c_int) -> Option<Self> {
        // SAFETY: the caller's.
        let physical = if physical.is_null() { None } else { Some(unsafe { list(rank, physical) }?) };
        Some(Self { physical, stride, distance })
    }

    /// The strides of the axes of arrays of `own`. The first physical extent means nothing, and
    /// programs leave it unset.
    fn strides(&self, own: &[usize]) -> Option<Vec<isize>> {
        let extent = |axis: usize| match self.physical {
            Some(physical) => isize::try_from(physical[axis]).ok(),
            None => isize::try_from(own[axis]).ok(),
        };
        let mut strides = vec![self.stride as isize; own.len()];
        for axis in (1..own.len()).rev() {
            strides[axis - 1] = strides[axis].checked_mul(extent(axis)?)?;
        }
        Some(strides)
    }
}

/// Transforms of the basic and the advanced interface: of `count` arrays of `n`.
fn embedded(kind: Kind, n: &[usize], count: c_int, input: Embedded<'_>, output: Embedded<'_>, in_place: bool) -> Option<Problem> {
    let count = usize::try_from(count).ok()?;
    let mut own = [n.to_vec(), n.to_vec()];
    // Rows of half-spectra; in place, rows of reals have room for them.
    let (real, half) = match kind {
        Kind::R2c => (0, 1),
        Kind::C2r => (1, 0),
        Kind::C2c(_) | Kind::R2r(_) => (0, 0),
    };
    if let (true, Some(&last)) = (real != half, n.last()) {
        own[half][n.len() - 1] = last / 2 + 1;
        if in_place {
            own[real][n.len() - 1] = 2 * (last / 2 + 1);
        }
    }
    let (inputs, outputs) = (input.strides(&own[0])?, output.strides(&own[1])?);
    let dims = n.iter().zip(inputs).zip(outputs).map(|((&n, input), output)| Dim { n, input, output }).collect();
    let loops = [Dim { n: count, input: input.distance as isize, output: output.distance as isize }];
    Problem::new(kind, dims, &loops, false)
}
