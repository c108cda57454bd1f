// An archived project: nothing comes in, nothing is handed out, what is decided is finished, and it can be restored (AR1).
import { beforeEach, describe, expect, it } from 'vitest';
import { acceptInvite } from '../../src/usecases/accept-invite.ts';
import { addMember } from '../../src/usecases/add-member.ts';
import { createApiKey, revokeApiKey } from '../../src/usecases/api-keys.ts';
import { changeMember, removeMember } from '../../src/usecases/change-member.ts';
import { changeSettings } from '../../src/usecases/change-settings.ts';
import { claim } from '../../src/usecases/claim.ts';
import { claimNext } from '../../src/usecases/claim-next.ts';
import { decide } from '../../src/usecases/decide.ts';
import { createInboundSource, removeInboundSource } from '../../src/usecases/inbound-sources.ts';
import { createInvite, revokeInvite } from '../../src/usecases/invites.ts';
import { archiveProject, restoreProject } from '../../src/usecases/lifecycle.ts';
import { listProjects, readProject } from '../../src/usecases/queries/list-projects.ts';
import { listQueue } from '../../src/usecases/queries/list-queue.ts';
import { readPublicItem } from '../../src/usecases/queries/read-item.ts';
import { renewClaim } from '../../src/usecases/renew-claim.ts';
import { reopen } from '../../src/usecases/reopen.ts';
import { promoteWebhookSecret, rotateWebhookSecret } from '../../src/usecases/rotate-webhook-secret.ts';
import { takeOver } from '../../src/usecases/take-over.ts';
import { undoDecision } from '../../src/usecases/undo-decision.ts';
import { finalizeOnce } from '../../src/worker/finalize.ts';
import { relayOnce } from '../../src/worker/relay.ts';
import { holding, waiting } from './holding.ts';
import { endLease, ledgerOf, rowOf } from './looking.ts';
import { aDecision, anItem, aPerson, aScene, letIn, aSubmission, items, review, type Scene } from './scene.ts';
import { useServices } from './services.ts';

const world = useServices();
let scene: Scene;

beforeEach(async () => {
  scene = await aScene(world.services);
});

const REFUSED = { code: 'forbidden', extras: {} };
const archive = (who = scene.owner) => archiveProject(world.services, who, scene.projectId);
const restore = (who = scene.owner) => restoreProject(world.services, who, scene.projectId);
const linesOf = (action: string) =>
  world.sql<{ n: number }>('select count(*)::int as n from project_change where project_id = ? and action = ?', [
    scene.projectId,
    action,
  ]);
const view = (who = scene.anna) =>
  listQueue(world.services, who, { projectId: undefined, view: 'all', after: undefined, limit: 50 });

describe('AR1: archiving', () => {
  it('is an owner’s, leaves one line and one fact, and done twice nothing more; restoring alike', async () => {
    for (const change of [archive, restore]) {
      for (const who of [scene.anna, scene.supervisor]) await expect(change(who)).rejects.toMatchObject(REFUSED);
      await expect(change(await aPerson(world.services))).rejects.toMatchObject({ code: 'not_found' });
      await Promise.all([change(), change()]);
    }
    expect([await linesOf('project.archived'), await linesOf('project.restored')]).toEqual([[{ n: 1 }], [{ n: 1 }]]);
    const told = (await ledgerOf(world, scene.projectId)).filter(({ data }) => String(data.changed) === 'archived');
    expect(told).toHaveLength(2);
  });

  it('takes it out of the list of open projects into that of archived ones; it can still be read', async () => {
    const listed = async (archived: boolean) =>
      (await listProjects(world.services, scene.anna, { archived })).rows.map(({ project }) => project.id);
    expect([await listed(false), await listed(true)]).toEqual([[scene.projectId], []]);
    await archive();
    expect([await listed(false), await listed(true)]).toEqual([[], [scene.projectId]]);
    const { project } = await readProject(world.services, scene.anna, scene.projectId);
    expect(project.archivedAt).toBeInstanceOf(Date);
    await restore();
    expect([await listed(false), await listed(true)]).toEqual([[scene.projectId], []]);
  });

  it('gives every claim back at once, live or lapsed, told after the change', async () => {
    const [live, lapsed] = await items(world.services, scene, 2);
    if (!live || !lapsed) throw new Error('Two were asked for.');
    await claim(world.services, scene.anna, live.id);
    await claim(world.services, scene.ben, lapsed.id);
    await endLease(world, lapsed.id);
    await world.sql('update item set claim_expires_at = null where id = ?', [lapsed.id]);
    await archive();
    for (const { id } of [live, lapsed])
      expect(await rowOf(world, id)).toMatchObject({ claimed_by: null, claim_expires_at: null, status: 'queued' });
    const told = (await ledgerOf(world, scene.projectId)).map(({ type }) => type);
    expect(told.slice(-2)).toEqual(['project.changed', 'claim.released']);
    expect(await world.services.claims.holders([live.id])).toEqual(new Map());
    await restore();
    expect(await claim(world.services, scene.ben, live.id)).toMatchObject({ fence: 2 });
  });
});

