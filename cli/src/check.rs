//! `wgpu-fft check`: every kind of operation on this adapter against the host.

use std::f64::consts::{PI, TAU};

use serde_json::json;
use wgpu_fft::dynamic::AnySpec;
use wgpu_fft::num_complex::Complex64;
use wgpu_fft::{Gpu, Planner};

use crate::Result;
use crate::array::{Array, Elements, fft_on_host};
use crate::bench::noise;
use crate::device::{Device, describe};
use crate::output::table;

/// The unit roundoffs of f32, of f16, and of f64; numbers of two f32 keep 46 bits.
pub const F32: f64 = 1.0 / (1u64 << 24) as f64;
const F64: f64 = 1.0 / (1u64 << 53) as f64;
pub const DOUBLE: f64 = 1.0 / (1u64 << 46) as f64;

/// A specification, and how it is computed on the host.
struct Case {
    text: &'static str,
    /// Of one of these roundings, which errors are counted in.
    unit: f64,
    /// How many of them are allowed, apart from √log₂n.
    most: f64,
    expected: fn(&[Complex64], &[usize]) -> Vec<Complex64>,
}

const fn transform(text: &'static str, unit: f64, most: f64, expected: fn(&[Complex64], &[usize]) -> Vec<Complex64>) -> Case {
    Case { text, unit, most, expected }
}

/// Lengths with small factors, with large prime ones (61, 1009), of several passes, and of several
/// axes.
const CASES: &[Case] = &[
    transform("c2c fwd 16 x100", F32, 1.5, forward),
    transform("c2c fwd 1000 x10", F32, 1.5, forward),
    transform("c2c fwd 1009 x10", F32, 5.0, forward),
    transform("c2c inv 4096", F32, 1.5, inverse),
    transform("c2c fwd 65536", F32, 1.5, forward),
    transform("c2c fwd 61x53", F32, 5.0, forward),
    transform("c2c fwd 108x192", F32, 1.5, forward),
    transform("c2c fwd 24x20x28", F32, 1.5, forward),
    transform("r2c fwd 96x100", F32, 1.5, half),
    transform("r2c fwd 45 x9", F32, 1.5, half),
    transform("c2r inv 96x100", F32, 1.5, real_inverse),
    transform("r2r dct2 60", F32, 3.0, dct2),
    transform("r2r hartley 60", F32, 3.0, hartley),
    transform("c2c fwd 1000 f64", F64, 1.5, forward),
    transform("c2c fwd 60 f64-by-f32", DOUBLE, 1.0, forward),
    transform("transpose complex f32 97x120", F32, 0.0, transposed),
    transform("sum f32 100000", F32, 30.0, sum),
    transform("sum complex f32 300x400 axes=1", F32, 30.0, sum_of_rows),
];

/// Operations that verify themselves. Those without a short definition must have equal bits in two
/// runs, finite numbers, and write nowhere else.
const VERIFIED: &[&str] = &[
    "c2c fwd 108x192",
    "r2r dst3 24x30",
    "permute f32 12x10x8 order=2,0,1",
    "argmax i32 60x50 axes=1",
    "wide_sum i32 60x50 axes=0",
    "norm complex f32 40x50 axes=0",
    "variance f32 1000 x3",
    "convolve f32 40x50 by 5x5 same",
    "resample f32 24x32 to 36x48",
    "roll f32 60x70 by=20,30",
    "radial-average f32 64x64 half",
    "phase-correlate 48x64",
];

