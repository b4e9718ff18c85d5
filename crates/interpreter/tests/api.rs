//! Bindings, overrides, settings, and sequences of dispatches.

use crate::common::{kinds, run_with};
use wgsl_sanitizer::{AccessMode, Binding, Buffer, Config, Error, FindingKind, Memory, Report, Shader};

fn run(text: &str, grid: [u32; 3], buffers: &[Buffer], config: &Config) -> (Result<Report, Error>, Vec<Buffer>) {
    let mut memory = Memory::new();
    let ids: Vec<_> = buffers.iter().map(|b| memory.add(b.clone())).collect();
    let bindings: Vec<_> = ids.iter().enumerate().map(|(i, &id)| Binding::whole(0, i as u32, id)).collect();
    let shader = Shader::new(text).unwrap_or_else(|e| panic!("{e}"));
    let kernel = shader.entry("main").unwrap().compile().unwrap_or_else(|e| panic!("{e}"));
    let report = kernel.dispatch(grid, &mut memory, &bindings, config);
    (report, ids.iter().map(|&id| memory[id].clone()).collect())
}

fn clean(text: &str, grid: [u32; 3], buffers: &[Buffer]) -> Vec<Buffer> {
    let (report, buffers) = run(text, grid, buffers, &Config::default());
    let report = report.unwrap();
    assert!(report.is_clean(), "{report}");
    buffers
}

#[test]
fn layout_of_structs_and_matrices() {
    // Offsets by WGSL's rules: a 0, b 16 (aligned to 16), c 28, m 32 with columns 16 apart, h 80, v
    // 88 with elements 8 apart.
    let text = "
enable f16;
struct Inner { x: u32, y: vec2<f32> }
struct S { a: u32, b: vec3<f32>, c: f32, m: mat3x3<f32>, h: vec3<f16>, inner: array<Inner, 2>, rest: array<vec3<u32>> }
@group(0) @binding(0) var<storage, read_write> s: S;
@group(0) @binding(1) var<storage, read_write> r: array<f32>;
@compute @workgroup_size(1)
fn main() {
    r[0] = f32(s.a); r[1] = s.b.z; r[2] = s.c; r[3] = s.m[1].y; r[4] = f32(s.h.z); r[5] = f32(s.inner[1].x); r[6] = s.inner[1].y.y;
    r[7] = f32(s.rest[1].z); r[8] = f32(arrayLength(&s.rest)); r[9] = determinant(s.m);
    let copy = s.inner; s.inner[0] = copy[1]; s.m[2] = vec3(7.0, 8.0, 9.0); s.h.y = 0.5h;
}";
    // a 0, b 16, c 28, m 32..80, h 80 (8 bytes), inner 88 with stride 16, rest 128 with stride 16.
    let mut words = vec![0u32; 40];
    words[0] = 5;
    words[6] = 2f32.to_bits();
    words[7] = 3f32.to_bits();
    for (i, x) in [2f32, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 4.0].iter().enumerate() {
        words[8 + i / 3 * 4 + i % 3] = x.to_bits();
    }
    words[21] = half::f16::from_f32(1.5).to_bits() as u32;
    words[26] = 6;
    words[29] = 7f32.to_bits();
    words[38] = 8;
    let buffers = clean(text, [1, 1, 1], &[Buffer::from_slice(&words), Buffer::unwritten(40)]);
    assert_eq!(buffers[1].to_vec::<f32>(), [5.0, 2.0, 3.0, 3.0, 1.5, 6.0, 7.0, 8.0, 2.0, 24.0]);
    let after: Vec<u32> = buffers[0].to_vec();
    assert_eq!((after[22], after[25]), (6, 7f32.to_bits()));
    assert_eq!((after[16], after[17], after[18]), (7f32.to_bits(), 8f32.to_bits(), 9f32.to_bits()));
    assert_eq!(after[20] >> 16, half::f16::from_f32(0.5).to_bits() as u32);
}

