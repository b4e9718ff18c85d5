// The first tab: a picture, its spectrum, and the mask between them.

import { brush } from "./brush.js";
import { takePicture } from "./camera.js";
import { brushRadius, chosenFilter, chosenPaint, drawControls, onControls, setAvailable } from "./controls.js";
import { context2d, create, element } from "./dom.js";
import { latest } from "./latest.js";
import { Mask } from "./mask.js";
import { hidePassingMessage, say, showMessage } from "./message.js";
import { decode, fromSource, longestSide, resultName } from "./picture.js";
import { Pipeline } from "./pipeline.js";
import { shades, veil } from "./spectrum.js";
import { filterWords, kindOf, milliseconds, scaledWords, sizeWords, wavelength } from "./words.js";

/**
 * @typedef {import("./fft.js").Gpu} Gpu
 * @typedef {import("./picture.js").Picture} Picture
 */

/**
 * Where the mask stops a frequency, this lies over the spectrum, which is black in both themes.
 * @type {[number, number, number]}
 */
const VEIL = [56, 50, 158];
const VEIL_OPACITY = 0.8;
/** The veil's drawing has at most this many pixels a side; it is made anew with every change. */
const VEIL_SIDE = 768;
/** A run whose steps are timed follows when the mask has rested for so long. */
const REST_MS = 350;

export class FilterPage {
    constructor() {
        this.pictureCanvas = element("picture", HTMLCanvasElement);
        this.spectrumCanvas = element("spectrum", HTMLCanvasElement);
        this.veilCanvas = element("veil", HTMLCanvasElement);
        this.stages = [element("picture-stage", HTMLDivElement), element("spectrum-stage", HTMLDivElement)];
        this.undoButton = element("undo", HTMLButtonElement);
        this.clearButton = element("clear", HTMLButtonElement);
        this.compareButton = element("compare", HTMLButtonElement);
        /** @type {Gpu | undefined} */
        this.gpu = undefined;
        /** @type {Pipeline | undefined} */
        this.pipeline = undefined;
        /** @type {Picture | undefined} */
        this.picture = undefined;
        /** @type {Mask | undefined} */
        this.mask = undefined;
        /** @type {Uint8ClampedArray<ArrayBuffer> | undefined} */
        this.result = undefined;
        /** @type {Partial<Record<"upload" | "transform" | "filter" | "read" | "change", number>>} */
        this.times = {};
        /** Counts the pictures that were asked for: the last one wins. */
        this.asked = 0;
        /** Pictures are put on the device one after the other. */
        this.loading = Promise.resolve();
        this.measure = false;
        /** @type {ReturnType<typeof setTimeout> | undefined} */
        this.rest = undefined;
        this.runs = latest(() => this.run(), (error) => this.failed(error));
        /** Called when a run finds the device gone. @type {() => void} */
        this.onLost = () => {};
        this.connect();
    }

    /** The longest side of a picture here. */
    get limit() {
        const limits = this.gpu?.info.limits ?? {};
        const bytes = Math.min(limits.maxStorageBufferBindingSize ?? 128 << 20, limits.maxBufferSize ?? 128 << 20);
        return longestSide(bytes, this.gpu?.info.fallback ?? true);
    }

    /** @param {Gpu | undefined} gpu without one, pictures are shown as they are */
    async setGpu(gpu) {
        const [oldGpu, old] = [this.gpu, this.pipeline];
        this.gpu = gpu;
        this.pipeline = undefined;
        // What is still under way on it fails, which nobody needs to hear about any more.
        old?.free();
        oldGpu?.free();
        setAvailable(gpu !== undefined);
        if (this.picture && gpu) await this.show(this.picture, true);
    }

    /** The file that lies beside the page. */
    async openExample() {
        await this.open(async () => {
            const answer = await fetch("camera.png");
            if (!answer.ok) throw new Error(`the example is missing here (${answer.status}). Open a picture of yours.`);
            return decode(await answer.blob(), this.limit, "camera.png");
        });
    }

    /** @param {File} file */
    async openFile(file) {
        await this.open(() => decode(file, this.limit, file.name || "The picture"));
    }

    async openCamera() {
        /** @type {Awaited<ReturnType<typeof takePicture>>} */
        let taken;
        try {
            taken = await takePicture();
        } catch (error) {
            return showMessage(error);
        }
        if (!taken) return;
        const { video, done } = taken;
        await this.open(async () => {
            try {
                return await fromSource(video, { width: video.videoWidth, height: video.videoHeight }, this.limit, "camera");
            } finally {
                // The camera is off as soon as it has been looked through.
                done();
            }
        });
    }

    /** @param {() => Promise<Picture>} read */
    async open(read) {
        const mine = ++this.asked;
        document.body.setAttribute("aria-busy", "true");
        try {
            const picture = await read();
            if (mine !== this.asked) return;
            hidePassingMessage();
            await this.show(picture, false);
            say(`${picture.name}, ${sizeWords(picture)} pixels. ${scaledWords(picture, this.limit)}`);
        } catch (error) {
            this.failed(error);
        } finally {
            document.body.removeAttribute("aria-busy");
        }
    }

