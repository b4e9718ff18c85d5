// What goes wrong with devices, and the page without a mouse and on every size of screen.

import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import { choose, difference, filtered, paint, pixels, png, start } from "./browser.js";

const pictures = fileURLToPath(new URL("../../../target/page/", import.meta.url));

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
    site = await start();
    await mkdir(pictures, { recursive: true });
});
after(() => site?.close());

const message = (page, pattern) => page.waitForFunction((source) =>
    new RegExp(source).test(document.querySelector("#message:not([hidden]) p")?.textContent ?? ""), pattern.source);

test("without WebGPU the page says so, shows pictures, and tries again", async () => {
    const hide = () => {
        globalThis.hidden = navigator.gpu;
        Object.defineProperty(navigator, "gpu", { value: undefined, configurable: true });
    };
    const { page, context } = await site.open({ before: hide, loaded: false });
    await message(page, /^WebGPU is not available here\. Use a current Chrome.* pictures stay unfiltered\.$/);
    await page.waitForFunction(() => document.getElementById("picture-size").textContent === "camera.png · 512 × 512");
    assert.ok(await page.evaluate(() => document.getElementById("controls").closest("[inert]") !== null));
    const [plain] = [await pixels(page)];
    assert.ok(plain.at(50, 450)[0] < 60);
    await page.click("#tab-check");
    assert.ok(await page.locator("#check-run").isDisabled());
    await page.click("#tab-filter");
    await page.click("#message-action");
    await message(page, /^WebGPU is not available/);
    await page.evaluate(() => { delete navigator.gpu; });
    await page.click("#message-action");
    await filtered(page, "camera.png · 512 × 512");
    assert.ok(await page.locator("#message").isHidden());
    await paint(page, [0.3, 0.3], [0.7, 0.35]);
    assert.ok(difference(plain, await pixels(page)) > 0.5);
    await context.close();
});

test("an adapter that opens no device", async () => {
    const refuse = () => { GPUAdapter.prototype.requestDevice = () => Promise.reject(new DOMException("no", "OperationError")); };
    const { page, context } = await site.open({ before: refuse, loaded: false });
    await message(page, /^(The graphics driver opens no device|WebGPU is not available)/);
    await context.close();
});

test("a lost device is opened again, with the picture and the mask", async () => {
    const { page, context } = await site.open();
    await choose(page, "small.png", png(120, 80, (x, y) => [2 * x, 3 * y, (x * y) % 256]));
    await filtered(page, "small.png · 120 × 80");
    await paint(page, [0.3, 0.3], [0.7, 0.35]);
    await page.check("input[value=low]", { force: true });
    const shown = await pixels(page);
    for (let loss = 1; loss <= 3; loss++) {
        await page.evaluate(() => devices.at(-1).destroy());
        await page.waitForFunction((count) => devices.length === count + 1, loss);
        await page.waitForFunction(() => document.getElementById("status").textContent.startsWith("The GPU is back"));
        assert.equal(difference(shown, await pixels(page)), 0);
        assert.ok(await page.locator("#message").isHidden());
        await paint(page, [0.5, 0.45], [0.55, 0.45]);
        assert.ok(difference(shown, await pixels(page)) > 0.05, "the new device filters");
        await page.click("#undo");
        assert.equal(difference(shown, await pixels(page)), 0);
    }
    // A device that breaks all the time is left alone, until one asks for it.
    await page.evaluate(() => devices.at(-1).destroy());
    await message(page, /^The connection to the GPU breaks again and again\./);
    assert.equal(await page.evaluate(() => devices.length), 4);
    await page.click("#message-action");
    await page.waitForFunction(() => devices.length === 5 && document.getElementById("message").hidden);
    assert.equal(difference(shown, await pixels(page)), 0);
    await context.close();
});

test("the browser's GPU process may crash", async () => {
    const { page, context } = await site.open();
    await paint(page, [0.3, 0.3], [0.7, 0.35]);
    const shown = await pixels(page);
    const session = await site.browser.newBrowserCDPSession();
    // Its answer may never come.
    session.send("Browser.crashGpuProcess").catch(() => {});
    await page.waitForFunction(() => document.getElementById("status").textContent.startsWith("The GPU is back"));
    assert.equal(difference(shown, await pixels(page)), 0);
    await paint(page, [0.45, 0.45], [0.5, 0.45]);
    assert.ok(difference(shown, await pixels(page)) > 0.5);
    await context.close();
});

