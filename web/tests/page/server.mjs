// Serves a folder to a browser on this machine, for the tests.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const types = {
    ".css": "text/css", ".html": "text/html", ".jpg": "image/jpeg", ".js": "text/javascript", ".mjs": "text/javascript",
    ".png": "image/png", ".svg": "image/svg+xml", ".wasm": "application/wasm",
};

/**
 * @param {[string, string][]} folders what each beginning of a path is served from; the first that
 *     begins a path decides
 */
export async function serve(folders) {
    const server = createServer(async (request, response) => {
        const path = normalize(decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname));
        const [prefix, folder] = folders.find(([beginning]) => path.startsWith(beginning)) ?? [];
        const name = prefix === undefined ? "" : join(folder, path.endsWith("/") ? `${path}index.html`.slice(prefix.length) : path.slice(prefix.length));
        try {
            const body = await readFile(name);
            response.writeHead(200, { "content-type": types[extname(name)] ?? "application/octet-stream", "cache-control": "no-store" });
            response.end(body);
        } catch {
            response.writeHead(404).end("not found");
        }
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
    const address = server.address();
    return { origin: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`, close: () => server.close() };
}
