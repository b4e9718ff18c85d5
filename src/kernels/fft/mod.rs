//! Twins of `shaders/fft/**.wgsl`.

pub(crate) mod halves;
pub(crate) mod io;
pub(crate) mod lanes;
pub(crate) mod pass;
pub(crate) mod pass_double;
pub(crate) mod pass_f64;
pub(crate) mod probe_double;
pub(crate) mod radix2;

use super::{Access, Bind, Slot};

/// Rows to transform, the direction and the scale.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rows {
    /// Length of a row.
    pub n: u32,
    /// The number of rows.
    pub rows: u32,
    /// Whether the transform is inverse.
    pub inverse: bool,
    /// Factor on every output.
    pub scale: f64,
}

impl Rows {
    /// A description for people.
    pub fn label(self) -> String {
        format!("{} of {} rows of {}", if self.inverse { "inverse FFT" } else { "FFT" }, self.rows, self.n)
    }
}

/// The bindings of a row FFT: its arrays and its table of twiddle factors.
fn binds(input: Slot, output: Slot, roots: Slot) -> Vec<Bind> {
    let mut binds = io::binds(input, output);
    binds.push(Bind { binding: 3, name: "roots".into(), access: Access::Read, slot: roots, range: None });
    binds
}
