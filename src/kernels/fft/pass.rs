//! Twin of `shaders/fft/pass.wgsl`: FFTs along one axis of an array, or one pass of such FFTs.

use crate::error::Result;
use crate::kernels::{Access, Bind, Dispatch, Generated, Grid, Kernel, Slot, kernel, params, sources};

params! { lines: u32, scale: f32 }

kernel!(FFT_PASS, appended: [&[&sources::FFT_COMPLEX]]);

/// The workgroup for which the text was generated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Workgroup {
    /// Lines that one workgroup transforms.
    pub lines: u32,
    /// Invocations per line.
    pub lanes: u32,
    /// Workgroup memory in bytes.
    pub bytes: u64,
}

/// An array in one or several bindings, because the size of a binding is limited.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bound {
    /// The array.
    pub slot: Slot,
    /// The first byte that is bound.
    pub first: u64,
    /// The number of bytes that are bound.
    pub bytes: u64,
    /// The bytes of each binding except the last.
    pub segment: u64,
}

impl Bound {
    /// An array in one binding.
    pub fn whole(slot: Slot, bytes: u64) -> Self {
        Self { slot, first: 0, bytes, segment: bytes }
    }

    /// Number of bindings.
    pub fn segments(&self) -> usize {
        self.bytes.div_ceil(self.segment) as usize
    }
}

/// A name, and the same with numbers from 1 to 15.
macro_rules! numbered {
    ($name:literal) => {
        numbered!($name, "" "1" "2" "3" "4" "5" "6" "7" "8" "9" "10" "11" "12" "13" "14" "15")
    };
    ($name:literal, $($number:literal)*) => {
        [$(concat!($name, $number)),*]
    };
}

/// The names of an input's bindings, in order.
pub const INPUTS: [&str; 16] = numbered!("input");
/// The names of an output's bindings, in order.
pub const OUTPUTS: [&str; 16] = numbered!("output");
/// The names of the bindings of an array transformed in place, in order.
pub const DATA: [&str; 16] = numbered!("data");
/// The names of the bindings of the twiddle factors, in order.
pub const ROOTS: [&str; 16] = numbered!("roots");

/// The bindings of a pass. Input, output and constants begin at bindings 1, 2 and 3; all further
/// bindings of these arrays are numbered from 4 on.
pub fn binds(input: Bound, output: Bound, roots: Bound) -> Vec<Bind> {
    let mut binds = Vec::new();
    let mut next = 4;
    let mut bind = |names: &[&'static str], access, first_binding, bound: Bound| {
        for (i, &name) in names.iter().enumerate().take(bound.segments()) {
            let begin = bound.segment * i as u64;
            let range = Some((bound.first + begin, (bound.bytes - begin).min(bound.segment)));
            let binding = if i == 0 {
                first_binding
            } else {
                next += 1;
                next - 1
            };
            binds.push(Bind { binding, name: name.into(), access, slot: bound.slot, range });
        }
    };
    if input.slot == output.slot {
        bind(&DATA, Access::ReadWrite, 2, output);
    } else {
        bind(&INPUTS, Access::Read, 1, input);
        bind(&OUTPUTS, Access::ReadWrite, 2, output);
    }
    bind(&ROOTS, Access::Read, 3, roots);
    binds
}

/// Lines to transform with a generated text, by this kernel or by one of its heads for other
/// numbers.
#[derive(Debug)]
pub struct Lines {
    /// A description for people.
    pub label: String,
    /// The number of lines.
    pub count: u32,
    /// The workgroup for which the text was generated.
    pub workgroup: Workgroup,
    /// The text.
    pub generated: Generated,
    /// The most workgroups along an axis of the grid.
    pub max_groups: u32,
    /// The arrays.
    pub binds: Vec<Bind>,
}

impl Lines {
    /// The dispatch by a kernel with its parameters.
    pub fn by(self, kernel: &'static Kernel, params: &impl bytemuck::NoUninit) -> Result<Dispatch> {
        let Self { label, count, workgroup, generated, max_groups, binds } = self;
        let grid = grid(count, workgroup, max_groups)?;
        Ok(Dispatch {
            appended: kernel.appended.iter().map(|choices| choices[0]).collect(),
            generated: Some(generated),
            workgroup_bytes: workgroup.bytes,
            ..kernel.dispatch(label, params, grid, [workgroup.lanes * workgroup.lines, 1, 1], binds)
        })
    }
}

/// The workgroups for this many lines.
pub fn grid(lines: u32, workgroup: Workgroup, max_groups: u32) -> Result<Grid> {
    Grid::linear(u64::from(lines.div_ceil(workgroup.lines)), max_groups)
}
