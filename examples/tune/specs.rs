//! Specifications in text form, independent of their types.

use std::fmt::Display;

use wgpu_fft::fft::{C2c, C2r, R2c};
use wgpu_fft::half::f16;
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::reduce::Reduction;
use wgpu_fft::transpose::Permute;
use wgpu_fft::tune::{Choice, Tunable, Tuning};
use wgpu_fft::{Complex32, DeviceProfile, Element, Error, Gpu};

/// Describes the text form of reductions.
const REDUCTIONS: &str =
    "looks like `sum f32 4194304` or `sum f32 1024x1024 x4 axes=1 square`, with elements of f32, f16, f64, complex f32, i32 or u32";

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
    let in_f64 = words.contains(&"f64");
    match words.first().copied() {
        Some("c2c") if in_f64 => Ok(Box::new(text.parse::<C2c<Complex64, Complex64>>()?)),
        Some("r2c") if in_f64 => Ok(Box::new(text.parse::<R2c<f64, Complex64>>()?)),
        Some("c2r") if in_f64 => Ok(Box::new(text.parse::<C2r<Complex64, f64>>()?)),
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

fn reduction(text: &str, words: &[&str]) -> Result<Box<dyn Task>, Error> {
    let unknown = |why: String| wrong(text, format!("{why}; or else it must begin with c2c, r2c, c2r, transpose or permute"));
    let (name, _) = element(words);
    // The operation decides which of these results there is.
    macro_rules! of {
        ($($element:ty: $($result:ty),*;)*) => { $(
            if name == <$element>::NAME {
                let tried: [Result<Box<dyn Task>, Error>; _] = [$(text.parse::<Reduction<$element, $result>>().map(|spec| Box::new(spec) as _)),*];
                let mut tried = tried.into_iter();
                let first = tried.next().expect("every element has a result");
                return first.or_else(|error| tried.find_map(Result::ok).ok_or(error)).map_err(|error| unknown(error.to_string()));
            }
        )* };
    }
    of! {
        f32: f32, u32;
        f16: f32, u32;
        f64: f64, u32;
        i32: i32, u32;
        u32: u32;
        Complex32: Complex32, f32, u32;
    }
    Err(unknown(format!("a reduction {REDUCTIONS}")))
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
        for text in
            ["", "fft", "sum", "sum f32", "sum f99 8", "sum f32 8 axes=a", "sum f32 8x8 axes=0 axes=1", "min complex f32 8", "mean i32 8"]
        {
            assert!(parse(text).err().is_some_and(|error| error.to_string().contains("it must begin with c2c")), "{text}");
        }
        assert!(parse("sum f99 8").err().is_some_and(|error| error.to_string().contains("`sum f32 4194304`")));
        assert!(parse("sum f32 8 axes=a").err().is_some_and(|error| error.to_string().contains("at byte 15")));
        assert!(parse("transpose f99 8x8").err().is_some_and(|error| error.to_string().contains("complex f32")));
        assert!(parse("c2c forward 8").is_err());
    }
}
