//! A program on one device, and how it is recorded.

use std::sync::Arc;
use std::time::Duration;

use super::build::{Executable, Pipeline, Step};
use super::{Placement, Program, Spec};
use crate::error::{Error, Result};
use crate::gpu::{AnyView, DeviceBuffer, Gpu, Inputs, Pending, View, collect, foreign, input_name, without_panic};
use crate::kernels::{Dispatch, Grid, Slot};

/// An operation, ready to run on one device. Made by a [`Planner`](crate::Planner).
#[derive(Debug)]
pub struct Plan<S: Spec> {
    pub(super) spec: S,
    pub(super) recipe: S::Recipe,
    pub(super) executable: Executable,
}

impl<S: Spec> Plan<S> {
    /// What it computes.
    #[must_use]
    pub fn spec(&self) -> &S {
        &self.spec
    }

    /// How.
    #[must_use]
    pub fn recipe(&self) -> &S::Recipe {
        &self.recipe
    }

    /// Exactly what it runs.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.executable.program
    }

    /// Device memory that the plan holds as workspace.
    #[must_use]
    pub fn workspace_bytes(&self) -> u64 {
        self.program().workspace_bytes()
    }

    /// Records the operation into the caller's encoder, as one compute pass. Submits nothing and
    /// allocates no buffer.
    ///
    /// It makes the bind groups for these arrays; [`bind`](Self::bind) does that once for many
    /// runs. Runs of one plan share its workspace, which is safe in any order of encoders: a queue
    /// runs one after the other. An operation on two arrays takes a pair, `(&x, &y)`.
    ///
    /// # Errors
    /// [`Error::WrongLen`], [`Error::MissingUsage`], [`Error::Misaligned`], [`Error::Aliased`],
    /// [`Error::WrongPlacement`], [`Error::WrongInputs`], [`Error::ForeignObject`] for a buffer of
    /// another device, [`Error::DeviceLost`]. The encoder is then as it was.
    ///
    /// [`Error::Wgpu`] for an encoder with an open pass, which wgpu makes invalid by that: see
    /// [`Error`]. [`Error::ForeignObject`] for an encoder of another instance, if it can be seen:
    /// see [`Gpu::from_wgpu`].
    pub fn encode<'a>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        input: impl Into<Inputs<'a, S::Input>>,
        output: impl Into<View<'a, S::Output>>,
    ) -> Result<()> {
        self.bind(input, output)?.encode(encoder)
    }

    /// Records the operation on one array into the caller's encoder. The specification must be in
    /// place.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn encode_in_place<'a>(&self, encoder: &mut wgpu::CommandEncoder, data: impl Into<View<'a, S::Output>>) -> Result<()> {
        self.bind_in_place(data)?.encode(encoder)
    }

    /// Binds the plan to its arrays, to be recorded any number of times. It keeps the buffers
    /// alive.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn bind<'a>(&self, input: impl Into<Inputs<'a, S::Input>>, output: impl Into<View<'a, S::Output>>) -> Result<Bound> {
        self.executable.bind_arrays(&input.into().views, output.into().any())
    }

    /// Binds the plan to one array. The specification must be in place.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn bind_in_place<'a>(&self, data: impl Into<View<'a, S::Output>>) -> Result<Bound> {
        self.executable.bind_array(data.into().any())
    }

    /// Runs the operation on host data: uploads, runs, reads back. For data that stays on the
    /// device use [`encode`](Self::encode).
    ///
    /// # Errors
    /// [`Error::WrongLen`], [`Error::WrongInputs`], [`Error::OutOfMemory`], [`Error::DeviceLost`].
    pub fn run(&self, input: &[S::Input]) -> Result<Pending<Vec<S::Output>>> {
        self.run_on(&[input])
    }

    /// Runs an operation on two arrays, as [`run`](Self::run) does one on one.
    ///
    /// # Errors
    /// As [`run`](Self::run), and [`Error::WrongInputs`].
    pub fn run_two(&self, x: &[S::Input], y: &[S::Input]) -> Result<Pending<Vec<S::Output>>> {
        self.run_on(&[x, y])
    }

    fn run_on(&self, inputs: &[&[S::Input]]) -> Result<Pending<Vec<S::Output>>> {
        self.program().check_inputs(inputs.len())?;
        for (i, (data, array)) in inputs.iter().zip(&self.program().inputs).enumerate() {
            if data.len() != array.len {
                return Err(Error::WrongLen { argument: input_name(i), expected: array.len, actual: data.len() });
            }
        }
        let output = self.gpu().alloc::<S::Output>(self.program().output.len)?;
        let bound = match self.program().placement {
            Placement::OutOfPlace => {
                let buffers = inputs.iter().map(|data| self.gpu().upload(data)).collect::<Result<Vec<_>>>()?;
                self.bind(buffers.iter().map(DeviceBuffer::view).collect::<Vec<_>>(), &output)?
            }
            Placement::InPlace => {
                self.gpu().write(&output, bytemuck::cast_slice(inputs[0]))?;
                self.bind_in_place(&output)?
            }
        };
        let (bytes, len) = (self.program().bytes(Slot::Output), self.program().output.len);
        self.gpu().read_back(
            bytes,
            |encoder, staging| {
                bound.record_pass(encoder);
                encoder.copy_buffer_to_buffer(output.wgpu(), 0, staging, 0, bytes);
            },
            move |bytes| collect(bytes, len),
        )
    }

    fn gpu(&self) -> &Gpu {
        &self.executable.gpu
    }
}

