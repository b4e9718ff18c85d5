// Measures in Chromium and prints a table: node bench/run.js [SECONDS], after scripts/web-bench.sh.

import { cpus } from "node:os";
import { open } from "../tests/support/browser.js";

const PROBLEMS = [
    { title: "256 x 256", rows: 256, columns: 256, both: true, spec: "c2c fwd 256x256" },
    { title: "1024 x 1024", rows: 1024, columns: 1024, both: true, spec: "c2c fwd 1024x1024" },
    { title: "2048 x 2048", rows: 2048, columns: 2048, both: true, spec: "c2c fwd 2048x2048" },
    { title: "1024 rows of 1024", rows: 1024, columns: 1024, both: false, spec: "c2c fwd 1024 x1024" },
];
// Longer than that is not waited for.
const PATIENCE_MS = 60_000;

const seconds = Number(process.argv[2] ?? 3);
// Parts of names, to measure some libraries alone.
const wanted = process.argv.slice(3);

/** What a function of bench.js returns, in a browser of its own: nothing else is left to do there. */
async function inPage(name, ...values) {
    const { page, messages, close } = await open("bench/");
    try {
        const work = page.evaluate(
            async ([name, values]) => {
                try {
                    return await (await import("/bench/bench.js"))[name](...values);
                } catch (error) {
                    return { failure: error.message };
                }
            },
            [name, values],
        );
        const late = new Promise((resolve) => setTimeout(() => resolve({ failure: "takes too long" }), PATIENCE_MS).unref());
        const result = await Promise.race([work, late]);
        messages.filter((message) => message.startsWith("error")).forEach((error) => console.error(error));
        return result;
    } finally {
        await close();
    }
}

const { adapter, fallback, browser, names } = await inPage("about");
console.log(`${browser}, adapter ${adapter}${fallback ? " (software)" : ""}, ${cpus().length} cores of ${cpus()[0].model}\n`);
console.log("| transform | library | median ms | least | runs | relative error |");
console.log("|---|---|---|---|---|---|");
for (const problem of PROBLEMS) {
    for (const name of names.filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)))) {
        const { median, least, runs, error, note, failure } = await inPage("measure", name, problem, seconds);
        const cells = failure ? [`fails: ${failure}`, "", "", ""] : [median.toFixed(1), least.toFixed(1), runs, error.toExponential(1)];
        console.log(`| ${[problem.title, note ? `${name} (${note})` : name, ...cells].join(" | ")} |`);
    }
}
