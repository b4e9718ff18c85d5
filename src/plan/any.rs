//! Specifications and recipes without their types.
//!
//! What is done with them is compiled once, in this crate. Generic code would be compiled again in
//! every program, for each of its types.

use std::any::Any;
use std::fmt::{self, Debug, Display};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// What specifications and recipes can do.
trait Plain: Any + Send + Sync {
    fn equals(&self, other: &dyn Any) -> bool;
    fn hash_into(&self, hasher: &mut dyn Hasher);
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

impl<T: Eq + Hash + Display + Send + Sync + 'static> Plain for T {
    fn equals(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }

    fn hash_into(&self, mut hasher: &mut dyn Hasher) {
        self.hash(&mut hasher);
    }

    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt(f)
    }
}

/// A value whose type only its maker needs to know. Two are equal if they have the same type and
/// are equal.
#[derive(Clone)]
pub(crate) struct AnyValue(Arc<dyn Plain>);

impl AnyValue {
    pub fn new<T: Clone + Eq + Hash + Display + Send + Sync + 'static>(value: &T) -> Self {
        Self(Arc::new(value.clone()))
    }

    /// The value, if it has this type.
    pub fn get<T: 'static>(&self) -> Option<&T> {
        (&*self.0 as &dyn Any).downcast_ref()
    }
}

impl PartialEq for AnyValue {
    fn eq(&self, other: &Self) -> bool {
        self.0.equals(&*other.0)
    }
}

impl Eq for AnyValue {}

impl Hash for AnyValue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash_into(state);
    }
}

impl Display for AnyValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.print(f)
    }
}

impl Debug for AnyValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.print(f)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn equal_values_of_one_type_are_equal() {
        let all: HashSet<AnyValue> = [AnyValue::new(&1u32), AnyValue::new(&2u32), AnyValue::new(&1u32), AnyValue::new(&1u64)].into();
        assert_eq!(all.len(), 3, "1 and 2 of u32, and 1 of u64");
        assert!(all.contains(&AnyValue::new(&2u32)) && !all.contains(&AnyValue::new(&2u64)));
    }

    #[test]
    fn values_come_back_as_what_they_were() {
        let value = AnyValue::new(&"8.8".to_owned());
        assert_eq!(value.get::<String>().map(String::as_str), Some("8.8"));
        assert_eq!(value.get::<u32>(), None);
        assert_eq!(value.to_string(), "8.8");
    }
}
