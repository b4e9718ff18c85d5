//! Fragments that fooled the checks, or could, with the reason why they are refused; and others that
//! look alike and are accepted. What is accepted is run under wgsl-sanitizer in the kernel of an FFT.

use wgpu_fft::dynamic::AnySpec;
use wgpu_fft::fft::C2c;
use wgpu_fft::signal::{Frequencies, Resample, SpectralFilter, Zoom};
use wgpu_fft::{Complex32, DeviceProfile, ElementType, Error, Fragment, Program, Spec, reduce};

use crate::fragment_programs::holds;
use crate::validators;

/// Functions and an expression for a complex value, which may read 5 `taps`. The names of builtins
/// that a kernel uses, and of functions of kernels, are among those declared.
const ACCEPTED: &[(&str, &str)] = &[
    ("fn min(a: f32, b: f32) -> f32 { return 1e9; }", "vec2(min(value.x, value.y), 0.0)"),
    ("fn select(a: u32) -> u32 { return 100000u; } fn load(i: u32) -> u32 { return select(i); }", "value * f32(load(i0))"),
    ("fn f(x: f32) -> f32 { var s = 0.0; for (var i = 0u; i < 8u; i++) { s += x * taps[i]; } return s; }", "vec2(f(value.x), 0.0)"),
    ("fn f() -> f32 { var s = 0.0; for (var i = -3; i <= 3; i += 2) { s += f32(i); } return s; }", "vec2(f(), 0.0)"),
    ("const N = 4u; const M = N * N; fn f() -> u32 { var s = 0u; for (var i = N; i < M; i++) { s += i; } return s; }", "value * f32(f())"),
    ("fn f() -> u32 { const N = 3; var s = 0u; for (var i = 0; N > i; i = 1 + i) { s++; } return s; }", "value * f32(f())"),
    (
        "fn f() -> u32 { var s = 0u; for (var i = 0u; i < 9u; i++) { let j = &s; *j += i; if (s > 9u) { break; } } return s; }",
        "value * f32(f())",
    ),
    (
        "fn g(p: ptr<function, u32>) { *p += 2u; } fn f() -> u32 { var s = 0u; for (var i = 0u; i < 3u; i++) { g(&(s)); } return s; }",
        "value * f32(f())",
    ),
    ("fn f() -> u32 { var s = 0u; for (var i = 0u; i < 4u; i++) { var i = 0u; i = 7u; s += i; } return s; }", "value * f32(f())"),
    ("fn f() -> u32 { var i = 0u; loop { if (i >= 4u) { break; } continuing { i++; } } return i; }", "value * f32(f() + 1u)"),
    ("fn f() -> u32 { var i = 0u; loop { if (i < 4u) { } else { break; } continuing { i++; } } return i; }", "value * f32(f())"),
    (
        "fn f() -> u32 { var s = 0u; for (var i = 0u; i < 4u; i++) { for (var j = 1000000u; j < 1000004u; j++) { s += j; } } return s; }",
        "value * f32(f())",
    ),
    ("fn f() { for (var i = 0u; i < 32768u; i++) {} for (var i = 0u; i < 32768u; i++) {} }", "value"),
    ("fn f() { for (var i = 0u; i < 256u; i++) { for (var i = 0u; i < 256u; i++) {} } }", "value"),
    ("fn f(x: bool) { if (x) { for (var i = 0u; i < 65536u; i++) {} } else { for (var i = 0u; i < 65536u; i++) {} } }", "value"),
    ("fn f(i: u32) -> f32 { var t = array<f32, 4>(1.0, 2.0, 3.0, 4.0); return t[i % 4u]; }", "value * f(i0)"),
    ("const N = 64; fn f() -> f32 { var t: array<array<f32, N>, 2 * 4>; return t[3][1]; }", "value + f()"),
    ("struct S { a: vec4<f32>, b: array<f32, 100> } fn f() -> S { return S(); }", "value + f().b[99]"),
    ("// größe \u{200e} 長さ\nfn f() -> f32 { /* ü */ return 1.0; }\r\n", "value /* é */ * f() // \u{301}"),
    ("fn f(x: f32) -> f32 { if (x > 1.0) { if (x > 2.0) { if (x < 3.0 && x > 2.5) { return x; } } } return 0.0; }", "value * f(value.x)"),
    ("fn a() -> f32 { return b(); } fn b() -> f32 { return c; } const c = 2.0;", "value * a()"),
    ("", "value * taps[i32(i0) - 3] + taps[7]"),
];

