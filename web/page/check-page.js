// The second tab: runs the check, shows its tables, and copies them.

import { checkAccuracy, measureSpeed } from "./check.js";
import { create, element } from "./dom.js";
import { say, showMessage } from "./message.js";
import { accuracyTable, markdown, speedTable, verdict } from "./report.js";
import { kindOf } from "./words.js";

const LOST = "The device was lost during the check. Run it again.";
const NO_DEVICE = "There is no device to check.";

export class CheckPage {
    constructor() {
        this.runButton = element("check-run", HTMLButtonElement);
        this.stopButton = element("check-stop", HTMLButtonElement);
        this.copyButton = element("check-copy", HTMLButtonElement);
        this.progress = element("check-progress", HTMLParagraphElement);
        this.verdict = element("verdict", HTMLParagraphElement);
        this.results = element("check-results", HTMLDivElement);
        this.text = element("check-text", HTMLDetailsElement);
        /** @type {import("./fft.js").Gpu | undefined} */
        this.gpu = undefined;
        /** @type {AbortController | undefined} */
        this.stop = undefined;
        this.markdown = "";
        this.runButton.addEventListener("click", () => this.run());
        this.stopButton.addEventListener("click", () => {
            this.stop?.abort();
            this.progress.textContent = "Stopping after this transform…";
        });
        this.copyButton.addEventListener("click", () => this.copy());
    }

    /** @param {import("./fft.js").Gpu | undefined} gpu */
    setGpu(gpu) {
        this.gpu = gpu;
        this.runButton.disabled = !gpu || this.stop !== undefined;
        if (!gpu) this.progress.textContent = NO_DEVICE;
        else if (this.progress.textContent === NO_DEVICE) this.progress.textContent = "";
    }

    async run() {
        const { gpu } = this;
        if (!gpu || this.stop) return;
        this.stop = new AbortController();
        const { signal } = this.stop;
        this.runButton.disabled = true;
        this.stopButton.hidden = false;
        this.stopButton.focus();
        this.copyButton.hidden = this.verdict.hidden = this.text.hidden = true;
        this.results.replaceChildren();
        const task = (/** @type {string} */ name) => ({
            signal,
            progress: (/** @type {number} */ done, /** @type {number} */ all, /** @type {string} */ what) => {
                if (!signal.aborted) this.progress.textContent = `${name}, ${done + 1} of ${all}: ${what}`;
            },
        });
        try {
            const accuracy = await checkAccuracy(gpu, task("Accuracy"));
            this.show(gpu, accuracy, undefined);
            this.show(gpu, accuracy, await measureSpeed(gpu, task("Speed")));
            this.progress.textContent = "";
        } catch (error) {
            if (signal.aborted) this.progress.textContent = "Stopped.";
            else if (["device-lost", "freed"].includes(kindOf(error))) this.progress.textContent = LOST;
            else showMessage(error);
        } finally {
            const hadFocus = document.activeElement === this.stopButton;
            this.stop = undefined;
            this.stopButton.hidden = true;
            this.runButton.disabled = !this.gpu;
            this.runButton.textContent = "Check again";
            if (hadFocus) (this.copyButton.hidden ? this.runButton : this.copyButton).focus();
        }
    }

    /**
     * @param {import("./fft.js").Gpu} gpu
     * @param {import("./check.js").Accuracy[]} accuracy
     * @param {import("./check.js").Speed[] | undefined} speed
     */
    show(gpu, accuracy, speed) {
        const { good, text } = verdict(accuracy);
        this.verdict.textContent = text;
        this.verdict.className = `verdict ${good ? "good" : "bad"}`;
        this.verdict.hidden = false;
        say(text);
        this.results.replaceChildren(...[accuracyTable(accuracy), ...(speed ? [speedTable(speed)] : [])].map(tableElement));
        this.markdown = markdown(gpu.info, navigator.userAgent, accuracy, speed);
        /** @type {HTMLElement} */ (this.text.querySelector("pre")).textContent = this.markdown;
        this.text.hidden = this.copyButton.hidden = false;
    }

    async copy() {
        try {
            await navigator.clipboard.writeText(this.markdown);
            this.progress.textContent = "Copied.";
            say("Copied.");
        } catch {
            // Without the permission the text can still be selected.
            this.text.open = true;
            const selection = getSelection();
            selection?.selectAllChildren(/** @type {HTMLElement} */ (this.text.querySelector("pre")));
            this.progress.textContent = "This browser does not let the page copy. The text below is selected: copy it with Ctrl+C.";
        }
    }
}

/** @param {import("./report.js").Table} table */
function tableElement({ caption, heads, rows, bad, texts }) {
    const line = (/** @type {string[]} */ cells, /** @type {boolean} */ wrong) =>
        create("tr", {}, ...cells.map((text, i) =>
            i === 0 ? create("th", { scope: "row" }, text) : create("td", wrong && i === cells.length - 1 ? { class: "bad" } : {}, text)));
    return create("div", { class: "table", tabindex: "0", role: "region", "aria-label": caption },
        create("table", { class: `texts-${texts}` },
            create("caption", {}, caption),
            create("thead", {}, create("tr", {}, ...heads.map((head) => create("th", { scope: "col" }, head)))),
            create("tbody", {}, ...rows.map((cells, i) => line(cells, bad[i])))));
}