describe('AR1: while it is archived', () => {
  it('nothing is handed out or decided, in clear words', async () => {
    const [held, free] = await items(world.services, scene, 2);
    const rejected = await anItem(world.services, scene, { confidence: 0.1 });
    if (!held || !free) throw new Error('Two were asked for.');
    const { fence } = await claim(world.services, scene.anna, held.id);
    await archive();
    const mine = { itemId: held.id, fence };
    const words = expect.stringContaining('archived') as string;
    const { projectId, supervisor, anna } = scene;
    for (const attempt of [
      () => claim(world.services, anna, free.id),
      () => takeOver(world.services, supervisor, free.id),
      () => reopen(world.services, supervisor, { itemId: rejected.id, reason: null }),
      () => claimNext(world.services, anna, { projectId }),
      () => decide(world.services, anna, { ...mine, ...aDecision('approve') }),
      () => decide(world.services, anna, { ...mine, ...aDecision('escalate') }),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'forbidden', detail: words });
    }
    await expect(renewClaim(world.services, anna, mine)).rejects.toMatchObject({ code: 'claim_lost' });
    expect(await rowOf(world, held.id)).toMatchObject({ status: 'queued', claimed_by: null });
  });

  it('queues leave it out, and the server picks from the other projects', async () => {
    await anItem(world.services, scene, { riskFlags: ['legal'] });
    const other = await aScene(world.services);
    await letIn(world.services, other, { who: scene.supervisor, role: 'supervisor' });
    const { id } = await anItem(world.services, other);
    expect((await view(scene.supervisor)).counts.all).toBe(2);
    await archive();
    const { items: rows, counts, seqs } = await view(scene.supervisor);
    expect([rows.map((row) => row.id), counts.all]).toEqual([[id], 1]);
    // Its facts are still told to its members, so its place in the ledger is too (QU4).
    expect([...seqs.keys()].sort()).toEqual([other.projectId, scene.projectId].sort());
    expect((await claimNext(world.services, scene.supervisor, {}))?.item.id).toBe(id);
    expect(await claimNext(world.services, scene.supervisor, {})).toBeNull();
    const asked = { projectId: scene.projectId, view: 'all' as const, after: undefined, limit: 50 };
    expect(await listQueue(world.services, scene.supervisor, asked)).toMatchObject({ items: [], counts: { all: 0 } });
  });

  it('no right is given, and every right may be taken away', async () => {
    const { projectId, owner, anna, ben } = scene;
    const guest = await aPerson(world.services);
    const invited = { projectId, role: 'reviewer' as const, address: null, hours: 1 };
    const { invite, token } = await createInvite(world.services, owner, invited);
    const { source } = await createInboundSource(world.services, owner, { projectId, name: 'Mail' });
    await archive();
    const { project } = await readProject(world.services, owner, projectId);
    for (const attempt of [
      () => createApiKey(world.services, owner, { projectId, name: 'Late' }),
      () => createInboundSource(world.services, owner, { projectId, name: 'Late' }),
      () => createInvite(world.services, owner, invited),
      () => addMember(world.services, owner, { projectId, address: guest.address, role: 'owner' }),
      () => changeMember(world.services, owner, { projectId, userId: anna.userId, role: 'owner', name: undefined }),
      () => rotateWebhookSecret(world.services, owner, projectId),
      () => promoteWebhookSecret(world.services, owner, projectId),
      () => {
        const { settingsVersion } = project;
        return changeSettings(world.services, owner, { projectId, settingsVersion, changes: { name: 'Late' } });
      },
    ]) {
      await expect(attempt()).rejects.toMatchObject(REFUSED);
    }
    await expect(acceptInvite(world.services, guest, token)).rejects.toMatchObject({ code: 'not_found' });
    await revokeInvite(world.services, owner, { projectId, inviteId: invite.id });
    await revokeApiKey(world.services, owner, { projectId, keyId: scene.pipeline.keyId });
    await removeInboundSource(world.services, owner, { projectId, sourceId: source.id });
    await removeMember(world.services, owner, { projectId, userId: anna.userId });
    await removeMember(world.services, ben, { projectId, userId: ben.userId });
  });

  it('what is decided is finished: taken back within its window, or final and delivered', async () => {
    const url = { webhook_url: 'http://127.0.0.1:1024/', undo_window_seconds: 30 };
    scene = await aScene(world.services, url);
    const [kept, undone] = await items(world.services, scene, 2);
    if (!kept || !undone) throw new Error('Two were asked for.');
    for (const { id } of [kept, undone]) await review(world.services, scene.anna, { itemId: id, action: 'approve' });
    await archive();
    expect(await undoDecision(world.services, scene.anna, undone.id)).toMatchObject({ status: 'queued' });
    await world.sql('update decision set undo_until = now() - make_interval(secs => 0.001) where item_id = ?', [
      kept.id,
    ]);
    while ((await finalizeOnce(world.services)).again);
    while ((await relayOnce(world.services, world.signals)).again);
    expect(await world.sql('select status from delivery where item_id = ?', [kept.id])).toEqual([
      { status: 'pending' },
    ]);
    const { item, decision } = await readPublicItem(world.services, scene.pipeline, kept.id);
    expect([item.status, decision?.action]).toEqual(['approved', 'approve']);
  });
});