/// The reason, and then as above.
const REFUSED: &[(&str, &str, &str)] = &[
    // Characters that compilers, or people, read in different ways.
    ("U+200E", "\u{200e}fn min(a: u32, b: u32) -> u32 { return 1000000000u; }", "value"),
    ("U+200F", "const x = 1;\u{200f}fn min(a: u32, b: u32) -> u32 { return 1000000000u; }", "value"),
    ("U+200E", "fn f() { for (var i = 0u; i < 8u; i++) { \u{200e}i = 0u; } }", "value"),
    ("U+200F", "fn g(p: ptr<function, u32>) {} fn f() { for (var i = 0u; i < 8u; i++) { g(&\u{200f}i); } }", "value"),
    ("U+0301", "const N\u{301} = 8; fn f() { for (var i = 0; i < N\u{301}; i++) {} }", "value"),
    ("U+FEFF", "\u{feff}fn f() {}", "value"),
    ("U+000D", "// comment\rfn min(a: u32, b: u32) -> u32 { return 9u; }", "value"),
    ("U+000C", "// comment\u{c}fn min(a: u32, b: u32) -> u32 { return 9u; }", "value"),
    ("U+0085", "// comment\u{85}fn min(a: u32, b: u32) -> u32 { return 9u; }", "value"),
    ("U+2028", "// comment\u{2028}fn min(a: u32, b: u32) -> u32 { return 9u; }", "value"),
    ("U+2029", "/* \u{2029} */", "value"),
    ("U+00E9", "", "value * \u{e9}"),
    // The counter changes.
    ("counter", "fn g(p: ptr<function, u32>) { *p = 0u; } fn f() { for (var i = 0u; i < 8u; i++) { g(&(i)); } }", "value"),
    ("counter", "fn f() { for (var i = 0u; i < 8u; i++) { let p = &(i); *p = 0u; } }", "value"),
    ("counter", "fn f() { for (var i = 0u; i < 8u; i++) { let p = &i; let q = p; *q -= 1u; } }", "value"),
    ("counter", "fn f() { for (var i = 0u; i < 8u; i++) { *(&(i)) = 0u; } }", "value"),
    ("counter", "fn f() { for (var i = 0u; i < 8u; i++) { ((i)) = 0u; } }", "value"),
    ("counter", "fn f() { for (var i = 0u; i < 8u; i++) { if (i == 3u) { switch (i) { default: { i--; } } } } }", "value"),
    ("counter", "fn f() { for (var i = 0u; i < 8u; i++) { for (i = 0u; i < 4u; i++) {} } }", "value"),
    ("counter", "fn g(p: ptr<function, u32>) { *p = 0u; } fn f() { for (var i = 0u; i < 8u; g(&i)) {} }", "value"),
    ("count up", "fn f() { var k = 0u; for (var i = 0u; i < 8u; i = k + 1u) { k = 0u; } }", "value"),
    ("count up", "fn f() { var i = 0u; let k = i; for (; i < 8u; i = k + 1u) {} }", "value"),
    ("count up", "fn f() { var i = 0u; let c = i < 8u; for (; c; i++) {} }", "value"),
    ("count up", "fn f() { var i = 0u; let k = i; for (; k < 8u; i++) {} }", "value"),
    ("count up", "fn f() { for (var i = 0u; i != 7u; i += 2u) {} }", "value"),
    ("count up", "fn f() { for (var i = 8u; i >= 0u; i--) {} }", "value"),
    ("count up", "fn f() { for (var i = 0u; ; i++) { if (i > 8u) { break; } } }", "value"),
    ("count up", "fn f() { for (var x = 0.0; x < 8.0; x += 1.0) {} }", "value"),
    ("counter", "fn f() { for (var i = 0u; i < 8u; ) { i++; } }", "value"),
    ("count up", "fn f() { for (var i = 0u; i < 8u && i < 9u; i++) {} }", "value"),
    // The bound is not what it seems.
    ("count up", "const N = 8u; fn f(N: u32) { for (var i = 0u; i < N; i++) {} }", "value"),
    ("count up", "const N = 8u; fn f() { var N = 3u; for (var i = 0u; i < N; i++) { N++; } }", "value"),
    ("count up", "fn g() { const N = 8u; } fn f() { let N = u32(taps[0]); for (var i = 0u; i < N; i++) {} }", "value"),
    ("count up", "fn f(n: u32) -> u32 { var s = 0u; for (var i = 0u; i < n; i++) { s++; } return s; }", "value * f32(f(n0))"),
    ("2147483648", "fn f() { for (var i = 0u; i <= 4294967295u; i++) {} }", "value"),
    ("2147483648", "fn f() { for (var i = 0u; i < 2147483647u; i += 2147483647u) {} }", "value"),
    ("at least 1", "fn f() { for (var i = 0u; i < 8u; i += 0u) {} }", "value"),
    ("at least 1", "fn f() { for (var i = 0; i < 8; i += -1) {} }", "value"),
    // Turns add up.
    ("iterations", "fn f() { for (var i = 0u; i < 65536u; i++) {} for (var i = 0u; i < 65536u; i++) {} }", "value"),
    ("iterations", "fn g() { for (var i = 0u; i < 4096u; i++) {} } fn f() { for (var i = 0u; i < 9u; i++) { g(); g(); } }", "value"),
    ("iterations", "fn g() -> f32 { for (var i = 0u; i < 40000u; i++) {} return 1.0; }", "value * (g() + g())"),
    ("iterations", "const N = 70000; fn g() { const N = 3; } fn f() { for (var i = 0; i < N; i++) {} }", "value"),
    // Types are large.
    ("4096 numbers", "", "value * array<f32, 4000000000>()[3]"),
    ("4096 numbers", "fn f(i: u32) -> f32 { var t = array<f32, 10000>(); return t[i]; }", "value * f(i0)"),
    ("4096 numbers", "const N = 1; fn g() { const N = 4000000000u; var t: array<f32, N>; }", "value"),
    ("4096 numbers", "fn f() { var t: array<f32, (1 << 30)>; }", "value"),
    ("bytes of a value", "fn f(i: u32) -> f32 { var t = array<vec4<f32>, 600>(); return t[i].x; }", "value * f(i0)"),
    ("bytes of variables", "fn f(i: u32) -> f32 { var t = array<f32, 1500>(); var s = t; return t[i] + s[i]; }", "value * f(i0)"),
    (
        "fragment's arrays",
        "fn f(i: u32) -> f32 { var t = array<f32, 2000>(); return t[i]; } fn g(i: u32) -> f32 { return f(i) + f(i) + f(i) + f(i) + f(i) + f(i) + f(i) + f(i) + f(i); }",
        "value * g(i0)",
    ),
    // What would fail when a plan is made.
    ("`&`", "fn f(i: u32) -> f32 { let p = &taps[i]; return *p; }", "value * f(i0)"),
    ("", "fn f(u32: f32) -> f32 { return taps[1] * u32; }", "value * f(2.0)"),
    ("", "fn f() -> f32 { return taps[1.5]; }", "value * f()"),
    ("", "", "value * taps[value.x]"),
    ("", "", "value * taps[true]"),
    ("closes nothing", "", "value) * (value"),
    ("closes nothing", "fn f() -> f32 { return (1.0]; }", "value"),
    ("", "fn function() {} fn g(p: ptr<function, u32>) {}", "value"),
    ("expected", "", ""),
    ("without `;`", "", "value; discard"),
    ("without `}`", "", "value } fn x() {"),
    ("the comment does not end", "", "value /* "),
    ("a `}` is missing", "fn f() {", "value"),
    ("`while` has no bound", "fn f() { while (true) {} }", "value"),
    ("must count up to a constant", "fn f() { loop { break; } }", "value"),
    ("can only be read by `taps[index]`", "", "value * taps"),
    ("can only be read", "fn f(p: ptr<storage, array<f32>>) -> f32 { return (*p)[0]; }", "value * f(&taps)"),
    // What is none of a fragment's business.
    ("`input`", "", "value * input[3]"),
    ("`load`", "", "load(i0)"),
    ("forbidden at this stage", "", "dpdx(value)"),
    ("attributes", "@compute @workgroup_size(1) fn f() {}", "value"),
    ("`enable`", "enable f16;", "value"),
    ("`override`", "override x = 3.0;", "value"),
    ("the name `value`", "fn value() {}", "value"),
    ("reserved", "const wgpu_fft_x = 1;", "value"),
    ("no variables outside", "var<workgroup> w: u32;", "value"),
    ("barrier", "fn f() { workgroupBarrier(); }", "value"),
    ("", "fn f(p: ptr<storage, array<f32>, read_write>) { (*p)[0] = 1.0; }", "value"),
    ("", "fn f(p: ptr<workgroup, f32>) { *p = 1.0; }", "value"),
    ("", "fn f() { taps[0] = 1.0; }", "value"),
    ("", "fn f() -> f32 { return f(); }", "value * f()"),
    ("", "fn f() { output[0] = 1.0; }", "value"),
];

