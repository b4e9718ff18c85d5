// Has the GPU: convolves the blocks that come by the channel, and sends them back in their order.

import { Gpu } from "../wgpu-fft/index.js";

/** Noise that decays by 60 decibels, with the power 1. @param {number} taps */
function response(taps) {
    const kernel = Float32Array.from({ length: taps }, (_, i) => (Math.random() - 0.5) * 10 ** ((-3 * i) / taps));
    const power = Math.sqrt(kernel.reduce((sum, tap) => sum + tap * tap, 0));
    return kernel.map((tap) => tap / power);
}

/** @param {{ port: MessagePort, rate: number, seconds: number, block: number }} options */
async function begin({ port, rate, seconds, block }) {
    const gpu = await Gpu.open({ powerPreference: "high-performance" });
    const room = await gpu.convolveStream(response(Math.round(seconds * rate)), { block });
    // The first run may compile.
    await room.push(new Float32Array(block));
    room.reset();
    /** @type {Promise<void>} */
    let sent = Promise.resolve();
    port.onmessage = ({ data }) => {
        const result = room.push(data);
        sent = sent.then(async () => {
            const samples = await result;
            port.postMessage(samples, [samples.buffer]);
        });
        sent.catch((error) => postMessage({ error: error.message }));
    };
    const partitions = room.partitions.map(({ taps, count }) => `${count} of ${taps}`).join(", ");
    postMessage({ ready: { name: gpu.info.name, partitions } });
}

onmessage = ({ data }) => begin(data).catch((error) => postMessage({ error: error.message }));
