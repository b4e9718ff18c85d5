//! A device, and data transfers to and from it. Only this folder, `plan/{bound,build,textures}.rs` and
//! `tune/lab.rs` call wgpu.

#[cfg(not(target_arch = "wasm32"))]
mod behind;
mod buffer;
mod cache;
mod distinct;
pub(crate) mod fault;
mod foreign;
pub(crate) mod late;
mod options;
pub(crate) mod pending;
mod profile;
pub(crate) mod progress;
mod queued;
mod registers;
mod saved;
mod scope;
mod stopwatch;
mod submissions;
mod times;
pub(crate) mod transfer;
mod unchecked;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use once_cell::sync::OnceCell;

pub(crate) use buffer::AnyView;
pub use buffer::{DeviceBuffer, IntoView, View};
pub(crate) use buffer::{in_units, input_name};
pub use cache::{PipelineCacheError, PipelineCacheStatus};
pub use distinct::distinct_adapters;
pub(crate) use foreign::{foreign, without_panic, without_panic_of_others};
pub use options::{GpuOptions, adapters};
pub use pending::Pending;
pub(crate) use pending::cannot_block;
pub use profile::DeviceProfile;
pub(crate) use progress::{Progress, wait_for};
pub use queued::Caller;
pub(crate) use queued::Recorded;
pub use registers::Registers;
pub use stopwatch::{Stopwatch, Timer};
pub(crate) use times::{OfDevice, Times};
pub use transfer::Transfers;
pub(crate) use transfer::{Commands, Download, Role, Staging};

use crate::element::Element;
use crate::error::{Cause, Error, Result};

/// A device to compute on: one that this crate opened, or one borrowed from the caller. Cheap to
/// clone.
#[derive(Clone, Debug)]
pub struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
    profile: Arc<DeviceProfile>,
    /// The reason why the device was lost. Known on our own devices only: a guest installs no
    /// handler.
    lost: Arc<Mutex<Option<String>>>,
    cache: Arc<cache::PipelineCache>,
    known: Arc<foreign::Known>,
    /// Whether shaders do without wgpu's checks, see [`GpuOptions`].
    checked: bool,
    /// Buffers between two transfers.
    pool: Arc<transfer::Pool>,
    transfers: Transfers,
    /// Whether the host maps the arrays of runs.
    maps_arrays: bool,
    /// How long it may show no progress while somebody waits.
    wait_limit: Option<Duration>,
    /// What this crate has submitted.
    submissions: Arc<submissions::Submissions>,
    /// What is recorded and not yet submitted.
    queued: Arc<queued::Queued>,
    /// Every so many runs of a plan on host data are verified; 0 for none.
    verify_every: u32,
    /// Failures on purpose, of tests.
    faults: Option<Arc<fault::Faults>>,
    /// How many bits of a number of two f32 its arithmetic gets right, once a plan has asked.
    pub(crate) right_bits: Arc<OnceCell<u32>>,
    pub(crate) times: Arc<Times>,
}

/// A future that is compiled here. What is `async` and not boxed is compiled in every program that
/// awaits it.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) type Boxed<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;
#[cfg(target_arch = "wasm32")]
pub(crate) type Boxed<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + 'a>>;

/// A usage that aligns arrays to the sectors of a GPU's memory, which have 32 bytes. wgpu puts
/// buffers next to one another as closely as the driver allows: on NVIDIA at multiples of 16 bytes
/// for storage, and at multiples of 64 for what may be a uniform as well. H100, ms of one program
/// with buffers for storage alone, and with this usage: 2²³ 0.1498 and 0.1280, real 4096² 0.1597
/// and 0.1494, back to reals 16 of 1000² 0.1573 and 0.1184, 2048² 0.0453 and 0.0339; but as the
/// first transform of a program, by chance, 0.0345 without it too
/// (benches/reports/2026-11-26-alignment).
const ALIGNED: wgpu::BufferUsages = wgpu::BufferUsages::UNIFORM;

/// The usages that a buffer with these is given.
fn given(usage: wgpu::BufferUsages) -> wgpu::BufferUsages {
    if usage.contains(wgpu::BufferUsages::STORAGE) { usage | ALIGNED } else { usage }
}

