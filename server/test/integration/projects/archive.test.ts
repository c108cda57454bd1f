// Tests an archived project: no submissions, no claims, existing decisions complete, and it can be restored (AR1).
import { beforeEach, describe, expect, it } from 'vitest';
import { acceptInvite, createInvite, revokeInvite } from '../../../src/usecases/access/invites.ts';
import { addMember } from '../../../src/usecases/access/add-member.ts';
import { createApiKey, revokeApiKey } from '../../../src/usecases/credentials/api-keys.ts';
import { changeMember, removeMember } from '../../../src/usecases/access/change-member.ts';
import { changeSettings } from '../../../src/usecases/projects/change-settings.ts';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { claimNext } from '../../../src/usecases/claims/claim-next.ts';
import { decide } from '../../../src/usecases/decisions/decide.ts';
import { createInboundSource, removeInboundSource } from '../../../src/usecases/credentials/inbound-sources.ts';
import { archiveProject, restoreProject } from '../../../src/usecases/projects/lifecycle.ts';
import { listProjects, readProject } from '../../../src/usecases/projects/list-projects.ts';
import { listQueue } from '../../../src/usecases/items/list-queue.ts';
import { readPublicItem } from '../../../src/usecases/items/read-item.ts';
import { renewClaim } from '../../../src/usecases/claims/renew-claim.ts';
import { reopen } from '../../../src/usecases/decisions/reopen.ts';
import { promoteWebhookSecret, rotateWebhookSecret } from '../../../src/usecases/webhooks/rotate-webhook-secret.ts';
import { takeOver } from '../../../src/usecases/claims/end-claim.ts';
import { undoDecision } from '../../../src/usecases/decisions/undo-decision.ts';
import { finalizeOnce } from '../../../src/worker/finalize.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import { withOpenTransaction, waitForBlocked } from '../support/blocking-transaction.ts';
import { endLease, eventLogOf, rowOf } from '../support/database-helpers.ts';
import {
  aDecision,
  anItem,
  aPerson,
  createProjectFixture,
  grantRole,
  aSubmission,
  items,
  review,
  type ProjectFixture,
} from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;

beforeEach(async () => {
  fixture = await createProjectFixture(testEnv.services);
});

const REFUSED = { code: 'forbidden', extras: {} };
const archive = (who = fixture.owner) => archiveProject(testEnv.services, who, fixture.projectId);
const restore = (who = fixture.owner) => restoreProject(testEnv.services, who, fixture.projectId);
const changeLogOf = (action: string) =>
  testEnv.sql<{ n: number }>('select count(*)::int as n from project_change where project_id = ? and action = ?', [
    fixture.projectId,
    action,
  ]);
const view = (who = fixture.anna) =>
  listQueue(testEnv.services, who, { projectId: undefined, view: 'all', after: undefined, limit: 50 });

describe('AR1: archiving', () => {
  it('is for owners, writes one change log entry and one event, and nothing more when repeated; so does restoring', async () => {
    for (const change of [archive, restore]) {
      for (const who of [fixture.anna, fixture.supervisor]) await expect(change(who)).rejects.toMatchObject(REFUSED);
      await expect(change(await aPerson(testEnv.services))).rejects.toMatchObject({ code: 'not_found' });
      await Promise.all([change(), change()]);
    }
    expect([await changeLogOf('project.archived'), await changeLogOf('project.restored')]).toEqual([
      [{ n: 1 }],
      [{ n: 1 }],
    ]);
    const logEvents = (await eventLogOf(testEnv, fixture.projectId)).filter(
      ({ data }) => String(data.changed) === 'archived',
    );
    expect(logEvents).toHaveLength(2);
  });

  it('moves it from the list of open projects to that of archived ones; it can still be read', async () => {
    const listed = async (archived: boolean) =>
      (await listProjects(testEnv.services, fixture.anna, { archived })).rows.map(({ project }) => project.id);
    expect([await listed(false), await listed(true)]).toEqual([[fixture.projectId], []]);
    await archive();
    expect([await listed(false), await listed(true)]).toEqual([[], [fixture.projectId]]);
    const { project } = await readProject(testEnv.services, fixture.anna, fixture.projectId);
    expect(project.archivedAt).toBeInstanceOf(Date);
    await restore();
    expect([await listed(false), await listed(true)]).toEqual([[fixture.projectId], []]);
  });

  it('releases every claim at once, live or expired, with events after the change', async () => {
    const [live, expired] = await items(testEnv.services, fixture, 2);
    if (!live || !expired) throw new Error('Two were asked for.');
    await claim(testEnv.services, fixture.anna, live.id);
    await claim(testEnv.services, fixture.ben, expired.id);
    await endLease(testEnv, expired.id);
    await testEnv.sql('update item set claim_expires_at = null where id = ?', [expired.id]);
    await archive();
    for (const { id } of [live, expired])
      expect(await rowOf(testEnv, id)).toMatchObject({ claimed_by: null, claim_expires_at: null, status: 'queued' });
    const logEvents = (await eventLogOf(testEnv, fixture.projectId)).map(({ type }) => type);
    expect(logEvents.slice(-2)).toEqual(['project.changed', 'claim.released']);
    expect(await testEnv.services.claims.holders([live.id])).toEqual(new Map());
    await restore();
    expect(await claim(testEnv.services, fixture.ben, live.id)).toMatchObject({ fence: 2 });
  });
});

