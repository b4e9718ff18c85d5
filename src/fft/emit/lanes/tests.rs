use wgsl_sanitizer::{Binding, Buffer, Config, Memory, Shader};

use crate::fft::emit::lanes::*;
use crate::fft::roots::{Constant, Constants, root};
use crate::kernels::fft::lanes::{Params, Workgroup, dispatch};
use crate::kernels::{Form, Generated};

const U64X4: Access = Access { width: 4, int64: true };
const U64X2: Access = Access { width: 2, int64: true };
const U64X1: Access = Access { width: 1, int64: true };
const F32X4: Access = Access { width: 2, int64: false };
const F32X2: Access = Access { width: 1, int64: false };

fn number(i: usize) -> [f32; 2] {
    let bits = (i as u32).wrapping_mul(2_654_435_761);
    [(bits >> 16) as f32 / 65536.0 - 0.5, (bits & 0xffff) as f32 / 65536.0 - 0.5]
}

/// Runs all lines of `pass` under wgsl-sanitizer, which finds nothing.
fn run(pass: &Lanes, input: &[[f32; 2]], output_len: usize) -> Vec<[f32; 2]> {
    assert_eq!(pass.unfit(), None);
    let twiddle = pass.turn.map(|turn| Constant::Twiddle(turn.n));
    let constants = Constants::new(NUMBER, std::iter::once(Constant::Line(pass.n())).chain(twiddle));
    let table = constants.table().words();
    let generated = Generated { text: wgsl(pass, false, &constants).into(), form: Form::Pass(pass.factors.to_vec()) };
    let workgroup = Workgroup { invocations: pass.invocations, lanes: pass.lanes, bytes: pass.workgroup_bytes() };
    let params = Params { lines: pass.lines(), scale: 1.0 };
    let dispatch = dispatch(String::new(), params, workgroup, generated, 65535, Vec::new()).unwrap();
    let kernel = Shader::new(&dispatch.wgsl()).unwrap().entry("main").unwrap().compile().unwrap();

    let mut memory = Memory::new();
    let output = memory.add(Buffer::from_slice(&vec![[f32::NAN; 2]; output_len]));
    let others =
        [memory.add(Buffer::from_slice(&dispatch.params)), memory.add(Buffer::from_slice(input)), memory.add(Buffer::from_slice(&table))];
    let [params, input, table] = others;
    let bindings = [(0, params), (1, input), (2, output), (3, table)].map(|(binding, buffer)| Binding::whole(0, binding, buffer));
    let config = Config { subgroup_size: SUBGROUP, ..Config::default() };
    let report = kernel.dispatch([dispatch.grid.x, dispatch.grid.y, 1], &mut memory, &bindings, &config).unwrap();
    assert!(report.findings().is_empty(), "{report}\n{pass:?}\n{}", dispatch.wgsl());
    memory[output].to_vec()
}

/// Runs all lines of `pass` in every form, and compares with sums in f64. Lines in several lanes
/// also in loops.
fn check(pass: &Lanes, input_len: usize, output_len: usize) {
    if pass.lanes > 1 && !pass.loops {
        check(&Lanes { loops: true, ..pass.clone() }, input_len, output_len);
    }
    let input: Vec<[f32; 2]> = (0..input_len).map(number).collect();
    let output = run(pass, &input, output_len);
    let access = Access { int64: false, ..pass.access };
    // Room for one exchange, for some, for all.
    for (invocations, room) in [(8, 1), (24, 3), (16, 1000)] {
        let available = 8 * pass.lanes * invocations * room;
        let other = Lanes { access, invocations, memory: Some(available), ..pass.clone() };
        assert!(other.workgroup_bytes() <= available.into());
        let bits = |output: Vec<[f32; 2]>| output.into_iter().map(|z| z.map(f32::to_bits)).collect::<Vec<_>>();
        assert!(bits(run(&other, &input, output_len)) == bits(output.clone()), "{other:?}");
    }
    let (n, [along, across]) = (pass.n() as usize, pass.spread());
    let width = pass.access.width as usize;
    let (mut error, mut norm, mut compared) = (0.0, 0.0, 0);
    for line in 0..pass.lines() {
        let mut rest = line;
        let (mut from, mut to, mut m) = (pass.offsets[0] as usize, pass.offsets[1] as usize, 0);
        for digit in &pass.digits {
            let d = rest % digit.extent;
            rest /= digit.extent;
            (from, to, m) = (from + (d * digit.input) as usize, to + (d * digit.output) as usize, m + d * digit.weight);
        }
        for a in 0..across {
            let place = |first: usize, stride: u32, i: usize| {
                if along > 1 { first * width + i } else { (first + i * stride as usize) * width + a as usize }
            };
            for k in 0..n {
                let (mut re, mut im) = (0.0, 0.0);
                for j in 0..n {
                    let [x, y] = input[place(from, pass.strides[0], j)].map(f64::from);
                    let (x, y) = if pass.swap[0] { (y, x) } else { (x, y) };
                    let w = root((j * k) as u64, n as u64);
                    re += x * w.re - y * w.im;
                    im += x * w.im + y * w.re;
                }
                if let Some(turn) = pass.turn {
                    let w = root(k as u64 * u64::from(m + a * turn.across), turn.n.into());
                    (re, im) = (re * w.re - im * w.im, re * w.im + im * w.re);
                }
                if pass.swap[1] {
                    (re, im) = (im, re);
                }
                let [x, y] = output[place(to, pass.strides[1], k)].map(f64::from);
                error += (x - re).powi(2) + (y - im).powi(2);
                norm += re * re + im * im;
                compared += 1;
            }
        }
    }
    assert_eq!(output.iter().filter(|x| !x[0].is_nan()).count(), compared, "others' elements stay as they are");
    assert!((error / norm).sqrt() < 3e-7, "{pass:?}: {:e}", (error / norm).sqrt());
}

