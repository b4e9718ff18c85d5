//! A quick first use of a plan: threads that plan at the same time, and compiled pipelines kept in
//! a file.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Barrier};

use wgpu_fft::fft::C2c;
use wgpu_fft::{Error, ErrorKind, Gpu, Plan, Planner, wgpu};

use crate::harness::*;

/// Makes a plan for each spec on a thread of its own. All threads begin at once.
fn plan_together(planner: &Planner, specs: &[C2c]) -> Vec<Arc<Plan<C2c>>> {
    let start = Barrier::new(specs.len());
    let plan = |spec: &C2c| {
        start.wait();
        planner.plan(spec.clone()).unwrap()
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = specs.iter().map(|spec| scope.spawn(|| plan(spec))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn assert_right(device: &Device, plan: &Plan<C2c>, rows: usize, columns: usize) {
    let input = complex_noise(rows * columns, 5);
    let output = plan.run(&input).unwrap().wait().unwrap();
    assert_close(&output, &reference_fft(&input, rows, columns, false), 2.0 * fft_budget(rows * columns), &device.name);
}

pub fn threads_that_plan_the_same_share_one_plan(device: &Device) {
    let planner = Planner::new(device.gpu());
    let plans = plan_together(&planner, &[(); 8].map(|()| C2c::forward([32, 64])));
    assert!(plans.iter().all(|plan| Arc::ptr_eq(plan, &plans[0])), "{}", device.name);
    assert_right(device, &plans[0], 32, 64);
}

/// A plan made by another thread is that of this one, and a warm one computes what it did.
pub fn plans_are_made_aside_and_warmed_up(device: &Device) {
    let planner = Arc::new(Planner::new(device.gpu()));
    let plan = pollster::block_on(planner.plan_async(C2c::forward([24, 40]))).unwrap();
    assert!(Arc::ptr_eq(&plan, &planner.plan(C2c::forward([24, 40])).unwrap()), "{}", device.name);
    assert!(plan.warm_up().unwrap() > std::time::Duration::ZERO);
    assert_right(device, &plan, 24, 40);
    let in_place = planner.plan(C2c::forward([24, 40]).in_place()).unwrap();
    in_place.warm_up().unwrap();
    assert_right(device, &in_place, 24, 40);
    let error = pollster::block_on(planner.plan_async(C2c::forward([24, 0]))).unwrap_err();
    assert!(matches!(error, Error::Empty { .. }), "{error}");
}

/// Some of the plans share pipelines, and some share texts.
pub fn threads_that_plan_different_transforms_get_their_own(device: &Device) {
    let planner = Planner::new(device.gpu());
    let sizes = [[16, 16], [32, 16], [16, 32], [32, 32], [64, 16], [16, 64]];
    let plans = plan_together(&planner, &sizes.map(C2c::forward));
    for ([rows, columns], plan) in sizes.into_iter().zip(&plans) {
        assert_eq!(*plan.spec(), C2c::forward([rows, columns]));
        assert_right(device, plan, rows, columns);
    }
}

pub fn a_planner_can_be_cleared_while_others_plan(device: &Device) {
    let planner = Planner::new(device.gpu());
    std::thread::scope(|scope| {
        for n in [16, 32, 64] {
            let planner = &planner;
            scope.spawn(move || (0..4).for_each(|_| assert_right(device, &planner.plan(C2c::forward(n)).unwrap(), 1, n)));
        }
        (0..20).for_each(|_| planner.clear());
    });
}

/// A directory for one test, removed if the test succeeds.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str, device: &Device) -> Self {
        let own: String = device.name.chars().filter(char::is_ascii_alphanumeric).collect();
        let path = std::env::temp_dir().join(format!("wgpu-fft-{test}-{own}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("pipelines")
    }

    fn names(&self) -> Vec<String> {
        fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            fs::remove_dir_all(&self.0).unwrap();
        }
    }
}

fn open_with(device: &Device, file: &Path) -> Gpu {
    pollster::block_on(Gpu::from_adapter_with(&device.adapter, &options().pipeline_cache(file))).unwrap()
}

fn transforms(device: &Device, gpu: &Gpu) {
    let plan = Planner::new(gpu).plan(C2c::forward([64, 32])).unwrap();
    assert_right(device, &plan, 64, 32);
}

/// The file of a device that has transformed something. `None` if the adapter does not support such
/// caches, in which case the status must say so.
fn saved(device: &Device, file: &Path) -> Option<Vec<u8>> {
    let gpu = open_with(device, file);
    transforms(device, &gpu);
    if !device.adapter.features().contains(wgpu::Features::PIPELINE_CACHE) {
        assert!(matches!(gpu.pipeline_cache(), Some(Err(Error::Unsupported { .. }))), "{:?}", gpu.pipeline_cache());
        assert!(matches!(gpu.save_pipeline_cache(), Err(Error::Unsupported { .. })));
        return None;
    }
    assert_eq!(gpu.pipeline_cache(), Some(Ok(0)));
    let bytes = gpu.save_pipeline_cache().unwrap();
    let contents = fs::read(file).unwrap();
    assert_eq!(contents.len() as u64, bytes);
    Some(contents)
}

pub fn compiled_pipelines_are_kept_in_a_file(device: &Device) {
    let folder = Folder::new("kept", device);
    let Some(first) = saved(device, &folder.file()) else { return };
    let gpu = open_with(device, &folder.file());
    let bytes = gpu.pipeline_cache().unwrap().unwrap();
    assert!(bytes > 0 && bytes < first.len() as u64, "{bytes} of {}", first.len());
    transforms(device, &gpu);
    gpu.save_pipeline_cache().unwrap();
    assert!(open_with(device, &folder.file()).pipeline_cache().unwrap().unwrap() > 0);
    // No temporary files are left.
    assert_eq!(folder.names(), ["pipelines"]);
}

pub fn guests_keep_compiled_pipelines_too(device: &Device) {
    let folder = Folder::new("guests", device);
    let Some(_) = saved(device, &folder.file()) else { return };
    let open = |required_features| {
        let descriptor = wgpu::DeviceDescriptor { required_features, ..Default::default() };
        let (wgpu_device, queue) = pollster::block_on(device.adapter.request_device(&descriptor)).unwrap();
        Gpu::from_wgpu(wgpu_device, queue).with_pipeline_cache(folder.file())
    };
    let guest = open(wgpu::Features::PIPELINE_CACHE);
    assert!(guest.pipeline_cache().unwrap().unwrap() > 0);
    transforms(device, &guest);
    guest.save_pipeline_cache().unwrap();
    let without = open(wgpu::Features::empty());
    let refused = without.pipeline_cache().unwrap().unwrap_err();
    assert!(refused.to_string().contains("PIPELINE_CACHE"), "{refused}");
    transforms(device, &without);
}

pub fn a_file_that_is_no_good_is_ignored_and_replaced(device: &Device) {
    let folder = Folder::new("ignored", device);
    let Some(good) = saved(device, &folder.file()) else { return };
    let info = device.adapter.get_info();
    let at = |text: &str| good.windows(text.len()).position(|window| window == text.as_bytes()).unwrap();
    let flipped = |place: usize| {
        let mut file = good.clone();
        file[place] ^= 0x10;
        file
    };
    for (why, file) in [
        ("truncated", Vec::new()),
        ("truncated", good[..good.len() / 2].to_vec()),
        ("truncated", good[..good.len() - 1].to_vec()),
        ("checksum", flipped(good.len() - 20)),
        ("checksum", flipped(at(&info.name))),
        ("not a pipeline cache of wgpu-fft", flipped(0)),
        ("not a pipeline cache of wgpu-fft", vec![0x5a; 4096]),
        ("made for", of_another_driver(&good)),
    ] {
        fs::write(folder.file(), file).unwrap();
        let gpu = open_with(device, &folder.file());
        let actual = gpu.pipeline_cache().unwrap().unwrap_err();
        assert!(matches!(&actual, Error::File { source, .. } if source.to_string().contains(why)), "{}: {why}: {actual}", device.name);
        transforms(device, &gpu);
        gpu.save_pipeline_cache().unwrap();
        assert!(open_with(device, &folder.file()).pipeline_cache().unwrap().unwrap() > 0);
    }
}

/// As root, replacing `/dev/null` by a temporary file would destroy `/dev/null`.
#[cfg(unix)]
pub fn what_is_no_regular_file_is_neither_read_nor_replaced(device: &Device) {
    let folder = Folder::new("irregular", device);
    let Some(good) = saved(device, &folder.file()) else { return };
    let link = |name: &str, to: &Path| {
        let link = folder.0.join(name);
        std::os::unix::fs::symlink(to, &link).unwrap();
        link
    };
    let mut irregular = vec![link("null", Path::new("/dev/null")), link("zero", Path::new("/dev/zero")), folder.0.join("directory")];
    fs::create_dir(&irregular[2]).unwrap();
    let pipe = folder.0.join("pipe");
    if std::process::Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
        irregular.push(pipe);
    }
    for path in irregular {
        // Reading them would never end, or take all memory.
        let gpu = open_with(device, &path);
        let why = gpu.pipeline_cache().unwrap().unwrap_err();
        assert!(why.to_string().contains("not a regular file"), "{path:?}: {why}");
        let before = fs::symlink_metadata(&path).unwrap().file_type();
        let error = gpu.save_pipeline_cache().unwrap_err();
        let why = if before.is_dir() { "it is a folder" } else { "not a regular file" };
        assert!(matches!(&error, Error::File { source, .. } if source.to_string().contains(why)), "{path:?}: {error}");
        assert_eq!(fs::symlink_metadata(&path).unwrap().file_type(), before);
    }
    // A link to a file is followed and stays.
    let link = link("link", &folder.file());
    let gpu = open_with(device, &link);
    assert!(gpu.pipeline_cache().unwrap().unwrap() > 0);
    fs::write(folder.file(), b"damaged").unwrap();
    gpu.save_pipeline_cache().unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read(folder.file()).unwrap().len() >= good.len() / 2);
    assert!(open_with(device, &link).pipeline_cache().unwrap().unwrap() > 0);
}

