//! Operators of the caller's for reductions, as expressions in WGSL.

use wgpu_fft::{Complex32, Error, half, reduce};

#[test]
fn expressions_of_the_right_type_are_taken() {
    assert!(reduce::custom::<f32>(1, "a + b", 0.0).is_ok());
    assert!(reduce::custom::<i32>(1, "a ^ b", 0).is_ok());
    assert!(reduce::custom::<Complex32>(1, "vec2<f32>(a.x + b.x, max(a.y, b.y))", Complex32::ZERO).is_ok());
    assert!(reduce::custom::<half::f16>(1, "min(a, b)", f32::INFINITY).is_ok());
}

#[test]
fn others_are_refused_with_a_reason() {
    for (expression, why) in [
        ("", "expected"),
        ("a +", "expected"),
        ("a + c", "`c`"),
        ("a < b", "type"),
        ("u32(a)", "type"),
        ("a + b; discard", "without `;`"),
        ("a } fn other() { b", "without `{`"),
        ("a // + b", "without `//`"),
        ("load(1, 2)", "load"),
        ("combine(a, b)", "combine"),
        ("wgpu_fft_caller()", "wgpu_fft_caller"),
    ] {
        let error = reduce::custom::<f32>(1, expression, 0.0).unwrap_err();
        assert!(matches!(error, Error::Parse { .. }) && error.to_string().contains(why), "{expression}: {error}");
    }
    assert!(matches!(reduce::custom::<f64>(1, "a + b", 0.0), Err(Error::Unsupported { .. })));
}

/// A shader that computes cannot call them.
#[test]
fn what_only_fragment_shaders_may_call_is_refused() {
    for function in ["dpdx", "dpdy", "fwidth", "dpdxCoarse", "dpdyFine", "fwidthCoarse"] {
        let error = reduce::custom::<f32>(1, &format!("{function}(a) + b"), 0.0).unwrap_err();
        assert!(matches!(error, Error::Parse { .. }), "{function}: {error}");
    }
}

/// Expressions that are deep in every possible way, with `n` levels or more.
fn deep(n: usize) -> Vec<String> {
    vec![
        format!("a{}", " + b".repeat(n)),
        format!("a{}", "+b".repeat(n)),
        format!("{}a{}", "(".repeat(n), ")".repeat(n)),
        format!("{}a", "- ".repeat(n)),
        format!("{}a{}", "-(".repeat(n), ")".repeat(n)),
        format!("{}a{}", "abs(".repeat(n), ")".repeat(n)),
        format!("{}a{}", "a + (".repeat(n), ")".repeat(n)),
        format!("vec2<f32>(a, b){}.x", ".xy".repeat(n)),
        format!("{}a{}", "array<f32, 1>(".repeat(n), ")[0]".repeat(n)),
        format!("{}f32{}(a)", "array<".repeat(n), ", 1>".repeat(n)),
        format!("vec2<f32>(a, b){}", "[0]".repeat(n)),
        format!("select(a, b, a < b{})", " && a < b".repeat(n)),
        format!("{}a", "!".repeat(n)),
    ]
}

/// Threads have 2 MiB of stack by default, and some programs start threads with less.
#[test]
fn long_and_deep_expressions_are_refused_before_a_compiler_sees_them() {
    for text in deep(5000).into_iter().chain(deep(600)) {
        let error = reduce::custom::<f32>(1, &text, 0.0).unwrap_err();
        assert!(matches!(error, Error::LimitExceeded { .. }), "{}: {error}", &text[..40]);
    }
    let long = "a + b".to_owned() + &" ".repeat(4096);
    assert!(matches!(reduce::custom::<f32>(1, &long, 0.0), Err(Error::LimitExceeded { limit: "bytes of an operator", .. })));
    // Everything within the limits is safe on a quarter of a thread's usual stack.
    let within = || {
        let most = 512;
        let sum = format!("a{}", " + b".repeat(most / 2 - 1));
        assert!(reduce::custom::<f32>(1, &sum, 0.0).is_ok(), "a sum of {} terms", most / 2);
        for n in [31, 100, 200, 255, most - 2] {
            // Whether the text is valid or not, the process survives.
            deep(n).iter().for_each(|text| drop(reduce::custom::<f32>(1, text, 0.0)));
        }
    };
    std::thread::Builder::new().stack_size(512 << 10).spawn(within).unwrap().join().unwrap();
}
