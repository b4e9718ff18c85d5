//! A model of how the time of a distributed transform grows with the number of ranks. It covers the
//! steps of [`Job::run`](crate::Job::run), and needs neither MPI nor a device.
//!
//! The model is for complex f32 transforms in [`Order::Transposed`](crate::Order::Transposed), over
//! P ranks with one device each, slabs and equal shares.
//!
//! The phases follow one another, and blocks are joined when all have arrived. A job does so with
//! `piece_bytes(usize::MAX)` and `message_bytes(1 << 30)` of
//! [`JobOptions`](crate::JobOptions). By default it sends a piece while the device computes the next
//! one, and joins each message when it arrives, which hides a part of the times below.
//!
//! # Symbols
//! The extents are \[n₀, n₁\] or \[n₀, n₁, n₂\], with n₂ = 1 for two axes. B = 8·n₀·n₁·n₂ bytes is
//! the size of the array. A rank has at most r = ⌈n₀/P⌉ indices of axis 0 and c = ⌈n₁/P⌉ of axis 1:
//!
//! - S = 8·r·n₁·n₂ bytes before the exchange and S' = 8·c·n₂·n₀ bytes after it. Both are B/P if P
//!   divides the axes.
//! - b = 8·r·c·n₂ bytes for each other rank, which is B/P² if P divides the axes.
//!
//! a(n) is the number of passes over device memory for contiguous lines of length n
//! ([`contiguous_passes`]), and s(n) the number for lines across another axis ([`strided_passes`]).
//! The rates are fields of [`Machine`]; δ is its `dispatch_s`, σ its `submit_s`, λ its `latency_s`.
//!
//! # Formulas
//! The time of each phase is that of the rank with the most data:
//!
//! | phase | staged through the host | data stays on the device |
//! |---|---|---|
//! | upload | S/upload + σ | 0 |
//! | rows | p·(2S/device + δ) + σ with p = a(n₁) + 1, of three axes a(n₂) + s(n₁) + 1; the 1 is the turn | the same |
//! | download | S/download + σ | 0 |
//! | exchange | Σ over the P - 1 others, one after the other, of ⌈b/1 GiB⌉·λ + b/link | the same |
//! | merge | (S'/2 + b + S')/copy; without the last term for P = 1 | 0 |
//! | upload | S'/upload + σ | 0 |
//! | columns | a(n₀)·(2S'/device + δ) + σ | the same |
//! | download | S'/download + σ | 0 |
//! | agreement | 6·⌈log₂P⌉·λ | the same |
//!
//! Of the other ranks, min(g, P) - 1 are in the same node of g devices and use the link within it.
//! The other P - min(g, P) ranks are reached over the network. The merge fills the receiving array
//! with zeros, which counts as half a copy, copies the rank's own block, and joins blocks to lines.
//!
//! The last column is a lower bound. It assumes an MPI that reads and writes device memory, and a
//! first pass over columns that reads blocks where they arrived.
//!
//! # What it leaves out
//! - Overlap of phases, and pencils.
//! - Contention in the network, and for the memory of a host when all of its g ranks copy.
//! - Short pieces are copied more slowly than long ones, on hosts and devices.
//! - Arrays larger than a binding need more dispatches.
//! - The sleep of a rank that waits.
//! - Measuring and compiling.

use std::fmt;

/// Bytes of a complex number of two f32.
const COMPLEX_BYTES: u64 = 8;
/// The largest message in bytes.
const MESSAGE_BYTES: u64 = 1 << 30;
/// How often the ranks agree in a run: at its begin and its end, after each local pass, and before
/// and after the exchange.
const AGREEMENTS: f64 = 6.0;

