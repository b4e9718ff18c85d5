// The package, in one place: where it lies is decided here alone.

export { FftError, Gpu } from "./wgpu-fft/wgpu-fft.js";

/**
 * @typedef {import("./wgpu-fft/wgpu-fft.js").Plan} Plan
 * @typedef {import("./wgpu-fft/wgpu-fft.js").DeviceArray} DeviceArray
 * @typedef {import("./wgpu-fft/wgpu-fft.js").Element} Element
 */
