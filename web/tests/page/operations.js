// Each operation, compared with plain loops. Every function is a test, and returns what it measured.

import { fft, fft2, ifft, ifft2, inlineFft, irfft, irfft2, rfft, rfft2 } from "../../pkg/index.js";
import { U, assertClose, assertEqual, complex, dft, fftBound, fromHalf, half, noise, toHalf } from "./reference.js";
import { shared } from "./shared.js";

const f32 = (values) => Float32Array.from(values);
const product = (shape) => shape.reduce((all, extent) => all * extent, 1);

/** A complex transform there, and back in f32. */
async function c2c(shape, batch = 1) {
    const gpu = await shared();
    const data = noise(2 * batch * product(shape), 1);
    const text = `${shape.join("x")}${batch > 1 ? ` x${batch}` : ""}`;
    const plan = await gpu.plan(`c2c fwd ${text}`);
    const actual = await plan.run(f32(data));
    const axes = shape.map((_, axis) => axis + 1);
    const expected = dft(data, [batch, ...shape], -1, axes);
    const error = assertClose(actual, expected, fftBound(shape), plan.spec);
    const back = await (await gpu.plan(`c2c inv ${text} 1/n`)).run(actual);
    assertClose(back, data, 2 * fftBound(shape), `${plan.spec} and back`);
    return `relative error ${error.toExponential(1)}; ${plan.recipe}`;
}

export const c2c_of_1024 = () => c2c([1024]);
export const c2c_of_rows = () => c2c([256], 24);
export const c2c_of_a_prime_length = () => c2c([1009]);
export const c2c_of_two_axes = () => c2c([48, 60]);
export const c2c_of_three_axes = () => c2c([12, 10, 14]);
export const c2c_of_more_than_a_workgroup_holds = () => c2c([6561]);

export async function r2c_and_c2r() {
    const gpu = await shared();
    const errors = [];
    for (const shape of [[1000], [45, 63], [7, 30, 16]]) {
        const data = noise(product(shape), 2);
        const text = shape.join("x");
        const spectrum = await (await gpu.plan(`r2c fwd ${text}`)).run(f32(data));
        const expected = half(dft(complex(data), shape, -1), shape);
        errors.push(assertClose(spectrum, expected, fftBound(shape), `r2c ${text}`));
        const back = await (await gpu.plan(`c2r inv ${text} 1/n`)).run(f32(expected));
        assertClose(back, data, fftBound(shape), `c2r ${text}`);
    }
    return `relative errors ${errors.map((error) => error.toExponential(1))}`;
}

export async function blocks_of_a_stream() {
    const gpu = await shared();
    const [block, channels, taps] = [32, 2, 700];
    const kernel = f32(noise(taps, 8));
    const room = await gpu.convolveStream(kernel, { block, channels, larger: [4] });
    const signals = Array.from({ length: channels }, (_, channel) => f32(noise(40 * block, 9 + channel)));
    const blocks = Array.from({ length: 40 }, (_, b) => f32(signals.flatMap((x) => [...x.subarray(b * block, (b + 1) * block)])));
    const expected = blocks.map((_, b) =>
        f32(signals.flatMap((x) => Array.from({ length: block }, (_, i) => {
            const t = b * block + i;
            return kernel.reduce((sum, tap, k) => (k <= t ? sum + tap * x[t - k] : sum), 0);
        }))),
    );
    // All are under way at once; then again after a reset, with a kernel that is exchanged twice.
    const first = await Promise.all(blocks.map((block) => room.push(block)));
    room.reset();
    room.setKernel(kernel.map((tap) => 2 * tap));
    room.setKernel(kernel);
    for (const [b, data] of blocks.entries()) {
        assertEqual(await room.push(data), first[b], `block ${b} after a reset`);
    }
    const all = (blocks) => blocks.flatMap((block) => [...block]);
    const bound = U * (2 * Math.sqrt(Math.log2(8 * block)) + Math.sqrt(taps / block) / 3);
    const error = assertClose(all(first), all(expected), bound, room.spec);
    room.free();
    return `relative error ${error.toExponential(1)}; ${room.partitions.map(({ taps, count }) => `${count} of ${taps}`)}`;
}

