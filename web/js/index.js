// Fast Fourier transforms, transposes, reductions and convolutions on WebGPU.

export { FftError } from "./error.js";
export { DeviceArray } from "./array.js";
export { Gpu } from "./gpu.js";
export { inlineFft } from "./inline.js";
export { Plan } from "./plan.js";
export { ConvolveStream } from "./stream.js";
export { DeviceTexture } from "./texture.js";
export { fft, fft2, ifft, ifft2, irfft, irfft2, rfft, rfft2 } from "./transforms.js";
