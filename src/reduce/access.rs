//! What an access of a kernel loads.

use crate::kernels::reduce::Stage;
use crate::kernels::reduce::operator::{Kind, Operator};
use crate::wgsl::{Scalar, Type, U32, vec4};

/// The type as which the kernel reads an element.
pub(super) fn loaded(stage: &Stage) -> Kind {
    if stage.partial { stage.operator.value() } else { stage.operator.loaded() }
}

/// The type of one access: words, except for f64. What a fragment maps is read element by element.
pub(super) fn access(stage: &Stage) -> Option<Type> {
    if let Some(source) = stage.source() {
        return (stage.width == 1).then(|| source.fragment.array.stored());
    }
    let (kind, width) = (loaded(stage), if stage.gathered { 1 } else { stage.width });
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
