//! Compiled pipelines, kept in a file.

use std::fmt;
use std::path::PathBuf;

use super::saved::{self, Saved};
use crate::error::{self, Error};
use crate::files;

/// Whether compiled pipelines are kept in a file, and whether that file could be used when the
/// device was opened.
///
/// See [`GpuOptions::pipeline_cache`](crate::GpuOptions::pipeline_cache).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum PipelineCacheStatus {
    /// No file was named, so nothing is kept.
    #[default]
    Off,
    /// The file does not exist yet; saving creates it.
    New,
    /// The file was loaded.
    Loaded {
        /// Number of bytes that were handed to the driver.
        bytes: u64,
    },
    /// The file was not used; saving replaces it if it is a regular file.
    Ignored {
        /// Why the file was not used.
        why: String,
    },
    /// The device cannot keep pipelines.
    Unsupported {
        /// Why not.
        why: String,
    },
}

impl fmt::Display for PipelineCacheStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => f.write_str("no pipeline cache"),
            Self::New => f.write_str("a new pipeline cache"),
            Self::Loaded { bytes } => write!(f, "a pipeline cache of {bytes} bytes"),
            Self::Ignored { why } => write!(f, "a new pipeline cache, as the old one is of no use: {why}"),
            Self::Unsupported { why } => write!(f, "no pipeline cache: {why}"),
        }
    }
}

/// Why compiled pipelines were not saved: see
/// [`Gpu::save_pipeline_cache`](crate::Gpu::save_pipeline_cache).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PipelineCacheError {
    /// None are kept.
    #[error("compiled pipelines are not kept: {why}")]
    Off {
        /// Why not.
        why: String,
    },
    /// The driver gives nothing to save.
    #[error("the pipeline cache {path:?} is not saved: the driver gives nothing to save")]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The file would be too large to be read back.
    #[error("the pipeline cache {path:?} is not saved: its {bytes} bytes exceed the {available} that can be read back")]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The size that the file would have.
        bytes: u64,
        /// The largest size.
        available: u64,
    },
    /// The file could not be written. The old one, if there is one, is as it was.
    #[error("the pipeline cache {path:?} could not be written: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The device failed, or is lost.
    #[error(transparent)]
    Device(#[from] Error),
}

/// Where a device's pipelines are kept.
#[derive(Debug, Default)]
pub(super) struct PipelineCache {
    status: PipelineCacheStatus,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    path: PathBuf,
    cache: wgpu::PipelineCache,
}

impl PipelineCache {
    /// Opens the cache of a device, which `create` makes, with what the file holds, if that is of
    /// use.
    pub fn open(device: &wgpu::Device, path: PathBuf, create: impl Fn(Option<Saved<'_>>) -> error::Result<wgpu::PipelineCache>) -> Self {
        let unsupported = |why| Self { status: PipelineCacheStatus::Unsupported { why }, open: None };
        if !device.features().contains(wgpu::Features::PIPELINE_CACHE) {
            return unsupported("the device was opened without the feature PIPELINE_CACHE, which only Vulkan has".to_owned());
        }
        let load = |file: &[u8]| -> Result<_, String> {
            let saved = saved::parse(file, &identity(&device.adapter_info()))?;
            let cache = create(Some(saved)).map_err(|error| error.to_string())?;
            Ok((PipelineCacheStatus::Loaded { bytes: saved.data().len() as u64 }, cache))
        };
        let unused = |why| PipelineCacheStatus::Ignored { why };
        let loaded = match files::read_whole(&path, LARGEST) {
            Ok(Some(file)) => load(&file).map_err(unused),
            Ok(None) => Err(PipelineCacheStatus::New),
            Err(error) => Err(unused(format!("it cannot be read: {error}"))),
        };
        let opened = loaded.or_else(|status| Ok::<_, Error>((status, create(None)?)));
        match opened {
            Ok((status, cache)) => Self { status, open: Some(Open { path, cache }) },
            Err(error) => unsupported(error.to_string()),
        }
    }

    pub fn status(&self) -> &PipelineCacheStatus {
        &self.status
    }

    pub fn wgpu(&self) -> Option<&wgpu::PipelineCache> {
        self.open.as_ref().map(|open| &open.cache)
    }

    /// Writes the file, with what `data` of the driver's cache is to be kept, and returns its size.
    pub fn save(
        &self,
        device: &wgpu::Device,
        data: impl FnOnce(&wgpu::PipelineCache) -> error::Result<Option<Vec<u8>>>,
    ) -> Result<u64, PipelineCacheError> {
        let Some(Open { path, cache }) = &self.open else {
            let why = match &self.status {
                PipelineCacheStatus::Unsupported { why } => why.clone(),
                _ => "no file was named; GpuOptions::pipeline_cache does that".to_owned(),
            };
            return Err(PipelineCacheError::Off { why });
        };
        let data = data(cache)?.ok_or_else(|| PipelineCacheError::Empty { path: path.clone() })?;
        let file = saved::file(&identity(&device.adapter_info()), &data);
        let bytes = file.len() as u64;
        if bytes > LARGEST {
            return Err(PipelineCacheError::TooLarge { path: path.clone(), bytes, available: LARGEST });
        }
        files::replace(path, &file).map_err(|source| PipelineCacheError::Io { path: path.clone(), source })?;
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