/// The rates of a rank, its links and its device. All ranks are alike.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Machine {
    /// Bytes per second that a pass reads and writes in device memory, counting both.
    pub device_bytes_per_s: f64,
    /// Bytes per second from an array of the host to the device.
    pub upload_bytes_per_s: f64,
    /// Bytes per second from the device to an array of the host.
    pub download_bytes_per_s: f64,
    /// Bytes per second that one thread of the host copies, counting each byte once.
    pub host_copy_bytes_per_s: f64,
    /// Bytes per second that a rank sends over the network while it receives as many. If ranks
    /// share a network adapter, this is the share of one rank.
    pub link_bytes_per_s: f64,
    /// The same between two ranks of a node, from host memory to host memory.
    pub node_link_bytes_per_s: f64,
    /// The same between two ranks of a node, from device memory to device memory.
    pub node_device_link_bytes_per_s: f64,
    /// Number of ranks in a node.
    pub node_ranks: u64,
    /// Seconds for a message, however short.
    pub latency_s: f64,
    /// Seconds between two dispatches of which the second depends on the first.
    pub dispatch_s: f64,
    /// Seconds for submitting work and waiting for its end, in addition to the work itself.
    pub submit_s: f64,
    /// Memory of a device in bytes.
    pub memory_bytes: f64,
}

impl Machine {
    /// Hosts with 8 NVIDIA H200 each, and a network with the given rate for each rank.
    ///
    /// These rates were measured on one H200 and its host: device passes, uploads by one thread
    /// that fills a mapped buffer, downloads, dispatch, submission and memory. The rest are
    /// assumptions: a thread copies as fast as it fills a mapped buffer, a message within a node is
    /// one such copy, devices exchange 450 GB/s in each direction (data sheet), a node has 8 ranks,
    /// and the network.
    #[must_use]
    pub const fn h200(link_bytes_per_s: f64, latency_s: f64) -> Self {
        Self {
            device_bytes_per_s: 3.5e12,
            upload_bytes_per_s: 12.8e9,
            download_bytes_per_s: 50e9,
            host_copy_bytes_per_s: 12.8e9,
            link_bytes_per_s,
            node_link_bytes_per_s: 12.8e9,
            node_device_link_bytes_per_s: 450e9,
            node_ranks: 8,
            latency_s,
            dispatch_s: 2.15e-6,
            submit_s: 50e-6,
            memory_bytes: 139.0 * (1u64 << 30) as f64,
        }
    }
}

/// Whether slabs are staged through the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Path {
    /// Every local pass uploads and downloads its slab, as [`Job::run`](crate::Job::run) does.
    Staged,
    /// Data stays in device memory and MPI sends from there. The time is a lower bound.
    Direct,
}

impl Path {
    /// The number of arrays of a slab's size that a device holds: two for each local pass, or two
    /// that both passes share.
    #[must_use]
    pub fn device_arrays(self) -> u64 {
        match self {
            Self::Staged => 4,
            Self::Direct => 2,
        }
    }
}

/// The extents of a transform of two or three axes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// \[n₀, n₁\].
    Plane([u64; 2]),
    /// \[n₀, n₁, n₂\].
    Volume([u64; 3]),
}

impl Size {
    /// \[n, n\].
    #[must_use]
    pub fn square(n: u64) -> Self {
        Self::Plane([n; 2])
    }

    /// \[n, n, n\].
    #[must_use]
    pub fn cube(n: u64) -> Self {
        Self::Volume([n; 3])
    }

    fn extents(self) -> [u64; 3] {
        match self {
            Self::Plane([n0, n1]) => [n0, n1, 1],
            Self::Volume(extents) => extents,
        }
    }

    /// B, the bytes of the array.
    #[must_use]
    pub fn bytes(self) -> u64 {
        COMPLEX_BYTES * self.extents().iter().product::<u64>()
    }

    /// The most ranks that have indices of both divided axes: min(n₀, n₁). More ranks would need
    /// pencils.
    #[must_use]
    pub fn most_ranks(self) -> u64 {
        let [n0, n1, _] = self.extents();
        n0.min(n1)
    }

    /// S, the most bytes that a rank has before the exchange.
    #[must_use]
    pub fn row_slab_bytes(self, ranks: u64) -> u64 {
        let [n0, n1, n2] = self.extents();
        COMPLEX_BYTES * n0.div_ceil(ranks) * n1 * n2
    }

    /// S', the most bytes that a rank has after the exchange.
    #[must_use]
    pub fn column_slab_bytes(self, ranks: u64) -> u64 {
        let [n0, n1, n2] = self.extents();
        COMPLEX_BYTES * n1.div_ceil(ranks) * n2 * n0
    }

    /// b, the most bytes that one rank sends to another.
    #[must_use]
    pub fn block_bytes(self, ranks: u64) -> u64 {
        let [n0, n1, n2] = self.extents();
        COMPLEX_BYTES * n0.div_ceil(ranks) * n1.div_ceil(ranks) * n2
    }

