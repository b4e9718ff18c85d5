// What results are compared with: plain loops in f64, by the definitions.

export const U = 2 ** -24;

/** The documented bound of a transform in f32, with lengths that have a large prime factor. */
export function fftBound(lengths) {
    const squares = lengths.map((n) => {
        let rest = n;
        for (let p = 2; p <= 31; p++) {
            while (rest % p === 0) rest /= p;
        }
        return rest === 1 ? 2.25 * Math.max(1, Math.log2(n)) : 9 * Math.log2(3 * n);
    });
    return U * Math.sqrt(squares.reduce((sum, square) => sum + square, 0));
}

/** Reproducible numbers between -1 and 1, exact in f32. */
export function noise(count, seed) {
    const numbers = new Float64Array(count);
    let state = (seed * 2654435761) >>> 0;
    for (let i = 0; i < count; i++) {
        state = (state + 0x9e3779b9) >>> 0;
        let z = state;
        z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
        z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
        numbers[i] = ((z ^ (z >>> 16)) >> 8) / 2 ** 23;
    }
    return numbers;
}

/** The complex DFT of interleaved numbers over every axis of a shape, or over some. */
export function dft(data, shape, sign, axes = shape.map((_, axis) => axis)) {
    let values = Float64Array.from(data);
    for (const axis of axes) {
        const n = shape[axis];
        const inner = shape.slice(axis + 1).reduce((all, extent) => all * extent, 1);
        const roots = Array.from({ length: n }, (_, i) => [Math.cos((2 * Math.PI * i) / n), (sign * Math.sin((2 * Math.PI * i) / n))]);
        const out = new Float64Array(values.length);
        for (let first = 0; first < values.length / 2; first++) {
            if (Math.floor(first / inner) % n !== 0) continue;
            for (let k = 0; k < n; k++) {
                let re = 0;
                let im = 0;
                for (let j = 0; j < n; j++) {
                    const at = 2 * (first + j * inner);
                    const [c, s] = roots[(j * k) % n];
                    re += values[at] * c - values[at + 1] * s;
                    im += values[at] * s + values[at + 1] * c;
                }
                out[2 * (first + k * inner)] = re;
                out[2 * (first + k * inner) + 1] = im;
            }
        }
        values = out;
    }
    return values;
}

/** Reals as complex numbers. */
export function complex(reals) {
    const values = new Float64Array(2 * reals.length);
    reals.forEach((value, i) => (values[2 * i] = value));
    return values;
}

/** The frequencies that a transform of reals keeps. */
export function half(spectrum, shape) {
    const n = shape.at(-1);
    const kept = Math.floor(n / 2) + 1;
    const rows = spectrum.length / 2 / n;
    const values = new Float64Array(2 * rows * kept);
    for (let row = 0; row < rows; row++) {
        values.set(spectrum.subarray(2 * row * n, 2 * (row * n + kept)), 2 * row * kept);
    }
    return values;
}

/** |actual - expected| / |expected|, in the two-norm. */
export function relativeError(actual, expected) {
    if (actual.length !== expected.length) {
        throw new Error(`${actual.length} numbers in place of ${expected.length}`);
    }
    let difference = 0;
    let size = 0;
    for (let i = 0; i < expected.length; i++) {
        difference += (actual[i] - expected[i]) ** 2;
        size += expected[i] ** 2;
    }
    return Math.sqrt(difference / size);
}

/** Fails unless the relative error is within a bound. */
export function assertClose(actual, expected, bound, what) {
    const error = relativeError(actual, expected);
    // A NaN is not within it.
    if (!(error <= bound)) {
        throw new Error(`${what}: relative error ${error.toExponential(3)} exceeds ${bound.toExponential(3)}`);
    }
    return error;
}

export function assertEqual(actual, expected, what) {
    const [a, b] = [actual, expected].map((value) => JSON.stringify(ArrayBuffer.isView(value) ? Array.from(value) : value));
    if (a !== b) {
        throw new Error(`${what}: got ${a.slice(0, 300)}, expected ${b.slice(0, 300)}`);
    }
}

/** The bits of the f16 that is nearest to a number, of those that have one. */
export function toHalf(value) {
    const bits = new Uint32Array(Float32Array.of(value).buffer)[0];
    const sign = (bits >>> 16) & 0x8000;
    const exponent = ((bits >>> 23) & 0xff) - 127;
    const mantissa = bits & 0x7fffff;
    if (exponent < -14) {
        const rounded = Math.round((Math.abs(value) * 2 ** 24));
        return sign | rounded;
    }
    let half = ((exponent + 15) << 10) | (mantissa >>> 13);
    const rest = mantissa & 0x1fff;
    if (rest > 0x1000 || (rest === 0x1000 && half & 1)) half++;
    return sign | half;
}

export function fromHalf(bits) {
    const sign = bits & 0x8000 ? -1 : 1;
    const exponent = (bits >>> 10) & 0x1f;
    const mantissa = bits & 0x3ff;
    return sign * (exponent === 0 ? mantissa * 2 ** -24 : (1 + mantissa / 1024) * 2 ** (exponent - 15));
}