test("too little memory leaves the picture that is there", async () => {
    const { page, context } = await site.open();
    const shown = await pixels(page);
    await page.evaluate(async () => {
        const { FftError, Gpu } = await import("/wgpu-fft/index.js");
        const alloc = Gpu.prototype.alloc;
        Gpu.prototype.alloc = function (...arguments_) {
            if (arguments_[1] === 3 * 40 * 30) throw new FftError("out-of-memory", "no memory");
            return alloc.apply(this, arguments_);
        };
    });
    await choose(page, "other.png", png(40, 30, () => [1, 2, 3]));
    await message(page, /^The GPU has too little free memory\./);
    assert.equal(difference(shown, await pixels(page)), 0);
    await page.click("#message-close");
    assert.ok(await page.locator("#message").isHidden());
    await paint(page, [0.3, 0.3], [0.7, 0.35]);
    assert.ok(difference(shown, await pixels(page)) > 0.5);
    await context.close();
});

test("everything by keyboard", async () => {
    const { page, context } = await site.open();
    const first = await pixels(page);
    const focused = () => page.evaluate(() => {
        const { id, name, value, type } = document.activeElement;
        return type === "radio" ? `${name}=${value}` : id || name;
    });
    await page.keyboard.press("Tab");
    const order = [];
    for (let i = 0; i < 11; i++) {
        order.push(await focused());
        await page.keyboard.press("Tab");
    }
    // The first is the link that skips the head of the page.
    const expected = [
        "", "tab-filter", "open", "camera", "example", "compare", "save", "spectrum-stage", "shape=all", "paint=stop", "brush",
    ];
    assert.deepEqual(order, expected);
    // A low pass.
    await page.locator("input[value=all]").focus();
    await page.keyboard.press("ArrowRight");
    assert.equal(await focused(), "shape=low");
    const low = await pixels(page);
    assert.ok(difference(first, low) > 0.5);
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "radius");
    for (let i = 0; i < 20; i++) await page.keyboard.press("ArrowLeft");
    assert.ok(difference(low, await pixels(page)) > 0.5);
    assert.match(await page.locator("input[name=radius]").getAttribute("aria-valuetext"), /^waves of \d+ px$/);
    assert.match(await page.locator("#status").innerText(), /^Low pass: waves of \d+ px and longer remain\.$/);
    // Paint.
    await page.locator("input[value=low]").focus();
    await page.keyboard.press("ArrowLeft");
    assert.equal(difference(first, await pixels(page)), 0);
    await page.keyboard.press("Shift+Tab");
    assert.equal(await focused(), "spectrum-stage");
    assert.ok(await page.locator("#cursor").isVisible());
    await page.keyboard.down(" ");
    for (let i = 0; i < 5; i++) await page.keyboard.press("Shift+ArrowLeft");
    await page.keyboard.up(" ");
    await page.keyboard.press("ArrowDown");
    const painted = await pixels(page);
    assert.ok(difference(first, painted) > 0.5);
    assert.match(await page.locator("#status").innerText(), /^waves of [\d.]+ px, -?\d+ across, -?\d+ down$/);
    await page.locator("#undo").focus();
    await page.keyboard.press("Enter");
    assert.equal(difference(first, await pixels(page)), 0);
    assert.equal(await focused(), "spectrum-stage", "a button that was disabled passes the focus on");
    // The other tab.
    await page.locator("#tab-filter").focus();
    await page.keyboard.press("ArrowRight");
    assert.equal(await focused(), "tab-check");
    assert.ok(await page.locator("#panel-check").isVisible() && (await page.locator("#panel-filter").isHidden()));
    assert.ok(page.url().endsWith("#check"));
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "check-run");
    await context.close();
});

