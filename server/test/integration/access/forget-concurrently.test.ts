// Tests erasing a person during their sign-in, joining or claim: no session, membership or name of theirs is left.
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { readSession } from '@countersign/shared/routes/session';
import { changeAccount } from '../../../src/usecases/access/account.ts';
import { addMember } from '../../../src/usecases/access/add-member.ts';
import { createProject } from '../../../src/usecases/projects/create-project.ts';
import { findTrace, forgetWallet } from '../../../src/usecases/access/forget-wallet.ts';
import { lockRole } from '../../../src/usecases/access/membership.ts';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { lockClaimant } from '../../../src/usecases/claims/claim-limit.ts';
import type { Services } from '../../../src/usecases/services.ts';
import { makeWallet, person, type Person } from '../../client.ts';
import { withOpenTransaction, waitForBlocked } from '../support/blocking-transaction.ts';
import { aPerson, anItem, createProjectFixture, grantRole, type ProjectFixture } from '../support/project-fixture.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let served: Served;
let fixture: ProjectFixture;

beforeAll(async () => void (served = await serve(testEnv.services)));
afterAll(() => served.close());
beforeEach(async () => void (fixture = await createProjectFixture(testEnv.services)));

async function forget(address: string, services: Services = testEnv.services): Promise<void> {
  const trace = await findTrace(services, address);
  if (trace !== null) await forgetWallet(services, address, trace);
}
/** What remains of an erased person. */
const remainingRowsOf = (userId: string) =>
  testEnv.sql<{ sessions: number; memberships: number; address: string }>(
    `select (select count(*)::int from session where user_id = u.id) as sessions,
       (select count(*)::int from member where user_id = u.id) as memberships, address from app_user u where id = ?`,
    [userId],
  );
const nothingOf = (userId: string) => [{ sessions: 0, memberships: 0, address: `forgotten:${userId}` }];

describe('KE6: erasing and signing in at the same moment', () => {
  /** The statements of a sign-in, not committed yet. */
  const signingIn = (address: string): [string, unknown[]] => [
    `with person as (
       insert into app_user (id, address, name, created_at) values (gen_random_uuid(), ?, null, now())
       on conflict (address) do update set name = coalesce(app_user.name, excluded.name) returning id
     ) insert into session (id, user_id, secret_hash, created_at, last_seen_at, expires_at)
       select gen_random_uuid(), id, repeat('0', 64), now(), now(), now() + interval '1 hour' from person`,
    [address],
  ];

  it('the sign-in first: its session ends with the others', async () => {
    const who = await person(served.testEnv);
    await withOpenTransaction(testEnv, signingIn(who.wallet.address), async (commit) => {
      const forgetting = forget(who.wallet.address);
      await waitForBlocked(testEnv, 1);
      await commit();
      await forgetting;
    });
    expect(await remainingRowsOf(who.id)).toEqual(nothingOf(who.id));
    await who.refused('session_missing', readSession);
  });

  it('the erasure first: the sign-in creates a new user', async () => {
    const wallet = makeWallet();
    const who = await person(served.testEnv, wallet);
    const { address } = wallet;
    await addMember(testEnv.services, fixture.owner, { projectId: fixture.projectId, address, role: 'reviewer' });
    // The erasure has reached the offers, and holds the person's row lock.
    const back = await withOpenTransaction(
      testEnv,
      ['select 1 from offer where address = ? for update', [address]],
      async (commit) => {
        const forgetting = forget(address);
        await waitForBlocked(testEnv, 1);
        const again = person(served.testEnv, wallet);
        await waitForBlocked(testEnv, 2);
        await commit();
        await forgetting;
        return again;
      },
    );
    expect(back.id).not.toBe(who.id);
    expect(await remainingRowsOf(who.id)).toEqual(nothingOf(who.id));
    expect(await back.call(readSession)).toMatchObject({ user: { id: back.id, name: null } });
  });
});

