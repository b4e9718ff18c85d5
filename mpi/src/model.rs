//! How the time of a distributed transform grows with the number of ranks: a model of the steps of
//! [`Plan::run`](crate::Plan::run), without MPI and without a device.
//!
//! It is for complex transforms of f32 in [`Order::Transposed`](crate::Order::Transposed), over P
//! ranks with one device each and equal shares.
//!
//! # Symbols
//! \[n₀, n₁\] or \[n₀, n₁, n₂\] are the extents, with n₂ = 1 for two axes; B = 8·n₀·n₁·n₂ bytes is
//! the array. A rank has at most r = ⌈n₀/P⌉ indices of axis 0 and c = ⌈n₁/P⌉ of axis 1:
//!
//! - S = 8·r·n₁·n₂ bytes before the exchange and S' = 8·c·n₂·n₀ bytes after it; both are B/P where
//!   P divides the axes;
//! - b = 8·r·c·n₂ bytes for each other rank, B/P² where P divides the axes.
//!
//! a(n) is the number of passes over device memory for lines of n that are contiguous
//! ([`contiguous_passes`]), and s(n) for lines across another axis ([`strided_passes`]). The rates
//! are fields of [`Machine`]; δ is its `dispatch_s`, σ its `submit_s`, λ its `latency_s`.
//!
//! # Formulas
//! Each phase is as long as that of the rank with the most:
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
//! Of the others, min(g, P) - 1 are in the same node of g devices and take the link within it; P -
//! min(g, P) take the network. The merge fills the array that receives with zeros, which counts as
//! half a copy, copies the rank's own block, and joins blocks to lines.
//!
//! The second column is a lower bound for an MPI that reads and writes device memory, and whose
//! blocks the first pass over columns finds where they arrived.
//!
//! # What it leaves out
//! Overlap of phases, as there is none; contention in the network and for the memory of a host
//! whose g ranks all copy; that short pieces are copied more slowly than long ones, on hosts and
//! devices; that arrays larger than a binding take more dispatches; the sleep of a rank that waits;
//! measuring and compiling.

use std::fmt;

/// Bytes of a complex number of two f32.
const COMPLEX_BYTES: u64 = 8;
/// The most bytes of a message, as in [`Options::message_bytes`](crate::Options::message_bytes) if
/// that is not called.
const MESSAGE_BYTES: u64 = 1 << 30;
/// Times that the ranks agree in a run: at its begin and end, after each local pass, before and
/// after the exchange.
const AGREEMENTS: f64 = 6.0;

/// The rates of a rank, its links and its device. All ranks are alike.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Machine {
    /// Bytes a pass reads and writes in device memory, both counted.
    pub device_bytes_per_s: f64,
    /// From an array of the host to the device.
    pub upload_bytes_per_s: f64,
    /// From the device to an array of the host.
    pub download_bytes_per_s: f64,
    /// Bytes that one thread of the host copies; a copy counts once.
    pub host_copy_bytes_per_s: f64,
    /// Bytes that a rank sends over the network while it receives as many. Where ranks share an
    /// adapter of the network, this is the share of one.
    pub link_bytes_per_s: f64,
    /// The same between two ranks of a node, from host memory to host memory.
    pub node_link_bytes_per_s: f64,
    /// The same between two ranks of a node, from device memory to device memory.
    pub node_device_link_bytes_per_s: f64,
    /// Ranks of a node.
    pub node_ranks: u64,
    /// Of a message, however short.
    pub latency_s: f64,
    /// Between two dispatches of which one needs the other.
    pub dispatch_s: f64,
    /// To submit work and to wait for its end, beside the work.
    pub submit_s: f64,
    /// Of a device.
    pub memory_bytes: f64,
}

impl Machine {
    /// Hosts of 8 NVIDIA H200, with a network of the given rate for each rank.
    ///
    /// Measured on one H200 and its host: device passes, upload by one thread that fills a mapped
    /// buffer, download, dispatch, submission, memory. Everything else is assumed: that a thread
    /// copies as fast as it fills a mapped buffer, that a message within a node is one such copy,
    /// 450 GB/s each way between devices (data sheet), 8 ranks in a node, and the network.
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

/// Whether slabs go through the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Path {
    /// Every local pass uploads and downloads its slab, as [`Plan::run`](crate::Plan::run) does.
    Staged,
    /// Data stays in device memory and MPI sends from there: a lower bound.
    Direct,
}

impl Path {
    /// Arrays of a slab's length that a device holds: two for each local pass, or two that serve
    /// both.
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

    /// The most ranks that have indices of both axes that are cut: min(n₀, n₁). More need pencils.
    #[must_use]
    pub fn most_ranks(self) -> u64 {
        let [n0, n1, _] = self.extents();
        n0.min(n1)
    }

    /// S, the most bytes of a rank before the exchange.
    #[must_use]
    pub fn row_slab_bytes(self, ranks: u64) -> u64 {
        let [n0, n1, n2] = self.extents();
        COMPLEX_BYTES * n0.div_ceil(ranks) * n1 * n2
    }

    /// S', the most bytes of a rank after the exchange.
    #[must_use]
    pub fn column_slab_bytes(self, ranks: u64) -> u64 {
        let [n0, n1, n2] = self.extents();
        COMPLEX_BYTES * n1.div_ceil(ranks) * n2 * n0
    }

