/**
 * Settles as `run` does, or rejects with the signal's reason as soon as the signal is aborted. In that case, `run` continues, and
 * its result is ignored.
 */
export function untilAborted<T>(signal: AbortSignal | undefined, run: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal!.reason);
    if (signal?.aborted) {
      abort();
      return;
    }
    signal?.addEventListener("abort", abort);
    run()
      .finally(() => signal?.removeEventListener("abort", abort))
      .then(resolve, reject);
  });
}
