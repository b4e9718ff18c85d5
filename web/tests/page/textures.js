// Textures as inputs and outputs of plans. Every function is a test.

import { FftError, Gpu } from "../../pkg/index.js";
import { assertClose, assertEqual, complex, dft, fftBound, noise } from "./reference.js";

const USAGE = () => GPUTextureUsage.COPY_DST | GPUTextureUsage.COPY_SRC;

function textureOf(gpu, format, [rows, columns], usage, more = {}) {
    return gpu.device.createTexture({ size: [columns, rows, more.layers ?? 1], format, usage: usage | USAGE(), ...more });
}

function put(gpu, texture, data, [rows, columns], { mipLevel = 0, layer = 0 } = {}) {
    const target = { texture, mipLevel, origin: [0, 0, layer] };
    gpu.device.queue.writeTexture(target, data, { bytesPerRow: data.byteLength / rows, rowsPerImage: rows }, [columns, rows]);
}

/** The texels of level 0, as numbers. */
async function get(gpu, texture, [rows, columns], Type, channels) {
    const row = columns * channels * Type.BYTES_PER_ELEMENT;
    const pitch = Math.ceil(row / 256) * 256;
    const buffer = gpu.device.createBuffer({ size: pitch * rows, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
    const encoder = gpu.device.createCommandEncoder();
    encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: pitch }, [columns, rows]);
    gpu.device.queue.submit([encoder.finish()]);
    await buffer.mapAsync(GPUMapMode.READ);
    const bytes = buffer.getMappedRange();
    const lines = Array.from({ length: rows }, (_, r) => new Type(bytes.slice(r * pitch, r * pitch + row)));
    const all = new Type(rows * columns * channels);
    lines.forEach((line, r) => all.set(line, r * columns * channels));
    buffer.destroy();
    return all;
}

export async function a_picture_is_transformed_from_one_texture_into_another() {
    const gpu = await Gpu.open();
    const size = [15, 22];
    const bytes = Uint8Array.from(noise(4 * 15 * 22, 1), (x) => Math.floor(128 + 127 * x));
    const picture = textureOf(gpu, "rgba8unorm", size, GPUTextureUsage.TEXTURE_BINDING);
    put(gpu, picture, bytes, size);
    const spectrum = textureOf(gpu, "rg32float", [15, 12], GPUTextureUsage.STORAGE_BINDING);
    const plan = await gpu.plan("r2c fwd 15x22", {
        mapInput: { code: "dot(value.rgb, vec3(1.0, 2.0, -1.0))", texture: { format: "rgba8unorm", size } },
        mapOutput: { code: "value", texture: { format: "rg32float", size: [15, 12] } },
    });
    assertEqual([plan.inputs[0].element, plan.inputs[0].len, plan.output.element], ["texel", 330, "texel"], "what it takes");
    plan.runOn([gpu.wrapTexture(picture)], gpu.wrapTexture(spectrum));
    const texels = await get(gpu, spectrum, [15, 12], Float32Array, 2);
    const mixed = Array.from({ length: 330 }, (_, i) => (bytes[4 * i] + 2 * bytes[4 * i + 1] - bytes[4 * i + 2]) / 255);
    const whole = dft(complex(mixed), size, -1);
    const half = Array.from({ length: 15 }, (_, r) => [...whole.subarray(44 * r, 44 * r + 24)]).flat();
    const error = assertClose(texels, half, fftBound(size), "the spectrum in a texture");
    gpu.free();
    return error.toExponential(1);
}

