// The accuracy check and the benchmark, without the page around them.

import { directValue, errorBound, randomBits, randomNumbers, relativeError } from "./direct.js";
import { kindOf } from "./words.js";

/**
 * @typedef {import("./fft.js").Gpu} Gpu
 * @typedef {import("./fft.js").Plan} Plan
 * @typedef {object} Transform
 * @property {"c2c" | "r2c"} kind
 * @property {number[]} shape
 * @property {number} [batch]
 * @property {true} [inverse]
 * @property {string} why what it shows
 *
 * @typedef {{ spec: string, why: string, error?: number, back?: number, bound?: number, good: boolean, failure?: string }} Accuracy
 * @typedef {{ spec: string, bytes: number, ms?: number, copyMs?: number, failure?: string }} Speed
 * @typedef {{ signal: AbortSignal, progress: (done: number, all: number, what: string) => void }} Task
 */

/** @type {Transform[]} */
export const transforms = [
    { kind: "c2c", shape: [16], batch: 1000, why: "many short rows" },
    { kind: "c2c", shape: [1024], batch: 64, why: "rows, a power of two" },
    { kind: "c2c", shape: [1000], why: "2³ · 5³" },
    { kind: "c2c", shape: [1001], why: "7 · 11 · 13" },
    { kind: "c2c", shape: [1009], why: "a prime" },
    { kind: "c2c", shape: [4096], inverse: true, why: "inverse" },
    { kind: "c2c", shape: [65536], why: "several passes" },
    { kind: "c2c", shape: [480, 640], why: "a picture" },
    { kind: "c2c", shape: [12, 20, 28], why: "a volume" },
    { kind: "r2c", shape: [1024], batch: 16, why: "real rows" },
    { kind: "r2c", shape: [255, 256], why: "a real picture" },
    { kind: "r2c", shape: [100, 333], why: "a real picture with odd rows" },
];

/** @type {Transform[]} */
export const benchmarks = [
    { kind: "c2c", shape: [256, 256], why: "" },
    { kind: "c2c", shape: [512, 512], why: "" },
    { kind: "c2c", shape: [1024, 1024], why: "" },
    { kind: "c2c", shape: [1024], batch: 1024, why: "" },
];

/** Frequencies that are computed directly, of each transform. */
const SAMPLES = 24;

/** @param {Transform} transform */
export const specOf = ({ kind, shape, batch, inverse }) =>
    `${kind} ${inverse ? "inv" : "fwd"} ${shape.join("x")}${batch ? ` x${batch}` : ""}`;

/** The specification that undoes a transform. @param {Transform} transform */
export const inverseOf = ({ kind, shape, batch, inverse }) =>
    `${kind === "r2c" ? "c2r" : kind} ${inverse ? "fwd" : "inv"} ${shape.join("x")}${batch ? ` x${batch}` : ""} 1/n`;

/** @param {number[]} factors */
const product = (factors) => factors.reduce((all, n) => all * n, 1);

/**
 * Compares a spectrum with direct sums at some frequencies: the root mean square of the differences
 * over that of the whole spectrum, which Parseval's theorem gives without computing it.
 * @param {Transform} transform
 * @param {Float32Array} input
 * @param {ArrayLike<number>} spectrum
 */
export function sampledError({ kind, shape, batch = 1, inverse }, input, spectrum) {
    const complex = kind === "c2c";
    const points = product(shape);
    const stored = complex ? shape : [...shape.slice(0, -1), Math.floor(shape[shape.length - 1] / 2) + 1];
    const next = randomBits(points);
    let [wrong, size] = [0, 0];
    for (let sample = 0; sample < SAMPLES; sample++) {
        const b = sample === 0 ? batch - 1 : next() % batch;
        const one = input.subarray(b * points * (complex ? 2 : 1), (b + 1) * points * (complex ? 2 : 1));
        const frequency = stored.map((n) => next() % n);
        const index = b * product(stored) + frequency.reduce((at, k, axis) => at * stored[axis] + k, 0);
        const [re, im] = directValue(one, { shape, complex, sign: inverse ? 1 : -1 }, frequency);
        wrong += (spectrum[2 * index] - re) ** 2 + (spectrum[2 * index + 1] - im) ** 2;
        size += one.reduce((sum, x) => sum + x * x, 0);
    }
    return Math.sqrt(wrong / size);
}

/**
 * One transform of random numbers, there and back.
 * @param {Gpu} gpu
 * @param {Transform} transform
 * @returns {Promise<Accuracy>}
 */
async function checkOne(gpu, transform) {
    const { kind, shape, batch = 1, why } = transform;
    const spec = specOf(transform);
    const input = randomNumbers(product(shape) * batch * (kind === "c2c" ? 2 : 1), 1 + shape[0]);
    const bound = errorBound(shape);
    const spectrum = await runOnce(gpu, spec, input);
    const error = sampledError(transform, input, spectrum);
    const back = relativeError(await runOnce(gpu, inverseOf(transform), spectrum), input);
    return { spec, why, error, back, bound, good: error <= bound && back <= 2 * bound };
}

