//! Textures in place of arrays: what a caller gives, and whether it is what a plan takes.

use std::fmt;
use std::marker::PhantomData;

use super::Program;
use crate::error::{Error, Result, within};
use crate::fragment::{Texel, Texels, format_name};
use crate::gpu::{AnyView, Gpu, IntoView, foreign, without_panic, without_panic_of_others};
use crate::kernels::Slot;

/// A mip level of a texture, or a layer of one, as the input or the output of a plan. Level 0 and
/// layer 0 of a texture can be given as the texture itself, `&texture`.
///
/// ```no_run
/// use wgpu_fft::plan::TextureLevel;
/// use wgpu_fft::{Complex32, DeviceBuffer, Plan, Texel, fft::R2c, wgpu};
///
/// # fn f(plan: &Plan<R2c<Texel>>, encoder: &mut wgpu::CommandEncoder, frame: &wgpu::Texture, y: &DeviceBuffer<Complex32>) -> wgpu_fft::Result<()> {
/// plan.encode(encoder, frame, y)?;
/// plan.encode(encoder, TextureLevel::of(frame).mip_level(1).layer(2), y)?;
/// # Ok(())
/// # }
/// ```
///
/// The texture must have the usage `TEXTURE_BINDING` as an input and `STORAGE_BINDING` as an
/// output, one sample, and at this level the size that the plan's fragment says. Its format is the
/// fragment's; or the format differs from it in `-srgb` alone, and the texture was made with the
/// fragment's format among its `view_formats`. A plan of several layers takes as many from this
/// layer on.
///
/// Input and output may be two levels or two layers of one texture.
///
/// Through OpenGL, a texture has the fragment's format, and layers are loaded from all together.
///
/// A texture of another device is refused with [`Error::ForeignObject`]. One of another
/// `wgpu::Instance` cannot always be told from the device's own, see [`Gpu::from_wgpu`]: then
/// another texture is read or written, of any size, but no memory outside of it.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct TextureLevel<'a> {
    texture: &'a wgpu::Texture,
    level: u32,
    layer: u32,
}

impl<'a> TextureLevel<'a> {
    /// Level 0 of a texture, from layer 0 on.
    pub fn of(texture: &'a wgpu::Texture) -> Self {
        Self { texture, level: 0, layer: 0 }
    }

    /// Another mip level.
    pub fn mip_level(self, level: u32) -> Self {
        Self { level, ..self }
    }

    /// Another layer of an array, or the first of several.
    pub fn layer(self, layer: u32) -> Self {
        Self { layer, ..self }
    }

    /// The view that a plan binds, after checking the texture.
    fn view(&self, argument: &'static str, texels: Texels, loads: bool, gpu: &Gpu) -> Result<wgpu::TextureView> {
        let Self { texture, level, layer } = *self;
        let usage = if loads { wgpu::TextureUsages::TEXTURE_BINDING } else { wgpu::TextureUsages::STORAGE_BINDING };
        let [width, height, layers] = texels.extents();
        let dimension = texels.view_dimension();
        let size = texture.size();
        let (volume, count) = match dimension {
            wgpu::TextureViewDimension::D3 => (true, 1),
            wgpu::TextureViewDimension::D2Array => (false, layers),
            _ => (false, 1),
        };
        let own_dimension = if volume { wgpu::TextureDimension::D3 } else { wgpu::TextureDimension::D2 };
        let at_level = |extent: u32| extent.checked_shr(level).unwrap_or(0).max(1);
        let fits = texture.dimension() == own_dimension
            && texture.format().remove_srgb_suffix() == texels.format().remove_srgb_suffix()
            && level < texture.mip_level_count()
            && [at_level(size.width), at_level(size.height)] == [width, height]
            && if volume {
                at_level(size.depth_or_array_layers) == layers && layer == 0
            } else {
                layer.checked_add(count).is_some_and(|end| end <= size.depth_or_array_layers)
            }
            && texture.sample_count() == 1
            && texture.usage().contains(usage);
        if !fits {
            return Err(Error::WrongTexture {
                argument,
                expected: format!("a texture of {texels} with the usage {usage:?}"),
                actual: self.to_string(),
            });
        }
        self.check_gl(argument, texels, loads, gpu)?;
        let view = || {
            texture.create_view(&wgpu::TextureViewDescriptor {
                label: Some(argument),
                format: Some(texels.format()),
                dimension: Some(dimension),
                usage: Some(usage),
                aspect: wgpu::TextureAspect::All,
                base_mip_level: level,
                mip_level_count: Some(1),
                base_array_layer: layer,
                array_layer_count: Some(count),
            })
        };
        let made = without_panic_of_others(|| gpu.caught("a view of a texture", 0, view)).unwrap_or_else(|why| Err(foreign(argument, why)));
        made.map_err(|error| match error {
            Error::Wgpu { source, .. } if texture.format() != texels.format() => {
                let expected = format!("a texture made with {} among its `view_formats`", format_name(texels.format()));
                Error::WrongTexture { argument, expected, actual: format!("{self}, of which wgpu says: {source}") }
            }
            other => other,
        })
    }

