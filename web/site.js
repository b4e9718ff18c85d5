// Puts the page, its example and the package into one folder, which any web server can serve.
//
//   node site.js [--serve [PORT]]

import { cp, mkdir, rm, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { serve } from "./tests/support/server.js";

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * @param {string} [folder] is replaced
 * @param {string} [library] the package, or what stands in for it
 */
export async function assemble(folder = here("site"), library = here("pkg")) {
    await stat(`${library}/index.js`).catch(() => {
        throw new Error(`${library} has no package: run scripts/web.sh first`);
    });
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await cp(here("page"), folder, { recursive: true });
    await cp(library, `${folder}/wgpu-fft`, { recursive: true });
    await cp(here("../examples/data/camera.png"), `${folder}/camera.png`);
    return folder;
}

async function main() {
    const folder = await assemble();
    console.log(`The page is in ${folder}.`);
    if (process.argv[2] !== "--serve") return;
    const port = Number(process.argv[3] ?? 8000);
    const server = await serve(folder, port).catch((error) => {
        const taken = `port ${port} is taken; choose another: node web/site.js --serve PORT`;
        throw error.code === "EADDRINUSE" ? new Error(taken) : error;
    });
    console.log(`Open http://localhost:${server.address().port}/ in a browser with WebGPU; Ctrl+C ends it.`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    await main().catch((error) => {
        console.error(`site.js: ${error.message}`);
        process.exitCode = 1;
    });
}
