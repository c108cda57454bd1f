// What makes a repeated request harmless: a key that nobody else has.

/** 128 bits by chance, in hex. By hand, because browsers have `randomUUID` on secure pages alone. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
