//! A fragment as the caller gives it.

use std::fmt;
use std::sync::Arc;

use super::declared::{Declared, DeclaredKind};
#[cfg(doc)]
use super::element::Writable;
use super::element::{Readable, readable};
#[cfg(feature = "signal")]
use super::source::renamed;
use super::texels::Picture;
use super::tokens::Source;
use crate::element::{Element, ElementType};
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::shape::Shape;
use crate::slot::Slot;

/// WGSL of yours that an operation applies to every value that it loads or stores: a window, a
/// filter, a conversion, log-magnitudes. It becomes part of the operation's own kernel, so that it
/// costs no pass over the data.
///
/// ```
/// use wgpu_fft::{Fragment, fft};
///
/// // The spectrum of a picture of bytes, windowed along its rows, as decibels.
/// let window = Fragment::new("vec2(f32(value) / 255.0 * hann(i1, n1), 0.0)").functions(
///     "fn hann(i: u32, n: u32) -> f32 {
///          return 0.5 - 0.5 * cos(6.2831853 * f32(i) / f32(n));
///      }",
/// );
/// let decibels = Fragment::new("10.0 * log(max(dot(value, value), 1e-20)) / log(10.0)");
/// let spec = fft::C2c::forward([480, 640]).map_input::<u8>(window)?.map_output::<f32>(decibels)?;
///
/// let error = fft::C2c::forward(480).map_output::<f32>(Fragment::new("length(value) * gain")).unwrap_err();
/// assert!(error.to_string().contains("line 1, column 17: no definition in scope for identifier: `gain`"), "{error}");
/// # Ok::<(), wgpu_fft::Error>(())
/// ```
///
/// # What it can use
/// A fragment is one expression. It may use these names, and functions that you add with
/// [`functions`](Self::functions):
///
/// | name | type | what it is |
/// |---|---|---|
/// | `value` | see [`Readable`] and [`Writable`] | the value that is loaded from the input, or the result that is to be stored |
/// | `i0`, `i1`, `i2`, … | `u32` | the element's index on each axis of the array, slowest axis first; of a reduction's result, 0 on the axes that are reduced |
/// | `batch` | `u32` | which array of the batch |
/// | `n0`, `n1`, `n2`, … | `u32` | the length of each axis; of an FFT that is the length of the transform, also where a half-spectrum or a part of the axis is stored |
/// | `k0`, `k1`, `k2`, … | `i32` | of spectra: the signed frequency, 0, 1, …, -2, -1, in cycles per length of the axis |
/// | `f0`, `f1`, `f2`, … | `f32` | of spectra: the same in cycles per sample, k/n, as NumPy's `fftfreq` |
///
/// On the input of a forward FFT and on the output of an inverse one there are positions, on the
/// other side there are frequencies. On a transposed output the axes keep their numbers: `i0` is
/// the index on the transform's axis 0.
///
/// # Arrays of your own
/// [`array`](Self::array) and [`uniform`](Self::uniform) declare arrays and uniforms that you bind
/// when the plan is encoded, with [`With`](crate::With). An array is read by
/// `name[index]`. An index past its end reads its last element.
///
/// # Textures
/// [`texels`](Self::texels) says that the input or the output itself is a texture.
///
/// # What is checked
/// A fragment is checked when it is given to a specification, before any device sees it. An error
/// names the line and the column in your text. What a fragment does is proven on what a compiler
/// makes of the text that kernels contain, where every name is resolved. The checks refuse
/// - what is not valid WGSL of the right type; barriers, atomics, calls that read textures,
///   derivatives, subgroup operations; variables outside of functions; names that begin with
///   `wgpu_fft_`;
/// - loops that do not count up to a constant, as `for (var i = 0u; i < 8u; i++)` does, and loops
///   whose counter is changed in another way. All loops of one call together take at most 65,536
///   turns: those in a row are added, those within one another multiplied, also in functions that
///   are called;
/// - more than 4096 calls of functions in the text, where each function that is called counts with
///   its own calls; more than 1,048,576 calls that are made, in loops as often as they turn;
/// - values of more than 8192 bytes, and more bytes than that in all variables of a function; more
///   than 65,536 bytes in arrays of all functions, as often as they are called; lengths of arrays
///   other than numbers and constants with `+`, `*`, `/` and `%`;
/// - more than 65,536 bytes or 8192 tokens of text, 512 tokens of a statement, 32 brackets within
///   one another, 64 `else`;
/// - outside of comments, all characters but printable ASCII, spaces, tabs and the line ends `\n`
///   and `\r\n`; in comments, what some compiler takes for the end of a line.
///
/// A fragment can write nothing but its result. Your names cannot collide with those of the kernel,
/// which your text cannot see.
///
/// Kernels of FFTs run without wgpu's bounds checks, since every index in them is proven to be
/// valid. Indices into arrays that you declare with [`array`](Self::array) are checked one by one.
/// If your functions index a local array, vector or constant with a value that is not constant, or
/// if the input or the output is a texture, the whole kernel is compiled with wgpu's checks.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub struct Fragment {
    pub(super) expression: Arc<str>,
    pub(super) functions: Arc<str>,
    pub(super) arrays: Vec<Declared>,
    /// The texture that is its input or output, if that is one.
    pub(super) picture: Option<Box<Picture>>,
}

