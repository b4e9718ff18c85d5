import { Gpu } from "../../pkg/index.js";

/**
 * One device of a kind for all tests that do not lose it:
 * - `software`: what the browser gives out here, with all its limits and the rules for processors;
 * - `graphics`: a device with the limits that every browser has, and the rules for GPUs, as it does
 *   not say that it is a software adapter.
 */
const OPEN = {
    software: () => Gpu.open(),
    graphics: async () => {
        const adapter = await navigator.gpu.requestAdapter();
        const device = await adapter.requestDevice();
        const { vendor, architecture, subgroupMinSize, subgroupMaxSize } = device.adapterInfo;
        const info = { vendor, architecture, device: "", description: "", subgroupMinSize, subgroupMaxSize, isFallbackAdapter: false };
        Object.defineProperty(device, "adapterInfo", { value: info });
        return Gpu.open({ device });
    },
};

const opened = {};
let kind = "software";

/** Which device the tests use from now on. */
export function use(name) {
    kind = name;
}

export function shared() {
    return (opened[kind] ??= OPEN[kind]());
}
