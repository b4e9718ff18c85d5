//! How elements of arrays become values in WGSL, and back.

use half::{bf16, f16};
use num_complex::{Complex, Complex32};

use super::texels::{Texel, Texels};
use crate::element::{Element, ElementType};
use crate::error::{Error, Result};
use crate::wgsl::{Body, Expr, F32, I32, Scalar, Type, U32, bitcast, call, construct, convert, float, select, vec2};

/// An element type that a [`Fragment`](crate::Fragment) can read, from the input or from an array
/// of the caller's.
///
/// | element | `value` in WGSL |
/// |---|---|
/// | f32, f16, bf16 | `f32` |
/// | i32, i16, i8 | `i32` |
/// | u32, u16, u8 | `u32` |
/// | complex f32, complex f16, complex bf16, `[f32; 2]`, `[f16; 2]` | `vec2<f32>` |
/// | `[u32; 2]`, `[u8; 2]` | `vec2<u32>` |
/// | `[i32; 2]` | `vec2<i32>` |
/// | `[u8; 3]` | `vec3<u32>` |
/// | `[f32; 4]`, `[f16; 4]` | `vec4<f32>` |
/// | `[u32; 4]`, `[u16; 4]`, `[u8; 4]` | `vec4<u32>` |
/// | `[i32; 4]` | `vec4<i32>` |
/// | [`Texel`](crate::Texel) | a number, or a vector of as many as the texture has channels: `f32`, `u32` or `i32` |
///
/// Integers are not scaled: divide a `u8` by 255 where that is what you want.
pub trait Readable: Element + Formed {}

/// An element type that a [`Fragment`](crate::Fragment) can write: those of [`Readable`] whose size
/// is a multiple of 4 bytes, because invocations share the words of smaller ones, and
/// [`Texel`](crate::Texel). Values of f16 and
/// bf16 are rounded. Of integers in 8 and 16 bits the lowest bits are stored.
pub trait Writable: Readable {}

/// A private supertrait that seals [`Readable`].
pub trait Formed {
    /// How kernels read and write it.
    const FORM: Form;
}

/// How an element lies in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Form {
    /// Numbers of an element.
    count: u32,
    number: Number,
    /// The texture whose texels the elements are.
    texels: Option<Texels>,
}

/// A number of an element.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Number {
    F32,
    F64,
    I32,
    U32,
    F16,
    Bf16,
    U16,
    I16,
    U8,
    I8,
    /// Of a texture, before it is known which.
    Texel,
}

impl Number {
    fn bits(self) -> u32 {
        match self {
            Self::F64 => 64,
            Self::F32 | Self::I32 | Self::U32 => 32,
            Self::F16 | Self::Bf16 | Self::U16 | Self::I16 => 16,
            Self::U8 | Self::I8 | Self::Texel => 8,
        }
    }

    /// The type of its value.
    fn value(self) -> Scalar {
        match self {
            Self::F64 => Scalar::F64,
            Self::F32 | Self::F16 | Self::Bf16 => Scalar::F32,
            Self::I32 | Self::I16 | Self::I8 => Scalar::I32,
            Self::U32 | Self::U16 | Self::U8 | Self::Texel => Scalar::U32,
        }
    }
}

impl Form {
    /// A complex number.
    pub(crate) const COMPLEX: Self = Self { count: 2, number: Number::F32, texels: None };
    /// A real number.
    pub(crate) const REAL: Self = Self { count: 1, number: Number::F32, texels: None };
    /// An index.
    #[cfg(feature = "signal")]
    pub(crate) const U32: Self = Self { count: 1, number: Number::U32, texels: None };
    /// A complex number in f64. No fragment reads or writes one.
    pub(crate) const COMPLEX_F64: Self = Self { count: 2, number: Number::F64, texels: None };
    /// A real number in f64.
    pub(crate) const REAL_F64: Self = Self { count: 1, number: Number::F64, texels: None };

    /// One or two floating-point numbers of 16 bits: a real or a complex number.
    pub(crate) fn is_half(self) -> bool {
        self.count <= 2 && matches!(self.number, Number::F16 | Number::Bf16)
    }

    /// Whether its elements hold such values as they are, perhaps rounded to 16 bits.
    pub(crate) fn holds(self, value: Self) -> bool {
        self == value || self.is_half() && self.count == value.count
    }

    /// Whether it has this many numbers.
    pub(crate) fn has(self, count: u32) -> bool {
        self.count == count
    }

    /// This many of the same numbers.
    pub(crate) fn of(self, count: u32) -> Self {
        Self { count, ..self }
    }

