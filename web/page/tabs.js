// Tabs after the ARIA Authoring Practices: arrow keys move, and the address remembers.

/**
 * @param {HTMLElement} list
 * @param {(panel: HTMLElement) => void} shown
 */
export function tabs(list, shown) {
    const all = /** @type {HTMLElement[]} */ ([...list.querySelectorAll('[role="tab"]')]);
    const panelOf = (/** @type {HTMLElement} */ tab) =>
        /** @type {HTMLElement} */ (document.getElementById(tab.getAttribute("aria-controls") ?? ""));
    const hashOf = (/** @type {HTMLElement} */ tab) => `#${tab.id.replace("tab-", "")}`;

    const select = (/** @type {HTMLElement} */ chosen) => {
        for (const tab of all) {
            tab.setAttribute("aria-selected", String(tab === chosen));
            tab.tabIndex = tab === chosen ? 0 : -1;
            panelOf(tab).hidden = tab !== chosen;
        }
        shown(panelOf(chosen));
    };
    const byHash = () => select(all.find((tab) => hashOf(tab) === location.hash) ?? all[0]);

    for (const tab of all) {
        tab.addEventListener("click", () => {
            history.replaceState(null, "", hashOf(tab));
            select(tab);
        });
    }
    list.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1, Home: -all.length, End: all.length }[event.key];
        if (!step) return;
        const now = all.findIndex((tab) => tab === document.activeElement);
        const next = Math.abs(step) === 1 ? (now + step + all.length) % all.length : step > 0 ? all.length - 1 : 0;
        all[next].focus();
        all[next].click();
        event.preventDefault();
    });
    addEventListener("hashchange", byHash);
    byHash();
}