    /// Passes over device memory before the exchange, including the transpose.
    #[must_use]
    pub fn row_passes(self) -> u64 {
        1 + match self {
            Self::Plane([_, n1]) => contiguous_passes(n1),
            Self::Volume([_, n1, n2]) => contiguous_passes(n2) + strided_passes(n1),
        }
    }

    /// Passes over device memory after the exchange.
    #[must_use]
    pub fn column_passes(self) -> u64 {
        contiguous_passes(self.extents()[0])
    }
}

/// `8192²` or `512³` if the extents are equal, otherwise `512x256x128`.
impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Plane([n0, n1]) if n0 == n1 => f.pad(&format!("{n0}²")),
            Self::Volume([n0, n1, n2]) if n0 == n1 && n1 == n2 => f.pad(&format!("{n0}³")),
            Self::Plane([n0, n1]) => f.pad(&format!("{n0}x{n1}")),
            Self::Volume([n0, n1, n2]) => f.pad(&format!("{n0}x{n1}x{n2}")),
        }
    }
}

/// a(n): passes for contiguous lines whose length is a power of two, on an H200. It is one up to
/// 16384, two up to 2²², then three.
#[must_use]
pub fn contiguous_passes(n: u64) -> u64 {
    match n {
        0..=16_384 => 1,
        16_385..=4_194_304 => 2,
        _ => 3,
    }
}

/// s(n): passes for lines across another axis whose length is a power of two, on an H200. It is one
/// up to 4096; beyond that it is the number for contiguous lines, but at least two.
#[must_use]
pub fn strided_passes(n: u64) -> u64 {
    if n <= 4096 { 1 } else { contiguous_passes(n).max(2) }
}

/// The seconds of a local pass.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Local {
    /// From the host to the device.
    pub upload: f64,
    /// On the device.
    pub compute: f64,
    /// From the device to the host.
    pub download: f64,
}

/// The seconds of each phase. Phases follow one another.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Times {
    /// The axes that lie completely in a slab of axis 0, and the transpose.
    pub rows: Local,
    /// All messages of the exchange.
    pub exchange: f64,
    /// Copies on the host before and after the messages.
    pub merge: f64,
    /// The transform along axis 0.
    pub columns: Local,
    /// The agreement of the ranks that none of them failed.
    pub agreement: f64,
}

impl Times {
    /// The sum of all phases.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.compute() + self.staging() + self.exchange + self.agreement
    }

    /// The time of both local passes on the device.
    #[must_use]
    pub fn compute(&self) -> f64 {
        self.rows.compute + self.columns.compute
    }

    /// The time for staging through the host: uploads, downloads and the merge.
    #[must_use]
    pub fn staging(&self) -> f64 {
        [self.rows, self.columns].iter().map(|local| local.upload + local.download).sum::<f64>() + self.merge
    }

    /// The exchange as a fraction of the total, 0 to 1.
    #[must_use]
    pub fn exchange_share(&self) -> f64 {
        self.exchange / self.total()
    }
}

/// The model for ranks of one kind.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Model {
    /// The rates of each rank.
    pub machine: Machine,
    /// Whether data are staged through the host.
    pub path: Path,
}

impl Model {
    /// The seconds of each phase. `None` if the slabs do not fit in memory, for 0 ranks, and for
    /// more ranks than [`Size::most_ranks`].
    #[must_use]
    pub fn times(&self, size: Size, ranks: u64) -> Option<Times> {
        if !self.fits(size, ranks) {
            return None;
        }
        let machine = &self.machine;
        let [rows, columns] = [size.row_slab_bytes(ranks), size.column_slab_bytes(ranks)].map(|bytes| bytes as f64);
        let merge = match self.path {
            Path::Staged => {
                let joined = if ranks > 1 { columns } else { 0.0 };
                (columns / 2.0 + size.block_bytes(ranks) as f64 + joined) / machine.host_copy_bytes_per_s
            }
            Path::Direct => 0.0,
        };
        Some(Times {
            rows: self.local(rows, size.row_passes()),
            exchange: self.exchange(size, ranks),
            merge,
            columns: self.local(columns, size.column_passes()),
            agreement: AGREEMENTS * f64::from(ranks.next_power_of_two().ilog2()) * machine.latency_s,
        })
    }