export async function levels_and_layers_are_chosen() {
    const gpu = await Gpu.open();
    const both = GPUTextureUsage.TEXTURE_BINDING;
    const picture = textureOf(gpu, "r32float", [16, 20], both, { layers: 3, mipLevelCount: 2 });
    const data = Float32Array.from(noise(80, 2));
    put(gpu, picture, data, [8, 10], { mipLevel: 1, layer: 2 });
    const plan = await gpu.plan("sum f32 8x10", { mapInput: { code: "value", texture: { format: "r32float", size: [8, 10] } } });
    const total = gpu.alloc("f32", 1);
    plan.runOn([gpu.wrapTexture(picture, { mipLevel: 1, layer: 2 })], total);
    const [sum] = await total.read();
    const expected = data.reduce((all, x) => all + x, 0);
    assertEqual(Math.abs(sum - expected) < 1e-4, true, `${sum} and ${expected}`);
    gpu.free();
}

export async function what_does_not_fit_is_refused() {
    const gpu = await Gpu.open();
    const size = [8, 10];
    const sum = await gpu.plan("sum f32 8x10", { mapInput: { code: "value.g", texture: { format: "rgba8unorm", size } } });
    const total = gpu.alloc("f32", 1);
    const right = textureOf(gpu, "rgba8unorm", size, GPUTextureUsage.TEXTURE_BINDING);
    const array = gpu.upload(new Uint8Array(80));
    for (const [kind, part, work] of [
        ["wrong-texture", "got level 0 and layer 0 of a texture of rgba8unorm 8x11", () => {
            sum.runOn([gpu.wrapTexture(textureOf(gpu, "rgba8unorm", [8, 11], GPUTextureUsage.TEXTURE_BINDING))], total);
        }],
        ["wrong-texture", "TEXTURE_BINDING", () => sum.runOn([gpu.wrapTexture(textureOf(gpu, "rgba8unorm", size, 0))], total)],
        ["wrong-texture", "level 1", () => sum.runOn([gpu.wrapTexture(right, { mipLevel: 1 })], total)],
        ["wrong-texture", "an array of 80 elements in a buffer", () => sum.runOn([array], total)],
        ["unsupported", "depth32float", () => gpu.wrapTexture(textureOf(gpu, "depth32float", size, GPUTextureUsage.TEXTURE_BINDING))],
        ["unsupported", "runOn", () => sum.run(new Uint8Array(80))],
        ["unsupported", "etc2", () => gpu.plan("sum f32 8x10", { mapInput: { code: "value", texture: { format: "etc2-rgb8unorm", size } } })],
        ["unsupported", "no shader stores", () => {
            return gpu.plan("c2c fwd 8x10", { mapOutput: { code: "value.xyxy", texture: { format: "rgba8unorm-srgb", size } } });
        }],
        ["unsupported", "`element` or `texture`, not both", () => {
            return gpu.plan("sum f32 8x10", { mapInput: { code: "value.g", element: "u8", texture: { format: "rgba8unorm", size } } });
        }],
        ["freed", "DeviceTexture", () => {
            const freed = gpu.wrapTexture(right);
            freed.free();
            sum.runOn([freed], total);
        }],
    ]) {
        let error;
        try {
            await work();
        } catch (thrown) {
            error = thrown;
        }
        assertEqual(error instanceof FftError && error.kind === kind && error.message.includes(part), true, `${kind}, ${part}: ${error}`);
    }
    // A texture is the same, however often it was wrapped; its layers are not.
    const both = GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.STORAGE_BINDING;
    const layers = textureOf(gpu, "r32float", [8, 8], both, { layers: 2 });
    const map = { code: "value", texture: { format: "r32float", size: [8, 8] } };
    const copy = await gpu.plan("transpose f32 8x8", { mapInput: map, mapOutput: map });
    let overlap;
    try {
        copy.runOn([gpu.wrapTexture(layers)], gpu.wrapTexture(layers));
    } catch (thrown) {
        overlap = thrown;
    }
    assertEqual(overlap?.kind, "wrong-texture", `one texture as input and output: ${overlap}`);
    copy.runOn([gpu.wrapTexture(layers, { layer: 1 })], gpu.wrapTexture(layers));
    sum.runOn([gpu.wrapTexture(right)], total);
    assertEqual(await total.read(), Float32Array.of(0), "the sum of an empty picture");
    gpu.free();
}
