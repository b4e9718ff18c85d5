// The check itself, on a stand-in for the package that computes in double precision, and on the
// same with mistakes in it: a check that cannot fail is worth nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { checkAccuracy, measureSpeed, sampledError, specOf, transforms } from "../../page/check.js";
import { directValue, errorBound, largestPrime, randomNumbers } from "../../page/direct.js";
import { accuracyTable, markdown, markdownTable, speedTable, verdict } from "../../page/report.js";
import { Gpu } from "./standin/index.js";

const task = () => ({ signal: new AbortController().signal, progress: () => {} });

test("direct sums", () => {
    // A wave of frequency (1, 2) has all its sum there.
    const [n0, n1] = [3, 5];
    const wave = Float64Array.from({ length: 2 * n0 * n1 }, (_, i) => {
        const j = i >> 1;
        const angle = 2 * Math.PI * (Math.floor(j / n1) / n0 + (2 * (j % n1)) / n1);
        return i % 2 ? Math.sin(angle) : Math.cos(angle);
    });
    const transform = { shape: [n0, n1], complex: true, sign: -1 };
    for (let k0 = 0; k0 < n0; k0++) {
        for (let k1 = 0; k1 < n1; k1++) {
            const [re, im] = directValue(wave, transform, [k0, k1]);
            assert.ok(Math.hypot(re - (k0 === 1 && k1 === 2 ? n0 * n1 : 0), im) < 1e-12);
        }
    }
    assert.deepEqual(directValue([1, 2, 3], { shape: [3], complex: false, sign: -1 }, [0]), [6, 0]);
    const [re, im] = directValue([0, 1, 0, 0], { shape: [4], complex: false, sign: -1 }, [1]);
    assert.ok(Math.hypot(re, im + 1) < 1e-15, "forward is exp(-2πi jk/n)");
});

test("bounds and primes", () => {
    assert.deepEqual([1, 2, 12, 1009, 1001, 62].map(largestPrime), [1, 2, 3, 1009, 13, 31]);
    assert.equal(errorBound([1024]), 2 ** -24 * 1.5 * Math.sqrt(10));
    assert.ok(errorBound([1009]) > 2 * errorBound([1024]));
});

test("random numbers are in their range and not all alike", () => {
    const numbers = randomNumbers(10000, 3);
    assert.ok(numbers.every((x) => x >= -1 && x <= 1));
    assert.ok(Math.abs(numbers.reduce((sum, x) => sum + x, 0) / 10000) < 0.02);
    assert.notDeepEqual(numbers.slice(0, 10), randomNumbers(10, 4));
});

test("a device that is right passes; errors are those of rounding to f32", async () => {
    const results = await checkAccuracy(await Gpu.open(), task());
    assert.equal(results.length, transforms.length + 2);
    assert.deepEqual(results.filter(({ good }) => !good), []);
    for (const { error, bound } of results) assert.ok(error <= bound && (bound === 0 || error > 1e-9));
    assert.match(verdict(results).text, /^All 14 are right/);
});

test("wrong results are found", async () => {
    const gpu = await Gpu.open();
    const plan = gpu.plan.bind(gpu);
    gpu.plan = async (spec) => {
        const made = await plan(spec);
        const run = made.run.bind(made);
        made.run = async (data) => {
            const result = await run(data);
            if (spec === specOf(transforms[2])) return result.map((x) => x * (1 + 2e-6));
            if (spec.startsWith("transpose")) result[5] ^= 1;
            if (spec === specOf(transforms[8])) throw new Error("out of luck\nand more");
            return result;
        };
        return made;
    };
    const results = await checkAccuracy(gpu, task());
    const wrong = results.filter(({ good }) => !good);
    assert.deepEqual(wrong.map(({ spec }) => spec.split(" ")[0]), ["c2c", "c2c", "transpose"]);
    assert.equal(wrong[1].failure, "out of luck");
    const { good, text } = verdict(results);
    assert.equal(good, false);
    assert.match(text, /^3 of 14 are wrong on this device: c2c fwd 1000, c2c fwd 12x20x28, transpose u32 301x203\./);
    const table = accuracyTable(results);
    assert.equal(table.rows[2].at(-1), "too large");
    assert.deepEqual(table.bad.filter(Boolean).length, 3);
});

test("a transform with the other sign is wrong", async () => {
    const gpu = await Gpu.open();
    const transform = transforms[7];
    const input = randomNumbers(2 * 480 * 640, 1);
    const right = await (await gpu.plan(specOf(transform))).run(input);
    const wrong = await (await gpu.plan(specOf({ ...transform, inverse: true }))).run(input);
    assert.ok(sampledError(transform, input, right) < errorBound(transform.shape));
    assert.ok(sampledError(transform, input, wrong) > 0.5);
});

test("a lost device ends the check, and stopping does", async () => {
    const gpu = await Gpu.open();
    gpu.lose("test");
    await assert.rejects(checkAccuracy(gpu, task()), { kind: "device-lost" });
    const stop = new AbortController();
    let seen = 0;
    const progress = () => { if (++seen === 2) stop.abort(); };
    await assert.rejects(checkAccuracy(await Gpu.open(), { signal: stop.signal, progress }), { name: "AbortError" });
    assert.equal(seen, 2);
});

test("the report has everything a bug report needs", async () => {
    const gpu = await Gpu.open();
    const speed = [
        { spec: "c2c fwd 256x256", bytes: 16 * 65536, ms: 0.5, copyMs: 0.25 },
        { spec: "c2c fwd 9", bytes: 144, failure: "no | luck" },
    ];
    const accuracy = [{ spec: "c2c fwd 8", why: "eight", error: 1e-8, back: 2e-8, bound: 1e-7, good: true }];
    assert.deepEqual(speedTable(speed).rows[0], ["c2c fwd 256x256", "0.50 ms", "2.1", "0.25 ms, 4.2 GB/s", "2.0"]);
    const text = markdown(gpu.info, "a browser", accuracy, speed);
    const parts = [
        "All 1 are right", "Adapter: stand-in (javascript, software)", "a browser", "| c2c fwd 8 | eight | 1.0e-8 |",
        "maxStorageBufferBindingSize | 134217728", "no \\| luck",
    ];
    for (const part of parts) assert.ok(text.includes(part), part);
    assert.equal(markdownTable({ caption: "", heads: ["a", "b"], rows: [["1", "2"]], bad: [] }), "| a | b |\n|---|---|\n| 1 | 2 |");
});

test("speeds of the stand-in", async () => {
    const seen = [];
    const gpu = await Gpu.open();
    gpu.plan = async (spec) => {
        seen.push(spec);
        return { time: async () => 2, free: () => {} };
    };
    const results = await measureSpeed(gpu, task());
    assert.deepEqual(results[3], { spec: "c2c fwd 1024 x1024", bytes: 16 << 20, ms: 2, copyMs: 2 });
    assert.ok(seen.includes("permute complex f32 1x65536 order=0,1"));
});