    /// The elements of a texture.
    pub(super) fn of_texels(texels: Texels) -> Self {
        let (count, scalar) = texels.channels();
        let number = match scalar {
            Scalar::U32 => Number::U32,
            Scalar::I32 => Number::I32,
            _ => Number::F32,
        };
        Self { count, number, texels: Some(texels) }
    }

    /// Those of a texture of which no fragment has said yet which it is.
    pub(super) fn is_texel(self) -> bool {
        self.number == Number::Texel
    }

    /// The texture whose texels the elements are.
    pub(crate) fn texels(self) -> Option<Texels> {
        self.texels
    }

    /// Bytes of an element. Of a texture's texels they count as one: they are in no buffer.
    pub(crate) fn bytes(self) -> u32 {
        if self.texels.is_some() { 1 } else { self.count * self.number.bits() / 8 }
    }

    /// The type of the value.
    pub(crate) fn value(self) -> Type {
        Type::numbers(self.count, self.number.value())
    }

    /// Whether an element is an element of a WGSL array, instead of a part of words.
    fn is_whole(self) -> bool {
        self.number.bits() >= 32
    }

    /// The type of the binding in WGSL: an array, or a texture that is loaded from or stored to.
    pub(crate) fn binding(self, loads: bool) -> Type {
        self.texels.map_or_else(|| Type::array(self.stored()), |texels| texels.wgsl(loads))
    }

    /// What the WGSL array holds.
    pub(crate) fn stored(self) -> Type {
        if self.is_whole() { self.value() } else { U32 }
    }

    /// Whether its elements share no words, so that invocations can write them.
    pub(crate) fn is_writable(self) -> bool {
        self.texels.is_some() || !self.is_texel() && self.bytes().is_multiple_of(4)
    }

    /// The bits of its numbers, and whether they are those of a bf16, if they are floating-point
    /// numbers.
    pub(crate) fn float_bits(self) -> Option<(u32, bool)> {
        let is_float = matches!(self.number, Number::F64 | Number::F32 | Number::F16 | Number::Bf16);
        is_float.then_some((self.number.bits(), self.number == Number::Bf16))
    }

    /// The bits of each of its numbers.
    pub(crate) fn bits_of_number(self) -> u32 {
        self.number.bits()
    }

    /// Whether its numbers may be negative.
    pub(crate) fn is_signed(self) -> bool {
        !matches!(self.number, Number::U32 | Number::U16 | Number::U8)
    }

    /// The value of element i of what is [bound](Self::binding).
    pub(crate) fn read(self, body: &mut Body, array: &Expr, i: &Expr) -> Expr {
        match self.texels {
            None => self.read_by(body, &|at| array.at(at), i),
            Some(texels) => texels.load(body, array, i),
        }
    }

    /// The value of element i of an array of [`stored`](Self::stored), of which `at` reads an
    /// element.
    pub(crate) fn read_by(self, body: &mut Body, at: &dyn Fn(Expr) -> Expr, i: &Expr) -> Expr {
        if self.is_whole() {
            return at(i.clone());
        }
        let bits = self.number.bits();
        let each = 32 / bits;
        let first = body.value("first", i * self.count);
        // Where an element fills words, the place of each number in its word is known.
        let aligned = self.count.is_multiple_of(each);
        let numbers: Vec<Expr> = (0..self.count)
            .map(|k| {
                let (word, place) =
                    if aligned { (&first / each + k / each, Expr::from(k % each)) } else { ((&first + k) / each, (&first + k) % each) };
                let word = body.value("word", at(word));
                self.number_of(body, &word, &place)
            })
            .collect();
        if let [one] = &numbers[..] { one.clone() } else { construct(&self.value(), &numbers) }
    }

    /// Number `place` of a word.
    fn number_of(self, body: &mut Body, word: &Expr, place: &Expr) -> Expr {
        let bits = self.number.bits();
        let value = match self.number {
            Number::F16 => call("unpack2x16float", [&(word >> (place * bits))], vec2(Scalar::F32)).x(),
            // Its bits are the upper ones of an f32.
            Number::Bf16 => bitcast(&F32, &((word >> (place * bits)) << bits)),
            // The sign is that of the uppermost bit.
            Number::I8 | Number::I16 => {
                let upper = body.value("upper", bitcast(&I32, &(word << ((Expr::from(32 / bits - 1) - place) * bits))));
                upper >> (32 - bits)
            }
            _ => (word >> (place * bits)) & ((1 << bits) - 1),
        };
        body.value("number", value)
    }

