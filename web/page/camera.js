// A picture from the camera.

import { element } from "./dom.js";

const dialog = element("camera-dialog", HTMLDialogElement);
const video = element("camera-video", HTMLVideoElement);

/**
 * Opens the camera and resolves with what it sees when the button is pressed, or with nothing if
 * the dialog is closed. The video is only valid until `done` is called.
 * @returns {Promise<{ video: HTMLVideoElement, done: () => void } | undefined>}
 */
export async function takePicture() {
    if (!navigator.mediaDevices?.getUserMedia) {
        throw new Error("this browser reaches no camera from here. Pages reach it over https or on localhost.");
    }
    /** @type {MediaStream} */
    let stream;
    try {
        stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment", width: { ideal: 1920 } } });
    } catch (error) {
        const denied = error instanceof DOMException && error.name === "NotAllowedError";
        throw new Error(denied
            ? "the camera is not allowed here. Allow it in the browser's address bar."
            : "no camera was found. Connect one, or open a file.");
    }
    const done = () => {
        for (const track of stream.getTracks()) track.stop();
        // The camera may have been opened again meanwhile.
        if (video.srcObject === stream) video.srcObject = null;
    };
    try {
        video.srcObject = stream;
        await video.play();
    } catch (error) {
        done();
        throw error;
    }
    dialog.returnValue = "";
    dialog.showModal();
    const taken = await new Promise((resolve) => {
        dialog.addEventListener("close", () => resolve(dialog.returnValue === "taken"), { once: true });
    });
    if (taken) return { video, done };
    done();
    return undefined;
}

element("camera-take", HTMLButtonElement).addEventListener("click", () => dialog.close("taken"));
element("camera-cancel", HTMLButtonElement).addEventListener("click", () => dialog.close(""));