impl Fragment {
    /// The WGSL functions `srgb_encoded(linear: vec3<f32>) -> vec3<f32>` and
    /// `srgb_decoded(stored: vec3<f32>) -> vec3<f32>`, for [`functions`](Self::functions): what a
    /// texture of an sRGB format stores for numbers from 0 to 1, and back, as IEC 61966-2-1 has it.
    ///
    /// ```
    /// use wgpu_fft::{Fragment, Texel, fft::C2r, wgpu::TextureFormat};
    ///
    /// // A texture with the view format `Rgba8UnormSrgb`, which a render pass samples as linear.
    /// let grey = Fragment::new("vec4(srgb_encoded(vec3(value)), 1.0)").functions(Fragment::SRGB);
    /// let spec = C2r::inverse([480, 640]).map_output::<Texel>(grey.texels(TextureFormat::Rgba8Unorm, [480, 640]))?;
    /// # Ok::<(), wgpu_fft::Error>(())
    /// ```
    pub const SRGB: &'static str = "\
fn srgb_encoded(linear: vec3<f32>) -> vec3<f32> {
    let value = clamp(linear, vec3(0.0), vec3(1.0));
    return select(1.055 * pow(value, vec3(1.0 / 2.4)) - 0.055, 12.92 * value, value <= vec3(0.0031308));
}

