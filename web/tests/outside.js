// Runs the functions of page/ without a browser, in Node or in Deno, whichever runs this file.

import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { isThorough, runs } from "./page/runs.js";
import { use } from "./page/shared.js";

if (!globalThis.Deno) {
    // As the README says.
    const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
    let [, text] = /^```mjs\n(.*?)^```$/ms.exec(readme);
    for (const [name, url] of [["webgpu", import.meta.resolve("webgpu")], ["wgpu-fft", new URL("../pkg/index.js", import.meta.url)]]) {
        text = text.replace(`"${name}"`, `"${url}"`);
    }
    await import(`data:text/javascript,${encodeURIComponent(text)}`);
    // As in a browser, its `gpu` is not its own.
    globalThis.navigator = Object.create(navigator);
    // Node fetches no files.
    globalThis.fetch = async (url) => new Response(await readFile(url));
}

for (const { title, functions, kind } of runs(isThorough)) {
    describe(title, () => {
        for (const [name, run] of Object.entries(functions)) {
            const skip = name === "workers_compute_too" && !globalThis.Worker && "SKIPPED: the package in a worker: Node has other workers";
            test(name.replaceAll("_", " "), { timeout: 120_000, skip }, async (context) => {
                use(kind);
                const note = await run();
                context.diagnostic?.(String(note ?? ""));
            });
        }
    });
}
