//! Reductions of an array from a file.

use std::path::PathBuf;

use serde_json::json;

use crate::array::{Array, Elements};
use crate::compute::{Computation, indices, joined, result};
use crate::device::{Device, Recipes};
use crate::files::{self, Shown};
use crate::{Result, usage};

const OPERATIONS: [&str; 18] = [
    "sum",
    "sum_abs",
    "product",
    "mean",
    "min",
    "max",
    "max_abs",
    "argmin",
    "argmax",
    "argmax_abs",
    "sum_squares",
    "mean_squares",
    "norm",
    "variance",
    "standard_deviation",
    "any",
    "all",
    "count",
];

#[derive(clap::Args)]
pub struct Reduce {
    /// The operation
    #[arg(value_parser = OPERATIONS)]
    operation: String,
    /// An array (.npy) or a picture
    input: PathBuf,
    /// Where the result goes (.npy); a single number is printed in any case
    #[arg(value_parser = result())]
    pub output: Option<PathBuf>,
    /// The axes that are reduced, such as 0,1; all of them by default
    #[arg(long, value_delimiter = ',', allow_hyphen_values = true, value_name = "AXES")]
    axes: Option<Vec<i64>>,
    #[command(flatten)]
    recipes: Recipes,
}

impl Reduce {
    pub fn run(&self, device: &Device) -> Result<()> {
        let array = files::read(&self.input)?;
        let rank = array.shape.len();
        let axes = self.axes.as_ref().map(|axes| indices(axes, rank)).transpose()?;
        let gpu = device.open()?;
        let prepared = prepared(&self.operation, array, gpu.profile().f64);
        let Prepared { operation, array, is_mean } = prepared.map_err(|error| format!("{}: {error}", self.input.display()))?;
        let mut text = format!("{operation} {} {}", array.element(), joined(&array.shape, "x"));
        let mut shape = Vec::new();
        if let Some(axes) = axes {
            text += &format!(" axes={}", joined(&axes, ","));
            shape = (0..rank).filter(|axis| !axes.contains(axis)).map(|axis| array.shape[axis]).collect();
        }
        let mut result = Computation { recipes: &self.recipes, text: &text, inputs: &[&array], shape }.run(device, &gpu)?;
        if is_mean {
            let count = (array.len() / result.len()) as f64;
            result = result.converted(false, true)?.divided(count);
        }
        if let Some(output) = &self.output {
            files::write(output, &result, Shown::Grey)?;
            device.output.note("result", files::result_name(output));
        }
        if result.len() == 1 {
            let number = result.first();
            device.output.result(&json!({ "spec": text, "result": number }), || number.clone());
        } else if self.output.is_none() {
            return Err(usage(format!("the result has {} numbers: name a file for it", result.len())));
        }
        Ok(())
    }
}

/// What the device computes.
struct Prepared {
    operation: String,
    array: Array,
    /// Whether the results are sums of which the means are to be computed.
    is_mean: bool,
}

/// Prepares a reduction so that its results are right. Sums of integers are computed in 64 bits,
/// and what integers do not have is computed of floating-point numbers that are equal to them.
fn prepared(operation: &str, array: Array, has_f64: bool) -> Result<Prepared> {
    let array = array.narrowed()?;
    let integers: Option<Vec<f64>> = match &array.elements {
        Elements::I32(data) => Some(data.iter().map(|x| f64::from(*x)).collect()),
        Elements::U32(data) => Some(data.iter().map(|x| f64::from(*x)).collect()),
        _ => None,
    };
    let as_it_is = |operation: &str, array| Prepared { operation: operation.to_owned(), array, is_mean: false };
    let Some(integers) = integers else { return Ok(as_it_is(operation, array)) };
    match operation {
        "sum" => Ok(as_it_is("wide_sum", array)),
        "mean" => Ok(Prepared { is_mean: true, ..as_it_is("wide_sum", array) }),
        "product" => {
            let most: f64 = integers.iter().map(|x| x.abs().max(1.0)).product();
            if most > f64::from(i32::MAX) {
                let why = format!("products of integers have 32 bits, and these may reach {most:e}: convert the array to float32");
                return Err(why.into());
            }
            Ok(as_it_is(operation, array))
        }
        "sum_abs" => Ok(as_it_is("wide_sum", array.unsigned())),
        "max_abs" => Ok(as_it_is("max", array.unsigned())),
        "argmax_abs" => Ok(as_it_is("argmax", array.unsigned())),
        "sum_squares" | "mean_squares" | "norm" | "variance" | "standard_deviation" => {
            /// f32 has every whole number up to this.
            const MAX_EXACT: f64 = 16_777_216.0;
            let most = integers.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            if most > MAX_EXACT && !has_f64 {
                return Err(
                    format!("its largest integer is {most}; beyond {MAX_EXACT} f64 is needed, which the device does not have").into()
                );
            }
            Ok(as_it_is(operation, array.converted(false, most > MAX_EXACT)?))
        }
        _ => Ok(as_it_is(operation, array)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(elements: Elements) -> Array {
        let len = match &elements {
            Elements::I64(data) => data.len(),
            Elements::U8(data) => data.len(),
            Elements::I32(data) => data.len(),
            _ => unreachable!(),
        };
        Array { shape: vec![len], elements }
    }

    #[test]
    fn integers_are_never_wrong_in_silence() {
        let is = |operation: &str, elements: Elements, has_f64: bool, text: &str| {
            let Prepared { operation, array, .. } = prepared(operation, of(elements), has_f64).unwrap();
            assert_eq!(format!("{operation} {}", array.element()), text);
        };
        is("sum", Elements::U8(vec![1, 255]), false, "wide_sum u32");
        is("mean", Elements::I32(vec![-1, 7]), false, "wide_sum i32");
        is("sum_abs", Elements::U8(vec![1, 255]), false, "wide_sum u32");
        is("sum_abs", Elements::I32(vec![i32::MIN, 7]), false, "wide_sum u32");
        is("max", Elements::I64(vec![-1, 7]), false, "max i32");
        is("max_abs", Elements::I32(vec![i32::MIN, 7]), false, "max u32");
        is("max", Elements::I64(vec![0, 1 << 31]), false, "max u32");
        is("product", Elements::I32(vec![-46_340, 46_341]), false, "product i32");
        is("norm", Elements::I32(vec![-1, 1 << 24]), false, "norm f32");
        is("norm", Elements::I32(vec![-1, -(1 << 24) - 1]), true, "norm f64");
        let fails = |operation: &str, elements: Elements, part: &str| {
            let error = prepared(operation, of(elements), false).err().unwrap().to_string();
            assert!(error.contains(part), "{error}");
        };
        fails("max", Elements::I64(vec![0, (1 << 53) + 1]), "from 0 to 9007199254740993");
        fails("max", Elements::I64(vec![-1, 1 << 31]), "from -1 to 2147483648");
        fails("product", Elements::I32(vec![46_341, 46_341]), "may reach 2.147488281e9");
        fails("variance", Elements::I32(vec![i32::MIN]), "its largest integer is 2147483648");
    }
}
