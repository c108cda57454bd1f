// A deleted project: gone at once for everybody, with the answer of what never was, and nothing of it is sent any more (AR2).
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acceptInvite } from '../../src/usecases/accept-invite.ts';
import { createApiKey } from '../../src/usecases/api-keys.ts';
import { checkApiKey } from '../../src/usecases/check-api-key.ts';
import { changeSettings } from '../../src/usecases/change-settings.ts';
import { claim } from '../../src/usecases/claim.ts';
import { decide } from '../../src/usecases/decide.ts';
import { createInvite } from '../../src/usecases/invites.ts';
import { archiveProject, deleteProject, restoreProject } from '../../src/usecases/lifecycle.ts';
import { listProjects } from '../../src/usecases/queries/list-projects.ts';
import { readContents } from '../../src/usecases/queries/read-contents.ts';
import type { Services } from '../../src/usecases/services.ts';
import { createDeliverer } from '../../src/worker/deliver.ts';
import { finalizeOnce } from '../../src/worker/finalize.ts';
import { relayOnce } from '../../src/worker/relay.ts';
import { closeReceivers, httpReceiver } from '../fixtures/receivers.ts';
import { holding, waiting } from './holding.ts';
import { ledgerOf } from './looking.ts';
import { aDecision, anItem, aPerson, aScene, items, review, type Scene } from './scene.ts';
import { POLICY, useServices } from './services.ts';

const world = useServices();
let scene: Scene;
let got: number;

beforeEach(async () => {
  got = 0;
  const { port } = await httpReceiver((_request, response) => {
    got += 1;
    response.end();
  });
  scene = await aScene(world.services, { webhook_url: `http://127.0.0.1:${port}/` });
});
afterEach(() => closeReceivers());

const NOT_FOUND = { code: 'not_found' };
const remove = (who = scene.owner) => deleteProject(world.services, who, scene.projectId);
const relay = async () => {
  while ((await relayOnce(world.services, world.signals)).again);
};
const deliveries = () =>
  world.sql<{ status: string }>('select status from delivery where project_id = ? order by created_at', [
    scene.projectId,
  ]);

async function deliver(services: Services = world.services): Promise<void> {
  const deliverer = createDeliverer(services, POLICY);
  await deliverer.runOnce();
  await deliverer.drain();
}

/** Decided items of the project; their deliveries wait where the decisions are final. */
async function decided(count: number): Promise<void> {
  for (const { id } of await items(world.services, scene, count))
    await review(world.services, scene.anna, { itemId: id, action: 'reject' });
  await relay();
}

