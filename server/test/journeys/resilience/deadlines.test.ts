// Tests deadlines under kill -9 of random processes and live work: each item ends once, and is told once (DL4).
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ItemStatus, OnDeadline } from '@countersign/shared/enums';
import { submitBatch, withdrawItem } from '@countersign/shared/routes/public';
import { claimItem, decideItem } from '@countersign/shared/routes/queue';
import { aSubmission, join, openProject, type OpenProject, review, setUndoWindow } from '../../builders.ts';
import { people, type Person } from '../../client.ts';
import { seeded } from '../../fixtures/seeded-random.ts';
import { setDeadlineClock } from '../../integration/support/deadline-clock.ts';
import { type Receiver, startReceiver } from '../../receiver.ts';
import { expectInvariants, runScript } from '../../run-script.ts';
import { scaled, SOAK } from '../../soak.ts';
import { WITH_REDIS, useTestEnvironment } from '../../test-environment.ts';
import { act, nothingNoted, type Noted } from './deadline-actors.ts';
import { endOldLeases, endUndoWindows } from './expire-leases.ts';

const ITEMS = scaled(300, 10_000);
const BATCH = 500;
const KILLS = scaled(2, 40);
const WEB = 2;
const ROLES = ['web', 'web', 'worker', 'worker', 'worker'];
/** Deadlines are spread over two minutes, from this many seconds on. In the short round the clock is moved over them. */
const FIRST_SECONDS = scaled(600, 30);
const SPREAD_SECONDS = 120;
/** The last kill is before the last deadlines: those say how late a deadline is without kills. */
const KILLED_SHARE = 0.8;
const WAIT = { timeout: scaled(60, 600) * 1000, interval: 100 };
const OPEN = `status in ('queued', 'escalated')`;

/** Waits until this is read. Unlike `expect.poll` it also runs before the tests. */
const becomes = (read: () => Promise<unknown>, wanted: unknown) =>
  vi.waitFor(async () => expect(await read()).toEqual(wanted), WAIT);

/** One that escalates has the same span again, so only the first ones do. */
function deadlineOf(random: () => number): { deadline_seconds: number; on_deadline: OnDeadline } {
  const offset = Math.floor(random() * SPREAD_SECONDS);
  const drawn = random();
  const ends = drawn < 0.6 ? 'expire' : 'reject';
  return {
    deadline_seconds: FIRST_SECONDS + offset,
    on_deadline: drawn > 0.8 && offset < SPREAD_SECONDS / 4 ? 'escalate' : ends,
  };
}

