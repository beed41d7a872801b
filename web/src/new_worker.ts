/** What the DOM types lack: https://w3c.github.io/trusted-types */
interface ScriptUrlPolicy {
  createScriptURL(url: string): string;
}

/** The worker must be a file of this package's folder, or where the page says that it is. */
const OPTIONS = { type: "module", name: "nearfind" } as const;
/** Not the form that bundlers look for, as they would copy the file without what it imports. */
const here = import.meta.url;

let policy: ScriptUrlPolicy | undefined;

/** Starts the package's worker: the one at `chosen`, else the one beside this file. */
export function newWorker(chosen?: URL): Worker {
  if (chosen) {
    return workerAt(chosen);
  }
  // Some bundlers put the path of a source file here.
  const isElsewhere = /^https?:/.test(here) && new URL(here).origin !== location.origin;
  try {
    if (!isElsewhere) {
      // The form that bundlers look for, word for word.
      return new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "nearfind" });
    }
  } catch {
    // A page that takes nothing but Trusted Types.
  }
  return workerAt(new URL("worker.js", here));
}

/** A page that takes nothing but Trusted Types must allow the policy `nearfind`. */
function workerAt(url: URL): Worker {
  const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy(name: string, rules: ScriptUrlPolicy): ScriptUrlPolicy } };
  policy ??= trustedTypes?.createPolicy("nearfind", { createScriptURL: (trusted) => trusted });
  // A worker must come from the page's own origin; in place of one from elsewhere one that imports it does.
  const isOwnOrigin = url.origin === location.origin;
  const script = isOwnOrigin
    ? url.href
    : URL.createObjectURL(new Blob([`import ${JSON.stringify(url.href)};`], { type: "text/javascript" }));
  return new Worker(policy?.createScriptURL(script) ?? script, OPTIONS);
}
