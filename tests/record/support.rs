//! Shared by the tests.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, Once};
use std::{env, fs};

use wgpu_fft::low_level::Timer;
use wgpu_fft::low_level::tune::DeviceIdentity;
use wgpu_fft::low_level::tune::record::{Entry, Mark};
use wgpu_fft::tune::Rigor;

/// A device like an H200, with this driver version.
pub fn device(driver: u32) -> Arc<DeviceIdentity> {
    Arc::new(DeviceIdentity {
        name: "NVIDIA H200".to_owned(),
        backend: "vulkan".to_owned(),
        vendor: 0x10de,
        device: 0x2335,
        device_type: "discrete GPU".to_owned(),
        driver: "NVIDIA".to_owned(),
        driver_info: format!("{driver}.133.20"),
        subgroup_sizes: [32, 32],
        subgroups: true,
        int64: true,
        f64: true,
        workgroup_bytes: 49152,
        invocations: 1024,
        workgroup_size: [1024, 1024, 64],
        groups_per_axis: 65535,
        binding_bytes: 2_147_483_644,
        buffer_bytes: 1 << 60,
        storage_alignment: 16,
        uniform_alignment: 64,
        storage_buffers: 1_048_576,
    })
}

pub const RECIPE: &str = "axis 1: stockham 8.8.8 lanes=64 lines=1 exchange=split pieces=1 banks=32 roots=products; axis 0: stockham 8.8.8 lanes=64 lines=8 exchange=split pieces=1 banks=32 roots=products";

/// A measurement whose times have no short decimal form.
pub fn entry(spec: &str, recipe: &str, device: &Arc<DeviceIdentity>, time: u64) -> Entry {
    Entry {
        spec: spec.to_owned(),
        recipe: recipe.to_owned(),
        wgsl: 0xfedc_ba98_7654_3210,
        device: Arc::clone(device),
        seconds: 1e-6 / 3.0 + spec.len() as f64,
        rules_seconds: 1e-5 / 7.0,
        timer: Timer::Timestamps,
        rigor: Rigor::Measure,
        version: "0.1.0".to_owned(),
        time,
    }
}

pub fn mark(spec: &str, recipe: &str, device: &Arc<DeviceIdentity>, time: u64) -> Mark {
    Mark {
        spec: spec.to_owned(),
        recipe: recipe.to_owned(),
        device: Arc::clone(device),
        why: "hung, it \"seems\"\n\u{1f4a5}".to_owned(),
        version: "0.1.0".to_owned(),
        time,
    }
}

/// A directory for one test, which is removed afterwards.
pub struct Directory(PathBuf);

impl Directory {
    pub fn new(test: &str) -> Self {
        Self::within(&env::temp_dir(), test)
    }

    /// In memory, if the system has such a file system: for thousands of files, and for hundreds
    /// that are synced.
    pub fn fast(test: &str) -> Self {
        let memory = Path::new("/dev/shm");
        let usable = fs::write(memory.join(format!("wgpu-fft-probe-{}", std::process::id())), "").is_ok();
        let _ = fs::remove_file(memory.join(format!("wgpu-fft-probe-{}", std::process::id())));
        if usable { Self::within(memory, test) } else { Self::new(test) }
    }

    fn within(parent: &Path, test: &str) -> Self {
        let path = parent.join(format!("wgpu-fft-record-{}-{test}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        // The record reports its path as the system does.
        Self(fs::canonicalize(path).unwrap())
    }

    pub fn record(&self) -> PathBuf {
        self.0.join("record.jsonl")
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The warnings about files in this directory.
    pub fn warnings(&self) -> Vec<String> {
        let of = self.0.display().to_string();
        WARNINGS.lock().unwrap().iter().filter(|text| text.contains(&of)).cloned().collect()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

static WARNINGS: Mutex<Vec<String>> = Mutex::new(Vec::new());

struct Logger;

impl log::Log for Logger {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        metadata.level() <= log::Level::Warn
    }

    fn log(&self, record: &log::Record<'_>) {
        if self.enabled(record.metadata()) {
            WARNINGS.lock().unwrap().push(record.args().to_string());
        }
    }

    fn flush(&self) {}
}

/// Collects warnings from now on.
pub fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        log::set_logger(&Logger).unwrap();
        log::set_max_level(log::LevelFilter::Warn);
    });
}

/// The command for a child: this program again, which runs only the test `processes::child`.
pub fn child(job: &str, path: &Path) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "processes::child", "--nocapture", "--test-threads=1"]);
    command.env("RECORD_TEST_JOB", job).env("RECORD_TEST_PATH", path).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// Random numbers determined by a seed (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}
