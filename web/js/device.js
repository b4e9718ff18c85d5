// What happens on a GPUDevice besides what the wasm module does: error scopes and transfers. Data
// goes straight between the caller's typed arrays and the device, not through the module's memory.

import { FftError } from "./error.js";

const KINDS = { GPUOutOfMemoryError: "out-of-memory", GPUValidationError: "webgpu", GPUInternalError: "webgpu" };

/**
 * Does what awaits nothing between error scopes. Returns its value, and a promise that rejects with
 * the first error that the browser reports for it.
 */
export function scoped(device, during, work) {
    const filters = ["out-of-memory", "internal", "validation"];
    filters.forEach((filter) => device.pushErrorScope(filter));
    let answers = [];
    let value;
    try {
        value = work();
    } finally {
        answers = filters.map(() => device.popErrorScope());
    }
    const outcome = Promise.all(answers).then(
        (errors) => {
            const error = errors.find((error) => error !== null);
            if (error) {
                throw new FftError(KINDS[error.constructor.name] ?? "webgpu", `${during}: ${error.message}`);
            }
        },
        (why) => {
            throw new FftError("device-lost", `the device was lost during ${during}: ${why.message}`);
        },
    );
    // Whoever awaits it still gets the error.
    outcome.catch(() => {});
    return [value, outcome];
}

/** WebGPU copies and binds in units of 4 bytes. */
export const inUnits = (bytes) => Math.ceil(bytes / 4) * 4;

/** Writes a typed array to the start of a buffer, and zeros up to the next unit. */
export function write(device, buffer, data) {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    const whole = Math.floor(bytes.length / 4) * 4;
    if (whole > 0) {
        device.queue.writeBuffer(buffer, 0, bytes, 0, whole);
    }
    if (whole < bytes.length) {
        const last = new Uint8Array(4);
        last.set(bytes.subarray(whole));
        device.queue.writeBuffer(buffer, whole, last);
    }
}

/** Submits a copy of the first bytes of a buffer, and returns a promise of them as a new `Type`. */
export function read(device, buffer, bytes, Type) {
    const size = inUnits(bytes);
    const [staging, outcome] = scoped(device, "reading back", () => {
        const staging = device.createBuffer({ label: "wgpu-fft reading", size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
        const encoder = device.createCommandEncoder({ label: "wgpu-fft reading" });
        encoder.copyBufferToBuffer(buffer, 0, staging, 0, size);
        device.queue.submit([encoder.finish()]);
        return staging;
    });
    const mapped = staging.mapAsync(GPUMapMode.READ);
    mapped.catch(() => {});
    return (async () => {
        await outcome;
        try {
            await mapped;
        } catch (why) {
            throw new FftError("device-lost", `the device was lost during reading back: ${why.message}`);
        }
        const data = new Type(staging.getMappedRange().slice(0, bytes));
        staging.destroy();
        return data;
    })();
}