/** @param {Gpu} gpu @param {string} spec @param {Float32Array} input */
async function runOnce(gpu, spec, input) {
    const plan = await gpu.plan(spec);
    try {
        return /** @type {Float32Array} */ (await plan.run(input));
    } finally {
        plan.free();
    }
}

/**
 * A transpose and a sum of whole numbers, which have no rounding errors at all.
 * @param {Gpu} gpu
 * @returns {Promise<Accuracy[]>}
 */
async function checkExact(gpu) {
    const [rows, columns] = [301, 203];
    const next = randomBits(7);
    const numbers = Uint32Array.from({ length: rows * columns }, next);
    const turned = { spec: `transpose u32 ${rows}x${columns}`, why: "bit for bit" };
    const summed = { spec: `sum u32 ${rows * columns}`, why: "modulo 2³²" };
    return Promise.all([
        guarded(turned, async () => {
            const plan = await gpu.plan(turned.spec);
            const result = await plan.run(numbers).finally(() => plan.free());
            const place = (/** @type {number} */ i) => (i % columns) * rows + Math.floor(i / columns);
            return result.length === numbers.length && numbers.every((x, i) => result[place(i)] === x);
        }),
        guarded(summed, async () => {
            const plan = await gpu.plan(summed.spec);
            const result = await plan.run(numbers).finally(() => plan.free());
            return result[0] === numbers.reduce((sum, x) => (sum + x) >>> 0, 0);
        }),
    ]);
}

/**
 * @param {{ spec: string, why: string }} head
 * @param {() => Promise<boolean>} compare
 * @returns {Promise<Accuracy>}
 */
async function guarded(head, compare) {
    try {
        const equal = await compare();
        return { ...head, error: equal ? 0 : Infinity, bound: 0, good: equal };
    } catch (error) {
        return failedRow(head, error);
    }
}

/**
 * A lost device ends the check; any other error is a line of its table.
 * @param {{ spec: string, why: string }} head
 * @param {unknown} error
 */
function failedRow(head, error) {
    if (["device-lost", "freed"].includes(kindOf(error))) throw error;
    return { ...head, good: false, failure: error instanceof Error ? error.message.split("\n")[0] : String(error) };
}

/**
 * @param {Gpu} gpu
 * @param {Task} task
 * @returns {Promise<Accuracy[]>}
 */
export async function checkAccuracy(gpu, { signal, progress }) {
    /** @type {Accuracy[]} */
    const results = [];
    for (const [i, transform] of transforms.entries()) {
        signal.throwIfAborted();
        progress(i, transforms.length + 1, specOf(transform));
        try {
            results.push(await checkOne(gpu, transform));
        } catch (error) {
            results.push(failedRow({ spec: specOf(transform), why: transform.why }, error));
        }
    }
    progress(transforms.length, transforms.length + 1, "transpose and sum");
    return [...results, ...(await checkExact(gpu))];
}

/**
 * The times of the benchmarks, and of a copy of as many bytes.
 * @param {Gpu} gpu
 * @param {Task} task
 * @returns {Promise<Speed[]>}
 */
export async function measureSpeed(gpu, { signal, progress }) {
    /** @type {Speed[]} */
    const results = [];
    for (const [i, transform] of benchmarks.entries()) {
        signal.throwIfAborted();
        const spec = specOf(transform);
        progress(i, benchmarks.length, spec);
        const points = product(transform.shape) * (transform.batch ?? 1);
        const row = { spec, bytes: 16 * points };
        try {
            const ms = await measure(gpu, spec, points);
            signal.throwIfAborted();
            results.push({ ...row, ms, copyMs: await measure(gpu, `permute complex f32 1x${points} order=0,1`, points) });
        } catch (error) {
            signal.throwIfAborted();
            results.push({ ...row, failure: failedRow({ spec, why: "" }, error).failure });
        }
    }
    return results;
}

/**
 * Milliseconds of one run, the least of three series.
 * @param {Gpu} gpu
 * @param {string} spec
 * @param {number} points complex numbers in and out
 */
async function measure(gpu, spec, points) {
    const plan = await gpu.plan(spec);
    const input = gpu.upload(randomNumbers(2 * points, 5), "complex f32");
    const output = gpu.alloc("complex f32", points);
    try {
        // The first run is not the last word: it may compile.
        await plan.time([input], output, 1);
        const once = await plan.time([input], output, 1);
        const repeats = Math.max(1, Math.min(500, Math.ceil(120 / once)));
        let best = Infinity;
        for (let series = 0; series < 3; series++) best = Math.min(best, await plan.time([input], output, repeats));
        return best;
    } finally {
        for (const item of [plan, input, output]) item.free();
    }
}
