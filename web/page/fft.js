// The package, in one place: where it lies is decided here alone.

export { FftError, Gpu } from "./wgpu-fft/index.js";

/**
 * @typedef {import("./wgpu-fft/index.js").Plan} Plan
 * @typedef {import("./wgpu-fft/index.js").DeviceArray} DeviceArray
 * @typedef {import("./wgpu-fft/index.js").Element} Element
 */
