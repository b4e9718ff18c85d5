//! Checks that several specifications make.

use crate::error::{Error, Result};
use crate::shape::Shape;

/// Refuses more numbers than an array on the device can have.
pub(super) fn check_len(what: &str, n: usize) -> Result<()> {
    let (required, available) = (n as u64, u64::from(u32::MAX));
    if required <= available {
        return Ok(());
    }
    Err(Error::LimitExceeded { what: what.to_owned(), limit: "elements indexed by a u32", required, available })
}

/// Refuses more axes than 3, and an axis that there is not. `what` begins the sentence.
pub(super) fn check_axis(spec: &impl std::fmt::Display, what: &str, shape: Shape, axis: usize) -> Result<()> {
    let rank = shape.rank();
    if rank > 3 {
        return Err(Error::unsupported(spec, format!("{what} at most 3 axes, not {rank}")));
    }
    if axis >= rank {
        return Err(Error::unsupported(spec, format!("axis {axis}: the axes of {shape} are 0 to {}", rank - 1)));
    }
    Ok(())
}
