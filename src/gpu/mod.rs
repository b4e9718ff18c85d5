//! A device and how data gets there and back. This folder, `plan/{build,encode}.rs`, `tune/lab.rs`
//! and `multi/ring.rs` are all that calls wgpu.

mod buffer;
mod cache;
mod foreign;
mod options;
mod pending;
mod profile;
mod saved;
mod scope;
mod stopwatch;
mod unchecked;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

pub(crate) use buffer::AnyView;
pub use buffer::{DeviceBuffer, Inputs, View};
pub(crate) use buffer::{in_units, input_name};
pub use cache::PipelineCacheStatus;
pub(crate) use foreign::{foreign, without_panic};
pub use options::{GpuOptions, adapters};
pub use pending::Pending;
pub(crate) use pending::poll_until;
pub use profile::DeviceProfile;
pub use stopwatch::{Stopwatch, Timer};

use crate::element::Element;
use crate::error::{Error, Result};

/// A device to compute on: one of our own, or a guest's place on the caller's. Cheap to clone.
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
}

/// The first `len` elements of what came back.
pub(crate) fn collect<T: Element>(bytes: &[u8], len: usize) -> Vec<T> {
    let mut elements: Vec<T> = bytemuck::pod_collect_to_vec(bytes);
    elements.truncate(len);
    elements
}

/// A future that is compiled here. What is `async` and not boxed is compiled in every program that
/// awaits it.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) type Boxed<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;
#[cfg(target_arch = "wasm32")]
pub(crate) type Boxed<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + 'a>>;

impl Gpu {
    /// Opens the adapter that `options` and the environment ask for, with all its limits.
    ///
    /// For a program that uses wgpu itself: this opens a device of its own, in an instance of wgpu
    /// of its own. Its buffers, encoders and queue must not be mixed with those of the program's
    /// devices, see [`from_wgpu`](Self::from_wgpu). To share them, be a guest by `from_wgpu`; to
    /// have a second device in the same instance, give [`GpuOptions::instance`] or
    /// [`GpuOptions::adapter`].
    ///
    /// # Errors
    /// [`Error::NoAdapter`] with what to install; [`Error::NoDevice`] if the adapter refuses;
    /// [`Error::Parse`] for a variable of the environment that cannot be read.
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

    /// Opens a device of `adapter`, with all its limits and, where there are any, timestamp
    /// queries, subgroups, 64-bit integers and 64-bit floats, as the environment asks for it.
    ///
    /// # Errors
    /// [`Error::NoDevice`] if the adapter refuses; [`Error::Parse`] for a variable of the
    /// environment that cannot be read.
    pub async fn from_adapter(adapter: &wgpu::Adapter) -> Result<Self> {
        Self::from_adapter_with(adapter, &GpuOptions::default()).await
    }

    /// As [`from_adapter`](Self::from_adapter), with what `options` say of how to open a device.
    /// Which adapter they ask for is ignored.
    ///
    /// # Errors
    /// As [`from_adapter`](Self::from_adapter).
    pub async fn from_adapter_with(adapter: &wgpu::Adapter, options: &GpuOptions) -> Result<Self> {
        Self::boxed_open(adapter, options).await
    }

    fn boxed_open<'a>(adapter: &'a wgpu::Adapter, options: &'a GpuOptions) -> Boxed<'a, Result<Self>> {
        Box::pin(Self::opened(adapter, options))
    }

    async fn opened(adapter: &wgpu::Adapter, options: &GpuOptions) -> Result<Self> {
        let options = options.resolved()?;
        let gpu = Self::open(adapter, adapter.features() & Self::FEATURES, adapter.limits(), options.checked).await?;
        Ok(match options.pipeline_cache {
            Some(path) => gpu.with_pipeline_cache(path),
            None => gpu,
        })
    }

