//! Specifications in text form, independent of their types.

use std::fmt::Display;

use wgpu_fft::fft::{C2c, C2r, R2c};
use wgpu_fft::half::f16;
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::reduce::{self, Determinism, Float, Map, Real, Reduction, Value};
use wgpu_fft::transpose::Permute;
use wgpu_fft::tune::{Choice, Tunable, Tuning};
use wgpu_fft::{Complex32, DeviceProfile, Element, Error, Gpu, Shape};

/// Describes the text form of reductions.
const REDUCTIONS: &str = "a reduction looks like `sum f32 4194304` or `sum f32 1024x1024 x4 axes=1 square`. It consists of an operation: sum, product, mean, min, max, argmin, argmax, \
     sum_squares, norm, dot, vdot, max_abs_diff, any, all or count; an element type that the operation supports: f32, f16, f64, complex f32, i32 or u32; the extents; a batch; axes; \
     square or abs; across-devices";

/// Something to tune, independent of its types.
pub trait Task: Display {
    /// [`Tuning::choose`].
    fn choose(&self, tuning: &Tuning, gpu: &Gpu) -> wgpu_fft::Result<Choice<String>>;

    /// [`Tunable::fingerprint`] of a recipe in text form.
    fn fingerprint(&self, recipe: &str, profile: &DeviceProfile) -> wgpu_fft::Result<u64>;
}

impl<T: Tunable> Task for T {
    fn choose(&self, tuning: &Tuning, gpu: &Gpu) -> wgpu_fft::Result<Choice<String>> {
        Ok(tuning.choose(gpu, self)?.map(|recipe| recipe.to_string()))
    }

    fn fingerprint(&self, recipe: &str, profile: &DeviceProfile) -> wgpu_fft::Result<u64> {
        Tunable::fingerprint(self, &recipe.parse()?, profile)
    }
}

/// Parses the text form of a specification.
pub fn parse(text: &str) -> Result<Box<dyn Task>, Error> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    match words.first().copied() {
        Some("c2c") => Ok(Box::new(text.parse::<C2c>()?)),
        Some("r2c") => Ok(Box::new(text.parse::<R2c>()?)),
        Some("c2r") => Ok(Box::new(text.parse::<C2r>()?)),
        Some("transpose" | "permute") => permutation(&text, &words),
        _ => reduction(&text, &words),
    }
}

/// The name of the element type, which follows the first word, and the remaining words.
fn element<'a>(words: &'a [&'a str]) -> (String, &'a [&'a str]) {
    let count = if words.get(1) == Some(&"complex") { 2 } else { 1 };
    let rest = words.get(1..).unwrap_or_default();
    let (name, rest) = rest.split_at(count.min(rest.len()));
    (name.join(" "), rest)
}

fn wrong(text: &str, why: impl Into<String>) -> Error {
    Error::Parse { what: "specification", text: text.to_owned(), why: why.into() }
}

fn permutation(text: &str, words: &[&str]) -> Result<Box<dyn Task>, Error> {
    let (name, _) = element(words);
    let mut names: Vec<&str> = Vec::new();
    macro_rules! of {
        ($($element:ty),*) => { $(
            if name == <$element>::NAME {
                return Ok(Box::new(text.parse::<Permute<$element>>()?));
            }
            names.push(<$element>::NAME);
        )* };
    }
    of!(f32, i32, u32, Complex32, f64, i64, u64, Complex64, u8, i8, u16, i16, f16, [u8; 2], [u8; 4], [f16; 2], [f16; 4], [u16; 4]);
    of!([f32; 2], [i32; 2], [u32; 2], [f32; 4], [i32; 4], [u32; 4]);
    Err(wrong(text, format!("`{}` must be followed by the element type, one of {}", words[0], names.join(", "))))
}

/// The words of a reduction.
struct Wanted<'a> {
    operation: &'a str,
    shape: Shape,
    batch: Option<usize>,
    axes: Option<Vec<usize>>,
    map: Option<Map>,
    determinism: Determinism,
}

