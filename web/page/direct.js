// Fourier transforms by their definition, in double precision, at some frequencies only: what the
// device's results are compared with.

/**
 * Numbers in [-1, 1) that are the same on every machine.
 * @param {number} count
 * @param {number} seed
 */
export function randomNumbers(count, seed) {
    const numbers = new Float32Array(count);
    const next = randomBits(seed);
    for (let i = 0; i < count; i++) numbers[i] = next() / 2 ** 31 - 1;
    return numbers;
}

/**
 * Whole numbers below 2³², by the mulberry32 generator.
 * @param {number} seed
 */
export function randomBits(seed) {
    let state = seed >>> 0;
    return () => {
        state = (state + 0x6d2b79f5) >>> 0;
        let z = Math.imul(state ^ (state >>> 15), state | 1);
        z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
        return (z ^ (z >>> 14)) >>> 0;
    };
}

/**
 * One number of the transform: the sum over all x of x · exp(∓2πi (j0 k0 / n0 + j1 k1 / n1 + …)).
 * @param {ArrayLike<number>} input of one array of the batch
 * @param {{ shape: number[], complex: boolean, sign: 1 | -1 }} transform -1 is forward
 * @param {number[]} frequency k0, k1, …
 * @returns {[number, number]}
 */
export function directValue(input, { shape, complex, sign }, frequency) {
    // The angles of each axis: j · k is reduced modulo n as whole numbers, so no angle is large.
    const factors = shape.map((n, axis) => Float64Array.from({ length: 2 * n }, (_, i) => {
        const angle = (2 * Math.PI * (((i >> 1) * frequency[axis]) % n)) / n;
        return i % 2 === 0 ? Math.cos(angle) : sign * Math.sin(angle);
    }));
    const row = shape[shape.length - 1];
    const last = factors[shape.length - 1];
    const rows = shape.slice(0, -1);
    const count = rows.reduce((product, n) => product * n, 1);
    let [re, im] = [0, 0];
    for (let r = 0; r < count; r++) {
        let [rowRe, rowIm] = [0, 0];
        for (let j = 0; j < row; j++) {
            const [c, s] = [last[2 * j], last[2 * j + 1]];
            const at = r * row + j;
            const [x, y] = complex ? [input[2 * at], input[2 * at + 1]] : [input[at], 0];
            rowRe += x * c - y * s;
            rowIm += x * s + y * c;
        }
        for (let axis = rows.length - 1, rest = r; axis >= 0; axis--) {
            const j = rest % rows[axis];
            rest = Math.floor(rest / rows[axis]);
            const [c, s] = [factors[axis][2 * j], factors[axis][2 * j + 1]];
            [rowRe, rowIm] = [rowRe * c - rowIm * s, rowRe * s + rowIm * c];
        }
        re += rowRe;
        im += rowIm;
    }
    return [re, im];
}

/**
 * The error that the crate documents for a transform in f32, relative in the two-norm: 1.5·u·√log₂n
 * for an axis, 3·u·√log₂m if it has a prime factor above 31 and becomes a convolution of length
 * m < 3n; the squares of several axes add up.
 * @param {number[]} shape
 */
export function errorBound(shape) {
    const squares = shape.map((n) => (largestPrime(n) > 31 ? 9 * Math.log2(3 * n) : 2.25 * Math.max(1, Math.log2(n))));
    return 2 ** -24 * Math.sqrt(squares.reduce((sum, x) => sum + x, 0));
}

/** The largest prime factor, or 1. @param {number} n */
export function largestPrime(n) {
    let [rest, largest] = [n, 1];
    for (let p = 2; p * p <= rest; p++) {
        while (rest % p === 0) [rest, largest] = [rest / p, p];
    }
    return Math.max(rest, largest);
}

/**
 * The relative two-norm of a difference.
 * @param {ArrayLike<number>} actual
 * @param {ArrayLike<number>} expected
 */
export function relativeError(actual, expected) {
    let [wrong, size] = [0, 0];
    for (let i = 0; i < expected.length; i++) {
        wrong += (actual[i] - expected[i]) ** 2;
        size += expected[i] ** 2;
    }
    return Math.sqrt(wrong / size);
}
