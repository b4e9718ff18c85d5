//! The methods of builders that store their argument or a fragment.

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

/// Implements the methods of a specification that take fragments, where `core.mapped` checks them.
#[cfg(feature = "signal")]
macro_rules! maps {
    ($name:ident: $(#[$input:meta])* map_input; $(#[$output:meta])* map_output;) => {
        impl<I: $crate::Element, O: $crate::Element> $name<I, O> {
            $(#[$input])*
            ///
            /// # Errors
            /// Those of [`C2c::map_input`](crate::fft::C2c::map_input).
            pub fn map_input<T: $crate::fragment::Readable>(self, fragment: $crate::Fragment) -> $crate::Result<$name<T, O>> {
                let core = self.core.mapped($crate::fft::End::Input, fragment, T::FORM, T::NAME)?;
                Ok($name { core, element: std::marker::PhantomData })
            }

            $(#[$output])*
            ///
            /// # Errors
            /// Those of [`C2c::map_output`](crate::fft::C2c::map_output).
            pub fn map_output<T: $crate::fragment::Writable>(self, fragment: $crate::Fragment) -> $crate::Result<$name<I, T>> {
                let core = self.core.mapped($crate::fft::End::Output, fragment, T::FORM, T::NAME)?;
                Ok($name { core, element: std::marker::PhantomData })
            }
        }
    };
}
#[cfg(feature = "signal")]
pub(crate) use maps;