    /// The times of a local pass over this many bytes.
    fn local(&self, bytes: f64, passes: u64) -> Local {
        let machine = &self.machine;
        let compute = passes as f64 * (2.0 * bytes / machine.device_bytes_per_s + machine.dispatch_s) + machine.submit_s;
        match self.path {
            Path::Staged => Local {
                upload: bytes / machine.upload_bytes_per_s + machine.submit_s,
                compute,
                download: bytes / machine.download_bytes_per_s + machine.submit_s,
            },
            Path::Direct => Local { compute, ..Local::default() },
        }
    }

    fn exchange(&self, size: Size, ranks: u64) -> f64 {
        let machine = &self.machine;
        let block = size.block_bytes(ranks);
        let latency = block.div_ceil(MESSAGE_BYTES) as f64 * machine.latency_s;
        let together = machine.node_ranks.clamp(1, ranks);
        let within = match self.path {
            Path::Staged => machine.node_link_bytes_per_s,
            Path::Direct => machine.node_device_link_bytes_per_s,
        };
        (together - 1) as f64 * (latency + block as f64 / within)
            + (ranks - together) as f64 * (latency + block as f64 / machine.link_bytes_per_s)
    }

    fn fits(&self, size: Size, ranks: u64) -> bool {
        (1..=size.most_ranks()).contains(&ranks) && {
            let bytes = size.row_slab_bytes(ranks).max(size.column_slab_bytes(ranks));
            (self.path.device_arrays() * bytes) as f64 <= self.machine.memory_bytes
        }
    }

    /// The smallest number of ranks whose devices can hold their slabs.
    #[must_use]
    pub fn least_ranks(&self, size: Size) -> Option<u64> {
        // The size of a slab does not grow with the number of ranks.
        let most = size.most_ranks();
        let (mut too_few, mut enough) = (0, self.fits(size, most).then_some(most)?);
        while enough - too_few > 1 {
            let ranks = too_few.midpoint(enough);
            if self.fits(size, ranks) { enough = ranks } else { too_few = ranks }
        }
        Some(enough)
    }

    /// The parallel efficiency: ranks times seconds for the fewest ranks that can hold the array,
    /// divided by the same for `ranks` ranks. It is 1 if twice the ranks take half the time.
    #[must_use]
    pub fn efficiency(&self, size: Size, ranks: u64) -> Option<f64> {
        let least = self.least_ranks(size)?;
        let work = |ranks: u64| Some(ranks as f64 * self.times(size, ranks)?.total());
        Some(work(least)? / work(ranks)?)
    }

    /// The exchange as a fraction of the time, 0 to 1.
    #[must_use]
    pub fn exchange_share(&self, size: Size, ranks: u64) -> Option<f64> {
        self.times(size, ranks).map(|times| times.exchange_share())
    }

    /// The smallest power of two of ranks from which on the exchange takes more than half of the
    /// time, up to [`Size::most_ranks`].
    #[must_use]
    pub fn crossover(&self, size: Size) -> Option<u64> {
        self.powers(size).rev().take_while(|(_, times)| times.exchange_share() > 0.5).last().map(|(ranks, _)| ranks)
    }

    /// The power of two of ranks that takes the least time.
    #[must_use]
    pub fn fastest(&self, size: Size) -> Option<u64> {
        self.powers(size).min_by(|(_, a), (_, b)| a.total().total_cmp(&b.total())).map(|(ranks, _)| ranks)
    }

