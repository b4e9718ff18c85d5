// The examples of the README, run as they stand there, behind what they take for granted.

const PROLOGUE = `
    import { Gpu } from "wgpu-fft";
    const gpu = await Gpu.open();
`;

const BEFORE = [
    "",
    "",
    `${PROLOGUE} const [pixels, weights] = [new Float32Array(480 * 640).fill(1), new Float32Array(31 * 31).fill(1 / 961)];`,
    `${PROLOGUE} const plan = await gpu.plan("r2c fwd 640");
     const frames = Array.from({ length: 20 }, (_, i) => [gpu.upload(new Float32Array(640).fill(i)), gpu.alloc("complex f32", 321)]);`,
    `${PROLOGUE} const [picture, spectrum] = [gpu.upload(new Uint8Array(480 * 640).fill(255)), gpu.alloc("f32", 480 * 321)];
     const window = gpu.upload(new Float32Array(640).fill(1));`,
    `${PROLOGUE} import { inlineFft } from "wgpu-fft";`,
    `${PROLOGUE} const [response, block] = [new Float32Array(48000), new Float32Array(512).fill(1)]; response[0] = 0.5;`,
    `${PROLOGUE} const texture = (format, size, usage) => gpu.device.createTexture({ format, size, usage });
     const usage = GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST;
     const frame = texture("rgba8unorm", [640, 480], usage);
     gpu.device.queue.writeTexture({ texture: frame }, new Uint8Array(4 * 480 * 640).fill(255), { bytesPerRow: 2560 }, [640, 480]);
     const levels = texture("r32float", [321, 480], GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.COPY_SRC);`,
    `import { Gpu } from "wgpu-fft";
     const device = await (await navigator.gpu.requestAdapter()).requestDevice();
     const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
     const buffer = device.createBuffer({ size: 8 * 512 * 512, usage });
     device.queue.writeBuffer(buffer, 0, Float32Array.of(1));`,
];

// What the results are, by what the examples compute.
const AFTER = [
    "check(spectrum[0], 153600, 0.1);",
    "z.forEach((value, i) => check(same[i], value, 1e-5));",
    "check((await blurred.read())[100 * 640 + 100], 1, 1e-4); check((await spectrum.read()).length, 2 * 480 * 321, 0);",
    "for (const [i, [, spectrum]] of frames.entries()) check((await spectrum.read())[0], 640 * i, 1e-2);",
    "check((await spectrum.read())[0], 20 * Math.log10(480 * 640), 1e-3);",
    `const z = Float32Array.from({ length: 2048 }, (_, i) => Math.sin(i));
     const [rows, roots] = [gpu.upload(z, "complex f32"), gpu.upload(fft.twiddles)];
     const module = gpu.device.createShaderModule({ code });
     const pipeline = await gpu.device.createComputePipelineAsync({ layout: "auto", compute: { module } });
     const entries = [rows, roots].map(({ buffer }, binding) => ({ binding, resource: { buffer } }));
     const encoder = gpu.device.createCommandEncoder();
     const pass = encoder.beginComputePass();
     pass.setPipeline(pipeline);
     pass.setBindGroup(0, gpu.device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
     pass.dispatchWorkgroups(1);
     pass.end();
     gpu.device.queue.submit([encoder.finish()]);
     const same = await rows.read();
     z.forEach((value, i) => check(same[i], value, 1e-5));`,
    "check(wet.length, 512, 0); check(wet[511], 0.5, 1e-5);",
    `const level = gpu.alloc("f32", 64);
     const encoder = gpu.device.createCommandEncoder();
     encoder.copyTextureToBuffer({ texture: levels }, { buffer: level.buffer, bytesPerRow: 256 }, [1, 1]);
     gpu.device.queue.submit([encoder.finish()]);
     check((await level.read())[0], 0.1 * Math.log(1 + 480 * 640), 1e-4);`,
    "check((await array.read()).every((value, i) => Math.abs(value - (i % 2 === 0 ? 1 : 0)) < 1e-6), true, 0); device.destroy();",
];

const CHECK = `
    function check(actual, expected, tolerance) {
        const wrong = tolerance === 0 ? actual !== expected : !(Math.abs(actual - expected) <= tolerance);
        if (wrong) throw new Error(\`\${actual} in place of \${expected}\`);
    }
`;

const PACKAGE = new URL("../../pkg/index.js", import.meta.url).href;

export async function every_example_of_the_readme() {
    const text = await (await fetch(new URL("../../README.md", import.meta.url))).text();
    const blocks = [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, block]) => block);
    if (blocks.length !== BEFORE.length) {
        throw new Error(`the README has ${blocks.length} examples, and this test knows ${BEFORE.length}`);
    }
    for (const [i, block] of blocks.entries()) {
        const text = [BEFORE[i], block, CHECK, AFTER[i]].join("\n").replaceAll('"wgpu-fft"', JSON.stringify(PACKAGE));
        try {
            await import(`data:text/javascript,${encodeURIComponent(text)}`);
        } catch (error) {
            throw new Error(`example ${i + 1}: ${error.message}`, { cause: error });
        }
    }
    return `${blocks.length} examples`;
}
