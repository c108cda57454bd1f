// Tests a deleted project: 404 at once for everybody, as for one that never existed, and nothing more is sent (AR2).
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acceptInvite, createInvite } from '../../../src/usecases/access/invites.ts';
import { createApiKey } from '../../../src/usecases/credentials/api-keys.ts';
import { checkApiKey } from '../../../src/usecases/credentials/check-api-key.ts';
import { changeSettings } from '../../../src/usecases/projects/change-settings.ts';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { decide } from '../../../src/usecases/decisions/decide.ts';
import { archiveProject, deleteProject, restoreProject } from '../../../src/usecases/projects/lifecycle.ts';
import { listProjects } from '../../../src/usecases/projects/list-projects.ts';
import { readContents } from '../../../src/usecases/projects/read-contents.ts';
import type { Services } from '../../../src/usecases/services.ts';
import { createDeliverer } from '../../../src/delivery/deliver.ts';
import { finalizeOnce } from '../../../src/worker/finalize.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import { closeReceivers, httpReceiver } from '../../fixtures/receivers.ts';
import { withOpenTransaction, waitForBlocked } from '../support/blocking-transaction.ts';
import { eventLogOf } from '../support/database-helpers.ts';
import {
  aDecision,
  anItem,
  aPerson,
  createProjectFixture,
  items,
  review,
  type ProjectFixture,
} from '../support/project-fixture.ts';
import { POLICY, useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;
let got: number;

beforeEach(async () => {
  got = 0;
  const { port } = await httpReceiver((_request, response) => {
    got += 1;
    response.end();
  });
  fixture = await createProjectFixture(testEnv.services, { webhook_url: `http://127.0.0.1:${port}/` });
});
afterEach(() => closeReceivers());

const NOT_FOUND = { code: 'not_found' };
const remove = (who = fixture.owner) => deleteProject(testEnv.services, who, fixture.projectId);
const relay = async () => {
  while ((await relayOnce(testEnv.services, testEnv.signals)).again);
};
const deliveries = () =>
  testEnv.sql<{ status: string }>('select status from delivery where project_id = ? order by created_at', [
    fixture.projectId,
  ]);

async function deliver(services: Services = testEnv.services): Promise<void> {
  const deliverer = createDeliverer(services, POLICY);
  await deliverer.runOnce();
  await deliverer.drain();
}

/** Decided items of the project; their deliveries are pending where the decisions are final. */
async function decided(count: number): Promise<void> {
  for (const { id } of await items(testEnv.services, fixture, count))
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'reject' });
  await relay();
}

describe('AR2: deleting', () => {
  it('is for owners; a stranger gets 404, and afterwards everybody does', async () => {
    for (const who of [fixture.anna, fixture.supervisor])
      await expect(remove(who)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(remove(await aPerson(testEnv.services))).rejects.toMatchObject(NOT_FOUND);
    await remove();
    for (const change of [deleteProject, archiveProject, restoreProject, readContents])
      await expect(change(testEnv.services, fixture.owner, fixture.projectId)).rejects.toMatchObject(NOT_FOUND);
    for (const archived of [true, false]) {
      const { rows: listed } = await listProjects(testEnv.services, fixture.owner, { archived });
      expect(listed.map(({ project }) => project.id)).not.toContain(fixture.projectId);
    }
  });

  it('lists the contents before, and records them in the change log', async () => {
    await decided(2);
    await items(testEnv.services, fixture, 3);
    const invited = { projectId: fixture.projectId, role: 'reviewer' as const, address: null, hours: 1 };
    await createInvite(testEnv.services, fixture.owner, invited);
    const contents = await readContents(testEnv.services, fixture.owner, fixture.projectId);
    expect(contents).toEqual({
      ...{ items: 5, waiting: 3, provisional: 0, decisions: 2, learnings: 2, deliveries: 2, undelivered: 2 },
      ...{ members: 4, api_keys: 1, inbound_sources: 0, invites: 1 },
    });
    await remove();
    const [line] = await testEnv.sql(
      `select subject, before, changed_by_name from project_change where project_id = ? and action = 'project.deleted'`,
      [fixture.projectId],
    );
    expect(line).toEqual({ subject: 'Refunds', before: contents, changed_by_name: 'Olga' });
  });

  it('I8: is published with the members, before the events of everything it ends', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await claim(testEnv.services, fixture.anna, id);
    await remove();
    const told = (await eventLogOf(testEnv, fixture.projectId)).slice(-2);
    expect(told.map(({ type }) => type)).toEqual(['project.changed', 'claim.released']);
    expect(told[0]?.data.changed).toContain('members');
    expect(await testEnv.services.claims.holders([id])).toEqual(new Map());
  });

  it('K4: makes its keys and its invites unknown', async () => {
    const invited = { projectId: fixture.projectId, role: 'reviewer' as const, address: null, hours: 1 };
    const { token } = await createInvite(testEnv.services, fixture.owner, invited);
    await checkApiKey(testEnv.services, fixture.apiKey);
    await remove();
    await expect(checkApiKey(testEnv.services, fixture.apiKey)).rejects.toMatchObject({ code: 'api_key_invalid' });
    const guest = await aPerson(testEnv.services);
    const refusal = (text: string) => acceptInvite(testEnv.services, guest, text).catch((error: unknown) => error);
    expect(await refusal(token)).toEqual(await refusal('A'.repeat(43)));
    const intakeLocks = await testEnv.sql(
      `select (select count(*)::int from api_key where project_id = p.id and revoked_at is null) as keys,
         (select count(*)::int from member where project_id = p.id) as members, webhook_url from project p where id = ?`,
      [fixture.projectId],
    );
    expect(intakeLocks).toEqual([{ keys: 0, members: 0, webhook_url: null }]);
  });
});

