//! Fragments that are accepted, and others that are refused with a reason. More are in
//! `tests/host/fragment_corpus.rs`.

use super::argument::Argument;
use super::check::MAX_BYTES;
use super::{Checked, Form, Fragment, Side};
use crate::Complex32;
use crate::error::{Error, Result};
use crate::wgsl;

const SIDE: Side = Side { name: "input", rank: 2, spectrum: false, array: Form::REAL, inner: Form::COMPLEX, loads: true };

fn check(fragment: Fragment) -> Result<Checked> {
    Checked::new(fragment, "f32", SIDE)
}

fn why(fragment: Fragment) -> String {
    check(fragment).unwrap_err().to_string()
}

#[test]
fn fragments_of_the_right_type_are_taken() {
    let fine = |expression: &str| check(Fragment::new(expression)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(fine("vec2(value, 0.0)").arguments, [Argument::Value]);
    assert_eq!(fine("vec2(f32(i1 + n0 * batch), value) /* k0 */").arguments.len(), 4);
    let looped = Fragment::new("vec2(f(value), 0.0)").functions(
        "const N: u32 = 4u;\n\
         fn f(x: f32) -> f32 {\n    var sum = 0.0;\n    for (var i = 0u; i < N; i++) {\n        for (var j: i32 = 0; j <= 7; j += 2) {\n            if (i == 3u && j != 2) { sum += x * f32(i); }\n        }\n    }\n    return sum;\n}",
    );
    assert!(!check(looped).unwrap().indexes_memory);
    let table = Fragment::new("vec2(f(i0) * value, 0.0)")
        .functions("fn f(i: u32) -> f32 {\n    var table = array<f32, 4>(1.0, 2.0, 3.0, 4.0);\n    return table[i % 4u];\n}");
    assert!(check(table).unwrap().indexes_memory);
    let array = Fragment::new("vec2(taps[i0], taps[taps_2[3]])").array::<f32>("taps", 4).array::<u32>("taps_2", 4);
    assert!(!check(array).unwrap().indexes_memory);
}

#[test]
fn errors_name_the_callers_line_and_column() {
    assert!(
        why(Fragment::new("vec2(value, gain)")).contains(
            "line 1, column 13: no definition in scope for identifier: `gain`: unknown identifier\n    vec2(value, gain)\n                ^"
        ),
        "{}",
        why(Fragment::new("vec2(value, gain)"))
    );
    let functions = "fn f(x: f32) -> f32 {\n    return x +;\n}";
    assert!(
        why(Fragment::new("vec2(f(value), 0.0)").functions(functions)).contains("line 2, column"),
        "{}",
        why(Fragment::new("vec2(f(value), 0.0)").functions(functions))
    );
    let two_lines = "vec2(value,\n     true)";
    assert!(why(Fragment::new(two_lines)).contains("line "), "{}", why(Fragment::new(two_lines)));
    let wrong_type = why(Fragment::new("value"));
    assert!(wrong_type.contains("line 1") && wrong_type.contains("vec2<f32>"), "{wrong_type}");
    assert!(why(Fragment::new("vec2(value, f32(k0))")).contains("`k0`"), "positions have no frequency");
}

#[test]
fn arrays_and_sizes_are_refused_with_a_reason() {
    let own = || Fragment::new("vec2(value, 0.0)");
    for (fragment, reason) in [
        (own().array::<f32>("i0", 3), "`i0`"),
        (own().array::<f32>("a b", 3), "letters, digits"),
        (own().array::<f32>("a", 3).uniform::<f32>("a", "f32"), "declared twice"),
        (own().array::<f32>("a", 0), "at least 1"),
        (Fragment::new("vec2(value, s)").uniform::<Complex32>("s", "f32"), "`f32` has 4 bytes in WGSL, but complex f32 has 8"),
    ] {
        let text = why(fragment.clone());
        assert!(text.contains(reason), "{fragment}: {text}");
    }
    let deep = format!("vec2({}value{}, 0.0)", "(".repeat(100), ")".repeat(100));
    assert!(matches!(check(Fragment::new(deep)), Err(Error::LimitExceeded { .. })));
    let long = format!("vec2(value{}, 0.0)", " + value".repeat(1000));
    assert!(matches!(check(Fragment::new(long)), Err(Error::LimitExceeded { .. })));
}

/// Found by fuzzing: a width of a format must be less than 65,536.
#[test]
fn errors_of_long_lines_show_a_part() {
    let functions = format!("fn f() {{{}", " ".repeat(MAX_BYTES - 8));
    let error = why(Fragment::new("vec2(value, 0.0)").functions(functions));
    assert!(error.contains("line 1, column 65537: a `}` is missing"), "{}", &error[error.len() - 300..]);
    assert!(error.ends_with(&format!("\n    {}^", " ".repeat(99))), "{}", &error[error.len() - 300..]);
}

#[test]
fn functions_that_call_too_much_are_refused() {
    let doubling = |functions: usize| {
        let first = "fn g0(x: f32) -> f32 { return x; }\n".to_owned();
        let rest = (1..functions).map(|i| format!("fn g{i}(x: f32) -> f32 {{ return g{0}(x) + g{0}(x); }}\n", i - 1));
        let text: String = std::iter::once(first).chain(rest).collect();
        check(Fragment::new(format!("vec2(g{}(value), 0.0)", functions - 1)).functions(text))
    };
    assert!(doubling(8).is_ok());
    assert!(matches!(doubling(40), Err(Error::LimitExceeded { limit: "calls of a fragment", .. })));
    let nested = |inner: u32, outer: u32| {
        let text = format!(
            "fn g(x: f32) -> f32 {{ var s = 0.0; for (var i = 0u; i < {outer}u; i++) {{ s += f(x); }} return s; }}\n\
             fn f(x: f32) -> f32 {{ var s = 0.0; for (var i = 0u; i < {inner}u; i++) {{ s += x; }} return s; }}"
        );
        check(Fragment::new("vec2(g(value), 0.0)").functions(text))
    };
    assert!(nested(256, 256).is_ok());
    assert!(matches!(nested(256, 257), Err(Error::LimitExceeded { required: 65_792, .. })));
}

#[test]
fn types_of_uniforms_are_types() {
    let of = |ty: &str| check(Fragment::new("vec2(value, 0.0)").uniform::<[f32; 4]>("own", ty)).map(drop);
    assert_eq!([of("vec4<f32>"), of("vec4f"), of("array<vec4<f32>, 1>")], [Ok(()), Ok(()), Ok(())]);
    for (ty, reason) in [
        ("vec4<f32>;\n@group(0) @binding(9) var<storage, read_write> more: array<u32>", "`;` has no place in a type"),
        ("", "the name of a type"),
        ("vec4<f32> /*", "the comment does not end"),
        ("vec4<f32> = vec4()", "`=` has no place in a type"),
        ("wgpu_fft_x", "`wgpu_fft_x` has no place"),
    ] {
        let error = of(ty).unwrap_err().to_string();
        assert!(error.contains(reason), "{ty}: {error}");
    }
    // Enough to overflow the stack of a compiler.
    assert!(matches!(of(&"array<".repeat(100)), Err(Error::LimitExceeded { .. })));
    assert!(matches!(of(&"array<".repeat(10_000)), Err(Error::LimitExceeded { .. })));
}

/// Names of ours and of the caller in one kernel must differ, whatever the caller's are.
#[test]
fn no_name_of_a_caller_is_one_of_ours() {
    let fragment = Fragment::new("vec2(map(value) + x[0] + data_x + of_x(), 0.0)")
        .functions("fn map(a: f32) -> f32 { return a; }\nfn of_x() -> f32 { return 1.0; }\nfn map_input() {}\nfn data_input_x() {}")
        .array::<f32>("x", 3)
        .uniform::<f32>("data_x", "f32");
    let mut module = wgsl::Module::default();
    check(fragment).unwrap().write(&mut module, 70);
    let text = module.finish();
    assert!(naga::front::wgsl::parse_str(&text).is_ok(), "{text}");
}

/// Whatever a caller calls things, they are the caller's.
#[test]
fn names_are_kept_apart() {
    let fragment = Fragment::new("vec2(min(value, store.load) * taps[u32(roots)], 0.0)")
        .functions("struct load { load: f32, x: f32 }\nalias real = f32;\nconst roots: real = 1.0;\nfn min(a: real, b: f32) -> f32 { let store = a; return store + b; }")
        .array::<f32>("taps", 3)
        .uniform::<[f32; 2]>("store", "load");
    let checked = check(fragment).unwrap();
    let mut module = wgsl::Module::default();
    checked.write(&mut module, 70);
    let text = module.finish();
    for part in [
        "var<uniform> wgpu_fft_input_store: wgpu_fft_input_load;",
        "struct wgpu_fft_input_load { load: f32, x: f32 }",
        "fn wgpu_fft_input_min(a: wgpu_fft_input_real, b: f32) -> f32 { let wgpu_fft_input_store = a; return wgpu_fft_input_store + b; }",
        "wgpu_fft_input_taps(u32(u32(wgpu_fft_input_roots)))",
        "wgpu_fft_input_store.load",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    assert!(naga::front::wgsl::parse_str(&text).is_ok(), "{text}");
}
