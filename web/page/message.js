// The one line for what went wrong.

import { element } from "./dom.js";
import { errorWords } from "./words.js";

const box = element("message", HTMLDivElement);
const text = /** @type {HTMLParagraphElement} */ (box.querySelector("p"));
const action = element("message-action", HTMLButtonElement);
const close = element("message-close", HTMLButtonElement);
close.addEventListener("click", hideMessage);

/**
 * Shows an error or a sentence until it is closed, replaced or hidden.
 * @param {unknown} error
 * @param {{ label: string, run: () => void }} [offer] a button for what may help
 */
export function showMessage(error, offer) {
    if (error instanceof Error) console.error(error);
    text.textContent = typeof error === "string" ? error : errorWords(error);
    action.hidden = !offer;
    action.textContent = offer?.label ?? "";
    action.onclick = offer ? () => offer.run() : null;
    box.hidden = false;
}

export function hideMessage() {
    box.hidden = true;
}

/** Hides a message unless it offers something: then its reason still holds. */
export function hidePassingMessage() {
    if (action.hidden) hideMessage();
}

const status = element("status", HTMLParagraphElement);
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/**
 * Says something to screen readers, once nothing newer came for a moment.
 * @param {string} sentence
 */
export function say(sentence) {
    clearTimeout(timer);
    timer = setTimeout(() => { status.textContent = sentence; }, 400);
}
