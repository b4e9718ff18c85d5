//! Textures as inputs and outputs: what their texels are, and how kernels load and store them.

use std::fmt;

use crate::error::{Error, Result};
use crate::layout::Placed;
use crate::shape::Shape;
use crate::text::join;
use crate::wgsl::{Body, Expr, Scalar, Type, call, construct, vec4, zero};

/// The element of an input or an output that is a texture: `map_input::<Texel>` and
/// `map_output::<Texel>`, with a fragment that says which texture it is by
/// [`Fragment::texels`](crate::Fragment::texels).
///
/// It is a name for types, and no data: the host has none, and there are no buffers of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct Texel(u8);

impl crate::Element for Texel {
    const NAME: &'static str = "texel";
}

/// What a caller says of a texture.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Picture {
    pub format: wgpu::TextureFormat,
    pub size: Shape,
    pub volume: bool,
}

/// The dimension of a texture's view.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Dimension {
    Plane,
    Layers,
    Volume,
}

/// A texture that kernels see as a dense, row-major array of texels.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Texels {
    format: wgpu::TextureFormat,
    dimension: Dimension,
    /// Width, height, and layers or depth.
    extents: [u32; 3],
}

macro_rules! formats {
    ($($format:ident)*) => {
        /// The uncompressed formats for colours.
        const FORMATS: &[wgpu::TextureFormat] = &[$(wgpu::TextureFormat::$format),*];
    };
}

formats! {
    R8Unorm R8Snorm R8Uint R8Sint R16Uint R16Sint R16Float R16Unorm R16Snorm Rg8Unorm Rg8Snorm Rg8Uint Rg8Sint
    R32Uint R32Sint R32Float Rg16Uint Rg16Sint Rg16Float Rg16Unorm Rg16Snorm Rgba8Unorm Rgba8UnormSrgb Rgba8Snorm Rgba8Uint Rgba8Sint
    Bgra8Unorm Bgra8UnormSrgb Rgb10a2Uint Rgb10a2Unorm Rg11b10Ufloat Rgb9e5Ufloat Rg32Uint Rg32Sint Rg32Float
    Rgba16Uint Rgba16Sint Rgba16Float Rgba16Unorm Rgba16Snorm Rgba32Uint Rgba32Sint Rgba32Float
}

/// The format of a texture with this name in WebGPU, such as `rgba8unorm`, if plans take textures
/// of it, see [`Fragment::texels`](crate::Fragment::texels).
#[must_use]
pub fn format_named(name: &str) -> Option<wgpu::TextureFormat> {
    FORMATS.iter().copied().find(|format| format_name(*format) == name)
}

/// The name of a format in WebGPU. Of those that no plan takes, wgpu's.
pub(crate) fn format_name(format: wgpu::TextureFormat) -> String {
    let name = format!("{format:?}");
    if FORMATS.contains(&format) { name.to_lowercase().replace("srgb", "-srgb") } else { name }
}

/// Whether WGSL can name a format in a texture that is stored to.
fn is_stored_to(format: wgpu::TextureFormat) -> bool {
    !format.is_srgb() && format != wgpu::TextureFormat::Rgb9e5Ufloat
}

impl fmt::Display for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let volume = if self.volume { " volume" } else { "" };
        write!(f, "{} {}{volume}", format_name(self.format), join(self.size.extents(), "x"))
    }
}

impl Picture {
    /// The texture, if kernels can load its texels, or store them.
    pub fn texels(&self, loads: bool) -> Result<Texels> {
        let name = || format!("a texture of {self}");
        let unsupported = |why: &str| Error::Unsupported { what: name(), why: why.to_owned() };
        if !FORMATS.contains(&self.format) {
            return Err(unsupported("textures of plans have one of the uncompressed formats for colours"));
        }
        if !loads && !is_stored_to(self.format) {
            let why = if self.format.is_srgb() {
                "no shader stores to an sRGB format: say the same format without `-srgb` here, make the texture with that format and with the \
                 sRGB one among its `view_formats`, and let the fragment encode, as `srgb_encoded` of `Fragment::SRGB` does"
            } else {
                "no shader stores to this format"
            };
            return Err(unsupported(why));
        }
        self.size.elements("texture", 1)?;
        let dimension = match (self.size.given(), self.volume) {
            (3, true) => Dimension::Volume,
            (1 | 2, false) => Dimension::Plane,
            (3, false) => Dimension::Layers,
            (_, true) => return Err(unsupported("a volume has three extents: depth, rows and columns")),
            _ => return Err(unsupported("a texture has rows and columns, and maybe layers before them")),
        };
        let mut extents = [1; 3];
        self.size.extents().iter().rev().zip(&mut extents).for_each(|(&given, own)| *own = given as u32);
        Ok(Texels { format: self.format, dimension, extents })
    }
}

impl Texels {
    /// How its texels are stored.
    #[must_use]
    pub fn format(&self) -> wgpu::TextureFormat {
        self.format
    }

    /// Width, height, and layers or depth.
    #[must_use]
    pub fn extents(&self) -> [u32; 3] {
        self.extents
    }

