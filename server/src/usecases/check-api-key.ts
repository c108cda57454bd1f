// Who submits: the key of a project. Unknown, revoked and malformed keys get one and the same answer.
import { Refusal } from '@countersign/shared/errors';
import { hashApiKey, isWellFormedApiKey } from '../crypto/api-key.ts';
import { ApiKey } from '../db/entities/api-key.ts';
import type { ApiKeyActor, Services } from './services.ts';

/** `last_used_at` is kept to the minute: a busy key must not write a row per request. */
const USED_EVERY_MS = 60_000;

/** Errors: `api_key_missing`, `api_key_invalid`. A typo is refused by its checksum before the database is asked. */
export async function checkApiKey(services: Services, text: string | undefined): Promise<ApiKeyActor> {
  if (text === undefined || text === '')
    throw new Refusal('api_key_missing', 'Send the project’s key in the x-api-key header.');
  if (!isWellFormedApiKey(text)) throw invalid();
  const key = await services.db.read((em) => em.findOne(ApiKey, { hash: hashApiKey(text), revokedAt: null }));
  if (key === null) throw invalid();
  await touch(services, key);
  return { kind: 'api_key', keyId: key.id, projectId: key.projectId, name: key.name };
}

const invalid = () => new Refusal('api_key_invalid', 'Check the key, or make a new one on the project’s page.');

async function touch(services: Services, key: ApiKey): Promise<void> {
  const now = services.clock.now();
  if (key.lastUsedAt && now.getTime() - key.lastUsedAt.getTime() < USED_EVERY_MS) return;
  await services.db.read((em) => em.nativeUpdate(ApiKey, { id: key.id }, { lastUsedAt: now }));
}
