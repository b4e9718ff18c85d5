//! Shaders with transforms of `fft::Inline` in them, and what they should compute.

use std::f64::consts::TAU;

use wgpu_fft::Complex32;
use wgpu_fft::fft::{Inline, InlineText};
use wgpu_fft::num_complex::Complex64;

use crate::reference::{Number, ROUNDOFF, complex_noise, dft, noise, relative_error, wide};

/// Runs a text with these arrays at the bindings 0, 1, … of group 0, in so many workgroups, and returns the
/// array at binding 0.
pub type Run<'a> = &'a dyn Fn(&str, &[&[u8]], u32) -> Vec<u8>;

/// A way to ask for transforms.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub n: usize,
    pub lines: u32,
    pub invocations: Option<u32>,
    pub is_real: bool,
    pub is_f64: bool,
    /// Whether the twiddles are in a buffer.
    pub binds: bool,
    /// Whether the line is in workgroup memory.
    pub has_data: bool,
}

const PLAIN: Case = Case { n: 0, lines: 1, invocations: None, is_real: false, is_f64: false, binds: true, has_data: false };

/// Every kind of length: one stage to four, radices that leave invocations idle, pieces.
pub const CASES: [Case; 22] = [
    Case { n: 1, ..PLAIN },
    Case { n: 2, lines: 5, binds: false, ..PLAIN },
    Case { n: 7, lines: 3, ..PLAIN },
    Case { n: 16, lines: 4, binds: false, has_data: true, ..PLAIN },
    Case { n: 31, ..PLAIN },
    Case { n: 60, lines: 2, has_data: true, ..PLAIN },
    Case { n: 64, lines: 4, binds: false, ..PLAIN },
    Case { n: 243, ..PLAIN },
    Case { n: 250, is_real: true, binds: false, ..PLAIN },
    Case { n: 256, is_f64: true, ..PLAIN },
    Case { n: 320, invocations: Some(64), ..PLAIN },
    Case { n: 2 * 323, is_real: true, has_data: true, ..PLAIN },
    Case { n: 1000, is_f64: true, is_real: true, binds: false, ..PLAIN },
    Case { n: 1024, ..PLAIN },
    Case { n: 1024, invocations: Some(128), lines: 2, is_real: true, ..PLAIN },
    Case { n: 1024, invocations: Some(32), ..PLAIN },
    Case { n: 1155, lines: 2, ..PLAIN },
    Case { n: 2048, is_real: true, has_data: true, ..PLAIN },
    Case { n: 2, is_real: true, lines: 3, ..PLAIN },
    Case { n: 4096, ..PLAIN },
    Case { n: 8192, ..PLAIN },
    Case { n: 3 * 11 * 13, invocations: Some(33), ..PLAIN },
];

fn bytes_of<T: Number>(values: &[Complex64]) -> Vec<u8> {
    bytemuck::cast_slice(&values.iter().map(|&z| T::of(z)).collect::<Vec<_>>()).to_vec()
}

fn numbers_of<T: Number>(bytes: &[u8]) -> Vec<Complex64> {
    bytemuck::pod_collect_to_vec::<u8, T>(bytes).into_iter().map(T::wide).collect()
}

impl Case {
    pub fn inline(&self) -> Inline {
        let mut own = Inline::new(self.n).lines(self.lines).name("own").workgroup_memory(32_768);
        own = if self.is_real { own.real() } else { own };
        own = if self.is_f64 { own.f64() } else { own };
        own = if self.binds { own.twiddles_at(0, 1) } else { own };
        own = if self.has_data { own.with_data() } else { own };
        self.invocations.map_or(own.clone(), |count| own.invocations(count))
    }

