//! The command line.

use std::str::FromStr;

use lexopt::Arg::{Long, Short};
use lexopt::{Error, Parser, ValueExt};

use super::Result;

const COMMON: &str = "  --adapter NAME  the adapter whose name contains NAME
  --filter TEXT   only cases whose printed specification contains TEXT; repeated: any of them
  --recipe TEXT   also by this recipe, in the cases that it fits; may be repeated
  --rounds N      samples of each candidate (11)
  --wall-clock    do not use timestamp queries
  --smoke         every case once with tiny sizes, to see that it runs
  --json          no progress and no table, only the lines of JSON";

/// The options that every benchmark has.
#[derive(Debug)]
pub struct Options {
    pub adapter: Option<String>,
    filters: Vec<String>,
    recipes: Vec<String>,
    pub rounds: usize,
    pub wall_clock: bool,
    pub smoke: bool,
    pub json: bool,
}

impl Options {
    /// Parses the command line. `own` parses the options of this benchmark alone, which `usage`
    /// describes, and returns whether it knows an option.
    ///
    /// Ends the process if the command line is wrong or asks for help.
    pub fn parse(usage: &str, own: impl FnMut(&str, &mut Parser) -> std::result::Result<bool, Error>) -> Self {
        match Self::try_parse(usage, own) {
            Ok(options) => options,
            Err(error) => {
                eprintln!("{error}\n{usage}{COMMON}");
                std::process::exit(2);
            }
        }
    }

    fn try_parse(
        usage: &str,
        mut own: impl FnMut(&str, &mut Parser) -> std::result::Result<bool, Error>,
    ) -> std::result::Result<Self, Error> {
        let mut options =
            Self { adapter: None, filters: Vec::new(), recipes: Vec::new(), rounds: 11, wall_clock: false, smoke: false, json: false };
        let mut parser = Parser::from_env();
        while let Some(argument) = parser.next()? {
            let name = match argument {
                Long(name) => name.to_owned(),
                Short('h') => "help".to_owned(),
                _ => return Err(argument.unexpected()),
            };
            match name.as_str() {
                "adapter" => options.adapter = Some(parser.value()?.string()?),
                "filter" => options.filters.push(parser.value()?.string()?),
                "recipe" => options.recipes.push(parser.value()?.string()?),
                "rounds" => options.rounds = parser.value()?.parse::<usize>()?.max(1),
                "wall-clock" => options.wall_clock = true,
                "smoke" => options.smoke = true,
                "json" => options.json = true,
                // Cargo passes this to every benchmark.
                "bench" => {}
                "help" => {
                    println!("{usage}{COMMON}");
                    std::process::exit(0);
                }
                other => {
                    if !own(other, &mut parser)? {
                        return Err(Error::UnexpectedOption(format!("--{other}")));
                    }
                }
            }
        }
        Ok(options)
    }

    /// Whether the filters select a case.
    pub fn wants(&self, case: &str) -> bool {
        self.filters.is_empty() || self.filters.iter().any(|filter| case.contains(filter.as_str()))
    }

    /// The requested recipes, as texts.
    pub fn recipe_texts(&self) -> &[String] {
        &self.recipes
    }

    /// The requested recipes.
    pub fn recipes<R: FromStr<Err = wgpu_fft::Error>>(&self) -> wgpu_fft::Result<Vec<R>> {
        self.recipes.iter().map(|text| text.parse()).collect()
    }
}

/// Reads a file of lines `spec | recipe` with comments after `#`. Returns each specification once,
/// with its recipes. Lines of the same specification need not be adjacent.
pub fn recipes_file(path: &str) -> Result<Vec<(String, Vec<String>)>> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let mut requests: Vec<(String, Vec<String>)> = Vec::new();
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
    Ok(requests)
}