    /// The number of texels.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        self.extents.iter().map(|&extent| extent as usize).product()
    }

    /// Bytes of its texels.
    pub(crate) fn bytes(&self) -> u64 {
        self.len() as u64 * u64::from(self.format.block_copy_size(None).unwrap_or(4))
    }

    /// The dimension of the view that is bound.
    #[must_use]
    pub fn view_dimension(&self) -> wgpu::TextureViewDimension {
        match self.dimension {
            Dimension::Plane => wgpu::TextureViewDimension::D2,
            Dimension::Layers => wgpu::TextureViewDimension::D2Array,
            Dimension::Volume => wgpu::TextureViewDimension::D3,
        }
    }

    /// The numbers of a texel's value.
    pub(super) fn channels(&self) -> (u32, Scalar) {
        let scalar = match self.sample_type() {
            wgpu::TextureSampleType::Uint => Scalar::U32,
            wgpu::TextureSampleType::Sint => Scalar::I32,
            _ => Scalar::F32,
        };
        (self.format.components().into(), scalar)
    }

    /// What shaders sample.
    #[must_use]
    pub fn sample_type(&self) -> wgpu::TextureSampleType {
        match self.format.sample_type(None, None) {
            Some(integers @ (wgpu::TextureSampleType::Uint | wgpu::TextureSampleType::Sint)) => integers,
            // Texels are loaded one by one and not filtered, so that formats of 32 bits are taken
            // too.
            _ => wgpu::TextureSampleType::Float { filterable: false },
        }
    }

    /// The type of the binding in WGSL.
    pub(crate) fn wgsl(&self, loads: bool) -> Type {
        let (name, (_, scalar)) = (format_name(self.format), self.channels());
        let dimension = match self.dimension {
            Dimension::Plane => "2d",
            Dimension::Layers => "2d_array",
            Dimension::Volume => "3d",
        };
        Type::Texture(
            if loads { format!("texture_{dimension}<{scalar}>") } else { format!("texture_storage_{dimension}<{name}, write>") }.into(),
        )
    }

    /// The coordinates of texel i, and the layer if there are several.
    fn coordinates(&self, body: &mut Body, i: &Expr) -> Vec<Expr> {
        let [width, height, layers] = self.extents;
        let (x, row) = if height * layers == 1 { (i.clone(), 0.into()) } else { (i % width, body.value("row", i / width)) };
        let y = if layers == 1 { row.clone() } else { &row % height };
        let numbers = |parts: &[Expr]| construct(&Type::Vector(parts.len() as u32, Scalar::U32), parts);
        match self.dimension {
            Dimension::Plane => vec![numbers(&[x, y])],
            Dimension::Layers => vec![numbers(&[x, y]), row / height],
            Dimension::Volume => vec![numbers(&[x, y, row / height])],
        }
    }

    /// The value of texel i.
    pub(super) fn load(&self, body: &mut Body, texture: &Expr, i: &Expr) -> Expr {
        let (channels, scalar) = self.channels();
        let mut arguments = vec![texture.clone()];
        arguments.extend(self.coordinates(body, i));
        // The level of the view, which has one.
        arguments.push(0.into());
        let texel = body.value("texel", call("textureLoad", &arguments, vec4(scalar)));
        if channels == 4 { texel } else { texel.components(&"xyzw"[..channels as usize]) }
    }

    /// Stores the value of texel i.
    pub(super) fn store(&self, body: &mut Body, texture: &Expr, i: &Expr, value: &Expr) {
        let (channels, scalar) = self.channels();
        let texel = match channels {
            4 => value.clone(),
            _ => {
                // What the format has no channel for is not stored.
                let parts: Vec<Expr> = std::iter::once(value.clone()).chain((channels..4).map(|_| zero(&Type::Scalar(scalar)))).collect();
                construct(&vec4(scalar), &parts)
            }
        };
        let mut arguments = vec![texture.clone()];
        arguments.extend(self.coordinates(body, i));
        arguments.push(texel);
        body.call("textureStore", &arguments);
    }

    /// Refuses an array whose elements are not texels in rows of this texture: one of another size,
    /// or one of which a line goes on in another row. The last extent is that of the batch.
    pub(crate) fn check(&self, argument: &'static str, extents: &[u32], placed: &Placed) -> Result<()> {
        let wrong = |actual: String| Error::WrongTexture { argument, expected: actual, actual: format!("a texture of {self}") };
        if placed.span != self.len() {
            let hint = " (of a part of a texture, the layout has the texture's pitch, and is `within` all texels)";
            return Err(wrong(format!("{} texels, as the array of {} has{hint}", placed.span, join(extents, "x"))));
        }
        // Rows and layers follow from the place in the array, which is within the span.
        let [width, height, layers] = self.extents.map(u64::from);
        let along = |(&extent, &stride): (&u32, &u32)| u64::from(extent - 1) * u64::from(stride);
        let axes =
            extents.iter().zip(&placed.strides).filter(|(extent, stride)| **extent > 1 && !u64::from(**stride).is_multiple_of(width));
        let reach = u64::from(placed.offset) % width + axes.map(along).sum::<u64>();
        if height * layers > 1 && reach >= width {
            let strides = join(&placed.strides, ",");
            return Err(wrong(format!("rows as long as those of the array of {} with strides {strides}", join(extents, "x"))));
        }
        Ok(())
    }
}

/// `rgba8unorm 480x640`, or with layers `rgba8unorm 4x480x640`.
impl fmt::Display for Texels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [width, height, layers] = self.extents;
        write!(f, "{} ", format_name(self.format))?;
        match self.dimension {
            Dimension::Plane => write!(f, "{height}x{width}"),
            Dimension::Layers => write!(f, "{layers}x{height}x{width}"),
            Dimension::Volume => write!(f, "{layers}x{height}x{width} volume"),
        }
    }
}
