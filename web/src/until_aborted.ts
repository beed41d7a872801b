/** Runs `run` and gives what it gives; rejects with the signal's reason as soon as there is one, whatever `run` does then. */
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
