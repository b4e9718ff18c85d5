//! WGSL of the caller's, and what it declares, as JavaScript describes them.

use bytemuck::{Pod, Zeroable};
use js_sys::{Array, Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wgpu_fft::dynamic::format_named;
use wgpu_fft::{Element, ElementType, Fragment, Shape, Texel};

use crate::error::{Result, refused, thrown};

/// `{ code, functions?, element, arrays? }`, or with `texture: { format, size, volume? }` in place of the
/// element.
pub(crate) struct Mapped {
    pub fragment: Fragment,
    pub element: ElementType,
    /// What it declares.
    pub arrays: Vec<Declared>,
}

/// `{ element, len, uniform?, type? }` under a name.
pub(crate) struct Declared {
    pub name: String,
    pub element: ElementType,
}

/// The fragment that JavaScript describes, if it gives one.
pub(crate) fn mapped(value: &JsValue) -> Result<Option<Mapped>> {
    if value.is_undefined() || value.is_null() {
        return Ok(None);
    }
    let mut fragment = Fragment::new(required(value, "code")?);
    if let Some(functions) = text(value, "functions") {
        fragment = fragment.functions(functions);
    }
    let mut arrays = Vec::new();
    if let Ok(described) = get(value, "arrays").dyn_into::<Object>() {
        for entry in Object::entries(&described).iter() {
            let (name, array) = (Array::from(&entry).get(0).as_string().unwrap_or_default(), Array::from(&entry).get(1));
            let element = element(&array)?;
            fragment = declared(fragment, &name, element, &array)?;
            arrays.push(Declared { name, element });
        }
    }
    let picture = get(value, "texture");
    if picture.is_undefined() {
        return Ok(Some(Mapped { fragment, element: element(value)?, arrays }));
    }
    if !get(value, "element").is_undefined() {
        return Err(refused(
            "unsupported",
            "a fragment has `element` or `texture`, not both: the elements of a texture follow from its format",
        ));
    }
    let name = required(&picture, "format")?;
    let format =
        format_named(&name).ok_or_else(|| refused("unsupported", &format!("textures of the format `{name}` are no arrays of plans")))?;
    let extent =
        |own: JsValue| own.as_f64().filter(|own| *own >= 0.0 && own.fract() == 0.0 && *own <= f64::from(u32::MAX)).map(|own| own as usize);
    let size = get(&picture, "size").dyn_into::<Array>().ok().and_then(|size| size.iter().map(extent).collect::<Option<Vec<_>>>());
    let size = size.ok_or_else(|| refused("parse", "`size` of a texture must be a list of integers, rows before columns"))?;
    let size = Shape::from(size);
    let fragment = if get(&picture, "volume").is_truthy() { fragment.volume(format, size) } else { fragment.texels(format, size) };
    Ok(Some(Mapped { fragment, element: ElementType::of::<Texel>(), arrays }))
}

fn declared(fragment: Fragment, name: &str, element: ElementType, array: &JsValue) -> Result<Fragment> {
    let len = get(array, "len").as_f64().filter(|len| *len >= 1.0 && len.fract() == 0.0 && *len <= f64::from(u32::MAX));
    let len = len.ok_or_else(|| refused("wrong-length", &format!("`len` of the array `{name}` must be a positive integer")))? as usize;
    if !get(array, "uniform").is_truthy() {
        return fragment.array_of(name, element, len).map_err(|error| thrown(&error));
    }
    let numbers = len * element.bytes() / 4;
    let scalar = match element.name() {
        name if name.starts_with('i') => "i32",
        name if name.starts_with('u') => "u32",
        _ => "f32",
    };
    let own = match numbers {
        1 => scalar.to_owned(),
        2..=4 => format!("vec{numbers}<{scalar}>"),
        _ => format!("array<vec4<{scalar}>, {}>", numbers / 4),
    };
    uniform(fragment, name, text(array, "type").unwrap_or(own), len * element.bytes())
}

/// Sizes that uniforms may have, as types of Rust.
macro_rules! uniforms {
    ($($name:ident $words:literal),*) => {
        $(
            #[derive(Clone, Copy, Pod, Zeroable)]
            #[repr(C)]
            struct $name([u32; $words]);

            impl Element for $name {
                const NAME: &'static str = stringify!($name);
            }
        )*

        fn uniform(fragment: Fragment, name: &str, wgsl_type: String, bytes: usize) -> Result<Fragment> {
            match bytes {
                $(bytes if bytes == 4 * $words => Ok(fragment.uniform::<$name>(name, wgsl_type)),)*
                _ => {
                    let sizes = [$($words),*].map(|words| (4 * words).to_string()).join(", ");
                    Err(refused("unsupported", &format!("the uniform `{name}` has {bytes} bytes; it may have {sizes}")))
                }
            }
        }
    };
}

uniforms!(
    Words1 1, Words2 2, Words3 3, Words4 4, Words8 8, Words12 12, Words16 16, Words20 20, Words24 24, Words32 32, Words64 64,
    Words128 128, Words256 256
);

fn get(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap_or(JsValue::UNDEFINED)
}

fn text(object: &JsValue, name: &str) -> Option<String> {
    get(object, name).as_string()
}

fn required(object: &JsValue, name: &str) -> Result<String> {
    text(object, name).ok_or_else(|| refused("parse", &format!("`{name}` is missing, or is not a text")))
}

fn element(object: &JsValue) -> Result<ElementType> {
    required(object, "element")?.parse().map_err(|error| thrown(&error))
}