describe('AR1: while it is archived', () => {
  it('nothing can be claimed or decided, with a clear message', async () => {
    const [held, free] = await items(testEnv.services, fixture, 2);
    const rejected = await anItem(testEnv.services, fixture, { confidence: 0.1 });
    if (!held || !free) throw new Error('Two were asked for.');
    const { fence } = await claim(testEnv.services, fixture.anna, held.id);
    await archive();
    const mine = { itemId: held.id, fence };
    const words = expect.stringContaining('archived') as string;
    const { projectId, supervisor, anna } = fixture;
    for (const attempt of [
      () => claim(testEnv.services, anna, free.id),
      () => takeOver(testEnv.services, supervisor, free.id),
      () => reopen(testEnv.services, supervisor, { itemId: rejected.id, reason: null }),
      () => claimNext(testEnv.services, anna, { projectId }),
      () => decide(testEnv.services, anna, { ...mine, ...aDecision('approve') }),
      () => decide(testEnv.services, anna, { ...mine, ...aDecision('escalate') }),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'forbidden', detail: words });
    }
    await expect(renewClaim(testEnv.services, anna, mine)).rejects.toMatchObject({ code: 'claim_lost' });
    expect(await rowOf(testEnv, held.id)).toMatchObject({ status: 'queued', claimed_by: null });
  });

  it('queues omit it, and the server picks from the other projects', async () => {
    await anItem(testEnv.services, fixture, { riskFlags: ['legal'] });
    const other = await createProjectFixture(testEnv.services);
    await grantRole(testEnv.services, other, { who: fixture.supervisor, role: 'supervisor' });
    const { id } = await anItem(testEnv.services, other);
    expect((await view(fixture.supervisor)).counts.all).toBe(2);
    await archive();
    const { items: rows, counts, seqs } = await view(fixture.supervisor);
    expect([rows.map((row) => row.id), counts.all]).toEqual([[id], 1]);
    // Its events still reach its members, so its position in the event log does too (QU4).
    expect([...seqs.keys()].sort()).toEqual([other.projectId, fixture.projectId].sort());
    expect((await claimNext(testEnv.services, fixture.supervisor, {}))?.item.id).toBe(id);
    expect(await claimNext(testEnv.services, fixture.supervisor, {})).toBeNull();
    const asked = { projectId: fixture.projectId, view: 'all' as const, after: undefined, limit: 50 };
    expect(await listQueue(testEnv.services, fixture.supervisor, asked)).toMatchObject({
      items: [],
      counts: { all: 0 },
    });
  });

  it('no permission is granted, and every permission may be revoked', async () => {
    const { projectId, owner, anna, ben } = fixture;
    const guest = await aPerson(testEnv.services);
    const invited = { projectId, role: 'reviewer' as const, address: null, hours: 1 };
    const { invite, token } = await createInvite(testEnv.services, owner, invited);
    const { source } = await createInboundSource(testEnv.services, owner, { projectId, name: 'Mail' });
    await archive();
    const { project } = await readProject(testEnv.services, owner, projectId);
    for (const attempt of [
      () => createApiKey(testEnv.services, owner, { projectId, name: 'Late' }),
      () => createInboundSource(testEnv.services, owner, { projectId, name: 'Late' }),
      () => createInvite(testEnv.services, owner, invited),
      () => addMember(testEnv.services, owner, { projectId, address: guest.address, role: 'owner' }),
      () => changeMember(testEnv.services, owner, { projectId, userId: anna.userId, role: 'owner', name: undefined }),
      () => rotateWebhookSecret(testEnv.services, owner, { projectId }),
      () => promoteWebhookSecret(testEnv.services, owner, { projectId }),
      () => {
        const { settingsVersion } = project;
        return changeSettings(testEnv.services, owner, { projectId, settingsVersion, changes: { name: 'Late' } });
      },
    ]) {
      await expect(attempt()).rejects.toMatchObject(REFUSED);
    }
    await expect(acceptInvite(testEnv.services, guest, token)).rejects.toMatchObject({ code: 'not_found' });
    await revokeInvite(testEnv.services, owner, { projectId, inviteId: invite.id });
    await revokeApiKey(testEnv.services, owner, { projectId, keyId: fixture.pipeline.keyId });
    await removeInboundSource(testEnv.services, owner, { projectId, sourceId: source.id });
    await removeMember(testEnv.services, owner, { projectId, userId: anna.userId });
    await removeMember(testEnv.services, ben, { projectId, userId: ben.userId });
  });

  it('decisions complete: undone within their window, or final and delivered', async () => {
    const url = { webhook_url: 'http://127.0.0.1:1024/', undo_window_seconds: 30 };
    fixture = await createProjectFixture(testEnv.services, url);
    const [kept, undone] = await items(testEnv.services, fixture, 2);
    if (!kept || !undone) throw new Error('Two were asked for.');
    for (const { id } of [kept, undone])
      await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
    await archive();
    expect(await undoDecision(testEnv.services, fixture.anna, undone.id)).toMatchObject({ status: 'queued' });
    await testEnv.sql('update decision set undo_until = now() - make_interval(secs => 0.001) where item_id = ?', [
      kept.id,
    ]);
    while ((await finalizeOnce(testEnv.services)).again);
    while ((await relayOnce(testEnv.services, testEnv.signals)).again);
    expect(await testEnv.sql('select status from delivery where item_id = ?', [kept.id])).toEqual([
      { status: 'pending' },
    ]);
    const { item, decision } = await readPublicItem(testEnv.services, fixture.pipeline, kept.id);
    expect([item.status, decision?.action]).toEqual(['approved', 'approve']);
  });
});

