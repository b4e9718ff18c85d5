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
    return `Scaled down from ${sizeWords(original)}: this page filters up to ${limit} pixels a side live.`;
}

/** What to do, by the kind of an error. @type {Record<string, string>} */
const advice = {
    "no-webgpu": "This browser offers no WebGPU. Use a current Chrome, Edge, Firefox or Safari, and on Linux turn WebGPU on in its settings.",
    "no-adapter": "WebGPU found no GPU here. Update the graphics driver, or turn hardware acceleration on in the browser's settings.",
    fallback: "There is only a software adapter here. Turn hardware acceleration on in the browser's settings.",
    "device-lost": "The connection to the GPU is gone.",
    "out-of-memory": "The GPU has too little free memory. Close other tabs, or choose a smaller picture.",
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
    const text = error instanceof Error ? error.message : String(error);
    switch (kind) {
        case "no-webgpu": case "no-adapter": case "fallback": case "out-of-memory": return advice[kind];
        case "not-a-picture": case "too-large": case "empty": return `${text} ${advice[kind]}`;
        case "device-lost": return advice[kind];
        default: return `That did not work: ${text.split("\n")[0]}`;
    }
}

/** @param {unknown} error */
export const kindOf = (error) => (error && typeof error === "object" && "kind" in error ? String(error.kind) : "");
