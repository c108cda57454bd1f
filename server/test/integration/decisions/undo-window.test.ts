// Tests the undo window (LC2): a decision is provisional during it, final after it, and never both.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { presentPublicItem, presentSubmitted } from '../../../src/presenters/item.ts';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { decide } from '../../../src/usecases/decisions/decide.ts';
import { readPublicItem } from '../../../src/usecases/items/read-item.ts';
import { undoDecision } from '../../../src/usecases/decisions/undo-decision.ts';
import { finalizeOnce } from '../../../src/worker/finalize.ts';
import { withOpenTransaction, waitForBlocked } from '../support/blocking-transaction.ts';
import { eventsOf, rowOf, eventTypesOf } from '../support/database-helpers.ts';
import {
  aDecision,
  anItem,
  aPerson,
  createProjectFixture,
  items,
  review,
  type ProjectFixture,
} from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;

beforeAll(async () => {
  fixture = await createProjectFixture(testEnv.services, { undo_window_seconds: 30 });
});
beforeEach(() => finalizeAll());

/** Ends every undo window and finalizes. */
async function finalizeAll(): Promise<void> {
  await testEnv.sql(`update decision set undo_until = now() - interval '1 millisecond' where final_at is null`);
  while ((await finalizeOnce(testEnv.services)).again);
}

const endWindow = (itemId: string) =>
  testEnv.sql(
    `update decision set undo_until = now() - make_interval(secs => 0.001) where item_id = ? and final_at is null`,
    [itemId],
  );
const eventTypes = (itemId: string) => eventTypesOf(testEnv, itemId);
const learnings = (itemId: string) => testEnv.sql('select id from learning where item_id = ?', [itemId]);
const pipelineViewOf = async (itemId: string) => {
  const { item, decision } = await readPublicItem(testEnv.services, fixture.pipeline, itemId);
  const { status, decision: shown, decided_at } = presentPublicItem(item, decision);
  expect(presentSubmitted(item, decision)).toMatchObject({ status, decision: shown });
  return { status, decision: shown && shown.status, decided_at };
};

describe('LC2: while the window is open', () => {
  it('an undo that names an earlier decision of the same person does not undo the present one', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    const decideOnce = async () => {
      await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
      const [row] = await testEnv.sql<{ until: string | Date }>(
        'select undo_until as until from decision where item_id = ?',
        [id],
      );
      return { itemId: id, undoUntil: new Date(row?.until ?? 0) };
    };
    const first = await decideOnce();
    await undoDecision(testEnv.services, fixture.anna, first);
    testEnv.clock.pass(1000);
    const second = await decideOnce();
    expect(second.undoUntil).not.toEqual(first.undoUntil);
    await expect(undoDecision(testEnv.services, fixture.anna, first)).rejects.toMatchObject({
      code: 'undo_window_passed',
    });
    expect(await rowOf(testEnv, id)).toMatchObject({ status: 'approved' });
    await undoDecision(testEnv.services, fixture.anna, second);
    expect(await rowOf(testEnv, id)).toMatchObject({ status: 'queued' });
  });

  it.each([
    ['queued', []],
    ['escalated', ['legal']],
  ])('the decision on a %s item is provisional: people see it, the pipeline does not', async (status, riskFlags) => {
    const { id } = await anItem(testEnv.services, fixture, { riskFlags });
    const item = await review(testEnv.services, fixture.supervisor, { itemId: id, action: 'reject' });
    expect(item).toMatchObject({ status: 'rejected', publicStatus: status });
    expect(await pipelineViewOf(id)).toEqual({ status, decision: null, decided_at: null });
    expect((await eventTypes(id)).at(-1)).toBe('item.decided');
    const [{ seconds } = { seconds: 0 }] = await testEnv.sql<{ seconds: number }>(
      'select extract(epoch from undo_until - decided_at)::float as seconds from decision where item_id = ?',
      [id],
    );
    expect(seconds).toBe(30);
  });

  it('an undo restores the item, and removes the learning with the decision', async () => {
    const { id } = await anItem(testEnv.services, fixture, { riskFlags: ['legal'] });
    await review(testEnv.services, fixture.supervisor, { itemId: id, action: 'edit' });
    expect(await learnings(id)).toHaveLength(1);
    const item = await undoDecision(testEnv.services, fixture.supervisor, id);
    expect(item).toMatchObject({
      status: 'escalated',
      publicStatus: null,
      decidedAt: null,
      claimedBy: null,
      version: 4,
    });
    expect(await learnings(id)).toHaveLength(0);
    expect(await testEnv.sql('select id from decision where item_id = ?', [id])).toHaveLength(0);
    const eventLog = await eventsOf(testEnv, id);
    expect(eventLog.at(-1)).toMatchObject({
      type: 'item.undone',
      data: { version: 4, item: { status: 'escalated', claim: null } },
    });
  });

  it('I3: after an undo the old fence decides nothing; a new claim does, and may be undone again', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
    await undoDecision(testEnv.services, fixture.anna, id);
    const old = decide(testEnv.services, fixture.anna, { itemId: id, fence: 1, ...aDecision('approve') });
    await expect(old).rejects.toMatchObject({ code: 'claim_lost' });
    expect(await claim(testEnv.services, fixture.ben, id)).toMatchObject({ fence: 2 });
    await decide(testEnv.services, fixture.ben, { itemId: id, fence: 2, ...aDecision('reject') });
    expect(await undoDecision(testEnv.services, fixture.ben, id)).toMatchObject({ status: 'queued' });
  });

  it('only the decider may undo, not even an owner; a stranger gets 404', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
    await expect(undoDecision(testEnv.services, fixture.ben, id)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(undoDecision(testEnv.services, fixture.owner, id)).rejects.toMatchObject({ code: 'forbidden' });
    const stranger = await aPerson(testEnv.services);
    await expect(undoDecision(testEnv.services, stranger, id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await rowOf(testEnv, id)).toMatchObject({ status: 'approved' });
  });

  it('an item without a decision cannot be undone, nor one that was undone', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await expect(undoDecision(testEnv.services, fixture.anna, id)).rejects.toMatchObject({
      code: 'undo_window_passed',
    });
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
    await undoDecision(testEnv.services, fixture.anna, id);
    await expect(undoDecision(testEnv.services, fixture.anna, id)).rejects.toMatchObject({
      code: 'undo_window_passed',
    });
    expect((await eventTypes(id)).filter((type) => type === 'item.undone')).toHaveLength(1);
  });

  it('of ten undos at once one succeeds', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
    const undos = Array.from({ length: 10 }, () => undoDecision(testEnv.services, fixture.anna, id));
    const results = await Promise.allSettled(undos);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await rowOf(testEnv, id)).toMatchObject({ status: 'queued', public_status: null, version: 4 });
  });
});