export async function cosine_transform() {
    const gpu = await shared();
    const n = 240;
    const data = noise(n, 3);
    const actual = await (await gpu.plan(`r2r dct2 ${n}`)).run(f32(data));
    const expected = Float64Array.from({ length: n }, (_, k) =>
        data.reduce((sum, value, j) => sum + 2 * value * Math.cos((Math.PI * k * (2 * j + 1)) / (2 * n)), 0),
    );
    // The documentation promises 3 times the bound of a complex transform.
    return assertClose(actual, expected, 3 * fftBound([n]), "dct2").toExponential(1);
}

export async function numbers_of_16_bits() {
    const gpu = await shared();
    const n = 480;
    const bits = Uint16Array.from(noise(2 * n, 4), toHalf);
    const data = Float64Array.from(bits, fromHalf);
    const plan = await gpu.plan(`c2c fwd ${n} in-as=complex-f16 out-as=complex-f16`);
    assertEqual([plan.inputs[0].element, plan.output.element], ["complex f16", "complex f16"], "elements");
    const actual = Float64Array.from(await plan.run(bits), fromHalf);
    // Each result is rounded once to 11 bits.
    return assertClose(actual, dft(data, [n], -1), 2 ** -11 + fftBound([n]), plan.spec).toExponential(1);
}

/** Numbers of two f32 need a compiler that computes what is written: at least 44 bits are kept. */
async function f64ByF32(cases) {
    const gpu = await shared();
    const errors = [];
    for (const [shape, factor] of cases) {
        const text = shape.join("x");
        const plan = await gpu.plan(`c2c fwd ${text} f64-by-f32`);
        // All 53 bits of each number count.
        const data = noise(2 * product(shape), 5).map((value, i) => value + Math.sin(i) * 2 ** -24);
        const actual = await plan.run(data);
        const bound = 2 ** -46 * Math.sqrt(shape.reduce((sum, n) => sum + Math.log2(factor * n), 0));
        errors.push(assertClose(actual, dft(data, shape, -1), Math.max(bound, 2 ** -44), plan.spec));
        if (errors.at(-1) > bound) {
            throw new Error(`${text}: ${errors.at(-1)} exceeds the documented ${bound}`);
        }
    }
    return `bits kept: ${errors.map((error) => -Math.log2(error).toFixed(1))}`;
}

export const f64_by_f32_keeps_44_bits = () => f64ByF32([[[1024], 1], [[36, 50], 1]]);
export const f64_by_f32_of_17_keeps_44_bits = () => f64ByF32([[[17], 3]]);

export async function permutations() {
    const gpu = await shared();
    const bytes = Uint8Array.from({ length: 37 * 53 }, (_, i) => i % 251);
    const turned = await (await gpu.plan("transpose u8 37x53")).run(bytes);
    const expected = Uint8Array.from({ length: bytes.length }, (_, i) => bytes[(i % 37) * 53 + Math.floor(i / 37)]);
    assertEqual(turned, expected, "transpose u8");
    const numbers = f32(noise(2 * 6 * 10 * 14, 6));
    const moved = await (await gpu.plan("permute complex f32 6x10x14 order=2,0,1")).run(numbers);
    const order = new Float32Array(numbers.length);
    for (let i = 0; i < 6; i++) {
        for (let j = 0; j < 10; j++) {
            for (let k = 0; k < 14; k++) {
                const [from, to] = [(i * 10 + j) * 14 + k, (k * 6 + i) * 10 + j];
                order.set(numbers.subarray(2 * from, 2 * from + 2), 2 * to);
            }
        }
    }
    assertEqual(moved, order, "permute");
    const rolled = await (await gpu.plan("roll i32 5x4 by=2,1")).run(Int32Array.from({ length: 20 }, (_, i) => i));
    assertEqual(rolled, Int32Array.from({ length: 20 }, (_, i) => ((Math.floor(i / 4) + 3) % 5) * 4 + ((i + 3) % 4)), "roll");
}

export async function reductions() {
    const gpu = await shared();
    const data = noise(70_001, 7);
    const sum = (await (await gpu.plan("sum f32 70001")).run(f32(data)))[0];
    const exact = data.reduce((all, value) => all + value, 0);
    const size = data.reduce((all, value) => all + Math.abs(value), 0);
    if (!(Math.abs(sum - exact) <= 64 * U * size)) {
        throw new Error(`sum: ${sum} in place of ${exact}`);
    }
    const matrix = Int32Array.from({ length: 40 * 90 }, (_, i) => ((i * 7919) % 3571) - 1000);
    const largest = await (await gpu.plan("max i32 40x90 axes=1")).run(matrix);
    assertEqual(largest, Int32Array.from({ length: 40 }, (_, row) => Math.max(...matrix.subarray(row * 90, row * 90 + 90))), "max");
    const [x, y] = [noise(3000, 8), noise(3000, 9)];
    const dot = (await (await gpu.plan("dot f32 3000")).run(f32(x), f32(y)))[0];
    const expected = x.reduce((all, value, i) => all + value * y[i], 0);
    if (!(Math.abs(dot - expected) <= 64 * U * 3000)) {
        throw new Error(`dot: ${dot} in place of ${expected}`);
    }
    return `sum ${sum}, exactly ${exact}`;
}

