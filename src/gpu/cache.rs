//! The file that keeps compiled pipelines.
//!
//! Its layout, with numbers in little-endian order:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | magic number |
//! | 4 | version of this layout |
//! | 4 | length of the identity |
//! | 8 | length of the data |
//! | | identity: adapter, driver and platform, as text |
//! | | data, which means something to wgpu and the driver alone |
//! | 8 | checksum of all before |

use std::fmt;
use std::path::PathBuf;

use super::{Gpu, unchecked};
use crate::error::{Error, Result};
use crate::files;

/// Whether compiled pipelines are kept in a file, and what became of that file when the device was opened.
///
/// See [`GpuOptions::pipeline_cache`](crate::GpuOptions::pipeline_cache).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum PipelineCacheStatus {
    /// No file was named.
    #[default]
    Off,
    /// There was no file yet; saving makes one.
    New,
    /// The file was loaded.
    Loaded {
        /// Bytes handed to the driver.
        bytes: u64,
    },
    /// The file was not used; saving replaces it if it is a regular file.
    Ignored {
        /// What is wrong with it.
        why: String,
    },
    /// The device keeps no pipelines.
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
    /// Opens the cache of a device with what the file holds, if that is of use.
    pub fn open(gpu: &Gpu, path: PathBuf) -> Self {
        let unsupported = |why| Self { status: PipelineCacheStatus::Unsupported { why }, open: None };
        if !gpu.device.features().contains(wgpu::Features::PIPELINE_CACHE) {
            return unsupported("the device was opened without the feature PIPELINE_CACHE, which only Vulkan has".to_owned());
        }
        let create =
            |saved: Option<Saved<'_>>| gpu.caught("opening the pipeline cache", 0, || unchecked::create_pipeline_cache(&gpu.device, saved));
        let load = |file: &[u8]| -> std::result::Result<_, String> {
            let saved = parse(file, &identity(&gpu.device.adapter_info()))?;
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

    /// Writes the file and returns its size.
    pub fn save(&self, gpu: &Gpu) -> Result<u64> {
        let Some(Open { path, cache }) = &self.open else {
            let why = match &self.status {
                PipelineCacheStatus::Unsupported { why } => why.clone(),
                _ => "no file was named; GpuOptions::pipeline_cache does that".to_owned(),
            };
            return Err(Error::Unsupported { what: "saving compiled pipelines".to_owned(), why });
        };
        let failed = |why| Error::PipelineCache { path: path.clone(), why };
        let data = gpu.caught("saving the pipeline cache", 0, || cache.get_data())?;
        let data = data.ok_or_else(|| failed("the driver gives nothing to save".to_owned()))?;
        let file = file(&identity(&gpu.device.adapter_info()), &data);
        if file.len() as u64 > LARGEST {
            return Err(failed(format!("its {} bytes are more than the {LARGEST} that are read again", file.len())));
        }
        files::replace(path, &file).map_err(|error| failed(error.to_string()))?;
        Ok(file.len() as u64)
    }
}

/// What a cache is made for. Anything else in it may mean that the driver compiles differently.
fn identity(info: &wgpu::AdapterInfo) -> String {
    let wgpu::AdapterInfo { name, vendor, device, driver, driver_info, backend, .. } = info;
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    format!("{name:?} ({backend:?}, {vendor:#06x}:{device:#06x}) with driver {driver:?} {driver_info:?} on {os} {arch}")
}

const MAGIC: [u8; 8] = *b"wgpu-fft";
/// Counts changes of the layout, and of what wgpu's major version makes of the data.
const VERSION: u32 = 30_001;
/// Bytes of a file that are read at most. Pipelines take some kilobytes each.
const LARGEST: u64 = 256 << 20;
/// Bytes before the identity, and of the checksum at the end.
const FRAME_BYTES: u64 = 8 + 4 + 4 + 8 + 8;

/// Data that a file holds unhurt for the device at hand. Only [`parse`] makes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Saved<'a>(&'a [u8]);

impl<'a> Saved<'a> {
    pub fn data(self) -> &'a [u8] {
        self.0
    }
}

