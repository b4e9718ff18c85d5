//! The kernel of the FFT passes under all checks.

use std::time::Instant;
use wgsl_sanitizer::{Binding, Buffer, Config, Memory, Shader};

fn text(path: &str) -> String {
    std::fs::read_to_string(format!("{}/../../shaders/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn rows_of_64() {
    let source = text("fft/pass.wgsl") + &text("grid.wgsl") + &text("fft/complex.wgsl");
    let start = Instant::now();
    let kernel = Shader::new(&source).unwrap().entry("main").unwrap().compile().unwrap();
    println!("compiled in {:?}: {} instructions", start.elapsed(), kernel.instructions());
    let rows = 8192u32;
    let n = 64usize;
    // exp(-2 pi i j k / (p r)) at p - 1 + (k - 1) p + j, for p = 1 and p = 8.
    let mut roots = vec![[1f32, 0.0]; 7 + 56];
    for k in 1..8 {
        for j in 0..8 {
            let angle = -2.0 * std::f64::consts::PI * (j * k) as f64 / 64.0;
            roots[7 + (k - 1) * 8 + j] = [angle.cos() as f32, angle.sin() as f32];
        }
    }
    let input: Vec<[f32; 2]> = (0..rows as usize * n).map(|i| [(i * 7 % 13) as f32 - 6.0, (i * 5 % 11) as f32 - 5.0]).collect();
    let mut memory = Memory::new();
    let mut params = Buffer::from_slice(&[rows, 1f32.to_bits()]);
    params.write(0, &rows.to_le_bytes());
    let output = memory.add(Buffer::unwritten(rows as u64 * 64 * 8));
    let bindings = [
        Binding::whole(0, 0, memory.add(params)),
        Binding::whole(0, 1, memory.add(Buffer::from_slice(&input))),
        Binding::whole(0, 2, output),
        Binding::whole(0, 3, memory.add(Buffer::from_slice(&roots))),
    ];
    let start = Instant::now();
    let report = kernel.dispatch([rows / 4, 1, 1], &mut memory, &bindings, &Config::default()).unwrap();
    println!("{rows} rows of 64 in {:?}, {} steps", start.elapsed(), report.steps());
    assert!(report.is_clean(), "{report}");
    assert!(memory[output].is_written());
    let results: Vec<[f32; 2]> = memory[output].to_vec();
    for row in [0, 5, rows as usize - 1] {
        for k in 0..n {
            let mut sum = [0f64; 2];
            for j in 0..n {
                let (x, y) = (input[row * n + j][0] as f64, input[row * n + j][1] as f64);
                let (sin, cos) = (-2.0 * std::f64::consts::PI * (j * k % n) as f64 / n as f64).sin_cos();
                sum = [sum[0] + x * cos - y * sin, sum[1] + x * sin + y * cos];
            }
            let y = results[row * n + k];
            assert!((y[0] as f64 - sum[0]).abs() + (y[1] as f64 - sum[1]).abs() < 1e-3, "row {row}, {k}: {y:?}, {sum:?}");
        }
    }
}
