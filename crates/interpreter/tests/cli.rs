//! The command, with arrays from and to files.
#![cfg(feature = "cli")]

use std::path::PathBuf;
use std::process::{Command, Output};

use proptest::prelude::*;

fn file(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cli");
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(name).to_str().unwrap().to_owned()
}

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_wgsl-sanitizer")).args(arguments).output().unwrap()
}

const DOUBLE: &str = "
override N: u32 = 2u;
@group(0) @binding(0) var<storage, read> input: array<f32>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;
@compute @workgroup_size(N)
fn main(@builtin(global_invocation_id) id: vec3u) { output[id.x] = 2.0 * input[id.x]; }";

#[test]
fn arrays_go_in_and_out() {
    let (shader, first, second, raw) = (file("double.wgsl"), file("a.npy"), file("b.npy"), file("c.bin"));
    std::fs::write(&shader, DOUBLE).unwrap();
    let result =
        run(&[&shader, "--dispatch", "2", "--bind", "0=f32:1,2.5,3,4", "--bind", "1=unwritten:f32:4", "--out", &format!("1={first}")]);
    assert_eq!((result.status.code(), result.stdout.as_slice()), (Some(0), &b"nothing found\n"[..]), "{result:?}");
    let result = run(&[
        &shader,
        "--dispatch",
        "1,1",
        "--override",
        "N=4",
        "--seed",
        "3",
        "--bind",
        &format!("0/0={first}"),
        "--bind",
        "1=zeros:f32:4",
        "--out",
        &format!("1={second}"),
        "--out",
        &format!("1=raw:{raw}"),
    ]);
    assert_eq!(result.status.code(), Some(0), "{result:?}");
    let bytes: Vec<u8> = [4f32, 10.0, 12.0, 16.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    assert_eq!(std::fs::read(&raw).unwrap(), bytes);
    let npy = std::fs::read(&second).unwrap();
    assert!(npy.starts_with(b"\x93NUMPY") && npy.ends_with(&bytes), "{npy:?}");
}

#[test]
fn the_exit_status_tells() {
    let shader = file("status.wgsl");
    std::fs::write(&shader, DOUBLE).unwrap();
    let result = run(&[&shader, "--dispatch", "3", "--bind", "0=zeros:f32:5", "--bind", "1=zeros:f32:6"]);
    assert_eq!(result.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&result.stdout).contains("read out of bounds: input[5]: index 5, length 5"), "{result:?}");
    for arguments in [&[&shader[..]][..], &["nowhere.wgsl", "--dispatch", "1"], &[], &[&shader, "--dispatch", "1", "--what"]] {
        assert_eq!(run(arguments).status.code(), Some(2), "{arguments:?}");
    }
    assert_eq!(run(&["--help"]).status.code(), Some(0));
}

#[test]
fn halves_keep_their_type() {
    let (shader, target, again) = (file("half.wgsl"), file("half.npy"), file("half2.npy"));
    let text = "enable f16; @group(0) @binding(0) var<storage, read_write> a: array<f16>;
        @compute @workgroup_size(1) fn main() { a[0] += 1.0h; }";
    std::fs::write(&shader, text).unwrap();
    assert_eq!(run(&[&shader, "--dispatch", "1", "--bind", "0=f16:1,2", "--out", &format!("0={target}")]).status.code(), Some(0));
    let result = run(&[&shader, "--dispatch", "1", "--bind", &format!("0={target}"), "--out", &format!("0={again}")]);
    assert_eq!(result.status.code(), Some(0), "{result:?}");
    let npy = std::fs::read(&again).unwrap();
    assert!(npy.ends_with(&[0x00, 0x42, 0x00, 0x40]) && npy.windows(3).any(|w| w == b"<f2"), "{npy:?}");
}

fn npy(descr: &str, shape: &str, elements: &[u8]) -> Vec<u8> {
    let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n");
    [&b"\x93NUMPY\x01\x00"[..], &(text.len() as u16).to_le_bytes(), text.as_bytes(), elements].concat()
}

/// What the command says to a source of numbers that it cannot take.
fn refused(source: &str) -> String {
    let shader = file("refused.wgsl");
    std::fs::write(&shader, DOUBLE).unwrap();
    let result = run(&[&shader, "--dispatch", "1", "--bind", &format!("0={source}"), "--bind", "1=zeros:f32:4"]);
    let error = String::from_utf8_lossy(&result.stderr).into_owned();
    assert!(result.status.code().is_some() && !error.contains("panicked"), "{source}: {error}");
    error
}

#[test]
fn arrays_that_overflow_are_refused() {
    let path = file("hostile.npy");
    let deep = "(".repeat(9000);
    for (descr, shape, why) in [
        ("'<f4'", "(4611686018427387905,)", "more elements than can be counted"),
        ("'<f4'", "(4294967296, 4294967296)", "more elements than can be counted"),
        ("'<f4'", "(0, 4294967296, 4294967296)", "more elements than can be counted"),
        ("'<f4'", "(18446744073709551616,)", "more elements than can be counted"),
        ("'<f4'", &deep, "brackets in brackets"),
        ("'<f4'", "(1073741825,)", "more than 4294967296 bytes"),
        ("'<f4'", "(5,)", "20 bytes, and 16 are there"),
        ("'>f4'", "(4,)", "big-endian"),
        ("'|O'", "(4,)", "Python objects"),
        ("[('a', '<f4')]", "(4,)", "records"),
    ] {
        std::fs::write(&path, npy(descr, shape, &[0; 16])).unwrap();
        let error = refused(&path);
        assert!(error.contains(why) && error.contains("hostile.npy"), "{shape}: {error}");
    }
    for source in ["zeros:f32:4611686018427387905", "unwritten:f64:18446744073709551615", "zeros:f16:2147483649"] {
        assert!(refused(source).contains("more than 4294967296 bytes"), "{source}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Shapes with extents at the ends of types.
    #[test]
    fn any_header_is_read_or_refused(
        descr in prop::sample::select(vec!["'<f4'", "'|u1'", "'<f8'", "'|O'", "'>c8'", "'|S0'", "'<U9999'", "'<M8[ns]'", "[('a', '<f4', (2,))]"]),
        shape in prop::collection::vec(prop_oneof![0..5_u64, any::<u64>(), Just(1 << 30), Just(1 << 31), Just(1 << 62)], 0..5),
        elements in prop::collection::vec(any::<u8>(), 0..64),
    ) {
        let path = file("any.npy");
        let shape: String = shape.iter().map(|extent| format!("{extent}, ")).collect();
        std::fs::write(&path, npy(descr, &format!("({shape})"), &elements)).unwrap();
        refused(&path);
    }
}
