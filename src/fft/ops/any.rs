//! Transforms without the types of their elements.

use crate::dynamic::AnySpec;
use crate::element::ElementType;
use crate::error::Result;
use crate::fft::spec::kind::{Direction, End, Kind};
use crate::fft::spec::transform::Transform;
use crate::fft::{C2c, C2r, R2c, R2r};
use crate::fragment;
use crate::fragment::Form;
use crate::num_complex::Complex64;

/// The transform that a text prints.
pub(crate) fn any_spec(text: &str) -> Result<AnySpec> {
    let kinds = [Kind::C2c(Direction::Forward), Kind::C2c(Direction::Inverse), Kind::R2c, Kind::C2r, Kind::R2r];
    Ok(of(Transform::parse(text, &kinds)?))
}

fn of(transform: Transform) -> AnySpec {
    let elements = [End::Input, End::Output].map(|end| transform.element(end));
    let own = transform.clone();
    let map = move |side, fragment, element: ElementType| {
        let (end, form) = match side {
            0 => (End::Input, fragment::readable(element)?),
            _ => (End::Output, fragment::writable(element)?),
        };
        Ok(of(own.clone().mapped(end, fragment, form, element.name())?))
    };
    match transform.kind {
        Kind::R2c => AnySpec::untyped(<R2c>::of(transform), elements, map),
        Kind::C2r => AnySpec::untyped(<C2r>::of(transform), elements, map),
        Kind::R2r => AnySpec::untyped(<R2r>::of(transform), elements, map),
        _ => AnySpec::untyped(<C2c>::of(transform), elements, map),
    }
}

impl Transform {
    fn element(&self, end: End) -> ElementType {
        if let Some(map) = &self.maps[end as usize] {
            return map.element_type();
        }
        let form = self.form_of(end);
        match form {
            Form::REAL_F64 => ElementType::of::<f64>(),
            Form::COMPLEX_F64 => ElementType::of::<Complex64>(),
            _ => fragment::element_of(form).expect("every number of a transform but f64 can be read by fragments"),
        }
    }
}
