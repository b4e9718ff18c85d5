//! Kernels on a few small buffers.

use wgsl_sanitizer::{Binding, Buffer, Config, Memory, Report, Shader};

/// What the kernels of the tables may bind: 0 a uniform (64, 1, 2, 3), 1 `data` of 64 words 0, 1, 2
/// …, 2 `out` of 64 words that nobody has written, 3 64 zeros for atomics.
pub fn memory() -> (Memory, Vec<Binding>) {
    let mut memory = Memory::new();
    let buffers = [
        Buffer::from_slice(&[64u32, 1, 2, 3]),
        Buffer::from_slice(&(0..64).collect::<Vec<u32>>()),
        Buffer::unwritten(256),
        Buffer::zeros(256),
    ];
    let bindings = buffers.into_iter().enumerate().map(|(i, b)| Binding::whole(0, i as u32, memory.add(b))).collect();
    (memory, bindings)
}

pub const DECLARATIONS: &str = "
@group(0) @binding(0) var<uniform> params: vec4<u32>;
@group(0) @binding(1) var<storage, read_write> data: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@group(0) @binding(3) var<storage, read_write> counters: array<atomic<u32>, 64>;
";

pub fn run_with(text: &str, grid: [u32; 3], config: &Config) -> Report {
    let (mut memory, bindings) = memory();
    let shader = Shader::new(&format!("{text}{DECLARATIONS}")).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let kernel = shader.entry("main").unwrap().compile().unwrap_or_else(|e| panic!("{e}\n{text}"));
    kernel.dispatch(grid, &mut memory, &bindings, config).unwrap()
}

/// The name of the kind of each finding, with its line.
pub fn kinds(report: &Report) -> Vec<(String, u32)> {
    report.findings().iter().map(|f| (format!("{:?}", f.kind).split([' ', '{']).next().unwrap().to_owned(), f.location.line)).collect()
}

/// Runs kernels of which each line that ends in `// KIND` is expected to be found, and no other. In
/// two orders, with two sizes of subgroup.
pub fn check_table(table: &[(&str, &str)]) {
    let mut wrong = String::new();
    for (name, text) in table {
        let mut expected: Vec<(String, u32)> = Vec::new();
        for (i, line) in text.lines().enumerate() {
            if let Some((_, kinds)) = line.split_once("// ") {
                expected.extend(kinds.split(' ').map(|kind| (kind.to_owned(), i as u32 + 1)));
            }
        }
        expected.sort();
        for config in [
            Config { max_turns: 5000, ..Config::default() },
            Config { seed: 7, subgroup_size: 8, lockstep: 8, max_turns: 5000, ..Config::default() },
        ] {
            let report = run_with(text, [2, 1, 1], &config);
            let mut found = kinds(&report);
            found.sort();
            found.dedup();
            if found != expected {
                wrong += &format!("{name}, seed {}: expected {expected:?}, found {found:?}\n{report}\n{text}\n", config.seed);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
