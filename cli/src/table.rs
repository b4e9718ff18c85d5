//! Prints the contents of a record as a table.

use std::collections::BTreeMap;

use wgpu_fft::low_level::tune::DeviceIdentity;
use wgpu_fft::low_level::tune::record::{Entry, Item, Mark};

use crate::report::aligned;

/// The columns for entries. The recipe comes last, because it can be long.
const HEAD: [&str; 8] = ["specification", "ms", "rules ms", "gain", "timer", "rigor", "measured (UTC)", "recipe"];
const MARKS_HEAD: [&str; 4] = ["specification", "marked (UTC)", "why", "recipe"];

/// Prints the items, grouped by device.
pub fn print(items: &[Item]) {
    let mut devices: BTreeMap<&DeviceIdentity, (Vec<&Entry>, Vec<&Mark>)> = BTreeMap::new();
    for item in items {
        let (entries, marks) = devices.entry(item.device()).or_default();
        match item {
            Item::Best(entry) => entries.push(entry),
            Item::Mark(mark) => marks.push(mark),
            // A kind that is newer than this program.
            _ => {}
        }
    }
    for (device, (entries, marks)) in devices {
        println!("\n{device}");
        let rows: Vec<_> = entries.iter().map(|entry| row(entry)).collect();
        print_rows(HEAD, &rows, |column| (1..=3).contains(&column));
        if !marks.is_empty() {
            println!("  not to be tried again:");
            let rows: Vec<_> =
                marks.iter().map(|mark| [mark.spec.clone(), date(mark.time), mark.why.clone(), mark.recipe.clone()]).collect();
            print_rows(MARKS_HEAD, &rows, |_| false);
        }
    }
}

fn row(entry: &Entry) -> [String; 8] {
    let Entry { spec, recipe, seconds, rules_seconds, timer, rigor, time, .. } = entry;
    [
        spec.clone(),
        format!("{:.4}", seconds * 1e3),
        format!("{:.4}", rules_seconds * 1e3),
        gain(*seconds, *rules_seconds),
        timer.to_string(),
        rigor.to_string(),
        date(*time),
        recipe.clone(),
    ]
}

/// The share of the rules' time that is saved, or `-` if the rules' choice is the best.
pub fn gain(seconds: f64, rules: f64) -> String {
    if seconds == rules { "-".to_owned() } else { format!("{:.1}%", (1.0 - seconds / rules) * 100.0) }
}

/// Prints rows below a head, if there are any.
fn print_rows<const N: usize>(head: [&str; N], rows: &[[String; N]], is_number: impl Fn(usize) -> bool) {
    if rows.is_empty() {
        return;
    }
    let all: Vec<[String; N]> = std::iter::once(head.map(str::to_owned)).chain(rows.iter().cloned()).collect();
    for line in aligned(&all, is_number).lines() {
        println!("  {line}");
    }
}

/// Seconds since 1970 as a date and time of day, in UTC.
pub fn date(seconds: u64) -> String {
    let (days, minutes) = (seconds / 86_400, seconds % 86_400 / 60);
    // If years begin in March, the leap day is at the end. 400 years have 146097 days, and the
    // first of them began on 0000-03-01.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // Months from March on have 31, 30, 31, 30 and 31 days, and so on.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (era * 400 + year, month + 3) } else { (era * 400 + year + 1, month - 9) };
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        let known = [
            (0, "1970-01-01 00:00"),
            (951_782_399, "2000-02-28 23:59"),
            (951_782_400, "2000-02-29 00:00"),
            (951_868_800, "2000-03-01 00:00"),
            (1_709_164_800, "2024-02-29 00:00"),
            (1_767_225_599, "2025-12-31 23:59"),
            (4_107_542_400, "2100-03-01 00:00"),
        ];
        for (seconds, text) in known {
            assert_eq!(date(seconds), text);
        }
        // A file may contain any number.
        assert!(date(u64::MAX).len() > 10);
    }

    #[test]
    fn gains_are_what_is_saved() {
        assert_eq!([gain(0.9, 1.0), gain(1.0, 1.0), gain(1.5, 1.0)], ["10.0%", "-", "-50.0%"]);
    }
}
