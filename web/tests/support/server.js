// The files of web/ on localhost, which browsers count as a secure page.

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { fileURLToPath } from "node:url";

const TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".wasm": "application/wasm",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".svg": "image/svg+xml",
    ".ico": "image/x-icon",
};

/** Serves a folder on 127.0.0.1 and returns the server; port 0 is any that is free. */
export async function serve(folder, port = 0) {
    const root = normalize(folder instanceof URL ? fileURLToPath(folder) : folder);
    const server = createServer(async (request, response) => {
        try {
            const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
            let file = normalize(join(root, path));
            if (!file.startsWith(root.endsWith(sep) ? root : root + sep) && file !== root) {
                throw new Error("outside of the folder");
            }
            if ((await stat(file)).isDirectory()) {
                file = join(file, "index.html");
                await stat(file);
            }
            response.writeHead(200, { "Content-Type": TYPES[extname(file)] ?? "application/octet-stream", "Cache-Control": "no-store" });
            createReadStream(file).pipe(response);
        } catch {
            response.writeHead(404, { "Content-Type": "text/plain" }).end("not found");
        }
    });
    await new Promise((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", resolve));
    return server;
}
