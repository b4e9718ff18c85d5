//! What the examples share: the command line, pictures in and out, opening an adapter, and printing
//! times.

use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader};
use lexopt::ValueExt;
use wgpu_fft::Spec;
use wgpu_fft::low_level::files;
use wgpu_fft::tune::{Record, Tuning};
use wgpu_fft::{Bound, Error, Gpu, GpuOptions, Plan, Planner, gpu, wgpu};

pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// The photograph that is read when the command line names no picture.
const PHOTOGRAPH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/camera.png");

const PICTURE: &str = "
PICTURE is a PNG or JPEG of any size. Without one, the example reads the photograph in examples/data.
";

const USAGE: &str = "
Options:
  -o, --output FILE   where to write the result, a .png or .jpg
      --adapter NAME  use the adapter whose name contains NAME
      --recipe TEXT   use this recipe, as an earlier run printed it
      --recorded      use recipes of the record, which `wgpu-fft tune` measures, instead of rules
      --list          list the adapters and stop
  -h, --help          print this and stop";

/// Ends the program; an error is one line on stderr, and a wrong command line the code 2.
pub fn exit(outcome: Result<()>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is::<lexopt::Error>() => {
            eprintln!("{error} (--help lists what there is)");
            ExitCode::from(2)
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The part of the command line that is the same in all examples.
pub struct Options {
    /// What to read, if the command line names it.
    pub file: Option<PathBuf>,
    pub output: PathBuf,
    pub adapter: GpuOptions,
    pub recipe: Option<String>,
    pub recorded: bool,
}

impl Options {
    /// Reads the command line. `own` takes the long options that only this example has, and says
    /// whether it knows the one it is given.
    ///
    /// Returns nothing if there is nothing left to do, as after `--help`.
    pub fn parse(usage: &str, output: &str, mut own: impl FnMut(&str, &mut lexopt::Parser) -> Result<bool>) -> Result<Option<Self>> {
        let mut options = Self { file: None, output: output.into(), adapter: GpuOptions::default(), recipe: None, recorded: false };
        let mut list = false;
        let mut parser = lexopt::Parser::from_env();
        while let Some(argument) = parser.next()? {
            let name = match argument {
                lexopt::Arg::Value(value) if options.file.is_none() => {
                    options.file = Some(value.into());
                    continue;
                }
                lexopt::Arg::Short('o') => "output".to_owned(),
                lexopt::Arg::Short('h') => "help".to_owned(),
                lexopt::Arg::Long(name) => name.to_owned(),
                other => return Err(other.unexpected().into()),
            };
            match name.as_str() {
                "output" => options.output = parser.value()?.into(),
                "adapter" => options.adapter = options.adapter.adapter_name(parser.value()?.string()?),
                "recipe" => options.recipe = Some(parser.value()?.string()?),
                "recorded" => options.recorded = true,
                "list" => list = true,
                "help" => {
                    println!("{usage}{}{USAGE}", if usage.contains("[PICTURE]") { PICTURE } else { "" });
                    return Ok(None);
                }
                _ if own(&name, &mut parser)? => {}
                _ => return Err(lexopt::Arg::Long(&name).unexpected().into()),
            }
        }
        if list {
            for adapter in pollster::block_on(gpu::adapters(&options.adapter))? {
                println!("{}", describe(&adapter.get_info()));
            }
            return Ok(None);
        }
        if options.recipe.is_some() && options.recorded {
            return Err(lexopt::Error::from("--recipe leaves nothing to choose for --recorded").into());
        }
        Ok(Some(options))
    }

    /// The adapter, for an example that opens it by itself. Prints which it is.
    #[allow(dead_code, reason = "most examples leave it to the library")]
    pub fn adapter(&self) -> Result<wgpu::Adapter> {
        let adapter = pollster::block_on(gpu::adapters(&self.adapter))?.swap_remove(0);
        println!("adapter     {}", describe(&adapter.get_info()));
        Ok(adapter)
    }

    /// Opens the adapter and prints which.
    #[allow(dead_code, reason = "not every example leaves it to the library")]
    pub fn open_gpu(&self) -> Result<Gpu> {
        let gpu = pollster::block_on(Gpu::request(&self.adapter))?;
        println!("adapter     {}", describe(&gpu.device().adapter_info()));
        Ok(gpu)
    }

    /// A planner that chooses recipes as the command line says.
    #[allow(dead_code, reason = "not every example makes plans")]
    pub fn planner(&self, gpu: &Gpu) -> Planner {
        let planner = Planner::new(gpu);
        if self.recorded { planner.with_tuning(Tuning::recorded(Record::open_default())) } else { planner }
    }

    /// Reads the picture, or else the photograph, and prints its size.
    #[allow(dead_code, reason = "not every example reads pictures")]
    pub fn read_picture(&self) -> Result<DynamicImage> {
        let file = self.file.as_deref().unwrap_or(Path::new(PHOTOGRAPH));
        let path = file.display();
        let picture = read_picture(file).map_err(|error| format!("cannot read {path}: {error}"))?;
        println!("picture     {path}, {} x {}", picture.width(), picture.height());
        Ok(picture)
    }

    /// Plans by the recipe of the command line, or by the planner's choice, and prints where it is
    /// from and what the plan does.
    #[allow(dead_code, reason = "not every example shows its plan")]
    pub fn plan<S: Spec>(&self, planner: &Planner, spec: S) -> Result<Arc<Plan<S>>> {
        let (recipe, source) = match &self.recipe {
            None => {
                let choice = planner.choose(&spec)?;
                (choice.recipe, choice.source.to_string())
            }
            Some(recipe) => (recipe.parse()?, "given by --recipe".to_owned()),
        };
        let plan = planner.plan_with(spec, recipe)?;
        println!("recipe      {}\nsource      {source}\n{}", plan.recipe(), plan.program());
        Ok(plan)
    }
}

fn describe(info: &wgpu::AdapterInfo) -> String {
    let note = if info.device_type == wgpu::DeviceType::Cpu { "; a processor plays the GPU" } else { "" };
    format!("{} ({:?}, {:?}{note})", info.name, info.backend, info.device_type)
}

/// Goes by the content, not by the name, and turns photographs the way that the camera was held.
pub fn read_picture(path: &Path) -> Result<DynamicImage> {
    let mut decoder = ImageReader::open(path)?.with_guessed_format()?.into_decoder()?;
    let orientation = decoder.orientation()?;
    let mut picture = DynamicImage::from_decoder(decoder)?;
    picture.apply_orientation(orientation);
    Ok(picture)
}

/// Writes a picture, in a folder that may not exist yet, and prints where.
#[allow(dead_code, reason = "not every example draws")]
pub fn write_picture(what: &str, path: &Path, picture: impl Into<DynamicImage>) -> Result<()> {
    let save = || -> Result<()> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let (mut bytes, format) = (Cursor::new(Vec::new()), ImageFormat::from_path(path)?);
        picture.into().write_to(&mut bytes, format)?;
        Ok(files::write(path, |out| out.write_all(bytes.get_ref()))?)
    };
    save().map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    println!("{what:<11} {}", path.display());
    Ok(())
}

/// Samples per second.
#[allow(dead_code, reason = "most examples read no sounds")]
pub const RATES: std::ops::RangeInclusive<u32> = 1..=1_000_000;

/// The channels of a WAV file, from -1 to 1, and its sampling rate.
#[allow(dead_code, reason = "most examples read no sounds")]
pub fn read_sound(path: &Path) -> Result<(Vec<Vec<f32>>, u32)> {
    let read = || -> Result<_> {
        let mut reader = hound::WavReader::open(path)?;
        let hound::WavSpec { channels, sample_rate, bits_per_sample, sample_format } = reader.spec();
        let samples: Vec<f32> = match sample_format {
            hound::SampleFormat::Float => reader.samples::<f32>().collect::<hound::Result<_>>()?,
            hound::SampleFormat::Int => {
                let full = 2f32.powi(i32::from(bits_per_sample) - 1);
                reader.samples::<i32>().map(|sample| Ok(sample? as f32 / full)).collect::<hound::Result<_>>()?
            }
        };
        let count = usize::from(channels.max(1));
        let sound: Vec<Vec<f32>> = (0..count).map(|channel| samples.chunks_exact(count).map(|all| all[channel]).collect()).collect();
        if sound[0].is_empty() || !samples.iter().all(|value| value.is_finite()) {
            return Err("it has no samples, or samples that are no numbers".into());
        }
        if !RATES.contains(&sample_rate) {
            return Err(format!("{sample_rate} samples per second").into());
        }
        Ok((sound, sample_rate))
    };
    read().map_err(|error| format!("cannot read {}: {error}", path.display()).into())
}

/// Writes the first `len` samples of some channels as a WAV file of floats, in a folder that may not
/// exist yet, and prints where. If one would be louder than 1, all are made quieter.
#[allow(dead_code, reason = "most examples write no sounds")]
pub fn write_sound(path: &Path, channels: &[Vec<f32>], len: usize, rate: u32) -> Result<()> {
    let write = || -> Result<()> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let loudest = channels.iter().flat_map(|own| &own[..len]).fold(1.0, |loudest: f32, value| loudest.max(value.abs()));
        let spec = hound::WavSpec {
            channels: u16::try_from(channels.len())?,
            sample_rate: rate,
            bits_per_sample: 32,
            sample_format: hound::SampleFormat::Float,
        };
        let mut bytes = Cursor::new(Vec::new());
        let mut writer = hound::WavWriter::new(&mut bytes, spec)?;
        (0..len).flat_map(|t| channels.iter().map(move |own| own[t])).try_for_each(|value| writer.write_sample(value / loudest))?;
        writer.finalize()?;
        Ok(files::write(path, |out| out.write_all(bytes.get_ref()))?)
    };
    write().map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    println!("sound       {}", path.display());
    Ok(())
}

/// Runs what is bound once and prints what each step took on the device, if the device can say. A
/// step moves `bytes`.
#[allow(dead_code, reason = "not every example measures")]
pub fn print_times(bound: &Bound, bytes: u64) -> Result<()> {
    let steps = match bound.time_steps() {
        Ok(pending) => pending.wait()?,
        Err(error @ Error::Unsupported { .. }) => {
            println!("time        {error}");
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    };
    let width = steps.iter().map(|(label, _)| label.len()).max().unwrap_or(0);
    let mut total = 0.0;
    for (label, time) in &steps {
        let seconds = time.as_secs_f64();
        println!("time        {:width$} {:10.4} ms {:8.2} GB/s", label, seconds * 1e3, bytes as f64 / seconds / 1e9);
        total += seconds;
    }
    println!("time        {:width$} {:10.4} ms", "total", total * 1e3);
    Ok(())
}

/// The transpose of a row-major matrix, on the processor.
#[allow(dead_code, reason = "not every example transposes")]
pub fn transposed<T: Copy>(values: &[T], [rows, columns]: [usize; 2]) -> Vec<T> {
    (0..columns).flat_map(|c| (0..rows).map(move |r| values[r * columns + c])).collect()
}
