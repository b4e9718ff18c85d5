//! Workspaces that plans share.

use std::sync::Arc;

use wgpu_fft::fft::{C2c, R2c};
use wgpu_fft::low_level::{self, Slot};
use wgpu_fft::plan::Workspace;
use wgpu_fft::reduce;
use wgpu_fft::{Complex32, DeviceBuffer, Error, Plan, Planner, Program, View, wgpu};

use crate::harness::*;

/// Transforms in several passes, a convolution, and a sum whose parts are joined by atomics.
struct Plans {
    long: Arc<Plan<C2c>>,
    short: Arc<Plan<C2c>>,
    prime: Arc<Plan<C2c>>,
    real: Arc<Plan<R2c>>,
    sum: Arc<Plan<reduce::Reduction<f32, f32>>>,
}

impl Plans {
    fn of(planner: &Planner) -> Self {
        let passes = "stockham 8.8 lanes=8 lines=8 exchange=split pieces=1 banks=32 roots=products";
        let two = |axis: &str| format!("{axis}: {passes} + {passes}").parse().unwrap();
        let joined = "workgroup=64 lanes=64 width=1 unroll=1 parts=8 join";
        let chosen = |n| planner.choose(&C2c::forward(n)).unwrap().recipe;
        Self {
            long: planner.plan_with(C2c::forward(4096).batch(24), two("axis 0")).unwrap(),
            short: planner.plan_with(C2c::inverse(4096), two("axis 0")).unwrap(),
            prime: planner.plan_with(C2c::forward(10_007), chosen(10_007)).unwrap(),
            real: planner.plan(R2c::forward([24, 1 << 13])).unwrap(),
            sum: planner.plan_with(reduce::sum(20_000), joined.parse().unwrap()).unwrap(),
        }
    }

    fn programs(&self) -> [&Program; 5] {
        [self.long.program(), self.short.program(), self.prime.program(), self.real.program(), self.sum.program()]
    }
}

/// The sizes of the arrays that a plan shares.
fn shared_sizes(program: &Program) -> Vec<u64> {
    let all = (0..low_level::workspaces(program).len()).map(Slot::Workspace);
    let zeros = |slot: &Slot| {
        low_level::dispatches(program).iter().flat_map(|dispatch| &dispatch.binds).any(|bind| bind.slot == *slot && bind.name == "arrivals")
    };
    all.filter(|slot| !zeros(slot)).map(|slot| low_level::bytes(program, slot)).collect()
}

/// The largest size of each array.
fn largest(programs: &[&Program]) -> Vec<u64> {
    let mut sizes: Vec<u64> = Vec::new();
    for program in programs {
        let own = shared_sizes(program);
        sizes.resize(sizes.len().max(own.len()), 0);
        sizes.iter_mut().zip(own).for_each(|(size, own)| *size = own.max(*size));
    }
    sizes
}

/// Runs all plans in one submission, some of them twice, between one another. Returns the bits of
/// all results.
fn interleaved(plans: &Plans, planner: &Planner) -> Vec<Vec<u32>> {
    let gpu = planner.gpu();
    let noise = |len: usize, seed| gpu.upload(&complex_noise(len, seed)).unwrap();
    let arrays = |len: usize, seed| -> (DeviceBuffer<Complex32>, [DeviceBuffer<Complex32>; 2]) {
        (noise(len, seed), [gpu.alloc(len).unwrap(), gpu.alloc(len).unwrap()])
    };
    let (long, short, prime) = (arrays(4096 * 24, 1), arrays(4096, 2), arrays(10_007, 3));
    let reals = gpu.upload(&noise_of(24 << 13)).unwrap();
    let halves: DeviceBuffer<Complex32> = gpu.alloc(plans.real.output_len()).unwrap();
    let numbers = gpu.upload(&noise_of(20_000)).unwrap();
    let sums: [DeviceBuffer<f32>; 2] = [gpu.alloc(1).unwrap(), gpu.alloc(1).unwrap()];
    let bound = plans.short.bind(&short.0, &short.1[0]).unwrap();
    gpu.submit(|encoder| {
        plans.long.encode(encoder, &long.0, &long.1[0])?;
        bound.encode(encoder)?;
        plans.sum.encode(encoder, &numbers, &sums[0])?;
        plans.prime.encode(encoder, &prime.0, &prime.1[0])?;
        plans.long.encode(encoder, &long.1[0], &long.1[1])?;
        plans.real.encode(encoder, &reals, &halves)?;
        plans.sum.encode(encoder, &numbers, &sums[1])?;
        plans.prime.encode(encoder, &prime.1[0], &prime.1[1])?;
        plans.short.encode(encoder, &short.1[0], &short.1[1])
    })
    .unwrap();
    let complex = [&long.1, &short.1, &prime.1].into_iter().flatten().chain([&halves]);
    let complex = complex.map(|array| bytemuck::pod_collect_to_vec(&gpu.download(array).unwrap().wait().unwrap()));
    let sums = sums.iter().map(|sum| bytemuck::pod_collect_to_vec(&gpu.download(sum).unwrap().wait().unwrap()));
    complex.chain(sums).collect()
}

