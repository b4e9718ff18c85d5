// Transforms of the same numbers by several libraries in one page. Each returns the milliseconds of
// its runs and its result.

import { Gpu } from "../pkg/index.js";
import init, { Matrix } from "./wasm/wgpu_fft_web_bench.js";

const now = () => performance.now();

/** Numbers between -1 and 1. */
function noise(count) {
    const numbers = new Float32Array(count);
    let state = 1;
    for (let i = 0; i < count; i++) {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        numbers[i] = state / 2 ** 31 - 1;
    }
    return numbers;
}

/** Times of runs until some time is over: at least 3 of them, behind one that does not count. */
async function timed(seconds, run) {
    await run();
    const times = [];
    const end = now() + 1000 * seconds;
    while (times.length < 3 || (now() < end && times.length < 50)) {
        const start = now();
        await run();
        times.push(now() - start);
    }
    return times;
}

/** fft.js: one thread of JavaScript, in f64. */
async function fftJs({ rows, columns, both }, input, seconds) {
    const [alongRows, alongColumns] = [new FFT(columns), new FFT(rows)];
    const data = new Float64Array(input.length);
    const turned = new Float64Array(input.length);
    const turn = (from, to, columns) => {
        const rows = from.length / 2 / columns;
        for (let firstRow = 0; firstRow < rows; firstRow += 16) {
            for (let firstColumn = 0; firstColumn < columns; firstColumn += 16) {
                for (let row = firstRow; row < firstRow + 16; row++) {
                    for (let column = firstColumn; column < firstColumn + 16; column++) {
                        const [a, b] = [2 * (row * columns + column), 2 * (column * rows + row)];
                        to[b] = from[a];
                        to[b + 1] = from[a + 1];
                    }
                }
            }
        }
    };
    const each = (fft, from, to) => {
        for (let first = 0; first < from.length; first += 2 * fft.size) {
            fft.transform(to.subarray(first, first + 2 * fft.size), from.subarray(first, first + 2 * fft.size));
        }
    };
    const run = () => {
        data.set(input);
        each(alongRows, data, turned);
        if (both) {
            turn(turned, data, columns);
            each(alongColumns, data, turned);
            turn(turned, data, rows);
        } else {
            data.set(turned);
        }
    };
    return { times: await timed(seconds, run), result: data };
}

/** rustfft: one thread of wasm with SIMD, in f32. */
async function rustfft({ rows, columns, both }, input, seconds) {
    await init({ module_or_path: new URL("./wasm/wgpu_fft_web_bench_bg.wasm", import.meta.url) });
    const matrix = new Matrix(rows, columns);
    const run = () => {
        matrix.set(input);
        if (both) matrix.both();
        else matrix.rows();
    };
    const times = await timed(seconds, run);
    const result = matrix.get();
    matrix.free();
    return { times, result };
}

/** TensorFlow.js on WebGPU, which transforms rows; columns through transposes. */
async function tfjs({ rows, columns, both }, input, seconds) {
    await tf.setBackend("webgpu");
    await tf.ready();
    const parts = [0, 1].map((part) => Float32Array.from({ length: rows * columns }, (_, i) => input[2 * i + part]));
    const [re, im] = parts.map((values) => tf.tensor2d(values, [rows, columns]));
    const { queue } = tf.backend();
    const transformed = () =>
        tf.tidy(() => {
            const along = tf.spectral.fft(tf.complex(re, im));
            if (!both) return along;
            const turned = (z) => tf.complex(tf.transpose(tf.real(z)), tf.transpose(tf.imag(z)));
            return turned(tf.spectral.fft(turned(along)));
        });
    const run = async () => {
        const z = transformed();
        // What is recorded so far is submitted when somebody reads.
        await tf.tidy(() => tf.slice(tf.real(z), [0, 0], [1, 1])).data();
        await queue.onSubmittedWorkDone();
        z.dispose();
    };
    const times = await timed(seconds, run);
    const z = transformed();
    const [a, b] = await Promise.all([tf.real(z).data(), tf.imag(z).data()]);
    const result = new Float32Array(input.length);
    a.forEach((value, i) => ((result[2 * i] = value), (result[2 * i + 1] = b[i])));
    tf.disposeVariables();
    [re, im, z].forEach((tensor) => tensor.dispose());
    return { times, result };
}

let gpu;

/** This package, on arrays that stay on the device. */
async function ours({ spec }, input, seconds) {
    gpu ??= await Gpu.open();
    const begin = now();
    const plan = await gpu.plan(spec);
    const planned = now() - begin;
    const [x, y] = [gpu.upload(input, "complex f32"), gpu.alloc("complex f32", input.length / 2)];
    const first = now();
    plan.runOn([x], y);
    await gpu.device.queue.onSubmittedWorkDone();
    const note = `planned in ${planned.toFixed(0)} ms, first run ${(now() - first).toFixed(0)} ms`;
    const times = await timed(seconds, async () => {
        plan.runOn([x], y);
        await gpu.device.queue.onSubmittedWorkDone();
    });
    const result = await y.read();
    [x, y, plan].forEach((object) => object.free());
    return { times, result, note };
}

/** This package, from a typed array to a new one. */
async function oursFromHost({ spec }, input, seconds) {
    gpu ??= await Gpu.open();
    const plan = await gpu.plan(spec);
    let result;
    const times = await timed(seconds, async () => {
        result = await plan.run(input);
    });
    plan.free();
    return { times, result };
}

const LIBRARIES = {
    "fft.js": fftJs,
    "rustfft, wasm with SIMD": rustfft,
    "TensorFlow.js, WebGPU": tfjs,
    "wgpu-fft, on the device": ours,
    "wgpu-fft, from and to host arrays": oursFromHost,
};

const references = new Map();

/** Measures a library, and compares its result with that of fft.js, which computes in f64. */
export async function measure(name, problem, seconds) {
    const input = noise(2 * problem.rows * problem.columns);
    const { times, result, note } = await LIBRARIES[name](problem, input, seconds);
    if (!references.has(problem.title)) {
        references.set(problem.title, name === "fft.js" ? result : (await fftJs(problem, input, 0)).result);
    }
    const expected = references.get(problem.title);
    let [difference, size] = [0, 0];
    for (let i = 0; i < expected.length; i++) {
        difference += (result[i] - expected[i]) ** 2;
        size += expected[i] ** 2;
    }
    times.sort((a, b) => a - b);
    return { median: times[Math.floor(times.length / 2)], least: times[0], runs: times.length, error: Math.sqrt(difference / size), note };
}

export async function about() {
    gpu ??= await Gpu.open();
    const names = Object.keys(LIBRARIES);
    return { names, adapter: gpu.info.name, fallback: gpu.info.fallback, browser: navigator.userAgent.match(/Chrome\/[\d.]+/)?.[0] };
}
