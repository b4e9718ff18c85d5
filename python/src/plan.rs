//! Plans.

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use wgpu_fft::dynamic::AnyPlan;
use wgpu_fft::plan::Placement;
use wgpu_fft::{ElementType, FragmentArrays, Gpu};

use crate::array::Buffer;
use crate::error::{Call, raised};
use crate::process::{Own, waited};

/// A plan.
#[pyclass(frozen, module = "wgpu_fft._core")]
pub(crate) struct Plan {
    plan: Own<(Gpu, AnyPlan)>,
    /// What its fragments declare.
    declared: Vec<(String, ElementType)>,
}

impl Plan {
    pub fn new(gpu: &Gpu, plan: AnyPlan, declared: Vec<(String, ElementType)>) -> Self {
        Self { plan: Own::new((gpu.clone(), plan)), declared }
    }

    fn get(&self) -> PyResult<(&Gpu, &AnyPlan)> {
        let (gpu, plan) = self.plan.get()?;
        Ok((gpu, plan))
    }

    /// Arrays for what the fragments declare.
    fn arrays<'a>(&self, gpu: &Gpu, arrays: &'a [(String, PyRef<'_, Buffer>)]) -> PyResult<FragmentArrays<'a>> {
        arrays.iter().try_fold(FragmentArrays::new(), |all, (name, array)| {
            let declared = self.declared.iter().find(|(own, _)| own == name);
            let element = declared.map_or(ElementType::of::<u8>(), |(_, element)| *element);
            all.with_bytes(name.clone(), element, array.view_on(gpu)?).map_err(raised)
        })
    }
}

#[pymethods]
impl Plan {
    #[getter]
    fn spec(&self) -> PyResult<String> {
        Ok(self.get()?.1.spec())
    }

    #[getter]
    fn recipe(&self) -> PyResult<String> {
        Ok(self.get()?.1.recipe())
    }

    #[getter]
    fn program(&self) -> PyResult<String> {
        Ok(self.get()?.1.program().to_string())
    }

    #[getter]
    fn in_place(&self) -> PyResult<bool> {
        Ok(self.get()?.1.program().placement() == Placement::InPlace)
    }

    /// Whether the output has places that a run does not write.
    #[getter]
    fn leaves_gaps(&self) -> PyResult<bool> {
        Ok(self.get()?.1.leaves_gaps())
    }

    /// What the inputs hold, and the number of elements of each.
    #[getter]
    fn inputs(&self) -> PyResult<Vec<(&'static str, usize)>> {
        let (_, plan) = self.get()?;
        Ok(plan.program().inputs().iter().map(|array| (plan.input().name(), array.len)).collect())
    }

    /// The same of the output.
    #[getter]
    fn output(&self) -> PyResult<(&'static str, usize)> {
        let (_, plan) = self.get()?;
        Ok((plan.output().name(), plan.program().output().len))
    }

    /// Verifies the device's results, and says by what.
    fn verify(&self, py: Python<'_>) -> PyResult<String> {
        let (_, plan) = self.get()?;
        py.detach(|| plan.verify()).map(|verified| verified.to_string()).map_err(raised)
    }

    /// Runs the plan on the bytes of arrays on the host, and returns those of the result.
    fn run<'py>(&self, py: Python<'py>, inputs: Vec<PyReadonlyArray1<'py, u8>>) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let (_, plan) = self.get()?;
        let inputs = inputs.iter().map(|input| Ok(input.as_slice()?)).collect::<PyResult<Vec<_>>>()?;
        let pending = py.detach(|| plan.run(&inputs)).map_err(raised)?;
        Ok(PyArray1::from_vec(py, waited(py, pending)?))
    }

    /// Queues the plan on arrays on the device, and returns at once. A plan that works in place
    /// takes no inputs. Errors name the caller, which `_callers.caller()` found.
    #[pyo3(signature = (caller, inputs, output, arrays=Vec::new()))]
    fn run_on(
        &self,
        py: Python<'_>,
        caller: Py<PyAny>,
        inputs: Vec<PyRef<'_, Buffer>>,
        output: PyRef<'_, Buffer>,
        arrays: Vec<(String, PyRef<'_, Buffer>)>,
    ) -> PyResult<()> {
        let (gpu, plan) = self.get()?;
        let views = inputs.iter().map(|input| input.view_on(gpu)).collect::<PyResult<Vec<_>>>()?;
        let (output, arrays) = (output.view_on(gpu)?, self.arrays(gpu, &arrays)?);
        let caller = Call(caller);
        let submit = || plan.bind(&views, output, &arrays)?.enqueue_for(caller);
        py.detach(submit).map_err(raised)
    }
}