    /// Refuses what wgpu's backend for OpenGL takes and does not do: views see textures whole, in
    /// their own format.
    fn check_gl(&self, argument: &'static str, texels: Texels, loads: bool, gpu: &Gpu) -> Result<()> {
        let is_layer = texels.view_dimension() == wgpu::TextureViewDimension::D2 && self.texture.size().depth_or_array_layers > 1;
        let why = if loads && (is_layer || self.layer > 0) {
            "through OpenGL, layers of a texture are loaded from all together or not at all"
        } else if self.texture.format() != texels.format() {
            "through OpenGL, a texture has no other format than its own"
        } else {
            return Ok(());
        };
        // Asked last, since the answer is made of many texts.
        if gpu.device().adapter_info().backend != wgpu::Backend::Gl {
            return Ok(());
        }
        Err(Error::Unsupported { what: format!("a texture of {texels} as the {argument}, got {self}"), why: why.to_owned() })
    }

    /// Whether two ends are of one texture's texels.
    fn overlaps(&self, layers: u32, other: &Self, other_layers: u32) -> bool {
        let begins = |first: &Self, layers: u32, second: &Self| first.layer <= second.layer && second.layer - first.layer < layers;
        self.texture == other.texture && self.level == other.level && (begins(self, layers, other) || begins(other, other_layers, self))
    }
}

impl fmt::Display for TextureLevel<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texture = self.texture;
        let wgpu::Extent3d { width, height, depth_or_array_layers: layers } = texture.size();
        let layers_or_depth = if texture.dimension() == wgpu::TextureDimension::D3 { "depth" } else { "layers" };
        write!(f, "level {} and layer {} of a texture of {} ", self.level, self.layer, format_name(texture.format()))?;
        write!(f, "{height}x{width} with {} levels, {layers} {layers_or_depth}", texture.mip_level_count())?;
        write!(f, ", {} samples and the usage {:?}", texture.sample_count(), texture.usage())
    }
}

impl<'a> From<&'a wgpu::Texture> for TextureLevel<'a> {
    fn from(texture: &'a wgpu::Texture) -> Self {
        Self::of(texture)
    }
}

/// An input or an output on the device: an array in a buffer, or a texture.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Given<'a> {
    View(AnyView<'a>),
    Texture(TextureLevel<'a>),
}

impl<'a> From<AnyView<'a>> for Given<'a> {
    fn from(view: AnyView<'a>) -> Self {
        Self::View(view)
    }
}

impl<'a> From<TextureLevel<'a>> for Given<'a> {
    fn from(texture: TextureLevel<'a>) -> Self {
        Self::Texture(texture)
    }
}

/// What stands at a slot when a plan is bound.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Resource<'a> {
    /// A buffer, and the first byte in it.
    Buffer(&'a wgpu::Buffer, u64),
    View(&'a wgpu::TextureView),
}

impl<'a> From<(&'a wgpu::Buffer, u64)> for Resource<'a> {
    fn from((buffer, offset): (&'a wgpu::Buffer, u64)) -> Self {
        Self::Buffer(buffer, offset)
    }
}

impl Texels {
    /// What is bound: a texture that is loaded from, or stored to.
    pub(super) fn binding_type(&self, loads: bool) -> wgpu::BindingType {
        let view_dimension = self.view_dimension();
        if loads {
            wgpu::BindingType::Texture { sample_type: self.sample_type(), view_dimension, multisampled: false }
        } else {
            wgpu::BindingType::StorageTexture { access: wgpu::StorageTextureAccess::WriteOnly, format: self.format(), view_dimension }
        }
    }

