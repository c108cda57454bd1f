// Deadlines on the real database: what passes, who is told, and that one row decides every race (DL1 to DL6).
import { describe, expect, it } from 'vitest';
import type { OnDeadline } from '@countersign/shared/enums';
import { changeProject, readProject } from '@countersign/shared/routes/projects';
import { listEvents, listItems, submitItem, withdrawItem } from '@countersign/shared/routes/public';
import {
  claimItem,
  decideItem,
  extendDeadline,
  listQueue,
  readHistory,
  readQueueItem,
  reopenItem,
  undoDecision,
} from '@countersign/shared/routes/queue';
import { readAnalytics } from '@countersign/shared/routes/analytics';
import { passDeadlines } from '../../../src/db/deadlines/pass-deadlines.ts';
import { expireItemsOnce } from '../../../src/worker/expire-items.ts';
import { finalizeOnce } from '../../../src/worker/finalize.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import { aSubmission, openProject, review, setUndoWindow } from '../../builders.ts';
import { codeOf, person, type Person } from '../../client.ts';
import { waitForBlocked, withOpenTransaction } from '../support/blocking-transaction.ts';
import { setDeadlineClock } from '../support/deadline-clock.ts';
import { useDeadlineFixture } from '../support/deadline-fixture.ts';
import { HOOK } from '../support/webhook-project-fixture.ts';

const { inside, now, submitted, passes, sent } = useDeadlineFixture({ undo_window_seconds: 30 });

const historyOf = async (id: string) => {
  await relayOnce(inside.services, inside.signals);
  return (await now.boss.call(readHistory, { params: { id } })).data;
};

