// Stands in for the package in tests of the page alone: the same interface, computed in JavaScript
// in double precision. It knows the few plans and fragments that the page uses; everything else is
// an error, as it would be with a typing mistake in a specification.

export class FftError extends Error {
    constructor(kind, message) {
        super(message);
        this.name = "FftError";
        this.kind = kind;
    }
}

const words = { f32: [Float32Array, 1], "complex f32": [Float32Array, 2], u8: [Uint8Array, 1], u32: [Uint32Array, 1] };

class DeviceArray {
    constructor(gpu, element, len) {
        if (!words[element]) throw new FftError("unsupported", `no element ${element}`);
        Object.assign(this, { gpu, element, len });
        this.data = new words[element][0](len * words[element][1]);
    }
    write(data) {
        this.gpu.alive();
        if (data.length !== this.data.length) throw new FftError("wrong-length", `${data.length} numbers for ${this.data.length}`);
        this.data.set(data);
    }
    async read() {
        await new Promise((resolve) => setTimeout(resolve));
        this.gpu.alive();
        return this.data.slice();
    }
    free() {
        this.data = undefined;
    }
}

/** The fragments of the page, as functions of the value and the indices. */
const fragments = [
    [/^f32\(value\) \/ 255\.0$/, () => (v) => v / 255],
    [/^value \* select\(select\(0\.0722, 0\.7152, i0 == 1u\), 0\.2126, i0 == 0u\)$/, () => ([re, im], i) => {
        const w = [0.2126, 0.7152, 0.0722][i[0]];
        return [re * w, im * w];
    }],
    [/^log2\(1\.0 \+ length\(value\)\)$/, () => ([re, im]) => Math.log2(1 + Math.hypot(re, im))],
    [/^value \* mask\[i0 \* (\d+)u \+ i1\]$/, ([, half]) => ([re, im], i, { mask }) => {
        const m = mask.data[i[0] * Number(half) + i[1]];
        return [re * m, im * m];
    }],
    [/^u32\(clamp\(value, 0\.0, 1\.0\) \* 255\.0 \+ 0\.5\) << \(8u \* i0\)$/,
        () => (v, i) => Math.floor(Math.min(1, Math.max(0, v)) * 255 + 0.5) * 2 ** (8 * i[0])],
    [/^value \| 0xff000000u$/, () => (v) => (v | 0xff000000) >>> 0],
];

function fragment(map) {
    if (!map) return { element: undefined, apply: (value) => value };
    for (const [pattern, make] of fragments) {
        const match = pattern.exec(map.code);
        if (match) return { element: map.element, apply: make(match) };
    }
    throw new FftError("parse", `this stand-in has no fragment ${map.code}`);
}

const known = new Map();
function factors(n, sign) {
    if (!known.has(sign * n)) {
        const angles = Array.from({ length: n }, (_, i) => (2 * Math.PI * i) / n);
        known.set(sign * n, { cosines: Float64Array.from(angles, Math.cos), sines: Float64Array.from(angles, (x) => sign * Math.sin(x)) });
    }
    return known.get(sign * n);
}

/** A transform of n interleaved complex numbers, out of place, for any n. */
function fft(input, sign) {
    const n = input.length / 2;
    if (n === 1) return Float64Array.from(input);
    let p = 2;
    while (n % p !== 0) p = p * p > n ? n : p + 1;
    const m = n / p;
    const parts = Array.from({ length: p }, (_, r) => {
        const part = new Float64Array(2 * m);
        for (let j = 0; j < m; j++) part.set([input[2 * (j * p + r)], input[2 * (j * p + r) + 1]], 2 * j);
        return m === 1 ? part : fft(part, sign);
    });
    const { cosines, sines } = factors(n, sign);
    const output = new Float64Array(2 * n);
    for (let k = 0; k < n; k++) {
        for (let r = 0; r < p; r++) {
            const at = (r * k) % n;
            const [re, im] = [parts[r][2 * (k % m)], parts[r][2 * (k % m) + 1]];
            output[2 * k] += re * cosines[at] - im * sines[at];
            output[2 * k + 1] += re * sines[at] + im * cosines[at];
        }
    }
    return output;
}