impl Executable {
    /// What it runs.
    pub fn program(&self) -> &Program {
        &self.program
    }

    fn expect(&self, placement: Placement) -> Result<()> {
        if self.program.placement == placement {
            return Ok(());
        }
        let (placement, instead) = match self.program.placement {
            Placement::OutOfPlace => ("out of place", "encode or bind"),
            Placement::InPlace => ("in place", "encode_in_place or bind_in_place"),
        };
        Err(Error::WrongPlacement { spec: self.program.title.clone(), placement, instead })
    }

    /// Binds the program to the caller's arrays, after checking them.
    pub fn bind_arrays(&self, inputs: &[AnyView<'_>], output: AnyView<'_>) -> Result<Bound> {
        self.expect(Placement::OutOfPlace)?;
        self.program.check_inputs(inputs.len())?;
        let alignment = self.gpu.profile().storage_alignment;
        let (target, _) = output.place();
        output.check("output", self.program.output.len, alignment)?;
        self.gpu.check_buffer("output", target)?;
        for (i, (view, array)) in inputs.iter().zip(&self.program.inputs).enumerate() {
            let argument = input_name(i);
            let (buffer, _) = view.place();
            view.check(argument, array.len, alignment)?;
            self.gpu.check_buffer(argument, buffer)?;
            if buffer == target {
                return Err(Error::Aliased { first: argument, second: "output" });
            }
        }
        self.bind(|slot| match slot {
            Slot::Input(i) => inputs[i].place(),
            _ => output.place(),
        })
    }

    /// Binds the program to one array, after checking it.
    pub fn bind_array(&self, data: AnyView<'_>) -> Result<Bound> {
        self.expect(Placement::InPlace)?;
        data.check("data", self.program.output.len, self.gpu.profile().storage_alignment)?;
        self.gpu.check_buffer("data", data.place().0)?;
        self.bind(|_| data.place())
    }

    /// Binds the program to the caller's arrays: the buffer of each slot, and where the array
    /// begins in it.
    pub fn bind<'a>(&'a self, callers: impl Fn(Slot) -> (&'a wgpu::Buffer, u64)) -> Result<Bound> {
        self.bind_slots(&callers)
    }

    fn bind_slots<'a>(&'a self, callers: &dyn Fn(Slot) -> (&'a wgpu::Buffer, u64)) -> Result<Bound> {
        let whole = |buffer: &'a wgpu::Buffer| (buffer, 0);
        let entry = |binding, (buffer, offset), size| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset, size }),
        };
        let bind_group = |dispatch: &Dispatch, step: &Step| {
            let mut entries = vec![entry(0, (&self.params, step.params.0), Some(step.params.1))];
            entries.extend(dispatch.binds.iter().map(|bind| {
                let (first, size) = bind.range.unwrap_or((0, self.program.bytes(bind.slot)));
                let (buffer, offset) = match bind.slot {
                    Slot::Workspace(i) => whole(&self.workspaces[i]),
                    Slot::Table(i) => whole(&self.tables[i]),
                    Slot::Input(_) | Slot::Output => callers(bind.slot),
                };
                entry(bind.binding, (buffer, offset + first), std::num::NonZeroU64::new(size))
            }));
            let (label, layout) = (Some(dispatch.label.as_str()), &step.pipeline.layout);
            self.gpu.device().create_bind_group(&wgpu::BindGroupDescriptor { label, layout, entries: &entries })
        };
        let bind = || {
            let bound = |(dispatch, step): (&Dispatch, &Step)| BoundStep {
                label: dispatch.label.clone(),
                pipeline: Arc::clone(&step.pipeline),
                bind_group: bind_group(dispatch, step),
                grid: dispatch.grid,
            };
            self.program.dispatches.iter().zip(&self.steps).map(bound).collect()
        };
        let steps = without_panic(|| self.gpu.caught("binding", 0, bind)).unwrap_or_else(|why| Err(foreign("a buffer", why)))?;
        Ok(Bound { gpu: self.gpu.clone(), steps })
    }
}