export async function convolution() {
    const gpu = await shared();
    const [rows, columns, height, width] = [40, 52, 5, 7];
    const [data, kernel] = [noise(rows * columns, 10), noise(height * width, 11)];
    const plan = await gpu.plan(`convolve f32 ${rows}x${columns} by ${height}x${width} full`);
    const actual = await plan.run(f32(data), f32(kernel));
    const [outRows, outColumns] = [rows + height - 1, columns + width - 1];
    const expected = new Float64Array(outRows * outColumns);
    for (let i = 0; i < rows * columns; i++) {
        for (let j = 0; j < height * width; j++) {
            const row = Math.floor(i / columns) + Math.floor(j / width);
            expected[row * outColumns + (i % columns) + (j % width)] += data[i] * kernel[j];
        }
    }
    return assertClose(actual, expected, 6 * fftBound([64, 64]), plan.spec).toExponential(1);
}

/** A window that is an array, a gain that is a uniform, and decibels on the way out. */
export async function a_fragment_with_arrays() {
    const gpu = await shared();
    const n = 300;
    const plan = await gpu.plan(`r2c fwd ${n}`, {
        mapInput: {
            code: "value * window[i0] * settings.x + settings.y",
            element: "f32",
            arrays: { window: { element: "f32", len: n }, settings: { element: "f32", len: 2, uniform: true } },
        },
        mapOutput: { code: "power(value)", functions: "fn power(z: vec2<f32>) -> f32 { return dot(z, z); }", element: "f32" },
    });
    const [data, weights] = [noise(n, 12), noise(n, 13)];
    const [input, window, settings] = [gpu.upload(f32(data)), gpu.upload(f32(weights)), gpu.upload(Float32Array.of(3, 0.25))];
    const output = gpu.alloc(plan.output.element, plan.output.len);
    plan.runOn([input], output, { window, settings });
    const spectrum = half(dft(complex(data.map((value, i) => value * weights[i] * 3 + 0.25)), [n], -1), [n]);
    const power = Float64Array.from({ length: n / 2 + 1 }, (_, k) => spectrum[2 * k] ** 2 + spectrum[2 * k + 1] ** 2);
    const error = assertClose(await output.read(), power, 4 * fftBound([n]), "power of a windowed spectrum");
    // Other contents of the same arrays count from the next run on.
    settings.write(Float32Array.of(0, 1));
    plan.runOn([input], output, { window, settings });
    const constant = new Float64Array(n / 2 + 1);
    constant[0] = n * n;
    assertClose(await output.read(), constant, 1e-5, "power of a constant");
    assertClose(await plan.runWith([f32(data)], { window, settings }), constant, 1e-5, "the same from host arrays");
    [input, window, settings, output].forEach((array) => array.free());
    return error.toExponential(1);
}

export async function arrays_stay_on_the_device() {
    const gpu = await shared();
    const n = 512;
    const data = f32(noise(2 * n, 14));
    const there = await gpu.plan(`c2c fwd ${n}`);
    const back = await gpu.plan(`c2c inv ${n} 1/n in-place`);
    const [input, output] = [gpu.upload(data, "complex f32"), gpu.alloc("complex f32", n)];
    there.runOn([input], output);
    const spectrum = output.read();
    // In place, on what the first plan wrote, before anybody has waited for anything.
    back.runOn([], output);
    assertClose(await output.read(), data, 2 * fftBound([n]), "there and back");
    assertClose(await spectrum, dft(data, [n], -1), fftBound([n]), "what was there when it was asked for");
    const time = await there.time([input], output, 5);
    if (!(time > 0 && time < 10_000)) {
        throw new Error(`a run takes ${time} ms`);
    }
    const odd = gpu.upload(Uint8Array.of(1, 2, 3, 4, 5));
    assertEqual(await odd.read(), Uint8Array.of(1, 2, 3, 4, 5), "bytes that fill no unit");
    return `${time.toFixed(2)} ms per run`;
}

