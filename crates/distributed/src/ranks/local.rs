//! What one rank computes between two exchanges: it uploads its slab, transforms and transposes it
//! on the device, and downloads it.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use wgpu_fft::Bound;
use wgpu_fft::low_level::transfer::{Commands, Download, Role, Staging, copy_threads, wait_for};

use super::cluster::Device;
use super::failure::{Failure, Outcome};
use crate::task::Task;

/// Times of one local pass.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct LocalTimes {
    pub upload: Duration,
    pub compute: Duration,
    pub download: Duration,
}

impl LocalTimes {
    pub fn total(&self) -> Duration {
        self.upload + self.compute + self.download
    }
}

/// A chain of plans with arrays of its own.
pub(super) struct LocalPass {
    device: Rc<Device>,
    /// The plans, bound to two arrays in turns. The first one reads the first array.
    steps: Vec<Bound>,
    /// Missing while one is read, or after an error.
    arrays: RefCell<[Option<Staging>; 2]>,
    bytes: [usize; 2],
    threads: usize,
}

impl LocalPass {
    /// A pass through some plans, of which each takes the result of the one before it. `bytes` are
    /// those of the input and the output.
    pub fn new(device: &Rc<Device>, tasks: &[Arc<dyn Task>], bytes: [usize; 2]) -> Outcome<Self> {
        let gpu = &device.gpu;
        // An array is read and written in turns, so it is as large as the largest that it holds.
        let mut sizes = [0; 2];
        for (i, task) in tasks.iter().enumerate() {
            let [input, output] = task.bytes();
            sizes[i % 2] = input.max(sizes[i % 2]);
            sizes[(i + 1) % 2] = output.max(sizes[(i + 1) % 2]);
        }
        let arrays = [Staging::array(gpu, Role::InPlace, sizes[0])?, Staging::array(gpu, Role::Output, sizes[1])?];
        let bind = |(i, task): (usize, &Arc<dyn Task>)| task.bind(&[arrays[i % 2].buffer()], arrays[(i + 1) % 2].buffer());
        let steps = tasks.iter().enumerate().map(bind).collect::<wgpu_fft::Result<Vec<Bound>>>()?;
        let arrays = RefCell::new(arrays.map(Some));
        let threads = copy_threads(device.ranks_beside);
        Ok(Self { device: Rc::clone(device), steps, arrays, bytes, threads })
    }

    /// Bytes of the input and of the output.
    pub fn bytes(&self) -> [usize; 2] {
        self.bytes
    }

    /// Runs the pass: uploads, computes and downloads one after the other, and times each.
    pub fn run(&self, input: &[u8], output: &mut [u8]) -> Outcome<LocalTimes> {
        let gpu = &self.device.gpu;
        let gone = || Failure::Other("an earlier run of this pass failed, so its arrays are gone: make a new job".to_owned());
        let mut arrays = self.arrays.borrow_mut();
        let begin = Instant::now();
        let first = arrays[0].as_mut().ok_or_else(gone)?;
        first.map_for_writing(gpu, None)?;
        let mut commands = Commands::new(gpu)?;
        commands.fill(first, vec![input], self.threads)?;
        wait_for(gpu, commands.submit()?)?;
        let uploaded = Instant::now();
        let mut commands = Commands::new(gpu)?;
        self.steps.iter().try_for_each(|step| step.encode(&mut commands.encoder))?;
        wait_for(gpu, commands.submit()?)?;
        self.device.slow_down(uploaded.elapsed());
        let computed = Instant::now();
        let last = self.steps.len() % 2;
        let padded = (output.len() as u64).next_multiple_of(4);
        let mut download = Download::of_array(gpu, arrays[last].take().ok_or_else(gone)?, padded);
        let mut commands = Commands::new(gpu)?;
        download.record(&mut commands)?;
        let submission = commands.submit()?;
        download.begin(&submission)?;
        download.read_now(vec![output], self.threads)?;
        arrays[last] = download.take_array();
        Ok(LocalTimes { upload: uploaded - begin, compute: computed - uploaded, download: computed.elapsed() })
    }
}

impl Drop for LocalPass {
    fn drop(&mut self) {
        let arrays = std::mem::take(self.arrays.get_mut());
        arrays.into_iter().flatten().for_each(|array| array.keep(&self.device.gpu));
    }
}
