/** A range of a file: its first byte, and the first byte after it. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Returns the value of the `Range` header. */
export function rangeHeader(ranges: readonly ByteRange[]): string {
  return `bytes=${ranges.map(({ start, end }) => `${start}-${end - 1}`).join(",")}`;
}

/** Returns whether a response contains several ranges. */
export function areRanges({ status, headers }: Response): boolean {
  return status === 206 && (headers.get("content-type")?.startsWith("multipart/byteranges") ?? false);
}

/**
 * Returns the bytes of each of `ranges` from a body of the type multipart/byteranges; `undefined` if a range is missing. A server
 * may join neighbors and change the order. https://www.rfc-editor.org/rfc/rfc9110#name-media-type-multipart-bytera
 */
export function byteRanges(body: Uint8Array, ranges: readonly ByteRange[]): Uint8Array[] | undefined {
  const parts: (ByteRange & { at: number })[] = [];
  const letters = new TextDecoder("latin1");
  for (let at = 0, end = endOfHeaders(body, 0); end > 0; end = endOfHeaders(body, at)) {
    const said = /^content-range: *bytes (\d+)-(\d+)/im.exec(letters.decode(body.subarray(at, end)));
    const [start, last] = [Number(said?.[1]), Number(said?.[2])];
    // The condition also fails if one of the numbers is missing.
    if (!(start <= last)) {
      return undefined;
    }
    parts.push({ start, end: last + 1, at: end });
    at = end + last + 1 - start;
  }
  const found = ranges.map(({ start, end }) => {
    const part = parts.find((part) => part.start <= start && end <= part.end);
    const from = part && part.at + start - part.start;
    return part && body.subarray(from, from! + end - start);
  });
  return found.every((bytes, at) => bytes?.length === ranges[at]!.end - ranges[at]!.start) ? (found as Uint8Array[]) : undefined;
}

/** Returns the offset of the next part's bytes, after the headers that follow `at`; 0 if there is no further part. */
function endOfHeaders(body: Uint8Array, at: number): number {
  for (let end = body.indexOf(13, at); end >= 0; end = body.indexOf(13, end + 1)) {
    if (body[end + 1] === 10 && body[end + 2] === 13 && body[end + 3] === 10) {
      return end + 4;
    }
  }
  return 0;
}
