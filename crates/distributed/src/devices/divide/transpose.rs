//! Permutations of axes on several devices: parts of the input along one axis become parts of the
//! output.

use wgpu_fft::low_level::divide::permutation::{dense_axes, with_extent};
use wgpu_fft::transpose::Permute;
use wgpu_fft::{Element, Error, Result};

use super::{CutOptions, Divide, Divided};
use crate::devices::phase::{ByPlanner, HostArray, Phase, Units};
use crate::devices::set::DeviceSet;
use crate::slab::Grid;

impl<T: Element> Divide for Permute<T> {
    fn divide(&self, _: &DeviceSet, cut: CutOptions) -> Result<Divided> {
        let unsupported = |why: &str| Error::Unsupported { what: format!("`{self}` on several devices"), why: why.to_owned() };
        let Some((input, order)) = dense_axes(self)? else {
            return Err(unsupported("input and output are two dense arrays: leave out layouts and in_place"));
        };
        if input.contains(&0) {
            return Err(Error::Empty { what: "permutation", shape: self.to_string() });
        }
        let cut = match cut.axis {
            Some(axis) if axis + 1 < input.len() => axis + 1,
            Some(axis) => return Err(unsupported(&format!("axis {axis} to cut along: its axes are 0 to {}", input.len() - 2))),
            // The slowest axis with enough indices, because devices then read contiguous pieces. If
            // there are few matrices, their rows are cut instead.
            None => (0..input.len()).find(|&axis| input[axis] >= 8).unwrap_or_else(|| longest(&input)),
        };
        let output: Vec<usize> = order.iter().map(|&axis| input[axis]).collect();
        let to = order.iter().position(|&axis| axis == cut).unwrap_or(cut);
        let bytes = size_of::<T>();
        let spec = self.clone();
        let spec = move |units: &std::ops::Range<usize>| Ok(with_extent(&spec, cut, units.len()));
        let phase = Phase {
            label: format!("{self}, cut along {}", if cut == 0 { "the batch".to_owned() } else { format!("axis {}", cut - 1) }),
            alignment: 1,
            from: HostArray::Input,
            to: HostArray::Output,
            input: grid(&input, cut, bytes),
            output: grid(&output, to, bytes),
            computation: std::sync::Arc::new(Units {
                #[cfg(feature = "cpu")]
                host: Ok(moved(input.clone(), cut, order.clone(), bytes)),
                spec,
                recipes: ByPlanner,
                positioned: false,
            }),
        };
        let all = phase.input.bytes;
        let operations = (all / bytes) as f64;
        Ok(Divided { phases: vec![phase], inputs: 1, input_bytes: all, output_bytes: all, scratch_bytes: 0, operations })
    }
}

/// The grid of an array that is cut along axis `cut`, with elements of `bytes` bytes.
pub(super) fn grid(extents: &[usize], cut: usize, bytes: usize) -> Grid {
    let product = |extents: &[usize]| extents.iter().product::<usize>();
    Grid::new(product(&extents[..cut]), extents[cut], product(&extents[cut + 1..]) * bytes)
}

/// The first of the longest axes.
fn longest(extents: &[usize]) -> usize {
    (0..extents.len()).rev().max_by_key(|&axis| extents[axis]).unwrap_or(0)
}

/// The permutation by plain copies on the host.
#[cfg(feature = "cpu")]
fn moved(input: Vec<usize>, cut: usize, order: Vec<usize>, bytes: usize) -> crate::devices::phase::OnHost {
    use wgpu_fft::bytemuck;

    /// The place of element `i` in the other array, by extents and strides from the fastest axis on.
    fn place(dims: &[(usize, usize)], mut i: usize) -> usize {
        let mut place = 0;
        for (extent, stride) in dims {
            place += i % extent * stride;
            i /= extent;
        }
        place
    }
    Box::new(move |units, inputs, output| {
        let mut extents = input.clone();
        extents[cut] = units.len();
        let strides: Vec<usize> = (0..extents.len()).map(|axis| extents[axis + 1..].iter().product()).collect();
        let source: &[u8] = bytemuck::cast_slice(&inputs[0]);
        let target: &mut [u8] = bytemuck::cast_slice_mut(output);
        let dims: Vec<(usize, usize)> = order.iter().rev().map(|&axis| (extents[axis], strides[axis] * bytes)).collect();
        let count: usize = extents.iter().product();
        for (i, element) in target.chunks_exact_mut(bytes).take(count).enumerate() {
            let from = place(&dims, i);
            element.copy_from_slice(&source[from..from + bytes]);
        }
        Ok(())
    })
}