/// The contents of a file that holds `data`.
fn file(identity: &str, data: &[u8]) -> Vec<u8> {
    let mut file = MAGIC.to_vec();
    file.extend(VERSION.to_le_bytes());
    file.extend((identity.len() as u32).to_le_bytes());
    file.extend((data.len() as u64).to_le_bytes());
    file.extend(identity.as_bytes());
    file.extend(data);
    file.extend(checksum(&file).to_le_bytes());
    file
}

/// The data of a file, or what is wrong with it.
fn parse<'a>(file: &'a [u8], identity: &str) -> std::result::Result<Saved<'a>, String> {
    let truncated = || format!("it is truncated: {} bytes", file.len());
    let (magic, rest) = file.split_first_chunk().ok_or_else(truncated)?;
    if *magic != MAGIC {
        return Err("it is no pipeline cache of wgpu-fft".to_owned());
    }
    let (version, rest) = rest.split_first_chunk().ok_or_else(truncated)?;
    let version = u32::from_le_bytes(*version);
    if version != VERSION {
        return Err(format!("it has version {version}, and this program reads and writes {VERSION}"));
    }
    let (identity_bytes, rest) = rest.split_first_chunk().ok_or_else(truncated)?;
    let (data_bytes, rest) = rest.split_first_chunk().ok_or_else(truncated)?;
    let (identity_bytes, data_bytes) = (u32::from_le_bytes(*identity_bytes), u64::from_le_bytes(*data_bytes));
    let expected = FRAME_BYTES.saturating_add(u64::from(identity_bytes)).saturating_add(data_bytes);
    if file.len() as u64 != expected {
        return Err(format!("it is truncated or damaged: {} bytes in place of {expected}", file.len()));
    }
    let (body, sum) = file.split_last_chunk().ok_or_else(truncated)?;
    if checksum(body) != u64::from_le_bytes(*sum) {
        return Err("it is damaged: its checksum is another".to_owned());
    }
    // The lengths add up to that of the file, so both fit.
    let (written_for, rest) = rest.split_at(identity_bytes as usize);
    if written_for != identity.as_bytes() {
        return Err(format!("it was made for {}, and this is {identity}", String::from_utf8_lossy(written_for)));
    }
    Ok(Saved(&rest[..data_bytes as usize]))
}

/// FNV-1a with 64 bits. Each byte changes the sum one to one, so that no single byte can change unnoticed.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATA: &[u8] = b"what a driver wrote";

    #[test]
    fn a_file_gives_back_what_it_holds() {
        assert_eq!(parse(&file("this adapter", DATA), "this adapter"), Ok(Saved(DATA)));
        assert_eq!(parse(&file("", b""), ""), Ok(Saved(b"")));
    }

    #[test]
    fn no_part_of_a_file_is_taken_for_the_whole() {
        let whole = file("this adapter", DATA);
        for len in 0..whole.len() {
            assert!(parse(&whole[..len], "this adapter").unwrap_err().contains("truncated"), "{len} bytes");
        }
        let longer = [&whole[..], b"\0"].concat();
        assert!(parse(&longer, "this adapter").is_err());
    }

    #[test]
    fn no_flipped_bit_is_overlooked() {
        let whole = file("this adapter", DATA);
        for bit in 0..whole.len() * 8 {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(parse(&damaged, "this adapter").is_err(), "bit {bit}");
        }
    }

    #[test]
    fn a_file_of_another_adapter_names_both() {
        let why = parse(&file("that adapter", DATA), "this adapter").unwrap_err();
        assert!(why.contains("that adapter") && why.contains("this adapter"), "{why}");
    }

    #[test]
    fn a_file_of_another_program_is_named() {
        assert!(parse(b"WGPUPLCH and more of wgpu's own", "").unwrap_err().contains("no pipeline cache of wgpu-fft"));
        let mut other = file("", DATA);
        other[8..12].copy_from_slice(&7u32.to_le_bytes());
        assert!(parse(&other, "").unwrap_err().contains("version 7"));
    }
}