describe('KE6: erasing and joining at the same moment', () => {
  it('the membership first: it ends like any other', async () => {
    const who = await aPerson(testEnv.services);
    const membership: [string, unknown[]] = [
      `insert into member (project_id, user_id, role, created_at) values (?, ?, 'reviewer', now())`,
      [fixture.projectId, who.userId],
    ];
    await withOpenTransaction(testEnv, membership, async (commit) => {
      const forgetting = forget(who.address);
      await waitForBlocked(testEnv, 1);
      await commit();
      await forgetting;
    });
    expect(await remainingRowsOf(who.userId)).toEqual(nothingOf(who.userId));
  });

  it('the erasure first: an owner who adds them directly offers a membership to a wallet without a user', async () => {
    const who = await aPerson(testEnv.services);
    const shared = await createProject(testEnv.services, fixture.owner, { name: 'Claims' });
    await grantRole(testEnv.services, { owner: fixture.owner, projectId: shared }, { who });
    await changeAccount(testEnv.services, who, { directAdding: true });
    const other = await createProject(testEnv.services, fixture.owner, { name: 'Parcels' });
    await addMember(testEnv.services, fixture.owner, { projectId: other, address: who.address, role: 'owner' });
    const lateOffer: [string, unknown[]] = ['select 1 from offer where address = ? for update', [who.address]];
    const added = await withOpenTransaction(testEnv, lateOffer, async (commit) => {
      const forgetting = forget(who.address);
      await waitForBlocked(testEnv, 1);
      const { projectId } = fixture;
      const adding = addMember(testEnv.services, fixture.owner, { projectId, address: who.address, role: 'reviewer' });
      await waitForBlocked(testEnv, 2);
      await commit();
      await forgetting;
      return adding;
    });
    expect(added).toMatchObject({ kind: 'offer' });
    expect(await remainingRowsOf(who.userId)).toEqual(nothingOf(who.userId));
  });

  it('A20: a block that comes first refuses the erasure', async () => {
    const who = await aPerson(testEnv.services);
    const blocking: [string, unknown[]] = ['update app_user set blocked_at = now() where id = ?', [who.userId]];
    const outcome = await withOpenTransaction(testEnv, blocking, async (commit) => {
      const forgetting = forget(who.address).catch((error: unknown) => error);
      await waitForBlocked(testEnv, 1);
      await commit();
      return forgetting;
    });
    expect(outcome).toMatchObject({ code: 'forbidden' });
    expect(await remainingRowsOf(who.userId)).toMatchObject([{ address: who.address }]);
  });

  it('PM1: a project created meanwhile prevents the erasure of its last owner', async () => {
    const who = await person(served.testEnv);
    const made = await createProject(testEnv.services, fixture.owner, { name: 'Theirs' });
    const owning: [string, unknown[]] = [
      'update member set user_id = ? where project_id = ? and user_id = ?',
      [who.id, made, fixture.owner.userId],
    ];
    const outcome = await withOpenTransaction(testEnv, owning, async (commit) => {
      const forgetting = forget(who.wallet.address).catch((error: unknown) => error);
      await waitForBlocked(testEnv, 1);
      await commit();
      return forgetting;
    });
    expect(outcome).toMatchObject({ code: 'forbidden' });
    expect(await remainingRowsOf(who.id)).toMatchObject([{ sessions: 1, memberships: 1, address: who.wallet.address }]);
  });
});

