// Elements of the page by id, with a clear error where the page and a script disagree.

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
export function element(id, type) {
    const found = document.getElementById(id);
    if (!(found instanceof type)) throw new Error(`The page has no ${type.name} with the id ${id}.`);
    return found;
}

/**
 * A new element with attributes and children.
 * @param {string} tag
 * @param {Record<string, string>} [attributes]
 * @param {(Node | string)[]} children
 */
export function create(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
}

/** The drawing context of a canvas. @param {HTMLCanvasElement} canvas */
export function context2d(canvas) {
    const context = canvas.getContext("2d");
    if (!context) throw new Error("This browser gives no 2D canvas.");
    return context;
}
