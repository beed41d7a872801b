import type { Search } from "../api.js";
import { untilAborted } from "../until_aborted.js";

/**
 * The same search, where every call ends with the signal among its options: before it begins, if that was aborted already, else
 * without waiting for the work. One place for all calls: a call that forgets its signal looks like one that takes none.
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
        // Never rejects, as it promises.
        return name === "prefetch" ? answer.catch(() => {}) : answer;
      };
    },
  });
}
