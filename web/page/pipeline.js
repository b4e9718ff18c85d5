// The arrays and plans of one size of picture. Everything stays on the device between two changes of
// the mask; what travels is the mask there and the pixels back.

import { halfWidth } from "./mask.js";
import { planes } from "./picture.js";

/**
 * @typedef {import("./fft.js").Gpu} Gpu
 * @typedef {import("./fft.js").Plan} Plan
 * @typedef {import("./fft.js").DeviceArray} DeviceArray
 * @typedef {{ upload: number, transform: number }} LoadTimes in milliseconds
 * @typedef {{ pixels: Uint8ClampedArray<ArrayBuffer>, filter?: number, read?: number, total: number }} Filtered
 */

/**
 * The specifications and fragments for pictures of a size.
 * @param {number} width
 * @param {number} height
 */
export function specifications(width, height) {
    const half = halfWidth(width);
    return {
        /** Bytes to the spectra of three channels. */
        forward: {
            spec: `r2c fwd ${height}x${width} x3`,
            mapInput: { code: "f32(value) / 255.0", element: "u8" },
        },
        /** Log-magnitudes of the luminance. Its spectrum is the weighted sum of those of the channels. */
        levels: {
            spec: `sum complex f32 3x${height}x${half} axes=0`,
            mapInput: { code: "value * select(select(0.0722, 0.7152, i0 == 1u), 0.2126, i0 == 0u)", element: "complex f32" },
            mapOutput: { code: "log2(1.0 + length(value))", element: "f32" },
        },
        /** The mask costs no pass: the inverse transform multiplies by it as it loads. */
        inverse: {
            spec: `c2r inv ${height}x${width} x3 1/n`,
            mapInput: {
                code: `value * mask[i0 * ${half}u + i1]`,
                element: "complex f32",
                arrays: { mask: { element: "f32", len: height * half } },
            },
        },
        /** Three planes of floats to one of pixels, as a sum over the channels: a quarter of the bytes to read back. */
        pack: {
            spec: `sum u32 3x${height}x${width} axes=0`,
            mapInput: { code: "u32(clamp(value, 0.0, 1.0) * 255.0 + 0.5) << (8u * i0)", element: "f32" },
            mapOutput: { code: "value | 0xff000000u", element: "u32" },
        },
    };
}

export class Pipeline {
    /**
     * Compiles the plans, without arrays yet.
     * @param {Gpu} gpu
     * @param {number} width
     * @param {number} height
     */
    static async create(gpu, width, height) {
        const wanted = Object.values(specifications(width, height));
        /** @type {Plan[]} */
        const plans = [];
        try {
            for (const { spec, ...fragments } of wanted) plans.push(await gpu.plan(spec, fragments));
            return new Pipeline(gpu, width, height, plans);
        } catch (error) {
            for (const plan of plans) plan.free();
            throw error;
        }
    }

    /** @param {Gpu} gpu @param {number} width @param {number} height @param {Plan[]} plans */
    constructor(gpu, width, height, plans) {
        [this.forward, this.levels, this.inverse, this.pack] = plans;
        this.width = width;
        this.height = height;
        /** @type {DeviceArray[]} */
        this.arrays = [];
        try {
            const points = width * height;
            const half = height * halfWidth(width);
            this.planes = this.alloc(gpu, "u8", 3 * points);
            this.spectrum = this.alloc(gpu, "complex f32", 3 * half);
            this.logs = this.alloc(gpu, "f32", half);
            this.mask = this.alloc(gpu, "f32", half);
            this.channels = this.alloc(gpu, "f32", 3 * points);
            this.packed = this.alloc(gpu, "u32", points);
            /** Small, so that reading it waits for what was submitted before and for little else. */
            this.fence = this.alloc(gpu, "f32", 1);
        } catch (error) {
            this.free();
            throw error;
        }
    }

    /** @param {Gpu} gpu @param {import("./fft.js").Element} element @param {number} len */
    alloc(gpu, element, len) {
        const array = gpu.alloc(element, len);
        this.arrays.push(array);
        return array;
    }

    /**
     * Uploads a picture and transforms it.
     * @param {Uint8ClampedArray} pixels
     * @returns {Promise<{ levels: Float32Array, times: LoadTimes }>}
     */
    async load(pixels) {
        const bytes = planes(pixels);
        // The first run also compiles what the driver had left to do; nobody wants its time.
        this.planes.write(bytes);
        this.forward.runOn([this.planes], this.spectrum);
        this.levels.runOn([this.spectrum], this.logs);
        const levels = /** @type {Float32Array} */ (await this.logs.read());
        const begin = performance.now();
        this.planes.write(bytes);
        await this.fence.read();
        const uploaded = performance.now();
        this.forward.runOn([this.planes], this.spectrum);
        await this.fence.read();
        const times = { upload: uploaded - begin, transform: performance.now() - uploaded };
        return { levels, times };
    }

    /**
     * The picture that a mask leaves. `measure` waits between the steps to time each; that costs a
     * little, so it is not for a mask that is being drawn.
     * @param {Float32Array} mask
     * @param {boolean} measure
     * @returns {Promise<Filtered>}
     */
    async filter(mask, measure) {
        const begin = performance.now();
        this.mask.write(mask);
        this.inverse.runOn([this.spectrum], this.channels, { mask: this.mask });
        this.pack.runOn([this.channels], this.packed);
        if (measure) await this.fence.read();
        const filtered = performance.now();
        const words = /** @type {Uint32Array<ArrayBuffer>} */ (await this.packed.read());
        const end = performance.now();
        const pixels = new Uint8ClampedArray(words.buffer, words.byteOffset, words.byteLength);
        const steps = measure ? { filter: filtered - begin, read: end - filtered } : {};
        return { pixels, total: end - begin, ...steps };
    }

    free() {
        for (const item of [...this.arrays, this.forward, this.levels, this.inverse, this.pack]) item.free();
    }
}