fn srgb_decoded(stored: vec3<f32>) -> vec3<f32> {
    return select(pow((stored + 0.055) / 1.055, vec3(2.4)), stored / 12.92, stored <= vec3(0.04045));
}
";

    /// A fragment of one WGSL expression, which may use the names above.
    pub fn new(expression: impl Into<Arc<str>>) -> Self {
        Self { expression: expression.into(), functions: "".into(), arrays: Vec::new(), picture: None }
    }

    /// Adds WGSL functions, constants, structures and aliases that the expression may use. They see
    /// each other and your arrays and uniforms. Indices and lengths are passed to them as
    /// arguments. A second call replaces the first.
    pub fn functions(mut self, wgsl: impl Into<Arc<str>>) -> Self {
        self.functions = wgsl.into();
        self
    }

    /// Declares an array of `len` elements, to be read by `name[index]`.
    pub fn array<T: Readable>(self, name: impl Into<Arc<str>>, len: usize) -> Self {
        self.declare(name, DeclaredKind::Array { form: T::FORM, element: T::NAME, len }, None)
    }

    fn declare(mut self, name: impl Into<Arc<str>>, kind: DeclaredKind, slot: Option<Slot>) -> Self {
        self.arrays.push(Declared { name: name.into(), kind, slot });
        self
    }

    /// Declares an array, as [`array`](Self::array) does, of elements of a type that is known only
    /// when the program runs.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a type that no fragment can read.
    pub fn array_of(self, name: impl Into<Arc<str>>, element: ElementType, len: usize) -> Result<Self> {
        let form = readable(element)?;
        Ok(self.declare(name, DeclaredKind::Array { form, element: element.name(), len }, None))
    }

    /// Declares an array that is one of the program's, or else of the caller.
    #[cfg(feature = "signal")]
    pub(crate) fn slot<T: Readable>(self, name: &str, len: usize, slot: Option<Slot>) -> Self {
        self.declare(name, DeclaredKind::Array { form: T::FORM, element: T::NAME, len }, slot)
    }

    /// This fragment on what another one makes of the value. No name may be in both of them.
    #[cfg(feature = "signal")]
    pub(crate) fn after(mut self, first: &Self) -> Self {
        // A line of its own, since a comment may come last.
        let value = format!("(\n{}\n)", first.expression);
        self.expression = renamed(&self.expression, &|word| (word == "value").then(|| value.clone())).into();
        self.functions = format!("{}\n{}", first.functions, self.functions).into();
        self.arrays = first.arrays.iter().cloned().chain(self.arrays).collect();
        self.picture = self.picture.or_else(|| first.picture.clone());
        self
    }

    /// The same with other numbers for its axes.
    #[cfg(feature = "signal")]
    pub(crate) fn with_axes(mut self, number: impl Fn(usize) -> usize) -> Self {
        let name = |word: &str| {
            let (kind, axis) = word.split_at_checked(1).filter(|(kind, _)| ["i", "n", "k", "f"].contains(kind))?;
            (0..4).find(|own| own.to_string() == axis).map(|axis| format!("{kind}{}", number(axis)))
        };
        self.expression = renamed(&self.expression, &name).into();
        self
    }

    /// Whether a name may be in it.
    #[cfg(feature = "signal")]
    pub(crate) fn mentions(&self, name: &str) -> bool {
        self.expression.contains(name) || self.functions.contains(name) || self.arrays.iter().any(|own| own.name.contains(name))
    }

    /// Says that the array at this place is a texture of such a format and size, slowest axis
    /// first: `[rows, columns]`, or `[layers, rows, columns]` for layers of an array. The element
    /// type is [`Texel`](crate::Texel); texel \[r, c\] is element r·columns + c, whose channels are
    /// in `value`.
    ///
    /// ```
    /// use wgpu_fft::{Fragment, Texel, fft, wgpu::TextureFormat};
    ///
    /// // The spectrum of the luminance of a rendered frame, and its decibels as a grey picture.
    /// let luminance = Fragment::new("dot(value.rgb, vec3(0.2126, 0.7152, 0.0722))").texels(TextureFormat::Rgba8UnormSrgb, [480, 640]);
    /// let grey = Fragment::new("vec4(vec3(0.1 * log(1.0 + length(value))), 1.0)").texels(TextureFormat::Rgba8Unorm, [480, 321]);
    /// let spec = fft::R2c::forward([480, 640]).map_input::<Texel>(luminance)?.map_output::<Texel>(grey)?;
    /// # Ok::<(), wgpu_fft::Error>(())
    /// ```
    ///
    /// Plans take the texture where they take an array, as
    /// [`TextureLevel`](crate::plan::TextureLevel) says. Nothing is copied: kernels load the texels
    /// they need by `textureLoad`, without filtering, and store their results by `textureStore`.
    ///
    /// # Values
    /// They are those of WGSL: numbers from 0 to 1 of formats with `Unorm`, and from -1 to 1 of
    /// those with `Snorm`. **sRGB**: texels of a format with `Srgb` are decoded when they are
    /// loaded, so that `value` is linear. With the format of the same name without it, `value` is
    /// what is stored. Nothing stores to sRGB formats: store to the same format without it, encoded
    /// by [`SRGB`](Self::SRGB).
    ///
    /// # Sizes
    /// The texture must have as many texels as the array has elements, and each row of the array
    /// must lie in one of its rows: another size is refused when it is planned, and a texture of
    /// another size when it is bound. So no coordinate leaves the texture, unless the texture is
    /// one of another `wgpu::Instance`, see [`TextureLevel`](crate::plan::TextureLevel). A
    /// [`Layout`](crate::Layout) that is [`within`](crate::Layout::within) all texels makes a part
    /// of a texture the array.
    pub fn texels(mut self, format: wgpu::TextureFormat, size: impl Into<Shape>) -> Self {
        self.picture = Some(Box::new(Picture { format, size: size.into(), volume: false }));
        self
    }

    /// The same for a texture of three dimensions, `[depth, rows, columns]`.
    pub fn volume(mut self, format: wgpu::TextureFormat, size: impl Into<Shape>) -> Self {
        self.picture = Some(Box::new(Picture { format, size: size.into(), volume: true }));
        self
    }

    /// Declares a uniform of a WGSL type: `f32`, `vec4<f32>`, `mat3x3<f32>`, or a structure in
    /// [`functions`](Self::functions). The Rust type must have as many bytes as the WGSL type.
    ///
    /// ```
    /// # use wgpu_fft::{Complex32, Fragment, fft};
    /// let scaled = Fragment::new("value * settings.gain[0]")
    ///     .functions("struct Settings { gain: vec4<f32> }")
    ///     .uniform::<[f32; 4]>("settings", "Settings");
    /// let spec = fft::C2c::forward(1024).map_input::<Complex32>(scaled)?;
    /// # Ok::<(), wgpu_fft::Error>(())
    /// ```
    pub fn uniform<T: Element>(self, name: impl Into<Arc<str>>, wgsl_type: impl Into<Arc<str>>) -> Self {
        self.uniform_of(name, wgsl_type, ElementType::of::<T>())
    }

    /// Declares a uniform, as [`uniform`](Self::uniform) does, of a type that is known only when
    /// the program runs.
    pub fn uniform_of(self, name: impl Into<Arc<str>>, wgsl_type: impl Into<Arc<str>>, element: ElementType) -> Self {
        let kind = DeclaredKind::Uniform { wgsl: wgsl_type.into(), element: element.name(), bytes: element.bytes() };
        self.declare(name, kind, None)
    }
}

/// The expression and what it uses, on one line.
impl fmt::Display for Fragment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        write!(f, "`{}`", one_line(&self.expression))?;
        if !self.functions.is_empty() {
            // A line comment would swallow what follows it on one line.
            let functions = Source::new(&self.functions).map_or_else(|_| self.functions.to_string(), |source| source.text);
            write!(f, " where `{}`", one_line(&functions))?;
        }
        if let Some(picture) = &self.picture {
            write!(f, " of {picture}")?;
        }
        for Declared { name, kind, .. } in &self.arrays {
            match kind {
                DeclaredKind::Array { element, len, .. } => write!(f, ", {name}: {len} {element}")?,
                DeclaredKind::Uniform { wgsl, .. } => write!(f, ", {name}: {wgsl}")?,
            }
        }
        Ok(())
    }
}