describe('DL1: at its deadline an item that waits', () => {
  it.each<[OnDeadline, string]>([
    ['expire', 'expired'],
    ['reject', 'rejected'],
  ])('ends for good with “%s”: it is %s, and webhook and feed say so', async (on_deadline, status) => {
    const id = await submitted({ on_deadline });
    expect(await now.project.pipeline.read(id)).toMatchObject({ status: 'queued', on_deadline });
    await passes();
    const item = await now.project.pipeline.read(id);
    expect(item).toMatchObject({ status, decision: null });
    const event = {
      ...{ event: 'item.expired', item_id: id, project_id: now.project.id, status },
      ...{ decision: null, reviewer_id: null, decided_at: item.decided_at },
    };
    expect(await sent()).toEqual([event]);
    const { data: fed } = await now.project.pipeline.call(listEvents);
    expect(fed).toEqual([{ id: fed[0]?.id, ...event }]);
    const { data } = await now.project.pipeline.call(listItems, { query: { status: status as 'expired' } });
    expect(data.map((one) => one.id)).toEqual([id]);
    const again = await now.boss.attempt(reopenItem, { params: { id }, body: undefined });
    expect(codeOf(again)).toBe('expired');
  });

  it('goes to supervisors with the same span again, and expires then', async () => {
    const id = await submitted({ on_deadline: 'escalate' });
    const { fence } = await now.anna.call(claimItem, { params: { id } });
    await passes();
    const item = await now.boss.call(readQueueItem, { params: { id } });
    expect(item).toMatchObject({ status: 'escalated', claim: null, deadline: { on_deadline: 'expire' } });
    expect(await inside.services.claims.holders([id])).toEqual(new Map());
    expect(codeOf(await now.anna.attempt(decideItem, { params: { id }, body: { fence, action: 'approve' } }))).toBe(
      'forbidden',
    );
    expect(await sent()).toEqual([]);
    await passes(900);
    expect((await now.project.pipeline.read(id)).status).toBe('escalated');
    await passes(1300);
    expect((await now.project.pipeline.read(id)).status).toBe('expired');
    expect(await sent()).toMatchObject([{ event: 'item.expired', item_id: id }]);
    expect((await historyOf(id)).map(({ type }) => type)).toEqual([
      ...['item.queued', 'item.claimed', 'item.escalated', 'item.expired'],
    ]);
  });

  it('that supervisors have already stays with the one who holds it, for the same span again', async () => {
    const id = await submitted({ on_deadline: 'escalate' });
    await review(now.anna, id, 'escalate');
    const { fence } = await now.boss.call(claimItem, { params: { id } });
    await passes();
    const { data } = await now.boss.call(listQueue, { query: { project_id: now.project.id, view: 'mine' } });
    expect(data).toMatchObject([{ id, status: 'escalated', deadline: { on_deadline: 'expire' } }]);
    const held = await now.boss.call(readQueueItem, { params: { id } });
    expect(held.claim).toMatchObject({ user_id: now.boss.id });
    await now.boss.call(decideItem, { params: { id }, body: { fence, action: 'approve' } });
  });

  it('before it, nothing happens; without one, nothing ever does', async () => {
    const ids = [await submitted(), await submitted({ deadline_seconds: undefined })];
    await passes(300);
    for (const id of ids) expect((await now.project.pipeline.read(id)).status).toBe('queued');
    await passes(100_000_000);
    expect((await now.project.pipeline.read(ids[1] ?? '')).status).toBe('queued');
  });

  it('AU2: an item that is audited stays approved, and its pipeline hears nothing', async () => {
    const audited = await openProject(await person(now.served.testEnv), {
      settings: { ...HOOK, audit_rate: 1 },
    });
    const { id } = await audited.pipeline.submit(aSubmission({ confidence: 1, deadline_seconds: 600 }));
    const shown = await audited.pipeline.read(id);
    await audited.owner.call(extendDeadline, { params: { id }, body: { seconds: 60 } });
    expect(await audited.pipeline.read(id)).toEqual(shown);
    await passes(661);
    expect(await audited.pipeline.read(id)).toMatchObject({
      status: 'auto_approved',
      decision: { action: 'auto_approve' },
    });
    await relayOnce(inside.services, inside.signals);
    expect(await inside.sql('select 1 from delivery where project_id = ?', [audited.id])).toEqual([]);
    const { data } = await audited.pipeline.call(listEvents);
    expect(data.map(({ event }) => event)).toEqual(['item.decided']);
    const { data: waiting } = await audited.owner.call(listQueue, { query: { project_id: audited.id } });
    expect(waiting).toEqual([]);
  });
});

