// The first tab in Chromium, on whatever WebGPU there is: `node --test web/tests/ui`.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { choose, difference, filtered, paint, pixels, png, start } from "./browser.js";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => { site = await start(); });
after(() => site?.close());

/** Two waves along the rows, 4 and 24 in 96 pixels, on red and blue. */
const waves = () => png(96, 64, (x) => {
    const [long, short] = [Math.sin((2 * Math.PI * 4 * x) / 96), Math.sin((2 * Math.PI * 24 * x) / 96)];
    return [127.5 + 60 * long + 50 * short, 100, 127.5 + 60 * long];
});

const value = (page, name, position) => page.locator(`input[name=${name}]`).evaluate((input, position) => {
    input.value = position;
    input.dispatchEvent(new Event("input", { bubbles: true }));
}, String(position));

test("the example shows as it is, with its spectrum, times, and nothing from elsewhere", async () => {
    const { page, said, hosts, context } = await site.open();
    const shown = await pixels(page);
    await page.click("#compare");
    assert.equal(difference(shown, await pixels(page)), 0, "all frequencies there and back give the same bytes");
    await page.click("#compare");
    const spectrum = await page.evaluate(() => {
        const canvas = document.getElementById("spectrum");
        const { data } = canvas.getContext("2d").getImageData(0, 0, 512, 512);
        const mean = (x, y) => {
            let sum = 0;
            for (let dy = -8; dy < 8; dy++) for (let dx = -8; dx < 8; dx++) sum += data[4 * ((y + dy) * 512 + x + dx)];
            return sum / 256;
        };
        return { middle: mean(256, 256), corner: mean(12, 12), side: mean(400, 300) };
    });
    assert.ok(spectrum.middle > 2 * spectrum.side && spectrum.side > spectrum.corner, JSON.stringify(spectrum));
    const times = await page.locator("#times").innerText();
    for (const name of ["Upload", "Transform", "Filter", "Read back"]) assert.match(times, new RegExp(`${name}[^\\n]*\\n[\\d.]+ m?s`));
    assert.deepEqual(said, []);
    assert.deepEqual([...hosts], [site.origin]);
    // The policy holds: a script that is not from here does not run.
    const ran = await page.evaluate(() => {
        const script = document.createElement("script");
        script.textContent = "globalThis.inlineRan = true";
        document.body.append(script);
        return globalThis.inlineRan === true;
    });
    assert.equal(ran, false);
    await context.close();
});

test("paint changes the picture; undo brings back every byte; clear and Ctrl+Z work", async () => {
    const { page, context, said } = await site.open();
    const first = await pixels(page);
    await paint(page, [0.3, 0.3], [0.7, 0.35]);
    const painted = await pixels(page);
    assert.ok(difference(first, painted) > 0.5);
    await paint(page, [0.45, 0.55], [0.55, 0.6]);
    const both = await pixels(page);
    assert.ok(difference(painted, both) > 0.5);
    await page.click("#undo");
    assert.equal(difference(painted, await pixels(page)), 0);
    await page.click("#clear");
    assert.equal(difference(first, await pixels(page)), 0);
    assert.ok(await page.locator("#clear").isDisabled());
    await page.keyboard.press("Control+z");
    assert.equal(difference(painted, await pixels(page)), 0);
    // The middle is the mean brightness.
    await page.click("#clear");
    await paint(page, [0.5, 0.5], [0.501, 0.501]);
    const dark = await pixels(page);
    const mean = (picture) => picture.data.reduce((sum, x, i) => sum + (i % 4 === 3 ? 0 : x), 0) / (0.75 * picture.data.length);
    assert.ok(mean(dark) < 0.6 * mean(first));
    await page.check("input[value=pass]", { force: true });
    await paint(page, [0.5, 0.5], [0.501, 0.501]);
    assert.equal(difference(first, await pixels(page)), 0);
    assert.deepEqual(said, []);
    await context.close();
});

test("while the pointer moves, one run at a time is under way, and the last mask is the one that shows", async () => {
    const { page, context } = await site.open();
    await page.evaluate(async () => {
        const { DeviceArray } = await import("/wgpu-fft/index.js");
        globalThis.runs = { now: 0, most: 0, all: 0 };
        const read = DeviceArray.prototype.read;
        DeviceArray.prototype.read = async function () {
            runs.all++;
            runs.most = Math.max(runs.most, ++runs.now);
            try {
                return await read.call(this);
            } finally {
                runs.now--;
            }
        };
    });
    const box = await page.locator("#spectrum-stage").boundingBox();
    const turn = (i) => [box.x + box.width * (0.5 + 0.3 * Math.cos(i / 10)), box.y + box.height * (0.5 + 0.3 * Math.sin(i / 10))];
    await page.mouse.move(...turn(0));
    await page.mouse.down();
    for (let i = 1; i <= 60; i++) await page.mouse.move(...turn(i));
    await page.mouse.up();
    const shown = await pixels(page);
    const { most, all } = await page.evaluate(() => runs);
    assert.equal(most, 1);
    assert.ok(all > 2 && all <= 64, `${all} runs for 61 changes`);
    // A run with that mask alone gives the same.
    await page.evaluate(() => document.querySelector("input[value=all]").dispatchEvent(new Event("input", { bubbles: true })));
    assert.equal(difference(shown, await pixels(page)), 0);
    await context.close();
});

