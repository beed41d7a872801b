/** The error for a body that is too long. */
export class TooLong extends Error {}

/**
 * Reads a body of at most `most` bytes. It counts the bytes that arrive, because a stream has no Content-Length, and a header may
 * be wrong.
 */
export async function limitedBody({ body }: Request | Response, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body?.getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader!.read()) {
    length += part.value.byteLength;
    if (length > most) {
      await reader!.cancel().catch(() => {});
      throw new TooLong();
    }
    chunks.push(part.value);
  }
  return joined(chunks);
}

/** Joins chunks of bytes. */
export function joined(chunks: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}
