//! The input and the output of an operation on real or complex numbers.

use super::number::Number;
use crate::error::Result;
use crate::fft::End;
use crate::fragment::{Checked, Form, Fragment, Maps, Side};
use crate::gpu::DeviceProfile;
use crate::plan::{Array, Placement, Program};
use crate::verify::Verification;

/// What stands at the input and at the output, with the caller's fragments.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Ends {
    /// What numbers are without a fragment, and the names of the elements.
    forms: [(Form, &'static str); 2],
    pub maps: [Option<Checked>; 2],
}

impl Ends {
    /// Of numbers of these types, without fragments.
    pub fn of<I: Number, O: Number>() -> Self {
        Self { forms: [(I::FORM, I::NAME), (O::FORM, O::NAME)], maps: [None, None] }
    }

    /// The other way round, without fragments.
    pub fn reversed(&self) -> Self {
        let [input, output] = self.forms;
        Self { forms: [output, input], maps: [None, None] }
    }

    /// What a number is without a fragment.
    pub fn form(&self, end: End) -> Form {
        self.forms[end as usize].0
    }

    /// The name of an element without a fragment.
    pub fn element(&self, end: End) -> &'static str {
        self.forms[end as usize].1
    }

    /// What the array at an end holds, and the name of its element.
    pub fn array(&self, end: End) -> (Form, &'static str) {
        self.maps[end as usize].as_ref().map_or(self.forms[end as usize], |map| (map.array, map.element))
    }

    /// Sets the caller's fragment at one end, of arrays of `rank` axes.
    pub fn mapped(mut self, end: End, rank: usize, fragment: Fragment, array: Form, element: &'static str) -> Result<Self> {
        let side = Side::of(end as usize, rank, array, self.form(end));
        self.maps[end as usize] = Some(Checked::new(fragment, element, side)?);
        Ok(self)
    }

    /// The caller's fragment at an end, for axes with other numbers.
    pub fn map(&self, end: End, number: impl Fn(usize) -> usize) -> Option<Fragment> {
        self.maps[end as usize].as_ref().map(|map| map.fragment.clone().with_axes(number))
    }

    /// A fragment of the operation's own between the caller's and the numbers, for axes with other
    /// numbers.
    pub fn joined(&self, end: End, own: Fragment, number: impl Fn(usize) -> usize) -> Fragment {
        match (self.map(end, number), end) {
            (None, _) => own,
            (Some(map), End::Input) => own.after(&map),
            (Some(map), End::Output) => map.after(&own),
        }
    }

    /// A name that is in no fragment of the caller's.
    pub fn free_name(&self, name: &str) -> String {
        let mut name = name.to_owned();
        while self.maps.iter().flatten().any(|map| map.fragment.mentions(&name)) {
            name.push('_');
        }
        name
    }

    /// A program without dispatches, for so many elements at either end.
    pub fn program(&self, title: String, lens: [usize; 2], profile: &DeviceProfile) -> Result<Program> {
        let array = |end: End| Array { len: lens[end as usize], element_bytes: self.array(end).0.bytes() as usize };
        let program = Program::new(title, Placement::OutOfPlace, vec![array(End::Input)], array(End::Output));
        program.checked_with_textures(Maps(&self.maps).textures(), profile)
    }

    pub fn is_real(&self, end: End) -> bool {
        self.form(end) == Form::REAL
    }

    pub fn has_wgsl(&self) -> bool {
        self.maps.iter().any(Option::is_some)
    }

    pub fn verification(&self, tolerance: f64) -> Verification {
        Verification::of_forms(self.array(End::Input).0, self.array(End::Output).0, tolerance)
    }
}

/// A fragment that multiplies a number by complex ones, to a complex or a real part: `factors` is
/// their product in WGSL, by the function `product`.
pub(super) fn times(value: Form, result: Form, product: &str, factors: &str) -> Fragment {
    let functions = format!(
        "fn {product}(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {{\n    return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);\n}}"
    );
    let by = if value == Form::REAL { format!("value * {factors}") } else { format!("{product}(value, {factors})") };
    let has_product = by.contains(product);
    let fragment = Fragment::new(if result == Form::REAL { format!("{by}.x") } else { by });
    if has_product { fragment.functions(functions) } else { fragment }
}

/// Implements what is known of a specification by its `ends`, with the tolerance of its results.
macro_rules! sealed {
    ($core:ident $(<$parameter:ident>)?, $tolerance:expr) => {
        impl $(<$parameter>)? $crate::plan::Sealed for $core $(<$parameter>)? {
            fn has_wgsl(&self) -> bool {
                self.ends.has_wgsl()
            }

            fn verification(&self) -> $crate::verify::Verification {
                self.ends.verification($tolerance)
            }
        }
    };
}
pub(super) use sealed;

/// Implements the methods of a specification that take fragments, for the `ends` of its `core`.
macro_rules! maps {
    ($name:ident: $(#[$input:meta])* map_input; $(#[$output:meta])* map_output;) => {
        impl<I: $crate::Element, O: $crate::Element> $name<I, O> {
            $(#[$input])*
            ///
            /// # Errors
            /// Those of [`C2c::map_input`](crate::fft::C2c::map_input).
            pub fn map_input<T: $crate::fragment::Readable>(self, fragment: $crate::Fragment) -> $crate::Result<$name<T, O>> {
                let (mut core, end) = (self.core, $crate::fft::End::Input);
                core.ends = core.ends.mapped(end, core.shape.rank(), fragment, T::FORM, T::NAME)?;
                Ok($name { core, element: std::marker::PhantomData })
            }

            $(#[$output])*
            ///
            /// # Errors
            /// Those of [`C2c::map_output`](crate::fft::C2c::map_output).
            pub fn map_output<T: $crate::fragment::Writable>(self, fragment: $crate::Fragment) -> $crate::Result<$name<I, T>> {
                let (mut core, end) = (self.core, $crate::fft::End::Output);
                core.ends = core.ends.mapped(end, core.shape.rank(), fragment, T::FORM, T::NAME)?;
                Ok($name { core, element: std::marker::PhantomData })
            }
        }
    };
}
pub(super) use maps;
