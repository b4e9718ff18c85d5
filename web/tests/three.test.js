// The scene of three.js, in a real browser with WebGPU on a software adapter. How many frames there are
// depends on the machine, and is only said.

import assert from "node:assert/strict";
import { test } from "node:test";
import { SHOWING, open } from "./support/browser.js";

test("a scene of three.js glows, without a copy", { timeout: 180_000 }, async (context) => {
    const { page, messages, close } = await open("three/", SHOWING);
    try {
        const found = await page.waitForFunction(() => {
            const { frames, before, after } = document.getElementById("counts").dataset;
            return Number(frames) >= 30 ? { before, after } : undefined;
        }, undefined, { timeout: 120_000 });
        const { before, after } = await found.jsonValue();
        context.diagnostic(await page.textContent("#counts"));
        assert.ok(Number(before) > 0.01 && Math.abs(before - after) < 0.01 * before, `${before} and ${after}`);
        const picture = await page.locator("#scene").screenshot({ path: process.env.WGPU_FFT_PICTURE });
        assert.ok(picture.length > 10_000, `a picture of ${picture.length} bytes is of one colour`);
        assert.deepEqual(messages.filter((message) => message.startsWith("error")), []);
    } finally {
        await close();
    }
});