/** Transforms along one axis, in place. */
function alongAxis(data, shape, axis, sign) {
    const n = shape[axis];
    const inner = shape.slice(axis + 1).reduce((a, b) => a * b, 1);
    const line = new Float64Array(2 * n);
    for (let start = 0; start < data.length / 2; start++) {
        if (Math.floor(start / inner) % n !== 0) continue;
        for (let j = 0; j < n; j++) line.set(data.subarray(2 * (start + j * inner), 2 * (start + j * inner) + 2), 2 * j);
        const done = fft(line, sign);
        for (let j = 0; j < n; j++) data.set(done.subarray(2 * j, 2 * j + 2), 2 * (start + j * inner));
    }
}

const count = (shape) => shape.reduce((a, b) => a * b, 1);
const indices = (i, shape) => shape.map((n, axis) => Math.floor(i / count(shape.slice(axis + 1))) % n);

function fourier(kind, direction, shape, batch, scaled, options) {
    const [from, to] = [fragment(options.mapInput), fragment(options.mapOutput)];
    const half = [...shape.slice(0, -1), Math.floor(shape.at(-1) / 2) + 1];
    const [inShape, outShape] = [kind === "c2r" ? half : shape, kind === "r2c" ? half : shape];
    const complexIn = kind !== "r2c";
    const compute = (input, output, arrays) => {
        const sign = direction === "fwd" ? -1 : 1;
        const factor = scaled ? 1 / count(shape) : 1;
        for (let b = 0; b < batch; b++) {
            const data = new Float64Array(2 * count(shape));
            const load = (i) => {
                const at = b * count(inShape) + i;
                const value = complexIn ? [input[2 * at], input[2 * at + 1]] : input[at];
                const mapped = from.apply(value, indices(i, inShape), arrays);
                return complexIn ? mapped : [mapped, 0];
            };
            for (let i = 0; i < count(inShape); i++) {
                const place = indices(i, inShape).reduce((at, k, axis) => at * shape[axis] + k, 0);
                data.set(load(i), 2 * place);
            }
            if (kind === "c2r") {
                for (let i = 0; i < count(shape); i++) {
                    const k = indices(i, shape);
                    if (k.at(-1) < half.at(-1)) continue;
                    const other = k.reduce((at, x, axis) => at * shape[axis] + ((shape[axis] - x) % shape[axis]), 0);
                    data.set([data[2 * other], -data[2 * other + 1]], 2 * i);
                }
            }
            for (let axis = 0; axis < shape.length; axis++) alongAxis(data, shape, axis, sign);
            for (let i = 0; i < count(outShape); i++) {
                const place = indices(i, outShape).reduce((at, k, axis) => at * shape[axis] + k, 0);
                const at = b * count(outShape) + i;
                if (kind === "c2r") output[at] = data[2 * place] * factor;
                else output.set([data[2 * place] * factor, data[2 * place + 1] * factor], 2 * at);
            }
        }
    };
    if (to.element) throw new FftError("unsupported", "no output fragments of transforms here");
    return {
        inputs: [{ element: from.element ?? (complexIn ? "complex f32" : "f32"), len: batch * count(inShape) }],
        output: { element: kind === "c2r" ? "f32" : "complex f32", len: batch * count(outShape) },
        compute,
    };
}

/** A sum over axis 0, or of everything. */
function sum(element, shape, alongFirst, options) {
    const [from, to] = [fragment(options.mapInput), fragment(options.mapOutput)];
    const complex = element === "complex f32";
    const len = alongFirst ? count(shape.slice(1)) : 1;
    const compute = (input, output, arrays) => {
        const sums = Array.from({ length: len }, () => (complex ? [0, 0] : 0));
        for (let i = 0; i < count(shape); i++) {
            const value = from.apply(complex ? [input[2 * i], input[2 * i + 1]] : input[i], indices(i, shape), arrays);
            const at = i % len;
            if (complex) sums[at] = [sums[at][0] + value[0], sums[at][1] + value[1]];
            else sums[at] = element === "u32" ? (sums[at] + value) >>> 0 : sums[at] + value;
        }
        sums.forEach((value, i) => { output[i] = to.apply(value); });
    };
    return {
        inputs: [{ element: from.element ?? element, len: count(shape) }],
        output: { element: to.element ?? element, len },
        compute,
    };
}