fn noise_of(len: usize) -> Vec<f32> {
    complex_noise(len.div_ceil(2), 9).iter().flat_map(|z| [z.re, z.im]).take(len).collect()
}

pub fn plans_that_share_give_the_bits_of_plans_alone(device: &Device) {
    let alone = Planner::new(device.gpu());
    let plans = Plans::of(&alone);
    let expected = interleaved(&plans, &alone);
    let largest = largest(&plans.programs());
    assert!(plans.programs()[..2].iter().all(|program| !shared_sizes(program).is_empty()), "transforms have workspaces");
    assert!(plans.sum.workspace_bytes() > 0 && shared_sizes(plans.sum.program()).is_empty(), "arrivals are a plan's own");

    let workspace = Workspace::new();
    let planner = Planner::new(device.gpu()).with_workspace(&workspace);
    assert_eq!(workspace.bytes(), 0);
    let sharing = Plans::of(&planner);
    assert_eq!(workspace.bytes(), largest.iter().sum::<u64>());
    let needed: u64 = sharing.programs().iter().map(|program| program.workspace_bytes()).sum();
    assert!(workspace.bytes() < needed, "{} of {needed}", workspace.bytes());
    assert_eq!(sharing.sum.workspace_bytes(), plans.sum.workspace_bytes());
    for _ in 0..3 {
        assert!(interleaved(&sharing, &planner) == expected, "{}", device.name);
    }

    // Two planners share it, and one of them has forgotten its plans.
    let other = Planner::new(device.gpu()).with_workspace(&workspace);
    planner.clear();
    assert!(interleaved(&Plans::of(&other), &other) == expected, "{}", device.name);
    assert_eq!(workspace.bytes(), largest.iter().sum::<u64>());
}

/// A plan that was bound before keeps its buffers, and one that was made before uses the larger
/// ones.
pub fn workspaces_grow_under_their_plans(device: &Device) {
    let alone = Planner::new(device.gpu());
    let expected = Plans::of(&alone);
    let gpu = device.gpu();
    let workspace = Workspace::new();
    let planner = Planner::new(gpu).with_workspace(&workspace);
    let recipe = expected.short.recipe().clone();
    let small = planner.plan_with(C2c::inverse(4096), recipe.clone()).unwrap();
    let before = workspace.bytes();
    let input = complex_noise(4096, 5);
    let wanted = expected.short.run(&input).unwrap().wait().unwrap();
    let (x, y, z) = (gpu.upload(&input).unwrap(), gpu.alloc(4096).unwrap(), gpu.alloc(4096).unwrap());
    let bound = small.bind(&x, &y).unwrap();

    let large = planner.plan_with(C2c::forward(4096).batch(24), recipe).unwrap();
    assert!(workspace.bytes() > before, "{} after {before}", workspace.bytes());
    let many = complex_noise(4096 * 24, 6);
    let (many_in, many_out) = (gpu.upload(&many).unwrap(), gpu.alloc(4096 * 24).unwrap());
    gpu.submit(|encoder| {
        large.encode(encoder, &many_in, &many_out)?;
        bound.encode(encoder)?;
        small.encode(encoder, &x, &z)?;
        large.encode(encoder, &many_in, &many_out)
    })
    .unwrap();
    for own in [&y, &z] {
        assert_equal_bits(&gpu.download(own).unwrap().wait().unwrap(), &wanted, &device.name);
    }
    let wanted = expected.long.run(&many).unwrap().wait().unwrap();
    assert_equal_bits(&gpu.download(&many_out).unwrap().wait().unwrap(), &wanted, &device.name);
}

