//! Devices.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use wgpu_fft::dynamic::{AnyPlan, AnySpec};
use wgpu_fft::fft::{TransformKind, length_cost, next_fast_len};
use wgpu_fft::gpu::adapters as found;
use wgpu_fft::tune::{Record, Tuning};
use wgpu_fft::{Error, GpuOptions, Planner, wgpu};

use crate::array::{Buffer, Kept};
use crate::error::{raised, refused};
use crate::fragment::{Mapped, spec};
use crate::plan::Plan;
use crate::process::{self, Own};
use crate::stft;

/// The names of all adapters, best first, each with its backend and its type.
#[pyfunction]
pub(crate) fn adapters(py: Python<'_>) -> PyResult<Vec<(String, String, String)>> {
    process::check()?;
    let adapters = py.detach(|| pollster::block_on(found(&GpuOptions::default()))).map_err(raised)?;
    Ok(adapters.iter().map(|adapter| words(&adapter.get_info())).collect())
}

fn words(info: &wgpu::AdapterInfo) -> (String, String, String) {
    (info.name.clone(), format!("{:?}", info.backend), format!("{:?}", info.device_type))
}

/// A device, and what its plans share.
#[pyclass(frozen, module = "wgpu_fft._core")]
pub(crate) struct Gpu {
    planner: Own<Arc<Planner>>,
    kept: Kept,
    /// What was measured, read when it is first asked for.
    record: OnceLock<Record>,
}

impl Gpu {
    /// What makes plans of the device.
    pub fn planner(&self) -> PyResult<&Arc<Planner>> {
        self.planner.get()
    }
}

#[pymethods]
impl Gpu {
    /// Opens a device of the adapter that the arguments and the environment ask for.
    #[new]
    #[pyo3(signature = (name=None, backend=None, power=None))]
    fn new(py: Python<'_>, name: Option<String>, backend: Option<&str>, power: Option<&str>) -> PyResult<Self> {
        process::enter()?;
        let mut options = GpuOptions::default();
        if let Some(name) = name {
            options = options.adapter_name(name);
        }
        if let Some(backend) = backend {
            let backends = wgpu::Backends::from_comma_list(backend);
            if backends.is_empty() {
                return Err(refused("parse", &format!("`{backend}` is no backend: it is one of vulkan, metal, dx12, gl")));
            }
            options = options.backends(backends);
        }
        options = match power {
            None => options,
            Some("high-performance") => options.power_preference(wgpu::PowerPreference::HighPerformance),
            Some("low-power") => options.power_preference(wgpu::PowerPreference::LowPower),
            Some(other) => {
                return Err(refused("parse", &format!("`{other}` is no preference: it is high-performance or low-power")));
            }
        };
        let gpu = py.detach(|| pollster::block_on(wgpu_fft::Gpu::request(&options))).map_err(raised)?;
        Ok(Self { planner: Own::new(Arc::new(Planner::new(&gpu))), kept: Kept::default(), record: OnceLock::new() })
    }

