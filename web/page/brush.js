// Painting on the spectrum with a pointer or the keyboard.

import { mirror } from "./mask.js";

/**
 * @typedef {import("./mask.js").Point} Point
 * @typedef {object} Painter
 * @property {() => { width: number, height: number } | undefined} size of the spectrum, if there is one
 * @property {() => number} radius of the brush, in pixels of the spectrum
 * @property {() => void} begin
 * @property {(from: Point, to: Point) => void} stroke
 * @property {(at: Point) => void} moved by the keyboard
 */

/**
 * @param {HTMLElement} stage
 * @param {HTMLElement} cursor
 * @param {HTMLElement} opposite
 * @param {Painter} painter
 */
export function brush(stage, cursor, opposite, painter) {
    /** @type {Point | undefined} where the pointer that paints was */
    let last;
    /** @type {Point | undefined} the cursor */
    let at;
    let keyDown = false;

    const show = () => {
        const size = painter.size();
        cursor.hidden = opposite.hidden = !at || !size;
        if (!at || !size) return;
        const diameter = `${(200 * painter.radius()) / size.width}%`;
        const places = [at, { x: mirror(Math.floor(at.x), size.width) + 0.5, y: mirror(Math.floor(at.y), size.height) + 0.5 }];
        for (const [i, ring] of [cursor, opposite].entries()) {
            ring.style.left = `${(100 * places[i].x) / size.width}%`;
            ring.style.top = `${(100 * places[i].y) / size.height}%`;
            ring.style.width = diameter;
            ring.style.aspectRatio = "1";
        }
    };

    const place = (/** @type {PointerEvent} */ event) => {
        const size = painter.size();
        if (!size) return undefined;
        const box = stage.getBoundingClientRect();
        return { x: ((event.clientX - box.left) / box.width) * size.width, y: ((event.clientY - box.top) / box.height) * size.height };
    };

    stage.addEventListener("pointerdown", (event) => {
        const point = place(event);
        if (!point || event.button !== 0 || last) return;
        stage.setPointerCapture(event.pointerId);
        last = at = point;
        painter.begin();
        painter.stroke(point, point);
        show();
    });
    stage.addEventListener("pointermove", (event) => {
        at = place(event);
        show();
        if (!last || !stage.hasPointerCapture(event.pointerId)) return;
        // A fast pointer skips pixels; the browser knows the places between.
        const events = event.getCoalescedEvents?.() ?? [];
        for (const each of events.length > 0 ? events : [event]) {
            const point = place(each);
            if (!point) return;
            painter.stroke(last, point);
            last = point;
        }
    });
    const end = () => { last = undefined; };
    stage.addEventListener("pointerup", end);
    stage.addEventListener("pointercancel", end);
    stage.addEventListener("pointerleave", () => {
        if (last || document.activeElement === stage && stage.matches(":focus-visible")) return;
        at = undefined;
        show();
    });

    stage.addEventListener("focus", () => {
        const size = painter.size();
        if (!size || !stage.matches(":focus-visible")) return;
        at ??= { x: size.width * 0.6, y: size.height * 0.4 };
        show();
    });
    stage.addEventListener("blur", () => {
        keyDown = false;
        at = undefined;
        show();
    });
    stage.addEventListener("keydown", (event) => {
        const size = painter.size();
        if (!size || event.ctrlKey || event.metaKey || event.altKey) return;
        at ??= { x: size.width * 0.6, y: size.height * 0.4 };
        const step = Math.max(1, Math.min(size.width, size.height) / (event.shiftKey ? 20 : 100));
        const [dx, dy] = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key] ?? [0, 0];
        if (event.key === " " || event.key === "Enter") {
            if (!keyDown) {
                keyDown = true;
                painter.begin();
                painter.stroke(at, at);
            }
        } else if (dx !== 0 || dy !== 0) {
            const from = at;
            at = { x: Math.min(size.width - 0.5, Math.max(0.5, at.x + dx)), y: Math.min(size.height - 0.5, Math.max(0.5, at.y + dy)) };
            if (keyDown) painter.stroke(from, at);
            painter.moved(at);
        } else {
            return;
        }
        event.preventDefault();
        show();
    });
    stage.addEventListener("keyup", (event) => {
        if (event.key === " " || event.key === "Enter") keyDown = false;
    });
    return { show };
}
