//! The element types of arrays on the device.

use std::fmt;
use std::str::FromStr;

use half::{bf16, f16};
use num_complex::Complex;

use crate::error::{Error, Result};

/// A plain data type that can be an element of an array on the device.
///
/// Its size must be 1, 2, 3 or a multiple of 4 bytes; views check this. WebGPU accesses memory in
/// units of 4 bytes. If an array ends within such a unit, its buffer must contain the whole unit.
/// Implement this trait for your own types with [`bytemuck`]'s derives (its feature `derive`):
///
/// ```
/// #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
/// #[repr(C)]
/// struct Particle {
///     position: [f32; 3],
///     mass: f32,
/// }
///
/// impl wgpu_fft::Element for Particle {
///     const NAME: &'static str = "particle";
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of an array on the device",
    note = "FFTs work on `f32`, `f16`, `bf16`, `f64` and complex numbers of these; permutations and reductions also on integers"
)]
pub trait Element: bytemuck::Pod + Send + Sync {
    /// The name in printed specifications, such as `f32`.
    const NAME: &'static str;
}

#[cfg(feature = "signal")]
mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// The types in which the host gives real numbers: `f32` and `f64`. Everything is computed in f64
/// and then rounded once.
#[cfg(feature = "signal")]
pub trait HostReal: Copy + Into<f64> + sealed::Sealed {
    /// The nearest number of this type.
    fn nearest(value: f64) -> Self;
}

#[cfg(feature = "signal")]
impl HostReal for f32 {
    fn nearest(value: f64) -> Self {
        value as Self
    }
}

#[cfg(feature = "signal")]
impl HostReal for f64 {
    fn nearest(value: f64) -> Self {
        value
    }
}

/// An [`Element`] type as a value, for programs that know it only when they run.
///
/// ```
/// use wgpu_fft::{Complex32, ElementType};
///
/// let element: ElementType = "complex f32".parse()?;
/// assert_eq!(element, ElementType::of::<Complex32>());
/// assert_eq!((element.name(), element.bytes()), ("complex f32", 8));
/// # Ok::<(), wgpu_fft::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ElementType {
    name: &'static str,
    bytes: usize,
}

impl ElementType {
    pub(crate) const fn new(name: &'static str, bytes: usize) -> Self {
        Self { name, bytes }
    }

    /// The value for a type.
    #[must_use]
    pub const fn of<T: Element>() -> Self {
        Self { name: T::NAME, bytes: size_of::<T>() }
    }

    /// The name, [`Element::NAME`].
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Size of an element in bytes.
    #[must_use]
    pub const fn bytes(self) -> usize {
        self.bytes
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Parses the name of an element type of this crate.
impl FromStr for ElementType {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL.iter().copied().find(|element| element.name == text).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|element| element.name).collect();
            Error::Parse { what: "element type", text: text.to_owned(), why: format!("expected one of {}", names.join(", ")) }
        })
    }
}

macro_rules! elements {
    ($($type:ty => $name:literal),* $(,)?) => {
        $(impl Element for $type { const NAME: &'static str = $name; })*

        impl ElementType {
            /// The element types of this crate.
            pub const ALL: &[Self] = &[$(Self::of::<$type>()),*];
        }
    };
}

elements! {
    f32 => "f32", i32 => "i32", u32 => "u32", Complex<f32> => "complex f32",
    f16 => "f16", Complex<f16> => "complex f16", bf16 => "bf16", Complex<bf16> => "complex bf16",
    f64 => "f64", i64 => "i64", u64 => "u64", Complex<f64> => "complex f64",
    [f32; 2] => "f32x2", [i32; 2] => "i32x2", [u32; 2] => "u32x2",
    [f32; 4] => "f32x4", [i32; 4] => "i32x4", [u32; 4] => "u32x4",
    [u8; 4] => "u8x4", [u8; 3] => "u8x3",
    u8 => "u8", i8 => "i8", u16 => "u16", i16 => "i16", [u8; 2] => "u8x2", [f16; 2] => "f16x2", [f16; 4] => "f16x4", [u16; 4] => "u16x4",
}

/// Implements what `derive` would, but without requiring the same of the element types, so that
/// specifications are plain data for all elements.
macro_rules! plain_data {
    ($type:ident<$($parameter:ident),*> { $($field:ident),* }) => {
        impl<$($parameter),*> Clone for $type<$($parameter),*> {
            fn clone(&self) -> Self {
                Self { $($field: self.$field.clone(),)* element: std::marker::PhantomData }
            }
        }

        impl<$($parameter),*> PartialEq for $type<$($parameter),*> {
            fn eq(&self, other: &Self) -> bool {
                true $(&& self.$field == other.$field)*
            }
        }

        impl<$($parameter),*> Eq for $type<$($parameter),*> {}

        impl<$($parameter),*> std::hash::Hash for $type<$($parameter),*> {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                $(self.$field.hash(state);)*
            }
        }

        impl<$($parameter),*> std::fmt::Debug for $type<$($parameter),*> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($type))$(.field(stringify!($field), &self.$field))*.finish()
            }
        }
    };
}
pub(crate) use plain_data;