    /**
     * Shows a picture and puts it on the device, after what is being put there.
     * @param {Picture} picture
     * @param {boolean} keepMask
     */
    show(picture, keepMask) {
        this.loading = this.loading.catch(() => {}).then(() => this.load(picture, keepMask));
        return this.loading;
    }

    /** @param {Picture} picture @param {boolean} keepMask */
    async load(picture, keepMask) {
        const { gpu, pipeline: old } = this;
        if (!gpu) return this.adopt(picture, this.keptMask(picture, keepMask));
        const { width, height } = picture;
        const reused = old?.width === width && old.height === height ? old : undefined;
        const pipeline = reused ?? (await Pipeline.create(gpu, width, height));
        try {
            const { levels, times } = await pipeline.load(picture.pixels);
            // The device was replaced meanwhile; whoever did that shows the picture again.
            if (gpu !== this.gpu) return pipeline.free();
            // At once, so that no run meets a mask of another size.
            this.pipeline = pipeline;
            this.times = times;
            this.adopt(picture, this.keptMask(picture, keepMask));
            context2d(this.spectrumCanvas).putImageData(new ImageData(shades(levels, width, height), width, height), 0, 0);
        } catch (error) {
            if (!reused) pipeline.free();
            if (gpu !== this.gpu) return;
            throw error;
        }
        this.isBusy = true;
        this.measure = true;
        this.runs.request();
        await this.runs.idle();
        // Only now does no run use it any more.
        if (!reused) old?.free();
    }

    /** @param {Picture} picture @param {boolean} keep */
    keptMask(picture, keep) {
        const { mask } = this;
        const fits = mask?.width === picture.width && mask.height === picture.height;
        return keep && fits ? mask : new Mask(picture.width, picture.height);
    }

    /** From here on the page shows this picture. @param {Picture} picture @param {Mask} mask */
    adopt(picture, mask) {
        const { width, height } = picture;
        this.picture = picture;
        this.mask = mask;
        this.result = picture.pixels;
        for (const stage of this.stages) stage.style.setProperty("--ratio", String(width / height));
        for (const canvas of [this.pictureCanvas, this.spectrumCanvas]) Object.assign(canvas, { width, height });
        const scale = Math.min(1, VEIL_SIDE / Math.max(width, height));
        Object.assign(this.veilCanvas, { width: Math.max(1, width * scale), height: Math.max(1, height * scale) });
        element("picture-size", HTMLParagraphElement).textContent = `${picture.name} · ${sizeWords(picture)}`;
        const note = element("picture-note", HTMLParagraphElement);
        note.textContent = scaledWords(picture, this.limit);
        note.hidden = note.textContent === "";
        mask.setFilter(chosenFilter());
        this.compare(false);
        this.drawMask();
        drawControls(mask);
    }

    /** One run of the filter with the mask of this moment. */
    async run() {
        const { pipeline, mask, measure } = this;
        if (!pipeline || !mask) return;
        this.measure = false;
        let done;
        try {
            done = await pipeline.filter(mask.values, measure);
        } catch (error) {
            if (pipeline !== this.pipeline) return;
            throw error;
        }
        if (pipeline !== this.pipeline) return;
        this.result = done.pixels;
        Object.assign(this.times, { change: done.total }, measure ? { filter: done.filter, read: done.read } : {});
        this.drawPicture();
        this.drawTimes();
        // Every change is followed by a timed run, so this is the last one.
        if (measure && !this.runs.isWaiting) this.isBusy = false;
    }

    /** Whether the picture is not yet that of the mask. */
    set isBusy(/** @type {boolean} */ busy) {
        this.stages[0].ariaBusy = busy ? "true" : null;
    }

    /** After every change of the mask. */
    changed() {
        if (this.isComparing) this.compare(false);
        this.stages[1].classList.add("used");
        this.drawMask();
        this.isBusy = this.pipeline !== undefined;
        this.runs.request();
        clearTimeout(this.rest);
        this.rest = setTimeout(() => {
            this.measure = true;
            this.runs.request();
        }, REST_MS);
    }

    /** @param {unknown} error */
    failed(error) {
        this.isBusy = false;
        if (kindOf(error) === "device-lost") this.onLost();
        else showMessage(error);
    }

    // What is on the page.

    drawPicture() {
        const { picture, result } = this;
        if (!picture || !result) return;
        const pixels = this.isComparing ? picture.pixels : result;
        context2d(this.pictureCanvas).putImageData(new ImageData(pixels, picture.width, picture.height), 0, 0);
    }

    drawMask() {
        const { mask, veilCanvas: { width, height } } = this;
        if (!mask) return;
        context2d(this.veilCanvas).putImageData(new ImageData(veil(mask, width, height, VEIL, VEIL_OPACITY), width, height), 0, 0);
        this.undoButton.disabled = !mask.canUndo;
        this.clearButton.disabled = !mask.isPainted;
    }

