// Runs the tests that are written in Rust (web/tests/rust) in a page.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { open } from "./support/browser.js";

// Every exported function, by its name in the module.
const source = readFileSync(new URL("rust/src/lib.rs", import.meta.url), "utf8");
const names = [...source.matchAll(/^#\[wasm_bindgen\]\npub async fn (\w+)/gm)].map(([, name]) => name);

let browser;

before(async () => {
    browser = await open("tests/page/");
});

after(async () => {
    await browser?.close();
});

for (const name of names) {
    test(name.replaceAll("_", " "), { timeout: 120_000 }, async (context) => {
        const run = async (name) => {
            const module = await import("/tests/rust/wasm/wgpu_fft_web_tests.js");
            await module.default({ module_or_path: "/tests/rust/wasm/wgpu_fft_web_tests_bg.wasm" });
            const { createBuffer, popErrorScope } = GPUDevice.prototype;
            const mend = () => Object.assign(GPUDevice.prototype, { createBuffer, popErrorScope });
            const breaks = {
                errors_of_a_run_reach_its_result: () => {
                    GPUDevice.prototype.createBuffer = function (descriptor) {
                        // A combination that WebGPU does not allow.
                        const usage = descriptor.usage | GPUBufferUsage.MAP_READ | GPUBufferUsage.MAP_WRITE;
                        return createBuffer.call(this, { label: descriptor.label, size: descriptor.size, usage });
                    };
                },
                missing_memory_is_out_of_memory: () => {
                    GPUDevice.prototype.popErrorScope = async function () {
                        await popErrorScope.call(this);
                        return new GPUOutOfMemoryError("for the test");
                    };
                },
            };
            try {
                return { note: await module[name](breaks[name], mend) };
            } catch (failure) {
                return { failure: String(failure) };
            }
        };
        const seen = browser.messages.length;
        const { note, failure } = await browser.page.evaluate(run, name);
        context.diagnostic(note ?? "");
        assert.equal(failure, undefined, browser.messages.slice(seen).join("\n"));
    });
}

test("every Rust test is found", () => {
    assert.equal(names.length, source.match(/pub async fn/g).length);
});
