//! A device, what is known and kept of it, and its errors as results. What can be done with it is
//! in the files that import this one.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use once_cell::sync::OnceCell;

use super::buffer::given;
use super::cache::PipelineCache;
use super::fault::{Faults, Steps};
use super::known::Known;
use super::options::WAIT_LIMIT;
use super::profile::DeviceProfile;
use super::queued::Queued;
use super::saved::Saved;
use super::submissions::Submissions;
use super::times::Times;
use super::transfer::{Pool, Transfers};
use super::{scope, unchecked};
use crate::error::{Error, Result, within};

/// A device to compute on: one that this crate opened, or one borrowed from the caller. Cheap to
/// clone.
#[derive(Clone, Debug)]
pub struct Gpu {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    pub(super) profile: Arc<DeviceProfile>,
    /// The reason why the device was lost. Known on our own devices only: a guest installs no
    /// handler.
    pub(super) lost: Arc<Mutex<Option<String>>>,
    pub(super) cache: Arc<PipelineCache>,
    pub(super) known: Arc<Known>,
    /// Whether shaders do without wgpu's checks, see [`GpuOptions`](crate::GpuOptions).
    pub(super) checked: bool,
    /// Buffers between two transfers.
    pub(super) pool: Arc<Pool>,
    pub(super) transfers: Transfers,
    /// Whether the host maps the arrays of runs.
    pub(super) maps_arrays: bool,
    /// How long it may show no progress while somebody waits.
    pub(super) wait_limit: Option<Duration>,
    /// What this crate has submitted.
    pub(super) submissions: Arc<Submissions>,
    /// What is recorded and not yet submitted.
    pub(super) queued: Arc<Queued>,
    /// Every so many runs of a plan on host data are verified; 0 for none.
    pub(super) verify_every: u32,
    /// Where failures on purpose are, of tests.
    pub(super) steps: Steps,
    /// How many bits of a number of two f32 its arithmetic gets right, once a plan has asked.
    pub(crate) right_bits: Arc<OnceCell<u32>>,
    pub(crate) times: Arc<Times>,
}

impl Gpu {
    /// Borrows the caller's device. It installs no handlers, neither for errors nor for a lost
    /// device, and uses only features and limits that the device was opened with.
    ///
    /// Plans fit the limits that the device was opened with. `wgpu::DeviceDescriptor::default()`
    /// asks for WebGPU's minimum: 16 KiB of workgroup memory, 256 invocations per workgroup,
    /// bindings of 128 MiB. With `required_limits: adapter.limits()`, longer rows fit a workgroup
    /// and faster recipes are available. [`Bound::time_steps`](crate::Bound::time_steps) needs the
    /// feature `TIMESTAMP_QUERY`. On the software adapter lavapipe, the fastest recipes need
    /// `SUBGROUP` and `SHADER_INT64`. Sums of f64 need `SHADER_F64`. On software and integrated
    /// adapters, `MAPPABLE_PRIMARY_BUFFERS` lets [`Plan::run`](crate::Plan::run) do without staging
    /// buffers.
    ///
    /// # Buffers, textures, encoders and the queue
    /// All of them must belong to this device. wgpu distinguishes the devices of one
    /// `wgpu::Instance`, but not instances: its handles are numbers, and a handle from another
    /// instance refers to whatever object has that number in the device's own instance. The crate
    /// detects what it can and returns [`Error::ForeignObject`] at the first use:
    ///
    /// - A foreign buffer is detected if no buffer of this device has its number, or if the buffer
    ///   with its number differs in size or usage. If both agree, the mistake goes unnoticed, and
    ///   the other buffer's contents are read or written.
    /// - A texture of another instance is detected if the device's instance lacks the number of its
    ///   view, or if the view with that number has another kind of texels or dimension. Otherwise the
    ///   other texture is read or written, whatever its size: texels outside of it are zeros or its
    ///   outermost ones, and nothing is stored there.
    /// - A queue of another device is detected, whatever its instance. To detect it, the first
    ///   plan, upload or read-back on a borrowed device polls the device once. Polling runs
    ///   callbacks that are due, such as those of `map_async`, and may wait up to a second for work
    ///   in flight.
    /// - An encoder of another instance is detected if the device's instance lacks one of the
    ///   numbers in use. Otherwise it goes unnoticed. An encoder of another device in the same
    ///   instance reports an error to that device's handler when it is finished; an encoder of
    ///   another instance may run anything.
    ///
    /// wgpu panics when a number is missing. The crate catches that panic, after wgpu has printed
    /// its message. It cannot do so in programs compiled with `panic = "abort"`.
    ///
    /// # Lost devices
    /// Without a handler, the crate notices a lost device only when a call fails. Reading back
    /// returns [`Error::DeviceLost`] at the latest. Calls that read nothing back may do nothing and
    /// still return `Ok`.
    #[must_use]
    pub fn from_wgpu(device: wgpu::Device, queue: wgpu::Queue) -> Self {
        let profile = Arc::new(DeviceProfile::of(&device));
        if profile.is_cpu() && !(profile.subgroups && profile.int64) {
            log::info!(
                "{}: on software adapters that have them, FFTs are several times as fast with the features SUBGROUP and SHADER_INT64",
                profile.name
            );
        }
        Self {
            maps_arrays: maps_arrays(&device),
            queued: Arc::new(Queued::new(&device, &queue)),
            device,
            queue,
            profile,
            lost: Arc::default(),
            cache: Arc::default(),
            known: Arc::default(),
            checked: false,
            pool: Arc::default(),
            transfers: Transfers::default(),
            times: Arc::default(),
            right_bits: Arc::default(),
            wait_limit: Some(WAIT_LIMIT),
            submissions: Arc::default(),
            verify_every: 0,
            steps: Steps::default(),
        }
    }

