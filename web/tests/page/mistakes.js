// What goes wrong, and what users are told. Every function is a test.

import { FftError, Gpu, inlineFft } from "../../pkg/index.js";
import { assertClose, assertEqual, dft, fftBound, noise } from "./reference.js";
import { shared } from "./shared.js";

/** Fails unless the work fails with this kind of error, and a message that has these words. */
async function refused(kind, words, work) {
    let error;
    try {
        await work();
    } catch (thrown) {
        error = thrown;
    }
    if (!(error instanceof FftError) || error.kind !== kind) {
        throw new Error(`expected an FftError of kind ${kind}, got ${error === undefined ? "none" : `${error.kind}: ${error.stack}`}`);
    }
    for (const word of words) {
        if (!error.message.includes(word)) {
            throw new Error(`the message lacks \`${word}\`: ${error.message}`);
        }
    }
    return error.message;
}

export async function bad_texts() {
    const gpu = await shared();
    const messages = [
        await refused("parse", ["c2x fwd 512"], () => gpu.plan("c2x fwd 512")),
        await refused("parse", ["c2c fwd 12y"], () => gpu.plan("c2c fwd 12y")),
        await refused("parse", ["recipe"], () => gpu.plan("c2c fwd 64", { recipe: "as fast as you can" })),
        await refused("unfit-recipe", ["stockham"], () =>
            gpu.plan("c2c fwd 64", { recipe: "axis 0: stockham 8.4 lanes=8 lines=1 exchange=split pieces=1 banks=0 roots=products" }),
        ),
        await refused("parse", ["line 1"], () => gpu.plan("c2c fwd 64", { mapInput: { code: "value * gain", element: "complex f32" } })),
        await refused("parse", ["f33"], () => gpu.alloc("f33", 10)),
    ];
    return messages.join("\n");
}

export async function wrong_lengths() {
    const gpu = await shared();
    const plan = await gpu.plan("r2c fwd 100");
    const [input, output, short] = [gpu.alloc("f32", 100), gpu.alloc("complex f32", 51), gpu.alloc("complex f32", 50)];
    const messages = [
        await refused("wrong-length", ["100", "99"], () => plan.run(new Float32Array(99))),
        await refused("wrong-inputs", ["1", "2"], () => plan.run(new Float32Array(100), new Float32Array(100))),
        await refused("unsupported", ["Float32Array", "Float64Array"], () => plan.run(new Float64Array(100))),
        await refused("wrong-length", ["51", "50"], () => plan.runOn([input], short)),
        await refused("wrong-arrays", ["window"], () => plan.runOn([input], output, { window: input })),
        await refused("wrong-length", ["99"], () => input.write(new Float32Array(99))),
        await refused("empty", ["0"], () => gpu.alloc("f32", 0)),
        await refused("aliased", ["output"], async () => {
            const square = await gpu.plan("c2c fwd 64");
            const array = gpu.alloc("complex f32", 64);
            square.runOn([array], array);
        }),
    ];
    const room = await gpu.convolveStream(new Float32Array(40), { block: 16 });
    messages.push(await refused("wrong-length", ["block", "16", "15"], () => room.push(new Float32Array(15))));
    messages.push(await refused("wrong-length", ["kernel", "40", "41"], () => room.setKernel(new Float32Array(41))));
    messages.push(await refused("wrong-length", ["5 taps", "2 channels"], () => gpu.convolveStream(new Float32Array(5), { channels: 2, kernelForEach: true })));
    messages.push(await refused("empty", ["0 taps"], () => gpu.convolveStream(new Float32Array(0))));
    room.free();
    messages.push(await refused("freed", [], () => room.push(new Float32Array(16))));
    short.free();
    messages.push(await refused("freed", [], () => short.read()));
    return messages.join("\n");
}

export async function too_large() {
    const gpu = await shared();
    const { maxBufferSize } = gpu.info.limits;
    return [
        await refused("too-large", [String(maxBufferSize)], () => gpu.alloc("f32", maxBufferSize)),
        await refused("too-large", [], () => gpu.plan("c2c fwd 1048576x65536")),
    ].join("\n");
}

export async function no_webgpu() {
    Object.defineProperty(navigator, "gpu", { value: undefined, configurable: true });
    try {
        return await refused("no-webgpu", ["browser", "https"], () => Gpu.open());
    } finally {
        delete navigator.gpu;
    }
}

/** A browser that has WebGPU, but no adapter for it. */
export async function no_adapter() {
    const gpu = { requestAdapter: async () => null };
    Object.defineProperty(navigator, "gpu", { value: gpu, configurable: true });
    try {
        return await refused("no-webgpu", ["browser"], () => Gpu.open());
    } finally {
        delete navigator.gpu;
    }
}

/** These tests run on a software adapter. */
export async function fallback_adapters_can_be_refused() {
    const gpu = await shared();
    if (!gpu.info.fallback) {
        return `SKIPPED: refusing fallback adapters: ${gpu.info.name} is none`;
    }
    return refused("fallback", ["processor"], () => Gpu.open({ allowFallback: false }));
}

