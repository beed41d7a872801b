import type { Search } from "../api.js";
import { untilAborted } from "../until_aborted.js";

/**
 * Wraps a search so that every call rejects as soon as the signal in its options is aborted. If the signal is already aborted,
 * the call does not start. All calls are wrapped here, because no check would notice a method that ignores its signal.
 */
export function stoppable(search: Search): Search {
  return new Proxy(search, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") {
        return member;
      }
      return (...given: ({ signal?: AbortSignal } | undefined)[]): unknown => {
        const signal = given.find((argument) => argument?.signal)?.signal;
        const run = (): unknown => member.apply(target, given);
        if (!signal) {
          return run();
        }
        const answer = untilAborted(signal, async () => run());
        // `prefetch` never rejects.
        return name === "prefetch" ? answer.catch(() => {}) : answer;
      };
    },
  });
}