#[test]
fn halves_of_a_word() {
    let text = "
enable f16;
@group(0) @binding(0) var<storage, read_write> a: array<f16>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) t: u32) { a[t] = f16(t); }";
    let buffers = clean(text, [1, 1, 1], &[Buffer::unwritten(128)]);
    assert!(buffers[0].is_written());
    assert_eq!(buffers[0].to_vec::<half::f16>()[37].to_f32(), 37.0);
    // Half of a word is not written.
    let (report, _) = run(
        "enable f16; @group(0) @binding(0) var<storage, read_write> a: array<vec2<f16>>;
         @compute @workgroup_size(1) fn main() { a[0].x = 1.0h; a[1].x = a[0].x; let x = a[0].y; }",
        [1, 1, 1],
        &[Buffer::unwritten(8)],
        &Config::default(),
    );
    let report = report.unwrap();
    assert!(matches!(report.findings()[0].kind, FindingKind::Unwritten { offset: 2, .. }), "{report}");
}

#[test]
fn overrides_size_workgroups_and_arrays() {
    let text = "
override N: u32;
override SCALE: f32 = 2.0;
override HALF = N / 2u;
@id(7) override EXTRA: u32 = 1u;
var<workgroup> tile: array<f32, 2u * HALF>;
@group(0) @binding(0) var<storage, read_write> a: array<f32>;
@compute @workgroup_size(N)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) t: u32) {
    tile[t] = SCALE * f32(id.x);
    workgroupBarrier();
    a[id.x] = tile[N - 1u - t] + f32(EXTRA);
}";
    let shader = Shader::new(text).unwrap();
    let entry = shader.entry("main").unwrap();
    assert!(matches!(entry.clone().compile(), Err(Error::Overrides(_))));
    assert!(matches!(entry.clone().with_override("M", 1.0).compile(), Err(Error::Overrides(_))));
    let kernel = entry.with_overrides([("N", 4.0), ("7", 10.0)]).compile().unwrap();
    assert_eq!(kernel.workgroup_size(), [4, 1, 1]);
    let mut memory = Memory::new();
    let a = memory.add(Buffer::unwritten(32));
    let report = kernel.dispatch([2, 1, 1], &mut memory, &[Binding::whole(0, 0, a)], &Config::default()).unwrap();
    assert!(report.is_clean(), "{report}");
    assert_eq!(memory[a].to_vec::<f32>(), [16.0, 14.0, 12.0, 10.0, 24.0, 22.0, 20.0, 18.0]);
}

#[test]
fn dispatches_share_buffers() {
    let text = "
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3u) { output[id.x] = input[id.x] + 1u; }";
    let shader = Shader::new(text).unwrap();
    let kernel = shader.entry("main").unwrap().compile().unwrap();
    let mut memory = Memory::new();
    let a = memory.add(Buffer::from_slice(&[1u32, 2, 3, 4]));
    // Two halves of one workspace.
    let w = memory.add(Buffer::unwritten(32));
    let config = Config::default();
    let steps =
        [[Binding::whole(0, 0, a), Binding::part(0, 1, w, 16, 16)], [Binding::part(0, 0, w, 16, 16), Binding::part(0, 1, w, 0, 16)]];
    for bindings in &steps {
        let report = kernel.dispatch([1, 1, 1], &mut memory, bindings, &config).unwrap();
        assert!(report.is_clean(), "{report}");
    }
    assert_eq!(memory[w].to_vec::<u32>(), [3, 4, 5, 6, 2, 3, 4, 5]);
    // The same workspace, read where nobody has written.
    memory[w].mark_unwritten();
    let report = kernel.dispatch([1, 1, 1], &mut memory, &steps[1], &config).unwrap();
    assert_eq!(kinds(&report), [("Unwritten".to_owned(), 5)]);
    assert_eq!(report.findings()[0].count, 4);
    // Two bindings that overlap: what one invocation reads another writes.
    let report = kernel.dispatch([1, 1, 1], &mut memory, &[Binding::part(0, 0, w, 0, 16), Binding::part(0, 1, w, 4, 16)], &config).unwrap();
    assert!(matches!(&report.findings()[0].kind, FindingKind::Race { mode: AccessMode::Write, other: AccessMode::Read, .. }), "{report}");
}

