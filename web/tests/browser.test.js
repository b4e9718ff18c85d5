// Runs every function that the modules of page/ export in one page of a real browser.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as devices from "./page/devices.js";
import * as mistakes from "./page/mistakes.js";
import * as operations from "./page/operations.js";
import * as readme from "./page/readme.js";
import { open } from "./support/browser.js";

let browser;

before(async () => {
    browser = await open("tests/page/");
});

after(async () => {
    await browser?.close();
});

const RUNS = [
    { title: "operations on a software adapter", module: "operations", functions: operations, kind: "software" },
    { title: "operations by the rules for GPUs", module: "operations", functions: operations, kind: "graphics" },
    { title: "mistakes", module: "mistakes", functions: mistakes, kind: "software" },
    { title: "devices", module: "devices", functions: devices, kind: "software" },
    { title: "README", module: "readme", functions: readme, kind: "software" },
];

for (const { title, module, functions, kind } of RUNS) {
    describe(title, () => {
        for (const name of Object.keys(functions)) {
            test(name.replaceAll("_", " "), { timeout: 120_000 }, async (context) => {
                const seen = browser.messages.length;
                const run = async ([module, name, kind]) => {
                    try {
                        (await import("/tests/page/shared.js")).use(kind);
                        return { note: await (await import(`/tests/page/${module}.js`))[name]() };
                    } catch (error) {
                        return { failure: error.stack ?? String(error) };
                    }
                };
                const { note, failure } = await browser.page.evaluate(run, [module, name, kind]);
                if (note) {
                    context.diagnostic(String(note));
                }
                const said = browser.messages.slice(seen);
                if (failure) {
                    assert.fail([failure, ...said].join("\n"));
                }
                // Nothing of the browser's own goes unnoticed either.
                const errors = said.filter((message) => message.startsWith("error"));
                assert.deepEqual(errors, [], "the console has errors");
            });
        }
    });
}
