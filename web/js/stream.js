import { check } from "./elements.js";
import { FftError, guarded } from "./error.js";
import { read, scoped, write } from "./device.js";

/** A convolution of a stream: `Gpu.convolveStream` makes them. */
export class ConvolveStream {
    #gpu;
    #raw;
    #input;
    #output;

    /** @internal */
    constructor(gpu, raw, len) {
        this.#gpu = gpu;
        this.#raw = raw;
        this.len = len;
        this.spec = raw.spec;
        const flat = raw.partitions;
        this.partitions = Array.from({ length: flat.length / 2 }, (_, i) => ({ taps: flat[2 * i], count: flat[2 * i + 1] }));
        this.#input = gpu.alloc("f32", len);
        this.#output = gpu.alloc("f32", len);
    }

    get #alive() {
        if (this.#raw === undefined) {
            throw new FftError("freed", "this ConvolveStream was freed");
        }
        this.#gpu.alive("running");
        return this.#raw;
    }

    /** Takes the next block of all channels, and returns the same block of the results. */
    async push(block) {
        const raw = this.#alive;
        check("block", block, "f32", this.len);
        const device = this.#gpu.device;
        // What is wrong with it is no error of this block.
        this.#gpu.flush();
        // Written, submitted and copied before anything is awaited, so that blocks may overlap.
        const [data, outcome] = scoped(device, `running \`${this.spec}\``, () => {
            write(device, this.#input.buffer, block);
            guarded(() => raw.submit(this.#input.raw, this.#output.raw));
            return read(device, this.#output.buffer, this.#output.byteLength, Float32Array);
        });
        data.catch(() => {});
        await outcome;
        return data;
    }

    /** Forgets all blocks: the next one is the first again. */
    reset() {
        const raw = this.#alive;
        this.#gpu.flush();
        guarded(() => raw.reset());
    }

    /** Exchanges the kernel for one of the same length. */
    setKernel(kernel) {
        const raw = this.#alive;
        this.#gpu.flush();
        guarded(() => raw.setKernel(kernel));
    }

    /** Frees its memory on the device. */
    free() {
        if (this.#raw !== undefined) {
            this.#input.free();
            this.#output.free();
            this.#raw.free();
            this.#raw = undefined;
        }
    }

    [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
        this.free();
    }
}