/// A plan bound to the caller's arrays. Recording it allocates nothing.
///
/// It keeps the buffers alive, but cannot know of a `wgpu::Buffer::destroy()`: submitting what was
/// recorded is then wgpu's error, for the device's handler.
#[derive(Debug)]
pub struct Bound {
    gpu: Gpu,
    steps: Vec<BoundStep>,
}

#[derive(Debug)]
struct BoundStep {
    label: String,
    pipeline: Arc<Pipeline>,
    bind_group: wgpu::BindGroup,
    grid: Grid,
}

impl BoundStep {
    fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        pass.set_pipeline(&self.pipeline.pipeline);
        pass.set_bind_group(0, &self.bind_group, &[]);
        pass.dispatch_workgroups(self.grid.x, self.grid.y, 1);
    }
}

/// The time that one dispatch of a program took on the device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StepTime {
    /// The dispatch's label.
    pub label: String,
    /// From its begin to its end, by the device's clock.
    pub time: Duration,
}

impl Bound {
    /// Records the operation as one compute pass.
    ///
    /// # Errors
    /// [`Error::Wgpu`] if the encoder has an open pass, which makes it invalid;
    /// [`Error::ForeignObject`] if it is of another instance, where that can be seen;
    /// [`Error::DeviceLost`].
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder) -> Result<()> {
        let record = || self.gpu.caught("recording", 0, || self.record_pass(encoder));
        without_panic(record).unwrap_or_else(|why| Err(foreign("encoder", why)))
    }

    fn record_pass(&self, encoder: &mut wgpu::CommandEncoder) {
        self.record(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some("wgpu-fft"), timestamp_writes: None }));
    }

    /// Records the operation into a compute pass of the caller's, whose pipeline and bind group 0
    /// it replaces.
    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        for step in &self.steps {
            step.record(pass);
        }
    }

    /// Runs the operation once, each dispatch in a compute pass of its own between two timestamps.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the device was opened without `TIMESTAMP_QUERY`;
    /// [`Error::DeviceLost`].
    pub fn time_steps(&self) -> Result<Pending<Vec<StepTime>>> {
        if !self.gpu.profile().timestamps {
            let what = "timing of steps".to_owned();
            return Err(Error::Unsupported { what, why: "the device was opened without the feature TIMESTAMP_QUERY".to_owned() });
        }
        let count = self.steps.len() as u32 * 2;
        let bytes = u64::from(count) * 8;
        let queries = self.gpu.caught("timing", bytes, || {
            self.gpu.device().create_query_set(&wgpu::QuerySetDescriptor { label: Some("steps"), ty: wgpu::QueryType::Timestamp, count })
        })?;
        let resolved = self.gpu.create_buffer("timestamps", bytes, wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC)?;
        let period = f64::from(self.gpu.queue().get_timestamp_period());
        let labels: Vec<String> = self.steps.iter().map(|step| step.label.clone()).collect();
        self.gpu.read_back(
            bytes,
            |encoder, staging| {
                for (step, i) in self.steps.iter().zip((0..).step_by(2)) {
                    let timestamp_writes = Some(wgpu::ComputePassTimestampWrites {
                        query_set: &queries,
                        beginning_of_pass_write_index: Some(i),
                        end_of_pass_write_index: Some(i + 1),
                    });
                    step.record(
                        &mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some(&step.label), timestamp_writes }),
                    );
                }
                encoder.resolve_query_set(&queries, 0..count, &resolved, 0);
                encoder.copy_buffer_to_buffer(&resolved, 0, staging, 0, bytes);
            },
            move |bytes| {
                let stamps: Vec<u64> = bytemuck::pod_collect_to_vec(bytes);
                let times = stamps.chunks_exact(2).map(|stamp| {
                    // Clocks may step back when a device changes its state; such a time is unknown
                    // and reads as 0.
                    let nanoseconds = stamp[1].saturating_sub(stamp[0]) as f64 * period;
                    Duration::from_nanos(nanoseconds as u64)
                });
                labels.into_iter().zip(times).map(|(label, time)| StepTime { label, time }).collect()
            },
        )
    }
}