    /// Writes the value of element i. Elements that share words with others cannot be written.
    pub(crate) fn write(self, body: &mut Body, array: &Expr, i: &Expr, value: &Expr) {
        if let Some(texels) = self.texels {
            return texels.store(body, array, i, value);
        }
        if self.is_whole() {
            return body.assign(&array.at(i), value);
        }
        let bits = self.number.bits();
        let each = 32 / bits;
        let words = self.count / each;
        for word in 0..words {
            let numbers: Vec<Expr> = (0..each).map(|k| value.component((word * each + k) as usize)).collect();
            let packed = self.packed(body, &numbers);
            body.assign(&array.at(i * words + word), packed);
        }
    }

    /// A word of these numbers. If they do not fill it, the rest is zeros.
    pub(crate) fn packed(self, body: &mut Body, numbers: &[Expr]) -> Expr {
        let bits = self.number.bits();
        let part = |bits_of: Expr, k: usize| bits_of << (k as u32 * bits);
        let parts: Vec<Expr> = match self.number {
            Number::F16 => {
                let second = numbers.get(1).cloned().unwrap_or_else(|| float(Scalar::F32, 0.0));
                return call("pack2x16float", [&construct(&vec2(Scalar::F32), &[numbers[0].clone(), second])], U32);
            }
            Number::Bf16 => numbers.iter().enumerate().map(|(k, number)| part(bf16_bits(body, number), k)).collect(),
            _ => numbers.iter().enumerate().map(|(k, number)| part(convert(&U32, number) & ((1 << bits) - 1), k)).collect(),
        };
        parts.into_iter().reduce(|packed, part| packed | part).expect("a word has a number")
    }
}

/// The bits of the bf16 that is nearest to an f32, of two the even one. A NaN stays one.
fn bf16_bits(body: &mut Body, number: &Expr) -> Expr {
    let bits = body.value("bits", bitcast(&U32, number));
    let is_nan = (&bits & 0x7fff_ffff).greater(0x7f80_0000);
    let rounded = (&bits + (((&bits >> 16) & 1) + 0x7fff)) >> 16;
    body.value("rounded", select(&is_nan, (&bits >> 16) | 0x40, rounded))
}

/// The first element type that lies in memory so.
pub(crate) fn element_of(form: Form) -> Option<ElementType> {
    FORMS.iter().find(|(_, own)| *own == form).map(|(element, _)| *element)
}

/// How elements lie in memory, if a fragment can read them.
pub(crate) fn readable(element: ElementType) -> Result<Form> {
    let why = "fragments read numbers of at most 32 bits, alone or in pairs, threes and fours";
    let own = FORMS.iter().find(|(own, _)| *own == element);
    own.map(|(_, form)| *form).ok_or_else(|| Error::Unsupported { what: format!("{element} in a fragment"), why: why.to_owned() })
}

/// The same of elements that a fragment can also write.
pub(crate) fn writable(element: ElementType) -> Result<Form> {
    let form = readable(element)?;
    // Of texels, the fragment says which texture they are written to.
    if form.is_writable() || form.is_texel() {
        return Ok(form);
    }
    let why = format!("its elements have {} bytes, and invocations share words of 4 bytes", element.bytes());
    Err(Error::Unsupported { what: format!("an output of {element} that a fragment writes"), why })
}

macro_rules! forms {
    ($($type:ty: $count:literal $number:ident $($writable:ident)?;)*) => {
        const FORMS: &[(ElementType, Form)] = &[$((ElementType::of::<$type>(), <$type as Formed>::FORM)),*];
        $(
        impl Formed for $type {
            const FORM: Form = Form { count: $count, number: Number::$number, texels: None };
        }

        impl Readable for $type {}

        $(impl $writable for $type {})?
        )*
    };
}

forms! {
    f32: 1 F32 Writable; i32: 1 I32 Writable; u32: 1 U32 Writable;
    f16: 1 F16; bf16: 1 Bf16; Complex<f16>: 2 F16 Writable; Complex<bf16>: 2 Bf16 Writable; u16: 1 U16; i16: 1 I16; u8: 1 U8; i8: 1 I8;
    Complex32: 2 F32 Writable; [f32; 2]: 2 F32 Writable; [i32; 2]: 2 I32 Writable; [u32; 2]: 2 U32 Writable;
    [f16; 2]: 2 F16 Writable; [u8; 2]: 2 U8; [u8; 3]: 3 U8;
    [f32; 4]: 4 F32 Writable; [i32; 4]: 4 I32 Writable; [u32; 4]: 4 U32 Writable;
    [f16; 4]: 4 F16 Writable; [u16; 4]: 4 U16 Writable; [u8; 4]: 4 U8 Writable;
    Texel: 1 Texel Writable;
}
