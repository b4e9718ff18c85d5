//! What each worker did in each phase of a run.

use std::fmt;
use std::time::Duration;

use crate::error::Error;

/// What a device of a set, or a rank of a cluster, did in a phase.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct Work {
    /// The number of units that it computed.
    pub units: usize,
    /// The number of pieces.
    pub pieces: usize,
    /// Bytes copied to the device; in an exchange, bytes received from other ranks.
    pub bytes_in: u64,
    /// Bytes copied from the device; in an exchange, bytes sent to other ranks.
    pub bytes_out: u64,
    /// Time for copying from the host's array to the device. On a set this is the copy to the
    /// upload buffers, which overlaps with other work of the device.
    pub gather: Duration,
    /// Time spent waiting for the device: what did not overlap with anything. In an exchange, time
    /// until the last message has arrived.
    pub wait: Duration,
    /// Time for copying to the host's array.
    pub scatter: Duration,
    /// Time spent waiting for other workers.
    pub idle: Duration,
    /// Time from the start to its last result, without `idle`: gathering, waiting, scattering, and
    /// making plans.
    pub busy: Duration,
    /// How often memory ran out, so that pieces were halved.
    pub out_of_memory: usize,
    /// Why it stopped, if it failed. The others took over what it had not finished.
    pub error: Option<Error>,
}

/// What one worker did in a phase.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct WorkerReport {
    /// The index of the member in the set, or the rank.
    pub member: usize,
    /// The name of the device; on a cluster, also of its machine.
    pub name: String,
    /// What it did.
    pub work: Work,
}

/// One phase of a run.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct PhaseReport {
    /// What was computed.
    pub label: String,
    /// The number of units of the phase.
    pub units: usize,
    /// A description of how they were divided.
    pub division: String,
    /// The time from start to end.
    pub elapsed: Duration,
    /// The workers that took part.
    pub workers: Vec<WorkerReport>,
}

impl PhaseReport {
    /// The fraction of the units that a worker computed, from 0 to 1.
    #[must_use]
    pub fn share(&self, member: usize) -> f64 {
        let units: usize = self.workers.iter().filter(|worker| worker.member == member).map(|worker| worker.work.units).sum();
        units as f64 / self.units.max(1) as f64
    }
}

/// The result of a run: how much each worker did in each phase, and how long it took. It prints as
/// a table.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The specification.
    pub job: String,
    /// The time from start to end. It includes `measuring`.
    pub elapsed: Duration,
    /// The time spent measuring the workers.
    pub measuring: Duration,
    /// The phases, in order.
    pub phases: Vec<PhaseReport>,
}

impl Report {
    /// The devices that failed, and why.
    pub fn failures(&self) -> impl Iterator<Item = (&str, &Error)> {
        let workers = self.phases.iter().flat_map(|phase| &phase.workers);
        workers.filter_map(|worker| worker.work.error.as_ref().map(|error| (worker.name.as_str(), error)))
    }
}

/// Milliseconds with the significant digits.
struct Ms(Duration);

impl fmt::Display for Ms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = self.0.as_secs_f64() * 1e3;
        f.pad(&if ms >= 100.0 { format!("{ms:.0}") } else { format!("{ms:.2}") })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` in {} ms", self.job, Ms(self.elapsed))?;
        if !self.measuring.is_zero() {
            write!(f, ", {} of them to measure the devices", Ms(self.measuring))?;
        }
        for phase in &self.phases {
            write!(f, "\n{}: {} units in {} ms, {}", phase.label, phase.units, Ms(phase.elapsed), phase.division)?;
            write!(
                f,
                "\n  {:<32} {:>8} {:>6} {:>6} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}",
                "worker", "units", "share", "pieces", "MB in", "MB out", "gather", "wait", "scatter", "busy", "idle ms"
            )?;
            for WorkerReport { member, name, work } in &phase.workers {
                let name: String = name.chars().take(32).collect();
                write!(
                    f,
                    "\n  {name:<32} {:>8} {:>5.1}% {:>6} {:>8.1} {:>8.1} {:>8} {:>8} {:>8} {:>8} {:>8}",
                    work.units,
                    100.0 * phase.share(*member),
                    work.pieces,
                    work.bytes_in as f64 / 1e6,
                    work.bytes_out as f64 / 1e6,
                    Ms(work.gather),
                    Ms(work.wait),
                    Ms(work.scatter),
                    Ms(work.busy),
                    Ms(work.idle),
                )?;
                if work.out_of_memory > 0 {
                    write!(f, "\n    memory was short {} times: smaller pieces", work.out_of_memory)?;
                }
                if let Some(error) = &work.error {
                    write!(f, "\n    failed, and the others took over: {error}")?;
                }
            }
        }
        Ok(())
    }
}

/// The times of the parts of a piece if nothing overlaps, and the number of its units.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Apart {
    pub upload: Duration,
    pub compute: Duration,
    pub download: Duration,
}

/// The measurements of one device in a phase.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Rate {
    /// The index of the member in the set.
    pub member: usize,
    /// The name of the device.
    pub name: String,
    /// The number of units of the sample.
    pub units: usize,
    /// Seconds per unit when it works alone, including all copies.
    pub alone: f64,
    /// Seconds per unit when all the others work as well.
    pub together: f64,
    /// Seconds per unit of the upload, the computation and the download, one after the other and
    /// alone. Not available for the host.
    pub parts: Option<[f64; 3]>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_says_who_did_what() {
        let work = Work { units: 3, pieces: 1, bytes_in: 1_500_000, wait: Duration::from_micros(1500), ..Work::default() };
        let lost =
            Work { error: Some(wgpu_fft::Error::DeviceLost { during: "a test", message: "gone".to_owned() }.into()), ..Work::default() };
        let devices = [("A", work), ("B", lost)];
        let devices = devices.into_iter().enumerate().map(|(member, (name, work))| WorkerReport { member, name: name.to_owned(), work });
        let phase = PhaseReport {
            label: "rows".to_owned(),
            units: 4,
            division: "3 : 1".to_owned(),
            elapsed: Duration::from_millis(250),
            workers: devices.collect(),
        };
        let report = Report { job: "x".to_owned(), elapsed: Duration::from_millis(251), measuring: Duration::ZERO, phases: vec![phase] };
        let text = report.to_string();
        for part in ["`x` in 251 ms", "rows: 4 units in 250 ms, 3 : 1", " 75.0%", "1.5", "1.50", "failed", "gone"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert_eq!(report.failures().count(), 1);
    }
}