    drawTimes() {
        const { upload, transform, filter, read, change } = this.times;
        const named = {
            "Upload": upload,
            "Transform": transform,
            "Filter and transform back": filter,
            "Read back": read,
            "Last change, in all": change,
        };
        const items = Object.entries(named).flatMap(([name, ms]) =>
            ms === undefined ? [] : [create("div", {}, create("dt", {}, name), create("dd", {}, milliseconds(ms)))]);
        element("times", HTMLDListElement).replaceChildren(...items);
    }

    get isComparing() {
        return this.compareButton.getAttribute("aria-pressed") === "true";
    }

    /** @param {boolean} on */
    compare(on) {
        this.compareButton.setAttribute("aria-pressed", String(on));
        element("original-badge", HTMLParagraphElement).hidden = !on;
        this.pictureCanvas.setAttribute("aria-label", on ? "The original picture" : "The filtered picture");
        this.drawPicture();
    }

    connect() {
        const click = (/** @type {string} */ id, /** @type {() => void} */ run) =>
            element(id, HTMLButtonElement).addEventListener("click", run);
        const file = element("file", HTMLInputElement);
        click("open", () => file.click());
        file.addEventListener("change", () => {
            if (file.files?.[0]) this.openFile(file.files[0]);
            file.value = "";
        });
        click("camera", () => this.openCamera());
        click("example", () => this.openExample());
        click("compare", () => this.compare(!this.isComparing));
        click("save", () => this.save().catch((error) => this.failed(error)));
        click("undo", () => this.takeBack("undo", "The last stroke is taken back."));
        click("clear", () => this.takeBack("clear", "All paint is removed."));
        this.connectFiles();

        const rings = brush(this.stages[1], element("cursor", HTMLSpanElement), element("cursor-mirror", HTMLSpanElement), {
            size: () => (this.pipeline ? this.mask : undefined),
            radius: () => brushRadius(this.mask),
            begin: () => this.mask?.begin(),
            stroke: (from, to) => {
                this.mask?.stroke(from, to, brushRadius(this.mask), chosenPaint());
                this.changed();
            },
            moved: (at) => say(this.placeWords(at)),
        });
        const redraw = () => {
            drawControls(this.mask);
            rings.show();
        };
        onControls((filter) => {
            redraw();
            this.mask?.setFilter(filter);
            this.changed();
            say(filterWords(filter));
        }, redraw);
        document.addEventListener("keydown", (event) => {
            if (event.key === "z" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !this.undoButton.disabled) {
                this.takeBack("undo", "The last stroke is taken back.");
                event.preventDefault();
            }
        });
        drawControls(this.mask);
    }

    connectFiles() {
        const fileOf = (/** @type {DataTransfer | null} */ data) => [...(data?.files ?? [])][0];
        addEventListener("paste", (event) => {
            const pasted = fileOf(event.clipboardData);
            if (pasted) this.openFile(pasted);
            else showMessage("What was pasted is not a picture. Copy a picture, not its address, and paste again.");
        });
        addEventListener("dragover", (event) => {
            event.preventDefault();
            document.body.classList.add("dropping");
        });
        addEventListener("dragleave", (event) => {
            if (!event.relatedTarget) document.body.classList.remove("dropping");
        });
        addEventListener("drop", (event) => {
            event.preventDefault();
            document.body.classList.remove("dropping");
            const dropped = fileOf(event.dataTransfer);
            if (dropped) this.openFile(dropped);
            else showMessage("What was dropped is not a file. Save the picture first, and drop its file.");
        });
    }

    /** @param {"undo" | "clear"} what @param {string} sentence */
    takeBack(what, sentence) {
        // A button that becomes disabled loses the focus to nowhere.
        const focused = document.activeElement;
        this.mask?.[what]();
        this.changed();
        if (focused instanceof HTMLButtonElement && focused.disabled) this.stages[1].focus();
        say(sentence);
    }

    /** @param {import("./mask.js").Point} at */
    placeWords({ x, y }) {
        if (!this.mask) return "";
        const { width, height } = this.mask;
        const [fx, fy] = [Math.floor(x) - Math.floor(width / 2), Math.floor(y) - Math.floor(height / 2)];
        return `${wavelength(Math.hypot(fx / width, fy / height))}, ${fx} across, ${fy} down`;
    }

    async save() {
        const { picture, result } = this;
        if (!picture || !result) return;
        const canvas = new OffscreenCanvas(picture.width, picture.height);
        canvas.getContext("2d")?.putImageData(new ImageData(result, picture.width, picture.height), 0, 0);
        const address = URL.createObjectURL(await canvas.convertToBlob({ type: "image/png" }));
        create("a", { href: address, download: resultName(picture.name) }).click();
        setTimeout(() => URL.revokeObjectURL(address), 60_000);
        say("Saved.");
    }
}
