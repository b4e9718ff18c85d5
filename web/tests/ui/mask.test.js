// What the mask lets through, where paint goes, and undo: `node --test web/tests/ui`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { CORNER, Mask, distance, halfIndex, halfWidth, mirror, radiusAt, response as squaredResponse, wrap } from "../../page/mask.js";

const response = (filter, frequency) => squaredResponse(filter)(frequency * frequency);
const sizes = [[8, 6], [7, 6], [8, 5], [7, 5], [1, 1], [2, 1], [1, 4]];

/** The whole unshifted mask that a half stands for. */
function whole({ values, width, height }) {
    const half = halfWidth(width);
    return (row, column) => {
        const [r, c] = [wrap(row, height), wrap(column, width)];
        return c < half ? values[r * half + c] : values[wrap(-r, height) * half + (width - c)];
    };
}

test("every place of the shifted spectrum has an index in the half, and each index is reached", () => {
    for (const [width, height] of sizes) {
        const reached = new Set();
        for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) reached.add(halfIndex(x, y, width, height));
        assert.equal(reached.size, height * halfWidth(width), `${width} x ${height}`);
        assert.equal(Math.max(...reached), height * halfWidth(width) - 1);
    }
});

test("the zero frequency is in the middle, as in NumPy's fftshift", () => {
    assert.equal(halfIndex(4, 3, 8, 6), 0);
    assert.equal(halfIndex(3, 2, 7, 5), 0);
    // One to the right of the middle is the frequency (0, 1), one below is (1, 0).
    assert.equal(halfIndex(5, 3, 8, 6), 1);
    assert.equal(halfIndex(4, 4, 8, 6), halfWidth(8));
});

test("mirror changes the sign of a frequency and is its own inverse", () => {
    for (const n of [1, 2, 5, 8]) {
        for (let place = 0; place < n; place++) {
            assert.equal(mirror(mirror(place, n), n), place);
            const frequency = place - Math.floor(n / 2);
            const mirrored = mirror(place, n) - Math.floor(n / 2);
            assert.equal(wrap(mirrored + frequency, n), 0);
        }
    }
});

test("what is painted is painted at the opposite frequency too, on every column", () => {
    for (const [width, height] of sizes) {
        for (let y = 0; y < height; y++) {
            for (let x = 0; x < width; x++) {
                const mask = new Mask(width, height);
                mask.begin();
                const at = { x: x + 0.5, y: y + 0.5 };
                mask.stroke(at, at, 1.2, "stop");
                const value = whole(mask);
                let stopped = 0;
                for (let r = 0; r < height; r++) {
                    for (let c = 0; c < width; c++) {
                        assert.equal(value(r, c), value(-r, -c), `${width} x ${height}, painted at ${x}, ${y}; ${r}, ${c}`);
                        stopped += Number(value(r, c) === 0);
                    }
                }
                assert.ok(stopped >= 1);
            }
        }
    }
});

test("a stroke paints its capsule and nothing else", () => {
    const [width, height] = [40, 30];
    const mask = new Mask(width, height);
    mask.begin();
    const [from, to] = [{ x: 24, y: 4 }, { x: 35, y: 11 }];
    mask.stroke(from, to, 2.5, "stop");
    for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
            const inside = (px, py) => distance({ x: px + 0.5, y: py + 0.5 }, from, to) <= 2.5;
            const expected = inside(x, y) || inside(mirror(x, width), mirror(y, height)) ? 0 : 1;
            assert.equal(mask.values[halfIndex(x, y, width, height)], expected, `${x}, ${y}`);
        }
    }
});

test("paint lies over the filter; undo and clear take back whole strokes", () => {
    const mask = new Mask(32, 32);
    mask.setFilter({ shape: "low", radius: 0.1, inner: 0, softness: 0, keepMean: true });
    const low = mask.values.slice();
    const far = { x: 30, y: 16 };
    const index = halfIndex(30, 16, 32, 32);
    assert.equal(low[index], 0);
    mask.begin();
    mask.stroke(far, far, 2, "pass");
    const first = mask.values.slice();
    assert.equal(first[index], 1);
    mask.begin();
    mask.stroke({ x: 16, y: 16 }, { x: 31, y: 16 }, 1, "stop");
    mask.stroke({ x: 16, y: 16 }, { x: 16, y: 31 }, 1, "stop");
    assert.equal(mask.values[0], 0);
    mask.undo();
    assert.deepEqual(mask.values, first);
    mask.clear();
    assert.deepEqual(mask.values, low);
    assert.equal(mask.isPainted, false);
    mask.undo();
    assert.deepEqual(mask.values, first);
    mask.undo();
    assert.deepEqual(mask.values, low);
    assert.equal(mask.canUndo, false);
    mask.undo();
    assert.deepEqual(mask.values, low);
});

test("paint survives another filter", () => {
    const mask = new Mask(16, 16);
    mask.begin();
    mask.stroke({ x: 12.5, y: 8.5 }, { x: 12.5, y: 8.5 }, 0.6, "stop");
    mask.setFilter({ shape: "high", radius: 0.01, inner: 0, softness: 0, keepMean: true });
    assert.equal(mask.values[halfIndex(12, 8, 16, 16)], 0);
    assert.equal(mask.values[halfIndex(13, 8, 16, 16)], 1);
});

test("responses", () => {
    const low = { shape: "low", radius: 0.2, inner: 0.1, softness: 0, keepMean: false };
    assert.equal(response(low, 0.2), 1);
    assert.equal(response(low, 0.2001), 0);
    const soft = { ...low, softness: 0.5 };
    assert.equal(response(soft, 0.0999), 1);
    assert.ok(Math.abs(response(soft, 0.2) - 0.5) < 1e-12);
    assert.equal(response(soft, 0.3), 0);
    for (let f = 0; f < CORNER; f += 0.01) {
        for (const softness of [0, 0.3, 1]) {
            const filter = { ...low, softness };
            assert.ok(Math.abs(response(filter, f) + response({ ...filter, shape: "high" }, f) - 1) < 1e-12);
            const band = response({ ...filter, shape: "band" }, f);
            assert.ok(band >= 0 && band <= 1);
            assert.equal(response({ ...filter, shape: "all" }, f), 1);
        }
    }
    const band = { ...low, shape: "band" };
    assert.deepEqual([0.05, 0.15, 0.25].map((f) => response(band, f)), [0, 1, 0]);
    assert.equal(response({ ...low, shape: "high" }, 0), 0);
    assert.equal(response({ ...low, shape: "high", keepMean: true }, 0), 1);
});

test("a filter is round in cycles per pixel, whatever the shape of the picture", () => {
    const mask = new Mask(64, 32);
    mask.setFilter({ shape: "low", radius: 0.25, inner: 0, softness: 0, keepMean: true });
    // 16 of 64 columns and 8 of 32 rows are a quarter of a cycle per pixel.
    assert.deepEqual([halfIndex(48, 16, 64, 32), halfIndex(49, 16, 64, 32)].map((i) => mask.values[i]), [1, 0]);
    assert.deepEqual([halfIndex(32, 24, 64, 32), halfIndex(32, 25, 64, 32)].map((i) => mask.values[i]), [1, 0]);
});

test("the slider reaches from nothing to the corner", () => {
    assert.equal(radiusAt(0), 0);
    assert.equal(radiusAt(100), CORNER);
});
