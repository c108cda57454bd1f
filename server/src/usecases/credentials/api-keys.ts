// Creates and revokes the API keys of a project; the text of a key is shown once.
import { SCOPES, type Scope } from '@countersign/shared/enums';
import { hashApiKey, last4, makeApiKey } from '../../crypto/api-key.ts';
import { REVOKED } from '../../db/connection/channels.ts';
import { ApiKey } from '../../db/entities/api-key.ts';
import type { Tx } from '../../db/database.ts';
import { lockProject } from '../../db/lock-project.ts';
import { COUNT_LIMITS } from '../../limits/policies.ts';
import { notFound, refuseBeyond, requireChange, requirePermission } from '../access/membership.ts';
import { badField } from '../access/change-membership.ts';
import { memberRef } from '../../domain/access/actor.ts';
import { recordChange } from '../../db/record-change.ts';
import type { MemberActor, Services } from '../services.ts';

export interface NewKey {
  projectId: string;
  name: string;
  /** What it may do (K8); everything by default. */
  scopes?: readonly Scope[] | undefined;
  /** When it expires (K9). */
  expiresAt?: Date | null | undefined;
}

/**
 * Creates a key; `text` is not stored. Errors: `not_found`, `forbidden`, `validation_failed` for an expiry in the past, and when
 * the project has as many keys as allowed (RL8).
 */
export async function createApiKey(
  services: Services,
  actor: MemberActor,
  input: NewKey,
): Promise<{ key: ApiKey; text: string }> {
  const text = makeApiKey();
  const scopes = SCOPES.filter((scope) => (input.scopes ?? SCOPES).includes(scope));
  const { expiresAt = null } = input;
  if (expiresAt !== null && expiresAt <= services.clock.now())
    throw badField('expires_at', 'Give a time in the future.');
  return services.db.write(async (tx) => {
    await requireChange(tx.em, { userId: actor.userId, projectId: input.projectId }, 'manage_keys');
    const count = await tx.em.count(ApiKey, { projectId: input.projectId, revokedAt: null });
    refuseBeyond(count, {
      most: COUNT_LIMITS.apiKeys,
      detail: 'Revoke a key that nothing uses, then create this one.',
    });
    const key = {
      id: services.ids.uuid(),
      projectId: input.projectId,
      name: input.name,
      hash: hashApiKey(text),
      last4: last4(text),
      scopes,
      createdBy: actor.userId,
      createdAt: services.clock.now(),
      expiresAt,
      lastUsedAt: null,
      revokedAt: null,
    };
    await tx.em.insert(ApiKey, key);
    // Defaults are omitted from the change log.
    const end = expiresAt === null ? {} : { expires_at: expiresAt.toISOString() };
    const after = { last4: key.last4, ...(scopes.length < SCOPES.length ? { scopes } : {}), ...end };
    const change = { action: 'key.made' as const, ...subjectOf(key), after };
    const by = memberRef(actor);
    await recordChange(services, { tx, by }, { projectId: key.projectId, changed: ['keys'], ...change });
    return { key: tx.em.map(ApiKey, key), text };
  });
}

/**
 * Revokes a key: at once in this process, within 5 s in every other (K4). A
 * second call has no effect. Errors: `not_found`, `forbidden`.
 */
export async function revokeApiKey(
  services: Services,
  actor: MemberActor,
  { projectId, keyId }: { projectId: string; keyId: string },
): Promise<void> {
  await services.db.write(async (tx) => {
    await lockProject(tx.em, projectId);
    await requirePermission(tx.em, { userId: actor.userId, projectId }, 'manage_keys');
    const key = await tx.em.findOne(ApiKey, { id: keyId, projectId });
    if (key === null) throw notFound();
    if (!key.revokedAt) await revoke(services, { tx, actor }, key);
  });
  // After the commit: from here on no lookup finds the key.
  services.keys.forget(keyId);
}

/**
 * Revokes every key of the project that this person made, in the caller's
 * transaction. The caller removes them from the cache after it.
 */
export async function revokeKeysOf(
  services: Services,
  { tx, actor }: { tx: Tx; actor: MemberActor },
  { projectId, userId }: { projectId: string; userId: string },
): Promise<string[]> {
  const keys = await tx.em.find(ApiKey, { projectId, createdBy: userId, revokedAt: null }, { orderBy: { id: 'asc' } });
  for (const key of keys) await revoke(services, { tx, actor }, key);
  return keys.map(({ id }) => id);
}

async function revoke(services: Services, { tx, actor }: { tx: Tx; actor: MemberActor }, key: ApiKey): Promise<void> {
  await tx.em.nativeUpdate(ApiKey, { id: key.id }, { revokedAt: services.clock.now() });
  await tx.em.execute('select pg_notify(?, ?)', [REVOKED, key.id]);
  const change = { action: 'key.revoked' as const, ...subjectOf(key), before: { last4: key.last4 } };
  await recordChange(
    services,
    { tx, by: memberRef(actor) },
    { projectId: key.projectId, changed: ['keys'], ...change },
  );
}

const subjectOf = ({ id, name }: { id: string; name: string }) => ({ subject: name, subjectId: id });
