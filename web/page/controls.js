// What the controls of the mask say, and what they show.

import { element } from "./dom.js";
import { radiusAt } from "./mask.js";
import { wavelength } from "./words.js";

/** @typedef {import("./mask.js").Filter} Filter */

const form = element("controls", HTMLFormElement);

/** @param {string} name */
const field = (name) => String(new FormData(form).get(name) ?? "");

/** @returns {Filter} */
export function chosenFilter() {
    const shape = /** @type {import("./mask.js").Shape} */ (field("shape"));
    const [radius, inner] = [radiusAt(Number(field("radius"))), radiusAt(Number(field("inner")))];
    return {
        shape,
        // The two sliders of a band may cross.
        radius: shape === "band" ? Math.max(radius, inner) : radius,
        inner: Math.min(radius, inner),
        softness: Number(field("softness")) / 100,
        keepMean: field("mean") === "on",
    };
}

/** @returns {import("./mask.js").Paint} */
export const chosenPaint = () => (field("paint") === "pass" ? "pass" : "stop");

/**
 * The brush's radius in pixels of a spectrum.
 * @param {{ width: number, height: number } | undefined} size
 */
export function brushRadius(size) {
    return Math.max(0.75, (Number(field("brush")) / 400) * Math.min(size?.width ?? 1, size?.height ?? 1));
}

/**
 * Shows the sliders that the filter has, and what each means.
 * @param {{ width: number, height: number } | undefined} size
 */
export function drawControls(size) {
    const { shape } = chosenFilter();
    element("filter-sliders", HTMLDivElement).hidden = shape === "all";
    element("inner-row", HTMLLabelElement).hidden = shape !== "band";
    element("mean-row", HTMLLabelElement).hidden = shape === "low";
    element("radius-name", HTMLSpanElement).textContent = shape === "band" ? "To" : "Radius";
    const texts = {
        radius: wavelength(radiusAt(Number(field("radius")))),
        inner: wavelength(radiusAt(Number(field("inner")))),
        softness: `${field("softness")} %`,
        brush: `${(2 * brushRadius(size)).toFixed(0)} px`,
    };
    for (const [name, text] of Object.entries(texts)) {
        const input = /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
        input.setAttribute("aria-valuetext", text);
        const output = input.closest("label")?.querySelector("output");
        if (output) output.textContent = text;
    }
}

/**
 * Calls one function when another filter is chosen, another when the brush is changed.
 * @param {(filter: Filter) => void} filterChanged
 * @param {() => void} brushChanged
 */
export function onControls(filterChanged, brushChanged) {
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", (event) => {
        const name = event.target instanceof HTMLInputElement ? event.target.name : "";
        if (name === "paint" || name === "brush") brushChanged();
        else filterChanged(chosenFilter());
    });
}

/**
 * Greys the panel of the mask out where nothing can be filtered.
 * @param {boolean} available
 */
export function setAvailable(available) {
    const panel = /** @type {HTMLElement} */ (form.closest(".panel"));
    panel.inert = !available;
    panel.classList.toggle("unavailable", !available);
    element("paint-hint", HTMLParagraphElement).textContent = available ? "Paint here" : "This needs WebGPU";
}
