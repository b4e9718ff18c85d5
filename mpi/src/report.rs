//! What each rank did in a run, and how long it took.

use std::fmt;
use std::time::Duration;

use crate::cluster::Member;
use crate::local::LocalTimes;
use crate::phase::Phase;

/// One phase on one rank.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Entry {
    /// The phase.
    pub phase: Phase,
    /// Bytes that the rank sent to others, or moved to its device and back.
    pub bytes: u64,
    /// Time of the rank's own work. For an exchange, it ends when the rank's last message has
    /// arrived.
    pub time: Duration,
    /// The part of `time` that the device computed.
    pub compute: Duration,
    /// The part of `time` for transfers to the device and back.
    pub transfer: Duration,
    /// Time until all ranks had finished the phase. Better balance reduces it.
    pub waited: Duration,
}

impl Entry {
    pub(crate) fn new(phase: Phase, bytes: usize, time: Duration, local: LocalTimes) -> Self {
        Self { phase, bytes: bytes as u64, time, compute: local.compute, transfer: local.transfer(), waited: Duration::ZERO }
    }

    /// The entry as numbers, for the message to rank 0.
    fn to_numbers(self) -> [f64; Self::NUMBERS] {
        let [time, compute, transfer, waited] = [self.time, self.compute, self.transfer, self.waited].map(|time| time.as_secs_f64());
        [self.phase.code() as f64, self.bytes as f64, time, compute, transfer, waited]
    }

    fn of_numbers(numbers: &[f64]) -> Self {
        let time = |i: usize| Duration::try_from_secs_f64(numbers[i]).unwrap_or_default();
        let (phase, bytes) = (Phase::of_code(numbers[0] as i64), numbers[1] as u64);
        Self { phase, bytes, time: time(2), compute: time(3), transfer: time(4), waited: time(5) }
    }

    const NUMBERS: usize = 6;
}

pub(crate) fn to_numbers(entries: &[Entry]) -> Vec<f64> {
    entries.iter().flat_map(|entry| entry.to_numbers()).collect()
}

/// The work of one rank.
#[derive(Clone, PartialEq, Debug)]
pub struct RankReport {
    /// The rank.
    pub member: Member,
    /// Units of axis 0 in its share.
    pub rows: usize,
    /// Units of axis 1 in its share.
    pub columns: usize,
    /// Its phases, in order.
    pub entries: Vec<Entry>,
}

impl RankReport {
    pub(crate) fn new(member: Member, [rows, columns]: [usize; 2], numbers: &[f64]) -> Self {
        Self { member, rows, columns, entries: numbers.chunks_exact(Entry::NUMBERS).map(Entry::of_numbers).collect() }
    }

    /// The sum of one of the times over all phases.
    pub fn total(&self, time: impl Fn(&Entry) -> Duration) -> Duration {
        self.entries.iter().map(time).sum()
    }

    fn exchange(&self) -> Duration {
        self.total(|entry| if entry.compute.is_zero() && entry.transfer.is_zero() { entry.time } else { Duration::ZERO })
    }

    fn sent(&self) -> u64 {
        let exchanges = [Phase::Scatter, Phase::Exchange, Phase::Return, Phase::Gather];
        self.entries.iter().filter(|entry| exchanges.contains(&entry.phase)).map(|entry| entry.bytes).sum()
    }
}

/// What all ranks did in a run. `Display` prints a table with a line for each rank.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// The transform.
    pub spec: String,
    /// The ranks, in order.
    pub ranks: Vec<RankReport>,
}

impl Report {
    /// The longest computation of a rank divided by the mean over all ranks that had a share. 1 is
    /// a perfect balance.
    #[must_use]
    pub fn imbalance(&self) -> f64 {
        let computed: Vec<f64> = self.ranks.iter().map(|rank| rank.total(|entry| entry.compute + entry.transfer).as_secs_f64()).collect();
        let busy: Vec<f64> = computed.into_iter().filter(|time| *time > 0.0).collect();
        let sum: f64 = busy.iter().sum();
        if sum == 0.0 { 1.0 } else { busy.iter().copied().fold(0.0, f64::max) * busy.len() as f64 / sum }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |text: fn(&Member) -> &str| self.ranks.iter().map(|rank| text(&rank.member).chars().count()).max().unwrap_or(0).max(7);
        let [host, adapter] = [width(|member| &member.host), width(|member| &member.adapter)];
        writeln!(f, "{}, imbalance {:.2}", self.spec, self.imbalance())?;
        writeln!(
            f,
            "rank local {:host$} {:adapter$} {:>7} {:>7} {:>10} {:>11} {:>11} {:>8} {:>10}",
            "host", "adapter", "rows", "columns", "compute ms", "transfer ms", "exchange ms", "wait ms", "sent MB"
        )?;
        for rank in &self.ranks {
            let Member { rank: number, local_rank, host: own_host, adapter: own_adapter } = &rank.member;
            let ms = |time: Duration| time.as_secs_f64() * 1e3;
            let [compute, transfer, waited] =
                [rank.total(|entry| entry.compute), rank.total(|entry| entry.transfer), rank.total(|entry| entry.waited)].map(ms);
            writeln!(
                f,
                "{number:4} {local_rank:5} {own_host:host$} {own_adapter:adapter$} {:7} {:7} {compute:10.2} {transfer:11.2} {:11.2} {waited:8.2} {:10.3}",
                rank.rows,
                rank.columns,
                ms(rank.exchange()),
                rank.sent() as f64 / 1e6
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_survive_the_journey() {
        let local = LocalTimes { upload: Duration::from_millis(1), compute: Duration::from_millis(5), download: Duration::from_millis(2) };
        let entry = Entry::new(Phase::Rows, 1 << 40, Duration::from_millis(9), local);
        let member = Member { rank: 0, local_rank: 0, host: "a".to_owned(), adapter: "b".to_owned() };
        let report = RankReport::new(member, [3, 4], &to_numbers(&[entry, entry]));
        assert_eq!(report.entries, [entry, entry]);
        assert_eq!(report.total(|entry| entry.transfer), Duration::from_millis(6));
        let report = Report { spec: "c2c fwd 3x4".to_owned(), ranks: vec![report] };
        assert_eq!(report.imbalance(), 1.0);
        assert_eq!(report.to_string().lines().count(), 3);
    }
}
