import { FftError } from "./error.js";

let created = 0;

/** A level of a GPUTexture, from a layer on, as an input or an output of plans. `Gpu` makes them. */
export class DeviceTexture {
    #raw;
    #id = `texture ${created++}`;

    /** @internal */
    constructor(raw, texture, mipLevel, layer) {
        this.#raw = raw;
        this.texture = texture;
        this.mipLevel = mipLevel;
        this.layer = layer;
    }

    /** @internal */
    get raw() {
        if (this.#raw === undefined) {
            throw new FftError("freed", "this DeviceTexture was freed");
        }
        return this.#raw;
    }

    /** @internal */
    get id() {
        return this.#id;
    }

    /** Lets go of the texture, which stays. */
    free() {
        this.#raw?.free();
        this.#raw = undefined;
    }

    [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
        this.free();
    }
}
