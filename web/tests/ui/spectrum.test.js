import assert from "node:assert/strict";
import { test } from "node:test";
import { Mask, halfIndex, halfWidth, mirror } from "../../page/mask.js";
import { shades, veil } from "../../page/spectrum.js";

test("a spectrum is symmetric about its middle and keeps the order of the levels", () => {
    const [width, height] = [10, 7];
    const levels = Float32Array.from({ length: height * halfWidth(width) }, (_, i) => 1 + ((i * 37) % 50) / 5);
    const pixels = shades(levels, width, height);
    const shade = (x, y) => pixels[4 * (y * width + x)];
    for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
            assert.equal(pixels[4 * (y * width + x) + 3], 255);
            // Columns 0 and w/2 of real spectra are symmetric themselves; these levels are not.
            if (x !== 0 && x !== 5) assert.equal(shade(x, y), shade(mirror(x, width), mirror(y, height)));
        }
    }
    const [low, high] = [halfIndex(6, 3, width, height), halfIndex(7, 3, width, height)];
    assert.equal(Math.sign(levels[high] - levels[low]), Math.sign(shade(7, 3) - shade(6, 3)));
});

test("equal levels, and none at all, are no division by zero", () => {
    for (const level of [0, 3]) {
        const pixels = shades(new Float32Array(4 * 3).fill(level), 4, 4);
        assert.ok(pixels.every((value, i) => (i % 4 === 3 ? value === 255 : value === 0)));
    }
});

test("the veil covers what the mask stops, at another resolution as well", () => {
    const mask = new Mask(8, 8);
    mask.begin();
    mask.stroke({ x: 0, y: 0.5 }, { x: 8, y: 0.5 }, 0.6, "stop");
    for (const scale of [1, 2, 0.5]) {
        const side = 8 * scale;
        const pixels = veil(mask, side, side, [10, 20, 30], 0.5);
        for (let y = 0; y < side; y++) {
            for (let x = 0; x < side; x++) {
                const stopped = mask.values[halfIndex(Math.floor((x + 0.5) / scale), Math.floor((y + 0.5) / scale), 8, 8)] === 0;
                const at = 4 * (y * side + x);
                assert.deepEqual([...pixels.slice(at, at + 4)], [10, 20, 30, stopped ? 128 : 0]);
            }
        }
    }
});
