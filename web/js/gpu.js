import init, { WasmInstance } from "./wasm/wgpu_fft_web.js";
import { DeviceArray } from "./array.js";
import { check, layoutOf, plainElement } from "./elements.js";
import { FftError, guarded, guardedAsync } from "./error.js";
import { inUnits, scoped, write } from "./device.js";
import { Plan } from "./plan.js";
import { ConvolveStream } from "./stream.js";
import { DeviceTexture } from "./texture.js";

const USAGES = ["STORAGE", "UNIFORM", "COPY_SRC", "COPY_DST"];
const NO_WEBGPU =
    "there is no WebGPU here (navigator.gpu): use a current Chrome, Edge, Firefox or Safari as a browser, and a secure page " +
    "(https or localhost), or Deno; the README says how Node gets it";

let loading;

/** Loads the wasm module, once. A failure is tried again. Node has files, but does not fetch them. */
export function load(wasm = new URL("./wasm/wgpu_fft_web_bg.wasm", import.meta.url)) {
    const files = wasm.protocol === "file:" ? globalThis.process?.getBuiltinModule?.("node:fs/promises") : undefined;
    loading ??= init({ module_or_path: files?.readFile(wasm) ?? wasm }).catch((why) => {
        loading = undefined;
        throw new FftError("no-wasm", `the wasm module could not be loaded: ${why.message}`, { cause: why });
    });
    return loading;
}

/** Puts a value in place of a property for as long as `work` takes, which awaits nothing. */
function inPlaceOf(object, property, value, work) {
    const own = Object.getOwnPropertyDescriptor(object, property);
    Object.defineProperty(object, property, { value, configurable: true, writable: true });
    try {
        return work();
    } finally {
        delete object[property];
        if (own) {
            Object.defineProperty(object, property, own);
        }
    }
}

/**
 * wgpu opens devices itself and takes none. It looks for `navigator.gpu` when its instance is made,
 * so it finds this there, whose adapter gives out the caller's device.
 */
function instanceFor(device) {
    const adapter = {
        features: device.features,
        limits: device.limits,
        info: device.adapterInfo,
        requestDevice: () => Promise.resolve(device),
    };
    const gpu = { requestAdapter: () => Promise.resolve(adapter) };
    return inPlaceOf(globalThis, "navigator", { gpu }, instance);
}

/** wgpu looks into windows and workers alone. Node, which is neither, passes for a window. */
function instance() {
    const make = () => new WasmInstance();
    return globalThis.Window || globalThis.WorkerGlobalScope ? make() : inPlaceOf(globalThis, "Window", Object, make);
}

/** A device to compute on. */
export class Gpu {
    #raw;
    #lost;
    #queued = false;
    #queuedOutcome;

    /** Opens a device, or takes one of yours. Loads the wasm module the first time. */
    static async open({ powerPreference, allowFallback = true, device, wasm } = {}) {
        if (device === undefined && !globalThis.navigator?.gpu) {
            throw new FftError("no-webgpu", NO_WEBGPU);
        }
        await load(wasm);
        return guardedAsync(async () => {
            const found = device === undefined ? instance() : instanceFor(device);
            const gpu = new Gpu(await found.open(powerPreference), device === undefined);
            if (gpu.info.fallback && !allowFallback) {
                gpu.free();
                throw new FftError("fallback", "the browser offers only a software adapter, which computes on the processor");
            }
            return gpu;
        });
    }

    /** @internal */
    constructor(raw, owned) {
        this.#raw = raw;
        this.owned = owned;
        this.device = raw.device;
        this.lost = this.device.lost.then(({ reason, message }) => {
            this.#lost = message ? `${reason}: ${message}` : reason;
            return this.#lost;
        });
        const { adapterInfo = {}, limits, features } = this.device;
        const { vendor, architecture, description } = adapterInfo;
        const entries = [];
        for (const name in limits) {
            if (typeof limits[name] === "number") {
                entries.push([name, limits[name]]);
            }
        }
        this.info = Object.freeze({
            name: description || [vendor, architecture].filter(Boolean).join(" ") || "unnamed adapter",
            backend: "WebGPU",
            fallback: raw.fallback,
            f16: features.has("shader-f16"),
            limits: Object.freeze(Object.fromEntries(entries)),
        });
    }

    /** Fails if the device is known to be lost. @internal */
    alive(during) {
        if (this.#raw === undefined) {
            throw new FftError("freed", "this Gpu was freed");
        }
        if (this.#lost !== undefined) {
            throw new FftError("device-lost", `the device was lost during ${during}: ${this.#lost}`);
        }
    }

