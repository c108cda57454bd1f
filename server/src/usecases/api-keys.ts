// The keys of a project: made and shown once, listed without their text, revoked at once.
import { hashApiKey, last4, makeApiKey } from '../crypto/api-key.ts';
import { REVOKED } from '../db/channels.ts';
import { ApiKey } from '../db/entities/api-key.ts';
import { holdProject } from '../db/hold-project.ts';
import { STANDING } from '../limits/policies.ts';
import { nothingHere, refuseBeyond, requireChange, requireVerb } from './membership.ts';
import { recordChange } from './record-change.ts';
import type { MemberActor, Services } from './services.ts';

/** Makes a key; `text` is not stored and cannot be had again. Errors: `not_found`, `forbidden`, `validation_failed` where as many stand as may (RL8). */
export async function createApiKey(
  services: Services,
  actor: MemberActor,
  input: { projectId: string; name: string },
): Promise<{ key: ApiKey; text: string }> {
  const text = makeApiKey();
  return services.db.write(async (tx) => {
    await requireChange(tx.em, { userId: actor.userId, projectId: input.projectId }, 'manage_keys');
    const standing = await tx.em.count(ApiKey, { projectId: input.projectId, revokedAt: null });
    refuseBeyond(standing, { most: STANDING.apiKeys, detail: 'Revoke a key that nothing uses, then make this one.' });
    const key = {
      id: services.ids.uuid(),
      projectId: input.projectId,
      name: input.name,
      hash: hashApiKey(text),
      last4: last4(text),
      createdBy: actor.userId,
      createdAt: services.clock.now(),
      lastUsedAt: null,
      revokedAt: null,
    };
    await tx.em.insert(ApiKey, key);
    const change = { action: 'key.made' as const, ...subjectOf(key), after: { last4: key.last4 } };
    await recordChange(services, { tx, actor }, { projectId: key.projectId, changed: ['keys'], ...change });
    return { key: tx.em.map(ApiKey, key), text };
  });
}

/**
 * Revokes a key: at once in this process, within 5 s in every other (K4). Revoking twice does nothing more.
 * Errors: `not_found`, `forbidden`.
 */
export async function revokeApiKey(
  services: Services,
  actor: MemberActor,
  { projectId, keyId }: { projectId: string; keyId: string },
): Promise<void> {
  await services.db.write(async (tx) => {
    await holdProject(tx.em, projectId);
    await requireVerb(tx.em, { userId: actor.userId, projectId }, 'manage_keys');
    const key = await tx.em.findOne(ApiKey, { id: keyId, projectId });
    if (key === null) throw nothingHere();
    if (key.revokedAt) return;
    await tx.em.nativeUpdate(ApiKey, { id: keyId }, { revokedAt: services.clock.now() });
    await tx.em.execute('select pg_notify(?, ?)', [REVOKED, keyId]);
    const change = { action: 'key.revoked' as const, ...subjectOf(key), before: { last4: key.last4 } };
    await recordChange(services, { tx, actor }, { projectId, changed: ['keys'], ...change });
  });
  // After the commit: from here on no lookup can find the key.
  services.keys.forget(keyId);
}

const subjectOf = ({ id, name }: { id: string; name: string }) => ({ subject: name, subjectId: id });
