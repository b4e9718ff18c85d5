//! Opening an adapter, and planners on it.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use wgpu_fft::dynamic::{AnyPlan, AnySpec};
use wgpu_fft::tune::{Record, Rigor, Tuning};
use wgpu_fft::{Error, Gpu, GpuOptions, Planner, wgpu};
use wgpu_fft_distributed::DeviceSet;

use crate::output::Output;
use crate::{Result, progress, usage};

/// The adapter that the command line asks for, and how to print.
pub struct Device {
    pub name: Option<String>,
    pub output: Output,
}

impl Device {
    pub fn options(&self) -> GpuOptions {
        self.name.iter().fold(GpuOptions::default(), |options, name| options.adapter_name(name))
    }

    /// Opens the adapter and says which.
    pub fn open(&self) -> Result<Gpu> {
        let gpu = pollster::block_on(Gpu::request(&self.options()))?;
        self.output.note("adapter", describe(&gpu.adapter_info()));
        Ok(gpu)
    }

    /// Opens the record in a file, or the default one, and says which.
    pub fn open_record(&self, path: Option<&Path>) -> Record {
        let record = path.map_or_else(Record::open_default, Record::open);
        match record.path() {
            Some(path) => self.output.note("record", path.display()),
            None => self.output.note("record", "in memory: this system has no directory for caches"),
        }
        record
    }
}

/// `NVIDIA H200 (Vulkan, discrete GPU)`.
pub fn describe(info: &wgpu::AdapterInfo) -> String {
    format!("{} ({}, {})", info.name, info.backend, kind(info.device_type))
}

pub fn kind(ty: wgpu::DeviceType) -> &'static str {
    match ty {
        wgpu::DeviceType::DiscreteGpu => "discrete GPU",
        wgpu::DeviceType::IntegratedGpu => "integrated GPU",
        wgpu::DeviceType::VirtualGpu => "virtual GPU",
        wgpu::DeviceType::Cpu => "a processor in place of a GPU",
        wgpu::DeviceType::Other => "unknown kind",
    }
}

/// How recipes are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Choose {
    /// By rule, without measuring
    #[default]
    Estimate,
    /// From the record of earlier measurements, or else by rule
    Recorded,
    /// From the record, or else by a search of 2 seconds
    Measure,
    /// From the record, or else by a search of up to a minute
    Patient,
}

/// How a computation is planned, on the command line.
#[derive(Clone, Default, clap::Args)]
pub struct Recipes {
    /// Use this recipe, as an earlier run printed it
    #[arg(long, value_name = "TEXT", conflicts_with = "rigor")]
    recipe: Option<String>,
    /// How a recipe is chosen
    #[arg(long, value_enum, default_value_t)]
    rigor: Choose,
    /// The record of measurements [default: $WGPU_FFT_RECORD, or else a file in the cache
    /// directory]
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
}

impl Recipes {
    /// Plans, and says how.
    pub fn plan(&self, device: &Device, gpu: &Gpu, spec: &AnySpec) -> Result<AnyPlan> {
        let (plan, source) = self.plan_quietly(device, gpu, spec)?;
        device.output.note("computes", spec);
        device.output.note("recipe", format_args!("{}; {source}", plan.recipe()));
        Ok(plan)
    }

    /// All devices, for computations that take recipes of their own for each part.
    pub fn set(&self, device: &Device) -> Result<DeviceSet> {
        if self.recipe.is_some() {
            return Err(usage("with --memory, the parts of the transform have recipes of their own: leave out --recipe"));
        }
        let set = pollster::block_on(DeviceSet::request(&device.options()))?;
        set.names().for_each(|name| device.output.note("device", name));
        let Some(tuning) = self.tuning(device) else { return Ok(set) };
        let planners = (0..set.len()).filter_map(|member| set.planner(member));
        let planners: Vec<Planner> = planners.map(|planner| Planner::new(planner.gpu()).with_tuning(tuning.clone())).collect();
        Ok(DeviceSet::with_planners(planners)?)
    }

    /// How recipes are chosen, if not by the rules.
    fn tuning(&self, device: &Device) -> Option<Tuning> {
        let rigor = match self.rigor {
            Choose::Estimate => return None,
            Choose::Recorded => Rigor::Recorded,
            Choose::Measure => Rigor::Measure,
            Choose::Patient => Rigor::Patient,
        };
        let tuning = Tuning::new(rigor).record(device.open_record(self.record.as_deref()));
        Some(progress::watch(tuning, device.output))
    }

    /// Plans, and returns where the recipe comes from.
    pub fn plan_quietly(&self, device: &Device, gpu: &Gpu, spec: &AnySpec) -> Result<(AnyPlan, String)> {
        let mut planner = Planner::new(gpu);
        if let Some(tuning) = self.tuning(device) {
            planner = planner.with_tuning(tuning);
        }
        let (recipe, source) = match &self.recipe {
            Some(recipe) => (recipe.clone(), "given by --recipe".to_owned()),
            None => {
                let choice = spec.choose(&planner);
                progress::clear();
                let choice = choice?;
                (choice.recipe, choice.source.to_string())
            }
        };
        let plan = spec.plan(&planner, Some(&recipe)).map_err(|error| match error {
            Error::Parse { .. } if self.recipe.is_some() => usage(error.to_string()),
            error => error.into(),
        })?;
        Ok((plan, source))
    }
}