/// Returns whether all is right.
pub fn run(device: &Device) -> Result<bool> {
    let gpu = device.open()?;
    let mut rows = Vec::new();
    let mut failed = Vec::new();
    for case in CASES {
        let (verdict, error, budget) = match compare(&gpu, case) {
            Ok((error, budget)) => (if error <= budget { "ok" } else { "WRONG" }, Some(error), Some(budget)),
            Err(error) if matches!(error.downcast_ref(), Some(wgpu_fft::Error::Unsupported { .. })) => ("not supported", None, None),
            Err(error) => {
                device.output.note("error", format_args!("`{}`: {error}", case.text));
                ("FAILED", None, None)
            }
        };
        if verdict == "WRONG" || verdict == "FAILED" {
            failed.push(case.text);
        }
        let value = json!({ "spec": case.text, "verdict": verdict, "error": error, "allowed": budget });
        device.output.record(&value);
        let number = |number: Option<f64>| number.map_or("-".to_owned(), |number| format!("{number:.1e}"));
        rows.push(vec![case.text.to_owned(), number(error), number(budget), verdict.to_owned()]);
    }
    for text in VERIFIED {
        let verified = text.parse::<AnySpec>()?.plan(&Planner::new(&gpu), None)?.verify();
        let (verdict, error) = match &verified {
            Ok(verified) => ("ok", (verified.samples > 0).then_some(verified.worst)),
            Err(error) => {
                device.output.note("error", error);
                failed.push(text);
                ("WRONG", None)
            }
        };
        let text = format!("{text}, verified");
        device.output.record(&json!({ "spec": text, "verdict": verdict, "error": error, "allowed": error.map(|_| 1.0) }));
        let number = |number: Option<f64>| number.map_or("-".to_owned(), |number| format!("{number:.1e}"));
        rows.push(vec![text, number(error), number(error.map(|_| 1.0)), verdict.to_owned()]);
    }
    let info = gpu.adapter_info();
    let verdict = match failed.len() {
        0 => "all results are right".to_owned(),
        count => format!("{count} of {} results are wrong: {}", CASES.len() + VERIFIED.len(), failed.join(", ")),
    };
    let summary = json!({
        "adapter": describe(&info),
        "driver": format!("{} {}", info.driver, info.driver_info),
        "version": env!("CARGO_PKG_VERSION"),
        "wrong": failed,
    });
    device.output.record(&summary);
    if device.output.is_chatty() {
        println!("{}\n", table(&["specification", "error", "allowed", "verdict"], &rows, 1));
        println!("To report this: version {}, {}, driver {} {}", env!("CARGO_PKG_VERSION"), describe(&info), info.driver, info.driver_info);
    }
    if !device.output.json {
        println!("{verdict}");
    }
    Ok(failed.is_empty())
}

/// The relative error in the two-norm, and what is allowed.
fn compare(gpu: &Gpu, case: &Case) -> Result<(f64, f64)> {
    let [input, result] = transformed(gpu, case.text)?;
    let shape = shape(case.text);
    let error = relative_error(&result, &(case.expected)(&input, &shape))?;
    let n: usize = shape[1..].iter().product();
    // A NaN is not within any bound.
    Ok((if error.is_nan() { f64::INFINITY } else { error }, case.most * case.unit * (n as f64).log2().max(1.0).sqrt()))
}

/// Noise, and what a specification makes of it on the device.
pub fn transformed(gpu: &Gpu, text: &str) -> Result<[Vec<Complex64>; 2]> {
    let planner = Planner::new(gpu);
    let plan = text.parse::<AnySpec>()?.plan(&planner, None)?;
    let program = plan.program();
    let input = noise(plan.input(), program.inputs()[0].len);
    let result = plan.run(&[&input])?.wait()?;
    let wide = |element, len, bytes: &[u8]| -> Result<Vec<Complex64>> {
        match Array::from_bytes(vec![len], element, bytes)?.converted(true, true)?.elements {
            Elements::Complex64(data) => Ok(data),
            _ => Err("converted numbers are complex".into()),
        }
    };
    Ok([wide(plan.input(), program.inputs()[0].len, &input)?, wide(plan.output(), program.output().len, &result)?])
}

/// The two-norm of the differences over that of the expected numbers.
pub fn relative_error(result: &[Complex64], expected: &[Complex64]) -> Result<f64> {
    if result.len() != expected.len() {
        return Err(format!("{} results instead of {}", result.len(), expected.len()).into());
    }
    let norm = |data: &mut dyn Iterator<Item = Complex64>| data.map(|z| z.norm_sqr()).sum::<f64>().sqrt();
    Ok(norm(&mut result.iter().zip(expected).map(|(a, b)| a - b)) / norm(&mut expected.iter().copied()))
}

