// Creates idempotency keys, which make repeated requests harmless.

/** 128 random bits in hex. Not `randomUUID`, which browsers offer only in secure contexts. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
