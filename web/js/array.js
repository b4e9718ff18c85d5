import { check, layoutOf } from "./elements.js";
import { FftError } from "./error.js";
import { read, write } from "./device.js";

let created = 0;

/** An array on the device. `Gpu` makes them. */
export class DeviceArray {
    #gpu;
    #raw;
    #owned;
    #id = created++;
    #outcome;

    /** @internal */
    constructor(gpu, raw, element, len, owned, outcome) {
        this.#gpu = gpu;
        this.#raw = raw;
        this.#owned = owned;
        this.#outcome = outcome;
        this.element = element;
        this.len = len;
    }

    /** The GPUBuffer that holds it. */
    get buffer() {
        return this.raw.buffer;
    }

    /** The size of its elements in bytes; the buffer is rounded up to 4. */
    get byteLength() {
        return this.len * layoutOf(this.element).bytes;
    }

    /** @internal */
    get raw() {
        if (this.#raw === undefined) {
            throw new FftError("freed", "this DeviceArray was freed");
        }
        return this.#raw;
    }

    /** Rejects if the browser had no memory for it. @internal */
    get allocated() {
        return this.#outcome;
    }

    /** @internal */
    get id() {
        return this.#id;
    }

    /** The elements, when everything submitted so far has run. Rejects if queued plans did not run. */
    async read() {
        const { Type } = layoutOf(this.element);
        this.#gpu.alive("reading back");
        this.#gpu.flush();
        const queued = this.#gpu.queuedOutcome();
        // Submitted before anything is awaited, so that what follows cannot change the array first.
        const data = read(this.#gpu.device, this.buffer, this.byteLength, Type);
        data.catch(() => {});
        await this.#outcome;
        await queued;
        return data;
    }

    /** Replaces the elements, before what is submitted afterwards. */
    write(data) {
        check("data", data, this.element, this.len);
        this.#gpu.alive("writing");
        this.#gpu.flush();
        write(this.#gpu.device, this.buffer, data);
    }

    /** Frees its memory on the device. Of a wrapped GPUBuffer it only lets go. */
    free() {
        if (this.#raw !== undefined) {
            // Nothing that is submitted later may use it, and who owns it may use it now.
            this.#gpu.settle();
            if (this.#owned) {
                this.#raw.buffer.destroy();
            }
            this.#raw.free();
            this.#raw = undefined;
        }
    }

    [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
        this.free();
    }
}
