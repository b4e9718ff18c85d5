//! A program bound to arrays, and recording it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::FragmentArrays;
use super::build::{DeviceDispatch, Executable, Pipeline};
use super::program::{Placement, Program};
use super::textures::{Checked, Given, Resource};
use super::workspace::{Place, Scratch};
use crate::error::{Error, Result};
use crate::gpu::{Caller, Gpu, Pending, Recorded, foreign, input_name, without_panic};
use crate::kernels::{Dispatch, Grid, Slot};

impl Executable {
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

    /// Refuses a buffer of another device, and the one of a workspace.
    fn check_buffer(&self, argument: &'static str, buffer: &wgpu::Buffer) -> Result<()> {
        if self.workspaces.iter().any(|scratch| scratch.place().0 == *buffer) {
            return Err(Error::Aliased { first: argument, second: "the plan's workspace" });
        }
        self.gpu.check_buffer(argument, buffer)
    }

    /// Binds the program to the caller's arrays, after checking them.
    pub fn bind_arrays<'a>(&self, inputs: &[Given<'a>], output: Given<'a>, arrays: &FragmentArrays<'a>) -> Result<Bound> {
        self.expect(Placement::OutOfPlace)?;
        self.program.check_inputs(inputs.len())?;
        let output = self.checked("output", Slot::Output, &output)?;
        let inputs: Vec<Checked<'a>> = inputs
            .iter()
            .enumerate()
            .map(|(i, given)| {
                let argument = input_name(i);
                let input = self.checked(argument, Slot::Input(i), given)?;
                if input.buffer().is_some() && input.buffer() == output.buffer() {
                    return Err(Error::Aliased { first: argument, second: "output" });
                }
                input.check_apart(argument, &output)?;
                Ok(input)
            })
            .collect::<Result<_>>()?;
        let declared = arrays.of_program(&self.program, &self.gpu, output.buffer())?;
        self.bind(|slot| match slot {
            Slot::Input(i) => inputs[i].resource(),
            Slot::Declared(i) => declared[i].place().into(),
            _ => output.resource(),
        })
        .map_err(|error| {
            let ends = inputs.iter().enumerate().map(|(i, own)| (input_name(i), own)).chain([("output", &output)]);
            ends.filter_map(|(argument, own)| own.check_device(argument, &self.gpu).err()).next().unwrap_or(error)
        })
    }

    /// What a caller gives for a slot, if it is what the program takes there.
    fn checked<'a>(&self, argument: &'static str, slot: Slot, given: &Given<'a>) -> Result<Checked<'a>> {
        let checked = given.checked(argument, &self.program, slot, &self.gpu)?;
        if let Checked::View(view) = &checked {
            view.check(argument, self.program.end(slot).len, self.gpu.profile().storage_alignment)?;
            self.check_buffer(argument, view.place().0)?;
        }
        Ok(checked)
    }

    /// Binds the program to one array, after checking it.
    pub fn bind_array<'a>(&self, data: Given<'a>, arrays: &FragmentArrays<'a>) -> Result<Bound> {
        self.expect(Placement::InPlace)?;
        let data = self.checked("data", Slot::Output, &data)?;
        let declared = arrays.of_program(&self.program, &self.gpu, data.buffer())?;
        self.bind(|slot| if let Slot::Declared(i) = slot { declared[i].place().into() } else { data.resource() })
    }

    /// Binds the program to the caller's arrays. `callers` gives what stands at each slot: a buffer
    /// and the array's offset in it, or the view of a texture.
    pub fn bind<'a, R: Into<Resource<'a>>>(&self, callers: impl Fn(Slot) -> R) -> Result<Bound> {
        self.bind_slots(&|slot| callers(slot).into())
    }

    fn bind_slots<'a>(&self, callers: &dyn Fn(Slot) -> Resource<'a>) -> Result<Bound> {
        let workspaces: Vec<Place> = self.workspaces.iter().map(Scratch::place).collect();
        let entry = |binding, (buffer, offset), size| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset, size }),
        };
        let bind_group = |dispatch: &Dispatch, step: &DeviceDispatch| {
            let mut entries = vec![entry(0, (&self.params, step.params.0), Some(step.params.1))];
            entries.extend(dispatch.binds.iter().map(|bind| {
                let (first, size) = bind.range.unwrap_or((0, self.program.bytes(bind.slot)));
                let resource = match bind.slot {
                    Slot::Workspace(i) => Resource::Buffer(&workspaces[i].0, workspaces[i].1),
                    Slot::Table(i) => Resource::Buffer(&self.tables[i], 0),
                    Slot::Input(_) | Slot::Output | Slot::Declared(_) => callers(bind.slot),
                };
                match resource {
                    Resource::Buffer(buffer, offset) => entry(bind.binding, (buffer, offset + first), std::num::NonZeroU64::new(size)),
                    Resource::View(view) => {
                        wgpu::BindGroupEntry { binding: bind.binding, resource: wgpu::BindingResource::TextureView(view) }
                    }
                }
            }));
            let (label, layout) = (Some(dispatch.label.as_str()), &step.pipeline.layout);
            self.gpu.device().create_bind_group(&wgpu::BindGroupDescriptor { label, layout, entries: &entries })
        };
        let bind = || {
            let bound = |(dispatch, step): (&Dispatch, &DeviceDispatch)| BoundStep {
                pipeline: Arc::clone(&step.pipeline),
                bind_group: bind_group(dispatch, step),
                grid: dispatch.grid,
            };
            self.program.dispatches.iter().zip(&self.steps).map(bound).collect()
        };
        let steps = without_panic(|| self.gpu.caught("binding", 0, bind)).unwrap_or_else(|why| Err(foreign("a buffer", why)))?;
        let ends = (0..self.program.inputs.len()).map(Slot::Input).chain([Slot::Output]);
        let moved = ends.map(|slot| self.program.texels(slot).map_or_else(|| self.program.bytes(slot), |texels| texels.bytes()));
        let bytes = moved.sum::<u64>().saturating_mul(self.steps.len() as u64);
        let run = Run { program: Arc::clone(&self.program), steps };
        Ok(Bound { gpu: Arc::clone(&self.gpu), run: Arc::new(run), bytes })
    }
}