describe('AR2: deleting', () => {
  it('is an owner’s; to a stranger there is nothing, and afterwards to nobody', async () => {
    for (const who of [scene.anna, scene.supervisor])
      await expect(remove(who)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(remove(await aPerson(world.services))).rejects.toMatchObject(NOT_FOUND);
    await remove();
    for (const change of [deleteProject, archiveProject, restoreProject, readContents])
      await expect(change(world.services, scene.owner, scene.projectId)).rejects.toMatchObject(NOT_FOUND);
    for (const archived of [true, false]) {
      const { rows: listed } = await listProjects(world.services, scene.owner, { archived });
      expect(listed.map(({ project }) => project.id)).not.toContain(scene.projectId);
    }
  });

  it('says before what there is, and keeps it in the change log', async () => {
    await decided(2);
    await items(world.services, scene, 3);
    const invited = { projectId: scene.projectId, role: 'reviewer' as const, address: null, hours: 1 };
    await createInvite(world.services, scene.owner, invited);
    const contents = await readContents(world.services, scene.owner, scene.projectId);
    expect(contents).toEqual({
      ...{ items: 5, waiting: 3, provisional: 0, decisions: 2, learnings: 2, deliveries: 2, undelivered: 2 },
      ...{ members: 4, api_keys: 1, inbound_sources: 0, invites: 1 },
    });
    await remove();
    const [line] = await world.sql(
      `select subject, before, changed_by_name from project_change where project_id = ? and action = 'project.deleted'`,
      [scene.projectId],
    );
    expect(line).toEqual({ subject: 'Refunds', before: contents, changed_by_name: 'Olga' });
  });

  it('I8: is told with the members, before anything else that it ends', async () => {
    const { id } = await anItem(world.services, scene);
    await claim(world.services, scene.anna, id);
    await remove();
    const told = (await ledgerOf(world, scene.projectId)).slice(-2);
    expect(told.map(({ type }) => type)).toEqual(['project.changed', 'claim.released']);
    expect(told[0]?.data.changed).toContain('members');
    expect(await world.services.claims.holders([id])).toEqual(new Map());
  });

  it('K4: its keys and its invites are what never was', async () => {
    const invited = { projectId: scene.projectId, role: 'reviewer' as const, address: null, hours: 1 };
    const { token } = await createInvite(world.services, scene.owner, invited);
    await checkApiKey(world.services, scene.apiKey);
    await remove();
    await expect(checkApiKey(world.services, scene.apiKey)).rejects.toMatchObject({ code: 'api_key_invalid' });
    const guest = await aPerson(world.services);
    const refusal = (text: string) => acceptInvite(world.services, guest, text).catch((error: unknown) => error);
    expect(await refusal(token)).toEqual(await refusal('A'.repeat(43)));
    const doors = await world.sql(
      `select (select count(*)::int from api_key where project_id = p.id and revoked_at is null) as keys,
         (select count(*)::int from member where project_id = p.id) as members, webhook_url from project p where id = ?`,
      [scene.projectId],
    );
    expect(doors).toEqual([{ keys: 0, members: 0, webhook_url: null }]);
  });
});

describe('AR2: nothing is sent any more', () => {
  it('of what waited to be delivered', async () => {
    await decided(2);
    await world.sql(
      `update delivery set status = 'paused' where id = (select min(id::text)::uuid from delivery where project_id = ?)`,
      [scene.projectId],
    );
    await remove();
    await deliver();
    expect(got).toBe(0);
    expect(await deliveries()).not.toContainEqual({ status: 'sending' });
  });

  it('of what was decided and not final yet', async () => {
    await world.sql('update project set undo_window_seconds = 30 where id = ?', [scene.projectId]);
    await decided(1);
    await remove();
    await world.sql('update decision set undo_until = now() - make_interval(secs => 0.001) where project_id = ?', [
      scene.projectId,
    ]);
    while ((await finalizeOnce(world.services)).again);
    await relay();
    await deliver();
    expect([await deliveries(), got]).toEqual([[], 0]);
  });

  it('of what was final and not yet in the ledger', async () => {
    const { id } = await anItem(world.services, scene);
    await review(world.services, scene.anna, { itemId: id, action: 'approve' });
    await remove();
    await relay();
    expect(await deliveries()).toEqual([]);
  });

  it('of what a worker had just taken to send', async () => {
    await decided(1);
    const { db } = world.services;
    const statement: typeof db.statement = async (work) => {
      const leased = await db.statement(work);
      if ((await deliveries()).some(({ status }) => status === 'sending')) await remove();
      return leased;
    };
    await deliver({ ...world.services, db: { ...db, statement } });
    expect([await deliveries(), got]).toEqual([[{ status: 'cancelled' }], 0]);
  });

  it('and what was on its way when it ended is recorded, and stays cancelled', async () => {
    await decided(1);
    const { port } = await httpReceiver((_request, response) => {
      void remove().then(() => response.writeHead(503).end());
    });
    await world.sql('update project set webhook_url = ? where id = ?', [`http://127.0.0.1:${port}/`, scene.projectId]);
    await deliver();
    expect(await deliveries()).toEqual([{ status: 'cancelled' }]);
    const tried = 'select a.error from attempt a join delivery d on d.id = a.delivery_id where d.project_id = ?';
    expect(await world.sql(tried, [scene.projectId])).toEqual([{ error: 'lease_lost' }]);
  });
});

describe('AR2: at the same moment', () => {
  it('of two who delete it one does, and one line says so', async () => {
    await world.sql(`update member set role = 'owner' where project_id = ?`, [scene.projectId]);
    const results = await Promise.allSettled([remove(), remove(scene.anna)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: NOT_FOUND });
    const lines = `select 1 from project_change where project_id = ? and action = 'project.deleted'`;
    expect(await world.sql(lines, [scene.projectId])).toHaveLength(1);
  });

  it('a decision is made, or there is nothing to decide; no claim is left and nothing is sent', async () => {
    for (let round = 0; round < 6; round += 1) {
      scene = await aScene(world.services, { webhook_url: 'http://127.0.0.1:1024/' });
      const [held, free] = await items(world.services, scene, 2);
      if (!held || !free) throw new Error('Two were asked for.');
      const { fence } = await claim(world.services, scene.anna, held.id);
      const deciding = { itemId: held.id, fence, ...aDecision('approve') };
      const results = await Promise.allSettled([
        decide(world.services, scene.anna, deciding),
        claim(world.services, scene.ben, free.id),
        relay(),
        remove(),
      ]);
      for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject(NOT_FOUND);
      await relay();
      const left = 'select id from item where project_id = ? and claimed_by is not null';
      expect(await world.sql(left, [scene.projectId])).toEqual([]);
      await deliver();
      expect(
        await world.sql('select 1 from attempt a join delivery d on d.id = a.delivery_id where d.project_id = ?', [
          scene.projectId,
        ]),
      ).toEqual([]);
    }
  });

  it('no key, and no webhook URL, slips in behind it', async () => {
    const { projectId, owner } = scene;
    const deleting: [string, unknown[]] = [
      `with out as (delete from member where project_id = ?)
       update project set deleted_at = now(), archived_at = now(), webhook_url = null where id = ?`,
      [projectId, projectId],
    ];
    await holding(world, deleting, async (commit) => {
      const changes = { webhook_url: 'http://127.0.0.1:1025/' };
      const late = Promise.allSettled([
        createApiKey(world.services, owner, { projectId, name: 'Late' }),
        changeSettings(world.services, owner, { projectId, settingsVersion: 1, changes }),
      ]);
      await waiting(world, 2);
      await commit();
      expect(await late).toMatchObject([{ reason: NOT_FOUND }, { reason: NOT_FOUND }]);
    });
    expect(await world.sql(`select id from api_key where project_id = ? and name = 'Late'`, [projectId])).toEqual([]);
  });

  it('a delivery that the relay was just writing goes nowhere', async () => {
    const { id } = await anItem(world.services, scene);
    const relaying: [string, unknown[]] = [
      `with stamped as (update project set event_seq = event_seq + 1 where id = ? returning id)
       insert into delivery (id, project_id, item_id, webhook_id, seq, body, status, attempt, next_attempt_at, created_at)
       select gen_random_uuid(), id, ?, ?, 1, '{}', 'pending', 0, now(), now() from stamped`,
      [scene.projectId, id, `evt_${randomUUID()}`],
    ];
    await holding(world, relaying, async (commit) => {
      const removing = remove();
      await waiting(world, 1);
      await commit();
      await removing;
    });
    await deliver();
    expect([await deliveries(), got]).toEqual([[{ status: 'pending' }], 0]);
  });
});