fn why(expression: &str, functions: &str) -> Option<String> {
    let fragment = Fragment::new(expression).functions(functions).array::<f32>("taps", 5);
    let error = C2c::forward(8).map_input::<Complex32>(fragment).err()?;
    assert!(matches!(error, Error::Parse { .. } | Error::LimitExceeded { .. } | Error::Unsupported { .. }), "{error:?}");
    Some(error.to_string())
}

#[test]
fn what_fooled_the_checks_is_refused_with_a_reason() {
    for (reason, functions, expression) in REFUSED {
        let Some(error) = why(expression, functions) else { panic!("accepted: `{expression}` of\n{functions}") };
        assert!(error.contains(reason), "`{expression}` of\n{functions}\nexpected {reason}: {error}");
    }
}

#[test]
fn what_looks_alike_is_accepted_and_holds() {
    for (functions, expression) in ACCEPTED {
        let error = why(expression, functions);
        assert!(error.is_none(), "`{expression}` of\n{functions}\n{}", error.unwrap_or_default());
        // The value is kept, so that the result must be that of the plain transform.
        let kept = format!("{functions}\nfn keep(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {{ return a; }}");
        assert_eq!(holds(&format!("keep(value, {expression}\n)"), &kept), Ok(true), "`{expression}` of\n{functions}");
    }
}

