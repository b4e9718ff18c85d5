//! The command, with arrays from and to files.
#![cfg(feature = "cli")]

use std::path::PathBuf;
use std::process::{Command, Output};

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
