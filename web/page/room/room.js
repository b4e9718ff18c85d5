// Sound goes from the sound card's thread (worklet.js) to a worker that has the GPU (worker.js) and
// back, by a channel between the two. This page only makes both and shows what they count.

import { element } from "../dom.js";

const [play, stop] = ["play", "stop"].map((id) => element(id, HTMLButtonElement));
const [block, ahead, seconds] = ["block", "ahead", "seconds"].map((id) => element(id, HTMLSelectElement));
const [state, counts] = ["state", "counts"].map((id) => element(id, HTMLParagraphElement));

/** @type {{ context: AudioContext, worker: Worker } | undefined} */
let playing;

/** Two seconds: notes that end at once, and a click. @param {AudioContext} context */
function sound(context) {
    const rate = context.sampleRate;
    const buffer = context.createBuffer(1, 2 * rate, rate);
    const samples = buffer.getChannelData(0);
    for (let i = 0; i < samples.length; i++) {
        const t = i / rate;
        const note = t < 1 ? 220 : 277.2;
        samples[i] = t % 1 < 0.4 ? 0.2 * Math.sin(2 * Math.PI * note * t) : 0;
    }
    samples[Math.round(1.7 * rate)] = 0.5;
    const source = context.createBufferSource();
    source.buffer = buffer;
    source.loop = true;
    return source;
}

async function start() {
    play.disabled = true;
    const context = new AudioContext({ latencyHint: "interactive" });
    const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    playing = { context, worker };
    stop.disabled = false;
    state.textContent = "Preparing the room …";
    /** What went wrong counts while this session plays. @param {string} why */
    const failed = (why) => playing?.context === context && fail(why);
    worker.onerror = (event) => failed(event.message);
    try {
        await context.audioWorklet.addModule(new URL("worklet.js", import.meta.url));
    } catch (error) {
        return failed(error.message);
    }
    // It may have been stopped meanwhile.
    if (playing?.context !== context) return;
    const options = { block: Number(block.value), ahead: Number(ahead.value) };
    const node = new AudioWorkletNode(context, "room", { numberOfInputs: 1, outputChannelCount: [1], processorOptions: options });
    node.onprocessorerror = () => failed("the processor of sound has failed");
    const { port1, port2 } = new MessageChannel();
    worker.onmessage = ({ data }) => {
        if (data.error !== undefined) return failed(data.error);
        if (data.ready === undefined) return;
        state.textContent = `Playing on ${data.ready.name}. Partitions: ${data.ready.partitions}.`;
        node.port.postMessage({ port: port1 }, [port1]);
        const source = sound(context);
        source.connect(node).connect(context.destination);
        source.start();
        context.resume().catch((error) => failed(error.message));
    };
    node.port.onmessage = ({ data }) => {
        const { blocks, late, loudest, turn } = data;
        // A sample also waits for the last one of its own block.
        const latency = (((options.ahead + 1) * options.block) / context.sampleRate) * 1e3;
        counts.textContent = `${blocks} blocks, ${late} late, loudest ${loudest.toFixed(3)}, `
            + `${turn.toFixed(2)} ms there and back at most lately, ${latency.toFixed(1)} ms behind`;
        Object.assign(counts.dataset, { blocks, late, loudest });
    };
    worker.postMessage({ port: port2, rate: context.sampleRate, seconds: Number(seconds.value), ...options }, [port2]);
}

/** @param {string} why */
function fail(why) {
    end();
    state.textContent = `It does not play: ${why}`;
}

function end() {
    playing?.worker.terminate();
    void playing?.context.close();
    playing = undefined;
    play.disabled = false;
    stop.disabled = true;
    state.textContent = "Nothing plays.";
}

play.onclick = () => start().catch((error) => fail(error.message));
stop.onclick = end;
