// Authenticates a signed inbound message by its source, before anything is parsed or written (K6).
import { Refusal } from '@countersign/shared/errors';
import { uuid } from '@countersign/shared/schemas/parts/ids';
import { HEADERS, judgeTimestamp, verifyHex, verifyStandard } from '@countersign/shared/webhook';
import { decrypt, encrypt } from '../../crypto/key-ring.ts';
import { sha256Hex } from '../../crypto/tokens.ts';
import { makeWebhookSecret } from '../../crypto/webhook-secret.ts';
import { InboundSource } from '../../db/entities/inbound-source.ts';
import { isSingle, deduplicationKeys, signingOf, sourceContext, type Signing } from '../../domain/webhooks/inbound.ts';
import type { Services } from '../services.ts';

/** `last_used_at` has a precision of a minute: a busy source must not write a row per message. */
const USED_EVERY_MS = 60_000;

/** Looked up in place of a malformed id, so that it costs as much as an unknown id. */
const NO_SOURCE = '00000000-0000-0000-0000-000000000000';

export interface InboundMessage {
  /** The id in the path, not validated. */
  sourceId: string;
  /** Keys are lower-case names. */
  headers: Record<string, string | undefined>;
  bytes: Uint8Array;
}

export interface InboundSender {
  sourceId: string;
  name: string;
  projectId: string;
  lastUsedAt: Date | null;
  /** The keys by which this message equals an earlier one (IN1). */
  same: { key: string; extraKeys: string[] };
}

/**
 * Finds the source that signed the message. An unknown or removed source, one of an archived project and a malformed id cost the
 * same work and get the same answer as a bad signature. Errors: `signature_missing`, `signature_expired`, `signature_invalid`.
 */
export async function checkInbound(services: Services, message: InboundMessage): Promise<InboundSender> {
  const signing = signingOf(message.headers);
  if (signing === null) {
    const trio = `${HEADERS.id}, ${HEADERS.timestamp} and ${HEADERS.standard}`;
    throw new Refusal('signature_missing', `Send ${HEADERS.signature}, or all of ${trio}.`);
  }
  const source = await findSource(services, message.sourceId);
  const secret = source === null ? decoy(services) : decrypt(services.keyRing, source.secret, sourceContext(source));
  const now = Math.floor(services.clock.now().getTime() / 1000);
  if (signing.scheme === 'standard' && judgeTimestamp(signing.timestamp, now) === 'expired') {
    throw new Refusal('signature_expired', 'Sign the request again: the timestamp may be at most 300 seconds off.');
  }
  const holds = isSingle(signing) && (await verify(message.bytes, signing, { secret, now }));
  if (source === null || !holds) {
    throw new Refusal('signature_invalid', 'Check the URL and the secret, and sign the raw body.');
  }
  const { id: sourceId, name, projectId, lastUsedAt } = source;
  return { sourceId, name, projectId, lastUsedAt, same: deduplicationKeys(signing, sha256Hex(message.bytes)) };
}

/** Records that the source sent something new. */
export async function touchSource(services: Services, sender: InboundSender): Promise<void> {
  const now = services.clock.now();
  if (sender.lastUsedAt && now.getTime() - sender.lastUsedAt.getTime() < USED_EVERY_MS) return;
  await services.db.read((em) => em.nativeUpdate(InboundSource, { id: sender.sourceId }, { lastUsedAt: now }));
}

interface Found {
  id: string;
  name: string;
  projectId: string;
  secret: string;
  lastUsedAt: Date | null;
}

/** One query for every id, so that all of them take the same path. */
async function findSource(services: Services, sourceId: string): Promise<Found | null> {
  const id = uuid.safeParse(sourceId).data ?? NO_SOURCE;
  const [row] = await services.db.read((em) =>
    em.execute<{ id: string; name: string; project_id: string; secret: string; last_used_at: string | Date | null }[]>(
      `select s.id, s.name, s.project_id, s.secret, s.last_used_at from inbound_source s
       join project p on p.id = s.project_id
       where s.id = ? and s.removed_at is null and p.archived_at is null`,
      [id],
    ),
  );
  if (row === undefined) return null;
  const lastUsedAt = row.last_used_at === null ? null : new Date(row.last_used_at);
  return { id: row.id, name: row.name, projectId: row.project_id, secret: row.secret, lastUsedAt };
}

/** A random secret, at the cost of decrypting one. */
function decoy(services: Services): string {
  const secret = makeWebhookSecret();
  encrypt(services.keyRing, secret, sourceContext({ id: NO_SOURCE, projectId: NO_SOURCE }));
  return secret;
}

function verify(bytes: Uint8Array, signing: Signing, verifier: { secret: string; now: number }): Promise<boolean> {
  if (signing.scheme === 'plain') return verifyHex(bytes, signing.signature, verifier.secret);
  const { id, timestamp, signature } = signing;
  const headers = { [HEADERS.id]: id, [HEADERS.timestamp]: timestamp, [HEADERS.standard]: signature };
  return verifyStandard(bytes, headers, verifier);
}
