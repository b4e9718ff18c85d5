//! Transforms in shaders of one's own: the texts, under both validators and all checks.

use wgpu_fft::Error;
use wgpu_fft::fft::Inline;
use wgsl_sanitizer::{Binding, Buffer, Config, Memory, Shader};

use crate::inlines::{CASES, Case, strangers};
use crate::validators::{self, Tint};

/// Runs a text in an order that a seed gives.
fn run(wgsl: &str, arrays: &[&[u8]], groups: u32, seed: u64) -> Vec<u8> {
    let kernel = Shader::new(wgsl).and_then(|own| own.entry("main")?.compile()).unwrap_or_else(|error| panic!("{error}\n{wgsl}"));
    let mut memory = Memory::new();
    let buffers: Vec<_> = arrays.iter().map(|data| memory.add(Buffer::from_slice(data))).collect();
    let bindings: Vec<_> = buffers.iter().zip(0..).map(|(&buffer, binding)| Binding::whole(0, binding, buffer)).collect();
    // As in `sanitized.rs`: what is stored comes through workgroup memory after all loads, or is the same
    // invocation's.
    let config = Config { seed, later_writes_race: false, ..Config::default() };
    let report = kernel.dispatch([groups, 1, 1], &mut memory, &bindings, &config).unwrap_or_else(|error| panic!("{error}\n{wgsl}"));
    assert!(report.is_clean(), "{report}\n{wgsl}");
    memory[buffers[0]].bytes()
}

#[test]
fn transforms_inside_other_shaders_are_right() {
    for (case, seed) in CASES.iter().zip(0..) {
        case.check(&|wgsl, arrays, groups| run(wgsl, arrays, groups, seed));
    }
}

#[test]
fn shaders_of_strangers_are_right() {
    for own in strangers() {
        for seed in [0, 1] {
            own.check(&|wgsl, arrays, groups| run(wgsl, arrays, groups, seed));
        }
    }
}

/// Lengths, lines and invocations at random: what is refused says why, and everything else is right.
#[test]
fn drawn_transforms_are_right_or_refused() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut right = 0;
    for _ in 0..60 {
        let smooth = (0..rng.usize(1..6)).map(|_| [2, 2, 3, 4, 5, 7, 8, 11, 13, 31][rng.usize(0..10)]).product::<usize>().min(4000);
        let case = Case {
            n: if rng.u8(0..8) == 0 { rng.usize(0..500) } else { smooth },
            lines: rng.u32(1..5),
            invocations: rng.bool().then(|| rng.u32(0..40)),
            is_real: rng.bool(),
            is_f64: rng.u8(0..4) == 0,
            binds: rng.bool(),
            has_data: rng.bool(),
        };
        match case.inline().generate() {
            Ok(_) => {
                case.check(&|wgsl, arrays, groups| run(wgsl, arrays, groups, seed));
                right += 1;
            }
            Err(Error::Empty { .. } | Error::Unsupported { .. }) => {}
            Err(other) => panic!("{case:?}: {other}"),
        }
    }
    assert!(right >= 10, "{right}");
}

#[test]
fn both_validators_accept_them() {
    let mut tint = Tint::default();
    let own = CASES.iter().flat_map(|case| case.texts().map(|text| (format!("{case:?}"), text)));
    for (name, text) in own.chain(strangers().map(|own| (own.name.to_owned(), own.wgsl))) {
        validators::naga(&text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        if validators::known_to_tint(&text) {
            tint.add(&name, &text);
        }
    }
    tint.accepts("transforms inside other shaders");
}

/// Two texts in one shader do not meet.
#[test]
fn names_keep_texts_apart() {
    let [rows, columns] = [(64, "rows"), (48, "columns")].map(|(n, name)| Inline::new(n).name(name).generate().unwrap());
    validators::naga(&format!("{}\n{}", rows.wgsl, columns.wgsl)).unwrap();
}

#[test]
fn refusals_say_why() {
    let refused = [
        (Inline::new(0), "every extent"),
        (Inline::new(37), "the prime factor 37"),
        (Inline::new(9).real(), "must be even"),
        (Inline::new(64).lines(0), "at least 1"),
        (Inline::new(1024).invocations(1000), "cannot be shared by 1000 invocations, but by 16 or some more"),
        (Inline::new(1024).lines(300), "300 such lines more than the 256"),
        (Inline::new(1 << 16), "takes 1024 invocations at least"),
        (Inline::new(1 << 14).invocations(512).lines(2), "bytes of workgroup memory"),
        (Inline::new(1 << 24), "no room"),
        (Inline::new(64).name("two words"), "is not a name"),
        (Inline::new(64).name("_fft"), "is not a name"),
        (Inline::new(64).name("a__b"), "is not a name"),
        (Inline::new(64).name(""), "is not a name"),
    ];
    for (own, why) in refused {
        let error = own.generate().unwrap_err().to_string();
        assert!(error.contains(why), "{own:?}: {error}");
    }
}
