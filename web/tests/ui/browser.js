// The page of this project in a real browser, for the tests beside this file.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { assemble } from "../../site.js";
import { launch } from "../support/browser.js";
import { serve } from "../support/server.js";

/** A browser, and the page behind a web server. */
export async function start() {
    // A folder of its own, as test files run at the same time.
    const folder = await assemble(await mkdtemp(join(tmpdir(), "wgpu-fft-page-")));
    const server = await serve(folder);
    const browser = await launch();
    const origin = `http://localhost:${server.address().port}`;
    const close = async () => {
        await browser.close();
        server.close();
        await rm(folder, { recursive: true });
    };

    /**
     * Opens the page in a profile of its own.
     * @param {import("playwright-core").BrowserContextOptions & { before?: () => void, hash?: string, loaded?: boolean }} [options]
     *     `before` runs in the page first; with `loaded: false` nothing is waited for
     */
    const open = async ({ before, hash = "", loaded = true, ...options } = {}) => {
        const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
        const page = await context.newPage();
        page.setDefaultTimeout(60_000);
        const said = [];
        const hosts = new Set();
        page.on("console", (message) => {
            // These tests read the canvas; the page does not.
            if (["error", "warning"].includes(message.type()) && !message.text().includes("willReadFrequently")) said.push(message.text());
        });
        page.on("pageerror", (error) => said.push(`uncaught: ${error.message}`));
        page.on("request", (request) => hosts.add(new URL(request.url()).origin));
        await page.addInitScript(rememberDevices);
        if (before) await page.addInitScript(before);
        await page.goto(`${origin}/${hash}`);
        if (loaded) await filtered(page, "camera.png · 512 × 512");
        return { page, context, said, hosts };
    };
    return { browser, folder, origin, open, close };
}

/** Keeps the devices that the page opens, to lose them. */
function rememberDevices() {
    globalThis.devices = [];
    if (!globalThis.GPUAdapter) return;
    const request = GPUAdapter.prototype.requestDevice;
    GPUAdapter.prototype.requestDevice = async function (...options) {
        const device = await request.apply(this, options);
        globalThis.devices.push(device);
        return device;
    };
}

/** Waits for a picture to be on the device, and its times on the page. */
export async function filtered(page, caption) {
    await page.waitForFunction((text) => document.getElementById("picture-size").textContent === text
        && !document.body.hasAttribute("aria-busy") && document.querySelectorAll("#times div").length >= 4, caption);
}

/** The picture on the page, once it is that of the mask. */
export async function pixels(page) {
    await page.waitForSelector("#picture-stage:not([aria-busy=true])");
    const { width, height, text } = await page.evaluate(() => {
        const canvas = document.getElementById("picture");
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let text = "";
        for (let i = 0; i < data.length; i += 8192) text += String.fromCharCode(...data.subarray(i, i + 8192));
        return { width: canvas.width, height: canvas.height, text: btoa(text) };
    });
    const data = Buffer.from(text, "base64");
    return { width, height, data, at: (x, y) => [...data.subarray(4 * (y * width + x), 4 * (y * width + x) + 3)] };
}

/** The mean difference of two pictures, in steps of 255. */
export function difference(a, b) {
    let sum = 0;
    for (let i = 0; i < a.data.length; i++) sum += Math.abs(a.data[i] - b.data[i]);
    return sum / (0.75 * a.data.length);
}

/**
 * A PNG file.
 * @param {number} width
 * @param {number} height
 * @param {(x: number, y: number) => number[]} colour red, green, blue, and alpha if there is any
 */
export function png(width, height, colour) {
    const channels = colour(0, 0).length;
    const rows = Buffer.alloc(height * (1 + channels * width));
    for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) rows.set(colour(x, y), y * (1 + channels * width) + 1 + channels * x);
    }
    const chunk = (type, body) => {
        const inner = Buffer.concat([Buffer.from(type), body]);
        const outer = Buffer.alloc(inner.length + 8);
        outer.writeUInt32BE(body.length);
        inner.copy(outer, 4);
        outer.writeUInt32BE(crc(inner), inner.length + 4);
        return outer;
    };
    const head = Buffer.alloc(13);
    head.writeUInt32BE(width);
    head.writeUInt32BE(height, 4);
    head.set([8, channels === 4 ? 6 : 2], 8);
    const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]);
    return Buffer.concat([signature, chunk("IHDR", head), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]);
}

function crc(bytes) {
    let c = 0xffffffff;
    for (const byte of bytes) {
        c ^= byte;
        for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
    }
    return (c ^ 0xffffffff) >>> 0;
}

/** Gives the page a file, as its button does. */
export async function choose(page, name, buffer, mimeType = "image/png") {
    await page.setInputFiles("#file", { name, mimeType, buffer });
}

/** Paints a line on the spectrum with the mouse; places are fractions of its sides. */
export async function paint(page, from, to) {
    const stage = page.locator("#spectrum-stage");
    await stage.scrollIntoViewIfNeeded();
    const box = await stage.boundingBox();
    await page.mouse.move(box.x + box.width * from[0], box.y + box.height * from[1]);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * to[0], box.y + box.height * to[1], { steps: 6 });
    await page.mouse.up();
}
