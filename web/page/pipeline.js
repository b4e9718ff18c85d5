// The arrays and plans of one size of picture. Everything stays on the device between two changes
// of the mask; what travels is the mask there and the pixels back.

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
 * @returns {Record<"forward" | "levels" | "inverse" | "pack", { spec: string } & NonNullable<Parameters<Gpu["plan"]>[1]>>}
 */
export function specifications(width, height) {
    const half = halfWidth(width);
    return {
        /** Bytes to the spectra of three channels. */
        forward: {
            spec: `r2c fwd ${height}x${width} x3`,
            mapInput: { code: "f32(value) / 255.0", element: "u8" },
        },
        /** Log-magnitudes of the luminance, whose spectrum is a weighted sum of the channels'. */
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
        /** Three planes of floats to one of pixels, as a sum: a third of the bytes to read. */
        pack: {
            spec: `sum u32 3x${height}x${width} axes=0`,
            mapInput: { code: "u32(clamp(value, 0.0, 1.0) * 255.0 + 0.5) << (8u * i0)", element: "f32" },
            mapOutput: { code: "value | 0xff000000u", element: "u32" },
        },
    };
}

export class Pipeline {
    /**
     * Compiles the plans and makes the arrays.
     * @param {Gpu} gpu
     * @param {number} width
     * @param {number} height
     */
    static async create(gpu, width, height) {
        const wanted = specifications(width, height);
        /** @type {{ free(): void }[]} */
        const made = [];
        /** @template {{ free(): void }} T @param {T} item */
        const keep = (item) => {
            made.push(item);
            return item;
        };
        const plan = async (/** @type {keyof typeof wanted} */ name) => {
            const { spec, ...fragments } = wanted[name];
            return keep(await gpu.plan(spec, fragments));
        };
        const alloc = (/** @type {import("./fft.js").Element} */ element, /** @type {number} */ len) => keep(gpu.alloc(element, len));
        try {
            const plans = {
                forward: await plan("forward"),
                levels: await plan("levels"),
                inverse: await plan("inverse"),
                pack: await plan("pack"),
            };
            const points = width * height;
            const half = height * halfWidth(width);
            const arrays = {
                planes: alloc("u8", 3 * points),
                spectrum: alloc("complex f32", 3 * half),
                logs: alloc("f32", half),
                mask: alloc("f32", half),
                channels: alloc("f32", 3 * points),
                packed: alloc("u32", points),
            };
            return new Pipeline(gpu, width, height, plans, arrays);
        } catch (error) {
            for (const item of made) item.free();
            throw error;
        }
    }

    /**
     * @param {Gpu} gpu
     * @param {number} width
     * @param {number} height
     * @param {Record<"forward" | "levels" | "inverse" | "pack", Plan>} plans
     * @param {Record<"planes" | "spectrum" | "logs" | "mask" | "channels" | "packed", DeviceArray>} arrays
     */
    constructor(gpu, width, height, plans, arrays) {
        this.gpu = gpu;
        this.width = width;
        this.height = height;
        this.plans = plans;
        this.arrays = arrays;
    }

    /** When everything that was submitted has run. */
    done() {
        return this.gpu.device.queue.onSubmittedWorkDone();
    }

    /**
     * Uploads a picture and transforms it.
     * @param {Uint8ClampedArray} pixels
     * @returns {Promise<{ levels: Float32Array, times: LoadTimes }>}
     */
    async load(pixels) {
        const { plans, arrays } = this;
        const bytes = planes(pixels);
        // The first run also compiles what the driver had left to do; nobody wants its time.
        arrays.planes.write(bytes);
        plans.forward.runOn([arrays.planes], arrays.spectrum);
        plans.levels.runOn([arrays.spectrum], arrays.logs);
        const levels = /** @type {Float32Array} */ (await arrays.logs.read());
        // Nor that of waiting, which the first wait also has.
        await this.done();
        const begin = performance.now();
        arrays.planes.write(bytes);
        await this.done();
        const uploaded = performance.now();
        plans.forward.runOn([arrays.planes], arrays.spectrum);
        await this.done();
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
        const { plans, arrays } = this;
        const begin = performance.now();
        arrays.mask.write(mask);
        plans.inverse.runOn([arrays.spectrum], arrays.channels, { mask: arrays.mask });
        plans.pack.runOn([arrays.channels], arrays.packed);
        if (measure) await this.done();
        const filtered = performance.now();
        const words = /** @type {Uint32Array<ArrayBuffer>} */ (await arrays.packed.read());
        const end = performance.now();
        const pixels = new Uint8ClampedArray(words.buffer, words.byteOffset, words.byteLength);
        const steps = measure ? { filter: filtered - begin, read: end - filtered } : {};
        return { pixels, total: end - begin, ...steps };
    }

    free() {
        for (const item of [...Object.values(this.plans), ...Object.values(this.arrays)]) item.free();
    }
}
