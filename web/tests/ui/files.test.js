// The page's files themselves: types, colours, and what a strict policy forbids.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { assemble } from "../../site.js";

const file = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

test("the types of the page agree with those of the package", async () => {
    const folder = await assemble(await mkdtemp(join(tmpdir(), "wgpu-fft-types-")));
    const run = promisify(execFile)(file("node_modules/.bin/tsc"), ["-p", join(folder, "jsconfig.json")]);
    await run.catch(({ stdout }) => assert.fail(stdout));
    await rm(folder, { recursive: true });
});

/** The variables of both themes. */
async function themes() {
    const style = await readFile(file("page/style.css"), "utf8");
    const colours = (text) =>
        Object.fromEntries([...text.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map(([, name, colour]) => [name, colour]));
    const [light, dark] = [...style.matchAll(/:root \{([^}]*)\}/g)].map(([, body]) => colours(body));
    assert.deepEqual(Object.keys(light), Object.keys(dark));
    return { light, dark };
}

/** WCAG's contrast of two colours. */
function contrast(a, b) {
    const luminance = (colour) => [1, 3, 5].reduce((sum, at, i) => {
        const c = parseInt(colour.slice(at, at + 2), 16) / 255;
        return sum + [0.2126, 0.7152, 0.0722][i] * (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    }, 0);
    const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
}

test("texts have a contrast of 4.5 and the edges of controls one of 3, in both themes", async () => {
    for (const [name, theme] of Object.entries(await themes())) {
        const pairs = [
            ["ink", "ground", 4.5], ["ink", "panel", 4.5], ["quiet", "ground", 4.5], ["quiet", "panel", 4.5],
            ["accent", "panel", 4.5],
            ["accent", "tint", 4.5], ["accent", "ground", 3], ["on-accent", "accent", 4.5], ["bad", "bad-tint", 4.5],
            ["bad", "ground", 4.5],
            ["good", "tint", 4.5], ["control", "panel", 3], ["control", "ground", 3],
        ];
        for (const [front, back, least] of pairs) {
            const found = contrast(theme[front], theme[back]);
            assert.ok(found >= least, `${name}: ${front} on ${back} is ${found.toFixed(2)}`);
        }
    }
});

test("nothing inline, and nothing from elsewhere", async () => {
    const html = await readFile(file("page/index.html"), "utf8");
    assert.match(html, /default-src 'none'; script-src 'self' 'wasm-unsafe-eval'/);
    assert.doesNotMatch(html, /\sstyle=|\son[a-z]+=|<style/);
    assert.doesNotMatch(html, /(?:src|href)="(?:https?:)?\/\//);
    for (const [tag] of html.matchAll(/<script\b[^>]*>/g)) assert.match(tag, /\ssrc="/);
});