/** Plans that are queued run in the order of all calls, in fewer submissions. */
export async function plans_are_queued() {
    const gpu = await shared();
    const [n, plans] = [256, 100];
    const [data, first, other] = [18, 20, 19].map((seed) => f32(noise(2 * n, seed)));
    const spectrumOf = (values) => dft(values, [n], -1).map((value) => value / Math.sqrt(n));
    const twice = { code: "value * 2.0", element: "complex f32" };
    const there = await gpu.plan(`c2c fwd ${n} 1/sqrt(n)`);
    const back = await gpu.plan(`c2c inv ${n} 1/sqrt(n)`, { mapInput: twice });
    const double = await gpu.plan(`c2c fwd ${n} in-place`, { mapInput: twice });
    const [x, y] = [gpu.upload(data, "complex f32"), gpu.alloc("complex f32", n)];
    const { queue } = gpu.device;
    const submit = queue.submit.bind(queue);
    let submissions = 0;
    queue.submit = (commands) => {
        submissions += 1;
        submit(commands);
    };
    // Plans that wait for long are submitted, and this machine may be slow.
    performance.now = () => 1000;
    try {
        for (let i = 0; i < plans; i += 2) {
            there.enqueue([x], y);
            back.enqueue([y], x);
        }
    } finally {
        delete queue.submit;
        delete performance.now;
    }
    assertClose(await x.read(), data.map((value) => value * 2 ** (plans / 2)), plans * fftBound([n]), "there and back many times");
    assertEqual(submissions, 1, "submissions, of 64 plans");
    // What writes, reads, submits or frees comes after what was queued before it.
    x.write(first);
    there.enqueue([x], y);
    const before = y.read();
    x.write(data);
    there.enqueue([x], y);
    x.write(other);
    back.runOn([y], x);
    assertClose(await before, spectrumOf(first), fftBound([n]), "what was queued before a read");
    assertClose(await x.read(), data.map((value) => 2 * value), 2 * fftBound([n]), "what was queued before a write and a run");
    const freed = gpu.upload(other, "complex f32");
    there.enqueue([freed], y);
    freed.free();
    assertClose(await y.read(), spectrumOf(other), fftBound([n]), "of an array that was freed");
    x.write(data);
    // Commands of the caller's own come after `flush`.
    there.enqueue([x], y);
    double.enqueue([], x);
    gpu.flush();
    const copy = gpu.alloc("complex f32", n);
    const encoder = gpu.device.createCommandEncoder();
    encoder.copyBufferToBuffer(x.buffer, 0, copy.buffer, 0, copy.byteLength);
    queue.submit([encoder.finish()]);
    assertClose(await copy.read(), dft(data, [n], -1).map((value) => value * 2), plans * fftBound([n]), "what was flushed");
    [x, y, copy].forEach((array) => array.free());
    return `${plans} plans in ${submissions} submissions`;
}

export async function runs_overlap() {
    const gpu = await shared();
    const plan = await gpu.plan("c2c fwd 128");
    const inputs = [1, 2, 3, 4, 5].map((seed) => noise(256, seed));
    const outputs = await Promise.all(inputs.map((data) => plan.run(f32(data))));
    outputs.forEach((actual, i) => assertClose(actual, dft(inputs[i], [128], -1), fftBound([128]), `run ${i}`));
}

export async function recipes_by_hand() {
    const gpu = await shared();
    const recipe = "axis 0: stockham 8.8.4 lanes=32 lines=1 exchange=split pieces=1 banks=0 roots=products";
    const rules = await gpu.plan("c2c fwd 256");
    const plan = await gpu.plan("c2c fwd 256", { recipe });
    const data = noise(512, 15);
    assertClose(await plan.run(f32(data)), dft(data, [256], -1), fftBound([256]), recipe);
    return `${plan.recipe} | the rules: ${rules.recipe}`;
}

