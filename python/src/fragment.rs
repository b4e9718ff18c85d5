//! WGSL of the caller's, and what it declares, as Python describes them.

use pyo3::prelude::*;
use wgpu_fft::dynamic::AnySpec;
use wgpu_fft::{ElementType, Error, Fragment};

use crate::error::raised;

/// A fragment: its expression, its functions, the elements of the array, and the arrays that it
/// declares, each with its name, its elements and their number.
#[derive(FromPyObject)]
pub(crate) struct Mapped(String, String, String, Vec<(String, String, usize)>);

/// A specification from its text, with fragments on its input and its output, and the arrays that
/// these declare.
pub(crate) fn spec(text: &str, maps: [Option<Mapped>; 2]) -> PyResult<(AnySpec, Vec<(String, ElementType)>)> {
    let mut declared = Vec::new();
    let spec = mapped(text, maps, &mut declared).map_err(raised)?;
    Ok((spec, declared))
}

fn mapped(text: &str, maps: [Option<Mapped>; 2], declared: &mut Vec<(String, ElementType)>) -> Result<AnySpec, Error> {
    let mut spec: AnySpec = text.parse()?;
    for (side, map) in maps.into_iter().enumerate() {
        let Some(Mapped(expression, functions, element, arrays)) = map else { continue };
        let mut fragment = Fragment::new(expression).functions(functions);
        for (name, element, len) in arrays {
            let element = element.parse()?;
            fragment = fragment.array_of(name.clone(), element, len)?;
            declared.push((name, element));
        }
        let element = element.parse()?;
        spec = if side == 0 { spec.map_input(fragment, element)? } else { spec.map_output(fragment, element)? };
    }
    Ok(spec)
}
