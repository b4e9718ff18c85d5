// The results of the check as tables and as text for a bug report.

import { milliseconds } from "./words.js";

/**
 * @typedef {import("./check.js").Accuracy} Accuracy
 * @typedef {import("./check.js").Speed} Speed
 * @typedef {{ caption: string, heads: string[], rows: string[][], bad: boolean[], texts: number }} Table
 *     the first `texts` columns are words, the others numbers
 * @typedef {{ name: string, backend: string, fallback: boolean, f16: boolean, limits: Record<string, number> }} Info
 */

/** @param {number | undefined} x */
const small = (x) => (x === undefined ? "" : x === 0 ? "0" : x === Infinity ? "differs" : x.toExponential(1));

/** @param {Accuracy[]} results @returns {Table} */
export function accuracyTable(results) {
    return {
        caption: "Accuracy: relative errors",
        heads: ["transform", "shows", "error", "there and back", "allowed", ""],
        rows: results.map(({ spec, why, error, back, bound, good, failure }) =>
            [spec, why, small(error), small(back), small(bound), failure ?? (good ? "good" : "too large")]),
        bad: results.map(({ good }) => !good),
        texts: 2,
    };
}

/** @param {Speed[]} results @returns {Table} */
export function speedTable(results) {
    return {
        caption: "Speed: time of one run, and bytes that are read and written once",
        heads: ["transform", "time", "GB/s", "copy of as many bytes", "ratio to copy"],
        rows: results.map(({ spec, bytes, ms, copyMs, failure }) => {
            if (ms === undefined || copyMs === undefined) return [spec, failure ?? "", "", "", ""];
            const rate = (/** @type {number} */ time) => (bytes / time / 1e6).toFixed(1);
            return [spec, milliseconds(ms), rate(ms), `${milliseconds(copyMs)}, ${rate(copyMs)} GB/s`, (ms / copyMs).toFixed(1)];
        }),
        bad: results.map(({ failure }) => failure !== undefined),
        texts: 1,
    };
}

/**
 * @param {Accuracy[]} results
 * @returns {{ good: boolean, text: string }}
 */
export function verdict(results) {
    const wrong = results.filter(({ good }) => !good);
    if (wrong.length === 0) {
        const used = Math.max(...results.map(({ error = 0, bound = 0 }) => (bound > 0 ? error / bound : 0)));
        const percent = Math.round(100 * used);
        return { good: true, text: `All ${results.length} are right: the largest error is ${percent} % of what is allowed.` };
    }
    const names = wrong.map(({ spec }) => spec).join(", ");
    const text = `${wrong.length} of ${results.length} are wrong on this device: ${names}. Please report it with the text below.`;
    return { good: false, text };
}

/** @param {Pick<Table, "heads" | "rows">} table */
export function markdownTable({ heads, rows }) {
    const cell = (/** @type {string} */ text) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
    const line = (/** @type {string[]} */ cells) => `| ${cells.map(cell).join(" | ")} |`;
    return [line(heads), `|${heads.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}

/**
 * @param {Info} info
 * @param {string} browser
 * @param {Accuracy[]} accuracy
 * @param {Speed[] | undefined} speed
 */
export function markdown(info, browser, accuracy, speed) {
    const limits = Object.entries(info.limits).map(([name, value]) => [name, String(value)]);
    const tables = [accuracyTable(accuracy), ...(speed ? [speedTable(speed)] : [])];
    return [
        `**${verdict(accuracy).text}**`,
        [
            `- Adapter: ${info.name} (${info.backend}${info.fallback ? ", software" : ""})`,
            `- Browser: ${browser}`,
            `- f16 in shaders: ${info.f16 ? "yes" : "no"}`,
        ].join("\n"),
        ...tables.map((table) => `${table.caption}\n\n${markdownTable(table)}`),
        `Limits\n\n${markdownTable({ heads: ["limit", "value"], rows: limits })}`,
    ].join("\n\n") + "\n";
}
