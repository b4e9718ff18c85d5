//! Compiled pipelines, kept in a file.

use std::path::PathBuf;

use super::saved::{self, Saved};
use crate::error::{Error, Result};
use crate::files;

/// Where a device's pipelines are kept, or why they are not; nothing if no file was named.
#[derive(Debug, Default)]
pub(super) struct PipelineCache(Option<Result<Open>>);

#[derive(Debug)]
struct Open {
    path: PathBuf,
    /// Bytes of the file that the driver was given, 0 of a new one; or why that was not done.
    loaded: Result<u64>,
    cache: wgpu::PipelineCache,
}

const READING: &str = "reading the pipeline cache";
const WRITING: &str = "writing the pipeline cache";

impl Open {
    fn new(device: &wgpu::Device, path: PathBuf, create: impl Fn(Option<Saved<'_>>) -> Result<wgpu::PipelineCache>) -> Result<Self> {
        if !device.features().contains(wgpu::Features::PIPELINE_CACHE) {
            let why = "the device was opened without the feature PIPELINE_CACHE, which only Vulkan has".to_owned();
            return Err(Error::Unsupported { what: format!("the pipeline cache {path:?}"), why });
        }
        let load = |file: &[u8]| {
            let saved = saved::parse(file, &identity(&device.adapter_info())).map_err(|why| Error::file(READING, &path, why))?;
            let cache = create(Some(saved)).map_err(|why| Error::file(READING, &path, why))?;
            Ok((saved.data().len() as u64, cache))
        };
        let held = files::read_whole(&path, LARGEST).map_err(|why| Error::file(READING, &path, why));
        let (loaded, cache) = match held.and_then(|file| file.as_deref().map(load).transpose()) {
            Ok(Some((bytes, cache))) => (Ok(bytes), cache),
            Ok(None) => (Ok(0), create(None)?),
            Err(why) => (Err(why), create(None)?),
        };
        Ok(Self { path, loaded, cache })
    }
}

impl PipelineCache {
    /// Opens the cache of a device, which `create` makes, with what the file holds, if that is of
    /// use.
    pub fn open(device: &wgpu::Device, path: PathBuf, create: impl Fn(Option<Saved<'_>>) -> Result<wgpu::PipelineCache>) -> Self {
        Self(Some(Open::new(device, path, create)))
    }

    pub fn loaded(&self) -> Option<Result<u64>> {
        let of_open = |open: &Result<Open>| open.as_ref().map_err(Error::clone).and_then(|open| open.loaded.clone());
        self.0.as_ref().map(of_open)
    }

    pub fn wgpu(&self) -> Option<&wgpu::PipelineCache> {
        Some(&self.0.as_ref()?.as_ref().ok()?.cache)
    }

    /// Writes the file, with what `data` of the driver's cache is to be kept, and returns its size.
    pub fn save(&self, device: &wgpu::Device, data: impl FnOnce(&wgpu::PipelineCache) -> Result<Option<Vec<u8>>>) -> Result<u64> {
        let unnamed = || Error::Unsupported {
            what: "saving compiled pipelines".to_owned(),
            why: "no file was named; GpuOptions::pipeline_cache, Gpu::with_pipeline_cache and WGPU_FFT_PIPELINE_CACHE do that".to_owned(),
        };
        let Open { path, cache, .. } = self.0.as_ref().ok_or_else(unnamed)?.as_ref().map_err(Error::clone)?;
        let data = data(cache)?.ok_or_else(|| Error::file(WRITING, path, "the driver gives nothing to save"))?;
        let file = saved::file(&identity(&device.adapter_info()), &data);
        let bytes = file.len() as u64;
        if bytes > LARGEST {
            return Err(Error::file(WRITING, path, format!("its {bytes} bytes exceed the {LARGEST} that can be read back")));
        }
        files::replace(path, &file).map_err(|why| Error::file(WRITING, path, why))?;
        Ok(bytes)
    }
}

/// What a cache is made for. Anything else in it may mean that the driver compiles differently.
fn identity(info: &wgpu::AdapterInfo) -> String {
    let wgpu::AdapterInfo { name, vendor, device, driver, driver_info, backend, .. } = info;
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    format!("{name:?} ({backend:?}, {vendor:#06x}:{device:#06x}) with driver {driver:?} {driver_info:?} on {os} {arch}")
}

/// Bytes of a file that are read at most. Pipelines take some kilobytes each.
const LARGEST: u64 = 256 << 20;
