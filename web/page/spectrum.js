// From the numbers of a half-spectrum to the pixels of a shifted one.

import { halfWidth, wrap } from "./mask.js";

/**
 * Shades of a whole spectrum, its zero frequency in the middle, from the log-magnitudes of a half.
 * The darkest shade is the level that 2% lie below: one empty frequency would otherwise leave no
 * contrast to the others. The brightest is the largest level except the zero frequency's.
 * @param {Float32Array} levels
 * @param {number} width of the picture
 * @param {number} height
 * @returns {Uint8ClampedArray<ArrayBuffer>} RGBA
 */
export function shades(levels, width, height) {
    const { dark, bright } = range(levels);
    const scale = bright > dark ? 1 / (bright - dark) : 0;
    const pixels = new Uint8ClampedArray(4 * width * height);
    drawShifted({ width, height }, width, height, (i, p) => {
        pixels[p] = pixels[p + 1] = pixels[p + 2] = 255 * (levels[i] - dark) * scale;
        pixels[p + 3] = 255;
    });
    return pixels;
}

/** @param {Float32Array} levels */
function range(levels) {
    const bins = 512;
    let bright = 0;
    for (let i = 1; i < levels.length; i++) bright = Math.max(bright, levels[i]);
    const histogram = new Uint32Array(bins + 1);
    for (const level of levels) histogram[Math.max(0, Math.min(bins, Math.floor((level / bright) * bins) || 0))]++;
    let below = 0;
    let bin = 0;
    while (bin < bins && (below += histogram[bin]) < 0.02 * levels.length) bin++;
    return { dark: (bin / bins) * bright, bright };
}

/**
 * The veil that is drawn over a spectrum: opaque where the mask lets nothing through.
 * @param {{ values: Float32Array, width: number, height: number }} mask
 * @param {number} columns of the drawing; each shows the nearest value of the mask
 * @param {number} rows
 * @param {[number, number, number]} colour
 * @param {number} opacity 0 to 1, where the mask is 0
 * @returns {Uint8ClampedArray<ArrayBuffer>} RGBA
 */
export function veil(mask, columns, rows, colour, opacity) {
    const pixels = new Uint8ClampedArray(4 * columns * rows);
    drawShifted(mask, columns, rows, (i, p) => {
        pixels[p] = colour[0];
        pixels[p + 1] = colour[1];
        pixels[p + 2] = colour[2];
        pixels[p + 3] = 255 * opacity * (1 - mask.values[i]);
    });
    return pixels;
}

/**
 * Calls `draw` for each pixel of a drawing of the shifted spectrum, with the index in the half of
 * the nearest number (that of `halfIndex`) and the index of the pixel's first byte.
 * @param {{ width: number, height: number }} picture
 * @param {number} columns
 * @param {number} rows
 * @param {(index: number, byte: number) => void} draw
 */
function drawShifted({ width, height }, columns, rows, draw) {
    const half = halfWidth(width);
    const nearest = (/** @type {number} */ i, /** @type {number} */ count, /** @type {number} */ n) =>
        wrap(Math.floor(((i + 0.5) * n) / count) - Math.floor(n / 2), n);
    const xs = Int32Array.from({ length: columns }, (_, c) => nearest(c, columns, width));
    for (let r = 0, p = 0; r < rows; r++) {
        const y = nearest(r, rows, height);
        const [row, opposite] = [y * half, wrap(-y, height) * half];
        for (let c = 0; c < columns; c++, p += 4) {
            const x = xs[c];
            draw(x < half ? row + x : opposite + width - x, p);
        }
    }
}
