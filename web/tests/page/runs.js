// Which functions are tests, and on which device: see shared.js.

import * as devices from "./devices.js";
import * as mistakes from "./mistakes.js";
import * as operations from "./operations.js";
import * as readme from "./readme.js";
import * as textures from "./textures.js";

/** Drivers compile the kernels of these for seconds each, lavapipe above all. */
const LONG = [
    "c2c_of_a_prime_length", "c2c_of_more_than_a_workgroup_holds", "c2c_of_three_axes", "c2c_of_two_axes", "conveniences",
    "f64_by_f32_keeps_44_bits", "r2c_and_c2r",
];

/** All of them, or the share that a run for each change takes elsewhere than in Chromium. */
export function runs(all) {
    const short = Object.fromEntries(Object.entries(operations).filter(([name]) => all || !LONG.includes(name)));
    const every = [
        { title: "operations on a software adapter", module: "operations", functions: operations, kind: "software", more: true },
        { title: "operations by the rules for GPUs", module: "operations", functions: short, kind: "graphics" },
        { title: "mistakes", module: "mistakes", functions: mistakes, kind: "software" },
        { title: "textures", module: "textures", functions: textures, kind: "software" },
        { title: "devices", module: "devices", functions: devices, kind: "software" },
        { title: "README", module: "readme", functions: readme, kind: "software", more: true },
    ];
    return every.filter(({ more }) => all || !more);
}

/** As for the crate's own tests. */
export const isThorough = globalThis.process?.env.WGPU_FFT_THOROUGH === "1";
