// Measures in Chromium and prints a table: node bench/run.js [SECONDS], after scripts/web-bench.sh.

import { cpus } from "node:os";
import { open } from "../tests/support/browser.js";

const PROBLEMS = [
    { title: "1024 x 1024", rows: 1024, columns: 1024, both: true, spec: "c2c fwd 1024x1024" },
    { title: "2048 x 2048", rows: 2048, columns: 2048, both: true, spec: "c2c fwd 2048x2048" },
    { title: "1024 rows of 1024", rows: 1024, columns: 1024, both: false, spec: "c2c fwd 1024 x1024" },
];
// Longer than that is not waited for.
const PATIENCE_MS = 240_000;

const seconds = Number(process.argv[2] ?? 3);
const { page, messages, close } = await open("bench/");
try {
    const names = await page.evaluate(async () => (await import("/bench/bench.js")).names);
    const { adapter, fallback, browser } = await page.evaluate(async () => (await import("/bench/bench.js")).about());
    console.log(`${browser}, adapter ${adapter}${fallback ? " (software)" : ""}, ${cpus().length} cores of ${cpus()[0].model}\n`);
    console.log("| transform | library | median ms | least | runs | relative error |");
    console.log("|---|---|---|---|---|---|");
    for (const problem of PROBLEMS) {
        for (const name of names) {
            const work = page.evaluate(
                async ([name, problem, seconds]) => {
                    try {
                        return await (await import("/bench/bench.js")).measure(name, problem, seconds);
                    } catch (error) {
                        return { failure: error.message };
                    }
                },
                [name, problem, seconds],
            );
            const late = new Promise((resolve) => setTimeout(() => resolve({ failure: "took too long" }), PATIENCE_MS).unref());
            const { median, least, runs, error, note, failure } = await Promise.race([work, late]);
            const cells = failure ? [`fails: ${failure}`, "", "", ""] : [median.toFixed(1), least.toFixed(1), runs, error.toExponential(1)];
            console.log(`| ${[problem.title, note ? `${name} (${note})` : name, ...cells].join(" | ")} |`);
        }
    }
    const errors = messages.filter((message) => message.startsWith("error"));
    errors.forEach((error) => console.error(error));
} finally {
    await close();
}
