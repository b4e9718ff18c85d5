// Chromium with WebGPU on its software adapter, and a page of ours in it.

import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { serve } from "./server.js";

const WEB = new URL("../../", import.meta.url);

/** The command: $CHROMIUM, or where Debian and others put it. */
export function command() {
    const places = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
    return places.find((place) => place && existsSync(place));
}

/** Opens a page of web/, with what it writes to its console. */
export async function open(path, { gpu = true } = {}) {
    const executablePath = command();
    if (!executablePath) {
        throw new Error("no Chromium: install Debian's package chromium, or set CHROMIUM to its command");
    }
    const args = ["--no-sandbox", ...(gpu ? ["--enable-unsafe-webgpu"] : ["--disable-gpu"])];
    const [server, browser] = await Promise.all([serve(WEB), chromium.launch({ executablePath, args })]);
    const page = await browser.newPage();
    const messages = [];
    page.on("console", (message) => messages.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => messages.push(`error: ${error.message}`));
    await page.goto(`http://localhost:${server.address().port}/${path}`);
    const close = async () => {
        await browser.close();
        server.close();
    };
    return { page, messages, close };
}
