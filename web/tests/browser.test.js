// Runs the functions of page/ in one page of a real browser.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isThorough, runs } from "./page/runs.js";
import { inFirefox, open } from "./support/browser.js";

let browser;

before(async () => {
    browser = await open("tests/page/");
});

after(async () => {
    await browser?.close();
});

for (const { title, module, functions, kind } of runs(isThorough || !inFirefox)) {
    describe(title, () => {
        for (const name of Object.keys(functions)) {
            test(name.replaceAll("_", " "), { timeout: 120_000 }, async (context) => {
                const seen = browser.messages.length;
                const run = async ([module, name, kind]) => {
                    try {
                        (await import("/tests/page/shared.js")).use(kind);
                        return { note: await (await import(`/tests/page/${module}.js`))[name]() };
                    } catch (error) {
                        // The stack of Firefox lacks the message.
                        return { failure: `${error}\n${error.stack ?? ""}` };
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
