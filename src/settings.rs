//! The methods of builders that store their argument.

/// Implements settings of a builder: each takes it by value, assigns to its fields and returns it.
macro_rules! settings {
    ($own:ident: $($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*) => $assign:expr;)*) => { $(
        $(#[$doc])*
        pub fn $name(self, $($argument: $type),*) -> Self {
            let mut $own = self;
            $assign;
            $own
        }
    )* };
}
pub(crate) use settings;
