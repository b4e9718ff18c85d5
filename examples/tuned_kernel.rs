//! Tunes a compute shader of the program's own: tanh of each element, for which the same search as
//! for transforms chooses the size of workgroups.
//!
//! ```text
//! cargo run --release --example tuned_kernel
//! ```
//!
//! The trait `Tunable` asks which recipes there are, how results are verified, and how a recipe is
//! compiled. A search on the device then finds the fastest recipe whose results agree.

use std::fmt;
use std::str::FromStr;

use wgpu_fft::low_level::tune::text_hash;
use wgpu_fft::low_level::tune::{Arrays, Bindings, Compiled, Format, Recorder, TestInput, Tolerance, Tunable, Verification};
use wgpu_fft::plan::Placement;
use wgpu_fft::tune::Tuning;
use wgpu_fft::{Cause, DeviceProfile, Error, Gpu, GpuOptions, Result, View, wgpu};

const WGSL: &str = "
override WORKGROUP: u32 = 64u;
@group(0) @binding(0) var<storage, read> input: array<f32>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) place: vec3<u32>) {
    if (place.x < arrayLength(&input)) {
        output[place.x] = tanh(input[place.x]);
    }
}
";

/// tanh of each element. Its text is the key in the record, so it holds all that matters for the
/// choice.
#[derive(Clone, Debug)]
struct Tanh {
    len: u32,
}

impl fmt::Display for Tanh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "my-tanh f32 {}", self.len)
    }
}

/// Invocations of a workgroup. The record keeps it as text, so it prints and parses.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Workgroup(u32);

impl fmt::Display for Workgroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "workgroup={}", self.0)
    }
}

impl FromStr for Workgroup {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let number = text.strip_prefix("workgroup=").and_then(|number| number.parse().ok());
        let why = "it is of the form workgroup=64".to_owned();
        number.map(Self).ok_or_else(|| Error::Parse { what: "workgroup", text: text.to_owned(), why })
    }
}

/// A view as a binding. The buffers of a search are larger than the arrays, which have guards around
/// them, so bind the views only.
fn resource(view: View<'_, u32>) -> wgpu::BindingResource<'_> {
    let size = wgpu::BufferSize::new(view.len_bytes());
    wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer: view.buffer(), offset: view.offset_bytes(), size })
}

impl Tunable for Tanh {
    type Recipe = Workgroup;

    fn estimate(&self, _: &DeviceProfile) -> Result<Workgroup> {
        Ok(Workgroup(64))
    }

    // Results are compared with this recipe. It must fit wherever the estimate fits: if it
    // cannot run, the estimate always stays.
    fn baseline(&self, profile: &DeviceProfile) -> Result<Workgroup> {
        self.estimate(profile)
    }

    fn alternatives(&self, _: &DeviceProfile) -> Vec<Workgroup> {
        vec![Workgroup(256)]
    }

    fn neighbours(&self, recipe: &Workgroup, _: &DeviceProfile) -> Vec<Workgroup> {
        vec![Workgroup(recipe.0.saturating_mul(2)), Workgroup(recipe.0 / 2)]
    }

    fn verification(&self) -> Verification {
        Verification { input: TestInput::Numbers(Format::F32, -3.0, 3.0), output: Tolerance::Numbers(Format::F32, 1e-6) }
    }

    fn arrays(&self, _: &DeviceProfile) -> Result<Arrays> {
        let bytes = u64::from(self.len) * 4;
        Ok(Arrays { input_bytes: bytes, inputs: 1, output_bytes: bytes, placement: Placement::OutOfPlace })
    }

    // A recipe that does not fit returns an error here, and is not tried. The record keeps the
    // hash, so it must be the same in every run. The hashers of std do not promise that.
    fn fingerprint(&self, recipe: &Workgroup, profile: &DeviceProfile) -> Result<u64> {
        let most = profile.invocations.min(profile.workgroup_size[0]);
        if !(1..=most).contains(&recipe.0) || self.len.div_ceil(recipe.0) > profile.groups_per_axis {
            let why = format!("workgroups are of 1 to {most}, and {} of them at most", profile.groups_per_axis);
            return Err(Error::UnfitRecipe { recipe: recipe.to_string(), spec: self.to_string(), why });
        }
        Ok(text_hash(&format!("{WGSL}{recipe}")))
    }

    fn compile(&self, gpu: &Gpu, recipe: &Workgroup) -> Result<Compiled> {
        let (device, groups) = (gpu.device(), self.len.div_ceil(recipe.0));
        // If wgpu refuses the pipeline, that is this recipe's error.
        let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let module =
            device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source: wgpu::ShaderSource::Wgsl(WGSL.into()) });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &[("WORKGROUP", f64::from(recipe.0))],
                ..Default::default()
            },
            cache: None,
        });
        if let Some(error) = pollster::block_on(scope.pop()) {
            return Err(Error::Wgpu { during: "compiling tanh", source: Cause::new(error) });
        }
        let device = device.clone();
        Ok(Box::new(move |bindings: &Bindings<'_>| {
            let bind_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &pipeline.get_bind_group_layout(0),
                entries: &[
                    wgpu::BindGroupEntry { binding: 0, resource: resource(bindings.inputs[0]) },
                    wgpu::BindGroupEntry { binding: 1, resource: resource(bindings.output) },
                ],
            });
            let pipeline = pipeline.clone();
            let recorder: Recorder = Box::new(move |pass| {
                pass.set_pipeline(&pipeline);
                pass.set_bind_group(0, &bind_group, &[]);
                pass.dispatch_workgroups(groups, 1, 1);
            });
            Ok(recorder)
        }))
    }
}

fn main() -> Result<()> {
    let gpu = pollster::block_on(Gpu::request(&GpuOptions::default()))?;
    // With `.record(Record::open_default())` the result would be kept for other runs. All programs
    // share that record, so a specification needs a name that no other program uses.
    let choice = Tuning::measure().choose(&gpu, &Tanh { len: 1 << 20 })?;
    println!("{}, {}", choice.recipe, choice.source);
    Ok(())
}