#[test]
fn atomic_beside_plain_access() {
    let text = "
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<atomic<u32>>;
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) t: u32) { if t == 0u { a[0] = 1u; } else { atomicAdd(&b[0], 1u); } }";
    let kernel = Shader::new(text).unwrap().entry("main").unwrap().compile().unwrap();
    let mut memory = Memory::new();
    let a = memory.add(Buffer::zeros(4));
    let report = kernel.dispatch([1, 1, 1], &mut memory, &[Binding::whole(0, 0, a), Binding::whole(0, 1, a)], &Config::default()).unwrap();
    assert!(matches!(report.findings()[0].kind, FindingKind::Race { mode: AccessMode::Atomic, other: AccessMode::Write, .. }), "{report}");
}

#[test]
fn wrong_bindings_are_errors() {
    let text = "
struct P { a: vec4<u32>, b: u32 }
@group(1) @binding(3) var<uniform> p: P;
@compute @workgroup_size(1) fn main() { let x = p.b; }";
    let kernel = Shader::new(text).unwrap().entry("main").unwrap().compile().unwrap();
    assert_eq!(kernel.bindings().collect::<Vec<_>>(), [(1, 3, "p")]);
    let mut memory = Memory::new();
    let short = memory.add(Buffer::zeros(16));
    let long = memory.add(Buffer::zeros(64));
    let mut dispatch =
        |bindings: &[Binding]| kernel.dispatch([1, 1, 1], &mut memory, bindings, &Config::default()).unwrap_err().to_string();
    assert_eq!(dispatch(&[]), "nothing is bound to @group(1) @binding(3) p");
    assert_eq!(dispatch(&[Binding::whole(1, 3, short)]), "p takes at least 32 bytes; 16 are bound");
    assert_eq!(dispatch(&[Binding::part(1, 3, long, 2, 32)]), "bytes 2..34 of a buffer of 64 bytes cannot be bound to p");
    assert_eq!(dispatch(&[Binding::part(1, 3, long, 48, 32)]), "bytes 48..80 of a buffer of 64 bytes cannot be bound to p");
    assert!(kernel.dispatch([1, 1, 1], &mut memory, &[Binding::part(1, 3, long, 32, 32)], &Config::default()).unwrap().is_clean());
    for config in [
        Config { subgroup_size: 3, ..Config::default() },
        Config { subgroup_size: 256, ..Config::default() },
        Config { lockstep: 48, ..Config::default() },
    ] {
        assert!(matches!(kernel.dispatch([1, 1, 1], &mut memory, &[], &config), Err(Error::Config(_))));
    }
}

#[test]
fn what_is_unknown_is_named() {
    let refused = |text: &str| Shader::new(text).unwrap().entry("main").unwrap().compile().unwrap_err().to_string();
    let texture = refused(
        "@group(0) @binding(0) var t: texture_2d<f32>;
@compute @workgroup_size(1) fn main() { let x = textureLoad(t, vec2u(0u), 0); }",
    );
    assert!(texture.contains("line 1") && texture.contains("Image"), "{texture}");
    let frexp = refused("enable f16;\n@compute @workgroup_size(1) fn main() {\n let a = 2.0h; var b = a; let x = frexp(b).fract; }");
    assert!(frexp.contains("line 3") && frexp.contains("Frexp"), "{frexp}");
    assert!(Shader::new("fn f( {").unwrap_err().to_string().contains("wgsl:1"));
    let shader = Shader::new("@compute @workgroup_size(1) fn a() {}\n@compute @workgroup_size(1) fn b() {}").unwrap();
    assert_eq!(shader.entry("main").unwrap_err().to_string(), "there is no compute entry point \"main\"; there are: a, b");
}

