//! Damaged files.

use std::collections::HashMap;
use std::fs;
use std::time::{Duration, Instant};

use wgpu_fft::low_level::tune::record::{Import, Item, Items as _};
use wgpu_fft::tune::Record;
use wgpu_fft_tests::memory::peak;

use crate::support::{Directory, RECIPE, Random, device, entry, listen, mark};

const CASES: u64 = 10_000;
/// One of this many cases is also written to.
const REWRITTEN: u64 = 20;

const UNKNOWN: [&str; 2] = [r#"{"wgpu-fft":1,"kind":"best","how":[[[1e999]]]"#, "{\"wgpu-fft\":31,\"text\":\"\u{1f4a5}\"}"];

/// The lines of a record and the items that they contain.
fn lines(directory: &Directory) -> HashMap<Vec<u8>, Item> {
    let devices = [device(570), device(580)];
    let mut items: Vec<Item> =
        (0..9).map(|i| Item::Best(entry(&format!("c2c fwd {}x{i}", 1 << i), RECIPE, &devices[i % 2], 1_700_000_000 + i as u64))).collect();
    items.extend((0..3).map(|i| Item::Mark(mark(&format!("sum f32 {i}"), "workgroup=512", &devices[i % 2], i as u64))));
    let path = directory.path().join("single");
    let line = |item: &Item| {
        let record = Record::in_memory();
        match item.clone() {
            Item::Best(entry) => record.add(entry).unwrap(),
            Item::Mark(mark) => record.mark(mark),
            other => unimplemented!("{other:?}"),
        }
        assert_eq!(record.export(&path, |_| true).unwrap(), 1);
        let text = fs::read(&path).unwrap();
        text.strip_suffix(b"\n").unwrap().to_vec()
    };
    let lines = items.into_iter().map(|item| (line(&item), item)).collect();
    fs::remove_file(path).unwrap();
    lines
}

fn mutate(text: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(text.len() + 1);
    let mut insert = |bytes: &[u8]| {
        text.splice(at..at, bytes.iter().copied());
    };
    match random.below(17) {
        0..3 => {
            for _ in 0..=random.below(3) {
                let bit = random.below(text.len() * 8);
                if let Some(byte) = text.get_mut(bit / 8) {
                    *byte ^= 1 << (bit % 8);
                }
            }
        }
        3 => text.truncate(at),
        4 => {
            let end = at + random.below(40).min(text.len() - at);
            text.drain(at..end);
        }
        5 | 6 => {
            // A line twice, or two lines swapped.
            let twice = random.below(2) == 0;
            let mut lines: Vec<Vec<u8>> = text.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
            if !lines.is_empty() {
                let (one, other) = (random.below(lines.len()), random.below(lines.len()));
                if twice { lines.insert(other, lines[one].clone()) } else { lines.swap(one, other) }
            }
            *text = lines.concat();
        }
        7 => {
            // One of the digits is replaced by a number that no type can hold.
            if let Some(digit) = (at..text.len()).find(|&i| text[i].is_ascii_digit()) {
                let huge = [&b"999999999999999999999999999999999999e999999"[..], b"-1", b"1e-999", b"0.1e308"][random.below(4)];
                text.splice(digit..=digit, huge.iter().copied());
            }
        }
        8 => insert(&[0; 64][..=random.below(63)]),
        9 => *text = text.split(|&byte| byte == b'\n').collect::<Vec<_>>().join(&b"\r\n"[..]),
        10 => insert(&[0xff, 0xc0, 0x80, 0xfe][..=random.below(3)]),
        11 => {
            insert([&b"\n"[..], b"\n\n \t\r\n", b"\r", b"\n\xef\xbb\xbf\n", b"\nnull\n", b"\n{}\n", b"\n{\"wgpu-fft\":\n"][random.below(7)])
        }
        12 => {
            if let Some(end) = (at..text.len()).find(|&i| text[i] == b'\n') {
                text.remove(end);
            }
        }
        13 => insert(&b"[".repeat(random.below(3000))),
        14 => insert(&[&b"\n{\"wgpu-fft\":2,\"kind\":\"best\",\"spec\":\""[..], &b"9".repeat(random.below(40_000)), b"\n"].concat()),
        15 => insert(b"\n{\"wgpu-fft\":99999999999999999999999,\"kind\":\"best\"}\n"),
        _ => insert(&(0..random.below(200)).map(|_| random.next() as u8).collect::<Vec<_>>()),
    }
}

#[test]
fn whatever_happens_to_a_file_its_intact_lines_are_kept() {
    listen();
    let directory = Directory::fast("damage");
    let path = directory.record();
    let known = lines(&directory);
    let mut order: Vec<&[u8]> = known.keys().map(Vec::as_slice).chain(UNKNOWN.map(str::as_bytes)).collect();
    order.sort_unstable();
    let whole = [&order.join(&b'\n')[..], b"\n"].concat();
    let (mut kept, mut rewritten, mut foreign, mut slowest) = (0, 0, 0, Duration::ZERO);
    for seed in 0..CASES {
        let mut random = Random(seed);
        let mut text = whole.clone();
        for _ in 0..=random.below(4) {
            mutate(&mut text, &mut random);
        }
        // What a reader would see that only knows lines.
        let filled = |text: &[u8]| -> Vec<Vec<u8>> {
            let lines = text.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
            lines.filter(|line| !line.trim_ascii().is_empty()).map(<[u8]>::to_vec).collect()
        };
        let present = filled(&text);
        let expected: Vec<&Item> = known.iter().filter(|(line, _)| present.contains(line)).map(|(_, item)| item).collect();
        fs::write(&path, &text).unwrap();
        let begin = Instant::now();
        let (record, bytes) = peak(|| Record::open(&path));
        slowest = slowest.max(begin.elapsed());
        assert!(bytes < 16 * text.len() + (256 << 10), "seed {seed}: {bytes} bytes for {} of the file", text.len());
        let ours = record.warning().is_none();
        foreign += usize::from(!ours);
        if !ours {
            assert!(items(&record).is_empty() && record.report() == Import::default(), "seed {seed}: {:?}", record.warning());
        }
        // A damaged line that can still be read may take the place of an intact one.
        let check = |record: &Record, when: &str| {
            let found = items(record);
            let has = |item: &Item| found.iter().any(|other| other == item || other.spec() == item.spec() && other.time() >= item.time());
            assert!(!ours || expected.iter().all(|item| has(item)), "seed {seed}, {when}");
        };
        check(&record, "opened");
        kept += expected.len();
        let Import { accepted, duplicate, unread, .. } = record.report();
        assert!(!ours || accepted + duplicate + unread == present.len(), "seed {seed}: {}", record.report());
        if seed % REWRITTEN == 0 {
            rewritten += 1;
            record.add(entry("c2c inv 7", "a new one", &device(590), 1)).unwrap();
            let after = fs::read(&path).unwrap();
            if !ours {
                assert!(after == text, "seed {seed}: somebody else's file was written");
                continue;
            }
            let again = Record::open(&path);
            check(&again, "added to");
            assert_eq!(
                (again.report().accepted, again.report().duplicate, again.report().unread),
                (accepted + 1, 0, unread),
                "seed {seed}"
            );
            let stay = filled(&after);
            assert!(UNKNOWN.iter().all(|line| !present.contains(&line.as_bytes().to_vec()) || stay.contains(&line.as_bytes().to_vec())));
        }
    }
    println!("{CASES} files, {kept} lines kept of {}, {foreign} files not ours, {rewritten} rewritten", CASES * known.len() as u64);
    assert!(kept > CASES as usize && foreign > 0 && rewritten == CASES / REWRITTEN, "the mutations prove little");
    assert!(slowest < Duration::from_secs(20), "one took {slowest:?}");
}

fn items(record: &Record) -> Vec<Item> {
    record.entries().into_iter().map(Item::Best).chain(record.marks().into_iter().map(Item::Mark)).collect()
}