    /// Refuses a texture that is larger than those of a device.
    pub(super) fn check_limits(&self, title: &str, limits: &wgpu::Limits) -> Result<()> {
        let [width, height, layers] = self.extents();
        let (plane, volume) = (limits.max_texture_dimension_2d, limits.max_texture_dimension_3d);
        let (limit, required, available) = match self.view_dimension() {
            wgpu::TextureViewDimension::D3 => ("max_texture_dimension_3d", width.max(height).max(layers), volume),
            _ if width.max(height) > plane => ("max_texture_dimension_2d", width.max(height), plane),
            _ => ("max_texture_array_layers", layers, limits.max_texture_array_layers),
        };
        within(|| format!("`{title}`: a texture of {self}"), limit, required.into(), available.into())
    }

    /// Refuses a format that textures of a device with these features cannot have for this use. A
    /// device with `TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES` says itself what it can.
    pub(super) fn check_device(&self, title: &str, loads: bool, features: wgpu::Features) -> Result<()> {
        let required = self.format().required_features();
        let usages = self.format().guaranteed_format_features(features).allowed_usages;
        let (usage, more) = if loads {
            (wgpu::TextureUsages::TEXTURE_BINDING, wgpu::Features::empty())
        } else {
            (wgpu::TextureUsages::STORAGE_BINDING, wgpu::Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES)
        };
        if features.contains(required) && (usages.contains(usage) || features.intersects(more)) {
            return Ok(());
        }
        let why = match (required.is_empty(), self.format()) {
            (false, _) => format!("the device was opened without the feature {required:?}"),
            (_, wgpu::TextureFormat::Bgra8Unorm) => "the device was opened without the feature BGRA8UNORM_STORAGE".to_owned(),
            _ => format!(
                "the usage {usage:?} is promised for r32, rg32, rgba8, rgba16 and rgba32 without `-srgb`; devices with the feature {more:?} may have it \
                 for others"
            ),
        };
        Err(Error::Unsupported { what: format!("a texture of {self} as an {} of `{title}`", if loads { "input" } else { "output" }), why })
    }
}

/// An array or a texture of zeros for a run that nobody reads.
pub(super) enum Placeholder {
    Array(wgpu::Buffer),
    Texture(wgpu::TextureView),
}

impl Placeholder {
    pub fn new(gpu: &Gpu, program: &Program, slot: Slot) -> Result<Self> {
        let Some(texels) = program.texels(slot) else {
            return Ok(Self::Array(gpu.create_buffer("array", program.bytes(slot), wgpu::BufferUsages::STORAGE)?));
        };
        let is_output = slot == Slot::Output;
        let is_volume = texels.view_dimension() == wgpu::TextureViewDimension::D3;
        let [width, height, depth_or_array_layers] = texels.extents();
        let make = || {
            gpu.device().create_texture(&wgpu::TextureDescriptor {
                label: Some("texture"),
                size: wgpu::Extent3d { width, height, depth_or_array_layers },
                mip_level_count: 1,
                sample_count: 1,
                dimension: if is_volume { wgpu::TextureDimension::D3 } else { wgpu::TextureDimension::D2 },
                format: texels.format(),
                usage: if is_output { wgpu::TextureUsages::STORAGE_BINDING } else { wgpu::TextureUsages::TEXTURE_BINDING },
                view_formats: &[],
            })
        };
        let texture = gpu.caught("a texture", texels.len() as u64, make)?;
        Ok(Self::Texture(TextureLevel::of(&texture).view("texture", texels, !is_output, gpu)?))
    }

    pub fn resource(&self) -> Resource<'_> {
        match self {
            Self::Array(buffer) => Resource::Buffer(buffer, 0),
            Self::Texture(view) => Resource::View(view),
        }
    }
}

