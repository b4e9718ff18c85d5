// The browser that the tests run in, with WebGPU on a software adapter, and a page of ours in it.

import { existsSync } from "node:fs";
import { chromium, firefox } from "playwright-core";
import { serve } from "./server.js";

const WEB = new URL("../../", import.meta.url);

/** WGPU_FFT_BROWSER says which one. */
export const inFirefox = process.env.WGPU_FFT_BROWSER === "firefox";

/** The command of $CHROMIUM or $FIREFOX, or where Debian and others put it. */
function command(name, ...names) {
    const places = [process.env[name.toUpperCase()], ...[name, ...names].map((name) => `/usr/bin/${name}`)];
    const found = places.find((place) => place && existsSync(place));
    if (!found) {
        throw new Error(`no ${name}: install Debian's package ${names[0]}, or set ${name.toUpperCase()} to its command`);
    }
    return found;
}

/**
 * What Chromium needs to show a canvas of WebGPU without a GPU: else its device is gone with the first
 * frame.
 */
export const SHOWING = ["--use-angle=swiftshader", "--enable-features=Vulkan", "--use-vulkan=swiftshader"];

/** Starts it, with a camera that is none. @param {string[]} more arguments of Chromium */
export async function launch(more = []) {
    if (inFirefox) {
        const firefoxUserPrefs = {
            "dom.webgpu.enabled": true,
            // Software adapters are on it.
            "gfx.webgpu.ignore-blocklist": true,
            "media.navigator.permission.disabled": true,
            "media.navigator.streams.fake": true,
        };
        // The channel is the Firefox that one installs, by WebDriver BiDi. Playwright 1.65 asks it for a
        // command that version 153 does not have (emulation.setMediaFeaturesOverride); 1.64 does not.
        return firefox.launch({ executablePath: command("firefox", "firefox-esr"), channel: "moz-firefox", firefoxUserPrefs });
    }
    const args = [...more, "--no-sandbox", "--enable-unsafe-webgpu", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"];
    return chromium.launch({ executablePath: command("chromium", "chromium-browser", "google-chrome"), args });
}

/** Opens a page of web/, with what it writes to its console. */
export async function open(path, more = []) {
    const [server, browser] = await Promise.all([serve(WEB), launch(more)]);
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