#[test]
fn settings_switch_checks() {
    let kinds_with =
        |text: &str, config: Config| kinds(&run_with(text, [1, 1, 1], &config)).into_iter().map(|(kind, _)| kind).collect::<Vec<_>>();
    let equal = "@compute @workgroup_size(8)\nfn main() { out[0] = 5u; }";
    assert_eq!(kinds_with(equal, Config::default()), ["Race"]);
    assert!(kinds_with(equal, Config { equal_writes_race: false, ..Config::default() }).is_empty());
    // In place: what is read before the barrier is written after it.
    let in_place = "var<workgroup> w: array<u32, 8>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) t: u32) { w[t] = data[t]; workgroupBarrier(); data[7u - t] = w[t]; }";
    assert_eq!(kinds_with(in_place, Config::default()), ["Race"]);
    let dependent = Config { later_writes_race: false, ..Config::default() };
    assert!(kinds_with(in_place, dependent.clone()).is_empty());
    // The other way round it stays a race, and so does what another workgroup reads.
    let earlier = "@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) t: u32) { data[t] = t; workgroupBarrier(); out[t] = data[7u - t]; }";
    assert_eq!(kinds_with(earlier, dependent.clone()), ["Race"]);
    let others = "@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) g: vec3u) { let x = data[g.x]; data[1u - g.x] = x; }";
    let found = kinds(&run_with(others, [2, 1, 1], &dependent));
    assert!(found.iter().any(|(kind, _)| *kind == "Race"), "{found:?}");
    let different = "@compute @workgroup_size(8)\nfn main(@builtin(local_invocation_index) t: u32) { out[0] = t; }";
    assert_eq!(kinds_with(different, Config { equal_writes_race: false, ..Config::default() }), ["Race"]);
    let zero = "var<workgroup> n: atomic<u32>;\n@compute @workgroup_size(8)\nfn main() { atomicAdd(&n, 1u); workgroupBarrier(); out[atomicLoad(&n) - 8u] = 1u; }";
    let found = kinds_with(zero, Config { zero_workgroup_memory: true, ..Config::default() });
    assert_eq!(found, ["Race"], "{found:?}");
    let wrap = "@compute @workgroup_size(1)\nfn main() { out[params.x * 0x4000001u - 64u] = 1u; }";
    assert_eq!(kinds_with(wrap, Config::default()), ["WrappedIndex"]);
    assert!(kinds_with(wrap, Config { check_wrapping: false, ..Config::default() }).is_empty());
    let convert = "@compute @workgroup_size(1)\nfn main() { out[0] = u32(-f32(params.x)); }";
    assert_eq!(kinds_with(convert, Config::default()), ["Conversion"]);
    assert!(kinds_with(convert, Config { check_conversions: false, ..Config::default() }).is_empty());
}

#[test]
fn denormals_are_kept_or_flushed() {
    let text = "
@group(0) @binding(0) var<storage, read_write> a: array<f32>;
@compute @workgroup_size(1) fn main() { a[0] = a[0] * 0.5; }";
    for (flush, expected) in [(false, f32::MIN_POSITIVE / 2.0), (true, 0.0)] {
        let (report, buffers) =
            run(text, [1, 1, 1], &[Buffer::from_slice(&[f32::MIN_POSITIVE])], &Config { flush_denormals: flush, ..Config::default() });
        assert!(report.unwrap().is_clean());
        assert_eq!(buffers[0].to_vec::<f32>(), [expected]);
    }
}

