// The page that convolves a sound while it plays, in a real browser with a sound card that is none.
// How many blocks are late depends on the machine, and is only said.

import assert from "node:assert/strict";
import { test } from "node:test";
import { start } from "./browser.js";

test("blocks go from the sound card to the GPU and back", { timeout: 180_000 }, async (context) => {
    const { origin, browser, close } = await start();
    try {
        const page = await browser.newPage();
        const said = [];
        page.on("console", (message) => message.type() === "error" && said.push(message.text()));
        page.on("pageerror", (error) => said.push(`uncaught: ${error.message}`));
        await page.goto(`${origin}/room/`);
        await page.selectOption("#seconds", "1");
        await page.click("#play");
        const { blocks, late, loudest } = await page.waitForFunction(() => {
            const { blocks, late, loudest } = document.getElementById("counts").dataset;
            return Number(blocks) >= 300 && Number(loudest) > 0 ? { blocks, late, loudest } : undefined;
        }, undefined, { timeout: 120_000 }).then((found) => found.jsonValue());
        context.diagnostic(`${late} of ${blocks} blocks were late; ${await page.textContent("#state")} ${await page.textContent("#counts")}`);
        // The power of the response is 1, and the sound is no louder than 0.5.
        assert.ok(Number(loudest) > 0.01 && Number(loudest) < 10, loudest);
        await page.click("#stop");
        assert.equal(await page.textContent("#state"), "Nothing plays.");
        assert.deepEqual(said, []);
    } finally {
        await close();
    }
});
