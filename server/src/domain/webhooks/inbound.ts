// Inbound messages: how one is signed, and what makes two of them the same (K5, K6, IN1). Values in, values out.
import { HEADERS } from '@countersign/shared/webhook';

/** What the headers say about the signature; nothing of it is verified yet. */
export type Signing =
  { scheme: 'standard'; id: string; timestamp: string; signature: string } | { scheme: 'plain'; signature: string };

/** An id may have any printable character but those that join headers, and those by which a body could pass for part of an id. */
const WEBHOOK_ID = /^[!#-+\-.-z|~]{1,255}$/;

/** What a sealed source secret is bound to: it opens for this source of this project only. */
export const sourceContext = (source: { id: string; projectId: string }) =>
  `inbound_source|${source.projectId}|${source.id}|secret`;

/**
 * The scheme a message is judged by, from headers with lower-case names: Standard Webhooks wherever `webhook-signature`
 * is there, else `x-webhook-signature`. Null when a header that the scheme needs is missing.
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

/** How many signatures a message may carry: several secrets may be rolling, but each costs a digest of the whole body. */
const MOST_SIGNATURES = 10;

/** Whether each header is one header: doubled ones arrive joined by a comma, and either of the two could be meant (K5). */
export function isSingle(signing: Signing): boolean {
  if (signing.scheme === 'plain') return !signing.signature.includes(',');
  const entries = signing.signature.split(' ');
  const plain = entries.every((entry) => /^[^,]*(,[^,]+)?$/.test(entry));
  return plain && entries.length <= MOST_SIGNATURES && WEBHOOK_ID.test(signing.id);
}

/**
 * What makes a message of one source the same as an earlier one (IN1): `key` by which it is told, `marks` under which it
 * is known beside that. The id counts only where it is signed; a message that was taken in under its id is known by its
 * body too, so that taking the signed headers off makes it no new one. `digest` is the SHA-256 of the raw body in hex.
 */
export function deduplicationKeys(signing: Signing, digest: string): { key: string; extraKeys: string[] } {
  const byBody = `sha256:${digest}`;
  return signing.scheme === 'standard'
    ? { key: `id:${signing.id}`, extraKeys: [byBody] }
    : { key: byBody, extraKeys: [] };
}