    /// A shader that transforms lines in place.
    fn shader(&self, text: &InlineText, inverse: bool) -> String {
        let (elements, size) = (text.elements, text.invocations);
        let n = if self.is_real { self.n / 2 } else { self.n };
        let complex = if self.is_f64 { "vec2<f64>" } else { "vec2<f32>" };
        let [from, to, way] = if inverse { ["frequency", "position", "inverse"] } else { ["position", "frequency", "forward"] };
        let head = format!(
            "@group(0) @binding(0) var<storage, read_write> lines: array<{complex}>;
            @compute @workgroup_size({size})
            fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {{
                let line = (group.x * {}u + own_line(invocation)) * {n}u;",
            self.lines
        );
        let body = if self.has_data {
            format!(
                "for (var i = invocation; i < {all}u; i += {size}u) {{ own_data[i] = lines[group.x * {all}u + i]; }}
                own_{way}_data(invocation);
                for (var i = invocation; i < {all}u; i += {size}u) {{ lines[group.x * {all}u + i] = own_data[i]; }}",
                all = n as u32 * self.lines
            )
        } else {
            format!(
                "var values: array<{complex}, {elements}>;
                for (var k = 0u; k < {elements}u; k++) {{
                    let at = own_{from}(invocation, k);
                    if ({is_even} || at < {n}u) {{ values[k] = lines[line + at]; }}
                }}
                own_{way}(&values, invocation);
                for (var k = 0u; k < {elements}u; k++) {{
                    let at = own_{to}(invocation, k);
                    if ({is_even} || at < {n}u) {{ lines[line + at] = values[k]; }}
                }}",
                is_even = text.is_even
            )
        };
        format!("{head}\n{body}\n}}\n{}", text.wgsl)
    }

    /// The texts of both directions.
    pub fn texts(&self) -> [String; 2] {
        let text = self.inline().generate().unwrap_or_else(|error| panic!("{self:?}: {error}"));
        [false, true].map(|inverse| self.shader(&text, inverse))
    }

    /// Forward and inverse of two workgroups of lines, compared with rustfft.
    pub fn check(&self, run: Run<'_>) {
        if self.is_f64 { self.check_as::<Complex64>(run) } else { self.check_as::<Complex32>(run) }
    }

    fn check_as<T: Number>(&self, run: Run<'_>) {
        const GROUPS: u32 = 2;
        let text = self.inline().generate().unwrap();
        let (n, count) = (if self.is_real { self.n / 2 } else { self.n }, (self.lines * GROUPS) as usize);
        let input: Vec<Complex64> = wide(&complex_noise(n * count, 3));
        let mut there = input.clone();
        there.chunks_mut(n).for_each(|line| self.forward(line));
        let mut back = there.clone();
        back.iter_mut().zip(&input).for_each(|(back, own)| *back = own * self.n as f64);
        let arrays = |data: &[Complex64]| bytes_of::<T>(data);
        let roundoff = if self.is_f64 { f64::EPSILON / 2.0 } else { ROUNDOFF };
        let factor = if self.binds { 1.5 } else { 2.5 };
        // In f64 the reference has errors of its own.
        let factor = if self.is_f64 { factor + 1.0 } else { factor };
        let budget = factor * roundoff * (self.n as f64).log2().max(1.0).sqrt();
        for (inverse, from, expected) in [(false, &input, &there), (true, &there, &back)] {
            let (data, twiddles) = (arrays(from), text.twiddles.as_slice());
            let bindings: &[&[u8]] = if twiddles.is_empty() { &[&data] } else { &[&data, twiddles] };
            let actual = numbers_of::<T>(&run(&self.shader(&text, inverse), bindings, GROUPS));
            let error = relative_error(&actual, expected);
            // The input of the inverse is rounded, too.
            let budget = if inverse { budget + roundoff } else { budget };
            assert!(error <= budget, "{self:?}, inverse: {inverse}: relative error {error:.2e} exceeds {budget:.2e}");
        }
    }

    fn forward(&self, line: &mut [Complex64]) {
        if !self.is_real {
            return dft(line, &[self.n], &[0], false);
        }
        let mut whole: Vec<Complex64> = line.iter().flat_map(|z| [z.re.into(), z.im.into()]).collect();
        dft(&mut whole, &[self.n], &[0], false);
        line.copy_from_slice(&whole[..self.n / 2]);
        line[0].im = whole[self.n / 2].re;
    }
}

/// A shader of a stranger's kind.
pub struct Stranger {
    pub name: &'static str,
    pub wgsl: String,
    twiddles: Vec<u8>,
    check: fn(Run<'_>, &Self),
}

impl Stranger {
    pub fn check(&self, run: Run<'_>) {
        (self.check)(run, self);
    }
}

/// Three of them.
pub fn strangers() -> [Stranger; 3] {
    [convolution(), spectrogram(), ocean()]
}

/// Rows convolved in one dispatch.
fn convolution() -> Stranger {
    const N: usize = 1024;
    const ROWS: usize = 3;
    let fft = Inline::new(N).twiddles_at(0, 2).generate().unwrap();
    let (elements, size) = (fft.elements, fft.invocations);
    let wgsl = format!(
        "@group(0) @binding(0) var<storage, read_write> rows: array<vec2f>;
        @group(0) @binding(1) var<storage, read> response: array<vec2f>;
        @compute @workgroup_size({size})
        fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) invocation: u32) {{
            let row = {N}u * group.x;
            var values: array<vec2f, {elements}>;
            for (var k = 0u; k < {elements}u; k++) {{ values[k] = rows[row + fft_position(invocation, k)]; }}
            fft_forward(&values, invocation);
            for (var k = 0u; k < {elements}u; k++) {{
                values[k] = fft_complex_mul(values[k], response[fft_frequency(invocation, k)]);
            }}
            fft_inverse(&values, invocation);
            for (var k = 0u; k < {elements}u; k++) {{
                rows[row + fft_position(invocation, k)] = values[k] / {N}f;
            }}
        }}
        {}",
        fft.wgsl
    );
    let check = |run: Run<'_>, own: &Stranger| {
        let (rows, response) = (complex_noise(N * ROWS, 5), complex_noise(N, 6));
        let data = run(&own.wgsl, &[bytemuck::cast_slice(&rows), bytemuck::cast_slice(&response), &own.twiddles], ROWS as u32);
        let mut expected = wide(&rows);
        for row in expected.chunks_mut(N) {
            dft(row, &[N], &[0], false);
            row.iter_mut().zip(&response).for_each(|(z, h)| *z *= h.wide() / N as f64);
            dft(row, &[N], &[0], true);
        }
        let error = relative_error(&numbers_of::<Complex32>(&data), &expected);
        assert!(error < 6.0 * ROUNDOFF * 10f64.sqrt(), "convolution: {error:.2e}");
    };
    Stranger { name: "convolution", wgsl, twiddles: fft.twiddles, check }
}