describe('KE6: erasing and acting at the same moment', () => {
  /** An event of theirs. */
  const event = ({ id, wallet }: Person, from = '(select 1) once'): [string, unknown[]] => [
    `insert into event (id, project_id, type, item_id, actor, data, created_at)
     select gen_random_uuid(), ?, 'item.claimed', gen_random_uuid(), ?::jsonb, '{"version":2}'::jsonb, now() from ${from}`,
    [fixture.projectId, JSON.stringify({ kind: 'member', id, name: wallet.address })],
  ];
  /** As at the end of a transaction: it locks their session. */
  const acting = (who: Person): [string, unknown[]] => {
    const [statement, values] = event(who, '(select 1 from session where user_id = ? for key share) acting');
    return [statement, [...values, who.id]];
  };
  const namesInEventsOf = async ({ id }: Person) => {
    const rows = await testEnv.sql<{ name: string }>(
      `select distinct actor ->> 'name' as name from event where actor ->> 'id' = ?`,
      [id],
    );
    return rows.map(({ name }) => name);
  };
  const pseudonym = expect.stringMatching(/^Former member [0-9a-f]{8}$/) as string;

  /** Waits until the erasure waits: for a lock, or for those who write to the event log. */
  const waitForForget = () =>
    vi.waitFor(async () => {
      const waiting = await testEnv.sql(
        `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
           and (wait_event_type = 'Lock' or query like '%' || ? || '%')`,
        ['l.virtualtransaction as writer'],
      );
      expect(waiting).not.toEqual([]);
    });

  /** The services of an erasure; `meanwhile` runs once, after it has ended the person’s access. */
  function onceEnded({ id }: Person, meanwhile: () => Promise<void>): Services {
    const { db } = testEnv.services;
    let ran = false;
    const write: typeof db.write = async (work) => {
      const done = await testEnv.sql('select 1 from app_user where id = ? and name like ?', [id, 'Former member%']);
      if (done.length > 0 && !ran) {
        ran = true;
        await meanwhile();
      }
      return db.write(work);
    };
    return { ...testEnv.services, db: { ...db, write } };
  }

  it('renames an event that commits after one with a higher position', async () => {
    const who = await person(served.testEnv);
    await withOpenTransaction(testEnv, acting(who), async (commit) => {
      await anItem(testEnv.services, fixture);
      const forgetting = forget(who.wallet.address);
      await waitForForget();
      await commit();
      await forgetting;
    });
    expect(await namesInEventsOf(who)).toEqual([pseudonym]);
  });

  it('a run that is cut off after it ended the person’s access is resumed, and forgets nobody who signed in since', async () => {
    const wallet = makeWallet();
    const who = await person(served.testEnv, wallet);
    const cutOff = onceEnded(who, async () => {
      await testEnv.sql(...event(who));
      throw new Error('cut off');
    });
    await expect(forget(wallet.address, cutOff)).rejects.toThrow('cut off');
    const back = await person(served.testEnv, wallet);
    expect(back.id).not.toBe(who.id);
    expect(await findTrace(testEnv.services, wallet.address)).toMatchObject({ userId: who.id, unfinished: true });
    await forget(wallet.address);
    expect(await namesInEventsOf(who)).toEqual([pseudonym]);
    expect(await remainingRowsOf(who.id)).toEqual(nothingOf(who.id));
    expect(await findTrace(testEnv.services, wallet.address)).toMatchObject({ userId: back.id, unfinished: false });
    await back.call(readSession);
  });

  it('is repeated when a claim of theirs makes it the victim of a deadlock', async () => {
    const { anna, projectId } = fixture;
    await claim(testEnv.services, anna, (await anItem(testEnv.services, fixture)).id);
    const other = await testEnv.another();
    const { promise: forgetWaits, resolve: goOn } = Promise.withResolvers<undefined>();
    const { promise: holdsPerson, resolve: held } = Promise.withResolvers<undefined>();
    // As a claim does: the person first, then the role. Only the erasure looks for deadlocks, so the database ends that transaction.
    const claiming = other.services.db.write(async ({ em }) => {
      await em.execute(`set local deadlock_timeout = '1min'`);
      await lockClaimant(em, anna.userId);
      held(undefined);
      await forgetWaits;
      return lockRole(em, anna.userId, projectId);
    });
    await holdsPerson;
    const forgetting = forget(anna.address);
    await waitForBlocked(testEnv, 1);
    goOn(undefined);
    expect(await claiming).toBe('reviewer');
    await forgetting;
    await other.close();
    expect(await remainingRowsOf(anna.userId)).toEqual(nothingOf(anna.userId));
  });
});