    /// What there is to know about it.
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let gpu = self.planner.get()?.gpu();
        let (profile, adapter) = (gpu.profile(), gpu.adapter_info());
        let (name, backend, device_type) = words(&adapter);
        let info = PyDict::new(py);
        info.set_item("name", name)?;
        info.set_item("backend", backend)?;
        info.set_item("type", device_type)?;
        info.set_item("driver", format!("{} {}", adapter.driver, adapter.driver_info).trim())?;
        info.set_item("software", profile.is_cpu())?;
        info.set_item("f64", profile.f64)?;
        info.set_item("buffer_bytes", profile.buffer_bytes)?;
        info.set_item("binding_bytes", profile.binding_bytes)?;
        info.set_item("alignment", profile.storage_alignment)?;
        Ok(info)
    }

    /// Whether the device is gone.
    fn is_lost(&self) -> PyResult<bool> {
        Ok(self.planner.get()?.gpu().is_lost())
    }

    /// Loses the device. Tests see what that does.
    fn destroy(&self) -> PyResult<()> {
        self.planner.get()?.gpu().device().destroy();
        Ok(())
    }

    /// The plan for a specification, by a recipe or by the rules, with what is fused into its loads
    /// and stores.
    #[pyo3(signature = (text, recipe=None, map_input=None, map_output=None))]
    fn plan(
        &self,
        py: Python<'_>,
        text: &str,
        recipe: Option<&str>,
        map_input: Option<Mapped>,
        map_output: Option<Mapped>,
    ) -> PyResult<Plan> {
        let planner = self.planner.get()?;
        let (spec, declared) = spec(text, [map_input, map_output])?;
        let plan = planned(py, planner, spec, recipe)?;
        Ok(Plan::new(planner.gpu(), plan, declared))
    }

    /// The recipe for a specification by this rigor, and where it comes from. It is read from the
    /// record, or measured and written there.
    #[pyo3(signature = (text, rigor, seconds=None, again=false))]
    fn choose(&self, py: Python<'_>, text: &str, rigor: &str, seconds: Option<f64>, again: bool) -> PyResult<(String, String)> {
        let planner = self.planner.get()?;
        let spec: AnySpec = text.parse().map_err(raised)?;
        let mut tuning = Tuning::new(rigor.parse().map_err(raised)?).record(self.record.get_or_init(Record::open_default).clone());
        if let Some(seconds) = seconds {
            let limit = Duration::try_from_secs_f64(seconds).map_err(|why| refused("out-of-range", &format!("{seconds} s: {why}")))?;
            tuning = tuning.time_limit(limit);
        }
        if again {
            tuning = tuning.again();
        }
        let tuner = Planner::new(planner.gpu()).with_tuning(tuning);
        let choice = process::aside(py, move || spec.choose(&tuner))?.map_err(raised)?;
        Ok((choice.recipe, choice.source.to_string()))
    }

    /// The estimated seconds of a run from arrays of the host to arrays of the host.
    fn seconds_from_host(&self, py: Python<'_>, text: &str) -> PyResult<f64> {
        let (planner, spec): (_, AnySpec) = (Arc::clone(self.planner.get()?), text.parse().map_err(raised)?);
        let advice = process::aside(py, move || spec.advise(&planner))?.map_err(raised)?;
        Ok(advice.device.as_secs_f64())
    }

    /// The plan for a short-time Fourier transform, whose window has no place in a text.
    #[pyo3(signature = (complex, len, batch, window, hop, mfft, phase_shift, frames=None))]
    #[expect(clippy::too_many_arguments, reason = "Python names them")]
    fn plan_stft(
        &self,
        py: Python<'_>,
        complex: bool,
        len: usize,
        batch: usize,
        window: PyReadonlyArray1<'_, f64>,
        hop: usize,
        mfft: usize,
        phase_shift: Option<i64>,
        frames: Option<(i64, i64)>,
    ) -> PyResult<Plan> {
        let planner = self.planner.get()?;
        let window = window.as_slice()?;
        let frames = frames.map(|(first, end)| first..end);
        let spec: AnySpec = stft::spec(complex, &stft::Frames { len, batch, window, hop, mfft, phase_shift, frames });
        let plan = planned(py, planner, spec, None)?;
        Ok(Plan::new(planner.gpu(), plan, Vec::new()))
    }

    /// An array of so many zero bytes.
    fn zeros(&self, nbytes: usize) -> PyResult<Buffer> {
        Buffer::zeros(self.planner.get()?.gpu(), &self.kept, nbytes)
    }

    /// An array of so many bytes for a result that fills them all.
    fn for_result(&self, nbytes: usize) -> PyResult<Buffer> {
        Buffer::for_result(self.planner.get()?.gpu(), &self.kept, nbytes)
    }

    /// An array of these bytes.
    fn upload(&self, py: Python<'_>, data: PyReadonlyArray1<'_, u8>) -> PyResult<Buffer> {
        let gpu = self.planner.get()?.gpu();
        let data = data.as_slice()?;
        Ok(Buffer::new(gpu, &self.kept, py.detach(|| gpu.upload(data)).map_err(raised)?))
    }

    /// Submits what is queued.
    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        let gpu = self.planner.get()?.gpu();
        py.detach(|| gpu.flush()).map_err(raised)
    }

    /// The length from `n` on that is fastest by the rules, for complex or for real numbers.
    fn next_fast_len(&self, py: Python<'_>, n: usize, real: bool) -> PyResult<usize> {
        let profile = self.planner.get()?.gpu().profile();
        py.detach(|| next_fast_len(profile, kind(real), n)).map_err(raised)
    }

    /// What the transform of a row of `n` numbers costs by the rules, in bytes moved.
    fn length_cost(&self, n: usize, real: bool) -> PyResult<f64> {
        length_cost(self.planner.get()?.gpu().profile(), kind(real), n).map_err(raised)
    }

    /// Writes all compiled pipelines to the file that `WGPU_FFT_PIPELINE_CACHE` names. Says whether
    /// there is one, and the driver has something to write.
    fn save_pipelines(&self, py: Python<'_>) -> PyResult<bool> {
        let gpu = self.planner.get()?.gpu();
        if matches!(gpu.pipeline_cache(), None | Some(Err(Error::Unsupported { .. }))) {
            return Ok(false);
        }
        py.detach(|| gpu.save_pipeline_cache()).map_err(raised)?;
        Ok(true)
    }

    /// Frees the pipelines and buffers that are kept for the next plan and the next run.
    fn clear(&self) -> PyResult<()> {
        let planner = self.planner.get()?;
        planner.clear();
        planner.gpu().free_kept();
        self.kept.clear();
        Ok(())
    }
}

/// The plan for a specification. Ctrl-C ends the wait for it; what the driver compiles meanwhile is
/// there when it is asked for again.
fn planned(py: Python<'_>, planner: &Arc<Planner>, spec: AnySpec, recipe: Option<&str>) -> PyResult<AnyPlan> {
    let (planner, recipe) = (Arc::clone(planner), recipe.map(str::to_owned));
    process::aside(py, move || spec.build(&planner, recipe.as_deref()))?.map_err(raised)
}

fn kind(real: bool) -> TransformKind {
    if real { TransformKind::R2c } else { TransformKind::C2c }
}