describe('DL3: a decision', () => {
  it('that was made before stands, although its undo window ends later', async () => {
    const id = await submitted();
    await review(now.anna, id, 'approve');
    await passes();
    await inside.sql(`update decision set undo_until = now() where item_id = ?`, [id]);
    await finalizeOnce(inside.services);
    expect(await now.project.pipeline.read(id)).toMatchObject({ status: 'approved', decision: { action: 'approve' } });
    expect(await sent()).toMatchObject([{ event: 'item.decided' }]);
  });

  it.each<[OnDeadline, string]>([
    ['expire', 'expired'],
    ['reject', 'rejected'],
    ['escalate', 'escalated'],
  ])('that is undone after the deadline leaves what “%s” says', async (on_deadline, status) => {
    const id = await submitted({ on_deadline });
    await review(now.anna, id, 'approve');
    await passes();
    const undone = await now.anna.call(undoDecision, { params: { id }, body: undefined });
    expect(undone.status).toBe(status);
    expect((await now.project.pipeline.read(id)).status).toBe(status);
    expect((await historyOf(id)).map(({ type }) => type).slice(-2)).toEqual([
      'item.undone',
      status === 'escalated' ? 'item.escalated' : 'item.expired',
    ]);
  });

  it('that comes later is refused, also before the worker has looked', async () => {
    const id = await submitted();
    const { fence } = await now.anna.call(claimItem, { params: { id } });
    await setDeadlineClock(inside, 601);
    for (const action of ['approve', 'escalate'] as const) {
      const late = await now.anna.attempt(decideItem, { params: { id }, body: { fence, action, reason: 'Late' } });
      expect(codeOf(late)).toBe('expired');
    }
    await passes();
    const later = await now.anna.attempt(decideItem, { params: { id }, body: { fence, action: 'approve' } });
    expect(later).toMatchObject({ ok: false, problem: { status: 409, code: 'expired' } });
    expect(codeOf(await now.anna.attempt(claimItem, { params: { id } }))).toBe('expired');
    expect(await sent()).toHaveLength(1);
  });

  it.each<[first: 'decision' | 'deadline', code: string, status: string, event: string]>([
    ['decision', 'ok', 'approved', 'item.decided'],
    ['deadline', 'expired', 'expired', 'item.expired'],
  ])(
    'and the deadline meet at one row: the %s comes first, and only it is told',
    async (first, code, status, event) => {
      await setUndoWindow(now.project, 0);
      const id = await submitted();
      const { fence } = await now.anna.call(claimItem, { params: { id } });
      const asked = { code: '', moved: -1 };
      const decision = async () => {
        await setDeadlineClock(inside, 0);
        asked.code = codeOf(await now.anna.attempt(decideItem, { params: { id }, body: { fence, action: 'approve' } }));
      };
      // The job of the worker skips a row that is locked, so this waits for it as an undo does.
      const deadline = async () => {
        await setDeadlineClock(inside, 601);
        const { count } = await inside.services.db.write((tx) => passDeadlines(tx, { only: id, wait: true }));
        asked.moved = count;
      };
      const [earlier, later] = first === 'decision' ? [decision, deadline] : [deadline, decision];
      const held: [string, unknown[]] = ['select 1 from item where id = ? for update', [id]];
      await withOpenTransaction(inside, held, async (commit) => {
        const begun = [earlier()];
        await waitForBlocked(inside, 1);
        begun.push(later());
        await waitForBlocked(inside, 2);
        await commit();
        await Promise.all(begun);
      });
      expect(asked).toEqual({ code, moved: first === 'deadline' ? 1 : 0 });
      await passes();
      expect((await now.project.pipeline.read(id)).status).toBe(status);
      expect(await sent()).toMatchObject([{ event }]);
    },
  );
});

describe('DL4: exactly once', () => {
  it('several workers move each item once', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, () => submitted()));
    await setDeadlineClock(inside, 601);
    await Promise.all(Array.from({ length: 4 }, () => expireItemsOnce(inside.services)));
    await expireItemsOnce(inside.services);
    const bodies = await sent();
    expect(bodies.map((body) => (body as { item_id: string }).item_id).sort()).toEqual(ids.sort());
  });

  it('a clock that jumps ahead and back expires nothing twice, and revives nothing', async () => {
    const [first, second] = [await submitted(), await submitted({ deadline_seconds: 7200 })];
    await passes(3600);
    await passes(-3600);
    await passes(0);
    expect((await now.project.pipeline.read(first)).status).toBe('expired');
    expect((await now.project.pipeline.read(second)).status).toBe('queued');
    await passes(3600);
    expect(await sent()).toHaveLength(1);
  });

  it('the job says when the next deadline is', async () => {
    await inside.sql('update item set deadline = null');
    await submitted({ deadline_seconds: 9000 });
    const { deadline } = await now.project.pipeline.read(await submitted({ deadline_seconds: 3000 }));
    const { at } = await expireItemsOnce(inside.services);
    // By its own clock: the time of the statement is the difference.
    expect(Math.abs((at?.getTime() ?? 0) - Date.parse(deadline ?? ''))).toBeLessThan(300_000);
  });
});