/// What is given for a slot, after checking its kind.
pub(super) enum Checked<'a> {
    View(AnyView<'a>),
    Texture(TextureLevel<'a>, Texels, wgpu::TextureView),
}

impl<'a> Given<'a> {
    /// The view of the texture that stands here, if the program takes one; or the array, to be
    /// checked as such.
    pub(super) fn checked(&self, argument: &'static str, program: &Program, slot: Slot, gpu: &Gpu) -> Result<Checked<'a>> {
        match (*self, program.texels(slot)) {
            (Self::View(view), None) => Ok(Checked::View(view)),
            (Self::Texture(level), Some(texels)) => {
                let view = level.view(argument, texels, slot != Slot::Output, gpu)?;
                Ok(Checked::Texture(level, texels, view))
            }
            (Self::View(view), Some(texels)) => {
                let actual = format!("an array of {} elements in a buffer", view.elements());
                Err(Error::WrongTexture { argument, expected: format!("a texture of {texels}"), actual })
            }
            (Self::Texture(level), None) => {
                let expected = format!("an array of {} elements in a buffer", program.end(slot).len);
                Err(Error::WrongTexture { argument, expected, actual: level.to_string() })
            }
        }
    }
}

impl Checked<'_> {
    /// What is bound.
    pub fn resource(&self) -> Resource<'_> {
        match self {
            Self::View(view) => view.place().into(),
            Self::Texture(_, _, view) => Resource::View(view),
        }
    }

    /// The buffer of an array.
    pub fn buffer(&self) -> Option<&wgpu::Buffer> {
        if let Self::View(view) = self { Some(view.place().0) } else { None }
    }

    /// Asks wgpu, after an error, whether it is for this texture, by a bind group of it alone:
    /// right in all else, it is another device's.
    pub fn check_device(&self, argument: &'static str, gpu: &Gpu) -> Result<()> {
        let Self::Texture(_, texels, view) = self else { return Ok(()) };
        let ask = || {
            let (binding, visibility) = (0, wgpu::ShaderStages::COMPUTE);
            let ty = texels.binding_type(argument != "output");
            let entries = [wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None }];
            let layout =
                &gpu.device().create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(argument), entries: &entries });
            let entries = [wgpu::BindGroupEntry { binding, resource: wgpu::BindingResource::TextureView(view) }];
            drop(gpu.device().create_bind_group(&wgpu::BindGroupDescriptor { label: Some(argument), layout, entries: &entries }));
        };
        let asked = without_panic(|| gpu.caught("looking for a texture", 0, ask)).unwrap_or_else(|why| Err(foreign(argument, why)));
        asked.map_err(|error| match error {
            Error::Wgpu { source, .. } => foreign(argument, format!("wgpu says of the texture: {source}")),
            other => other,
        })
    }

    /// Refuses an output that is the input's texture.
    pub fn check_apart(&self, argument: &'static str, output: &Self) -> Result<()> {
        let layers = |texels: &Texels| if texels.view_dimension() == wgpu::TextureViewDimension::D2Array { texels.extents()[2] } else { 1 };
        match (self, output) {
            (Self::Texture(own, own_texels, _), Self::Texture(other, other_texels, _))
                if own.overlaps(layers(own_texels), other, layers(other_texels)) =>
            {
                let expected = format!("other texels than those of the {argument}");
                Err(Error::WrongTexture { argument: "output", expected, actual: other.to_string() })
            }
            _ => Ok(()),
        }
    }
}

/// What a plan writes on the device: an array in a buffer ([`IntoView`]), or of a plan whose output
/// are [`Texel`]s a texture: `&wgpu::Texture` or a [`TextureLevel`]. Types of yours implement
/// [`IntoView`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an array of `{T}` on the device",
    label = "expected a `View` or a `&DeviceBuffer` of `{T}`, or for `Texel` a `&wgpu::Texture`",
    note = "of a `wgpu::Buffer`, pass the view `View::whole(&buffer)?` or `View::new(&buffer, offset_bytes, len)?`"
)]
pub trait IntoOutput<'a, T> {
    #[doc(hidden)]
    fn into_output(self) -> Output<'a, T>;
}

/// The output of a plan on the device.
#[derive(Clone, Copy, Debug)]
pub struct Output<'a, T> {
    pub(super) given: Given<'a>,
    element: PhantomData<T>,
}

impl<'a, T, V: IntoView<'a, T>> IntoOutput<'a, T> for V {
    fn into_output(self) -> Output<'a, T> {
        Output { given: self.into_view().any().into(), element: PhantomData }
    }
}

impl<'a> IntoOutput<'a, Texel> for TextureLevel<'a> {
    fn into_output(self) -> Output<'a, Texel> {
        Output { given: self.into(), element: PhantomData }
    }
}

impl<'a> IntoOutput<'a, Texel> for &'a wgpu::Texture {
    fn into_output(self) -> Output<'a, Texel> {
        TextureLevel::of(self).into_output()
    }
}