describe.runIf(WITH_REDIS)(`${ITEMS} deadlines, and kills of random processes`, () => {
  const testEnv = useTestEnvironment({ roles: ROLES });
  const random = seeded(30);
  const noted = nothingNoted();
  let receiver: Receiver;
  let project: OpenProject;
  let reviewers: Person[];
  let ids: string[];
  let kills = 0;
  /** In ms since the epoch. */
  let lastKill: number;

  beforeAll(
    async () => {
      const [owner, ...others] = (await people(testEnv, 7)) as [Person, ...Person[]];
      reviewers = others;
      receiver = await startReceiver();
      project = await openProject(owner, { receiver });
      await setUndoWindow(project, 3);
      for (const [n, one] of reviewers.entries()) await join(project, one, n % 2 === 0 ? 'supervisor' : 'reviewer');
      await storm();
    },
    scaled(120, 1200) * 1000,
  );
  afterAll(() => receiver.close());

  async function submitAll(): Promise<string[]> {
    const made: string[] = [];
    while (made.length < ITEMS) {
      const items = Array.from({ length: Math.min(BATCH, ITEMS - made.length) }, () => {
        return { project_id: project.id, ...aSubmission(deadlineOf(random)) };
      });
      const { results } = await project.pipeline.call(submitBatch, { body: { items } });
      made.push(...results.map((one) => ('id' in one ? one.id : one.error.detail)));
    }
    return made;
  }

  /** The first and the last deadline, in ms since the epoch. */
  async function span(chosen: readonly string[]): Promise<[first: number, last: number]> {
    const ms = (of: string) => `(extract(epoch from ${of}(deadline)) * 1000)::float8`;
    const [row] = await testEnv.sql<{ first: number; last: number }>(
      `select ${ms('min')} as first, ${ms('max')} as last from item where id = any($1)`,
      [chosen],
    );
    return [row?.first ?? 0, row?.last ?? 0];
  }

  /** Waits until it is `ms` by the clock of deadlines; in the short round the clock is set. */
  async function untilClock(ms: number): Promise<void> {
    if (!SOAK) return setDeadlineClock(testEnv, (ms - Date.now()) / 1000);
    const reached = () =>
      testEnv.sql(`select 1 where deadline_clock() >= to_timestamp($1)`, [ms / 1000]).then(({ length }) => length);
    await becomes(reached, 1);
  }

  /** Returns when the last one was over, in ms. A slow machine has time for fewer. */
  async function killAtRandom(first: number, last: number): Promise<number> {
    const share = (of: number) => first + (last - first) * of;
    for (let kill = 1; kill <= KILLS && !(SOAK && Date.now() > share(KILLED_SHARE)); kill += 1) {
      await untilClock(share((KILLED_SHARE * kill) / KILLS));
      kills += 1;
      const process = Math.floor(random() * ROLES.length);
      await testEnv.kill9(process);
      await testEnv.restart(process);
      await endOldLeases(testEnv);
    }
    return Date.now();
  }

  const count = async (condition: string, from = 'item') => {
    const rows = await testEnv.sql<{ n: string }>(`select count(*) as n from ${from} where ${condition}`);
    return Number(rows[0]?.n);
  };

  /** What escalated has a second deadline, which the clock of the short round must reach too. */
  async function endAll(): Promise<void> {
    if (!SOAK) await untilClock(Date.now() + (FIRST_SECONDS + 2 * SPREAD_SECONDS) * 1000);
    await becomes(() => count(`${OPEN} and on_deadline <> 'expire'`), 0);
    if (!SOAK) await untilClock(Date.now() + 10 * (FIRST_SECONDS + SPREAD_SECONDS) * 1000);
    await becomes(() => count(OPEN), 0);
    await endUndoWindows(testEnv);
    await becomes(() => count('public_status is not null'), 0);
    const left = async () => {
      await endOldLeases(testEnv);
      return [await count('seq is null', 'event'), await count(`status <> 'succeeded'`, 'delivery')];
    };
    await becomes(left, [0, 0]);
  }

  /** One is decided, one withdrawn and one refused as late, besides those that are drawn; their deadlines pass. */
  async function noteOneOfEach(): Promise<string[]> {
    const [me] = reviewers as [Person, ...Person[]];
    const submit = async () => (await project.pipeline.submit(aSubmission({ deadline_seconds: 3600 }))).id;
    const [decided, withdrawn, late] = [await submit(), await submit(), await submit()];
    await review(me, decided);
    noted.decided.set(decided, me);
    await project.pipeline.call(withdrawItem, { params: { id: withdrawn }, body: {} });
    noted.withdrawn.add(withdrawn);
    const params = { id: late };
    const { fence } = await me.call(claimItem, { params });
    const each = [decided, withdrawn, late];
    await testEnv.sql('update item set deadline = deadline_clock() where id = any($1)', [each]);
    const refused = await me.attempt(decideItem, { params, body: { fence, action: 'approve' } });
    expect(refused).toMatchObject({ ok: false, problem: { code: 'expired' } });
    noted.late.add(late);
    return each;
  }

  /** Everything happens here; the tests say what came of it. Returns when every item has ended. */
  async function storm(): Promise<void> {
    const certain = await noteOneOfEach();
    const chosen = await submitAll();
    ids = [...certain, ...chosen];
    const [first, last] = await span(chosen);
    const over = new AbortController();
    const actors = reviewers.map((me, n) =>
      act({ project, me, ids: chosen, random: seeded(n), noted, processes: WEB }, over.signal),
    );
    const acting = Promise.all(actors);
    // One with a wrong answer ends the others; the test fails where it waits for all.
    acting.catch(() => over.abort());
    lastKill = await killAtRandom(first, last);
    await untilClock(last);
    over.abort();
    await acting;
    await endAll();
  }

  /** By the clock of the database. What an undo ended was decided at its deadline (DL3). */
  it.runIf(SOAK)('almost every one within five seconds of its deadline, once the kills are over', async () => {
    const rows = await testEnv.sql<{ late: number; due: number }>(
      `select extract(epoch from i.expired_at - i.deadline)::float8 as late, (extract(epoch from i.deadline) * 1000)::float8 as due
       from item i where i.expired_at is not null and not exists (
         select 1 from event e where e.item_id = i.id and e.type = 'item.undone' and e.created_at > i.deadline) order by 1`,
    );
    const after = rows.filter(({ due }) => due > lastKill);
    process.stdout.write(`${describeLateness('all', rows)}\n${describeLateness('after the last kill', after)}\n`);
    process.stdout.write(`${kills} kills; ${describeNoted(noted)}\n`);
    expect(after.length).toBeGreaterThan(0);
    expect(atShare(after, 0.99)).toBeLessThan(5);
  });

  interface Ended {
    id: string;
    status: ItemStatus;
    expired: boolean;
    told: string[];
  }

  it('every item ends once: in one status, by one event, with what was answered', async () => {
    const rows = await testEnv.sql<Ended>(
      `select i.id, i.status, i.expired_at is not null as expired,
         array(select e.type from event e where e.item_id = i.id and e.type in ('item.finalized', 'item.expired', 'item.withdrawn')) as told
       from item i`,
    );
    expect(rows.map(({ id }) => id).sort()).toEqual([...ids].sort());
    const wrong = rows.filter((row) => row.told.length !== 1 || row.told[0] !== eventOf(row));
    expect(wrong).toEqual([]);
    const ends = new Map(rows.map((row) => [row.id, row]));
    const endsOf = (of: Iterable<string>) => [...of].map((id) => ends.get(id));
    expect(endsOf(noted.decided.keys()).filter((row) => row?.told[0] !== 'item.finalized')).toEqual([]);
    expect(endsOf(noted.withdrawn).filter((row) => row?.status !== 'withdrawn')).toEqual([]);
    expect(endsOf(noted.late).filter((row) => !row?.expired && row?.status !== 'withdrawn')).toEqual([]);
  });

  const eventOf = ({ status, expired }: Ended) => {
    if (expired) return status === 'expired' || status === 'rejected' ? 'item.expired' : 'none';
    if (status === 'withdrawn') return 'item.withdrawn';
    return status === 'approved' || status === 'rejected' ? 'item.finalized' : 'none';
  };

  it('the receiver was told of each by one event ID', () => {
    const told = new Map<string, Set<string>>(ids.map((id) => [id, new Set()]));
    for (const { event, webhookId } of [...receiver.arrivals, ...receiver.endings])
      told.get(event.item_id)?.add(`${event.event} ${webhookId}`);
    expect([...told].filter(([, by]) => by.size !== 1).map(([id, by]) => [id, ...by])).toEqual([]);
  });

  it('I1 to I9 hold, and figures are those of the event log', async () => {
    const figures = await runScript('rollups.ts', testEnv.env, 'check');
    expect(figures).toContain('all equal');
    await expectInvariants(testEnv.env);
  });
});

const atShare = (sorted: readonly { late: number }[], share: number) =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]?.late ?? 0;

function describeLateness(of: string, rows: readonly { late: number }[]): string {
  const [p50, p99, most] = [0.5, 0.99, 1].map((share) => `${(atShare(rows, share) * 1000).toFixed(0)} ms`);
  return `deadlines, ${of}: ${rows.length} items ended late by p50 ${p50}, p99 ${p99}, max ${most}`;
}

const describeNoted = ({ decided, undone, withdrawn, extended, late, cut }: Noted) =>
  `answered: ${decided.size} decided, ${undone} undone, ${withdrawn.size} withdrawn, ${extended.size} extended, ` +
  `${late.size} refused as expired, ${cut} cut off`;