describe('AR2: after deleting, nothing more is sent', () => {
  it('deleting a project cancels pending deliveries', async () => {
    await decided(2);
    await testEnv.sql(
      `update delivery set status = 'paused' where id = (select min(id::text)::uuid from delivery where project_id = ?)`,
      [fixture.projectId],
    );
    await remove();
    await deliver();
    expect(got).toBe(0);
    expect(await deliveries()).not.toContainEqual({ status: 'sending' });
  });

  it('sends nothing of decisions that were not final yet', async () => {
    await testEnv.sql('update project set undo_window_seconds = 30 where id = ?', [fixture.projectId]);
    await decided(1);
    await remove();
    await testEnv.sql('update decision set undo_until = now() - make_interval(secs => 0.001) where project_id = ?', [
      fixture.projectId,
    ]);
    while ((await finalizeOnce(testEnv.services)).again);
    await relay();
    await deliver();
    expect([await deliveries(), got]).toEqual([[], 0]);
  });

  it('sends nothing of final decisions that were not yet in the event log', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
    await remove();
    await relay();
    expect(await deliveries()).toEqual([]);
  });

  it('sends nothing of a delivery that a worker had just leased', async () => {
    await decided(1);
    const { db } = testEnv.services;
    const statement: typeof db.statement = async (work) => {
      const leased = await db.statement(work);
      if ((await deliveries()).some(({ status }) => status === 'sending')) await remove();
      return leased;
    };
    await deliver({ ...testEnv.services, db: { ...db, statement } });
    expect([await deliveries(), got]).toEqual([[{ status: 'cancelled' }], 0]);
  });

  it('records an attempt in progress at its end, and its delivery stays cancelled', async () => {
    await decided(1);
    const { port } = await httpReceiver((_request, response) => {
      void remove().then(() => response.writeHead(503).end());
    });
    await testEnv.sql('update project set webhook_url = ? where id = ?', [
      `http://127.0.0.1:${port}/`,
      fixture.projectId,
    ]);
    await deliver();
    expect(await deliveries()).toEqual([{ status: 'cancelled' }]);
    const tried = 'select a.error from attempt a join delivery d on d.id = a.delivery_id where d.project_id = ?';
    expect(await testEnv.sql(tried, [fixture.projectId])).toEqual([{ error: 'lease_lost' }]);
  });
});

describe('AR2: at the same moment', () => {
  it('lets one of two deletions succeed, which writes one entry', async () => {
    await testEnv.sql(`update member set role = 'owner' where project_id = ?`, [fixture.projectId]);
    const results = await Promise.allSettled([remove(), remove(fixture.anna)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: NOT_FOUND });
    const lines = `select 1 from project_change where project_id = ? and action = 'project.deleted'`;
    expect(await testEnv.sql(lines, [fixture.projectId])).toHaveLength(1);
  });

  it('a decision is stored, or the item is gone; no claim is left and nothing is sent', async () => {
    for (let round = 0; round < 6; round += 1) {
      fixture = await createProjectFixture(testEnv.services, { webhook_url: 'http://127.0.0.1:1024/' });
      const [held, free] = await items(testEnv.services, fixture, 2);
      if (!held || !free) throw new Error('Two were asked for.');
      const { fence } = await claim(testEnv.services, fixture.anna, held.id);
      const deciding = { itemId: held.id, fence, ...aDecision('approve') };
      const results = await Promise.allSettled([
        decide(testEnv.services, fixture.anna, deciding),
        claim(testEnv.services, fixture.ben, free.id),
        relay(),
        remove(),
      ]);
      for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject(NOT_FOUND);
      await relay();
      const left = 'select id from item where project_id = ? and claimed_by is not null';
      expect(await testEnv.sql(left, [fixture.projectId])).toEqual([]);
      await deliver();
      expect(
        await testEnv.sql('select 1 from attempt a join delivery d on d.id = a.delivery_id where d.project_id = ?', [
          fixture.projectId,
        ]),
      ).toEqual([]);
    }
  });

  it('no key and no webhook URL can be added after it', async () => {
    const { projectId, owner } = fixture;
    const deleting: [string, unknown[]] = [
      `with out as (delete from member where project_id = ?)
       update project set deleted_at = now(), archived_at = now(), webhook_url = null where id = ?`,
      [projectId, projectId],
    ];
    await withOpenTransaction(testEnv, deleting, async (commit) => {
      const changes = { webhook_url: 'http://127.0.0.1:1025/' };
      const late = Promise.allSettled([
        createApiKey(testEnv.services, owner, { projectId, name: 'Late' }),
        changeSettings(testEnv.services, owner, { projectId, settingsVersion: 1, changes }),
      ]);
      await waitForBlocked(testEnv, 2);
      await commit();
      expect(await late).toMatchObject([{ reason: NOT_FOUND }, { reason: NOT_FOUND }]);
    });
    expect(await testEnv.sql(`select id from api_key where project_id = ? and name = 'Late'`, [projectId])).toEqual([]);
  });

  it('a delivery that the relay was just writing is not sent', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    const relaying: [string, unknown[]] = [
      `with numbered as (update project set event_seq = event_seq + 1 where id = ? returning id)
       insert into delivery (id, project_id, item_id, webhook_id, seq, body, status, attempt, next_attempt_at, created_at)
       select gen_random_uuid(), id, ?, ?, 1, '{}', 'pending', 0, now(), now() from numbered`,
      [fixture.projectId, id, `evt_${randomUUID()}`],
    ];
    await withOpenTransaction(testEnv, relaying, async (commit) => {
      const removing = remove();
      await waitForBlocked(testEnv, 1);
      await commit();
      await removing;
    });
    await deliver();
    expect([await deliveries(), got]).toEqual([[{ status: 'pending' }], 0]);
  });
});