#[test]
fn results_that_depend_on_the_order_show() {
    let text = "@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) { out[id.x] = atomicAdd(&counters[0], 1u); }";
    let shader = Shader::new(&format!("{text}{}", crate::common::DECLARATIONS)).unwrap();
    let kernel = shader.entry("main").unwrap().compile().unwrap();
    let results: std::collections::HashSet<Vec<u32>> = (0..4)
        .map(|seed| {
            let (mut memory, bindings) = crate::common::memory();
            let report =
                kernel.dispatch([1, 1, 1], &mut memory, &bindings, &Config { seed, lockstep: 8, subgroup_size: 8, ..Config::default() });
            assert!(report.unwrap().is_clean());
            memory[bindings[2].buffer].to_vec()
        })
        .collect();
    assert_eq!(results.len(), 4);
}

#[test]
fn an_invocation_may_wait_for_another_of_its_workgroup() {
    let text = "
var<workgroup> flag: atomic<u32>;
@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) t: u32) {
    if t == 0u { atomicStore(&flag, 0u); }
    workgroupBarrier();
    if t == 127u { atomicStore(&flag, 1u); }
    if t < 64u { while atomicLoad(&flag) == 0u {} }
}";
    let report = run_with(text, [1, 1, 1], &Config::default());
    assert!(report.is_clean(), "{report}");
}

#[test]
fn immediates() {
    let text = "var<immediate> n: vec2<u32>;\n@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@compute @workgroup_size(1) fn main() { a[0] = n.y; }";
    let config = Config { immediates: [7u32, 9].iter().flat_map(|x| x.to_le_bytes()).collect(), ..Config::default() };
    let (report, buffers) = run(text, [1, 1, 1], &[Buffer::unwritten(4)], &config);
    assert!(report.unwrap().is_clean());
    assert_eq!(buffers[0].to_vec::<u32>(), [9]);
    assert!(matches!(run(text, [1, 1, 1], &[Buffer::unwritten(4)], &Config::default()).0, Err(Error::BindingTooShort { .. })));
}

#[test]
fn reports_name_the_place() {
    let text = "fn store(i: u32) {\n    out[i] = 1u;\n}\nfn outer(i: u32) { store(i); }\n@compute @workgroup_size(4, 2)
fn main(@builtin(global_invocation_id) id: vec3u) {\n    outer(60u + id.x + 4u * id.y);\n}";
    let report = run_with(text, [1, 1, 1], &Config::default());
    let [finding] = report.findings() else { panic!("{report}") };
    assert_eq!(finding.location.line, 2);
    assert_eq!(finding.location.text, "out[i] = 1u;");
    assert_eq!(finding.location.called_from, [4, 7]);
    assert_eq!((finding.invocation, finding.workgroup, finding.count), ([0, 1, 0], [0, 0, 0], 4));
    assert_eq!(
        report.to_string(),
        "write out of bounds: out[64]: index 64, length 64
  --> line 2, column 5: out[i] = 1u;
  called from line 4, from line 7
  invocation (0, 1, 0) of workgroup (0, 0, 0), and 3 more

1 finding(s)
"
    );
}

#[test]
fn more_findings_than_are_kept_are_counted() {
    let text = "@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) t: u32) {\n out[t + 64u] = 1u;\n out[t + 65u] = 1u;\n}";
    let report = run_with(text, [1, 1, 1], &Config { max_findings: 1, ..Config::default() });
    assert_eq!((report.findings().len(), report.dropped()), (1, 4));
    assert!(!report.is_clean());
}

#[test]
fn kernels_may_run_on_several_threads() {
    fn both<T: Send + Sync>() {}
    both::<Shader>();
    both::<wgsl_sanitizer::Kernel>();
    both::<Memory>();
    both::<Report>();
}

#[test]
fn impossible_workgroups_are_errors() {
    let text = "override N: u32; @compute @workgroup_size(N, 1000) fn main() {}";
    let kernel = Shader::new(text).unwrap().entry("main").unwrap().with_override("N", 1000.0).compile().unwrap();
    let error = kernel.dispatch([1, 1, 1], &mut Memory::new(), &[], &Config::default()).unwrap_err();
    assert!(matches!(error, Error::Config(_)), "{error}");
}
