//! Reductions on several devices. Either each device computes partial results, which are then
//! combined, or each computes some of the results. The order is always that of the whole array.

use std::ops::Range;
use std::sync::Arc;

use super::divide::{Cut, Divide, Divided};
use super::phase::{ByRule, Phase, Place, Units, Work};
use super::set::DeviceSet;
use super::slab::Grid;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::plan::Spec;
use crate::reduce::divide::{Division, division, join, partial, piece};
use crate::reduce::{Reduction, Value};

impl<T: Value, O: Element> Divide for Reduction<T, O> {
    fn divide(&self, _: &DeviceSet, cut: Cut) -> Result<Divided> {
        if cut.axis.is_some() {
            let why = "the order of a sum decides where it can be cut".to_owned();
            return Err(Error::Unsupported { what: format!("`{self}` along an axis of the caller's"), why });
        }
        let (element, result) = (size_of::<T>(), size_of::<O>());
        let [all_results, inputs] = self.results_and_inputs()?;
        let division = division(self)?;
        let all = 0..division.units();
        let input_bytes = division.elements(&all) * element;
        let whole = self.clone();
        let phase = |label: &str, [from, to]: [Place; 2], input: Grid, output: Grid, work: Arc<dyn Work>| Phase {
            label: format!("{self}, {label}"),
            alignment: 1,
            from,
            to,
            input,
            output,
            work,
        };
        let (phases, output_bytes, scratch_bytes) = match division {
            Division::Parts { unit, units, words, .. } => {
                let partials = Grid::new(1, units, words * 4);
                let input = Grid { outer: 1, extent: units, inner: unit * element, bytes: input_bytes };
                let joined = join::<T, O>(self);
                let output = Grid::new(1, 1, all_results * result);
                let of_parts = work(self, true, move |units: &Range<usize>| Ok(partial(&whole, units.clone())));
                let of_all = work(self, false, move |_: &Range<usize>| Ok(joined.clone()));
                let phases = vec![
                    phase("in parts", [Place::Input, Place::Scratch], input, partials, of_parts),
                    phase("joined", [Place::Scratch, Place::Output], Grid::new(1, 1, partials.bytes), output, of_all),
                ];
                (phases, output.bytes, partials.bytes)
            }
            Division::Lines { outer, extent, inner, results } => {
                let output = Grid::new(1, extent, results * result);
                let of_lines = work(self, false, move |units: &Range<usize>| Ok(piece(&whole, units.len())));
                let input = Grid::new(outer, extent, inner * element);
                (vec![phase("in lines", [Place::Input, Place::Output], input, output, of_lines)], output.bytes, 0)
            }
            Division::Whole(elements) => {
                let output = Grid::new(1, 1, result);
                let fixed = whole.determinism(crate::reduce::Determinism::AcrossDevices);
                let of_all = work(self, false, move |_: &Range<usize>| Ok(fixed.clone()));
                (vec![phase("whole", [Place::Input, Place::Output], Grid::new(1, 1, elements * element), output, of_all)], result, 0)
            }
        };
        Ok(Divided { phases, inputs, input_bytes, output_bytes, scratch_bytes })
    }
}

/// Uses the recipes that the rules choose, which keep to the order of the whole array.
#[cfg_attr(not(feature = "cpu"), expect(unused_variables, reason = "only the host has to know whose share it is"))]
fn work<T: Value, O: Element, S: Spec>(
    whole: &Reduction<T, O>,
    positioned: bool,
    spec: impl Fn(&Range<usize>) -> Result<S> + Clone + Send + Sync + 'static,
) -> Arc<dyn Work> {
    Arc::new(Units {
        #[cfg(feature = "cpu")]
        host: if whole.runs_on_host() {
            Ok(super::host::reduced(spec.clone()))
        } else {
            Err(Error::Unsupported {
                what: format!("`{whole}` on the host"),
                why: "its operator is WGSL, which only a device runs".to_owned(),
            })
        },
        spec,
        recipes: ByRule,
        positioned,
    })
}
