// Opens the device, opens it again when it is lost, and connects the two tabs.

import { CheckPage } from "./check-page.js";
import { element } from "./dom.js";
import { Gpu } from "./fft.js";
import { FilterPage } from "./filter-page.js";
import { hideMessage, say, showMessage } from "./message.js";
import { tabs } from "./tabs.js";
import { errorWords } from "./words.js";

const filterPage = new FilterPage();
const checkPage = new CheckPage();
/** @type {Promise<void> | undefined} while the device is being opened */
let opening;
/** When devices were lost. @type {number[]} */
const losses = [];
/** A device that is lost more often within some minutes is opened again only on demand. */
const MOST_LOSSES = 3;

/** Opens the device, once at a time. */
function open() {
    opening ??= openGpu().finally(() => { opening = undefined; });
    return opening;
}

async function openGpu() {
    /** @type {Gpu} */
    let gpu;
    try {
        gpu = await Gpu.open({ powerPreference: "high-performance" });
    } catch (error) {
        console.error(error);
        await filterPage.setGpu(undefined);
        checkPage.setGpu(undefined);
        showMessage(`${errorWords(error)} Until then, pictures stay unfiltered.`, { label: "Try again", run: () => open() });
        return;
    }
    gpu.lost.then((reason) => lost(gpu, reason));
    hideMessage();
    const { name, fallback } = gpu.info;
    element("device", HTMLSpanElement).textContent = fallback ? "your processor" : "your GPU";
    element("adapter", HTMLElement).textContent = fallback ? `${name}, without a GPU` : name;
    checkPage.setGpu(gpu);
    try {
        await filterPage.setGpu(gpu);
    } catch (error) {
        filterPage.failed(error);
    }
}

/** @param {Gpu} gpu @param {string} reason */
async function lost(gpu, reason) {
    if (filterPage.gpu !== gpu) return;
    console.warn(`The device was lost: ${reason}`);
    const now = performance.now();
    losses.push(now);
    if (losses.filter((time) => now - time < 180_000).length > MOST_LOSSES) {
        await filterPage.setGpu(undefined);
        checkPage.setGpu(undefined);
        showMessage("The connection to the GPU breaks again and again. Close other programs that use it, or restart the browser.",
            { label: "Try again", run: () => open() });
        return;
    }
    say("The connection to the GPU was lost. It is being opened again.");
    await open();
    if (filterPage.gpu && filterPage.gpu !== gpu) say("The GPU is back. Your picture and mask are kept.");
}

filterPage.onLost = () => { if (filterPage.gpu) lost(filterPage.gpu, "a run failed"); };

tabs(/** @type {HTMLElement} */ (document.querySelector('[role="tablist"]')), () => {});
await open();
await filterPage.openExample();
