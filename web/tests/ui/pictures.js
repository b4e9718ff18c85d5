// Draws the pictures of the README: `node web/tests/ui/pictures.js`, after scripts/web.sh.

import { fileURLToPath } from "node:url";
import { mkdir } from "node:fs/promises";
import { pixels, start } from "./browser.js";

const folder = fileURLToPath(new URL("../../../docs/pictures/", import.meta.url));
await mkdir(folder, { recursive: true });
const site = await start();
for (const colorScheme of ["light", "dark"]) {
    const options = { viewport: { width: 1200, height: 800 }, deviceScaleFactor: 0.62, colorScheme };
    const { page, context } = await site.open(options);
    await page.check("input[value=band]", { force: true });
    await pixels(page);
    await page.mouse.move(2, 2);
    await page.evaluate(() => document.activeElement.blur());
    await page.screenshot({ path: `${folder}page-${colorScheme}.png`, fullPage: true });
    await context.close();
}
await site.close();
