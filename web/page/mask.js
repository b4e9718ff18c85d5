// The mask over the frequencies of a picture, without the page around it: what a low, high or band
// pass lets through, what the brush painted over that, and undo.
//
// The spectrum of a real picture of h x w pixels is its half: h x (floor(w / 2) + 1) numbers. The
// number at -f is the complex conjugate of that at f, so a mask keeps the picture real exactly if
// it has one value for both. A mask therefore has the size of the half, and what is painted at f is
// painted at -f as well.

/**
 * @typedef {"all" | "low" | "high" | "band"} Shape
 * @typedef {object} Filter
 * @property {Shape} shape
 * @property {number} radius in cycles per pixel: 0.5 is the finest pattern along an axis
 * @property {number} inner where a band begins, in cycles per pixel
 * @property {number} softness 0: a sharp edge; 1: the edge reaches from 0 to twice the radius
 * @property {boolean} keepMean lets the zero frequency through, which is the mean brightness
 *
 * @typedef {{ x: number, y: number }} Point in pixels of the shifted spectrum
 * @typedef {"pass" | "stop"} Paint
 */

/** The largest frequency of a picture, in a corner of its spectrum: cycles per pixel. */
export const CORNER = Math.SQRT1_2;

/** Numbers in a row of the half-spectrum. @param {number} width */
export const halfWidth = (width) => Math.floor(width / 2) + 1;

/**
 * The index in [0, n) of a signed frequency.
 * @param {number} frequency
 * @param {number} n
 */
export const wrap = (frequency, n) => ((frequency % n) + n) % n;

/**
 * The place of the same value in a shifted spectrum, whose zero frequency is at floor(n / 2).
 * @param {number} place
 * @param {number} n
 */
export const mirror = (place, n) => wrap(2 * Math.floor(n / 2) - place, n);

/**
 * The index in the half-spectrum for a place in the shifted spectrum.
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 */
export function halfIndex(x, y, width, height) {
    const column = wrap(x - Math.floor(width / 2), width);
    const row = wrap(y - Math.floor(height / 2), height);
    const half = halfWidth(width);
    return column < half ? row * half + column : wrap(-row, height) * half + (width - column);
}

/**
 * 1 below a radius, 0 above it, and a smooth step between. It takes squares of frequencies, since
 * most are on one side or the other and need no root.
 * @param {number} radius
 * @param {number} softness
 */
function below(radius, softness) {
    const [from, to] = [radius * (1 - softness), radius * (1 + softness)];
    const [fromSquared, toSquared] = [from * from, to * to];
    return (/** @type {number} */ squared) => {
        if (squared <= fromSquared) return 1;
        if (squared >= toSquared) return 0;
        const t = (Math.sqrt(squared) - from) / (to - from);
        return 1 - t * t * (3 - 2 * t);
    };
}

/**
 * What a filter lets through, 0 to 1, as a function of the square of the frequency in cycles per
 * pixel.
 * @param {Filter} filter
 * @returns {(squared: number) => number}
 */
export function response({ shape, radius, inner, softness, keepMean }) {
    const outside = below(radius, softness);
    const inside = below(inner, softness);
    /** @type {Record<Shape, (squared: number) => number>} */
    const shapes = {
        all: () => 1,
        low: outside,
        high: (squared) => 1 - outside(squared),
        band: (squared) => Math.max(0, outside(squared) - inside(squared)),
    };
    const chosen = shapes[shape];
    return keepMean ? (squared) => (squared === 0 ? 1 : chosen(squared)) : chosen;
}

const UNTOUCHED = 0;
const PASS = 1;
const STOP = 2;
/** Bytes of snapshots that undo may keep. */
const UNDO_BYTES = 64 << 20;

export class Mask {
    /** @param {number} width @param {number} height */
    constructor(width, height) {
        this.width = width;
        this.height = height;
        this.half = halfWidth(width);
        /** The values that the spectrum is multiplied by. */
        this.values = new Float32Array(height * this.half).fill(1);
        /** What the filter alone would have there. */
        this.base = this.values.slice();
        this.painted = new Uint8Array(height * this.half);
        /** @type {Uint8Array<ArrayBuffer>[]} */
        this.before = [];
    }