/// A plan bound to the caller's arrays. Recording it allocates nothing.
///
/// It keeps the buffers alive, but it does not notice a `wgpu::Buffer::destroy()`. Submitting
/// commands that use a destroyed buffer is an error that wgpu reports to the device's handler.
#[derive(Debug)]
pub struct Bound {
    gpu: Arc<Gpu>,
    run: Arc<Run>,
    /// About what a run moves.
    bytes: u64,
}

/// What is recorded for a run.
#[derive(Debug)]
struct Run {
    program: Arc<Program>,
    /// One for each dispatch of the program.
    steps: Vec<BoundStep>,
}

impl Recorded for Run {
    fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        for step in &self.steps {
            step.record(pass);
        }
    }

    fn title(&self) -> &str {
        &self.program.title
    }
}

#[derive(Debug)]
struct BoundStep {
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

impl Bound {
    /// Records the operation as one compute pass.
    ///
    /// # Errors
    /// [`Error::Wgpu`] if the encoder has an open pass; wgpu then makes the encoder invalid.
    /// [`Error::ForeignObject`] if the encoder belongs to another instance and that can be
    /// detected. [`Error::DeviceLost`].
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder) -> Result<()> {
        let descriptor = wgpu::ComputePassDescriptor { label: Some("wgpu-fft"), timestamp_writes: None };
        let record = || self.gpu.caught("recording", 0, || self.record(&mut encoder.begin_compute_pass(&descriptor)));
        without_panic(record).unwrap_or_else(|why| Err(foreign("encoder", why)))
    }

    /// How many dispatches it records.
    #[cfg(feature = "signal")]
    pub(crate) fn dispatches(&self) -> usize {
        self.run.steps.len()
    }