export async function conveniences() {
    const gpu = await shared();
    const data = noise(2 * 60, 16);
    const reals = noise(60, 17);
    assertClose(await fft(gpu, f32(data)), dft(data, [60], -1), fftBound([60]), "fft");
    assertClose(await ifft(gpu, await fft(gpu, f32(data), 20), 20), data, 2 * fftBound([20]), "ifft of rows");
    assertClose(await fft2(gpu, f32(data), 6, 10), dft(data, [6, 10], -1), fftBound([6, 10]), "fft2");
    assertClose(await ifft2(gpu, await fft2(gpu, f32(data), 6, 10), 6, 10), data, 2 * fftBound([6, 10]), "ifft2");
    assertClose(await rfft(gpu, f32(reals)), half(dft(complex(reals), [60], -1), [60]), fftBound([60]), "rfft");
    assertClose(await irfft(gpu, await rfft(gpu, f32(reals))), reals, 2 * fftBound([60]), "irfft");
    assertClose(await irfft(gpu, await rfft(gpu, f32(reals), 15), 15), reals, 2 * fftBound([15]), "irfft of odd rows");
    assertClose(await rfft2(gpu, f32(reals), 6, 10), half(dft(complex(reals), [6, 10], -1), [6, 10]), fftBound([60]), "rfft2");
    assertClose(await irfft2(gpu, await rfft2(gpu, f32(reals), 6, 10), 6, 10), reals, 2 * fftBound([60]), "irfft2");
    // More of them at once than are kept.
    const lengths = [4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24];
    const results = await Promise.all(lengths.map((n) => fft(gpu, f32(data.subarray(0, 2 * n)))));
    results.forEach((actual, i) => assertClose(actual, dft(data.subarray(0, 2 * lengths[i]), [lengths[i]], -1), 1e-6, `n = ${lengths[i]}`));
}

/** Runs a shader on an array at binding 0, beside arrays that it reads. */
async function onDevice(device, code, data, others, groups) {
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    const buffers = [data, ...others].map((values) => {
        const buffer = device.createBuffer({ size: values.byteLength, usage });
        device.queue.writeBuffer(buffer, 0, values);
        return buffer;
    });
    const module = device.createShaderModule({ code });
    const pipeline = await device.createComputePipelineAsync({ layout: "auto", compute: { module, entryPoint: "main" } });
    const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
    const result = device.createBuffer({ size: data.byteLength, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
    pass.dispatchWorkgroups(groups);
    pass.end();
    encoder.copyBufferToBuffer(buffers[0], 0, result, 0, data.byteLength);
    device.queue.submit([encoder.finish()]);
    await result.mapAsync(GPUMapMode.READ);
    const values = new Float32Array(result.getMappedRange().slice(0));
    [...buffers, result].forEach((buffer) => buffer.destroy());
    return values;
}

/** Rows convolved in a shader of one's own, with the roots in a buffer and as constants. */
export async function transforms_inside_other_shaders() {
    const { device } = await shared();
    const [n, rows] = [240, 3];
    const [data, response] = [noise(2 * n * rows, 11), noise(2 * n, 12)];
    const expected = dft(data, [rows, n], -1, [1]);
    for (let i = 0; i < n * rows; i++) {
        const [re, im, a, b] = [expected[2 * i], expected[2 * i + 1], response[2 * (i % n)], response[2 * (i % n) + 1]];
        expected[2 * i] = (re * a - im * b) / n;
        expected[2 * i + 1] = (re * b + im * a) / n;
    }
    const errors = [];
    for (const twiddlesAt of [[0, 2], undefined]) {
        const own = await inlineFft(n, { twiddlesAt });
        const each = (statement) => Array.from({ length: own.elements }, (_, k) => statement(k)).join("\n");
        const code = `
            @group(0) @binding(0) var<storage, read_write> rows: array<vec2f>;
            @group(0) @binding(1) var<storage, read> response: array<vec2f>;
            @compute @workgroup_size(${own.invocations})
            fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) invocation: u32) {
                var values: array<vec2f, ${own.elements}>;
                let row = ${n} * group.x;
                ${each((k) => `values[${k}] = rows[row + fft_position(invocation, ${k})];`)}
                fft_forward(&values, invocation);
                ${each((k) => `values[${k}] = fft_complex_mul(values[${k}], response[fft_frequency(invocation, ${k})]);`)}
                fft_inverse(&values, invocation);
                ${each((k) => `rows[row + fft_position(invocation, ${k})] = values[${k}] / ${n};`)}
            }
            ${own.wgsl}`;
        const others = [f32(response), ...(twiddlesAt ? [own.twiddles] : [])];
        const actual = await onDevice(device, code, f32(data), others, rows);
        errors.push(assertClose(actual, dft(expected, [rows, n], 1, [1]), 4 * fftBound([n]), `inlineFft(${n})`).toExponential(1));
    }
    return `relative errors ${errors}`;
}
