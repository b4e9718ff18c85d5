//! Runs every text that a recipe reaches under all checks. No index leaves its array, nothing is
//! read before it is written, and no two invocations conflict without a barrier between them. Each
//! text of every second program runs in two orders of workgroups and invocations, and with subgroups
//! of three sizes; with `WGPU_FFT_THOROUGH=1` each text in four orders and with subgroups of all sizes up
//! to 128. `src/gpu/unchecked.rs` relies on this.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hasher};
use std::io::Write;

use wgpu_fft::Program;
use wgpu_fft::low_level::{self, Dispatch, Slot};
use wgpu_fft::plan::Placement;
use wgpu_fft::reduce;
use wgpu_fft::{DeviceProfile, Fragment, Spec};

use crate::absent;
use crate::cores::on_all_cores;
use crate::lists::share;
use crate::sanitized::run_with;
use crate::variants::{PROGRAMS, profiles, programs};

/// The most bytes of an array in this test. More rows of the same kind would not test anything
/// else.
const MAX_BYTES: u64 = 1 << 18;

/// Bits of numbers near one, for every element size, so that all results are finite.
fn numbers(program: &Program) -> Vec<u8> {
    near_one(program.inputs()[0].len * program.inputs()[0].element_bytes)
}

fn near_one(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| if i % 4 == 3 { 0x3f } else { (i as u32).wrapping_mul(0x9e37_79b1).to_be_bytes()[0] }).collect()
}

/// A program's title with a hash of its output.
fn check(program: &Program) -> String {
    let data = numbers(program);
    macro_rules! as_type {
        ($($bytes:literal: $type:ty),*) => {
            match (program.inputs()[0].element_bytes, program.output().element_bytes) {
                $(($bytes, 1) => outputs::<$type, u8>(program, &data),
                ($bytes, 2) => outputs::<$type, u16>(program, &data),
                ($bytes, 4) => outputs::<$type, u32>(program, &data),
                ($bytes, 8) => outputs::<$type, [u32; 2]>(program, &data),
                ($bytes, 16) => outputs::<$type, [u32; 4]>(program, &data),)*
                other => panic!("{program}: elements of {other:?} bytes"),
            }
        };
    }
    as_type!(1: u8, 2: u16, 3: [u8; 3], 4: u32, 8: [u32; 2], 16: [u32; 4])
}

/// Runs a program in several orders and with subgroups of several sizes. The order never changes a
/// bit; even atomics join parts in the order of the parts.
fn outputs<I: wgpu_fft::Element, O: wgpu_fft::Element>(program: &Program, data: &[u8]) -> String {
    let input: Vec<I> = bytemuck::pod_collect_to_vec(data);
    let inputs: Vec<&[I]> = vec![&input; program.inputs().len()];
    let declared: Vec<(&str, Vec<u8>)> = low_level::declared(program)
        .enumerate()
        .map(|(i, name)| (name, near_one(low_level::bytes(program, Slot::Declared(i)) as usize)))
        .collect();
    let declared: Vec<(&str, &[u8])> = declared.iter().map(|(name, data)| (*name, &data[..])).collect();
    let run = |seed, subgroups| -> Vec<O> { run_with(program, &inputs, &declared, seed, subgroups) };
    let first = run(0, 1);
    let exchanges = program.wgsl().any(|text| text.contains("subgroupShuffle"));
    let larger: &[(u64, u32)] = if exchanges { &[(4, 32), (5, 16), (6, 8)] } else { &[] };
    for &(seed, subgroups) in share([(3, 4), (2, 2), (1, 1)].iter().chain(larger), 3, 0) {
        let other = run(seed, subgroups);
        assert!(
            bytemuck::cast_slice::<_, u8>(&first) == bytemuck::cast_slice::<_, u8>(&other),
            "seed {seed}, subgroups x {subgroups}: {program}"
        );
    }
    let mut hasher = DefaultHasher::new();
    hasher.write(bytemuck::cast_slice(&first));
    format!("{:016x} {}", hasher.finish(), program.title())
}

