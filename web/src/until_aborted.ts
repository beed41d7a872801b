/** Runs `run` and gives what it gives; rejects with the signal's reason as soon as there is one, whatever `run` does then. */
export async function untilAborted<T>(signal: AbortSignal | undefined, run: () => Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  let abort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal!.reason);
    signal?.addEventListener("abort", abort);
  });
  try {
    return await Promise.race([run(), aborted]);
  } finally {
    signal?.removeEventListener("abort", abort!);
  }
}