describe('AR1: at the same moment', () => {
  it('a claim is either released or refused', async () => {
    for (let round = 0; round < 8; round += 1) {
      fixture = await createProjectFixture(testEnv.services);
      const waiting = await items(testEnv.services, fixture, 3);
      const claims = waiting.map(({ id }) => claim(testEnv.services, fixture.anna, id));
      const next = claimNext(testEnv.services, fixture.ben, {});
      const results = await Promise.allSettled([...claims, next, archive()]);
      for (const result of results)
        if (result.status === 'rejected') expect(['forbidden', 'claim_held']).toContain(codeOf(result.reason));
      const claimed = await testEnv.sql('select id from item where project_id = ? and claimed_by is not null', [
        fixture.projectId,
      ]);
      expect(claimed).toEqual([]);
    }
  });

  it('a submission is either stored or refused, and none after it', async () => {
    const send = () => testEnv.services.intake.submit({ projectId: fixture.projectId, ...submission() });
    const early = Array.from({ length: 12 }, send);
    const archiving = archive();
    const results = await Promise.allSettled([...early, ...Array.from({ length: 12 }, send)]);
    await archiving;
    const stored = results.filter(({ status }) => status === 'fulfilled').length;
    expect(await testEnv.sql('select id from item where project_id = ?', [fixture.projectId])).toHaveLength(stored);
    await expect(send()).rejects.toMatchObject(REFUSED);
  });

  it('archiving waits for a claim that is under way, and releases it', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    const claiming: [string, unknown[]] = [
      `with held as (select role from member where project_id = ? and user_id = ? for share)
       update item set claimed_by = ?, claim_fence = 1, claim_expires_at = now() + interval '1 minute', version = 2
       where id = ? and exists (select 1 from held)`,
      [fixture.projectId, fixture.anna.userId, fixture.anna.userId, id],
    ];
    await withOpenTransaction(testEnv, claiming, async (commit) => {
      const archiving = archive();
      await waitForBlocked(testEnv, 1);
      await commit();
      await archiving;
    });
    expect(await rowOf(testEnv, id)).toMatchObject({ claimed_by: null, claim_expires_at: null, version: 3 });
  });

  it('a claim waits for an archiving that is under way, and is refused', async () => {
    const [{ id = '' } = {}] = await items(testEnv.services, fixture, 2);
    const archiving: [string, unknown[]] = [
      `with shut as (update project set archived_at = now() where id = ?)
       select user_id from member where project_id = ? for update`,
      [fixture.projectId, fixture.projectId],
    ];
    await withOpenTransaction(testEnv, archiving, async (commit) => {
      const claims = [claim(testEnv.services, fixture.anna, id), claimNext(testEnv.services, fixture.ben, {})];
      const outcome = Promise.allSettled(claims);
      await waitForBlocked(testEnv, 2);
      await commit();
      expect(await outcome).toMatchObject([{ reason: { code: 'forbidden' } }, { value: null }]);
    });
    expect(await rowOf(testEnv, id)).toMatchObject({ claimed_by: null, claim_fence: 0 });
  });
});

const codeOf = (error: unknown) => (error as { code?: string }).code;

function submission() {
  const { idempotency: _none, ...input } = aSubmission();
  return {
    actor: { kind: 'api_key' as const, id: fixture.pipeline.keyId, name: 'Pipeline' },
    items: [input],
    idempotency: null,
  };
}
