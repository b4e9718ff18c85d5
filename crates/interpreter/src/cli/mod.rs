//! Arguments and their meaning.

mod arrays;
mod header;

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::prelude::*;
use wgsl_sanitizer::{Binding, Buffer, Config, Memory, Shader};

use arrays::Source;

type Failure = Box<dyn std::error::Error>;

const HELP: &str = "\
Runs a WGSL compute shader on the host, and checks it while it runs.

Usage: wgsl-sanitizer FILE.wgsl --dispatch X[,Y[,Z]] [options]

Arrays (BINDING is a number, or GROUP/NUMBER):
  --bind BINDING=FILE.npy          a NumPy array
  --bind BINDING=raw:FILE          the bytes of a file
  --bind BINDING=zeros:TYPE:N      N zeros; TYPE is f16, f32, f64, i32, u32, i64 or u64
  --bind BINDING=unwritten:TYPE:N  N elements that count as not written
  --bind BINDING=TYPE:A,B,...      these elements
  --out BINDING=FILE.npy           writes the array after the run, with the type of its --bind
  --out BINDING=raw:FILE           writes its bytes

Shader:
  --entry NAME                     entry point; may be left out if there is only one
  --override NAME=VALUE            value of an override
  --append FILE                    a file whose text follows the shader's; may be repeated

Run:
  --subgroup N                     invocations of a subgroup: 1, 2, 4 ... 128 (default 32)
  --lockstep N                     invocations that run in lockstep, a multiple of that, up to 128 (default 64)
  --seed N                         selects the order of workgroups and invocations (default 0: by index)
  --max-turns N                    loop iterations before a loop counts as endless
  --zero-workgroup-memory          workgroup memory starts as zeros
  --flush-denormals                denormal results become zeros
  --allow-equal-writes             two writes of the same value are not a race
  --allow-later-writes             a write to a buffer after a read in the same workgroup is not a race
  --allow-wrapping                 an index may come from arithmetic that wrapped around
  --allow-conversions              a conversion may be out of range

Exit status: 0 if nothing was found, 1 if something was, 2 if the shader could not run.
";

/// What the arguments ask for.
struct Options {
    files: Vec<PathBuf>,
    grid: Option<[u32; 3]>,
    sources: Vec<((u32, u32), Source)>,
    outputs: Vec<((u32, u32), String)>,
    overrides: Vec<(String, f64)>,
    entry: Option<String>,
    config: Config,
}

/// Runs the command. Whether nothing was found.
pub fn run(arguments: impl Iterator<Item = OsString>) -> Result<bool, Failure> {
    let Some(options) = parse(arguments)? else {
        print!("{HELP}");
        return Ok(true);
    };
    let mut text = String::new();
    for file in &options.files {
        text += &std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
    }
    let shader = Shader::new(&text)?;
    let names: Vec<&str> = shader.entry_points().collect();
    let name = match (&options.entry, &names[..]) {
        (Some(name), _) => name.clone(),
        (None, [only]) => only.to_string(),
        (None, names) => return Err(format!("--entry is needed: the entry points are {}", names.join(", ")).into()),
    };
    let overrides = options.overrides.iter().map(|(name, value)| (name.as_str(), *value));
    let kernel = shader.entry(&name)?.with_overrides(overrides).compile()?;

    let mut memory = Memory::new();
    let mut bindings = Vec::new();
    for ((group, binding), source) in &options.sources {
        bindings.push(Binding::whole(*group, *binding, memory.add(source.buffer.clone())));
    }
    let grid = options.grid.ok_or("--dispatch is needed")?;
    let report = kernel.dispatch(grid, &mut memory, &bindings, &options.config)?;
    print!("{report}");
    for (place, target) in &options.outputs {
        let i = options.sources.iter().position(|(p, _)| p == place).ok_or("--out of what no --bind binds")?;
        let buffer: &Buffer = &memory[bindings[i].buffer];
        if let Some(byte) = buffer.first_unwritten() {
            eprintln!("{target}: byte {byte} and perhaps others were never written");
        }
        arrays::write(target, buffer, &options.sources[i].1)?;
    }
    Ok(report.is_clean())
}

/// `None` if help was asked for.
fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Option<Options>, Failure> {
    let mut options = Options {
        files: Vec::new(),
        grid: None,
        sources: Vec::new(),
        outputs: Vec::new(),
        overrides: Vec::new(),
        entry: None,
        config: Config::default(),
    };
    let mut appended = Vec::new();
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        let config = &mut options.config;
        match argument {
            Short('h') | Long("help") => return Ok(None),
            Long("dispatch") => options.grid = Some(grid(&parser.value()?.string()?)?),
            Long("bind") => {
                let value = parser.value()?.string()?;
                let (place, source) = split(&value)?;
                options.sources.push((place, arrays::read(source)?));
            }
            Long("out") => {
                let value = parser.value()?.string()?;
                let (place, target) = split(&value)?;
                options.outputs.push((place, target.to_owned()));
            }
            Long("override") => {
                let value = parser.value()?.string()?;
                let (name, number) = value.split_once('=').ok_or("--override takes NAME=VALUE")?;
                options.overrides.push((name.to_owned(), number.parse().map_err(|e| format!("{value}: {e}"))?));
            }
            Long("append") => appended.push(parser.value()?.into()),
            Long("entry") => options.entry = Some(parser.value()?.string()?),
            Long("subgroup") => config.subgroup_size = parser.value()?.parse()?,
            Long("lockstep") => config.lockstep = parser.value()?.parse()?,
            Long("seed") => config.seed = parser.value()?.parse()?,
            Long("max-turns") => config.max_turns = parser.value()?.parse()?,
            Long("zero-workgroup-memory") => config.zero_workgroup_memory = true,
            Long("flush-denormals") => config.flush_denormals = true,
            Long("allow-equal-writes") => config.equal_writes_race = false,
            Long("allow-later-writes") => config.later_writes_race = false,
            Long("allow-wrapping") => config.check_wrapping = false,
            Long("allow-conversions") => config.check_conversions = false,
            Value(file) if options.files.is_empty() => options.files.push(file.into()),
            _ => return Err(argument.unexpected().into()),
        }
    }
    if options.files.is_empty() {
        return Err("no shader given; see --help".into());
    }
    options.files.extend(appended);
    Ok(Some(options))
}

fn grid(text: &str) -> Result<[u32; 3], Failure> {
    let mut grid = [1; 3];
    let sizes: Vec<&str> = text.split([',', 'x']).collect();
    if sizes.len() > 3 {
        return Err("--dispatch takes up to three numbers".into());
    }
    for (to, size) in grid.iter_mut().zip(sizes) {
        *to = size.trim().parse().map_err(|e| format!("--dispatch {text}: {e}"))?;
    }
    Ok(grid)
}

/// `2=...` or `0/2=...`.
fn split(text: &str) -> Result<((u32, u32), &str), Failure> {
    let (place, rest) = text.split_once('=').ok_or_else(|| format!("{text}: expected BINDING=..."))?;
    let (group, number) = place.split_once('/').unwrap_or(("0", place));
    let parse = |s: &str| s.parse::<u32>().map_err(|e| format!("{place}: {e}"));
    Ok(((parse(group)?, parse(number)?), rest))
}