describe('LC2: when the window has passed', () => {
  it('the undo is refused, although nothing has finalized the decision yet', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
    await endWindow(id);
    await expect(undoDecision(testEnv.services, fixture.anna, id)).rejects.toMatchObject({
      code: 'undo_window_passed',
    });
    expect(await pipelineViewOf(id)).toMatchObject({ status: 'queued', decision: null });
  });

  it('the decision is final: with an event of its own, and visible to the pipeline', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'reject', reason: 'Wrong tone' });
    await endWindow(id);
    await finalizeOnce(testEnv.services);
    expect(await pipelineViewOf(id)).toEqual({
      status: 'rejected',
      decision: 'rejected',
      decided_at: expect.stringMatching(/Z$/) as string,
    });
    const eventLog = await eventsOf(testEnv, id);
    expect(eventLog.slice(-2).map(({ type, data }) => [type, data.version, data.status, data.reason])).toEqual([
      ['item.decided', 3, 'rejected', 'Wrong tone'],
      ['item.finalized', 4, 'rejected', 'Wrong tone'],
    ]);
    await expect(undoDecision(testEnv.services, fixture.anna, id)).rejects.toMatchObject({
      code: 'undo_window_passed',
    });
    expect(await learnings(id)).toHaveLength(1);
  });

  it('I1: it becomes final once, however many workers check, and never before its time', async () => {
    const waiting = await items(testEnv.services, fixture, 12);
    for (const { id } of waiting) await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
    await Promise.all([finalizeOnce(testEnv.services), finalizeOnce(testEnv.services)]);
    for (const { id } of waiting) expect(await eventTypes(id)).not.toContain('item.finalized');
    for (const { id } of waiting) await endWindow(id);
    await Promise.all([1, 2, 3, 4].map(() => finalizeOnce(testEnv.services)));
    for (const { id } of waiting)
      expect((await eventTypes(id)).filter((type) => type === 'item.finalized')).toHaveLength(1);
  });

  it('an undo that began in time but comes second is refused, and the decision stays', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
    const finalizing: [string, unknown[]] = ['update decision set final_at = now() where item_id = ?', [id]];
    const outcome = await withOpenTransaction(testEnv, finalizing, async (commit) => {
      const undoing = undoDecision(testEnv.services, fixture.anna, id).catch((error: unknown) => error);
      await waitForBlocked(testEnv, 1);
      await commit();
      return undoing;
    });
    expect(outcome).toMatchObject({ code: 'undo_window_passed' });
    expect(await testEnv.sql('select id from decision where item_id = ?', [id])).toHaveLength(1);
  });

  it('undo and finalize at the same moment: exactly one of them wins', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { id } = await anItem(testEnv.services, fixture);
      await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
      await testEnv.sql(`update decision set undo_until = now() + interval '5 milliseconds' where item_id = ?`, [id]);
      const finalizing = (async () => {
        for (let tries = 0; tries < 10; tries += 1) await finalizeOnce(testEnv.services);
      })();
      const undone = await undoDecision(testEnv.services, fixture.anna, id).then(
        () => true,
        () => false,
      );
      await finalizing;
      const eventLog = await eventTypes(id);
      expect(eventLog.includes('item.undone')).toBe(undone);
      expect(eventLog.includes('item.finalized')).toBe(!undone);
      expect((await rowOf(testEnv, id)).status).toBe(undone ? 'queued' : 'approved');
    }
  });

  it('finalize reports when the next window ends', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    expect(await finalizeOnce(testEnv.services)).toEqual({ at: null });
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
    const { at } = await finalizeOnce(testEnv.services);
    const ahead = (at?.getTime() ?? 0) - Date.now();
    expect(ahead).toBeGreaterThan(20_000);
    expect(ahead).toBeLessThan(31_000);
  });
});

describe('LC2: a window of 0', () => {
  it('makes the decision final in its own transaction, and leaves nothing to undo', async () => {
    const prompt = await createProjectFixture(testEnv.services, { undo_window_seconds: 0 });
    const { id } = await anItem(testEnv.services, prompt);
    await review(testEnv.services, prompt.anna, { itemId: id, action: 'approve' });
    const eventLog = await eventsOf(testEnv, id);
    expect(eventLog.slice(-2).map(({ type, data }) => [type, data.version, data.undo_until])).toEqual([
      ['item.decided', 3, null],
      ['item.finalized', 3, undefined],
    ]);
    await expect(undoDecision(testEnv.services, prompt.anna, id)).rejects.toMatchObject({ code: 'undo_window_passed' });
  });
});
