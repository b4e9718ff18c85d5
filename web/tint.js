// What tint, the WGSL compiler of Chromium, says against texts: reads an array of them as JSON from
// stdin, and writes an array with an error for each, empty if it accepts the text. tests/host runs
// it.

import { readFileSync } from "node:fs";
import { create } from "webgpu";

// Dawn's adapter without a device behind it has every feature. All three must outlive the texts:
// node aborts when it collects the first one.
globalThis.gpu = create(["backend=null"]);
globalThis.adapter = await gpu.requestAdapter();
globalThis.device = await adapter.requestDevice({ requiredFeatures: ["shader-f16", "subgroups"] });
const errors = [];
for (const code of JSON.parse(readFileSync(0, "utf8"))) {
    device.pushErrorScope("validation");
    device.createShaderModule({ code });
    errors.push((await device.popErrorScope())?.message ?? "");
}
process.stdout.write(JSON.stringify(errors));