pub fn workspaces_in_the_callers_buffers(device: &Device) {
    let gpu = device.gpu();
    let alone = Planner::new(gpu);
    let plans = Plans::of(&alone);
    let expected = interleaved(&plans, &alone);
    let sizes = largest(&plans.programs());
    // Guards around each array must not change.
    const GUARD: u64 = 4096;
    let guarded = |bytes: u64| gpu.upload(&vec![0xdead_beefu32; ((bytes + 2 * GUARD) / 4) as usize]).unwrap();
    let buffers: Vec<DeviceBuffer<u32>> = sizes.iter().map(|&bytes| guarded(bytes)).collect();
    let views: Vec<View<'_, u8>> =
        buffers.iter().zip(&sizes).map(|(buffer, &bytes)| View::new(buffer.buffer(), GUARD, bytes as usize).unwrap()).collect();
    let workspace = Workspace::in_buffers(gpu, &views).unwrap();
    let planner = Planner::new(gpu).with_workspace(&workspace);
    let own = Plans::of(&planner);
    assert!(interleaved(&own, &planner) == expected, "{}", device.name);
    assert_eq!(workspace.bytes(), sizes.iter().sum::<u64>());
    for (buffer, &bytes) in buffers.iter().zip(&sizes) {
        let words = gpu.download(buffer).unwrap().wait().unwrap();
        let (first, last) = ((GUARD / 4) as usize, ((GUARD + bytes) / 4) as usize);
        assert!(words[..first].iter().chain(&words[last..]).all(|&word| word == 0xdead_beef), "{}", device.name);
        assert!(words[first..last].iter().any(|&word| word != 0xdead_beef), "it is used");
    }

    // The workspace is no array for the plan.
    let taken: View<'_, Complex32> = View::new(buffers[0].buffer(), 0, 4096).unwrap();
    let x = gpu.alloc::<Complex32>(4096).unwrap();
    assert!(matches!(own.short.bind(taken, &x), Err(Error::Aliased { first: "input", second: "the plan's workspace" })));
    assert!(matches!(own.short.bind(&x, taken), Err(Error::Aliased { first: "output", .. })));
}

pub fn workspaces_that_do_not_do_say_why(device: &Device) {
    let gpu = device.gpu();
    let plans = Plans::of(&device.planner);
    let (recipe, needed) = (plans.short.recipe().clone(), shared_sizes(plans.short.program()));
    let plan =
        |workspace: &Workspace| Planner::new(gpu).with_workspace(workspace).plan_with(C2c::inverse(4096), recipe.clone()).map(|_| ());
    let total: u64 = needed.iter().sum();

    let small = Workspace::at_most(total - 1);
    match plan(&small).unwrap_err() {
        Error::LimitExceeded { required, available, limit: "bytes of the workspace", .. } => {
            assert_eq!((required, available), (total, total - 1))
        }
        other => panic!("{other}"),
    }
    assert_eq!(small.bytes(), 0, "a failure leaves it as it was");
    assert_eq!(plan(&Workspace::at_most(total)), Ok(()));

    let buffer = |bytes: u64, usage| {
        gpu.device().create_buffer(&wgpu::BufferDescriptor { label: None, size: bytes, usage, mapped_at_creation: false })
    };
    let storage = buffer(needed[0] + 1024, wgpu::BufferUsages::STORAGE);
    let view = |offset: u64, bytes: u64| View::new(&storage, offset, bytes as usize).unwrap();
    let given = Workspace::in_buffers(gpu, &[view(256, needed[0] - 4)]).unwrap();
    match plan(&given).unwrap_err() {
        Error::LimitExceeded { required, available, limit: "bytes of the given workspace", .. } => {
            assert_eq!((required, available), (needed[0], needed[0] - 4));
        }
        other => panic!("{other}"),
    }
    let none = Workspace::in_buffers(gpu, &[]).unwrap();
    assert!(
        matches!(plan(&none), Err(Error::LimitExceeded { limit: "buffers of the given workspace", required, available: 0, .. }) if required == needed.len() as u64)
    );
    assert!(matches!(Workspace::in_buffers(gpu, &[view(4, 64)]), Err(Error::Misaligned { argument: "workspace", offset_bytes: 4, .. })));
    assert!(matches!(Workspace::in_buffers(gpu, &[view(0, 64), view(256, 64)]), Err(Error::Aliased { first: "workspace", .. })));
    let copied = buffer(1024, wgpu::BufferUsages::COPY_DST);
    assert!(matches!(
        Workspace::in_buffers(gpu, &[View::new(&copied, 0, 64).unwrap()]),
        Err(Error::MissingUsage { argument: "workspace", .. })
    ));

    // Of another device.
    let other = device.open_another();
    assert!(matches!(Workspace::in_buffers(&other, &[view(0, 64)]), Err(Error::ForeignObject { argument: "workspace", .. })));
    let shared = Workspace::new();
    plan(&shared).unwrap();
    let elsewhere = Planner::new(&other).with_workspace(&shared).plan_with(C2c::inverse(4096), recipe.clone());
    assert!(matches!(elsewhere.unwrap_err(), Error::ForeignObject { argument: "workspace", .. }));
}
