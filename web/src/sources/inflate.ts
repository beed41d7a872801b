/** Inflates a raw deflate stream to exactly `size` bytes. Rejects if the size differs. */
export type Inflate = (deflated: Uint8Array, size: number) => Promise<Uint8Array>;

/** Inflates with the browser's decompression. Stops if the result is too large, so that a small block cannot fill the memory. */
export const inflate: Inflate = async (deflated, size) => {
  const raw = new Uint8Array(size);
  let at = 0;
  const stream = new Blob([deflated as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const reader = stream.getReader();
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    if (at + chunk.value.length > size) {
      await reader.cancel();
      throw new RangeError("it is longer than it says");
    }
    raw.set(chunk.value, at);
    at += chunk.value.length;
  }
  if (at < size) {
    throw new RangeError("it is shorter than it says");
  }
  return raw;
};
