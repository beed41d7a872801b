// Checks a page with axe, and saves a screenshot for people to look at.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const { SCREENSHOTS } = process.env;

/** Asserts that a page has no violation. With SCREENSHOTS=folder it saves a screenshot there under this name. */
export async function assertAccessible(box, name) {
  await box.run(AXE);
  const { violations } = await box.run(() => globalThis.axe.run());
  assert.deepEqual(
    violations.map(({ id, nodes }) => [id, ...nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`)]),
    [],
  );
  if (SCREENSHOTS) {
    mkdirSync(SCREENSHOTS, { recursive: true });
    await box.page.screenshot({ path: join(SCREENSHOTS, `${name.replace(/\W+/g, "-")}.png`) });
  }
}