    /** Whether there is a stroke to take back. */
    get canUndo() {
        return this.before.length > 0;
    }

    /** Whether the brush changed anything. */
    get isPainted() {
        return this.painted.some((value) => value !== UNTOUCHED);
    }

    /** Chooses what lies under the paint. @param {Filter} filter */
    setFilter(filter) {
        const { width, height, half } = this;
        const at = response(filter);
        const columns = Float64Array.from({ length: half }, (_, column) => (column / width) ** 2);
        for (let row = 0, i = 0; row < height; row++) {
            const fy = (row <= height / 2 ? row : row - height) / height;
            for (let column = 0; column < half; column++, i++) this.base[i] = at(fy * fy + columns[column]);
        }
        this.compose();
    }

    compose() {
        this.values.set(this.base);
        for (let i = 0; i < this.values.length; i++) {
            if (this.painted[i] !== UNTOUCHED) this.values[i] = this.valueOf(i);
        }
    }

    /** @param {number} i */
    valueOf(i) {
        const painted = this.painted[i];
        return painted === UNTOUCHED ? this.base[i] : Number(painted === PASS);
    }

    /** Begins a stroke, which `undo` takes back as a whole. */
    begin() {
        this.before.push(this.painted.slice());
        const most = Math.max(4, Math.floor(UNDO_BYTES / this.painted.length));
        if (this.before.length > most) this.before.shift();
    }

    /**
     * Paints what is at most `radius` pixels from the line between two points, and the same places
     * on the other side of the zero frequency.
     * @param {Point} from
     * @param {Point} to
     * @param {number} radius
     * @param {Paint} paint
     */
    stroke(from, to, radius, paint) {
        const { width, height } = this;
        const value = paint === "pass" ? PASS : STOP;
        const left = Math.max(0, Math.floor(Math.min(from.x, to.x) - radius));
        const right = Math.min(width - 1, Math.ceil(Math.max(from.x, to.x) + radius));
        const top = Math.max(0, Math.floor(Math.min(from.y, to.y) - radius));
        const bottom = Math.min(height - 1, Math.ceil(Math.max(from.y, to.y) + radius));
        for (let y = top; y <= bottom; y++) {
            for (let x = left; x <= right; x++) {
                // The middle of the pixel counts.
                if (distance({ x: x + 0.5, y: y + 0.5 }, from, to) > radius) continue;
                this.put(halfIndex(x, y, width, height), value);
                // Columns 0 and w/2 of the half hold both places of a pair.
                this.put(halfIndex(mirror(x, width), mirror(y, height), width, height), value);
            }
        }
    }

    /** @param {number} i @param {number} value */
    put(i, value) {
        this.painted[i] = value;
        this.values[i] = this.valueOf(i);
    }

    /** Takes back the last stroke, or the last `clear`. */
    undo() {
        this.painted = this.before.pop() ?? this.painted;
        this.compose();
    }

    /** Removes all paint; `undo` brings it back. */
    clear() {
        this.begin();
        this.painted = new Uint8Array(this.painted.length);
        this.compose();
    }
}

/**
 * From a point to a line segment.
 * @param {Point} p
 * @param {Point} a
 * @param {Point} b
 */
export function distance(p, a, b) {
    const [dx, dy] = [b.x - a.x, b.y - a.y];
    const squared = dx * dx + dy * dy;
    const t = squared === 0 ? 0 : Math.min(1, Math.max(0, ((p.x - a.x) * dx + (p.y - a.y) * dy) / squared));
    return Math.hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

/**
 * The radius for a position of a slider from 0 to 100. Low frequencies have most of a picture, so
 * the slider is finer there.
 * @param {number} position
 */
export const radiusAt = (position) => CORNER * (position / 100) ** 2;
