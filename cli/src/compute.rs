//! `wgpu-fft transform` and `transpose`: arrays in files.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::ValueEnum;
use clap::builder::{PathBufValueParser, TypedValueParser};
use serde_json::json;
use wgpu_fft::Gpu;
use wgpu_fft::dynamic::AnySpec;

use crate::array::Array;
use crate::device::{Device, Recipes};
use crate::files::{self, Shown};
use crate::{Result, large, usage};

/// The axes of one transform.
const MAX_AXES: usize = 3;

/// The factor on the results, with NumPy's names.
#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Norm {
    /// 1/n on inverse transforms
    #[default]
    Backward,
    /// 1/√n on all
    Ortho,
    /// 1/n on forward transforms
    Forward,
}

/// Transforms, with SciPy's names.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Complex to complex
    Fft,
    Ifft,
    /// Real to complex: n reals to n/2+1 complex numbers on the last axis, or the last of --axes
    Rfft,
    /// Its inverse
    Irfft,
    /// Cosine transforms of types I to IV, and their inverses
    Dct1,
    Dct2,
    Dct3,
    Dct4,
    Idct1,
    Idct2,
    Idct3,
    Idct4,
    /// Sine transforms
    Dst1,
    Dst2,
    Dst3,
    Dst4,
    Idst1,
    Idst2,
    Idst3,
    Idst4,
    /// Hartley's transform, which is its own inverse but for 1/n
    Hartley,
}

impl Kind {
    /// Name, as the command line has it.
    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    fn is_inverse(self) -> bool {
        self.name().starts_with('i')
    }

    /// Whether the input is complex.
    fn takes_complex(self) -> bool {
        matches!(self, Self::Fft | Self::Ifft | Self::Irfft)
    }

    /// The first words of the specification.
    fn words(self) -> String {
        match self {
            Self::Fft => "c2c fwd".to_owned(),
            Self::Ifft => "c2c inv".to_owned(),
            Self::Rfft => "r2c fwd".to_owned(),
            Self::Irfft => "c2r inv".to_owned(),
            _ => {
                let name = self.name();
                let kind = name.trim_start_matches('i');
                // The inverses of types II and III are each other; the others are their own.
                let kind = match (self.is_inverse(), &kind[kind.len() - 1..]) {
                    (true, "2") => kind.replace('2', "3"),
                    (true, "3") => kind.replace('3', "2"),
                    _ => kind.to_owned(),
                };
                format!("r2r {kind}")
            }
        }
    }
}

#[derive(clap::Args)]
pub struct Transform {
    /// The transform
    kind: Kind,
    /// An array (.npy) or a picture (.png, .jpg), which is read as grey values from 0 to 1
    input: PathBuf,
    /// Where the result goes: an array (.npy), or a picture of the logarithms of a spectrum's
    /// magnitudes
    #[arg(value_parser = result())]
    pub output: PathBuf,
    /// The axes, such as 0,1; all of them by default. Of the last one named, an rfft stores half
    #[arg(long, value_delimiter = ',', allow_hyphen_values = true, value_name = "AXES")]
    axes: Option<Vec<i64>>,
    /// Where the factor 1/n is
    #[arg(long, value_enum, default_value_t)]
    norm: Norm,
    /// The length of the last transformed axis of an irfft's result, if it is odd
    #[arg(long, value_name = "N")]
    length: Option<usize>,
    /// Compute in f64, in double-single arithmetic where the device has none
    #[arg(long)]
    f64: bool,
    /// Use no more than so much memory of each device, and keep arrays in their files: for arrays
    /// of complex64 or float32, or with --f64 of complex128 or float64, that are larger than memory
    #[arg(long, value_name = "MIB")]
    memory: Option<u64>,
    #[command(flatten)]
    recipes: Recipes,
}

/// What a transform computes.
#[derive(PartialEq, Debug)]
struct Specification {
    text: String,
    /// The shape of the result, with the axes in this order.
    shape: Vec<usize>,
    /// The order in which the array's axes must be.
    order: Vec<usize>,
}

impl Specification {
    /// The order that brings the axes of the result back.
    fn back(&self) -> Vec<usize> {
        let mut back = vec![0; self.order.len()];
        self.order.iter().enumerate().for_each(|(place, axis)| back[*axis] = place);
        back
    }
}

/// The extents of one transform and which of them are transformed, and the number of arrays.
/// Leading axes that are not transformed count arrays. Others count as one where they are
/// neighbours.
fn grouped(axes: &[(usize, bool)]) -> (Vec<usize>, Vec<usize>, usize) {
    let (mut extents, mut transformed, mut batch) = (Vec::new(), Vec::new(), 1);
    let mut before = false;
    for &(n, named) in axes {
        match extents.last_mut() {
            None if !named => batch *= n,
            Some(last) if !named && !before => *last *= n,
            _ => extents.push(n),
        }
        if named {
            transformed.push(extents.len() - 1);
        }
        before = named;
    }
    (extents, transformed, batch)
}