/// The frames of a signal as colours: a Hann window, decibels, and a map from black over red to
/// yellow.
fn spectrogram() -> Stranger {
    const N: usize = 512;
    const HOP: usize = 128;
    const FRAMES: usize = 4;
    let fft = Inline::new(N).real().name("of_frame").generate().unwrap();
    let (elements, size) = (fft.elements, fft.invocations);
    let wgsl = format!(
        "@group(0) @binding(0) var<storage, read_write> pixels: array<u32>;
        @group(0) @binding(1) var<storage, read> signal: array<f32>;
        fn windowed(frame: u32, i: u32) -> f32 {{
            return signal[{HOP}u * frame + i] * (0.5 - 0.5 * cos({TAU}f / {N}f * f32(i)));
        }}
        fn colour(power: f32) -> u32 {{
            let t = saturate((10.0 * log2(power + 1e-20) / log2(10.0) + 80.0) / 80.0);
            return pack4x8unorm(vec4f(saturate(2.0 * t), saturate(2.0 * t - 1.0), 0.0, 1.0));
        }}
        @compute @workgroup_size({size})
        fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) invocation: u32) {{
            var values: array<vec2f, {elements}>;
            for (var k = 0u; k < {elements}u; k++) {{
                let i = 2u * of_frame_position(invocation, k);
                values[k] = vec2f(windowed(group.x, i), windowed(group.x, i + 1u));
            }}
            of_frame_forward(&values, invocation);
            for (var k = 0u; k < {elements}u; k++) {{
                let frequency = of_frame_frequency(invocation, k);
                let z = select(values[k], vec2f(values[k].x, 0.0), frequency == 0u) / {N}f;
                pixels[{half}u * group.x + frequency] = colour(dot(z, z));
            }}
        }}
        {text}",
        half = N / 2,
        text = fft.wgsl
    );
    let check = |run: Run<'_>, own: &Stranger| {
        let signal: Vec<f32> =
            noise(N + HOP * (FRAMES - 1), 7).iter().enumerate().map(|(i, x)| x / 50.0 + (0.3 * i as f32).sin()).collect();
        let output = vec![0u8; 4 * FRAMES * N / 2];
        let pixels = run(&own.wgsl, &[&output, bytemuck::cast_slice(&signal)], FRAMES as u32);
        for (frame, pixels) in pixels.chunks_exact(4 * N / 2).enumerate() {
            let window = |i: usize| 0.5 - 0.5 * (TAU * i as f64 / N as f64).cos();
            let mut line: Vec<Complex64> = (0..N).map(|i| (f64::from(signal[HOP * frame + i]) * window(i)).into()).collect();
            dft(&mut line, &[N], &[0], false);
            // WGSL's cosine and logarithm are not accurate.
            for (k, pixel) in pixels.chunks_exact(4).enumerate() {
                let t = ((10.0 * ((line[k] / N as f64).norm_sqr() + 1e-20).log10() + 80.0) / 80.0).clamp(0.0, 1.0);
                let expected = [2.0 * t, 2.0 * t - 1.0, 0.0, 1.0].map(|x: f64| 255.0 * x.clamp(0.0, 1.0));
                let differs = pixel.iter().zip(expected).any(|(&own, expected)| (f64::from(own) - expected).abs() > 4.0);
                assert!(!differs, "frame {frame}, frequency {k}: {pixel:?} in place of {expected:?}");
            }
        }
    };
    Stranger { name: "spectrogram", wgsl, twiddles: fft.twiddles, check }
}