test("every control has a name", async () => {
    const { page, context } = await site.open();
    await page.check("input[value=band]", { force: true });
    const session = await context.newCDPSession(page);
    const { nodes } = await session.send("Accessibility.getFullAXTree");
    const roles = ["button", "slider", "radio", "checkbox", "tab", "tabpanel", "tablist", "application", "image", "group", "region"];
    const found = nodes.filter(({ ignored, role }) => !ignored && roles.includes(role?.value));
    assert.ok(found.length > 20);
    for (const { role, name } of found) {
        assert.notEqual(name?.value ?? "", "", `a ${role.value} without a name`);
    }
    await context.close();
});

test("the check finds this device right, and its report has what a bug report needs", async () => {
    const { page, context, said } = await site.open({ hash: "#check", permissions: ["clipboard-read", "clipboard-write"] });
    await page.click("#check-run");
    await page.waitForSelector("#check-text:not([hidden])", { timeout: 240_000 });
    await page.waitForSelector("#check-stop", { state: "hidden", timeout: 240_000 });
    assert.match(await page.locator("#verdict").innerText(), /^All 14 are right: the largest error is \d+ % of what is allowed\.$/);
    assert.equal(await page.locator("#check-results table").count(), 2);
    assert.equal(await page.locator("#check-results tbody tr").count(), 18);
    assert.deepEqual(await page.locator("#check-results td.bad").allInnerTexts(), []);
    await page.click("#check-copy");
    await page.waitForFunction(() => document.getElementById("check-progress").textContent === "Copied.");
    const text = await page.evaluate(() => navigator.clipboard.readText());
    const parts = [
        "All 14 are right", "- Adapter: ", "- Browser: Mozilla/", "| c2c fwd 480x640 |", "| c2c fwd 1024 x1024 |",
        "| maxStorageBufferBindingSize |",
    ];
    for (const part of parts) assert.ok(text.includes(part), `${part} in ${text}`);
    await page.screenshot({ path: `${pictures}check.png`, fullPage: true });
    await page.setViewportSize({ width: 360, height: 740 });
    for (const table of await page.locator(".table").all()) {
        assert.equal(await table.evaluate((box) => box.scrollWidth - box.clientWidth), 0);
    }
    await page.screenshot({ path: `${pictures}check-360.png`, fullPage: true });
    assert.deepEqual(said, []);
    await context.close();
});

test("the check can be stopped", async () => {
    const { page, context } = await site.open({ hash: "#check" });
    await page.click("#check-run");
    await page.click("#check-stop");
    await page.waitForFunction(() => document.getElementById("check-progress").textContent === "Stopped.");
    assert.ok(await page.locator("#check-run").isEnabled());
    await context.close();
});

test("a device that is lost during the check can be checked again", async () => {
    const { page, context } = await site.open({ hash: "#check" });
    const says = (part) => page.waitForFunction((part) => document.getElementById("check-progress").textContent.includes(part), part);
    await page.click("#check-run");
    await says(", 3 of");
    await page.evaluate(() => devices[0].destroy());
    await says("The device was lost during the check. Run it again.");
    await page.waitForSelector("#check-run:enabled");
    await page.waitForFunction(() => devices.length === 2);
    await page.click("#check-run");
    await says(", 3 of");
    await context.close();
});

for (const [width, height] of [[360, 740], [1280, 800], [3840, 2160]]) {
    for (const colorScheme of ["light", "dark"]) {
        test(`${width} pixels, ${colorScheme}`, async () => {
            const { page, context } = await site.open({ viewport: { width, height }, colorScheme, reducedMotion: "reduce" });
            const scrolls = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
            assert.equal(await scrolls(), 0);
            await page.check("input[value=band]", { force: true });
            await page.evaluate(() => { document.querySelector("input[name=radius]").value = 60; });
            await paint(page, [0.6, 0.3], [0.8, 0.4]);
            await pixels(page);
            assert.equal(await scrolls(), 0);
            const dark = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
            assert.equal(Number(/\d+/.exec(dark)[0]) < 128, colorScheme === "dark");
            await page.mouse.move(2, 2);
            await page.screenshot({ path: `${pictures}${width}-${colorScheme}.png` });
            await page.click("#tab-check");
            assert.equal(await scrolls(), 0);
            await context.close();
        });
    }
}