impl Transform {
    pub fn run(&self, device: &Device) -> Result<()> {
        if let Some(memory) = self.memory {
            let header = files::Header::for_map(&self.input)?;
            let rank = header.shape.len();
            // Fortran's order is C's with the axes in reverse.
            let stored = |axis: usize| if header.is_fortran() { rank - 1 - axis } else { axis };
            let shape: Vec<usize> = (0..rank).map(|place| header.shape[stored(place)]).collect();
            let axes: Vec<usize> = self.named(rank)?.into_iter().map(stored).collect();
            large::check(&self.kind.words(), &header, &self.input, self.f64)?;
            let specification = |number| self.specification(&shape, &axes, number);
            // Before any device is opened.
            let order = specification(None)?.order;
            if !order.is_sorted() {
                let order = joined(&order.into_iter().map(stored).collect::<Vec<_>>(), ",");
                return Err(usage(format!(
                    "with --memory, axes stay where they are: these need an array in C's order of the axes {order}"
                )));
            }
            let set = self.recipes.set(device)?;
            let mut planners = (0..set.len()).filter_map(|member| set.planner(member));
            let number = self.number(planners.all(|planner| planner.gpu().profile().f64));
            let Specification { text, shape, .. } = specification(number)?;
            let shape: Vec<usize> = (0..rank).map(|axis| shape[stored(axis)]).collect();
            return large::transform(device, &set, &text, [&self.input, &self.output], &header, shape, memory << 20);
        }
        let array = files::read(&self.input)?;
        let gpu = device.open()?;
        let number = self.number(gpu.profile().f64);
        let specification = self.specification(&array.shape, &self.named(array.shape.len())?, number)?;
        let back = specification.back();
        let Specification { text, shape, order } = specification;
        let complex = self.kind.takes_complex();
        let array = array.converted(complex, self.f64).map_err(|error| format!("{}: {error}", files::input_name(&self.input)))?;
        let array = array.permuted(&order)?;
        let shown = match self.kind {
            Kind::Fft => Shown::Spectrum { half: None },
            Kind::Rfft => {
                let last = array.shape.len() - 1;
                Shown::Spectrum { half: Some((order[last], array.shape[last])) }
            }
            Kind::Ifft | Kind::Irfft => Shown::Grey,
            _ if self.kind.is_inverse() => Shown::Grey,
            _ => Shown::Spectrum { half: None },
        };
        let result = Computation { recipes: &self.recipes, text: &text, inputs: &[&array], shape }.run(device, &gpu)?;
        store(device, &text, &result.permuted(&back)?, &self.output, shown)
    }

    /// What it computes with, where devices have f64 or not.
    fn number(&self, f64: bool) -> Option<&'static str> {
        self.f64.then_some(if f64 { "f64" } else { "f64-by-f32" })
    }

    /// The axes that are transformed, in the order in which they are named.
    fn named(&self, rank: usize) -> Result<Vec<usize>> {
        self.axes.as_ref().map_or_else(|| Ok((0..rank).collect()), |axes| indices(axes, rank))
    }

    fn specification(&self, shape: &[usize], axes: &[usize], number: Option<&str>) -> Result<Specification> {
        let rank = shape.len();
        let last = *axes.last().ok_or("an array without axes cannot be transformed")?;
        // Half-spectra are halves of the last axis, and NumPy's of the last one that is named.
        let halves = matches!(self.kind, Kind::Rfft | Kind::Irfft);
        let mut order: Vec<usize> = (0..rank).collect();
        if halves {
            order.swap(last, rank - 1);
        }
        let group = |order: &[usize], extents: &[usize]| {
            let named = order.iter().map(|axis| axes.contains(axis));
            grouped(&extents.iter().copied().zip(named).collect::<Vec<_>>())
        };
        if group(&order, &vec![1; rank]).0.len() > MAX_AXES {
            // Those that are not transformed come first.
            order.sort_by_key(|axis| (axes.contains(axis), halves && *axis == last));
        }
        let mut own: Vec<usize> = order.iter().map(|axis| shape[*axis]).collect();
        let mut result = own.clone();
        match self.kind {
            Kind::Rfft => result[rank - 1] = own[rank - 1] / 2 + 1,
            Kind::Irfft => {
                let half = own[rank - 1];
                let length = self.length.unwrap_or(2 * half.saturating_sub(1));
                if length == 0 || length / 2 + 1 != half {
                    let [even, odd] = [2 * half - 2, 2 * half - 1];
                    return Err(usage(format!("{half} complex numbers make {even} or {odd} reals, not {length}: see --length")));
                }
                (own[rank - 1], result[rank - 1]) = (length, length);
            }
            _ => {}
        }
        let (extents, transformed, batch) = group(&order, &own);
        if extents.len() > MAX_AXES {
            return Err(usage(format!("one transform has {MAX_AXES} axes at most, not {}: name fewer by --axes", extents.len())));
        }
        let mut text = format!("{} {}", self.kind.words(), joined(&extents, "x"));
        if batch != 1 {
            text += &format!(" x{batch}");
        }
        if let Some(number) = number {
            text += &format!(" {number}");
        }
        if transformed.len() < extents.len() {
            text += &format!(" axes={}", joined(&transformed, ","));
        }
        match (self.norm, self.kind.is_inverse()) {
            (Norm::Ortho, _) => text += " 1/sqrt(n)",
            (Norm::Backward, true) | (Norm::Forward, false) => text += " 1/n",
            _ => {}
        }
        Ok(Specification { text, shape: result, order })
    }
}