    /// Records the operation into the caller's compute pass. It replaces the pass's pipeline and
    /// its bind group 0.
    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.run.record(pass);
    }

    /// Queues the operation: it is recorded now, and submitted with what was queued before it and
    /// comes after it. A submission costs the host tens of microseconds, so many small runs take a
    /// fraction of the time.
    ///
    /// It is submitted by the next call of this crate on this [`Gpu`] that submits, writes or
    /// reads; by [`Gpu::flush`]; or with the 64th run, with one that makes it 256 MiB in arrays, or
    /// one that comes half a millisecond after the first, so that the device never waits long for a
    /// busy host. These last submit in a thread of the crate's, where there are threads, while this
    /// one goes on. What is queued from several threads runs in the order of the calls. Commands of
    /// the caller's own, which the crate does not submit, must come after a [`Gpu::flush`].
    ///
    /// ```no_run
    /// # use wgpu_fft::{Complex32, Gpu, Planner, fft::C2c};
    /// # fn spectra(gpu: &Gpu, frames: &[wgpu_fft::DeviceBuffer<Complex32>]) -> wgpu_fft::Result<()> {
    /// let plan = Planner::new(gpu).plan(C2c::forward(256))?;
    /// let spectra = frames.iter().map(|frame| {
    ///     let spectrum = gpu.alloc(256)?;
    ///     plan.bind(frame, &spectrum)?.enqueue()?;
    ///     Ok(spectrum)
    /// });
    /// let spectra = spectra.collect::<wgpu_fft::Result<Vec<_>>>()?;
    /// let first: Vec<Complex32> = gpu.download(&spectra[0])?.wait()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Queued`] if wgpu refuses what a call before this one has queued. It names the call,
    /// and all others have run. [`Error::DeviceLost`].
    ///
    /// In a browser errors arrive after this has returned: it succeeds, and if one call is refused,
    /// none that was submitted with it runs, which only the browser's console tells.
    pub fn enqueue(&self) -> Result<()> {
        self.gpu.enqueue(self.bytes, self.run.clone(), None)
    }

    /// As [`enqueue`](Self::enqueue), for a caller that errors name: what it prints, which it is
    /// asked for only then.
    ///
    /// # Errors
    /// Those of [`enqueue`](Self::enqueue).
    pub fn enqueue_for(&self, caller: impl fmt::Display + wgpu::WasmNotSendSync + 'static) -> Result<()> {
        self.gpu.enqueue(self.bytes, self.run.clone(), Some(Caller::new(caller)))
    }

    /// As [`enqueue`](Self::enqueue), but it never submits: it returns whether that is due.
    pub(crate) fn enqueue_alone(&self) -> Result<bool> {
        self.gpu.enqueue_alone(self.bytes, self.run.clone())
    }

    /// Runs the operation once, with each dispatch in a compute pass of its own between two
    /// timestamps. Returns the label of each dispatch, and the time from its begin to its end by
    /// the device's clock.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the device was opened without `TIMESTAMP_QUERY`;
    /// [`Error::DeviceLost`].
    pub fn time_steps(&self) -> Result<Pending<Vec<(String, Duration)>>> {
        if !self.gpu.profile().timestamps {
            let what = "timing of steps".to_owned();
            return Err(Error::Unsupported { what, why: "the device was opened without the feature TIMESTAMP_QUERY".to_owned() });
        }
        let count = self.run.steps.len() as u32 * 2;
        let bytes = u64::from(count) * 8;
        let queries = self.gpu.caught("timing", bytes, || {
            self.gpu.device().create_query_set(&wgpu::QuerySetDescriptor { label: Some("steps"), ty: wgpu::QueryType::Timestamp, count })
        })?;
        let resolved = self.gpu.create_buffer("timestamps", bytes, wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC)?;
        let period = f64::from(self.gpu.queue().get_timestamp_period());
        let dispatches = &self.run.program.dispatches;
        let labels: Vec<String> = dispatches.iter().map(|dispatch| dispatch.label.clone()).collect();
        self.gpu.read_back(
            bytes,
            |encoder, staging| {
                for ((step, dispatch), i) in self.run.steps.iter().zip(dispatches).zip((0..).step_by(2)) {
                    let timestamp_writes = Some(wgpu::ComputePassTimestampWrites {
                        query_set: &queries,
                        beginning_of_pass_write_index: Some(i),
                        end_of_pass_write_index: Some(i + 1),
                    });
                    step.record(
                        &mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some(&dispatch.label), timestamp_writes }),
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
                labels.into_iter().zip(times).collect()
            },
        )
    }
}