/// The batch and the shape in a text.
fn shape(text: &str) -> Vec<usize> {
    let mut words = text.split_whitespace();
    let shape = words.find_map(|word| word.split('x').map(str::parse).collect::<std::result::Result<Vec<usize>, _>>().ok());
    let batch = words.find_map(|word| word.strip_prefix('x')?.parse().ok());
    std::iter::once(batch.unwrap_or(1)).chain(shape.unwrap_or_default()).collect()
}

fn fft(x: &[Complex64], shape: &[usize], inverse: bool) -> Vec<Complex64> {
    let mut data = x.to_vec();
    fft_on_host(&mut data, shape, &(1..shape.len()).collect::<Vec<_>>(), inverse);
    data
}

fn forward(x: &[Complex64], shape: &[usize]) -> Vec<Complex64> {
    fft(x, shape, false)
}

fn inverse(x: &[Complex64], shape: &[usize]) -> Vec<Complex64> {
    fft(x, shape, true)
}

/// The first half of the spectrum along the last axis.
fn half(x: &[Complex64], shape: &[usize]) -> Vec<Complex64> {
    let n = shape[shape.len() - 1];
    fft(x, shape, false).chunks_exact(n).flat_map(|row| row[..n / 2 + 1].to_vec()).collect()
}

/// The reals whose half-spectrum this is, if the imaginary parts of its own mirror images do not
/// count.
fn real_inverse(x: &[Complex64], shape: &[usize]) -> Vec<Complex64> {
    let [_, rows, n] = shape[..] else { return Vec::new() };
    let mut columns = x.to_vec();
    fft_on_host(&mut columns, &[rows, n / 2 + 1], &[0], true);
    let mut whole: Vec<Complex64> = columns
        .chunks_exact(n / 2 + 1)
        .flat_map(|row| {
            (0..n).map(|l| match l {
                0 => row[0].re.into(),
                _ if 2 * l == n => row[l].re.into(),
                _ if 2 * l < n => row[l],
                _ => row[n - l].conj(),
            })
        })
        .collect();
    fft_on_host(&mut whole, &[rows, n], &[1], true);
    whole
}

fn dct2(x: &[Complex64], shape: &[usize]) -> Vec<Complex64> {
    by_sums(x, shape[1], |j, k, n| 2.0 * (PI * k * (2.0 * j + 1.0) / (2.0 * n)).cos())
}

fn hartley(x: &[Complex64], shape: &[usize]) -> Vec<Complex64> {
    by_sums(x, shape[1], |j, k, n| (TAU * j * k / n).cos() + (TAU * j * k / n).sin())
}

fn by_sums(x: &[Complex64], n: usize, factor: fn(f64, f64, f64) -> f64) -> Vec<Complex64> {
    let term = |j: usize, k: usize| x[j] * factor(j as f64, k as f64, n as f64);
    (0..n).map(|k| (0..n).map(|j| term(j, k)).sum()).collect()
}

fn transposed(x: &[Complex64], shape: &[usize]) -> Vec<Complex64> {
    let (rows, columns) = (shape[1], shape[2]);
    (0..columns).flat_map(|c| (0..rows).map(move |r| x[r * columns + c])).collect()
}

fn sum(x: &[Complex64], _: &[usize]) -> Vec<Complex64> {
    vec![x.iter().sum()]
}

fn sum_of_rows(x: &[Complex64], shape: &[usize]) -> Vec<Complex64> {
    x.chunks_exact(shape[2]).map(|row| row.iter().sum()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_read_from_texts() {
        assert_eq!(shape("c2c fwd 16 x100"), [100, 16]);
        assert_eq!(shape("transpose complex f32 97x120"), [1, 97, 120]);
        assert_eq!(shape("c2c fwd 60 f64-by-f32"), [1, 60]);
    }

    #[test]
    fn halves_lead_back() {
        let shape = [1, 6, 8];
        let x: Vec<Complex64> = (0..48).map(|i| f64::from(i * i % 11).into()).collect();
        let back = real_inverse(&half(&x, &shape), &shape);
        assert!(back.iter().zip(&x).all(|(a, b)| (a / 48.0 - b).norm() < 1e-12));
    }
}
