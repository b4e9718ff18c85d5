//! Devices.

use std::collections::HashMap;
use std::ffi::{CString, c_char};
use std::mem::offset_of;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fft::tune::{Record, Rigor, Tuning};
use fft::{GpuOptions as Options, Planner};

use crate::arguments::{Versioned, c_string, given, optional, place, structure, write_text};
use crate::process;
use crate::status::{Failure, Status, guarded};

/// An opened device, with its plans. Any number of threads may use it at once.
pub struct Gpu {
    gpu: fft::Gpu,
    name: CString,
    record: Record,
    planners: Mutex<Planners>,
}

/// For each rigor and time limit. What they made they keep.
type Planners = HashMap<(Rigor, Option<Duration>), Arc<Planner>>;

impl Gpu {
    /// The device itself.
    pub fn device(&self) -> &fft::Gpu {
        &self.gpu
    }

    fn tuning(&self, rigor: Rigor, limit: Option<Duration>) -> Tuning {
        limit.into_iter().fold(Tuning::new(rigor).record(self.record.clone()), Tuning::time_limit)
    }

    /// A planner of its own that chooses so, and whose searches a caller listens to.
    pub fn listened(&self, rigor: Rigor, limit: Option<Duration>, listens: impl FnOnce(Tuning) -> Tuning) -> Arc<Planner> {
        Arc::new(Planner::new(&self.gpu).with_tuning(listens(self.tuning(rigor, limit))))
    }

    /// The planner that chooses so.
    pub fn planner(&self, rigor: Rigor, limit: Option<Duration>) -> Arc<Planner> {
        let mut planners = self.planners.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || self.listened(rigor, limit, |tuning| tuning);
        Arc::clone(planners.entry((rigor, limit)).or_insert_with(make))
    }
}

/// Which device to open, and how. With zeros behind the size it means the same as NULL in its place:
/// the best device, or the one that WGPU_ADAPTER_NAME and WGPU_BACKEND name.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct GpuOptions {
    /// sizeof(wgpu_fft_gpu_options).
    pub size: usize,
    /// Part of the name of the adapter or of its driver, in any case.
    pub adapter_name: *const c_char,
    /// The file that keeps compiled pipelines; wgpu_fft_gpu_save_pipelines writes it.
    pub pipeline_cache: *const c_char,
    /// The file that keeps what was measured. With NULL it is the one of WGPU_FFT_RECORD, or else
    /// one in the user's folder for caches.
    pub record: *const c_char,
}

// SAFETY: it is of numbers and pointers, with its size first.
unsafe impl Versioned for GpuOptions {
    const NAME: &'static str = "wgpu_fft_gpu_options";
    const LEAST: usize = offset_of!(Self, record) + size_of::<*const c_char>();
}

/// Opens a device. Close it with wgpu_fft_gpu_close.
///
/// Fails with WGPU_FFT_ERROR_NO_DEVICE if no adapter matches; the message lists those that are
/// there and says what to install.
///
/// A process that was forked from one that had opened a device cannot use any: there this function
/// and those that plan and execute fail with WGPU_FFT_ERROR_UNSUPPORTED, and what is closed or
/// destroyed leaks. So fork first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_gpu_open(options: *const GpuOptions, gpu: *mut *mut Gpu) -> Status {
    guarded("wgpu_fft_gpu_open", || {
        // SAFETY: the caller gives options or NULL, with texts or NULL, and a place for the handle.
        let gpu = unsafe { place("gpu", gpu) }?;
        *gpu = std::ptr::null_mut();
        // SAFETY: as above.
        let options = unsafe { structure("options", options) }?;
        let (mut wanted, mut record) = (Options::default(), None);
        if let Some(options) = options {
            // SAFETY: as above.
            let (name, cache, file) = unsafe {
                (
                    optional("adapter_name", options.adapter_name)?,
                    optional("pipeline_cache", options.pipeline_cache)?,
                    optional("record", options.record)?,
                )
            };
            wanted = name.into_iter().fold(wanted, Options::adapter_name);
            wanted = cache.into_iter().fold(wanted, Options::pipeline_cache);
            record = file.map(Record::open);
        }
        process::enter().map_err(Failure::unsupported)?;
        let device = pollster::block_on(fft::Gpu::request(&wanted))?;
        let opened = Gpu {
            name: c_string(&device.profile().name),
            record: record.unwrap_or_else(Record::open_default),
            planners: Mutex::default(),
            gpu: device,
        };
        *gpu = Box::into_raw(Box::new(opened));
        Ok(())
    })
}

/// Closes a device. Plans that are still there keep it open until they are destroyed. NULL does
/// nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_gpu_close(gpu: *mut Gpu) {
    guarded("wgpu_fft_gpu_close", || {
        if !gpu.is_null() {
            // SAFETY: the caller gives a handle of wgpu_fft_gpu_open, and does not use it again.
            process::give_back(unsafe { Box::from_raw(gpu) });
        }
        Ok(())
    });
}

/// The name of the adapter, which is there as long as the handle. Empty for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_gpu_name(gpu: *const Gpu) -> *const c_char {
    // SAFETY: the caller gives a handle or NULL.
    unsafe { gpu.as_ref() }.map_or(c"".as_ptr(), |gpu| gpu.name.as_ptr())
}

/// Whether the device was lost: removed, reset, or hung, or left behind by a fork. Nothing can be
/// planned or executed on it any more. False for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_gpu_is_lost(gpu: *const Gpu) -> bool {
    // SAFETY: the caller gives a handle or NULL.
    unsafe { gpu.as_ref() }.is_some_and(|gpu| process::is_forked() || gpu.gpu.is_lost())
}

/// Writes the compiled pipelines into the file of the options, so that the next run of the program
/// need not compile them again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_gpu_save_pipelines(gpu: *const Gpu) -> Status {
    guarded("wgpu_fft_gpu_save_pipelines", || {
        // SAFETY: the caller gives a handle or NULL.
        let gpu = unsafe { given("gpu", gpu) }?;
        process::check().map_err(Failure::unsupported)?;
        gpu.gpu.save_pipeline_cache()?;
        Ok(())
    })
}

/// Lists all adapters, best first, in UTF-8 with a line each: `NVIDIA H200 (Vulkan, DiscreteGpu)`.
/// At most `size` bytes are written, with a zero byte at the end. `needed` becomes the number of
/// bytes that all of it needs. Both places may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wgpu_fft_adapters(text: *mut c_char, size: usize, needed: *mut usize) -> Status {
    guarded("wgpu_fft_adapters", || {
        process::check().map_err(Failure::unsupported)?;
        let adapters = pollster::block_on(fft::gpu::adapters(&Options::default()))?;
        let line = |info: fft::wgpu::AdapterInfo| format!("{} ({:?}, {:?})\n", info.name, info.backend, info.device_type);
        let lines: String = adapters.iter().map(|adapter| line(adapter.get_info())).collect();
        // SAFETY: the caller gives places of these sizes, or NULL.
        unsafe { write_text(&lines, text, size, needed) }
    })
}
