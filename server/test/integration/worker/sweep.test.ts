// Tests the sweep: expired rows are deleted, others stay.
import { describe, expect, it } from 'vitest';
import { createSession, findSession } from '../../../src/usecases/credentials/sessions.ts';
import { startSignIn } from '../../../src/usecases/credentials/sign-in.ts';
import { submit } from '../../../src/usecases/items/submit.ts';
import { createInvite, revokeInvite, acceptInvite } from '../../../src/usecases/access/invites.ts';
import { deleteProject } from '../../../src/usecases/projects/lifecycle.ts';
import { purgeOnce } from '../../../src/worker/purge.ts';
import { INVITE_RETENTION_MS, KEY_RETENTION_MS, sweepOnce } from '../../../src/worker/sweep.ts';
import { aPerson, createProjectFixture, aSubmission } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';
import { passTime, withClockOff } from '../support/deadline-clock.ts';

const YEAR_MS = 365 * 24 * 60 * 60_000;

describe('the sweep', () => {
  const opened = useServices();

  it('retains an idempotency key for seven days and no longer (I2 holds as long)', async () => {
    const { services } = opened;
    const { pipeline } = await createProjectFixture(services);
    const input = { ...aSubmission(), idempotency: { key: 'kept', bodySha256: 'a'.repeat(64) } };
    const first = await submit(services, pipeline, input);
    await passTime(opened, KEY_RETENTION_MS - 1000);
    await sweepOnce(services);
    const again = await submit(services, pipeline, input);
    expect(again).toMatchObject({ replayed: true, item: { id: first.item.id } });
    await passTime(opened, 2000);
    await sweepOnce(services);
    const resubmitted = await submit(services, pipeline, input);
    expect(resubmitted.replayed).toBe(false);
    expect(resubmitted.item.id).not.toBe(first.item.id);
  });

  it.each([-1, 1])('deletes the same where the clock of the worker is %i years off', async (years) => {
    const { services, clock, sql } = opened;
    await passTime(opened, Date.now() - clock.now().getTime());
    const { owner, pipeline, projectId } = await createProjectFixture(services);
    const { token } = await services.db.write((tx) => createSession(services, tx, owner));
    await createInvite(services, owner, { projectId, role: 'reviewer', address: null, hours: 1 });
    await submit(services, pipeline, { ...aSubmission(), idempotency: { key: 'kept', bodySha256: 'a'.repeat(64) } });
    const counts = async () => {
      const [row] = await sql<object>(
        `select (select count(*)::int from session where id = ?) as sessions,
           (select count(*)::int from invite where project_id = ?) as invites,
           (select count(*)::int from idempotency_key where project_id = ?) as keys`,
        [token.split('.')[0], projectId, projectId],
      );
      return row;
    };
    await sweepOnce(withClockOff(opened, years * YEAR_MS));
    expect(await counts()).toEqual({ sessions: 1, invites: 1, keys: 1 });
    await passTime(opened, INVITE_RETENTION_MS + 60 * 60_000 + 1000);
    await sweepOnce(withClockOff(opened, years * YEAR_MS));
    expect(await counts()).toEqual({ sessions: 0, invites: 0, keys: 0 });
  });

  it('deletes many old keys in batches, which block no request', async () => {
    const { services, clock, sql } = opened;
    const { projectId } = await createProjectFixture(services);
    await sql(
      `insert into idempotency_key (project_id, operation, key, body_sha256, item_ids, created_at)
       select ?, 'submit', 'old-' || n, null, array[]::uuid[], ?::timestamptz from generate_series(1, 5001) n`,
      [projectId, new Date(clock.now().getTime() - KEY_RETENTION_MS - 1000)],
    );
    expect(await sweepOnce(services)).toEqual({ again: true });
    expect(await sweepOnce(services)).toEqual({ again: false });
    expect(await sql('select key from idempotency_key where project_id = ?', [projectId])).toEqual([]);
  });

  it('deletes sessions that ended and challenges that expired', async () => {
    const { services, sql } = opened;
    const { owner } = await createProjectFixture(services);
    const over = await services.db.write((tx) => createSession(services, tx, owner));
    await startSignIn(services);
    await passTime(opened, 13 * 60 * 60_000);
    const fresh = await services.db.write((tx) => createSession(services, tx, owner));
    await sweepOnce(services);
    expect(await findSession(services, fresh.token)).toMatchObject({ userId: owner.userId });
    expect(await sql('select id from session where id = ?', [over.token.split('.')[0]])).toEqual([]);
    expect(await sql('select id from auth_challenge')).toEqual([]);
  });

  it('NO5: deletes reminders of ninety days ago, also those that wait, but none that is being sent', async () => {
    const { services, clock, sql } = opened;
    // The ages below are by the real time, which the tests above have run ahead of.
    await passTime(opened, Date.now() - clock.now().getTime());
    const { projectId } = await createProjectFixture(services);
    const write = (body: string, [status, age, lease]: [string, string, string | null]) =>
      sql(
        `insert into notification_message (id, project_id, kind, url, target, body, status, next_attempt_at, created_at, lease_until)
         values (gen_random_uuid(), ?, 'slack', 'https://chat.example/', '', ?, ?, now(), now() - ?::interval, now() + ?::interval)`,
        [projectId, body, status, age, lease],
      );
    for (const status of ['pending', 'succeeded', 'dead']) {
      await write(`old ${status}`, [status, '91 days', null]);
      await write(`new ${status}`, [status, '60 days', null]);
    }
    await write('old and being sent', ['sending', '91 days', '1 min']);
    await write('old and left by a crash', ['sending', '91 days', '-1 min']);
    await sweepOnce(services);
    const left = await sql<{ body: string }>(
      'select body from notification_message where project_id = ? order by body',
      [projectId],
    );
    expect(left.map(({ body }) => body)).toEqual(['new dead', 'new pending', 'new succeeded', 'old and being sent']);
  });

  it('PM3: deletes an invite a month after it was used, revoked or expired, and none before', async () => {
    const { services, clock, sql } = opened;
    // Invites use the database's time, which the tests above have run ahead of.
    await passTime(opened, Date.now() - clock.now().getTime());
    const { owner, projectId } = await createProjectFixture(services);
    const make = (hours = 24) => createInvite(services, owner, { projectId, role: 'reviewer', address: null, hours });
    const [used, revoked, over, open] = [await make(), await make(), await make(), await make(2 * 30 * 24)];
    await acceptInvite(services, await aPerson(services), used.token);
    await revokeInvite(services, owner, { projectId, inviteId: revoked.invite.id });
    const kept = async () =>
      (await sql<{ id: string }>('select id from invite where project_id = ?', [projectId])).map(({ id }) => id).sort();
    const ids = (...some: { invite: { id: string } }[]) => some.map(({ invite }) => invite.id).sort();
    await passTime(opened, INVITE_RETENTION_MS - 60_000);
    await sweepOnce(services);
    expect(await kept()).toEqual(ids(used, revoked, over, open));
    await passTime(opened, 120_000);
    await sweepOnce(services);
    expect(await kept()).toEqual(ids(over, open));
    await passTime(opened, 24 * 60 * 60_000);
    await sweepOnce(services);
    expect(await kept()).toEqual(ids(open));
  });

  it('deletes many old invites in batches', async () => {
    const { services, clock, sql } = opened;
    const { projectId } = await createProjectFixture(services);
    const past = new Date(clock.now().getTime() - INVITE_RETENTION_MS - 1000);
    await sql(
      `insert into invite (id, project_id, token_hash, role, created_at, expires_at)
       select gen_random_uuid(), ?, 'old-' || n, 'reviewer', ?::timestamptz, ?::timestamptz from generate_series(1, 5001) n`,
      [projectId, past, past],
    );
    expect(await sweepOnce(services)).toEqual({ again: true });
    expect(await sweepOnce(services)).toEqual({ again: false });
    expect(await sql('select id from invite where project_id = ?', [projectId])).toEqual([]);
  });

  it('KE7: retains the change log of a deleted project for a year, and that of an existing one for ever', async () => {
    const { services, clock, sql } = opened;
    await passTime(opened, Date.now() - clock.now().getTime());
    const [gone, there] = [await createProjectFixture(services), await createProjectFixture(services)];
    const lines = async ({ projectId }: { projectId: string }) =>
      (await sql<object>('select 1 from project_change where project_id = ?', [projectId])).length;
    const before = await lines(there);
    await deleteProject(services, gone.owner, gone.projectId);
    await sql('update project set deleted_at = deleted_at - make_interval(days => 1) where id = ?', [gone.projectId]);
    while ((await purgeOnce(services)).again);
    expect(await sql('select 1 from project where id = ?', [gone.projectId])).toEqual([]);
    const kept = await lines(gone);
    expect(kept).toBeGreaterThan(before);
    await passTime(opened, YEAR_MS - 60_000);
    await sweepOnce(services);
    expect(await lines(gone)).toBe(kept);
    await passTime(opened, 120_000);
    await sweepOnce(services);
    expect([await lines(gone), await lines(there)]).toEqual([0, before]);
  });
});
