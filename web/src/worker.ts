/** A page's worker. Its engine answers messages, so that searching never blocks the page. */
import type { Answer } from "./api.js";
import type { Request, Response, Value } from "./client/protocol.js";
import { Engine } from "./engine/engine.js";
import { readManifest } from "./engine/manifest.js";
import { NearfindError } from "./errors.js";
import { HttpSource } from "./sources/http_source.js";
import { inflate } from "./sources/inflate.js";
import { httpModel, wasmModules, withoutWasm } from "./wasm_modules.js";

type Answered = Exclude<Request, { kind: "cancel" }>;

const running = new Map<number, AbortController>();
let engine: Engine | undefined;

const answer = (response: Response): void => self.postMessage(response);

self.addEventListener("message", ({ data }: MessageEvent<Request>) => {
  const { id } = data;
  if (data.kind === "cancel") {
    running.get(id)?.abort();
    return;
  }
  const controller = new AbortController();
  running.set(id, controller);
  run(data, controller.signal)
    .then((value) => answer({ id, kind: "done", value }))
    .catch((error: unknown) => {
      if (!controller.signal.aborted) {
        const code = error instanceof NearfindError ? error.code : "internal";
        answer({ id, kind: "failed", code, message: error instanceof Error ? error.message : String(error) });
      }
    })
    .finally(() => running.delete(id));
});

async function run(request: Answered, signal: AbortSignal): Promise<Value> {
  const { id } = request;
  if (request.kind === "open") {
    const { module, later } = request;
    const [model, reranker] = [request.model, request.reranker].map((url) =>
      url === undefined ? undefined : (hash: string) => httpModel(new URL(url), hash),
    );
    const modules = module
      ? wasmModules(
          (url) => fetch(url),
          () => Promise.resolve(module),
          later,
        )
      : withoutWasm;
    const sources = request.bundles.map(
      (bundle) => new HttpSource(new URL(bundle.url), httpModel, { inUrl: true, several: bundle.several }),
    );
    engine = await Engine.open(
      sources,
      modules,
      inflate,
      request.bundles.map(({ manifest }) => readManifest(manifest)),
      { model, reranker },
    );
    return engine.model;
  }
  if (!engine) {
    throw new NearfindError("closed", "no index is open");
  }
  const onProgress = (read = 0, total = 0): void => answer({ id, kind: "progress", read, total });
  switch (request.kind) {
    case "query": {
      const { text, settings, previews } = request;
      const onPreview = (value: Answer): void => {
        if (!signal.aborted) {
          answer({ id, kind: "preview", value });
        }
      };
      return engine.query(text, { ...settings, signal, ...(previews && { onPreview }) });
    }
    case "grep":
      return engine.grep(request.pattern, { ...request.settings, signal }, onProgress);
    case "suggest":
      return engine.suggest(request.text, { ...request, signal });
    case "document":
      return engine.document(request.name, { signal });
    case "filters":
      return engine.filters({ signal });
    case "embed":
      return engine.embed(request.text, { signal });
    // These calls continue after an abort. The page stops waiting by itself.
    case "refresh":
      return engine.refresh();
    case "prefetch":
      await engine.prefetch(request.text);
      return undefined;
    case "loadModel":
      await engine.loadModel({ onProgress, small: request.small });
      return undefined;
  }
}
