// Devices and buffers of the caller's own. Every function is a test.

import { FftError, Gpu } from "../../pkg/index.js";
import { assertClose, assertEqual, dft, fftBound, noise } from "./reference.js";

export async function a_device_of_the_callers_is_used() {
    const adapter = await navigator.gpu.requestAdapter();
    const device = await adapter.requestDevice();
    const gpu = await Gpu.open({ device });
    assertEqual(gpu.device === device, true, "the device is the caller's");
    assertEqual(Object.hasOwn(navigator, "gpu"), false, "navigator is as it was");

    // Its buffers, without copies, and its own commands before and after the plan.
    const n = 256;
    const data = noise(2 * n, 1);
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    const [input, output] = [0, 1].map(() => device.createBuffer({ size: 8 * n, usage }));
    device.queue.writeBuffer(input, 0, Float32Array.from(data));
    const plan = await gpu.plan(`c2c fwd ${n}`);
    const arrays = [input, output].map((buffer) => gpu.wrap(buffer, "complex f32"));
    assertEqual(arrays[0].buffer === input && arrays[0].len === n, true, "the buffer is the caller's");
    plan.runOn([arrays[0]], arrays[1]);
    const staging = device.createBuffer({ size: 8 * n, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(output, 0, staging, 0, 8 * n);
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(GPUMapMode.READ);
    const actual = new Float32Array(staging.getMappedRange().slice(0));
    const error = assertClose(actual, dft(data, [n], -1), fftBound([n]), "in the caller's buffers");

    // What belongs to the caller stays.
    arrays.forEach((array) => array.free());
    gpu.free();
    device.queue.writeBuffer(input, 0, new Float32Array(4));
    const lost = await Promise.race([device.lost, new Promise((resolve) => setTimeout(() => resolve("alive"), 100))]);
    assertEqual(lost, "alive", "the device of the caller");
    device.destroy();
    return error.toExponential(1);
}

/** Where a plan was queued on the caller's buffers, and they are used again without `flush`. */
export async function what_is_queued_comes_before_freeing() {
    const adapter = await navigator.gpu.requestAdapter();
    const device = await adapter.requestDevice();
    const gpu = await Gpu.open({ device });
    const n = 64;
    const data = noise(2 * n, 3);
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    const [input, output] = [0, 1].map(() => device.createBuffer({ size: 8 * n, usage }));
    const plan = await gpu.plan(`c2c fwd ${n}`);
    const frees = [
        ["a wrapped buffer", (arrays) => arrays[0].free()],
        ["the Gpu", () => gpu.free()],
    ];
    for (const [what, free] of frees) {
        device.queue.writeBuffer(input, 0, Float32Array.from(data));
        const arrays = [input, output].map((buffer) => gpu.wrap(buffer, "complex f32"));
        plan.enqueue([arrays[0]], arrays[1]);
        free(arrays);
        device.queue.writeBuffer(input, 0, new Float32Array(2 * n));
        const staging = device.createBuffer({ size: 8 * n, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
        const encoder = device.createCommandEncoder();
        encoder.copyBufferToBuffer(output, 0, staging, 0, 8 * n);
        encoder.clearBuffer(output);
        device.queue.submit([encoder.finish()]);
        await staging.mapAsync(GPUMapMode.READ);
        const actual = new Float32Array(staging.getMappedRange().slice(0));
        assertClose(actual, dft(data, [n], -1), fftBound([n]), `queued before freeing ${what}`);
    }
    device.destroy();
}

export async function buffers_of_our_device_are_shared() {
    const gpu = await Gpu.open();
    const buffer = gpu.device.createBuffer({ size: 40, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST });
    gpu.device.queue.writeBuffer(buffer, 0, Int32Array.from({ length: 10 }, (_, i) => i * i));
    const numbers = gpu.wrap(buffer, "i32");
    const total = gpu.alloc("i32", 1);
    (await gpu.plan("sum i32 10")).runOn([numbers], total);
    assertEqual(await total.read(), Int32Array.of(285), "sum");
    assertEqual(await numbers.read(), Int32Array.from({ length: 10 }, (_, i) => i * i), "read");
    for (const [len, kind] of [[11, "out-of-range"], [0, "out-of-range"]]) {
        try {
            gpu.wrap(buffer, "i32", len);
            throw new Error(`${len} elements were wrapped`);
        } catch (error) {
            if (!(error instanceof FftError) || error.kind !== kind) throw error;
        }
    }
    const plain = gpu.device.createBuffer({ size: 40, usage: GPUBufferUsage.COPY_SRC });
    let kind;
    try {
        (await gpu.plan("sum i32 10")).runOn([gpu.wrap(plain, "i32")], total);
    } catch (error) {
        kind = error.kind;
    }
    assertEqual(kind, "missing-usage", "a buffer that plans cannot use");
    gpu.free();
}

export async function what_a_device_says_of_itself() {
    const gpu = await Gpu.open({ powerPreference: "low-power" });
    const { name, backend, fallback, limits, f16 } = gpu.info;
    assertEqual([typeof name, backend, typeof fallback, typeof f16], ["string", "WebGPU", "boolean", "boolean"], "info");
    assertEqual(limits.maxComputeInvocationsPerWorkgroup >= 256, true, "limits");
    gpu.free();
    return `${name}${fallback ? ", fallback" : ""}, ${limits.maxComputeWorkgroupStorageSize} bytes of workgroup memory`;
}

/** The same module in a worker, where pages compute without standing still. */
export async function workers_compute_too() {
    const code = `
        import { Gpu } from "${new URL("../../pkg/index.js", import.meta.url).href}";
        const gpu = await Gpu.open();
        const output = await (await gpu.plan("sum u32 1000")).run(Uint32Array.from({ length: 1000 }, (_, i) => i));
        gpu.free();
        postMessage(output[0]);
    `;
    const worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })), { type: "module" });
    const sum = await new Promise((resolve, reject) => {
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message }) => reject(new Error(message));
    });
    worker.terminate();
    assertEqual(sum, 499500, "sum");
}

/** Plans that nobody lets go of must not keep buffers of those that were freed. */
export async function what_is_freed_is_let_go_of() {
    const gpu = await Gpu.open();
    const made = [];
    const { createBuffer } = gpu.device;
    gpu.device.createBuffer = function (descriptor) {
        const buffer = createBuffer.call(this, descriptor);
        made.push(buffer);
        const { destroy } = buffer;
        buffer.destroy = function () {
            made.splice(made.indexOf(this), 1);
            destroy.call(this);
        };
        return buffer;
    };
    const plan = await gpu.plan("c2c fwd 100");
    const constants = made.length;
    for (let i = 0; i < 20; i++) {
        await plan.run(new Float32Array(200));
    }
    const [input, output] = [gpu.upload(new Float32Array(200), "complex f32"), gpu.alloc("complex f32", 100)];
    plan.runOn([input], output);
    await output.read();
    // The arrays of `run`, and the two here; read-backs have freed theirs.
    assertEqual(made.length, constants + 4, "buffers");
    [input, output, plan].forEach((object) => object.free());
    assertEqual(made.length, constants, "buffers that are left");
    gpu.free();
}
