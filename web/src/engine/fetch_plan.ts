/** A block that core requests. */
export interface NeededBlock {
  /** Index of the bundle among the open bundles. */
  bundle: number;
  part: number;
  block: number;
  file: string;
  file_bytes: number;
  start: number;
  bytes: number;
}

/**
 * The largest gap between two blocks in one request, in bytes. The gap is read as well, because a further request would cost
 * more.
 */
const GAP_BYTES = 600;

/** Groups blocks into requests. A request reads blocks of one file with small gaps between them. */
export function coalesce(blocks: NeededBlock[]): NeededBlock[][] {
  // Parts are requested in the order in which they are needed, because browsers send few requests at a time.
  const ordered = [...blocks].sort(
    (a, b) => a.bundle - b.bundle || a.part - b.part || (a.file === b.file ? a.start - b.start : a.file < b.file ? -1 : 1),
  );
  const runs: NeededBlock[][] = [];
  for (const block of ordered) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run && last && last.bundle === block.bundle && last.file === block.file && block.start - last.start - last.bytes <= GAP_BYTES) {
      run.push(block);
    } else {
      runs.push([block]);
    }
  }
  return runs;
}
