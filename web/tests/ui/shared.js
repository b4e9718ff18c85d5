import { Gpu } from "../../pkg/index.js";

let gpu;

/** One device for all tests that do not lose it. */
export function shared() {
    gpu ??= Gpu.open();
    return gpu;
}