    /// What devices of our own are opened with, where there is any of it.
    const FEATURES: wgpu::Features = wgpu::Features::TIMESTAMP_QUERY
        .union(wgpu::Features::PIPELINE_CACHE)
        .union(wgpu::Features::SUBGROUP)
        .union(wgpu::Features::SHADER_INT64)
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
        let (device, queue) = opened.map_err(|error| Error::NoDevice { adapter: adapter.get_info().name, message: error.to_string() })?;
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
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) async fn scratch(&self) -> Result<Self> {
        let info = self.device.adapter_info();
        let adapters = options::all_adapters().await;
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

    /// Becomes a guest on the caller's device. Installs no handler of errors or of a lost device,
    /// and asks for nothing that the device does not have.
    ///
    /// Plans fit the limits that the device was opened with. `wgpu::DeviceDescriptor::default()`
    /// asks for WebGPU's least: 16 KiB of workgroup memory, 256 invocations, bindings of 128 MiB;
    /// with `required_limits: adapter.limits()` rows may be longer and recipes faster.
    /// [`Bound::time_steps`](crate::Bound::time_steps) needs the feature `TIMESTAMP_QUERY`; on the
    /// software adapter lavapipe the fastest recipes need `SUBGROUP` and `SHADER_INT64`; sums of
    /// f64 need `SHADER_F64`.
    ///
    /// # Buffers, encoders and the queue
    /// must be the device's own. wgpu tells devices of one `wgpu::Instance` apart, but not
    /// instances: a handle of another instance stands for whatever has its number in the device's
    /// instance. What can be seen of that is [`Error::ForeignObject`] at the first use:
    ///
    /// - a buffer whose size or usages differ from those of the buffer with its number, or whose
    ///   number nothing has. One of equal size and usage is not noticed: the other buffer's
    ///   contents are read or written.
    /// - the queue of another device, of any instance. To see that, the first plan, upload or
    ///   read-back of a guest polls the device once, which makes the calls that are due (those of
    ///   `map_async`, for instance), and waits up to a second for work that is under way.
    /// - an encoder of another instance in which a number is missing. Other encoders are not
    ///   noticed: those of another device of the same instance report an error to its handler when
    ///   they are finished, those of another instance may run anything.
    ///
    /// Where a number is missing, wgpu panics. The panic is caught, after its message was printed,
    /// and not in programs that are compiled with `panic = "abort"`.
    ///
    /// # Lost devices
    /// Without a handler a guest learns of a lost device only from what fails: what is read back is
    /// [`Error::DeviceLost`] at the latest, while calls that read nothing back may do nothing and
    /// return `Ok`.
    #[must_use]
    pub fn from_wgpu(device: wgpu::Device, queue: wgpu::Queue) -> Self {
        let profile = Arc::new(DeviceProfile::of(&device));
        Self {
            device,
            queue,
            profile,
            lost: Arc::default(),
            cache: Arc::default(),
            known: Arc::default(),
            checked: options::checks_wanted(),
        }
    }

    /// Runs every shader with wgpu's bounds checks, or those without that are proven to need none.
    /// `WGPU_FFT_CHECKED=1` asks for the checks on every device, a guest's too. It holds for the
    /// planners that are made of what is returned.
    #[must_use]
    pub fn with_bounds_checks(self, checked: bool) -> Self {
        Self { checked, ..self }
    }

    /// Whether every shader runs with wgpu's bounds checks.
    #[must_use]
    pub fn has_bounds_checks(&self) -> bool {
        self.checked
    }

    /// Keeps compiled pipelines in the file at `path`, as [`GpuOptions::pipeline_cache`] does: for
    /// guests, on devices that were opened with the feature `PIPELINE_CACHE`. It holds for the
    /// planners that are made of what is returned.
    #[must_use]
    pub fn with_pipeline_cache(self, path: impl Into<PathBuf>) -> Self {
        Self { cache: Arc::new(cache::PipelineCache::open(&self, path.into())), ..self }
    }

    /// Whether compiled pipelines are kept in a file, and what became of that when the device was
    /// opened.
    #[must_use]
    pub fn pipeline_cache(&self) -> &PipelineCacheStatus {
        self.cache.status()
    }

    /// Writes the pipelines compiled so far, and those that were loaded, to the file that
    /// [`GpuOptions::pipeline_cache`] names, and returns its size in bytes.
    ///
    /// It replaces the file as a whole or not at all; of two programs that save to one file, the
    /// later one wins. The directory must exist. A link is followed, and the file that it leads to
    /// is replaced; what is no regular file, a device or a pipe, is not.
    ///
    /// # Errors
    /// [`Error::PipelineCache`] if the file cannot be written; [`Error::Unsupported`] if no file
    /// was named or the device has no such cache, as [`pipeline_cache`](Self::pipeline_cache)
    /// tells; [`Error::DeviceLost`].
    pub fn save_pipeline_cache(&self) -> Result<u64> {
        self.check_alive("saving the pipeline cache")?;
        self.cache.save(self)
    }

    /// Records by `record` into an encoder of its own and submits it, unless that fails.
    ///
    /// # Errors
    /// Those of `record`; [`Error::Wgpu`] for what wgpu finds wrong with the commands;
    /// [`Error::DeviceLost`].
    pub fn submit(&self, record: impl FnOnce(&mut wgpu::CommandEncoder) -> Result<()>) -> Result<wgpu::SubmissionIndex> {
        self.check_queue()?;
        self.caught("submission", 0, || {
            let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("wgpu-fft") });
            record(&mut encoder)?;
            Ok(self.queue.submit([encoder.finish()]))
        })?
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

    /// What recipes know of the device.
    #[must_use]
    pub fn profile(&self) -> &DeviceProfile {
        &self.profile
    }

    /// What wgpu says of the adapter and its driver.
    #[must_use]
    pub fn adapter_info(&self) -> wgpu::AdapterInfo {
        self.device.adapter_info()
    }

    /// An array of `len` zeros on the device.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::LimitExceeded`] past the device's largest buffer,
    /// [`Error::OutOfMemory`], [`Error::DeviceLost`], and [`Error::Unsupported`] for an element
    /// whose size is neither 1, 2 nor a multiple of 4 bytes.
    pub fn alloc<T: Element>(&self, len: usize) -> Result<DeviceBuffer<T>> {
        let bytes = self.bytes_of::<T>(len)?;
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        Ok(DeviceBuffer::new(self.create_buffer("array", bytes, usage)?, len))
    }

    /// A new array on the device with the elements of `data`.
    ///
    /// # Errors
    /// As [`alloc`](Self::alloc).
    pub fn upload<T: Element>(&self, data: &[T]) -> Result<DeviceBuffer<T>> {
        let buffer = self.alloc(data.len())?;
        self.write(&buffer, data)?;
        Ok(buffer)
    }

    /// Replaces the elements of `target` by those of `data`, before anything that is submitted
    /// afterwards.
    ///
    /// WebGPU writes 4 bytes at a time: where `target` ends between, the rest of the 4 must be the
    /// buffer's last.
    ///
    /// # Errors
    /// [`Error::WrongLen`]; [`Error::MissingUsage`] if the buffer has no `COPY_DST`;
    /// [`Error::Misaligned`] if it ends between and the buffer goes on; [`Error::ForeignObject`];
    /// [`Error::DeviceLost`].
    pub fn write<'a, T: Element>(&self, target: impl Into<View<'a, T>>, data: &[T]) -> Result<()> {
        let target = target.into();
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
        self.caught("write", target.len_bytes(), || {
            self.queue.write_buffer(target.buffer(), offset, &bytes[..whole]);
            if whole < bytes.len() {
                let mut last = [0; buffer::UNIT as usize];
                last[..bytes.len() - whole].copy_from_slice(&bytes[whole..]);
                self.queue.write_buffer(target.buffer(), offset + whole as u64, &last);
            }
        })
    }

    /// Reads the elements of `source`, after everything submitted so far.
    ///
    /// # Errors
    /// [`Error::MissingUsage`] if the buffer has no `COPY_SRC`; [`Error::ForeignObject`];
    /// [`Error::OutOfMemory`]; [`Error::DeviceLost`], here or from the result.
    pub fn download<'a, T: Element>(&self, source: impl Into<View<'a, T>>) -> Result<Pending<Vec<T>>> {
        let source = source.into();
        let (bytes, len) = (source.units_bytes(), source.len());
        self.require("source", source.buffer(), wgpu::BufferUsages::COPY_SRC)?;
        self.check_buffer("source", source.buffer())?;
        self.read_back(
            bytes,
            |encoder, staging| encoder.copy_buffer_to_buffer(source.buffer(), source.offset_bytes(), staging, 0, bytes),
            move |bytes| collect(bytes, len),
        )
    }

    /// Submits what `record` records, which fills a staging buffer of `bytes`, and converts those
    /// bytes when they arrive.
    pub(crate) fn read_back<R: 'static>(
        &self,
        bytes: u64,
        record: impl FnOnce(&mut wgpu::CommandEncoder, &wgpu::Buffer),
        convert: impl FnOnce(&[u8]) -> R + Send + 'static,
    ) -> Result<Pending<R>> {
        self.check_queue()?;
        let staging = self.create_buffer("staging", bytes, wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST)?;
        self.caught("read-back", bytes, || {
            let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("wgpu-fft read-back") });
            record(&mut encoder, &staging);
            let submission = self.queue.submit([encoder.finish()]);
            Pending::read(&self.device, submission, staging, convert)
        })
    }

    /// Creates a buffer, within the device's limits and with wgpu's errors as results.
    pub(crate) fn create_buffer(&self, what: &'static str, size: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer> {
        let available = self.profile.buffer_bytes;
        if size > available {
            return Err(Error::LimitExceeded { what: format!("{what} (bytes)"), limit: "max_buffer_size", required: size, available });
        }
        self.caught("allocation", size, || {
            self.device.create_buffer(&wgpu::BufferDescriptor { label: Some(what), size, usage, mapped_at_creation: false })
        })
    }

    /// Where pipelines are looked up and kept, if anywhere.
    pub(crate) fn wgpu_pipeline_cache(&self) -> Option<&wgpu::PipelineCache> {
        self.cache.wgpu()
    }

    /// Makes a shader module of a kernel's text, whose indices may be `proven` to need no checks.
    /// It reports errors to the device's scope.
    pub(crate) fn create_shader_module(&self, label: &str, wgsl: &str, proven: bool) -> wgpu::ShaderModule {
        let descriptor = wgpu::ShaderModuleDescriptor { label: Some(label), source: wgpu::ShaderSource::Wgsl(wgsl.into()) };
        if proven && !self.checked {
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

    fn require(&self, argument: &'static str, buffer: &wgpu::Buffer, required: wgpu::BufferUsages) -> Result<()> {
        if buffer.usage().contains(required) { Ok(()) } else { Err(Error::MissingUsage { argument, required, actual: buffer.usage() }) }
    }

    /// Runs `work`, unless the device is known to be lost, and returns its value, or the first
    /// error that wgpu reported for it.
    pub(crate) fn caught<T>(&self, during: &'static str, bytes: u64, work: impl FnOnce() -> T) -> Result<T> {
        self.check_alive(during)?;
        scope::caught(&self.device, during, bytes, work).map_err(|error| match error {
            // wgpu reports a loss to the device's callback alone, and then every new object as
            // invalid.
            Error::Wgpu { message, .. } if !self.makes_buffers() => Error::DeviceLost { during, message },
            other => other,
        })
    }

    /// Whether the device still makes buffers; a lost one returns invalid ones without an error.
    fn makes_buffers(&self) -> bool {
        let descriptor =
            wgpu::BufferDescriptor { label: Some("probe"), size: 4, usage: wgpu::BufferUsages::COPY_SRC, mapped_at_creation: true };
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
        write!(f, "{} ({:?}, {:?})", info.name, info.backend, info.device_type)
    }
}
