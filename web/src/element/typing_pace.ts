/** The limits of a pause, which is twice as long as the time between keystrokes. */
const PAUSE_MS = [150, 400] as const;

/**
 * Learns how quickly the reader types. Call the returned function for each key. It returns the milliseconds to wait for the next
 * key.
 */
export function typingPace(): () => number {
  let lastKey = 0;
  let betweenKeys = 0;
  return () => {
    const now = performance.now();
    const since = Math.min(now - lastKey, PAUSE_MS[1]);
    lastKey = now;
    betweenKeys = betweenKeys === 0 ? since : (betweenKeys + since) / 2;
    return Math.min(Math.max(2 * betweenKeys, PAUSE_MS[0]), PAUSE_MS[1]);
  };
}