/// Reductions print but do not parse. So the printed form of the result must equal the text.
fn reduction(text: &str, words: &[&str]) -> Result<Box<dyn Task>, Error> {
    let unknown = || wrong(text, format!("it must begin with c2c, r2c, c2r, transpose or permute, or be a reduction; {REDUCTIONS}"));
    let (name, rest) = element(words);
    let (Some(operation), Some((shape, rest))) = (words.first(), rest.split_first()) else { return Err(unknown()) };
    let shape = shape.parse().map_err(|_| unknown())?;
    let mut wanted = Wanted { operation, shape, batch: None, axes: None, map: None, determinism: Determinism::RunToRun };
    for word in rest {
        match (*word, word.strip_prefix('x'), word.strip_prefix("axes=")) {
            ("square", ..) => wanted.map = Some(Map::Square),
            ("abs", ..) => wanted.map = Some(Map::Abs),
            ("across-devices", ..) => wanted.determinism = Determinism::AcrossDevices,
            (_, Some(count), _) => wanted.batch = Some(count.parse().map_err(|_| unknown())?),
            // In any order. By default, all axes are reduced.
            (.., Some(axes)) if wanted.axes.is_none() => {
                wanted.axes = Some(axes.split(',').map(str::parse).collect::<Result<_, _>>().map_err(|_| unknown())?)
            }
            _ => return Err(unknown()),
        }
    }
    let task = match name.as_str() {
        "f32" => wanted.any::<f32>().or_else(|| wanted.real::<f32>()).or_else(|| wanted.float::<f32>()),
        "f16" => wanted.any::<f16>().or_else(|| wanted.real::<f16>()).or_else(|| wanted.float::<f16>()),
        "f64" => wanted.any::<f64>().or_else(|| wanted.real::<f64>()).or_else(|| wanted.float::<f64>()),
        "complex f32" => wanted.any::<Complex32>().or_else(|| wanted.float::<Complex32>()),
        "i32" => wanted.any::<i32>().or_else(|| wanted.real::<i32>()),
        "u32" => wanted.any::<u32>().or_else(|| wanted.real::<u32>()),
        _ => None,
    };
    let task = task.ok_or_else(unknown)?;
    let printed = task.to_string();
    let besides_axes = |text: &str| text.split(' ').filter(|word| !word.starts_with("axes=")).map(str::to_owned).collect::<Vec<_>>();
    if besides_axes(&printed) == besides_axes(text) {
        Ok(task)
    } else {
        Err(wrong(text, format!("it would print as `{printed}`; {REDUCTIONS}")))
    }
}

impl Wanted<'_> {
    fn any<T: Value>(&self) -> Option<Box<dyn Task>> {
        Some(match self.operation {
            "sum" => self.task(reduce::sum::<T>(self.shape)),
            "product" => self.task(reduce::product::<T>(self.shape)),
            "dot" => self.task(reduce::dot::<T>(self.shape)),
            "vdot" => self.task(reduce::vdot::<T>(self.shape)),
            "max_abs_diff" => self.task(reduce::max_abs_diff::<T>(self.shape)),
            "any" => self.task(reduce::any::<T>(self.shape)),
            "all" => self.task(reduce::all::<T>(self.shape)),
            "count" => self.task(reduce::count::<T>(self.shape)),
            _ => return None,
        })
    }

    fn real<T: Real>(&self) -> Option<Box<dyn Task>> {
        Some(match self.operation {
            "min" => self.task(reduce::min::<T>(self.shape)),
            "max" => self.task(reduce::max::<T>(self.shape)),
            "argmin" => self.task(reduce::argmin::<T>(self.shape)),
            "argmax" => self.task(reduce::argmax::<T>(self.shape)),
            _ => return None,
        })
    }

    fn float<T: Float>(&self) -> Option<Box<dyn Task>> {
        Some(match self.operation {
            "mean" => self.task(reduce::mean::<T>(self.shape)),
            "sum_squares" => self.task(reduce::sum_squares::<T>(self.shape)),
            "norm" => self.task(reduce::norm::<T>(self.shape)),
            _ => return None,
        })
    }

    fn task<T: Value, O: Element>(&self, reduction: Reduction<T, O>) -> Box<dyn Task> {
        let mut reduction = reduction.determinism(self.determinism);
        if let Some(count) = self.batch {
            reduction = reduction.batch(count);
        }
        if let Some(axes) = &self.axes {
            reduction = reduction.axes(axes);
        }
        match self.map {
            Some(map) => Box::new(reduction.map(map)),
            None => Box::new(reduction),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_prints_is_read() {
        let specs = [
            "c2c fwd 512x512",
            "c2c inv 1000 x4 1/n in-place",
            "r2c fwd 1024",
            "c2r inv 480x640 1/n",
            "transpose f32 1024x1024",
            "permute complex f32 30x40x50 order=2,0,1",
            "transpose u8x4 7x9",
            "sum f32 4194304",
            "sum f32 1024x1024 axes=1",
            "argmax f32 64x32x16 x4 axes=0,1",
            "norm complex f32 1000",
            "sum f64 1000 square across-devices",
            "max_abs_diff complex f32 480x321",
        ];
        for text in specs {
            assert_eq!(parse(text).map(|task| task.to_string()).map_err(|error| error.to_string()), Ok(text.to_owned()));
        }
        assert_eq!(parse("argmax f32 32x16 x4 axes=1,0").map(|task| task.to_string()).ok().as_deref(), Some("argmax f32 32x16 x4"));
        assert_eq!(parse("  sum   f32 8 ").map(|task| task.to_string()).ok().as_deref(), Some("sum f32 8"));
    }

    #[test]
    fn what_does_not_says_what_does() {
        for text in [
            "",
            "fft",
            "sum",
            "sum f32",
            "sum f99 8",
            "sum f32 8 x1",
            "sum f32 8 axes=a",
            "sum f32 8x8 axes=0 axes=1",
            "sum f32 8 scale=2",
            "min complex f32 8",
            "mean i32 8",
        ] {
            assert!(parse(text).err().is_some_and(|error| error.to_string().contains("`sum f32 4194304`")), "{text}");
        }
        assert!(parse("transpose f99 8x8").err().is_some_and(|error| error.to_string().contains("complex f32")));
        assert!(parse("c2c forward 8").is_err());
    }
}
