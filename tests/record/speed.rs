//! How long a large record takes. Run by hand: `cargo test --release --test record -- --ignored
//! --nocapture`.

use std::fs;
use std::hint::black_box;
use std::time::Instant;

use wgpu_fft::low_level::tune::record::Items as _;
use wgpu_fft::tune::Record;
use wgpu_fft::tune::Rigor;

use crate::support::{Directory, RECIPE, device, entry};

#[test]
#[ignore = "a measurement, which proves nothing"]
fn ten_thousand_entries() {
    let directory = Directory::new("speed");
    let source = Record::in_memory();
    for i in 0..10_000u64 {
        let spec = format!("c2c fwd {}x{} x{}", 1 + i % 100, 1 + i / 100 % 25, 1 + i % 7);
        source.add(entry(&format!("{spec} {}", i / 2500), RECIPE, &device(570 + i as u32 / 2500), i)).unwrap();
    }
    source.export(directory.record(), |_| true).unwrap();
    let size = fs::metadata(directory.record()).unwrap().len();
    let spec = "c2c fwd 51x13 x5 0";
    let device = device(570);
    for _ in 0..10 {
        let begin = Instant::now();
        let record = Record::open(directory.record());
        let opened = begin.elapsed();
        let found = black_box(record.find(spec, &device, Rigor::Measure));
        let found_after = begin.elapsed() - opened;
        let seeds = black_box(record.seeds(spec, &device)).len();
        let seeds_after = begin.elapsed() - opened - found_after;
        record.add(entry(spec, "new", &device, 99_999)).unwrap();
        let added = begin.elapsed() - opened - found_after - seeds_after;
        println!(
            "{} entries in {size} bytes: opened in {opened:.1?}, found {} in {found_after:.1?}, {seeds} seeds in {seeds_after:.1?}, added in {added:.1?}",
            record.entries().len(),
            found.is_some()
        );
    }
}
