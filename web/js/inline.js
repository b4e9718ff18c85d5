import { WasmInline } from "./wasm/wgpu_fft_web.js";
import { FftError, guarded } from "./error.js";
import { load } from "./gpu.js";

const OPTIONS = ["real", "lines", "invocations", "workgroupMemory", "data", "name", "twiddlesAt", "wasm"];

/** Transforms inside a compute shader of the caller's own, as WGSL to append to it. */
export async function inlineFft(n, options = {}) {
    const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
    if (unknown !== undefined) {
        throw new FftError("unsupported", `inlineFft has no option ${unknown}: ${OPTIONS.join(", ")}`);
    }
    const { real = false, lines = 1, invocations, workgroupMemory, data = false, name = "fft", twiddlesAt = [], wasm } = options;
    for (const [what, value] of Object.entries({ n, lines, invocations: invocations ?? 1, workgroupMemory: workgroupMemory ?? 0 })) {
        if (!Number.isInteger(value) || value < 0 || value > 0xffffffff) {
            throw new FftError("unsupported", `inlineFft: ${what} is ${value}, not a number of things`);
        }
    }
    await load(wasm);
    const text = guarded(() => new WasmInline(n, real, lines, invocations, workgroupMemory, data, name, Uint32Array.from(twiddlesAt)));
    try {
        const { wgsl, twiddles, invocations, elements, is_even: isEven, workgroup_bytes: workgroupBytes, registers } = text;
        return { wgsl, twiddles, invocations, elements, isEven, workgroupBytes, registers };
    } finally {
        text.free();
    }
}
