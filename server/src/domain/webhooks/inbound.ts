// Inbound messages: their signature scheme, and the keys by which duplicates are recognized (K5, K6, IN1).
import { HEADERS } from '@countersign/shared/webhook';

/** What the headers say about the signature; nothing of it is verified yet. */
export type Signing =
  | { scheme: 'standard'; id: string; timestamp: string; signature: string }
  | { scheme: 'plain'; signature: string };

/**
 * An id may contain any printable character except those that join headers and
 * those that would let a body pass for part of an id.
 */
const WEBHOOK_ID = /^[!#-+\-.-z|~]{1,255}$/;

/** The `aad` of an encrypted source secret: it can be decrypted for this source of this project only. */
export const sourceContext = (source: { id: string; projectId: string }) =>
  `inbound_source|${source.projectId}|${source.id}|secret`;

/**
 * The signature scheme of a message, from headers with lower-case names: Standard Webhooks when `webhook-signature` is present,
 * else `x-webhook-signature`. Null when a header that the scheme needs is missing.
 */
export function signingOf(headers: Record<string, string | undefined>): Signing | null {
  const standard = headers[HEADERS.standard];
  if (standard !== undefined) {
    const id = headers[HEADERS.id];
    const timestamp = headers[HEADERS.timestamp];
    return id === undefined || timestamp === undefined
      ? null
      : { scheme: 'standard', id, timestamp, signature: standard };
  }
  const signature = headers[HEADERS.signature];
  return signature === undefined ? null : { scheme: 'plain', signature };
}

/** The maximum number of signatures in a message: several secrets may be rolling, but each costs a digest of the whole body. */
const MOST_SIGNATURES = 10;

/** Whether each header occurs once: Node joins repeated ones with a comma, and either value could be meant (K5). */
export function isSingle(signing: Signing): boolean {
  if (signing.scheme === 'plain') return !signing.signature.includes(',');
  const entries = signing.signature.split(' ');
  const plain = entries.every((entry) => /^[^,]*(,[^,]+)?$/.test(entry));
  return plain && entries.length <= MOST_SIGNATURES && WEBHOOK_ID.test(signing.id);
}

/**
 * The keys by which a message of one source equals an earlier one (IN1): `key` is the main one, `extraKeys` are stored beside it.
 * The id counts only where it is signed; a message that was accepted under its id is also known by its body, so that removing the
 * signed headers does not make it new. `digest` is the SHA-256 of the raw body in hex.
 */
export function deduplicationKeys(signing: Signing, digest: string): { key: string; extraKeys: string[] } {
  const byBody = `sha256:${digest}`;
  return signing.scheme === 'standard'
    ? { key: `id:${signing.id}`, extraKeys: [byBody] }
    : { key: byBody, extraKeys: [] };
}