    /** Makes a plan. `spec` is the text of a specification, such as `r2c fwd 1080x1920`. */
    async plan(spec, { recipe, mapInput, mapOutput } = {}) {
        this.alive("planning");
        return guardedAsync(async () => new Plan(this, await this.#raw.plan(String(spec), recipe, mapInput, mapOutput)));
    }

    /**
     * Begins a convolution of blocks of `block` samples, with a kernel of any length. `channels` lie one
     * after the other in a block, and with `kernelForEach` each has a kernel of its own. `larger` sets
     * partitions for late taps, in blocks.
     */
    async convolveStream(kernel, { block = 128, channels = 1, kernelForEach = false, larger } = {}) {
        this.alive("planning");
        for (const [what, value] of Object.entries({ block, channels })) {
            if (!Number.isInteger(value) || value < 1 || value > 0xffffffff) {
                throw new FftError("unsupported", `convolveStream: ${what} is ${value}, not a number of things`);
            }
        }
        check("kernel", kernel, "f32", kernel.length);
        const taps = kernelForEach ? kernel.length / channels : kernel.length;
        if (!Number.isInteger(taps)) {
            throw new FftError("wrong-length", `kernel: ${kernel.length} taps are no whole number for each of ${channels} channels`);
        }
        const sizes = larger && Uint32Array.from(larger);
        this.flush();
        const make = () => guarded(() => this.#raw.stream(block, taps, channels, kernelForEach, sizes, kernel));
        const [raw, outcome] = scoped(this.device, "planning a stream", make);
        await outcome;
        return new ConvolveStream(this, raw, block * channels);
    }

    /** An array on the device with these elements. A typed array of f32 may hold complex numbers. */
    upload(data, element = plainElement(data)) {
        const { bytes } = layoutOf(element);
        check("data", data, element, Math.floor(data.byteLength / bytes));
        const array = this.alloc(element, data.byteLength / bytes);
        write(this.device, array.buffer, data);
        return array;
    }

    /** An array of `len` zeros on the device. */
    alloc(element, len) {
        this.alive("allocation");
        const { bytes } = layoutOf(element);
        if (!Number.isInteger(len) || len < 1) {
            throw new FftError("empty", `an array of ${len} elements: it must have at least 1`);
        }
        const size = inUnits(bytes * len);
        if (size > this.info.limits.maxBufferSize) {
            const limit = this.info.limits.maxBufferSize;
            throw new FftError("too-large", `array (bytes) needs ${size}, but the limit maxBufferSize is ${limit}`);
        }
        const usage = USAGES.reduce((all, name) => all | GPUBufferUsage[name], 0);
        const [raw, outcome] = scoped(this.device, `allocation of ${size} bytes`, () =>
            guarded(() => this.#raw.array(bytes * len, size, usage)),
        );
        return new DeviceArray(this, raw, element, len, true, outcome);
    }

    /**
     * A GPUBuffer of this device as an array, without a copy. It needs the usage STORAGE, and
     * COPY_SRC and COPY_DST to be read and written. Nobody else frees it.
     */
    wrap(buffer, element, len) {
        this.alive("wrapping");
        const { bytes } = layoutOf(element);
        const elements = len ?? Math.floor(buffer.size / bytes);
        if (elements < 1 || inUnits(elements * bytes) > buffer.size) {
            throw new FftError("out-of-range", `${elements} elements of ${element} do not fit a buffer of ${buffer.size} bytes`);
        }
        // wgpu makes its own buffers alone, so the device hands out this one.
        const make = () => this.#raw.array(elements * bytes, buffer.size, buffer.usage);
        const raw = inPlaceOf(this.device, "createBuffer", () => buffer, () => guarded(make));
        return new DeviceArray(this, raw, element, elements, false, undefined);
    }

    /** Does what queues a plan, and submits if that says so. @internal */
    queue(work) {
        this.#queued = true;
        if (guarded(work)) {
            this.settle();
        }
    }

    /** Submits what `Plan.enqueue` has queued. */
    flush() {
        this.alive("submission");
        this.settle();
    }

    /** The same, as far as there is a device. What is wrong with it is no error of who calls this. @internal */
    settle() {
        if (this.#queued && this.#raw !== undefined && this.#lost === undefined) {
            this.#queued = false;
            const [, outcome] = scoped(this.device, "submission of queued plans", () => guarded(() => this.#raw.flush()));
            this.#queuedOutcome = Promise.all([this.#queuedOutcome, outcome]);
            this.#queuedOutcome.catch(() => {});
        }
    }

    /** Rejects, for one caller, with what was wrong with submissions of queued plans. @internal */
    queuedOutcome() {
        const outcome = this.#queuedOutcome;
        this.#queuedOutcome = undefined;
        return outcome;
    }

    /**
     * A GPUTexture of this device as an input, which needs the usage TEXTURE_BINDING, or as an output,
     * which needs STORAGE_BINDING, without a copy.
     */
    wrapTexture(texture, { mipLevel = 0, layer = 0 } = {}) {
        this.alive("wrapping");
        const { width, height, depthOrArrayLayers, mipLevelCount, sampleCount, dimension, format, usage } = texture;
        const size = Uint32Array.of(width, height, depthOrArrayLayers, mipLevelCount, sampleCount);
        const make = () => this.#raw.texture(format, size, dimension === "3d", usage, mipLevel, layer);
        const raw = inPlaceOf(this.device, "createTexture", () => texture, () => guarded(make));
        return new DeviceTexture(raw, texture, mipLevel, layer);
    }

    /** Forgets all plans, and destroys the device unless it is yours. */
    free() {
        if (this.#raw !== undefined) {
            // The device may live on.
            this.settle();
            this.#raw.free();
            this.#raw = undefined;
            if (this.owned) {
                this.device.destroy();
            }
        }
    }

    [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
        this.free();
    }
}
