//! Reductions on several devices. Either each device computes partial results, which are then
//! combined, or each computes some of the results. The order is always that of the whole array.

use std::ops::Range;
use std::sync::Arc;

use wgpu_fft::low_level::divide::reduction::{Division, division, join, partial, piece, results_and_inputs};
use wgpu_fft::reduce::Reduction;
use wgpu_fft::{Element, Error, Result, Spec};

use super::{CutOptions, Divide, Divided};
use crate::devices::phase::{ByRule, Computation, HostArray, Phase, Units};
use crate::devices::set::DeviceSet;
use crate::slab::Grid;

impl<T: Element, O: Element> Divide for Reduction<T, O> {
    fn divide(&self, _: &DeviceSet, cut: CutOptions) -> Result<Divided> {
        if cut.axis.is_some() {
            let why = "the order of a sum decides where it can be cut".to_owned();
            return Err(Error::Unsupported { what: format!("`{self}` along an axis of the caller's"), why });
        }
        let (element, result) = (size_of::<T>(), size_of::<O>());
        let [all_results, inputs] = results_and_inputs(self)?;
        let division = division(self)?;
        let all = 0..division.units();
        let input_bytes = division.elements(&all) * element;
        let whole = self.clone();
        let phase = |label: &str, [from, to]: [HostArray; 2], input: Grid, output: Grid, computation: Arc<dyn Computation>| Phase {
            label: format!("{self}, {label}"),
            alignment: 1,
            from,
            to,
            input,
            output,
            computation,
        };
        let (phases, output_bytes, scratch_bytes) = match division {
            Division::Parts { unit, units, words, .. } => {
                let partials = Grid::new(1, units, words * 4);
                let input = Grid { outer: 1, extent: units, inner: unit * element, bytes: input_bytes };
                let joined = join::<T, O>(self);
                let output = Grid::new(1, 1, all_results * result);
                let of_parts = computation(self, true, move |units: &Range<usize>| Ok(partial(&whole, units.clone())));
                let of_all = computation(self, false, move |_: &Range<usize>| Ok(joined.clone()));
                let phases = vec![
                    phase("in parts", [HostArray::Input, HostArray::Scratch], input, partials, of_parts),
                    phase("joined", [HostArray::Scratch, HostArray::Output], Grid::new(1, 1, partials.bytes), output, of_all),
                ];
                (phases, output.bytes, partials.bytes)
            }
            Division::Lines { outer, extent, inner, results } => {
                let output = Grid::new(1, extent, results * result);
                let of_lines = computation(self, false, move |units: &Range<usize>| Ok(piece(&whole, units.len())));
                let input = Grid::new(outer, extent, inner * element);
                (vec![phase("in lines", [HostArray::Input, HostArray::Output], input, output, of_lines)], output.bytes, 0)
            }
            Division::Whole { elements, results } => {
                let output = Grid::new(1, 1, results * result);
                let fixed = whole.across_devices();
                let of_all = computation(self, false, move |_: &Range<usize>| Ok(fixed.clone()));
                (
                    vec![phase("whole", [HostArray::Input, HostArray::Output], Grid::new(1, 1, elements * element), output, of_all)],
                    results * result,
                    0,
                )
            }
        };
        let operations = (input_bytes / element) as f64;
        Ok(Divided { phases, inputs, input_bytes, output_bytes, scratch_bytes, operations })
    }
}

/// Uses the recipes that the rules choose, which keep to the order of the whole array.
#[cfg_attr(not(feature = "cpu"), expect(unused_variables, reason = "only the host has to be told why it takes no part"))]
fn computation<T: Element, O: Element, S: Spec>(
    whole: &Reduction<T, O>,
    positioned: bool,
    spec: impl Fn(&Range<usize>) -> Result<S> + Send + Sync + 'static,
) -> Arc<dyn Computation> {
    Arc::new(Units {
        #[cfg(feature = "cpu")]
        host: Err(Error::Unsupported {
            what: format!("`{whole}` on the host"),
            why: "only devices run the kernels of reductions, whose order and rounding are promised".to_owned(),
        }),
        spec,
        recipes: ByRule,
        positioned,
    })
}
