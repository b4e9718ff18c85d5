//! `wgpu-fft plan`: how a specification is computed.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value, json};
use wgpu_fft::Planner;
use wgpu_fft::dynamic::{AnyPlan, AnySpec};
use wgpu_fft::low_level;
use wgpu_fft::plan::Placement;

use crate::Result;
use crate::bench::{copy_bandwidth, time, time_steps};
use crate::device::{Device, Recipes};
use crate::output::bytes;
use crate::sanitized::{Arrays as HostArrays, subgroup_size};

#[derive(clap::Args)]
pub struct Arguments {
    /// The specification, such as "c2c fwd 1080x1920"
    spec: AnySpec,
    #[command(flatten)]
    recipes: Recipes,
    /// Print the WGSL of every dispatch
    #[arg(long)]
    wgsl: bool,
    /// Run the dispatches on random numbers on the host, where every access is checked
    #[arg(long)]
    check: bool,
}

impl Arguments {
    /// Returns whether the check found nothing.
    pub fn run(&self, device: &Device) -> Result<bool> {
        let gpu = device.open()?;
        let plan = self.recipes.plan(device, &gpu, &self.spec)?;
        let program = plan.program();
        let arrays = moved_bytes(&plan);
        let passes = program.dispatch_count() as f64;
        // Each dispatch moves about what the operation must move at least.
        let bandwidth = copy_bandwidth(&gpu)?;
        let expected = arrays * passes / bandwidth;
        let (time, steps) = (time(&gpu, &plan)?, time_steps(&gpu, &plan)?);
        let advice = self.spec.advise(&Planner::new(&gpu)).ok();
        let texts: Vec<String> = program.wgsl().collect();
        let clean = if self.check { Some(check(&plan)) } else { None };
        let mut value = json!({
            "spec": plan.spec(),
            "recipe": plan.recipe(),
            "dispatches": low_level::dispatches(program).iter().map(ToString::to_string).collect::<Vec<_>>(),
            "input": array(program.inputs()[0], plan.input().name()),
            "output": array(program.output(), plan.output().name()),
            "workspace_bytes": program.workspace_bytes(),
            "table_bytes": program.table_bytes(),
            "copy_bandwidth": bandwidth,
            "expected_ms": expected * 1e3,
            "measured_ms": time * 1e3,
            "from_host_ms": advice.map(|advice| advice.device.as_secs_f64() * 1e3),
            "on_host_ms": advice.and_then(|advice| advice.host).map(|host| host.as_secs_f64() * 1e3),
            "dispatches_ms": steps.as_ref().map(|steps| steps.iter().map(|(_, time)| time * 1e3).collect::<Vec<_>>()),
        });
        if self.wgsl {
            value["wgsl"] = texts.iter().map(|text| Value::from(text.as_str())).collect();
        }
        if let Some(clean) = &clean {
            value["findings"] = clean.as_ref().err().map_or(Value::Null, |finding| finding.as_str().into());
        }
        device.output.result(&value, || {
            let mut text = format!("{program}\n");
            let mut line = |label: &str, value: String| text += &format!("{label:<11} {value}\n");
            line("input", format!("{} elements of {}", program.inputs()[0].len, plan.input()));
            line("output", format!("{} elements of {}", program.output().len, plan.output()));
            line(
                "memory",
                format!("{} of workspace, {} of tables", bytes(program.workspace_bytes() as f64), bytes(program.table_bytes() as f64)),
            );
            line("moves", format!("{} at least in each of {passes} dispatches", bytes(arrays)));
            let copies = format!("at {}/s, as copies here", bytes(bandwidth));
            line("expected", format!("{:.4} ms {copies}", expected * 1e3));
            line("measured", format!("{:.4} ms", time * 1e3));
            for (i, (label, time)) in (1..).zip(steps.iter().flatten()) {
                line(&format!("dispatch {i}"), format!("{:.4} ms by itself, {label}", time * 1e3));
            }
            if let Some(advice) = &advice {
                line("from host", format!("{advice}, by estimates"));
            }
            match &clean {
                None => {}
                Some(Ok(())) => line("check", "clean: no race, no index out of bounds, no read of unwritten memory".to_owned()),
                Some(Err(finding)) => line("check", format!("WRONG: {finding}")),
            }
            if self.wgsl {
                for (i, wgsl) in texts.iter().enumerate() {
                    text += &format!("\n// Dispatch {}\n{wgsl}\n", i + 1);
                }
            }
            text.trim_end().to_owned()
        });
        Ok(clean.is_none_or(|clean| clean.is_ok()))
    }
}

fn array(array: wgpu_fft::plan::Array, element: &str) -> Value {
    json!({ "element": element, "len": array.len, "bytes": array.bytes() })
}

/// The least bytes that are read and written.
pub fn moved_bytes(plan: &AnyPlan) -> f64 {
    let program = plan.program();
    let inputs: u64 = program.inputs().iter().map(|input| input.bytes()).sum();
    let inputs = if program.placement() == Placement::InPlace { program.output().bytes() } else { inputs };
    (inputs + program.output().bytes()) as f64
}

/// Runs every dispatch on the host, with all accesses checked, and returns what was found.
fn check(plan: &AnyPlan) -> std::result::Result<(), String> {
    let program = plan.program();
    let inputs: Vec<Vec<u8>> = program.inputs().iter().map(|input| crate::bench::noise(plan.input(), input.len)).collect();
    let inputs: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
    let run = || {
        let mut arrays = HostArrays::new(program, &inputs);
        for dispatch in low_level::dispatches(program) {
            arrays.dispatch(dispatch, 0, subgroup_size(dispatch, 1));
        }
    };
    // Findings are panics there.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let outcome = catch_unwind(AssertUnwindSafe(run));
    std::panic::set_hook(hook);
    outcome.map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
        text.unwrap_or_else(|| "the interpreter failed".to_owned()).lines().next().unwrap_or_default().to_owned()
    })
}