fn digit(extent: u32, stride: u32) -> Digit {
    Digit { extent, input: stride, output: stride, weight: 0 }
}

fn rows(factors: [u32; 2], lanes: u32, access: Access) -> Lanes {
    let n = factors[0] * factors[1];
    let digits = vec![digit(8, n / access.width)];
    Lanes {
        factors,
        lanes,
        access,
        neighbours: Neighbours::Along,
        digits,
        offsets: [0; 2],
        strides: [1; 2],
        turn: None,
        swap: [false; 2],
        scaled: false,
        invocations: 2 * SUBGROUP,
        memory: None,
        loops: false,
    }
}

#[test]
fn rows_in_lanes() {
    for (factors, lanes, access) in [
        ([8, 4], 1, U64X4),
        ([16, 8], 2, U64X4),
        ([16, 16], 4, F32X4),
        ([32, 32], 8, U64X4),
        ([12, 8], 4, F32X4),
        ([60, 32], 8, U64X4),
        ([20, 36], 8, U64X4),
        ([9, 10], 8, F32X2),
        ([7, 1], 1, F32X2),
        ([11, 13], 8, F32X2),
        ([11, 13], 8, U64X1),
        ([16, 16], 8, U64X2),
    ] {
        let pass = rows(factors, lanes, access);
        check(&pass, (8 * pass.n()) as usize, (8 * pass.n()) as usize);
    }
    let pass = Lanes { digits: vec![digit(7, 8)], ..rows([8, 4], 2, U64X4) };
    check(&pass, 7 * 32, 7 * 32);
    let pass = Lanes { digits: vec![digit(3, 30)], ..rows([6, 10], 4, F32X4) };
    check(&pass, 3 * 60, 3 * 60);
    let pass = Lanes { swap: [true, true], offsets: [0, 4], ..rows([8, 8], 2, U64X4) };
    check(&pass, 8 * 64, 8 * 64 + 16);
}

#[test]
fn columns_in_one_lane() {
    for (factor, access) in [(16, U64X4), (30, F32X4), (27, F32X2), (32, U64X4)] {
        let width = access.width;
        let digits = vec![digit(2, 1), Digit { weight: 1, ..digit(4, 2) }];
        let turn = Some(PassTwiddle { n: 4 * factor, across: 0 });
        let pass =
            Lanes { factors: [factor, 1], neighbours: Neighbours::Across, digits, strides: [8, 8], turn, ..rows([factor, 1], 1, F32X2) };
        let pass = Lanes { access, ..pass };
        let len = (factor * 8 * width) as usize;
        check(&pass, len, len);
    }
}

#[test]
fn first_pass_of_a_long_line() {
    // 16 x 32: columns j1 = 4 d + a with roots of 512 on the results.
    let digits = vec![Digit { weight: 4, ..digit(8, 1) }];
    let turn = Some(PassTwiddle { n: 512, across: 1 });
    let pass = Lanes { neighbours: Neighbours::Across, digits, strides: [8, 8], turn, ..rows([16, 1], 1, U64X4) };
    check(&pass, 512, 512);
}

#[test]
fn whole_columns_in_lanes() {
    let pass = Lanes { neighbours: Neighbours::Across, digits: vec![digit(2, 1)], strides: [2, 2], ..rows([16, 12], 4, F32X4) };
    check(&pass, 192 * 4, 192 * 4);
    let pass = Lanes { neighbours: Neighbours::Across, digits: vec![digit(3, 1)], strides: [3, 3], ..rows([9, 10], 8, U64X2) };
    check(&pass, 90 * 6, 90 * 6);
}

#[test]
fn says_what_is_unfit() {
    assert_eq!(rows([32, 32], 8, U64X4).unfit(), None);
    assert!(rows([9, 10], 8, F32X4).unfit().is_some());
    assert!(rows([32, 1], 8, U64X4).unfit().is_some());
    assert!(Lanes { loops: true, ..rows([8, 8], 1, U64X4) }.unfit().is_some());
    assert!(Lanes { turn: Some(PassTwiddle { n: 4096, across: 0 }), ..rows([32, 32], 8, U64X4) }.unfit().is_some());
    assert_eq!(rows([32, 32], 8, U64X4).elements(), 128);
    assert_eq!(rows([60, 32], 8, U64X4).elements(), 256);
    let pass = Lanes { invocations: 64, memory: Some(4095), ..rows([32, 32], 8, Access { int64: false, ..U64X4 }) };
    assert!(pass.unfit().is_some_and(|why| why.contains("4096 bytes")));
    assert_eq!(Lanes { lanes: 1, factors: [16, 16], ..pass }.unfit(), None);
}
