//! The command line. A usage text is its grammar.

use std::fmt::Display;
use std::str::FromStr;

use wgpu_fft::GpuOptions;

use super::Result;

/// The lines of a usage text that all benchmarks have.
pub const COMMON: &str = "  --adapter NAME  the adapter whose name contains NAME
  --filter TEXT   only cases whose printed specification contains TEXT; repeated: any of them
  --recipe TEXT   also by this recipe, in the cases that it fits; may be repeated
  --rounds N      samples of each candidate (11)
  --smoke         every case once with tiny sizes, to see that it runs
  --json          no progress and no table, only the lines of JSON";

/// Specifications, each with its recipes.
pub type Requests = Vec<(String, Vec<String>)>;

/// What the command line says.
#[derive(Debug)]
pub struct Options {
    usage: String,
    /// Options without their dashes, and their values.
    given: Vec<(String, String)>,
    pub rounds: usize,
    pub smoke: bool,
    pub json: bool,
}

impl Options {
    /// Parses options by the lines of a usage text that begin with one. If the option is followed
    /// by one space and a word, it takes a value.
    pub fn parse(usage: String, words: &[String]) -> Result<Self> {
        let mut options = Self { usage, given: Vec::new(), rounds: 11, smoke: false, json: false };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let name = word.strip_prefix("--").unwrap_or_default();
            let value = match options.takes_value(name) {
                Some(true) => words.next().ok_or_else(|| format!("{word} takes a value"))?.clone(),
                Some(false) => String::new(),
                None => return Err(format!("there is no option `{word}`").into()),
            };
            options.given.push((name.to_owned(), value));
        }
        options.rounds = options.number("rounds")?.unwrap_or(11).max(1);
        (options.smoke, options.json) = (options.has("smoke"), options.has("json"));
        Ok(options)
    }

    /// Whether an option takes a value, if the usage has it.
    fn takes_value(&self, name: &str) -> Option<bool> {
        self.usage.lines().find_map(|line| match line.trim_start().strip_prefix("--")?.strip_prefix(name)?.as_bytes() {
            [] | [b' ', b' ', ..] => Some(false),
            [b' ', ..] => Some(true),
            _ => None,
        })
    }

    /// The values of an option, in order.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        assert!(self.takes_value(name).is_some(), "the usage has no --{name}");
        self.given.iter().filter(move |(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// Whether an option is given.
    pub fn has(&self, name: &str) -> bool {
        self.all(name).next().is_some()
    }

    /// The numbers that are given for an option.
    pub fn numbers<T: FromStr<Err: Display>>(&self, name: &str) -> Result<Vec<T>> {
        self.all(name).map(|text| text.parse().map_err(|error| format!("--{name} {text}: {error}").into())).collect()
    }

    /// The last number that is given for an option.
    pub fn number<T: FromStr<Err: Display>>(&self, name: &str) -> Result<Option<T>> {
        Ok(self.numbers(name)?.pop())
    }

    /// Which adapter.
    pub fn gpu(&self) -> GpuOptions {
        self.all("adapter").last().map_or_else(GpuOptions::default, |name| GpuOptions::default().adapter_name(name))
    }

    /// Whether the filters select a case.
    pub fn wants(&self, case: &str) -> bool {
        !self.has("filter") || self.all("filter").any(|filter| case.contains(filter))
    }

    /// The requested recipes, as texts.
    pub fn recipe_texts(&self) -> Vec<String> {
        self.all("recipe").map(str::to_owned).collect()
    }

    /// The requested recipes.
    pub fn recipes<R: FromStr<Err = wgpu_fft::Error>>(&self) -> wgpu_fft::Result<Vec<R>> {
        self.all("recipe").map(str::parse).collect()
    }

    /// The requested recipes of a case, and none if there is a file of recipes that lacks the case.
    pub fn recipes_of<R: FromStr<Err = wgpu_fft::Error>>(&self, case: &str) -> Result<Option<Vec<R>>> {
        let mut texts = self.recipe_texts();
        if let Some(all) = self.recipes_file()? {
            let Some((_, own)) = all.into_iter().find(|(spec, _)| spec == case) else { return Ok(None) };
            texts.extend(own);
        }
        Ok(Some(texts.iter().map(|text| text.parse()).collect::<wgpu_fft::Result<_>>()?))
    }

    /// The requests of `--recipes-file`, a file of lines `spec | recipe` with comments after `#`:
    /// each specification once, with its recipes. Lines of the same specification need not be
    /// adjacent.
    pub fn recipes_file(&self) -> Result<Option<Requests>> {
        let Some(path) = self.all("recipes-file").last() else { return Ok(None) };
        let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
        let mut requests = Requests::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let Some((spec, recipe)) = line.split_once('|') else {
                return Err(format!("{path}, line {number}: it is no `spec | recipe`").into());
            };
            let (spec, recipe) = (spec.trim().to_owned(), recipe.trim().to_owned());
            match requests.iter_mut().find(|(known, _)| *known == spec) {
                Some((_, recipes)) => recipes.push(recipe),
                None => requests.push((spec, vec![recipe])),
            }
        }
        Ok(Some(requests))
    }
}
