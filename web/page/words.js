// Numbers and errors in words that a person understands.

/** @param {number} ms */
export function milliseconds(ms) {
    if (ms >= 9950) return `${(ms / 1000).toFixed(0)} s`;
    if (ms >= 995) return `${(ms / 1000).toFixed(1)} s`;
    if (ms >= 9.95) return `${ms.toFixed(0)} ms`;
    return `${ms.toFixed(ms >= 0.995 ? 1 : 2)} ms`;
}

/**
 * What a radius means: patterns of this many pixels from crest to crest.
 * @param {number} radius in cycles per pixel
 */
export function wavelength(radius) {
    if (radius === 0) return "endless waves";
    const pixels = 1 / radius;
    return `waves of ${pixels >= 9.95 ? pixels.toFixed(0) : pixels.toFixed(1)} px`;
}

/**
 * What a filter does, as one sentence.
 * @param {import("./mask.js").Filter} filter
 */
export function filterWords({ shape, radius, inner }) {
    switch (shape) {
        case "low": return `Low pass: ${wavelength(radius)} and longer remain.`;
        case "high": return `High pass: waves shorter than ${wavelength(radius).replace("waves of ", "")} remain.`;
        case "band": return `Band pass: from ${wavelength(inner)} down to ${wavelength(radius).replace("waves of ", "")}.`;
        default: return "All frequencies are let through.";
    }
}

/** @param {{ width: number, height: number }} size */
export const sizeWords = ({ width, height }) => `${width} × ${height}`;

/**
 * The note for a picture that was scaled down, or nothing.
 * @param {{ width: number, height: number, original: { width: number, height: number } }} picture
 * @param {number} limit
 */
export function scaledWords({ width, height, original }, limit) {
    if (width === original.width && height === original.height) return "";
    return `Scaled down from ${sizeWords(original)}: up to ${limit} pixels a side are filtered live here.`;
}

/** What happened and what to do, by the kind of an error. @type {Record<string, string>} */
const sentences = {
    "no-webgpu": "WebGPU is not available here. Use a current Chrome, Edge, Firefox or Safari with hardware acceleration turned on.",
    "no-device": "The graphics driver opens no device for WebGPU. Update it, or restart the browser.",
    "no-wasm": "A part of this page could not be loaded. Reload the page.",
    "device-lost": "The connection to the GPU is gone. Reload the page.",
    "out-of-memory": "The GPU has too little free memory. Close other tabs, or choose a smaller picture.",
};

/** What to do, after the error's own text. @type {Record<string, string>} */
const advice = {
    "not-a-picture": "Choose a PNG, JPEG, WebP, AVIF or GIF.",
    "too-large": "Choose a smaller picture.",
    empty: "Choose another file.",
};

/**
 * An error in one line: what happened and what to do.
 * @param {unknown} error
 */
export function errorWords(error) {
    const kind = kindOf(error);
    const text = (error instanceof Error ? error.message : String(error)).split("\n")[0];
    return sentences[kind] ?? (advice[kind] ? `${text} ${advice[kind]}` : `That did not work: ${text}`);
}

/** @param {unknown} error */
export const kindOf = (error) => (error && typeof error === "object" && "kind" in error ? String(error.kind) : "");
