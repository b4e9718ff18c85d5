//! The operations, by the first word of their text.

use std::str::FromStr;

use crate::dynamic::AnySpec;
use crate::element::ElementType;
use crate::error::{Error, Result};
#[cfg(feature = "signal")]
use crate::num_complex::Complex32;
#[cfg(feature = "signal")]
use crate::signal;
use crate::{fft, reduce, transpose};

/// Parses the text that a specification prints. The [module](crate::dynamic) lists which.
impl FromStr for AnySpec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.split_whitespace().next().unwrap_or_default() {
            "c2c" | "r2c" | "c2r" | "r2r" => fft::any_spec(text),
            "transpose" | "permute" => transpose::any_spec(text, element(text)?),
            #[cfg(feature = "signal")]
            "convolve" | "correlate" => number::<signal::Convolve<f32>, signal::Convolve<Complex32>>(text),
            #[cfg(feature = "signal")]
            "zoom" => number::<signal::Zoom<f32>, signal::Zoom<Complex32>>(text),
            #[cfg(feature = "signal")]
            "frequencies" => number::<signal::Frequencies<f32>, signal::Frequencies<Complex32>>(text),
            #[cfg(feature = "signal")]
            "resample" => number::<signal::Resample<f32>, signal::Resample<Complex32>>(text),
            #[cfg(feature = "signal")]
            "roll" => signal::any_roll(text, element(text)?),
            #[cfg(feature = "signal")]
            "radial-average" => Ok(Self::new(text.parse::<signal::RadialAverage>()?)),
            #[cfg(feature = "signal")]
            "phase-correlate" => Ok(Self::new(text.parse::<signal::PhaseCorrelate<f32>>()?)),
            word if reduce::is_operation(word) => reduce::any_spec(text, element(text)?),
            _ => {
                let mut words = vec!["c2c", "r2c", "c2r", "r2r", "transpose", "permute"];
                if cfg!(feature = "signal") {
                    words.extend(["convolve", "correlate", "zoom", "frequencies", "resample", "roll", "radial-average", "phase-correlate"]);
                }
                let why = format!("it must begin with {} or a reduction, such as sum", words.join(", "));
                Err(wrong(text, why))
            }
        }
    }
}

/// The element type behind the first word, the longest that fits.
fn element(text: &str) -> Result<ElementType> {
    let rest: Vec<&str> = text.split_whitespace().skip(1).take(2).collect();
    let named = |words: &[&str]| words.join(" ").parse::<ElementType>();
    named(&rest).or_else(|_| named(&rest[..rest.len().min(1)])).map_err(|error| match error {
        Error::Parse { why, .. } => wrong(text, format!("behind the first word, {why}")),
        other => other,
    })
}

/// A specification of real or of complex numbers.
#[cfg(feature = "signal")]
fn number<R, C>(text: &str) -> Result<AnySpec>
where
    R: crate::plan::Spec + FromStr<Err = Error>,
    C: crate::plan::Spec + FromStr<Err = Error>,
{
    if element(text)? == ElementType::of::<Complex32>() {
        Ok(AnySpec::new(text.parse::<C>()?))
    } else {
        Ok(AnySpec::new(text.parse::<R>()?))
    }
}

fn wrong(text: &str, why: String) -> Error {
    Error::Parse { what: "specification", text: text.to_owned(), why }
}
