// From files to pixels and back.

/**
 * @typedef {object} Picture
 * @property {number} width
 * @property {number} height
 * @property {Uint8ClampedArray<ArrayBuffer>} pixels RGBA, opaque
 * @property {{ width: number, height: number }} original the size in the file
 * @property {string} name
 */

/** The longest side that is filtered live, in pixels. */
export const LONGEST_SIDE = 2048;
/** The same without a GPU. */
export const LONGEST_SIDE_IN_SOFTWARE = 1024;
/** Bytes of a file that the page tries to decode. */
export const LARGEST_FILE = 256 << 20;

export class PictureError extends Error {
    /** @param {"not-a-picture" | "too-large" | "empty"} kind @param {string} message */
    constructor(kind, message) {
        super(message);
        this.name = "PictureError";
        this.kind = kind;
    }
}

/**
 * The size that a picture is scaled to: its own, if its longer side is within the limit.
 * @param {number} width
 * @param {number} height
 * @param {number} limit
 */
export function fit(width, height, limit) {
    const scale = Math.min(1, limit / Math.max(width, height));
    const side = (/** @type {number} */ n) => Math.max(1, Math.round(n * scale));
    return { width: side(width), height: side(height) };
}

/**
 * The longest side for which every array of the page fits a binding of the device. The largest is
 * the spectrum: three channels of side · (side / 2 + 1) complex numbers of 8 bytes.
 * @param {number} bindingBytes
 * @param {boolean} software
 */
export function longestSide(bindingBytes, software) {
    const fits = Math.floor(Math.sqrt(bindingBytes / 12)) - 2;
    return Math.min(software ? LONGEST_SIDE_IN_SOFTWARE : LONGEST_SIDE, fits);
}

/**
 * Three planes of bytes, red, green and blue, from RGBA.
 * @param {Uint8ClampedArray} pixels
 */
export function planes(pixels) {
    const count = pixels.length / 4;
    const bytes = new Uint8Array(3 * count);
    for (let i = 0, p = 0; i < count; i++, p += 4) {
        bytes[i] = pixels[p];
        bytes[count + i] = pixels[p + 1];
        bytes[2 * count + i] = pixels[p + 2];
    }
    return bytes;
}

/**
 * Decodes a file, turns it as its EXIF data say, and scales it down to the limit.
 * @param {Blob} file
 * @param {number} limit of the longer side
 * @param {string} name
 * @returns {Promise<Picture>}
 */
export async function decode(file, limit, name) {
    if (file.size === 0) throw new PictureError("empty", `${name} is empty.`);
    if (file.size > LARGEST_FILE) {
        throw new PictureError("too-large", `${name} has ${Math.round(file.size / 2 ** 20)} MB; this page opens up to 256 MB.`);
    }
    const bitmap = await createImageBitmap(file, { imageOrientation: "from-image" }).catch(() => {
        throw new PictureError("not-a-picture", `${name} is not a picture that this browser can read.`);
    });
    try {
        return fromSource(bitmap, bitmap, limit, name);
    } finally {
        bitmap.close();
    }
}

/**
 * @param {CanvasImageSource} source
 * @param {{ width: number, height: number }} original its size
 * @param {number} limit
 * @param {string} name
 * @returns {Picture}
 */
export function fromSource(source, original, limit, name) {
    const { width, height } = fit(original.width, original.height, limit);
    const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
    if (!context) throw new PictureError("too-large", `This browser has no memory for ${width} x ${height} pixels.`);
    context.imageSmoothingQuality = "high";
    // Transparent pixels have a colour that nobody has seen. On white they look as elsewhere.
    context.fillStyle = "white";
    context.fillRect(0, 0, width, height);
    context.drawImage(source, 0, 0, width, height);
    const pixels = context.getImageData(0, 0, width, height).data;
    return { width, height, pixels, original: { width: original.width, height: original.height }, name };
}

/**
 * The file name for a result.
 * @param {string} name
 */
export const resultName = (name) => `${name.replace(/\.[^.]*$/, "") || "picture"}-filtered.png`;