describe('AR1: at the same moment', () => {
  it('a claim is either given back or refused', async () => {
    for (let round = 0; round < 8; round += 1) {
      scene = await aScene(world.services);
      const waiting = await items(world.services, scene, 3);
      const claims = waiting.map(({ id }) => claim(world.services, scene.anna, id));
      const next = claimNext(world.services, scene.ben, {});
      const results = await Promise.allSettled([...claims, next, archive()]);
      for (const result of results)
        if (result.status === 'rejected') expect(['forbidden', 'claim_held']).toContain(codeOf(result.reason));
      const claimed = await world.sql('select id from item where project_id = ? and claimed_by is not null', [
        scene.projectId,
      ]);
      expect(claimed).toEqual([]);
    }
  });

  it('a submission is either stored or refused, and none after it', async () => {
    const send = () => world.services.intake.submit({ projectId: scene.projectId, ...parcel() });
    const early = Array.from({ length: 12 }, send);
    const archiving = archive();
    const results = await Promise.allSettled([...early, ...Array.from({ length: 12 }, send)]);
    await archiving;
    const stored = results.filter(({ status }) => status === 'fulfilled').length;
    expect(await world.sql('select id from item where project_id = ?', [scene.projectId])).toHaveLength(stored);
    await expect(send()).rejects.toMatchObject(REFUSED);
  });

  it('archiving waits for a claim that is under way, and gives it back', async () => {
    const { id } = await anItem(world.services, scene);
    const claiming: [string, unknown[]] = [
      `with held as (select role from member where project_id = ? and user_id = ? for share)
       update item set claimed_by = ?, claim_fence = 1, claim_expires_at = now() + interval '1 minute', version = 2
       where id = ? and exists (select 1 from held)`,
      [scene.projectId, scene.anna.userId, scene.anna.userId, id],
    ];
    await holding(world, claiming, async (commit) => {
      const archiving = archive();
      await waiting(world, 1);
      await commit();
      await archiving;
    });
    expect(await rowOf(world, id)).toMatchObject({ claimed_by: null, claim_expires_at: null, version: 3 });
  });

  it('a claim waits for the archiving that is under way, and is refused', async () => {
    const [{ id = '' } = {}] = await items(world.services, scene, 2);
    const archiving: [string, unknown[]] = [
      `with shut as (update project set archived_at = now() where id = ?)
       select user_id from member where project_id = ? for update`,
      [scene.projectId, scene.projectId],
    ];
    await holding(world, archiving, async (commit) => {
      const claims = [claim(world.services, scene.anna, id), claimNext(world.services, scene.ben, {})];
      const outcome = Promise.allSettled(claims);
      await waiting(world, 2);
      await commit();
      expect(await outcome).toMatchObject([{ reason: { code: 'forbidden' } }, { value: null }]);
    });
    expect(await rowOf(world, id)).toMatchObject({ claimed_by: null, claim_fence: 0 });
  });
});

const codeOf = (error: unknown) => (error as { code?: string }).code;

function parcel() {
  const { idempotency: _none, ...input } = aSubmission();
  return {
    actor: { kind: 'api_key' as const, id: scene.pipeline.keyId, name: 'Pipeline' },
    items: [input],
    once: null,
  };
}