    /// The times for every possible power of two of ranks.
    fn powers(&self, size: Size) -> impl DoubleEndedIterator<Item = (u64, Times)> {
        let most = size.most_ranks().max(1).ilog2();
        (0..=most).filter_map(move |power| Some((1 << power, self.times(size, 1 << power)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATHS: [Path; 2] = [Path::Staged, Path::Direct];

    fn h200(path: Path) -> Model {
        Model { machine: Machine::h200(50e9, 5e-6), path }
    }

    fn sizes() -> [Size; 9] {
        let [a, b, c, d] = [8192, 16384, 32768, 65536].map(Size::square);
        let [e, f, g, h, i] = [512, 1024, 2048, 4096, 8192].map(Size::cube);
        [a, b, c, d, e, f, g, h, i]
    }

    fn close(one: f64, other: f64) {
        assert!((one - other).abs() <= 1e-12 * one.abs().max(other.abs()), "{one} is not {other}");
    }

    /// Round numbers: 16 x 8 on 4 ranks in nodes of 2 are slabs of 256 bytes and blocks of 64.
    #[test]
    fn a_case_by_hand() {
        let machine = Machine {
            device_bytes_per_s: 512.0,
            upload_bytes_per_s: 128.0,
            download_bytes_per_s: 64.0,
            host_copy_bytes_per_s: 32.0,
            link_bytes_per_s: 16.0,
            node_link_bytes_per_s: 8.0,
            node_device_link_bytes_per_s: 64.0,
            node_ranks: 2,
            latency_s: 0.5,
            dispatch_s: 0.25,
            submit_s: 2.0,
            memory_bytes: 1024.0,
        };
        let size = Size::Plane([16, 8]);
        let times = Model { machine, path: Path::Staged }.times(size, 4).unwrap();
        // Two passes: lines of 8, and the transpose.
        assert_eq!(times.rows, Local { upload: 2.0 + 2.0, compute: 2.0 * (1.0 + 0.25) + 2.0, download: 4.0 + 2.0 });
        assert_eq!(times.columns, Local { upload: 4.0, compute: 3.25, download: 6.0 });
        // One neighbour in the node, two beyond it.
        close(times.exchange, (0.5 + 8.0) + 2.0 * (0.5 + 4.0));
        close(times.merge, (128.0 + 64.0 + 256.0) / 32.0);
        close(times.agreement, 6.0 * 2.0 * 0.5);
        close(times.total(), 14.5 + 17.5 + 14.0 + 13.25 + 6.0);
        close(times.exchange_share(), 17.5 / 65.25);

        let times = Model { machine, path: Path::Direct }.times(size, 4).unwrap();
        close(times.exchange, (0.5 + 1.0) + 2.0 * (0.5 + 4.0));
        close(times.total(), 4.5 + 10.5 + 3.25 + 6.0);
        close(times.staging(), 0.0);
    }

    #[test]
    fn one_rank_exchanges_nothing() {
        for path in PATHS {
            let (model, size) = (h200(path), Size::square(8192));
            let times = model.times(size, 1).unwrap();
            close(times.exchange, 0.0);
            close(times.agreement, 0.0);
            close(model.efficiency(size, 1).unwrap(), 1.0);
        }
    }

    #[test]
    fn all_bytes_arrive() {
        for size in sizes().into_iter().chain([Size::Plane([17, 5]), Size::Volume([12, 9, 7])]) {
            for ranks in (1..=size.most_ranks()).filter(|ranks| ranks.is_power_of_two() || size.most_ranks() < 20) {
                let blocks = ranks * ranks * size.block_bytes(ranks);
                let slabs = [size.row_slab_bytes(ranks), size.column_slab_bytes(ranks)].map(|bytes| ranks * bytes);
                if ranks.is_power_of_two() && sizes().contains(&size) {
                    assert_eq!((blocks, slabs), (size.bytes(), [size.bytes(); 2]));
                }
                assert!(blocks >= slabs[0].max(slabs[1]) && slabs[0].min(slabs[1]) >= size.bytes());
            }
        }
    }

    #[test]
    fn better_machines_are_faster_and_larger_sizes_slower() {
        for path in PATHS {
            let model = h200(path);
            let total = |model: Model, size| model.times(size, 256).unwrap().total();
            for sizes in [&sizes()[..4], &sizes()[4..8]] {
                assert!(sizes.windows(2).all(|pair| total(model, pair[0]) < total(model, pair[1])));
            }
            let size = Size::cube(1024);
            let mut better = model;
            better.machine.link_bytes_per_s *= 2.0;
            assert!(total(better, size) < total(model, size));
            better = model;
            better.machine.latency_s *= 2.0;
            assert!(total(better, size) > total(model, size));
        }
        for size in sizes() {
            assert!(h200(Path::Direct).times(size, 256).unwrap().total() < h200(Path::Staged).times(size, 256).unwrap().total());
        }
    }

    #[test]
    fn without_latency_more_ranks_are_faster() {
        for (path, size) in PATHS.into_iter().flat_map(|path| sizes().map(|size| (path, size))) {
            let mut model = h200(path);
            (model.machine.latency_s, model.machine.node_ranks) = (0.0, 1);
            let totals: Vec<f64> = model.powers(size).map(|(_, times)| times.total()).collect();
            // With two ranks each sends half of its slab, with four three quarters.
            assert!(totals[1..].windows(2).all(|pair| pair[1] < pair[0]), "{size}: {totals:?}");
        }
    }

    #[test]
    fn latency_is_all_of_a_tiny_exchange() {
        let (model, size) = (h200(Path::Direct), Size::square(1024));
        let times = model.times(size, 1024).unwrap();
        let latency = 1023.0 * model.machine.latency_s;
        assert!(times.exchange >= latency && times.exchange < 1.01 * latency);
        assert!(times.exchange_share() > 0.9);
        assert!(model.fastest(size).unwrap() < 1024);
    }

    #[test]
    fn memory_and_axes_bound_the_ranks() {
        let [staged, direct] = PATHS.map(h200);
        // 512 GiB four times in parts of 139 GiB, or twice.
        let size = Size::cube(4096);
        assert_eq!((staged.least_ranks(size), direct.least_ranks(size)), (Some(15), Some(8)));
        assert_eq!((staged.times(size, 14), staged.times(size, 0), staged.times(size, 4097)), (None, None, None));
        assert_eq!(staged.least_ranks(Size::square(65536)), Some(1));
        assert_eq!(staged.least_ranks(Size::Plane([2, 1 << 40])), None);
        for size in sizes().into_iter().filter(|size| *size != Size::cube(512)) {
            assert!(size.most_ranks() >= 1024);
        }
        assert_eq!(Size::cube(512).most_ranks(), 512);
    }

    #[test]
    fn the_exchange_takes_over_once() {
        for (path, size) in PATHS.into_iter().flat_map(|path| sizes().map(|size| (path, size))) {
            let model = h200(path);
            if let Some(crossover) = model.crossover(size) {
                assert!(model.exchange_share(size, crossover).unwrap() > 0.5);
                assert!(model.exchange_share(size, crossover / 2).is_none_or(|share| share <= 0.5));
            }
        }
    }

    /// Device times in ms from benches/reports/2026-11-21-h200-fft and -memory, for transforms with
    /// equally many passes.
    #[test]
    fn passes_take_what_they_took() {
        let (machine, mib) = (Machine::h200(50e9, 5e-6), f64::from(1 << 20));
        for (bytes, passes, measured) in [
            (128.0, 2.0, 0.18589),
            (512.0, 3.0, 0.81342),
            (1024.0, 3.0, 1.6489),
            (2048.0, 3.0, 3.3693),
            (512.0, 1.0, 0.2646),
            (512.0, 1.0, 0.2586),
        ] {
            let model = 1e3 * passes * (2.0 * bytes * mib / machine.device_bytes_per_s + machine.dispatch_s);
            assert!((0.8..1.25).contains(&(measured / model)), "{measured} ms, by the model {model} ms");
        }
    }

    /// The table of ranks that the example `scaling` prints.
    #[test]
    fn the_document_is_of_this_model() {
        let text = include_str!("../docs/scaling.md");
        let ranks = |ranks: Option<u64>| ranks.map_or("–".to_owned(), |ranks| ranks.to_string());
        for size in sizes() {
            let mut line = format!("| {size} | {} |", size.most_ranks());
            for path in PATHS {
                let models = [25e9, 50e9, 100e9].map(|link| Model { machine: Machine::h200(link, 5e-6), path });
                let crossovers = models.map(|model| ranks(model.crossover(size))).join(", ");
                line += &format!(" {} | {} | {crossovers} |", ranks(models[1].least_ranks(size)), ranks(models[1].fastest(size)));
            }
            assert!(text.contains(&line), "docs/scaling.md lacks {line}: run the example `scaling` with --write and --plot");
        }
        let times = h200(Path::Staged).times(Size::cube(1024), 64).unwrap();
        let cell = format!("{:.1} ms, {:.0}%, ", 1e3 * times.total(), 100.0 * times.exchange_share());
        assert!(text.contains(&cell), "docs/scaling.md lacks {cell}");
    }
}