/// With `WGPU_FFT_BITS=file`, it runs every program, and adds a line to that file for each. Two
/// states of the crate can be compared by these lines.
#[test]
fn every_text_is_clean_in_every_order() {
    let bits = std::env::var_os("WGPU_FFT_BITS");
    let mut seen = HashSet::new();
    let mut texts = 0;
    let is_taken = |program: &&Program| {
        let arrays = [program.inputs()[0], program.output()];
        if arrays.iter().chain(low_level::workspaces(program)).any(|array| array.bytes() > MAX_BYTES) {
            return false;
        }
        let fresh = low_level::dispatches(program).iter().filter(|own| seen.insert((own.wgsl(), own.overrides.clone()))).count();
        texts += fresh;
        fresh > 0 || bits.is_some()
    };
    let programs: Vec<&Program> = PROGRAMS.iter().filter(is_taken).collect();
    println!("{texts} texts in {} programs", programs.len());
    assert!(texts > 400, "{texts}");
    let programs: Vec<&Program> = share(programs, if bits.is_some() { 1 } else { 2 }, 0).collect();
    let lines = on_all_cores(programs.len(), |i| check(programs[i]));
    if let Some(path) = bits {
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        file.write_all((lines.join("\n") + "\n").as_bytes()).unwrap();
    }
}

/// The same for what the rules choose for GPUs that are not here.
#[test]
fn texts_of_devices_that_are_not_here_are_clean() {
    let key = |dispatch: &Dispatch| (dispatch.wgsl(), dispatch.overrides.clone());
    let mut seen: HashSet<_> = PROGRAMS.iter().flat_map(low_level::dispatches).map(key).collect();
    let mut all = Vec::new();
    for profile in share(absent::names(), 7, 1).filter_map(|name| absent::profile(&name)) {
        let small = programs(&profile).into_iter().filter(|program| {
            let arrays = [program.inputs()[0], program.output()];
            arrays.iter().chain(low_level::workspaces(program)).all(|array| array.bytes() <= MAX_BYTES)
        });
        // All are inserted.
        all.extend(small.filter(|program| low_level::dispatches(program).iter().filter(|own| seen.insert(key(own))).count() > 0));
    }
    println!("{} programs with texts of their own", all.len());
    assert!(all.len() > 50, "{}", all.len());
    let all: Vec<&Program> = share(&all, 4, 0).collect();
    on_all_cores(all.len(), |i| check(all[i]));
}

#[test]
fn callers_operators_are_clean() {
    let profile = &profiles()[0];
    for shape in [[1, 1000], [30, 64], [64, 30]] {
        for axes in [&[0][..], &[1], &[0, 1]] {
            let distance = Fragment::new("abs(value - 0.5) * f32(i0 + i1)");
            let largest = reduce::custom::<f32>(shape, "max(a, b)", 0.0).unwrap();
            let spec = largest.axes(axes).map_input::<f32>(distance).unwrap();
            check(&spec.lower(&spec.design(profile).unwrap(), profile).unwrap());
        }
    }
}

/// This shows that the test can fail: an array that is one element short is read beyond its end.
#[test]
#[should_panic(expected = "out of bounds")]
fn an_index_past_the_end_is_seen() {
    let profile = DeviceProfile::webgpu_defaults();
    let spec = wgpu_fft::fft::C2c::forward(64).batch(4);
    let mut program = spec.lower(&spec.design(&profile).unwrap(), &profile).unwrap();
    assert_eq!(program.placement(), Placement::OutOfPlace);
    let bytes = program.inputs()[0].bytes() - 8;
    for bind in
        low_level::dispatches_mut(&mut program).iter_mut().flat_map(|dispatch| &mut dispatch.binds).filter(|bind| bind.name == "input")
    {
        bind.range = Some((0, bytes));
    }
    check(&program);
}
