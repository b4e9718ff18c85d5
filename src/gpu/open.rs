//! Opening a device, as options and the environment say.

use std::sync::{Arc, PoisonError};

use super::device::Gpu;
use super::known::Known;
use super::options::{GpuOptions, adapters};
use crate::error::{Cause, Error, Result};
use crate::threads::Boxed;

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
        let gpu = Self { checked, known: Arc::new(Known::own()), ..Self::from_wgpu(device, queue) };
        let lost = Arc::clone(&gpu.lost);
        gpu.device.set_device_lost_callback(move |reason, message| {
            let text = if message.is_empty() { format!("{reason:?}") } else { format!("{reason:?}: {message}") };
            *lost.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
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
        let adapters = super::options::all_adapters(None).await;
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
}
