// Authenticates an API key. Unknown, revoked, expired and malformed keys get the same answer.
import { Refusal } from '@countersign/shared/errors';
import type { Scope } from '@countersign/shared/enums';
import { hashApiKey, isWellFormedApiKey } from '../../crypto/api-key.ts';
import { ApiKey } from '../../db/entities/api-key.ts';
import { ownerOf } from '../access/membership.ts';
import type { KnownKey, Services } from '../services.ts';

/** `last_used_at` has a precision of a minute: a busy key must not write a row per request. */
const USED_EVERY_MS = 60_000;

/**
 * The actor of a key. A typo is refused by its checksum without the database; a valid key is looked
 * up once in 3 s (K4). `beforeLookup` runs before the lookup of a key that was not valid lately,
 * and may refuse it. Errors: `api_key_missing`, `api_key_invalid`.
 */
export async function checkApiKey(
  services: Services,
  text: string | undefined,
  beforeLookup: () => Promise<void> = () => Promise.resolve(),
): Promise<KnownKey> {
  const hash = text !== undefined && isWellFormedApiKey(text) ? hashApiKey(text) : null;
  const fresh = hash === null ? undefined : services.keys.find(hash);
  if (fresh !== undefined && lasts(services, fresh)) return fresh;
  const load = async (wellFormed: string) => {
    // Once for all concurrent lookups: a key with many clients must not count as many unknown ones.
    if (!services.keys.wasGood(wellFormed)) await beforeLookup();
    return lookUp(services, wellFormed);
  };
  if (hash === null) await beforeLookup();
  if (text === undefined || text === '') {
    throw new Refusal('api_key_missing', 'Send the project’s key in the x-api-key header.');
  }
  const actor = hash === null ? null : await services.keys.lookUp(hash, () => load(hash));
  if (actor === null || !lasts(services, actor))
    throw new Refusal('api_key_invalid', 'Check the key, or create a new one on the project page.');
  return actor;
}

/** K9: exact, also for a key that was looked up before it expired. */
const lasts = ({ clock }: Services, { expiresAt }: KnownKey): boolean => expiresAt === null || expiresAt > clock.now();

/** K8. Errors: `forbidden`. */
export function refuseScope(key: KnownKey, scope: Scope | null): void {
  if (scope !== null && !key.scopes.includes(scope))
    throw new Refusal('forbidden', `This key doesn’t allow ${scope}. Use one with the scope “${scope}”.`);
}

async function lookUp(services: Services, hash: string): Promise<KnownKey | null> {
  const found = await services.db.read(async (em) => {
    const key = await em.findOne(ApiKey, { hash, revokedAt: null });
    return key === null ? null : { key, ownerId: key.createdBy ?? (await ownerOf(em, key.projectId)) };
  });
  if (found === null) return null;
  const { key, ownerId } = found;
  if (key.expiresAt && key.expiresAt <= services.clock.now()) return null;
  await touch(services, key).catch((error: unknown) =>
    services.log.warn({ err: error }, 'the last use of an API key could not be recorded'),
  );
  const { id: keyId, projectId, name, scopes, expiresAt = null } = key;
  return { kind: 'api_key', keyId, projectId, ownerId, name, scopes, expiresAt };
}

async function touch(services: Services, key: ApiKey): Promise<void> {
  const now = services.clock.now();
  if (key.lastUsedAt && now.getTime() - key.lastUsedAt.getTime() < USED_EVERY_MS) return;
  await services.db.read((em) => em.nativeUpdate(ApiKey, { id: key.id }, { lastUsedAt: now }));
}
