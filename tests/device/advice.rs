//! Where to compute: estimates of a run on the device and on the host.

use std::time::{Duration, Instant};

use wgpu_fft::dynamic::AnySpec;
use wgpu_fft::fft::{C2c, R2c};
use wgpu_fft::transpose::Permute;
use wgpu_fft::{Complex32, Error, Planner};

use crate::harness::*;

/// Estimates grow with the work and with the way, and are the same for a text.
pub fn estimates_grow_with_work_and_way(device: &Device) {
    let planner = Planner::new(device.planner.gpu());
    let large = C2c::forward(1024).batch(4096);
    let [here, there] = [planner.advise(&large), planner.advise_on_device(&large)].map(Result::unwrap);
    // 32 MiB on each side.
    let plan = planner.plan(large.clone()).unwrap();
    let data = vec![Complex32::default(); plan.input_len()];
    let run = || {
        let begun = Instant::now();
        plan.run(&data).unwrap().wait().unwrap();
        begun.elapsed()
    };
    run();
    let (least, most) = (here.device / 30, here.device * 30);
    assert!((least..most).contains(&run().min(run())), "{}: {here}, not {:?}", device.name, run());
    assert!(here.device >= there.device, "{}: {here}, or {there}", device.name);
    assert!(here.host < there.host && here.host > Some(Duration::from_micros(100)), "{}: {here}, or {there}", device.name);
    let text: AnySpec = large.to_string().parse().unwrap();
    assert_eq!([text.advise(&planner), text.advise_on_device(&planner)].map(Result::unwrap), [here, there], "{}", device.name);

    let half = planner.advise(&C2c::forward(1024).batch(2048)).unwrap();
    assert!(half.device < here.device && half.host < here.host, "{}: {half}, then {here}", device.name);
    let reals = planner.advise(&R2c::forward(1024).batch(4096)).unwrap();
    assert!(reals.device < here.device && reals.host < here.host, "{}: {reals}, then {here}", device.name);

    // No device answers in the time that the host takes for a handful of numbers.
    let small = planner.advise(&C2c::forward(16)).unwrap();
    assert!(small.is_host_faster() && !small.device.is_zero(), "{}: {small}", device.name);
    let moved = planner.advise(&Permute::<f32>::transpose([512, 512])).unwrap();
    assert!(moved.host.is_none() && !moved.is_host_faster(), "{}: {moved}", device.name);
    assert!(matches!(planner.advise(&C2c::forward(0)), Err(Error::Empty { .. })), "{}", device.name);
}