#[derive(clap::Args)]
pub struct Transpose {
    /// An array (.npy) or a picture
    input: PathBuf,
    /// Where the result goes
    #[arg(value_parser = result())]
    pub output: PathBuf,
    /// The new order of the axes, as for numpy.transpose; by default the last two change places
    #[arg(long, value_delimiter = ',', value_name = "AXES")]
    axes: Option<Vec<usize>>,
    #[command(flatten)]
    recipes: Recipes,
}

impl Transpose {
    pub fn run(&self, device: &Device) -> Result<()> {
        let array = files::read(&self.input)?;
        let rank = array.shape.len();
        let order = match &self.axes {
            Some(axes) => axes.clone(),
            None if rank < 2 => return Err(format!("{} has one axis, which has no other place", files::input_name(&self.input)).into()),
            None => (0..rank - 2).chain([rank - 1, rank - 2]).collect(),
        };
        let mut sorted = order.clone();
        sorted.sort_unstable();
        if sorted != (0..rank).collect::<Vec<_>>() {
            let given = joined(&order, ",");
            return Err(usage(format!("--axes {given} is no order of the {rank} axes of {}", files::input_name(&self.input))));
        }
        let text = format!("permute {} {} order={}", array.element(), joined(&array.shape, "x"), joined(&order, ","));
        let shape = order.iter().map(|axis| array.shape[*axis]).collect();
        let computation = Computation { recipes: &self.recipes, text: &text, inputs: &[&array], shape };
        computation.run_into(device, &device.open()?, &self.output, Shown::Grey)
    }
}

/// Axes, counted from the end if they are negative. Each may be named once.
pub fn indices(axes: &[i64], rank: usize) -> Result<Vec<usize>> {
    let mut found = Vec::new();
    for axis in axes {
        let own = if *axis < 0 { axis.saturating_add_unsigned(rank as u64) } else { *axis };
        match usize::try_from(own).ok().filter(|own| *own < rank) {
            None => return Err(usage(format!("there is no axis {axis} in an array of {rank} axes"))),
            Some(own) if found.contains(&own) => return Err(usage(format!("axis {axis} is named twice"))),
            Some(own) => found.push(own),
        }
    }
    Ok(found)
}

/// The argument that names a result.
pub fn result() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(files::result)
}

pub fn joined(numbers: &[usize], by: &str) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(by)
}

/// A specification and the arrays that it is computed from.
pub struct Computation<'a> {
    pub recipes: &'a Recipes,
    pub text: &'a str,
    pub inputs: &'a [&'a Array],
    /// The shape of the result.
    pub shape: Vec<usize>,
}

impl Computation<'_> {
    /// The result.
    pub fn run(self, device: &Device, gpu: &Gpu) -> Result<Array> {
        let spec: AnySpec = self.text.parse()?;
        let begin = Instant::now();
        let plan = self.recipes.plan(device, gpu, &spec)?;
        let planned = begin.elapsed();
        let bytes: Vec<&[u8]> = self.inputs.iter().map(|array| array.bytes()).collect();
        let result = plan.run(&bytes)?.wait()?;
        let times = (planned.as_secs_f64(), (begin.elapsed() - planned).as_secs_f64());
        device.output.note("time", format_args!("{:.3} s to plan, {:.3} s to upload, compute and read back", times.0, times.1));
        Array::from_bytes(self.shape, plan.output(), &result)
    }

    /// Writes the result to a file.
    pub fn run_into(self, device: &Device, gpu: &Gpu, path: &Path, shown: Shown) -> Result<()> {
        let text = self.text;
        let result = self.run(device, gpu)?;
        store(device, text, &result, path, shown)
    }
}

