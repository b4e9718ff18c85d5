//! Digests of every choice, so that moving code is seen to change none: of the rules' recipe and
//! its texts, of its neighbours and alternatives, and of the first profile's recipe adapted to
//! each.
//!
//! After a change of a rule, run with WGPU_FFT_THOROUGH=1 WGPU_FFT_BLESS=1. `recipes.txt` shows
//! what has changed.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::hash::{DefaultHasher, Hash, Hasher};

use wgpu_fft::fft::{C2c, C2r, R2c, R2r};
use wgpu_fft::low_level::recipes::fft::Adapt;
use wgpu_fft::low_level::recipes::fft::Recipe;
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::{DeviceProfile, Error};

use crate::cores::on_all_cores;
use crate::lists::{asks_for_all, share};
use crate::recipes::assert_reviewed;
use crate::variants::{corpus, profiles};

fn digest(parts: impl IntoIterator<Item = impl Hash>) -> String {
    let mut hasher = DefaultHasher::new();
    parts.into_iter().for_each(|part| part.hash(&mut hasher));
    format!("{:08x}", hasher.finish() as u32)
}

/// A text without comments, which name files.
pub fn code(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect()
}

fn printed<T: Display>(result: Result<T, Error>) -> String {
    result.map_or_else(|error| format!("error: {error}"), |value| value.to_string())
}

fn of<S: Adapt<Recipe = Recipe>>(text: &str, spec: Result<S, Error>) -> String {
    let spec = spec.unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut first = None;
    let mut lines = String::new();
    for profile in all_profiles() {
        let recipe = spec.design(&profile);
        let texts =
            recipe.as_ref().map(|recipe| spec.lower(recipe, &profile).map(|program| digest(program.wgsl().map(|text| code(&text)))));
        let neighbours = recipe.as_ref().map_or(Vec::new(), |recipe| spec.neighbours(recipe, &profile));
        let adapted = first.as_ref().map(|first| printed(spec.adapted(first, &profile)));
        let all = [
            digest([printed(recipe.clone())]),
            texts.map_or_else(|_| "none".to_owned(), printed),
            digest(neighbours.iter().map(ToString::to_string)),
            digest(spec.alternatives(&profile).iter().map(ToString::to_string)),
            digest(adapted),
        ];
        lines += &format!("{text:<40} {:<16} {}\n", profile.name, all.join(" "));
        first = first.or(recipe.ok());
    }
    lines
}

fn all_profiles() -> Vec<DeviceProfile> {
    let mut all = profiles();
    let mut few = all[0].clone();
    few.name = "few registers".to_owned();
    few.registers = DeviceProfile::webgpu_defaults().registers;
    few.is_measured = false;
    few.registers.memory = Some(65_536);
    all.push(few);
    all
}

#[test]
fn no_choice_has_changed() {
    let is_fft = |text: &&str| ["c2c ", "r2c ", "c2r ", "r2r "].iter().any(|kind| text.starts_with(kind)) && !text.contains("-as=");
    let texts: Vec<&str> = share(corpus().into_iter().filter(is_fft), 8, 0).collect();
    let lines = on_all_cores(texts.len(), |i| {
        let text = texts[i];
        let is_double = text.contains(" f64");
        match &text[..3] {
            "c2c" if is_double => of(text, text.parse::<C2c<Complex64, Complex64>>()),
            "c2c" => of(text, text.parse::<C2c>()),
            "r2c" if is_double => of(text, text.parse::<R2c<f64, Complex64>>()),
            "r2c" => of(text, text.parse::<R2c>()),
            "c2r" if is_double => of(text, text.parse::<C2r<Complex64, f64>>()),
            "c2r" => of(text, text.parse::<C2r>()),
            _ if is_double => of(text, text.parse::<R2r<f64, f64>>()),
            _ => of(text, text.parse::<R2r>()),
        }
    });
    let table = lines.concat();
    if asks_for_all() {
        return assert_reviewed("choices.txt", &table);
    }
    let known: BTreeSet<&str> = include_str!("choices.txt").lines().collect();
    let changed: Vec<&str> = table.lines().filter(|line| !known.contains(line)).collect();
    assert!(changed.is_empty() && !table.is_empty(), "not as before:\n{}", changed.join("\n"));
}