    /// b, the most bytes from one rank to another.
    #[must_use]
    pub fn block_bytes(self, ranks: u64) -> u64 {
        let [n0, n1, n2] = self.extents();
        COMPLEX_BYTES * n0.div_ceil(ranks) * n1.div_ceil(ranks) * n2
    }

    /// Passes over device memory before the exchange, the turn included.
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

/// `8192²` or `512³` where the extents are equal, `512x256x128` where not.
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

/// a(n): passes for contiguous lines of a power of two, on an H200: one up to 16384, two up to 2²²,
/// then three.
#[must_use]
pub fn contiguous_passes(n: u64) -> u64 {
    match n {
        0..=16_384 => 1,
        16_385..=4_194_304 => 2,
        _ => 3,
    }
}

/// s(n): passes for lines of a power of two across another axis, on an H200: one up to 4096, then
/// as for contiguous lines, but two at least.
#[must_use]
pub fn strided_passes(n: u64) -> u64 {
    if n <= 4096 { 1 } else { contiguous_passes(n).max(2) }
}

/// Seconds of a local pass.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Local {
    /// From the host to the device.
    pub upload: f64,
    /// On the device.
    pub compute: f64,
    /// From the device to the host.
    pub download: f64,
}

/// Seconds of each phase, which follow one another.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Times {
    /// The axes that lie whole in a slab of axis 0, and the turn.
    pub rows: Local,
    /// All messages of the exchange.
    pub exchange: f64,
    /// Copies on the host around the messages.
    pub merge: f64,
    /// Axis 0.
    pub columns: Local,
    /// The ranks agree that nothing went wrong.
    pub agreement: f64,
}

impl Times {
    /// All phases.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.compute() + self.staging() + self.exchange + self.agreement
    }

    /// Both local passes on the device.
    #[must_use]
    pub fn compute(&self) -> f64 {
        self.rows.compute + self.columns.compute
    }

    /// What goes through the host: uploads, downloads, merge.
    #[must_use]
    pub fn staging(&self) -> f64 {
        [self.rows, self.columns].iter().map(|local| local.upload + local.download).sum::<f64>() + self.merge
    }

    /// The exchange as a part of all, 0 to 1.
    #[must_use]
    pub fn exchange_share(&self) -> f64 {
        self.exchange / self.total()
    }
}

/// Transforms on ranks of one kind.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Model {
    /// What each rank has.
    pub machine: Machine,
    /// Where data goes.
    pub path: Path,
}

impl Model {
    /// The seconds of each phase. None where the slabs do not fit in memory, for no rank, and for
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

    /// A local pass over so many bytes.
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

    /// The least number of ranks whose devices hold their slabs.
    #[must_use]
    pub fn least_ranks(&self, size: Size) -> Option<u64> {
        // The bytes of a slab do not grow with the ranks.
        let most = size.most_ranks();
        let (mut too_few, mut enough) = (0, self.fits(size, most).then_some(most)?);
        while enough - too_few > 1 {
            let ranks = too_few.midpoint(enough);
            if self.fits(size, ranks) { enough = ranks } else { too_few = ranks }
        }
        Some(enough)
    }

    /// The work of the fewest ranks that hold the array, ranks times seconds, over that of so many
    /// ranks. It is 1 where twice the ranks take half the time.
    #[must_use]
    pub fn efficiency(&self, size: Size, ranks: u64) -> Option<f64> {
        let least = self.least_ranks(size)?;
        let work = |ranks: u64| Some(ranks as f64 * self.times(size, ranks)?.total());
        Some(work(least)? / work(ranks)?)
    }

    /// The exchange as a part of the time, 0 to 1.
    #[must_use]
    pub fn exchange_share(&self, size: Size, ranks: u64) -> Option<f64> {
        self.times(size, ranks).map(|times| times.exchange_share())
    }

    /// The least power of two of ranks from which on, to [`Size::most_ranks`], the exchange takes
    /// more than half of the time.
    #[must_use]
    pub fn crossover(&self, size: Size) -> Option<u64> {
        self.powers(size).rev().take_while(|(_, times)| times.exchange_share() > 0.5).last().map(|(ranks, _)| ranks)
    }

    /// The power of two of ranks that takes the least time.
    #[must_use]
    pub fn fastest(&self, size: Size) -> Option<u64> {
        self.powers(size).min_by(|(_, a), (_, b)| a.total().total_cmp(&b.total())).map(|(ranks, _)| ranks)
    }

    /// The times on every power of two of ranks that is possible.
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
        // Two passes: lines of 8, and the turn.
        assert_eq!(times.rows, Local { upload: 2.0 + 2.0, compute: 2.0 * (1.0 + 0.25) + 2.0, download: 4.0 + 2.0 });
        assert_eq!(times.columns, Local { upload: 4.0, compute: 3.25, download: 6.0 });
        // One neighbour in the node, two beyond.
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
            // Of two ranks each sends half its slab, of four three quarters.
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

    /// Device times of benches/reports/2026-11-21-h200-fft and -memory, in ms, of transforms with
    /// as many passes.
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

    /// The table of ranks, which the example `scaling` prints.
    #[test]
    fn the_document_is_of_this_model() {
        let text = include_str!("../../docs/scaling.md");
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
