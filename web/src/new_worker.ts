/** Types that the DOM library lacks: https://w3c.github.io/trusted-types */
interface ScriptUrlPolicy {
  createScriptURL(url: string): string;
}

/** The options of every worker. */
const OPTIONS = { type: "module", name: "nearfind" } as const;
/**
 * The address of this file. It is in a variable because bundlers would otherwise treat `new URL("…", import.meta.url)` as an
 * asset and copy the worker without its imports.
 */
const here = import.meta.url;

let policy: ScriptUrlPolicy | undefined;

/** Starts the package's worker: the one at `chosen`, or by default the one next to this file. */
export function newWorker(chosen?: URL): Worker {
  if (chosen) {
    return workerAt(chosen);
  }
  // Some bundlers replace `import.meta.url` with the path of a source file.
  const isElsewhere = /^https?:/.test(here) && new URL(here).origin !== location.origin;
  try {
    if (!isElsewhere) {
      // Bundlers look for exactly this form.
      return new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "nearfind" });
    }
  } catch {
    // The page accepts only Trusted Types.
  }
  return workerAt(new URL("worker.js", here));
}

/** Starts a worker at a URL. A page that accepts only Trusted Types must allow the policy `nearfind`. */
function workerAt(url: URL): Worker {
  const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy(name: string, rules: ScriptUrlPolicy): ScriptUrlPolicy } };
  policy ??= trustedTypes?.createPolicy("nearfind", { createScriptURL: (trusted) => trusted });
  // A worker must come from the page's own origin. For a script from another origin, start a worker that imports it.
  const isOwnOrigin = url.origin === location.origin;
  const script = isOwnOrigin
    ? url.href
    : URL.createObjectURL(new Blob([`import ${JSON.stringify(url.href)};`], { type: "text/javascript" }));
  return new Worker(policy?.createScriptURL(script) ?? script, OPTIONS);
}