#[cfg(not(unix))]
pub fn what_is_no_regular_file_is_neither_read_nor_replaced(_: &Device) {}

/// The file as an adapter with another driver would have written it: complete and with the right
/// checksum.
fn of_another_driver(file: &[u8]) -> Vec<u8> {
    let mut file = file[..file.len() - 8].to_vec();
    let driver = file.windows(11).position(|window| window == b"with driver").unwrap();
    file[driver..driver + 11].copy_from_slice(b"WITH DRIVER");
    let sum = file.iter().fold(0xcbf2_9ce4_8422_2325_u64, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    file.extend(sum.to_le_bytes());
    file
}

pub fn what_cannot_be_saved_is_an_error_with_the_path(device: &Device) {
    let folder = Folder::new("unsaved", device);
    let Some(_) = saved(device, &folder.file()) else { return };
    assert!(device.gpu().pipeline_cache().is_none(), "the variable WGPU_FFT_PIPELINE_CACHE is set");
    assert!(matches!(device.gpu().save_pipeline_cache(), Err(Error::Unsupported { .. })));

    let read_only = folder.0.join("read only");
    fs::create_dir(&read_only).unwrap();
    let mut permissions = fs::metadata(&read_only).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&read_only, permissions).unwrap();
    // Root may write anywhere except here.
    let read_only = if fs::write(read_only.join("probe"), "").is_ok() { PathBuf::from("/proc") } else { read_only };
    let missing = folder.0.join("missing");
    let below_a_file = folder.file();
    for directory in [read_only, missing, below_a_file] {
        let file = directory.join("pipelines");
        let gpu = open_with(device, &file);
        transforms(device, &gpu);
        let error = gpu.save_pipeline_cache().unwrap_err();
        let Error::File { path, .. } = &error else { panic!("{error}") };
        assert_eq!(error.kind(), ErrorKind::File);
        assert_eq!(*path, file);
        assert!(error.to_string().contains("pipelines"), "{error}");
        assert!(!file.exists());
    }
}

pub fn a_lost_device_saves_nothing(device: &Device) {
    let folder = Folder::new("lost", device);
    let Some(before) = saved(device, &folder.file()) else { return };
    let gpu = open_with(device, &folder.file());
    gpu.device().destroy();
    let _ = gpu.device().poll(wgpu::PollType::Poll);
    assert!(matches!(gpu.save_pipeline_cache(), Err(Error::DeviceLost { .. })));
    assert_eq!(fs::read(folder.file()).unwrap(), before);
}
