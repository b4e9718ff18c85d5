//! What an access of a kernel loads.

use half::f16;
use num_complex::Complex32;

use super::value::Value;
use crate::fragment::{Form, Readable};
use crate::kernels::reduce::Stage;
use crate::kernels::reduce::operator::{Kind, Operator};
use crate::wgsl::{Scalar, Type, U32, vec4};

/// The type as which the kernel reads an element. Others, of which there are none without a
/// fragment that maps them, are read one by one.
pub(super) fn loaded(stage: &Stage) -> Option<Kind> {
    match stage.source() {
        Some(source) => kind_of(source.fragment.array),
        None if stage.partial => Some(stage.operator.value()),
        None => Some(stage.operator.loaded()),
    }
}

/// The element type of reductions that lies in memory so, and whose values a fragment sees as the
/// kernel loads them.
fn kind_of(form: Form) -> Option<Kind> {
    fn own<T: Value + Readable>() -> (Form, Kind) {
        (T::FORM, T::KIND)
    }
    let all = [own::<f32>(), own::<f16>(), own::<i32>(), own::<u32>(), own::<Complex32>()];
    all.into_iter().find(|(own, _)| *own == form).map(|(_, kind)| kind)
}

/// The type of one access: words, except for f64.
pub(super) fn access(stage: &Stage) -> Option<Type> {
    let Some(kind) = loaded(stage) else {
        return stage.source().filter(|_| stage.width == 1).map(|source| source.fragment.array.stored());
    };
    let width = if stage.gathered { 1 } else { stage.width };
    Some(match (kind, kind.bytes() * width) {
        (Kind::F64, 8 | 16 | 32) => Type::numbers(width, Scalar::F64),
        (Kind::Doubles, 32) => vec4(Scalar::F64),
        (Kind::F64 | Kind::Doubles, _) => return None,
        // An element of 2 bytes is half of a word.
        (_, 2) => U32,
        (_, bytes @ (4 | 8 | 16)) => Type::numbers(bytes / 4, Scalar::U32),
        (_, 32) => vec4(Scalar::U64),
        _ => return None,
    })
}

/// Whether elements can be read `width` at a time.
pub(super) fn has_access(stage: &Stage) -> bool {
    access(stage).is_some()
}

/// Whether an access needs 64-bit integers.
pub(super) fn needs_int64(stage: &Stage) -> bool {
    access(stage) == Some(vec4(Scalar::U64))
}

/// The number of words of a value.
pub(super) fn value_words(stage: &Stage) -> u32 {
    stage.operator.value().bytes() / 4
}

/// A stage with the fields that determine how elements are read.
fn stage_of(operator: &Operator, partial: bool) -> Stage {
    Stage { operator: operator.clone(), partial, last: false, width: 1, gathered: false, lanes: 1, accumulators: 1, join: 0 }
}

/// The widest access, in elements, that has at most `most_bytes` and divides the contiguous run.
pub(super) fn widest(operator: &Operator, partial: bool, contiguous: u32, most_bytes: u32) -> u32 {
    let stage = stage_of(operator, partial);
    let fits = |width: &u32| {
        contiguous.is_multiple_of(*width)
            && stage.element_bytes() * width <= most_bytes
            && has_access(&Stage { width: *width, ..stage.clone() })
    };
    [8, 4, 2].into_iter().find(fits).unwrap_or(1)
}