test("low, high and band pass keep the waves that they say, in each channel", async () => {
    const { page, context } = await site.open();
    await choose(page, "waves.png", waves());
    await filtered(page, "waves.png · 96 × 64");
    await value(page, "softness", 0);
    /** The amplitude of k waves along the middle row. */
    const amplitude = ({ at }, k, channel) => {
        let [re, im] = [0, 0];
        for (let x = 0; x < 96; x++) {
            re += at(x, 32)[channel] * Math.cos((2 * Math.PI * k * x) / 96);
            im += at(x, 32)[channel] * Math.sin((2 * Math.PI * k * x) / 96);
        }
        return Math.hypot(re, im) / 48;
    };
    const near = (actual, expected, what) => assert.ok(Math.abs(actual - expected) < 1, `${what}: ${actual} for ${expected}`);
    const check = async (shape, [long, short], mean) => {
        await page.check(`input[value=${shape}]`, { force: true });
        const shown = await pixels(page);
        near(amplitude(shown, 4, 0), long, `${shape}, long, red`);
        near(amplitude(shown, 24, 0), short, `${shape}, short, red`);
        near(amplitude(shown, 4, 2), long, `${shape}, long, blue`);
        near(amplitude(shown, 24, 2), 0, `${shape}, short, blue`);
        near(shown.at(7, 9)[1], mean, `${shape}, green`);
    };
    await check("all", [60, 50], 100);
    // 4/96 = 0.042 and 24/96 = 0.25 cycles per pixel; position 40 is 0.113.
    await value(page, "radius", 40);
    await check("low", [60, 0], 100);
    await check("high", [0, 50], 100);
    // From 0.028 to 0.113.
    await value(page, "inner", 20);
    await check("band", [60, 0], 100);
    // Without its mean the picture lies between -110 and 110, and half of that is black.
    await page.uncheck("input[name=mean]");
    const shown = await pixels(page);
    assert.deepEqual(shown.at(7, 9)[1], 0);
    await context.close();
});

test("a low pass blurs the example", async () => {
    const { page, context } = await site.open();
    const edges = ({ data, width }) => {
        let sum = 0;
        for (let i = 4; i < data.length; i += 4) if ((i / 4) % width !== 0) sum += Math.abs(data[i] - data[i - 4]);
        return sum / data.length;
    };
    const sharp = edges(await pixels(page));
    await page.check("input[value=low]", { force: true });
    const [forty, thirty] = [edges(await pixels(page)), (await value(page, "radius", 25), edges(await pixels(page)))];
    assert.ok(forty < 0.6 * sharp, `${forty} of ${sharp}`);
    assert.ok(thirty < 0.7 * forty, `${thirty} of ${forty}`);
    await context.close();
});

test("a broken file gives a message, and the page goes on", async () => {
    const { page, context } = await site.open();
    const shown = await pixels(page);
    const files = { "broken.png": waves().subarray(0, 60), "notes.txt": Buffer.from("no picture"), "empty.png": Buffer.alloc(0) };
    for (const [name, body] of Object.entries(files)) {
        await choose(page, name, body);
        await page.waitForFunction((name) => document.querySelector("#message:not([hidden]) p")?.textContent.startsWith(name), name);
        assert.match(await page.locator("#message p").innerText(), / Choose /);
        assert.equal(difference(shown, await pixels(page)), 0);
    }
    await paint(page, [0.3, 0.3], [0.7, 0.35]);
    assert.ok(difference(shown, await pixels(page)) > 0.5);
    await choose(page, "waves.png", waves());
    await filtered(page, "waves.png · 96 × 64");
    assert.ok(await page.locator("#message").isHidden());
    await context.close();
});

