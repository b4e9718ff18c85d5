//! The time that tests spend in the interpreter: programs under all checks of wgsl-sanitizer,
//! compared with the same programs on a device.
//!
//! ```sh
//! cargo bench --profile dev --bench measure -- interpreter --adapter llvmpipe --rounds 3
//! ```
//!
//! `--profile dev` is the profile of the tests, in which only the interpreter itself is fully
//! optimised. The interpreter runs on one thread; the device uses all its resources.
//!
//! `interpreter_s` is the median over the rounds of one run from arrays to arrays, with the text
//! already compiled. `first_s` is the first run, which compiles it. `device_ms` is the median on
//! the device with the same recipe, and `slowdown` is their ratio. Recipes that the rules choose
//! for a GPU assume the limits of an H200 without subgroups.

use std::sync::Arc;
use std::time::Instant;

use serde_json::json;
use wgpu_fft::fft::C2c;
use wgpu_fft::low_level::{self, Slot};
use wgpu_fft::reduce;
use wgpu_fft::transpose::Permute;
use wgpu_fft::{Complex32, DeviceProfile, Plan, Spec, wgpu};

use crate::sanitized::{Arrays, subgroup_size};
use crate::support::{self, Bench, Candidate, Case, Column, Format, Program, Result, rounded};

pub const PROGRAM: Program = Program {
    name: "interpreter",
    about: "programs under wgsl-sanitizer, beside the device: what tests wait for",
    options: "(with `--profile dev`, as the tests; --recipe has no effect)
",
    columns: COLUMNS,
    work,
};

const COLUMNS: &[Column] = &[
    Column::new("spec", "spec", Format::Text),
    Column::new("by", "by", Format::Text),
    Column::new("interpreter s", "interpreter_s", Format::Digits),
    Column::new("first s", "first_s", Format::Digits),
    Column::new("device ms", "device_ms", Format::Digits),
    Column::new("slowdown", "slowdown", Format::Decimals(0)),
    Column::new("recipe", "recipe", Format::Text),
];

/// Who chooses the recipe.
enum By {
    Rules,
    RulesForGpus,
    Hand(&'static str),
}

fn work(bench: &mut Bench) -> Result<()> {
    let side = bench.sized(512, 512, 16);
    let square = C2c::forward([side, side]);
    case(bench, &square, By::Rules)?;
    case(bench, &square, By::RulesForGpus)?;
    let rows = C2c::forward(bench.sized(1024, 1024, 16)).batch(bench.sized(256, 256, 2));
    case(bench, &rows, By::Rules)?;
    case(bench, &rows, By::Hand("axis 0: radix2 rows=1 lanes=128"))?;
    let side = bench.sized(1024, 1024, 32);
    let transpose = Permute::<Complex32>::transpose([side, side]);
    case(bench, &transpose, By::Rules)?;
    case(bench, &transpose, By::RulesForGpus)?;
    let bytes = Permute::<u8>::transpose([bench.sized(1080, 1080, 30), bench.sized(1917, 1917, 35)]);
    case(bench, &bytes, By::RulesForGpus)?;
    let sum = reduce::sum::<f32>(bench.sized(1 << 20, 1 << 20, 1 << 10));
    case(bench, &sum, By::Rules)?;
    case(bench, &sum, By::RulesForGpus)?;
    case(bench, &reduce::sum::<f32>([side, side]).axes([0]), By::Rules)
}

/// A GPU without subgroups. Most devices can run its recipes.
fn gpu_profile() -> DeviceProfile {
    let least = DeviceProfile::webgpu_defaults();
    least.with(|profile| {
        profile.name = "GPU".to_owned();
        profile.device_type = wgpu::DeviceType::DiscreteGpu;
        profile.invocations = 1024;
        profile.workgroup_size = [1024, 1024, 64];
        profile.workgroup_bytes = 32_768;
    })
}

/// A program and its input, for a run on the host.
struct OnHost<S: Spec> {
    plan: Arc<Plan<S>>,
    input: Vec<u8>,
}

impl<S: Spec> OnHost<S> {
    fn run(&mut self) {
        let program = self.plan.program();
        let mut arrays = Arrays::new(program, &[&self.input]);
        for dispatch in low_level::dispatches(program) {
            arrays.dispatch(dispatch, 0, subgroup_size(dispatch, 1));
        }
        std::hint::black_box(arrays.words(Slot::Output));
    }
}

fn case<S: Spec>(bench: &mut Bench, spec: &S, by: By) -> Result<()> {
    bench.contest(&spec.to_string(), |bench| {
        let (recipe, by) = match by {
            By::Rules => (spec.design(bench.gpu().profile())?, "rules"),
            By::RulesForGpus => (spec.design(&gpu_profile())?, "rules for GPUs"),
            By::Hand(recipe) => (recipe.parse()?, "hand"),
        };
        let plan = bench.fitting_plan(spec, recipe)??;
        let program = plan.program();
        let mut input: Vec<u8> = bench.noise().take(program.inputs()[0].bytes().div_ceil(4) as usize).flat_map(f32::to_le_bytes).collect();
        input.truncate(program.inputs()[0].bytes() as usize);
        let mut host = OnHost { plan: plan.clone(), input };
        let start = Instant::now();
        host.run();
        let first = start.elapsed().as_secs_f64();
        let arrays = support::Arrays::for_plan(bench, &plan)?;
        let candidates = vec![Candidate::host(host, |_| (), OnHost::run), arrays.bind(&plan)?];
        let samples = bench.measure(candidates)?;
        let [interpreter, device] = [0, 1].map(|i| samples[i].median());
        let case = Case::of(spec.to_string(), "", &plan);
        let own = [
            ("by", json!(by)),
            ("samples", json!(samples[0].count())),
            ("interpreter_s", rounded(interpreter)),
            ("first_s", rounded(first)),
            ("spread", rounded(samples[0].spread())),
            ("device_ms", rounded(device * 1e3)),
            ("slowdown", rounded(interpreter / device)),
        ];
        bench.report_own(&case, &plan.recipe().to_string(), own);
        Ok(())
    })
}