impl Gpu {
    /// Opens the adapter that `options` and the environment ask for, with all its limits unless
    /// [`GpuOptions::limits`] says otherwise.
    ///
    /// Without [`GpuOptions::instance`] or [`GpuOptions::adapter`], the device belongs to this
    /// crate's own `wgpu::Instance`. If your program uses wgpu itself, never mix this device's
    /// buffers, encoders and queue with those of your own devices; see
    /// [`from_wgpu`](Self::from_wgpu) for what goes wrong. To work on your own device, borrow it
    /// with `from_wgpu`. To open a second device in your own instance, set one of the two options.
    ///
    /// # Errors
    /// [`Error::NoAdapter`], with advice on what to install; [`Error::NoDevice`] if the adapter
    /// opens no device; [`Error::Parse`] if an environment variable has a value that cannot be
    /// read.
    pub async fn request(options: &GpuOptions) -> Result<Self> {
        Self::boxed_request(options).await
    }

    fn boxed_request(options: &GpuOptions) -> Boxed<'_, Result<Self>> {
        Box::pin(Self::requested(options))
    }

    async fn requested(options: &GpuOptions) -> Result<Self> {
        let adapters = adapters(options).await?;
        Self::opened(&adapters[0], options).await
    }

    /// Opens a device of `adapter` with all its limits. It enables timestamp queries, subgroups,
    /// 64-bit integers and 64-bit floats where the adapter has them, and on software and integrated
    /// adapters arrays that the host can map. It follows the environment variables of
    /// [`GpuOptions`].
    ///
    /// # Errors
    /// [`Error::NoDevice`] if the adapter opens no device; [`Error::Parse`] if an environment
    /// variable has a value that cannot be read.
    pub async fn from_adapter(adapter: &wgpu::Adapter) -> Result<Self> {
        Self::from_adapter_with(adapter, &GpuOptions::default()).await
    }

    /// Opens a device as [`from_adapter`](Self::from_adapter) does, and applies those `options`
    /// that say how to open a device. Those that choose an adapter are ignored.
    ///
    /// # Errors
    /// The errors of [`from_adapter`](Self::from_adapter).
    pub async fn from_adapter_with(adapter: &wgpu::Adapter, options: &GpuOptions) -> Result<Self> {
        Self::boxed_open(adapter, options).await
    }

    fn boxed_open<'a>(adapter: &'a wgpu::Adapter, options: &'a GpuOptions) -> Boxed<'a, Result<Self>> {
        Box::pin(Self::opened(adapter, options))
    }

    async fn opened(adapter: &wgpu::Adapter, options: &GpuOptions) -> Result<Self> {
        let options = options.resolved()?;
        let mut features = Self::FEATURES;
        if matches!(adapter.get_info().device_type, wgpu::DeviceType::Cpu | wgpu::DeviceType::IntegratedGpu) {
            features |= wgpu::Features::MAPPABLE_PRIMARY_BUFFERS;
        }
        Ok(Self::open(adapter, adapter.features() & features, options.limits_on(adapter), options.checked).await?.set_by(options))
    }

    /// With the settings of an open device.
    fn set_by(self, options: GpuOptions) -> Self {
        let gpu = self.with_wait_limit(options.limit_on_waits()).with_verify_every(options.runs_to_verify());
        match options.pipeline_cache {
            Some(path) => gpu.with_pipeline_cache(path),
            None => gpu,
        }
    }

    /// What devices of our own are opened with, where there is any of it.
    const FEATURES: wgpu::Features = wgpu::Features::TIMESTAMP_QUERY
        .union(wgpu::Features::PIPELINE_CACHE)
        .union(wgpu::Features::SUBGROUP)
        .union(wgpu::Features::SHADER_INT64)
        // Canvases have textures of this format.
        .union(wgpu::Features::BGRA8UNORM_STORAGE)
        .union(wgpu::Features::SHADER_F64);

    async fn open(adapter: &wgpu::Adapter, features: wgpu::Features, limits: wgpu::Limits, checked: bool) -> Result<Self> {
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("wgpu-fft"),
            required_features: features,
            required_limits: limits,
            memory_hints: wgpu::MemoryHints::Performance,
            ..Default::default()
        };
        let opened = adapter.request_device(&descriptor).await;
        let (device, queue) = opened.map_err(|error| Error::NoDevice { adapter: adapter.get_info().name, source: Cause::new(error) })?;
        let gpu = Self { checked, known: Arc::new(foreign::Known::own()), ..Self::from_wgpu(device, queue) };
        let lost = Arc::clone(&gpu.lost);
        gpu.device.set_device_lost_callback(move |reason, message| {
            let text = if message.is_empty() { format!("{reason:?}") } else { format!("{reason:?}: {message}") };
            *lost.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(text);
        });
        Ok(gpu)
    }

    /// Another device of the same adapter, with the same limits and what recipes may use, whose
    /// loss hurts nobody: to try things out on. Timestamps come on top, where there are any.
    ///
    /// # Errors
    /// [`Error::NoAdapter`] if the adapter is not found again; [`Error::NoDevice`] if it opens no
    /// second device.
    #[cfg(all(feature = "tune", not(target_arch = "wasm32")))]
    pub(crate) async fn scratch(&self) -> Result<Self> {
        let info = self.device.adapter_info();
        let adapters = options::all_adapters(None).await;
        // Of equal cards the one in the same slot; any other would do as well.
        let same = |adapter: &&wgpu::Adapter| {
            let own = adapter.get_info();
            (own.backend, own.vendor, own.device, &own.name, &own.driver, &own.driver_info)
                == (info.backend, info.vendor, info.device, &info.name, &info.driver, &info.driver_info)
        };
        let same: Vec<&wgpu::Adapter> = adapters.iter().filter(same).collect();
        let slot = |adapter: &&&wgpu::Adapter| adapter.get_info().device_pci_bus_id == info.device_pci_bus_id;
        let Some(adapter) = same.iter().find(slot).or(same.first()) else {
            let found = adapters.iter().map(|adapter| adapter.get_info().name).collect::<Vec<_>>().join(", ");
            return Err(Error::NoAdapter { wanted: format!("like {self}, for a second device"), found, hint: "Measuring needs one" });
        };
        let features = adapter.features() & (self.device.features() & Self::FEATURES | wgpu::Features::TIMESTAMP_QUERY);
        Self::open(adapter, features, self.device.limits(), self.checked).await
    }

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
            maps_arrays: transfer::maps_arrays(&device),
            queued: Arc::new(queued::Queued::new(&device, &queue)),
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
            wait_limit: Some(progress::WAIT_LIMIT),
            submissions: Arc::default(),
            verify_every: 0,
            faults: None,
        }
    }

    /// A borrowed device follows no environment variable unless this asks for it: those of
    /// [`GpuOptions`] that concern an open device, `WGPU_FFT_CHECKED`, `WGPU_FFT_VERIFY_EVERY`,
    /// `WGPU_FFT_WAIT_LIMIT` and `WGPU_FFT_PIPELINE_CACHE`. The settings apply to planners made
    /// from the returned value.
    ///
    /// # Errors
    /// [`Error::Parse`] if a variable has a value that cannot be read.
    pub fn with_environment(self) -> Result<Self> {
        let options = GpuOptions::default().resolved()?;
        Ok(self.with_bounds_checks(options.checked).set_by(options))
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
    /// this is not called, or what [`GpuOptions::wait_limit`] says. `None` waits for ever.
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
    /// [`GpuOptions::verify_every`] does; 0 verifies none. The setting applies to planners made
    /// from the returned value.
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

    /// Keeps compiled pipelines in the file at `path`, as [`GpuOptions::pipeline_cache`] does. Use
    /// this for a borrowed device; it must have been opened with the feature `PIPELINE_CACHE`. The
    /// setting applies to planners made from the returned value.
    #[must_use]
    pub fn with_pipeline_cache(self, path: impl Into<PathBuf>) -> Self {
        Self { cache: Arc::new(cache::PipelineCache::open(&self, path.into())), ..self }
    }

    /// Whether compiled pipelines are kept in a file, and whether that file could be used when the
    /// device was opened.
    #[must_use]
    pub fn pipeline_cache(&self) -> &PipelineCacheStatus {
        self.cache.status()
    }

    /// Writes all pipelines, those loaded and those compiled so far, to the file that
    /// [`GpuOptions::pipeline_cache`] names. Returns the file's size in bytes.
    ///
    /// The file is replaced as a whole or not at all. If two programs save to one file, the later
    /// one wins. The directory must exist. A symbolic link is followed, and the file that it points
    /// to is replaced. Anything that is not a regular file, such as a device or a pipe, is left
    /// alone.
    ///
    /// # Errors
    /// If no file was named, the device cannot keep pipelines (see
    /// [`pipeline_cache`](Self::pipeline_cache)) or is lost, or the file cannot be written.
    pub fn save_pipeline_cache(&self) -> std::result::Result<u64, PipelineCacheError> {
        self.check_alive("saving the pipeline cache")?;
        self.cache.save(self)
    }

    /// Creates an encoder, lets `record` fill it, and submits it. If `record` fails, nothing is
    /// submitted.
    ///
    /// # Errors
    /// The errors of `record`; [`Error::Wgpu`] if wgpu rejects the commands; [`Error::DeviceLost`].
    pub fn submit(&self, record: impl FnOnce(&mut wgpu::CommandEncoder) -> Result<()>) -> Result<wgpu::SubmissionIndex> {
        self.check_queue()?;
        self.flush()?;
        let submission = self.caught("submission", 0, || {
            let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("wgpu-fft") });
            record(&mut encoder)?;
            Ok(self.queue.submit([encoder.finish()]))
        })??;
        self.submissions.add(&submission);
        Ok(submission)
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

    /// Allocates an array of `len` zeros on the device.
    ///
    /// # Errors
    /// [`Error::Empty`]; [`Error::LimitExceeded`] if the device allows no buffer of that size;
    /// [`Error::OutOfMemory`]; [`Error::DeviceLost`]; [`Error::Unsupported`] if the element's size
    /// is neither 1, 2 nor a multiple of 4 bytes.
    pub fn alloc<T: Element>(&self, len: usize) -> Result<DeviceBuffer<T>> {
        self.alloc_labelled("wgpu-fft array", len)
    }

    /// Allocates as [`alloc`](Self::alloc) does, with a label for debuggers and wgpu's messages.
    ///
    /// # Errors
    /// The errors of [`alloc`](Self::alloc).
    pub fn alloc_labelled<T: Element>(&self, label: &str, len: usize) -> Result<DeviceBuffer<T>> {
        let bytes = self.bytes_of::<T>(len)?;
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        Ok(DeviceBuffer::new(self.create_labelled(label, "array", bytes, usage)?, len))
    }

    /// Allocates an array on the device and fills it with `data`.
    ///
    /// Where the host can map arrays (see [`GpuOptions`]), it is filled without a staging buffer,
    /// and its buffer has the usage `MAP_WRITE` besides.
    ///
    /// # Errors
    /// The errors of [`alloc`](Self::alloc).
    pub fn upload<T: Element>(&self, data: &[T]) -> Result<DeviceBuffer<T>> {
        self.upload_labelled("wgpu-fft array", data)
    }

    /// Uploads as [`upload`](Self::upload) does, with a label for debuggers and wgpu's messages.
    ///
    /// # Errors
    /// The errors of [`alloc`](Self::alloc).
    pub fn upload_labelled<T: Element>(&self, label: &str, data: &[T]) -> Result<DeviceBuffer<T>> {
        self.bytes_of::<T>(data.len())?;
        if self.maps_arrays {
            return Ok(DeviceBuffer::new(self.mapped_upload(label, bytemuck::cast_slice(data))?, data.len()));
        }
        let buffer = self.alloc_labelled(label, data.len())?;
        self.write(&buffer, data)?;
        Ok(buffer)
    }

    /// Overwrites `target` with `data`. The write takes effect before anything that is submitted
    /// afterwards.
    ///
    /// From 1 MiB on, data goes through staging buffers, and the copies are submitted. A large
    /// write waits until the device has taken its first pieces. Smaller ones go through
    /// `wgpu::Queue::write_buffer`.
    ///
    /// WebGPU writes multiples of 4 bytes. If `target` ends inside such a group of 4 bytes, the
    /// group must be the last one of the buffer.
    ///
    /// # Errors
    /// [`Error::WrongLen`]; [`Error::MissingUsage`] if the buffer lacks `COPY_DST`;
    /// [`Error::Misaligned`] if the view ends inside 4 bytes that are not the buffer's last;
    /// [`Error::ForeignObject`]; [`Error::DeviceLost`].
    pub fn write<'a, T: Element>(&self, target: impl IntoView<'a, T>, data: &[T]) -> Result<()> {
        let target = target.into_view();
        if data.len() != target.len() {
            return Err(Error::WrongLen { argument: "data", expected: target.len(), actual: data.len() });
        }
        self.require("target", target.buffer(), wgpu::BufferUsages::COPY_DST)?;
        let (offset, bytes) = (target.offset_bytes(), bytemuck::cast_slice::<T, u8>(data));
        let whole = bytes.len() / buffer::UNIT as usize * buffer::UNIT as usize;
        if whole < bytes.len() && offset + target.units_bytes() < target.buffer().size() {
            return Err(Error::Misaligned {
                argument: "end of target",
                offset_bytes: offset + target.len_bytes(),
                alignment: buffer::UNIT,
            });
        }
        self.check_queue()?;
        self.check_buffer("target", target.buffer())?;
        self.flush()?;
        self.write_bytes(target.buffer(), offset, bytes)
    }

    /// Reads the elements of `source` back, after everything submitted so far has run.
    ///
    /// # Errors
    /// [`Error::MissingUsage`] if the buffer lacks `COPY_SRC`; [`Error::ForeignObject`];
    /// [`Error::OutOfMemory`]; [`Error::DeviceLost`], from this call or from the result.
    pub fn download<'a, T: Element>(&self, source: impl IntoView<'a, T>) -> Result<Pending<Vec<T>>> {
        let source = source.into_view();
        self.require("source", source.buffer(), wgpu::BufferUsages::COPY_SRC)?;
        self.check_buffer("source", source.buffer())?;
        let download = self.begin_download(source.buffer(), source.offset_bytes(), source.units_bytes())?;
        Ok(self.collect(download, source.len()))
    }

    /// The elements that arrive by `download`.
    pub(crate) fn collect<T: Element>(&self, download: Download, len: usize) -> Pending<Vec<T>> {
        let progress = download.progress().clone();
        let elements = async move {
            let mut elements: Vec<T> = bytemuck::zeroed_vec(len);
            download.read_all(bytemuck::cast_slice_mut(&mut elements)).await?;
            Ok(elements)
        };
        Pending::new(&progress, elements)
    }

    /// Creates a buffer, within the device's limits and with wgpu's errors as results. One that can
    /// be mapped for writing is. Its label says `what` it is.
    pub(crate) fn create_buffer(&self, what: &str, size: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer> {
        self.create_labelled(&format!("wgpu-fft {what}"), what, size, usage)
    }

    fn create_labelled(&self, label: &str, what: &str, size: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer> {
        let available = self.profile.buffer_bytes;
        if size > available {
            return Err(Error::LimitExceeded { what: format!("{what} (bytes)"), limit: "max_buffer_size", required: size, available });
        }
        let mapped_at_creation = usage.contains(wgpu::BufferUsages::MAP_WRITE);
        let usage = given(usage);
        let buffer = self.caught("allocation", size, || {
            self.device.create_buffer(&wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation })
        })?;
        self.know(&buffer);
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
        let changed = self.faults.as_ref().and_then(|faults| faults.changed(wgsl));
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

    /// Bytes of a buffer for so many elements.
    fn bytes_of<T: Element>(&self, len: usize) -> Result<u64> {
        let element = buffer::element_bytes::<T>()? as u64;
        if len == 0 {
            return Err(Error::Empty { what: "array", shape: "0".to_owned() });
        }
        Ok(buffer::in_units((len as u64).saturating_mul(element)))
    }

    pub(crate) fn require(&self, argument: &'static str, buffer: &wgpu::Buffer, required: wgpu::BufferUsages) -> Result<()> {
        if buffer.usage().contains(required) { Ok(()) } else { Err(Error::MissingUsage { argument, required, actual: buffer.usage() }) }
    }

    /// Runs `work`, unless the device is known to be lost, and returns its value, or the first
    /// error that wgpu reported for it.
    pub(crate) fn caught<T>(&self, during: &'static str, bytes: u64, work: impl FnOnce() -> T) -> Result<T> {
        self.check_alive(during)?;
        self.step(during, bytes)?;
        scope::caught(&self.device, during, bytes, work).map_err(|error| match error {
            // wgpu reports a loss to the device's callback alone, and then every new object as
            // invalid.
            Error::Wgpu { source, .. } if !self.makes_buffers() => Error::DeviceLost { during, message: source.to_string() },
            other => other,
        })
    }

    /// Whether the device still makes buffers; a lost one returns invalid ones without an error.
    fn makes_buffers(&self) -> bool {
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
        match &*self.lost.lock().unwrap_or_else(std::sync::PoisonError::into_inner) {
            None => Ok(()),
            Some(message) => Err(Error::DeviceLost { during, message: message.clone() }),
        }
    }
}

/// `NVIDIA H200 (Vulkan, DiscreteGpu)`.
impl std::fmt::Display for Gpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let info = self.device.adapter_info();
        write!(f, "{} ({:?}, {:?})", self.profile.name, info.backend, info.device_type)
    }
}
