import assert from "node:assert/strict";
import { test } from "node:test";
import { LONGEST_SIDE, LONGEST_SIDE_IN_SOFTWARE, fit, longestSide, planes, resultName } from "../../page/picture.js";
import { latest } from "../../page/latest.js";

test("pictures within the limit keep their size; others keep their shape", () => {
    assert.deepEqual(fit(640, 480, 2048), { width: 640, height: 480 });
    assert.deepEqual(fit(6000, 4000, 2048), { width: 2048, height: 1365 });
    assert.deepEqual(fit(100, 5000, 1000), { width: 20, height: 1000 });
    assert.deepEqual(fit(1, 90000, 1000), { width: 1, height: 1000 });
});

test("the limit follows from the bindings of the device", () => {
    assert.equal(longestSide(128 << 20, false), LONGEST_SIDE);
    assert.equal(longestSide(128 << 20, true), LONGEST_SIDE_IN_SOFTWARE);
    for (const bytes of [16 << 20, 1 << 20, 50000]) {
        const side = longestSide(bytes, false);
        assert.ok(3 * side * (Math.floor(side / 2) + 1) * 8 <= bytes);
        assert.ok(3 * side * side * 4 <= bytes);
        assert.ok(side > 0.98 * Math.sqrt(bytes / 12) - 2);
    }
});

test("planes", () => {
    assert.deepEqual([...planes(Uint8ClampedArray.of(1, 2, 3, 255, 4, 5, 6, 255))], [1, 4, 2, 5, 3, 6]);
});

test("names of results", () => {
    assert.equal(resultName("holiday.photo.jpeg"), "holiday.photo-filtered.png");
    assert.equal(resultName(".png"), "picture-filtered.png");
});

test("one run at a time, and the last request wins", async () => {
    const finish = [];
    const seen = [];
    let wanted = 0;
    const errors = [];
    const runs = latest(async () => {
        const mine = wanted;
        await new Promise((resolve) => finish.push(resolve));
        seen.push(mine);
        if (mine === 3) throw new Error("three");
    }, (error) => errors.push(error.message));

    for (wanted = 1; wanted <= 3; wanted++) runs.request();
    wanted = 3;
    assert.equal(finish.length, 1);
    assert.ok(runs.isBusy && runs.isWaiting);
    finish[0]();
    await new Promise(setImmediate);
    assert.equal(finish.length, 2);
    assert.ok(!runs.isWaiting);
    finish[1]();
    await runs.idle();
    assert.deepEqual(seen, [1, 3]);
    assert.deepEqual(errors, ["three"]);
    wanted = 4;
    runs.request();
    finish[2]();
    await runs.idle();
    assert.deepEqual(seen, [1, 3, 4]);
});
