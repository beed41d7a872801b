/** A block that the core asks for. */
export interface NeededBlock {
  /** Number of the bundle among those that are open. */
  bundle: number;
  part: number;
  block: number;
  file: string;
  file_bytes: number;
  start: number;
  bytes: number;
}

/** Bytes between two blocks that are read along: fewer than a request costs. */
const GAP_BYTES = 600;

/** Blocks that are read by one request: of one file, with small gaps between them. */
export function coalesce(blocks: NeededBlock[]): NeededBlock[][] {
  // Parts in their order, which is that of need: browsers send a few requests at a time.
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