    /// Whether the device is lost or destroyed, as far as wgpu tells: it is asked for a buffer.
    ///
    /// Commands recorded or submitted for a lost device may return `Ok`. In the browser this is
    /// known only after the device has said so.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.check_alive("asking for a loss").is_err() || !self.makes_buffers()
    }

    /// With `true`, every shader keeps wgpu's bounds checks. With `false`, shaders that are proven
    /// not to need them run without. The environment variable `WGPU_FFT_CHECKED=1` turns the checks
    /// on for every device, borrowed ones included. The setting applies to planners made from the
    /// returned value.
    #[must_use]
    pub fn with_bounds_checks(self, checked: bool) -> Self {
        Self { checked, ..self }
    }

    /// Whether every shader runs with wgpu's bounds checks.
    #[must_use]
    pub fn has_bounds_checks(&self) -> bool {
        self.checked
    }

    /// Sets how long the device may show no progress while somebody waits for it: 10 minutes if
    /// this is not called, or what
    /// [`GpuOptions::wait_limit`](crate::GpuOptions::wait_limit) says. `None` waits for ever.
    ///
    /// A driver that hangs may never answer, and then nothing else ends the wait. The limit counts
    /// from the last submission of this crate that the device has finished; whatever else the
    /// caller's queue holds counts as one with the next. It may be exceeded by an eighth. After
    /// [`Error::TimedOut`] the device may still be at work: wait again for something else, raise
    /// the limit, or open another device. Dropping a device that hangs can block for as long as
    /// wgpu waits for it.
    ///
    /// The setting applies to planners made from the returned value.
    #[must_use]
    pub fn with_wait_limit(self, limit: Option<Duration>) -> Self {
        Self { wait_limit: limit, ..self }
    }

    /// How long the device may show no progress while somebody waits for it.
    #[must_use]
    pub fn wait_limit(&self) -> Option<Duration> {
        self.wait_limit
    }

    /// Verifies every so many runs of each plan on host data, as
    /// [`GpuOptions::verify_every`](crate::GpuOptions::verify_every) does; 0 verifies none. The
    /// setting applies to planners made from the returned value.
    #[must_use]
    pub fn with_verify_every(self, runs: u32) -> Self {
        Self { verify_every: runs, ..self }
    }

    /// Every how many runs of a plan on host data one is verified; 0 if none is.
    #[must_use]
    pub fn verify_every(&self) -> u32 {
        self.verify_every
    }

    /// Sets how data moves between the host and the device. The setting applies to planners made
    /// from the returned value, which share their kept buffers with this one.
    #[must_use]
    pub fn with_transfers(self, transfers: Transfers) -> Self {
        Self { transfers, ..self }
    }

    /// How data moves between the host and the device.
    pub fn transfers(&self) -> Transfers {
        self.transfers
    }

    /// The size of the buffers that are kept between two transfers: the arrays of
    /// [`Plan::run`](crate::Plan::run) and [`run_into`](crate::Plan::run_into), and staging
    /// buffers. It is at most [`Transfers::kept_bytes`]. They are freed when the last `Gpu` of this
    /// device is dropped.
    #[must_use]
    pub fn kept_bytes(&self) -> u64 {
        self.pool.bytes()
    }

    /// Frees the buffers that are kept between two transfers.
    pub fn free_kept(&self) {
        self.pool.clear();
    }

    /// Keeps compiled pipelines in the file at `path`, as
    /// [`GpuOptions::pipeline_cache`](crate::GpuOptions::pipeline_cache) does. Use this for a
    /// borrowed device; it must have been opened with the feature `PIPELINE_CACHE`. The setting
    /// applies to planners made from the returned value.
    #[must_use]
    pub fn with_pipeline_cache(self, path: impl Into<PathBuf>) -> Self {
        let create = |saved: Option<Saved<'_>>| {
            self.caught("opening the pipeline cache", 0, || unchecked::create_pipeline_cache(&self.device, saved))
        };
        Self { cache: Arc::new(PipelineCache::open(&self.device, path.into(), create)), ..self }
    }

    /// How many bytes of compiled pipelines the driver was given from the file that
    /// [`GpuOptions::pipeline_cache`](crate::GpuOptions::pipeline_cache) names: 0 if that does not
    /// exist yet, and `None` if no file was named.
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File) if the file cannot be read, or was made for another
    /// device; saving replaces it if it is a regular file.
    /// [`Error::Unsupported`](crate::Error::Unsupported) if the device cannot keep pipelines; what
    /// wgpu says if it makes no cache.
    #[must_use]
    pub fn pipeline_cache(&self) -> Option<Result<u64>> {
        self.cache.loaded()
    }

    /// Writes all pipelines, those loaded and those compiled so far, to the file that
    /// [`GpuOptions::pipeline_cache`](crate::GpuOptions::pipeline_cache) names. Returns the file's
    /// size in bytes.
    ///
    /// The file is replaced as a whole or not at all. If two programs save to one file, the later
    /// one wins. The directory must exist. A symbolic link is followed, and the file that it points
    /// to is replaced. Anything that is not a regular file, such as a device or a pipe, is left
    /// alone.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) if no file was named, or the device cannot
    /// keep pipelines; [`Error::File`](crate::Error::File) if the file cannot be written, the
    /// driver gives nothing to save, or more than 256 MiB;
    /// [`Error::DeviceLost`](crate::Error::DeviceLost).
    pub fn save_pipeline_cache(&self) -> Result<u64> {
        self.check_alive("saving the pipeline cache")?;
        self.cache.save(&self.device, |cache| self.caught("saving the pipeline cache", 0, || cache.get_data()))
    }

    /// The wgpu device.
    #[must_use]
    pub fn device(&self) -> &wgpu::Device {
        &self.device
    }

    /// The wgpu queue.
    #[must_use]
    pub fn queue(&self) -> &wgpu::Queue {
        &self.queue
    }

    /// The device's properties as far as recipes depend on them.
    #[must_use]
    pub fn profile(&self) -> &DeviceProfile {
        &self.profile
    }

    /// What wgpu reports about the adapter and its driver.
    #[must_use]
    pub fn adapter_info(&self) -> wgpu::AdapterInfo {
        self.device.adapter_info()
    }

    /// Creates a buffer, within the device's limits and with wgpu's errors as results. One that can
    /// be mapped for writing is. Its label says `what` it is.
    pub(crate) fn create_buffer(&self, what: &str, size: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer> {
        self.create_labelled(&format!("wgpu-fft {what}"), what, size, usage)
    }

    pub(super) fn create_labelled(&self, label: &str, what: &str, size: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer> {
        within(|| format!("{what} (bytes)"), "max_buffer_size", size, self.profile.buffer_bytes)?;
        let mapped_at_creation = usage.contains(wgpu::BufferUsages::MAP_WRITE);
        let usage = given(usage);
        let buffer = self.caught("allocation", size, || {
            self.device.create_buffer(&wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation })
        })?;
        self.known.add(&buffer);
        Ok(buffer)
    }

    /// Where pipelines are looked up and kept, if anywhere.
    pub(crate) fn wgpu_pipeline_cache(&self) -> Option<&wgpu::PipelineCache> {
        self.cache.wgpu()
    }

    /// Makes a shader module of a kernel's text, whose indices may be `proven` to need no checks.
    /// It reports errors to the device's scope.
    pub(crate) fn create_shader_module(&self, label: &str, wgsl: &str, proven: bool) -> wgpu::ShaderModule {
        let descriptor = wgpu::ShaderModuleDescriptor { label: Some(label), source: wgpu::ShaderSource::Wgsl(wgsl.into()) };
        let changed = self.steps.changed(wgsl);
        let descriptor = match &changed {
            Some(text) => wgpu::ShaderModuleDescriptor { source: wgpu::ShaderSource::Wgsl(text.into()), ..descriptor },
            None => descriptor,
        };
        if proven && !self.checked && changed.is_none() {
            unchecked::create_shader_module(&self.device, descriptor)
        } else {
            self.device.create_shader_module(descriptor)
        }
    }

    pub(crate) fn require(&self, argument: &'static str, buffer: &wgpu::Buffer, required: wgpu::BufferUsages) -> Result<()> {
        if buffer.usage().contains(required) { Ok(()) } else { Err(Error::MissingUsage { argument, required, actual: buffer.usage() }) }
    }

    /// Runs `work`, unless the device is known to be lost, and returns its value, or the first
    /// error that wgpu reported for it.
    pub(crate) fn caught<T>(&self, during: &'static str, bytes: u64, work: impl FnOnce() -> T) -> Result<T> {
        self.check_alive(during)?;
        self.steps.pass(during, bytes)?;
        scope::caught(&self.device, during, bytes, work).map_err(|error| match error {
            // wgpu reports a loss to the device's callback alone, and then every new object as
            // invalid.
            Error::Wgpu { source, .. } if !self.makes_buffers() => Error::DeviceLost { during, message: source.to_string() },
            other => other,
        })
    }

    /// Whether the device still makes buffers; a lost one returns invalid ones without an error.
    pub(super) fn makes_buffers(&self) -> bool {
        let descriptor = wgpu::BufferDescriptor {
            label: Some("wgpu-fft probe"),
            size: 4,
            usage: wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: true,
        };
        let probe = scope::caught(&self.device, "probe", 4, || self.device.create_buffer(&descriptor).get_mapped_range(..).is_ok());
        probe.unwrap_or(false)
    }

    /// Fails if the device is known to be lost.
    pub(crate) fn check_alive(&self, during: &'static str) -> Result<()> {
        match &*self.lost.lock().unwrap_or_else(PoisonError::into_inner) {
            None => Ok(()),
            Some(message) => Err(Error::DeviceLost { during, message: message.clone() }),
        }
    }
}

/// `NVIDIA H200 (Vulkan, DiscreteGpu)`.
impl fmt::Display for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let info = self.device.adapter_info();
        write!(f, "{} ({:?}, {:?})", self.profile.name, info.backend, info.device_type)
    }
}

/// Whether arrays may be mapped. Discrete GPUs have the feature too, but their kernels would read
/// such arrays over the bus.
fn maps_arrays(device: &wgpu::Device) -> bool {
    use wgpu::DeviceType::{Cpu, IntegratedGpu};
    cfg!(not(target_arch = "wasm32"))
        && device.features().contains(wgpu::Features::MAPPABLE_PRIMARY_BUFFERS)
        && matches!(device.adapter_info().device_type, Cpu | IntegratedGpu)
}

/// The same device, whose steps from now on pass `faults`. Planners made from it take part.
#[must_use]
pub fn inject(gpu: Gpu, faults: Arc<dyn Faults>) -> Gpu {
    Gpu { steps: Steps(Some(faults)), ..gpu }
}
