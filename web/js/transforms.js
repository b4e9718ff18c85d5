// Transforms in one call. Their plans are kept, with their arrays on the device.

import { FftError } from "./error.js";

const PLANS = new WeakMap();

// Plans of one Gpu that are kept with their arrays on the device.
const KEPT = 8;

/** Runs the plan for a text. */
function run(gpu, spec, data) {
    let plans = PLANS.get(gpu);
    if (plans === undefined) {
        PLANS.set(gpu, (plans = new Map()));
    }
    const entry = plans.get(spec) ?? { plan: gpu.plan(spec), busy: Promise.resolve() };
    const result = entry.plan.then((plan) => plan.run(data));
    entry.busy = Promise.allSettled([entry.busy, result]);
    entry.plan.catch(() => plans.delete(spec));
    // What was used last comes last.
    plans.delete(spec);
    plans.set(spec, entry);
    if (plans.size > KEPT) {
        const [oldest, old] = plans.entries().next().value;
        plans.delete(oldest);
        old.busy.then(() => old.plan).then((plan) => plan.free()).catch(() => {});
    }
    return result;
}

/** Elements per array of a shape. */
const product = (shape) => shape.reduce((all, extent) => all * extent, 1);

/** The extents as a text, and how many arrays of that shape the data holds. */
function sized(data, shape, numbers) {
    const each = product(shape) * numbers;
    const batch = data.length / each;
    if (!Number.isInteger(batch) || batch < 1) {
        const what = numbers === 2 ? "complex numbers" : "numbers";
        throw new FftError("wrong-length", `input: ${data.length} numbers are not whole arrays of ${shape.join("x")} ${what}`);
    }
    return `${shape.join("x")}${batch > 1 ? ` x${batch}` : ""}`;
}

const half = (shape) => [...shape.slice(0, -1), Math.floor(shape.at(-1) / 2) + 1];

async function c2c(gpu, data, shape, direction, scale) {
    return run(gpu, `c2c ${direction} ${sized(data, shape, 2)}${scale}`, data);
}

/** Forward transform of complex numbers (re, im, re, im); of the whole array, or rows of `n`. */
export const fft = (gpu, data, n = data.length / 2) => c2c(gpu, data, [n], "fwd", "");

/** Its inverse, divided by `n`. */
export const ifft = (gpu, data, n = data.length / 2) => c2c(gpu, data, [n], "inv", " 1/n");

/** Forward transform over two axes. */
export const fft2 = (gpu, data, rows, columns) => c2c(gpu, data, [rows, columns], "fwd", "");

/** Its inverse, divided by the number of elements. */
export const ifft2 = (gpu, data, rows, columns) => c2c(gpu, data, [rows, columns], "inv", " 1/n");

async function r2c(gpu, data, shape) {
    return run(gpu, `r2c fwd ${sized(data, shape, 1)}`, data);
}

async function c2r(gpu, data, shape) {
    const stored = sized(data, half(shape), 2);
    const batch = stored.includes(" ") ? stored.slice(stored.indexOf(" ")) : "";
    return run(gpu, `c2r inv ${shape.join("x")}${batch} 1/n`, data);
}

/** Forward transform of reals: the first n/2 + 1 frequencies as complex numbers. */
export const rfft = (gpu, data, n = data.length) => r2c(gpu, data, [n]);

/** Its inverse, to `n` reals, which is an even number unless you say otherwise. */
export const irfft = (gpu, data, n = data.length - 2) => c2r(gpu, data, [n]);

/** Forward transform of reals over two axes; the last one keeps columns/2 + 1 frequencies. */
export const rfft2 = (gpu, data, rows, columns) => r2c(gpu, data, [rows, columns]);

/** Its inverse. */
export const irfft2 = (gpu, data, rows, columns) => c2r(gpu, data, [rows, columns]);