test("pictures of any size: one pixel, primes, long, and too large", async () => {
    const { page, context } = await site.open();
    for (const [width, height] of [[1, 1], [1, 7], [2, 3], [37, 53], [101, 1], [500, 3]]) {
        const colour = (x, y) => [(x * 37 + y * 11) % 256, (x * 5 + y * 71) % 256, 200];
        await choose(page, `${width}.png`, png(width, height, colour));
        await filtered(page, `${width}.png · ${width} × ${height}`);
        const shown = await pixels(page);
        for (const [x, y] of [[0, 0], [width - 1, height - 1], [width >> 1, height >> 1]]) {
            assert.deepEqual(shown.at(x, y), colour(x, y));
        }
    }
    const limit = await page.evaluate(() => document.getElementById("device").textContent === "your GPU" ? 2048 : 1024);
    await choose(page, "large.png", png(3000, 1500, (x, y) => [x % 256, y % 256, 0]));
    await filtered(page, `large.png · ${limit} × ${limit / 2}`);
    const note = `Scaled down from 3000 × 1500: up to ${limit} pixels a side are filtered live here.`;
    assert.equal(await page.locator("#picture-note").innerText(), note);
    await page.click("#example");
    await filtered(page, "camera.png · 512 × 512");
    assert.ok(await page.locator("#picture-note").isHidden());
    await context.close();
});

test("EXIF orientation and transparency", async () => {
    const { page, context } = await site.open();
    // A JPEG, left half red and right half blue, whose EXIF data say: turn it clockwise.
    const plain = Buffer.from(await page.evaluate(async () => {
        const canvas = new OffscreenCanvas(64, 32);
        const drawing = canvas.getContext("2d");
        drawing.fillStyle = "red";
        drawing.fillRect(0, 0, 32, 32);
        drawing.fillStyle = "blue";
        drawing.fillRect(32, 0, 32, 32);
        return [...new Uint8Array(await (await canvas.convertToBlob({ type: "image/jpeg", quality: 1 })).arrayBuffer())];
    }));
    const tiff = Buffer.from("4d4d002a00000008000101120003000000010006000000000000", "hex");
    const exif = Buffer.concat([Buffer.from("Exif\0\0", "latin1"), tiff]);
    const app1 = Buffer.concat([Buffer.from([0xff, 0xe1, 0, exif.length + 2]), exif]);
    await choose(page, "turned.jpg", Buffer.concat([plain.subarray(0, 2), app1, plain.subarray(2)]), "image/jpeg");
    await filtered(page, "turned.jpg · 32 × 64");
    const turned = await pixels(page);
    assert.ok(turned.at(16, 8)[0] > 200 && turned.at(16, 56)[2] > 200, `${turned.at(16, 8)}, ${turned.at(16, 56)}`);
    await choose(page, "glass.png", png(8, 8, (x) => [0, 0, 0, x < 4 ? 255 : 0]));
    await filtered(page, "glass.png · 8 × 8");
    const glass = await pixels(page);
    assert.deepEqual([glass.at(1, 1), glass.at(6, 6)], [[0, 0, 0], [255, 255, 255]]);
    await context.close();
});

test("a picture can be dropped, pasted and taken with the camera", async () => {
    const { page, context } = await site.open();
    const give = (type, name) => page.evaluate(([type, name, bytes]) => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(bytes)], name, { type: "image/png" }));
        const event = type === "drop" ? new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true })
            : new ClipboardEvent("paste", { clipboardData: data, bubbles: true });
        document.body.dispatchEvent(event);
    }, [type, name, [...waves()]]);
    await give("drop", "dropped.png");
    await filtered(page, "dropped.png · 96 × 64");
    await give("paste", "pasted.png");
    await filtered(page, "pasted.png · 96 × 64");
    await page.evaluate(() =>
        document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: new DataTransfer(), bubbles: true })));
    assert.match(await page.locator("#message p").innerText(), /^What was pasted is not a picture\./);
    await page.click("#camera");
    await page.click("#camera-take");
    await page.waitForFunction(() => document.getElementById("picture-size").textContent.startsWith("camera ·"));
    await page.click("#camera");
    await page.waitForSelector("#camera-dialog[open]");
    const stream = await page.evaluateHandle(() => document.getElementById("camera-video").srcObject);
    await page.keyboard.press("Escape");
    // The camera is off. A dialog loses `open` at once, but its event `close` comes in a later task.
    await page.waitForFunction((stream) => document.getElementById("camera-video").srcObject === null
        && stream.getTracks().every((track) => track.readyState === "ended"), stream);
    assert.ok(await page.evaluate(() => !document.getElementById("camera-dialog").open));
    await context.close();
});

test("the saved file has what the page shows", async () => {
    const { page, context } = await site.open();
    await choose(page, "waves.old.png", waves());
    await filtered(page, "waves.old.png · 96 × 64");
    await page.check("input[value=low]", { force: true });
    const shown = await pixels(page);
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
    assert.equal(download.suggestedFilename(), "waves.old-filtered.png");
    const chunks = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk);
    await page.click("text=All");
    await choose(page, "again.png", Buffer.concat(chunks));
    await filtered(page, "again.png · 96 × 64");
    assert.equal(difference(shown, await pixels(page)), 0);
    await context.close();
});