describe('DL5: a supervisor extends', () => {
  const extend = (who: Person, id: string, seconds = 600) =>
    who.attempt(extendDeadline, { params: { id }, body: { seconds } });

  it('the deadline of an open item, once; its claim stays', async () => {
    const id = await submitted();
    const before = await now.project.pipeline.read(id);
    const { fence } = await now.anna.call(claimItem, { params: { id } });
    const item = await now.boss.call(extendDeadline, { params: { id }, body: { seconds: 600 } });
    expect(item.deadline).toMatchObject({ extended: true, span_seconds: 1200 });
    expect(Date.parse(item.deadline?.at ?? '') - Date.parse(before.deadline ?? '')).toBe(600_000);
    expect(item.claim).toMatchObject({ user_id: now.anna.id });
    expect(item.abilities.extend_deadline).toBe(false);
    await passes();
    await now.anna.call(decideItem, { params: { id }, body: { fence, action: 'approve' } });
    expect((await historyOf(id)).map(({ type }) => type)).toContain('item.extended');
  });

  it('no second time, and none that is over or does not exist', async () => {
    const [id, none, over] = [await submitted(), await submitted({ deadline_seconds: undefined }), await submitted()];
    expect(codeOf(await extend(now.boss, id))).toBe('ok');
    expect(codeOf(await extend(now.boss, id))).toBe('already_extended');
    expect(codeOf(await extend(now.boss, none))).toBe('validation_failed');
    expect(codeOf(await extend(now.boss, over, 31_536_000))).toBe('validation_failed');
    await setDeadlineClock(inside, 601);
    expect(codeOf(await extend(now.boss, over))).toBe('expired');
    await passes();
    expect(codeOf(await extend(now.boss, over))).toBe('expired');
  });

  it('nobody else does', async () => {
    const id = await submitted();
    expect(codeOf(await extend(now.anna, id))).toBe('forbidden');
    expect(codeOf(await extend(await person(now.served.testEnv), id))).toBe('not_found');
  });
});