/// Writes a result to a file.
fn store(device: &Device, text: &str, result: &Array, path: &Path, shown: Shown) -> Result<()> {
    files::write(path, result, shown)?;
    let name = files::result_name(path);
    device.output.note("result", format_args!("{name}, {} elements of {}", joined(&result.shape, " x "), result.element()));
    device.output.record(&json!({ "spec": text, "output": path, "shape": result.shape, "element": result.element().name() }));
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Own {
        #[command(flatten)]
        transform: Transform,
    }

    /// The text, and the shape of the result in the array's own order.
    fn specification(arguments: &str, shape: &[usize]) -> std::result::Result<(String, Vec<usize>), String> {
        let own = Own::try_parse_from(format!("x {arguments} in.npy out.npy").split_whitespace()).map_err(|error| error.to_string())?;
        let found = own.transform.named(shape.len()).and_then(|axes| own.transform.specification(shape, &axes, None));
        let found = found.map_err(|error| error.to_string())?;
        let shape = found.back().iter().map(|place| found.shape[*place]).collect();
        Ok((found.text, shape))
    }

    #[test]
    fn numpys_words_become_specifications() {
        let is = |arguments: &str, shape: &[usize], text: &str, result: &[usize]| {
            assert_eq!(specification(arguments, shape), Ok((text.to_owned(), result.to_vec())), "{arguments}");
            assert_eq!(text.parse::<AnySpec>().unwrap().to_string(), text);
        };
        is("fft", &[20, 30], "c2c fwd 20x30", &[20, 30]);
        is("ifft", &[20, 30], "c2c inv 20x30 1/n", &[20, 30]);
        is("ifft --norm forward", &[20, 30], "c2c inv 20x30", &[20, 30]);
        is("fft --norm forward", &[20, 30], "c2c fwd 20x30 1/n", &[20, 30]);
        is("fft --norm ortho --axes -1", &[20, 30], "c2c fwd 30 x20 1/sqrt(n)", &[20, 30]);
        is("fft --axes 0", &[20, 30], "c2c fwd 20x30 axes=0", &[20, 30]);
        is("fft --axes 2,3", &[4, 5, 20, 30], "c2c fwd 20x30 x20", &[4, 5, 20, 30]);
        is("rfft", &[20, 30], "r2c fwd 20x30", &[20, 16]);
        is("irfft", &[20, 16], "c2r inv 20x30 1/n", &[20, 30]);
        is("irfft --length 31", &[20, 16], "c2r inv 20x31 1/n", &[20, 31]);
        // NumPy halves the last axis that is named.
        is("rfft --axes 1,0", &[20, 30], "r2c fwd 30x20", &[11, 30]);
        is("rfft --axes 0", &[20, 30], "r2c fwd 20 x30", &[11, 30]);
        is("rfft --axes 0,1", &[20, 30, 40], "r2c fwd 20x40x30 axes=0,2", &[20, 16, 40]);
        is("irfft --axes -1,0 --length 41", &[21, 30], "c2r inv 30x41 1/n", &[41, 30]);
        // Neighbours that are not transformed count as one axis.
        is("fft --axes 1", &[2, 3, 4, 5, 6], "c2c fwd 3x120 x2 axes=0", &[2, 3, 4, 5, 6]);
        is("fft --axes 0,4", &[2, 3, 4, 5, 6], "c2c fwd 2x60x6 axes=0,2", &[2, 3, 4, 5, 6]);
        is("fft --axes 1,3", &[2, 3, 4, 5, 6], "c2c fwd 3x5 x48", &[2, 3, 4, 5, 6]);
        is("rfft --axes 2,1,0", &[2, 3, 4, 5], "r2c fwd 3x4x2 x5", &[2, 3, 4, 5]);
        is("dct2", &[20, 30], "r2r dct2 20x30", &[20, 30]);
        is("idct2", &[20, 30], "r2r dct3 20x30 1/n", &[20, 30]);
        is("idst4 --norm ortho", &[20], "r2r dst4 20 1/sqrt(n)", &[20]);
        is("hartley", &[20], "r2r hartley 20", &[20]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let fails = |arguments: &str, shape: &[usize], part: &str| {
            let error = specification(arguments, shape).unwrap_err();
            assert!(error.contains(part), "{error}");
        };
        fails("fft --axes 2", &[20, 30], "no axis 2 in an array of 2 axes");
        fails("fft --axes 1,-1", &[20, 30], "axis -1 is named twice");
        fails("irfft", &[1], "1 complex numbers make 0 or 1 reals, not 0");
        fails("fft", &[2, 3, 4, 5, 6], "one transform has 3 axes at most, not 5");
        fails("irfft --length 20", &[16], "16 complex numbers make 30 or 31 reals, not 20");
        fails("fft --norm loud", &[20], "loud");
        fails("fht", &[20], "fht");
    }
}