function parse(spec, options) {
    const dims = (text) => text.split("x").map(Number);
    let match = /^(c2c|r2c|c2r) (fwd|inv) (\d+(?:x\d+)*)(?: x(\d+))?( 1\/n)?$/.exec(spec);
    if (match) return fourier(match[1], match[2], dims(match[3]), Number(match[4] ?? 1), match[5] !== undefined, options);
    match = /^sum (u32|complex f32) (\d+(?:x\d+)*)( axes=0)?$/.exec(spec);
    if (match) return sum(match[1], dims(match[2]), match[3] !== undefined, options);
    match = /^transpose u32 (\d+)x(\d+)$/.exec(spec);
    if (match) {
        const [rows, columns] = [Number(match[1]), Number(match[2])];
        const end = { element: "u32", len: rows * columns };
        const compute = (input, output) => input.forEach((x, i) => { output[(i % columns) * rows + Math.floor(i / columns)] = x; });
        return { inputs: [end], output: end, compute };
    }
    match = /^permute complex f32 1x(\d+) order=0,1$/.exec(spec);
    if (match) {
        const end = { element: "complex f32", len: Number(match[1]) };
        return { inputs: [end], output: end, compute: (input, output) => output.set(input) };
    }
    throw new FftError("parse", `\`${spec}\` is no specification that this stand-in knows`);
}

class Plan {
    constructor(gpu, spec, options) {
        Object.assign(this, { gpu, spec, recipe: "stand-in", program: "stand-in", ...parse(spec, options) });
    }
    check(end, { element, len }) {
        if (end.element !== element || end.len !== len) {
            throw new FftError("wrong-length", `${this.spec}: ${element} x ${len} for ${end.element} x ${end.len}`);
        }
    }
    runOn(inputs, output, arrays = {}) {
        this.gpu.alive();
        this.check(this.inputs[0], inputs[0]);
        this.check(this.output, output);
        this.compute(inputs[0].data, output.data, arrays);
    }
    async run(data) {
        const [input, output] = [this.gpu.upload(data, this.inputs[0].element), this.gpu.alloc(this.output.element, this.output.len)];
        this.runOn([input], output);
        return output.read();
    }
    async time(inputs, output, repeats = 1) {
        const begin = performance.now();
        for (let i = 0; i < Math.min(repeats, 2); i++) this.runOn(inputs, output);
        return Math.max(0.001, (performance.now() - begin) / Math.min(repeats, 2));
    }
    free() {}
}

export class Gpu {
    static async open() {
        if (globalThis.mockWithout) throw new FftError(globalThis.mockWithout, "not here");
        const gpu = new Gpu();
        globalThis.mockGpu = gpu;
        return gpu;
    }
    constructor() {
        this.device = { queue: { onSubmittedWorkDone: () => new Promise((resolve) => setTimeout(resolve)) } };
        const limits = { maxStorageBufferBindingSize: 128 << 20 };
        this.info = { name: "stand-in", backend: "javascript", fallback: true, limits, f16: false };
        this.lost = new Promise((resolve) => { this.lose = (reason) => { this.gone = true; resolve(reason); }; });
    }
    alive() {
        if (this.gone) throw new FftError("device-lost", "the device is lost");
    }
    async plan(spec, options = {}) {
        this.alive();
        return new Plan(this, spec, options);
    }
    upload(data, element) {
        const kind = element ?? { Float32Array: "f32", Uint8Array: "u8", Uint32Array: "u32" }[data.constructor.name];
        const array = this.alloc(kind, data.length / words[kind][1]);
        array.write(data);
        return array;
    }
    alloc(element, len) {
        this.alive();
        return new DeviceArray(this, element, len);
    }
    free() {}
}