export async function a_lost_device_is_reported_and_another_one_opened() {
    const data = noise(128, 1);
    const input = Float32Array.from(data);
    const gpu = await Gpu.open();
    const plan = await gpu.plan("c2c fwd 64");
    await plan.run(input);
    const array = gpu.upload(input, "complex f32");
    const under_way = Promise.allSettled([plan.run(input), array.read()]);
    gpu.device.destroy();
    const reason = await gpu.lost;
    assertEqual(reason.startsWith("destroyed"), true, `the reason ${reason}`);
    // What was submitted before may have arrived or not, but nobody waits for ever.
    const settled = (await under_way).map(({ status, reason }) => reason?.kind ?? status);
    if (!settled.every((state) => state === "fulfilled" || state === "device-lost")) {
        throw new Error(`what was under way: ${settled}`);
    }
    const message = await refused("device-lost", ["destroyed"], () => plan.run(input));
    await refused("device-lost", [], () => gpu.plan("c2c fwd 32"));
    await refused("device-lost", [], () => array.read());
    await refused("device-lost", [], () => gpu.alloc("f32", 8));
    gpu.free();

    const another = await Gpu.open();
    const result = await (await another.plan("c2c fwd 64")).run(input);
    assertClose(result, dft(data, [64], -1), fftBound([64]), "on the new device");
    another.free();
    return `${message}; under way: ${settled}`;
}

/** One bad plan in the queue costs those beside it, and neither what is not queued nor what comes later. */
export async function errors_of_queued_plans_reach_the_next_read() {
    const gpu = await Gpu.open();
    const data = noise(128, 4);
    const plan = await gpu.plan("c2c fwd 64");
    const other = await gpu.plan("c2c fwd 64 in-place");
    const room = await gpu.convolveStream(Float32Array.of(1, 2), { block: 16 });
    const y = gpu.alloc("complex f32", 64);
    const bad = () => {
        const [x, lost] = [gpu.upload(Float32Array.from(data), "complex f32"), gpu.alloc("complex f32", 64)];
        lost.buffer.destroy();
        plan.enqueue([x], y);
        other.enqueue([], lost);
    };
    const messages = [];
    // Whatever submits it.
    for (const submit of [
        () => {},
        // Many are submitted before anybody asks.
        () => {
            const x = gpu.upload(Float32Array.from(data), "complex f32");
            for (let i = 0; i < 100; i++) {
                plan.enqueue([x], y);
            }
        },
        () => plan.run(Float32Array.from(data)),
        () => room.push(new Float32Array(16)),
        () => room.setKernel(Float32Array.of(2, 1)),
        async () => (await gpu.convolveStream(Float32Array.of(1, 2), { block: 16 })).free(),
        () => other.runOn([], y),
    ]) {
        bad();
        await submit();
        // What else it says is the browser's own.
        messages.push(await refused("webgpu", ["queued"], () => y.read()));
        // It is said once.
        await y.read();
        plan.enqueue([gpu.upload(Float32Array.from(data), "complex f32")], y);
        assertClose(await y.read(), dft(data, [64], -1), fftBound([64]), "what is queued later");
    }
    gpu.free();
    return messages[0];
}

/** The browser finds the error after the call has returned. */
export async function errors_of_the_browser_reach_the_caller() {
    const gpu = await Gpu.open();
    const { device } = gpu;
    const make = device.createComputePipeline;
    device.createComputePipeline = (descriptor) => {
        const compute = { ...descriptor.compute, module: descriptor.compute.module, entryPoint: "nobody" };
        return make.call(device, { layout: descriptor.layout, compute });
    };
    const message = await refused("webgpu", ["nobody"], () => gpu.plan("c2c fwd 64"));
    delete device.createComputePipeline;
    // What was broken is not kept.
    const data = noise(128, 2);
    assertClose(await (await gpu.plan("c2c fwd 64")).run(Float32Array.from(data)), dft(data, [64], -1), fftBound([64]), "afterwards");
    gpu.free();
    return message;
}

/** The browser says that there is no memory, also after the call has returned. */
export async function missing_memory() {
    const gpu = await shared();
    const plan = await gpu.plan("c2c fwd 80");
    const data = noise(160, 3);
    const { popErrorScope } = GPUDevice.prototype;
    GPUDevice.prototype.popErrorScope = async function () {
        await popErrorScope.call(this);
        return new GPUOutOfMemoryError("for the test");
    };
    let messages;
    try {
        const array = gpu.alloc("f32", 100);
        messages = [
            await refused("out-of-memory", ["400 bytes"], () => array.read()),
            await refused("out-of-memory", ["640 bytes"], () => plan.run(Float32Array.from(data))),
            await refused("out-of-memory", [], () => gpu.plan("c2c fwd 81")),
        ];
    } finally {
        GPUDevice.prototype.popErrorScope = popErrorScope;
    }
    // Nothing of it is kept.
    assertClose(await plan.run(Float32Array.from(data)), dft(data, [80], -1), fftBound([80]), "afterwards");
    await gpu.plan("c2c fwd 81");
    return messages.join("\n");
}

export async function wrong_inline_transforms() {
    return [
        await refused("unsupported", ["prime factor 37"], () => inlineFft(37)),
        await refused("unsupported", ["1000 invocations"], () => inlineFft(1024, { invocations: 1000 })),
        await refused("unsupported", ["a name"], () => inlineFft(64, { name: "two words" })),
        await refused("unsupported", ["radix", "invocations"], () => inlineFft(64, { radix: 8 })),
        await refused("unsupported", ["12.5"], () => inlineFft(12.5)),
        await refused("empty", [], () => inlineFft(0)),
    ].join("\n");
}