describe('DL6: a submission', () => {
  const problemOf = async (overrides: Parameters<typeof aSubmission>[0]) => {
    const answer = await now.project.pipeline.attempt(submitItem, {
      body: { project_id: now.project.id, ...aSubmission(overrides) },
    });
    return answer.ok ? null : answer.problem;
  };
  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString().replace('Z', '+00:00');

  it('brings its deadline, as a time or in seconds, and shows it', async () => {
    const deadline = inAnHour();
    const id = await submitted({ deadline_seconds: undefined, deadline });
    const item = await now.project.pipeline.read(id);
    expect(item).toMatchObject({ deadline: new Date(deadline).toISOString(), on_deadline: 'expire' });
  });

  it.each<[string, () => Parameters<typeof aSubmission>[0], string]>([
    ['that has passed', () => ({ deadline: '2020-01-01T00:00:00Z' }), '#/deadline'],
    ['that is more than a year away', () => ({ deadline: '2999-01-01T00:00:00Z' }), '#/deadline'],
    ['that is no time', () => ({ deadline: 'tomorrow' }), '#/deadline'],
    ['without an offset', () => ({ deadline: '2999-01-01T00:00:00' }), '#/deadline'],
    ['that it says twice', () => ({ deadline: inAnHour(), deadline_seconds: 60 }), '#/deadline_seconds'],
    ['that is too near', () => ({ deadline_seconds: 9 }), '#/deadline_seconds'],
    ['that is too far', () => ({ deadline_seconds: 31_536_001 }), '#/deadline_seconds'],
    ['in parts of a second', () => ({ deadline_seconds: 10.5 }), '#/deadline_seconds'],
    ['with an unknown effect', () => ({ deadline_seconds: 60, on_deadline: 'approve' as never }), '#/on_deadline'],
  ])('is refused with a deadline %s', async (_, overrides, pointer) => {
    expect(await problemOf(overrides())).toMatchObject({
      status: 422,
      code: 'validation_failed',
      errors: [{ pointer }],
    });
  });

  it('gets the deadline of its project, unless it brings one, or says that there is none', async () => {
    const { settings_version } = await now.project.owner.call(readProject, { params: { id: now.project.id } });
    const body = { settings_version, deadline_minutes: 30, on_deadline: 'escalate' as const };
    await now.project.owner.call(changeProject, { params: { id: now.project.id }, body });
    const read = async (overrides: Parameters<typeof aSubmission>[0]) =>
      now.project.pipeline.read(await submitted({ deadline_seconds: undefined, ...overrides }));
    const [own, ofProject, without] = [
      await read({ deadline_seconds: 60 }),
      await read({}),
      await read({ deadline: null }),
    ];
    expect([own.on_deadline, ofProject.on_deadline, without.on_deadline]).toEqual(['escalate', 'escalate', undefined]);
    const span = Date.parse(ofProject.deadline ?? '') - Date.parse(own.deadline ?? '');
    expect(Math.round(span / 60_000)).toBe(29);
    expect(without).not.toHaveProperty('deadline');
  });

  it('of a batch is refused alone, and a repeat refuses the same one at any later time', async () => {
    const brought = [{ deadline_seconds: 60 }, { confidence: 7 }, { deadline: '2020-01-01T00:00:00Z' }, {}];
    const items = brought.map((overrides) => ({ project_id: now.project.id, ...aSubmission(overrides) }));
    const idempotencyKey = crypto.randomUUID();
    const send = async () => {
      const answer = await now.project.pipeline.submitBatchRaw(JSON.stringify({ items }), { idempotencyKey });
      if (!answer.ok) throw new Error(answer.text);
      return answer.reply;
    };
    const first = await send();
    expect(first.results).toMatchObject([
      { index: 0, status: 'queued' },
      { index: 1, error: { code: 'validation_failed', errors: [{ pointer: '#/items/1/confidence' }] } },
      { index: 2, error: { code: 'validation_failed', errors: [{ pointer: '#/items/2/deadline' }] } },
      { index: 3, status: 'queued' },
    ]);
    await setDeadlineClock(inside, -400_000_000);
    const again = await send();
    const told = ({ results }: typeof first) =>
      results.map((one) => ('id' in one ? one.id : one.error.errors?.map(({ pointer }) => pointer)));
    expect(told(again)).toEqual(told(first));
  });
});

describe('WD1: a withdrawal', () => {
  it('of an item that expired is refused with its state', async () => {
    const id = await submitted();
    await passes();
    const answer = await now.project.pipeline.attempt(withdrawItem, { params: { id }, body: undefined });
    expect(answer).toMatchObject({
      ok: false,
      problem: { status: 409, code: 'expired', item: { id, status: 'expired', decision: null } },
    });
  });
});

describe('AN32: figures', () => {
  it('count what expired, by flag and model, out of what left the queue', async () => {
    await submitted({ risk_flags: ['refund'], metadata: { model: 'm1' } });
    const decided = await submitted({ risk_flags: ['refund'], metadata: { model: 'm2' } });
    await review(now.anna, decided, 'approve');
    await passes();
    await relayOnce(inside.services, inside.signals);
    const figures = await now.project.owner.call(readAnalytics, { params: { id: now.project.id }, query: {} });
    expect(figures.expired).toMatchObject({
      ...{ n: 1, ended: 2, by_flag: [{ key: 'refund', n: 1, ended: 2 }], by_model: [{ key: 'm1', n: 1, ended: 1 }] },
    });
    expect(figures.waiting).toEqual({ queued: 0, escalated: 0 });
    expect(figures.mix).toMatchObject({ expired: 1, approved: 1 });
    // Both came to people, and the deadline is no decision (AN1).
    expect(figures.flow.reduce((sum, { enqueued }) => sum + enqueued, 0)).toBe(2);
    const { summary } = await now.project.owner.call(readProject, { params: { id: now.project.id } });
    expect(summary.expired_today).toBe(1);
  });
});