/// Texts that double, or nest, as deep as their limits allow: no abort, no wait, no gigabytes. The
/// stack is that of a thread, of which an unoptimised compiler would need several times as much.
#[test]
fn sizes_and_depths_end_in_errors() {
    let chain = |n: usize, item: &dyn Fn(usize) -> String| (1..=n).map(item).collect::<String>();
    let structs = format!("struct S0 {{ a: f32 }}\n{}", chain(40, &|i| format!("struct S{i} {{ a: S{0}, b: S{0} }}\n", i - 1)));
    let aliases = format!("alias A0 = f32;\n{}", chain(40, &|i| format!("alias A{i} = array<A{}, 2>;\n", i - 1)));
    let consts = format!("const c0 = array(1.0, 2.0);\n{}", chain(40, &|i| format!("const c{i} = array(c{0}, c{0});\n", i - 1)));
    let lets = format!(
        "fn f() -> f32 {{ let c0 = array(1.0, 2.0);\n{}return 1.0; }}",
        chain(40, &|i| format!("let c{i} = array(c{0}, c{0});\n", i - 1))
    );
    for (functions, expression) in [
        (structs.as_str(), "value * S40().a.a.a.b.a"),
        (&structs, "value * (S40() + 1.0)"),
        (&aliases, "value * A40()[0][1]"),
        (&consts, "value * (c40 + 1.0)"),
        (&lets, "value * f()"),
    ] {
        assert!(why(expression, functions).is_some(), "{functions}");
    }
    let nested = |open: &str, n: usize, close: &str| format!("fn f(x: f32, i: u32) {{ {}{} }}", open.repeat(n), close.repeat(n));
    let elses = |n: usize| format!("fn f(x: f32) {{ if (x > 0.0) {{}} {} }}", "else if (x > 1.0) {} ".repeat(n));
    for (text, fits) in [
        (elses(64), true),
        (elses(65), false),
        (nested("if (x > 1.0) { ", 31, "}"), true),
        (nested("if (x > 1.0) { ", 100, "}"), false),
        (nested("for (var i = 0u; i < 1u; i++) { ", 30, "}"), true),
        (format!("fn f(b: bool) -> bool {{ return {}b; }}", "!".repeat(490)), true),
        (format!("fn f(b: f32) -> f32 {{ return b{}; }}", " + b".repeat(250)), true),
        (format!("fn f(b: bool) -> bool {{ return {}b; }}", "!".repeat(600)), false),
    ] {
        let error = why("value", &text);
        assert_eq!(error.is_none(), fits, "{}: {error:?}", &text[..60]);
    }
}

