// Compiled, not run: what users of TypeScript write.

import { FftError, Gpu, fft2, rfft, type ConvolveStream, type Element, type Fragment, type Plan, type TypedArray } from "../../pkg/index.js";

export async function transform(picture: Float32Array): Promise<Float32Array | undefined> {
    const element: Element = "complex f32";
    let gpu: Gpu | undefined;
    try {
        gpu = await Gpu.open({ powerPreference: "high-performance", allowFallback: false });
        const plan: Plan = await gpu.plan("r2c fwd 480x640", {
            mapInput: { code: "value * gain", element: "f32", arrays: { gain: { element: "f32", len: 1, uniform: true } } },
        });
        const [input, output] = [gpu.upload(picture), gpu.alloc(element, plan.output.len)];
        plan.runOn([input], output, { gain: gpu.upload(Float32Array.of(2)) });
        plan.enqueue([input], output, { gain: gpu.upload(Float32Array.of(2)) });
        gpu.flush();
        const spectrum: TypedArray = await output.read();
        const stream: ConvolveStream = await gpu.convolveStream(picture, { block: 256, channels: 2, larger: [8] });
        console.log((await stream.push(picture)).length, stream.partitions[0]?.taps);
        const row: Float32Array = await rfft(gpu, picture.subarray(0, 640));
        console.log(spectrum.length, row.length, gpu.info.limits["maxBufferSize"]);
        return await fft2(gpu, spectrum as Float32Array, 480, 321);
    } catch (error) {
        if (error instanceof FftError && error.kind === "no-webgpu") {
            console.log(error.message);
            return undefined;
        }
        throw error;
    } finally {
        gpu?.free();
    }
}

export async function onYourDevice(device: GPUDevice, buffer: GPUBuffer, texture: GPUTexture): Promise<string> {
    const gpu = await Gpu.open({ device });
    const array = gpu.wrap(buffer, "complex f32");
    (await gpu.plan(`c2c fwd ${array.len} in-place`)).runOn([], array);
    const mapInput: Fragment = { code: "value.g", texture: { format: "rgba8unorm", size: [480, 640] } };
    const ofPicture = await gpu.plan("r2c fwd 480x640", { mapInput });
    ofPicture.runOn([gpu.wrapTexture(texture, { layer: 1 })], array);
    ofPicture.enqueue([gpu.wrapTexture(texture, { layer: 1 })], array);
    gpu.flush();
    // @ts-expect-error: only the names of elements are element types
    gpu.alloc("f33", 1);
    return gpu.lost;
}