/// Waves at a time t: rows of heights and of slopes from one spectrum, each row in workgroup memory, two
/// rows a workgroup.
fn ocean() -> Stranger {
    const N: usize = 256;
    const ROWS: usize = 4;
    const TIME: f32 = 1.5;
    let fft = Inline::new(N).lines(2).with_data().name("waves").generate().unwrap();
    let size = fft.invocations;
    let wgsl = format!(
        "@group(0) @binding(0) var<storage, read_write> surface: array<vec4f>;
        @group(0) @binding(1) var<storage, read> spectrum: array<vec2f>;
        fn wave_number(j: u32) -> f32 {{ return f32(j) - select(0.0, {N}f, j >= {half}u); }}
        fn at_time(row: u32, j: u32) -> vec2f {{
            let turn = {TIME}f * sqrt(abs(wave_number(j)));
            return waves_complex_mul(spectrum[row * {N}u + j], vec2f(cos(turn), sin(turn)));
        }}
        @compute @workgroup_size({size})
        fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) invocation: u32) {{
            let first = 2u * group.x;
            for (var i = invocation; i < 2u * {N}u; i += {size}u) {{
                waves_data[i] = at_time(first + i / {N}u, i % {N}u);
            }}
            waves_inverse_data(invocation);
            for (var i = invocation; i < 2u * {N}u; i += {size}u) {{
                surface[first * {N}u + i] = vec4f(waves_data[i], 0.0, 0.0);
            }}
            workgroupBarrier();
            for (var i = invocation; i < 2u * {N}u; i += {size}u) {{
                let own = at_time(first + i / {N}u, i % {N}u);
                waves_data[i] = wave_number(i % {N}u) * vec2f(-own.y, own.x);
            }}
            waves_inverse_data(invocation);
            for (var i = invocation; i < 2u * {N}u; i += {size}u) {{
                surface[first * {N}u + i] = vec4f(surface[first * {N}u + i].xy, waves_data[i]);
            }}
        }}
        {text}",
        half = N / 2,
        text = fft.wgsl
    );
    let check = |run: Run<'_>, own: &Stranger| {
        let spectrum = complex_noise(N * ROWS, 8);
        let output = vec![0u8; 16 * N * ROWS];
        let surface = numbers_of::<Complex32>(&run(&own.wgsl, &[&output, bytemuck::cast_slice(&spectrum)], ROWS as u32 / 2));
        let number = |j: usize| j as f64 - if j >= N / 2 { N as f64 } else { 0.0 };
        for (i, name) in ["heights", "slopes"].into_iter().enumerate() {
            let mut expected: Vec<Complex64> = (0..N * ROWS)
                .map(|at| {
                    let turned = Complex64::from_polar(1.0, f64::from(TIME) * number(at % N).abs().sqrt());
                    let z = spectrum[at].wide() * turned;
                    if i == 0 { z } else { z * Complex64::I * number(at % N) }
                })
                .collect();
            expected.chunks_mut(N).for_each(|row| dft(row, &[N], &[0], true));
            let actual: Vec<Complex64> = surface.iter().skip(i).step_by(2).copied().collect();
            let error = relative_error(&actual, &expected);
            // WGSL's cosine is not accurate.
            assert!(error < 3e-4, "{name}: {error:.2e}");
        }
    };
    Stranger { name: "ocean", wgsl, twiddles: fft.twiddles, check }
}