/// Operators of reductions go through the same.
#[test]
fn operators_are_refused_for_the_same_reasons() {
    for (expression, reason) in [
        ("a + b\u{200e}", "U+200E"),
        ("a + array<f32, 4000000000>()[3]", "4096 numbers"),
        ("a + array<vec4<f32>, 600>()[u32(b)].x", "bytes of a value"),
        ("a) + (b", "closes nothing"),
        ("a + b\rfoo", "U+000D"),
    ] {
        let error = reduce::custom::<f32>(1, expression, 0.0).unwrap_err().to_string();
        assert!(error.contains(reason), "{expression}: {error}");
    }
    let deep = format!("select(a, b, {}true)", "!".repeat(490));
    assert!(reduce::custom::<f32>(1, &deep, 0.0).is_ok());
}

/// One fragment on both sides, with functions, a structure, an array and a uniform.
#[test]
fn the_same_functions_may_be_on_both_sides() {
    let fragment = || {
        Fragment::new("value * weight(i0)")
            .functions("struct S { gain: vec4<f32> }\nconst N = 3u;\nfn weight(i: u32) -> f32 { return taps[i % N] * settings.gain.x; }")
            .array::<f32>("taps", 5)
            .uniform::<[f32; 4]>("settings", "S")
    };
    for (text, input, output) in [
        ("c2c fwd 6x10", "complex f32", "complex f32"),
        ("c2c inv 8", "complex f32", "complex f32"),
        ("c2c fwd 4096", "complex f32", "complex f32"),
        ("r2c fwd 8x12", "f32", "complex f32"),
        ("c2r inv 8", "complex f32", "f32"),
        ("sum f32 100x3 axes=0", "f32", "f32"),
        ("sum f32 100x3", "f32", "f32"),
        ("transpose f32 5x7", "f32", "f32"),
        ("permute complex f32 3x4x5 order=2,0,1", "complex f32", "complex f32"),
    ] {
        let spec: AnySpec = text.parse().unwrap();
        let element = |name: &str| name.parse::<ElementType>().unwrap();
        let mapped = spec.map_input(fragment(), element(input)).and_then(|spec| spec.map_output(fragment(), element(output)));
        let mapped = mapped.unwrap_or_else(|error| panic!("{text}: {error}"));
        is_valid(&mapped.lower(None, &DeviceProfile::webgpu_defaults()).unwrap_or_else(|error| panic!("{text}: {error}")));
    }
    let lowered = |spec: &dyn Fn(&DeviceProfile) -> Result<Program, Error>| is_valid(&spec(&DeviceProfile::webgpu_defaults()).unwrap());
    let zoom: Zoom<f32> = "zoom f32 100 to 20 in 0.1..0.2".parse().unwrap();
    let zoom = zoom.map_input::<f32>(fragment()).unwrap().map_output::<Complex32>(fragment()).unwrap();
    lowered(&|profile| zoom.lower(&zoom.design(profile)?, profile));
    for text in ["frequencies f32 100 bins 3,17", "frequencies f32 8x8 bins 0,1,2,3,4,5,6,7 axis=0"] {
        let spec: Frequencies<f32> = text.parse().unwrap();
        let spec = spec.map_input::<f32>(fragment()).unwrap().map_output::<Complex32>(fragment()).unwrap();
        lowered(&|profile| spec.lower(&spec.design(profile)?, profile));
    }
    for text in ["resample f32 12 to 20", "resample f32 12x10 to 20x6"] {
        let resample: Resample<f32> = text.parse().unwrap();
        let resample = resample.map_input::<f32>(fragment()).unwrap().map_output::<f32>(fragment()).unwrap();
        lowered(&|profile| resample.lower(&resample.design(profile)?, profile));
    }
    for shape in [vec![60], vec![8, 12]] {
        let filter = SpectralFilter::complex(shape.as_slice(), fragment()).unwrap();
        let filter = filter.map_input::<Complex32>(fragment()).unwrap().map_output::<Complex32>(fragment()).unwrap();
        lowered(&|profile| filter.lower(&filter.design(profile)?, profile));
    }
}

fn is_valid(program: &Program) {
    for wgsl in program.wgsl() {
        assert!(validators::naga(&wgsl).is_ok(), "{program}: {:?}\n{wgsl}", validators::naga(&wgsl).err());
    }
}
