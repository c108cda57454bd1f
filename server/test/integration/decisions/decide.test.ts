// Tests decisions on the real database: one per item, by its holder, along the edges of LC0, in one transaction.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ErrorCode, RefusalExtras } from '@countersign/shared/errors';
import { REVIEW_ACTIONS, type ReviewAction } from '@countersign/shared/review-actions';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { decide, type DecideInput } from '../../../src/usecases/decisions/decide.ts';
import { releaseClaim } from '../../../src/usecases/claims/end-claim.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import { endAllClaims, eventsOf, rowOf, eventTypesOf } from '../support/database-helpers.ts';
import {
  aDecision,
  anItem,
  aPerson,
  createProjectFixture,
  review,
  type ProjectFixture,
} from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;

beforeAll(async () => {
  fixture = await createProjectFixture(testEnv.services);
});
beforeEach(async () => {
  await endAllClaims(testEnv);
});

const LEGAL = { riskFlags: ['legal'] };
const eventTypes = (itemId: string) => eventTypesOf(testEnv, itemId);
const count = async (table: string, itemId: string) =>
  (await testEnv.sql<{ n: number }>(`select count(*)::int as n from ${table} where item_id = ?`, [itemId]))[0]?.n;

/** Decides without claiming. */
const decideAs = (who: MemberActor, input: Partial<DecideInput> & { itemId: string; action: ReviewAction }) =>
  decide(testEnv.services, who, { fence: 1, ...aDecision(input.action), ...input });

function refusal(code: ErrorCode, extras: RefusalExtras = {}) {
  return { code, extras };
}

const fieldFault = (pointer: string, code: string) =>
  refusal('validation_failed', { errors: [{ pointer, code, detail: expect.any(String) as string }] });

describe('LC0: each move, and what it writes', () => {
  it.each<[ReviewAction, object, string[], object]>([
    [
      'approve',
      {},
      ['item.decided', 'item.finalized'],
      { status: 'approved', action: 'approve', edited: false, output: '"Yes, within 30 days."' },
    ],
    [
      'edit',
      {},
      ['item.decided', 'item.finalized'],
      { status: 'approved', action: 'edit', edited: true, output: '"No."' },
    ],
    [
      'reject',
      {},
      ['item.decided', 'item.finalized'],
      { status: 'rejected', action: 'reject', edited: false, output: null },
    ],
    [
      'approve',
      LEGAL,
      ['item.decided', 'item.finalized'],
      { status: 'approved', action: 'approve', edited: false, output: '"Yes, within 30 days."' },
    ],
    [
      'edit',
      LEGAL,
      ['item.decided', 'item.finalized'],
      { status: 'approved', action: 'edit', edited: true, output: '"No."' },
    ],
    [
      'reject',
      LEGAL,
      ['item.decided', 'item.finalized'],
      { status: 'rejected', action: 'reject', edited: false, output: null },
    ],
    [
      'finalize',
      LEGAL,
      ['item.decided', 'item.finalized'],
      { status: 'escalated_final', action: 'finalize', edited: false, output: null },
    ],
  ])('%s with the flags %j writes its events and the decision', async (action, flags, events, decision) => {
    const { id } = await anItem(testEnv.services, fixture, flags);
    const item = await review(testEnv.services, fixture.supervisor, { itemId: id, action, note: 'See page 2.' });
    expect(item).toMatchObject({
      claimedBy: null,
      claimExpiresAt: null,
      publicStatus: null,
      claimFence: 1,
      version: 3,
    });
    expect((await eventTypes(id)).slice(2)).toEqual(events);
    const rows = await testEnv.sql<object>('select * from decision where item_id = ?', [id]);
    expect(rows).toEqual([
      expect.objectContaining({
        ...decision,
        reviewer_id: fixture.supervisor.userId,
        note: 'See page 2.',
        undo_until: null,
      }),
    ]);
    expect(rows[0]).toHaveProperty('final_at', expect.anything());
    expect(await count('learning', id)).toBe(action === 'edit' || action === 'reject' ? 1 : 0);
  });

  it('escalate and return move it between people: no decision, unclaimed, reason and note in the event', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    expect(
      await review(testEnv.services, fixture.anna, {
        itemId: id,
        action: 'escalate',
        reason: 'Too large',
        note: 'Page 2',
      }),
    ).toMatchObject({
      status: 'escalated',
      claimedBy: null,
      decidedAt: null,
    });
    expect(await review(testEnv.services, fixture.supervisor, { itemId: id, action: 'return' })).toMatchObject({
      status: 'queued',
      claimFence: 2,
    });
    expect(await count('decision', id)).toBe(0);
    const eventLog = await eventsOf(testEnv, id);
    expect(eventLog.map(({ type }) => type)).toEqual([
      'item.queued',
      'item.claimed',
      'item.escalated',
      'item.claimed',
      'item.queued',
    ]);
    expect(eventLog[2]?.data).toMatchObject({
      reason: 'Too large',
      note: 'Page 2',
      version: 3,
      item: { status: 'escalated', claim: null },
    });
    expect(eventLog[4]?.data).toMatchObject({ reason: null, note: null, item: { status: 'queued' } });
  });

  it('a decision releases the lock as well', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
    expect(await testEnv.lock.holders([id])).toEqual(new Map());
  });

  it('I7: an edited output is stored in its own spelling', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    const raw = '{ "b": 1.50, "a": "\\u00e9" }';
    await review(testEnv.services, fixture.anna, {
      itemId: id,
      action: 'edit',
      output: { value: JSON.parse(raw), raw },
    });
    expect(await testEnv.sql('select output from decision where item_id = ?', [id])).toEqual([{ output: raw }]);
    expect(
      await testEnv.sql('select output, action, reason, settings_version from learning where item_id = ?', [id]),
    ).toEqual([{ output: raw, action: 'edit', reason: 'Wrong fact', settings_version: 1 }]);
  });
});

describe('a refusal is named and changes nothing', () => {
  const unchanged = async (itemId: string, work: () => Promise<unknown>, expected: object) => {
    const [before, eventLog] = [await rowOf(testEnv, itemId), await eventTypes(itemId)];
    await expect(work()).rejects.toMatchObject(expected);
    expect(await rowOf(testEnv, itemId)).toEqual(before);
    expect(await eventTypes(itemId)).toEqual(eventLog);
    expect(await count('decision', itemId)).toBe(0);
    expect(await count('learning', itemId)).toBe(0);
  };

  it.each<[string, Partial<DecideInput> & { action: ReviewAction }, object]>([
    ['an edit without an output', { action: 'edit', output: null }, fieldFault('#/output', 'required')],
    ['an edit without a reason', { action: 'edit', reason: null }, fieldFault('#/reason', 'required')],
    ['a rejection without a reason', { action: 'reject', reason: null }, fieldFault('#/reason', 'required')],
    ['an escalation without a reason', { action: 'escalate', reason: null }, fieldFault('#/reason', 'required')],
    [
      'an approval with an output',
      { action: 'approve', output: { value: 1, raw: '1' } },
      fieldFault('#/output', 'not_allowed'),
    ],
    [
      'a rejection with an output',
      { action: 'reject', output: { value: 1, raw: '1' } },
      fieldFault('#/output', 'not_allowed'),
    ],
    ['finalizing an item that is not escalated', { action: 'finalize' }, fieldFault('#/action', 'not_allowed')],
    ['returning an item that is not escalated', { action: 'return' }, fieldFault('#/action', 'not_allowed')],
    [
      'an edit that changes nothing',
      { action: 'edit', output: suggested('"Yes, within 30 days."') },
      refusal('unchanged_edit'),
    ],
    ['an old fence (I3)', { action: 'approve', fence: 0 }, refusal('claim_lost')],
    ['a fence that no claim ever had (I3)', { action: 'approve', fence: 2 ** 31 }, refusal('claim_lost')],
    ['a fence of the future (I3)', { action: 'approve', fence: 2 }, refusal('claim_lost')],
  ])('a decision is refused for %s and changes nothing', async (_, input, expected) => {
    const { id } = await anItem(testEnv.services, fixture);
    await claim(testEnv.services, fixture.anna, id);
    await unchanged(id, () => decideAs(fixture.anna, { itemId: id, ...input }), expected);
  });

  it.each(['finalize', 'edit', 'reject'] as const)('on an escalated item, %s without a reason', async (action) => {
    const { id } = await anItem(testEnv.services, fixture, LEGAL);
    await claim(testEnv.services, fixture.supervisor, id);
    await unchanged(
      id,
      () => decideAs(fixture.supervisor, { itemId: id, action, reason: null }),
      fieldFault('#/reason', 'required'),
    );
  });

  it('an edit that reorders and respells the suggestion', async () => {
    const { id } = await anItem(testEnv.services, fixture, { suggestion: { raw: '{"a":1.0,"b":["\\u0041"]}' } });
    await claim(testEnv.services, fixture.anna, id);
    const output = suggested('{"b":["A"],"a":1}');
    await unchanged(
      id,
      () => decideAs(fixture.anna, { itemId: id, action: 'edit', output }),
      refusal('unchanged_edit'),
    );
  });

  it('another person’s claim: the refusal names the holder', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await claim(testEnv.services, fixture.anna, id);
    const holder = { user_id: fixture.anna.userId, name: 'Anna' };
    await unchanged(id, () => decideAs(fixture.ben, { itemId: id, action: 'approve' }), {
      code: 'claim_lost',
      extras: { holder },
    });
  });

  it('no claim, either never made or released', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    const lost = { code: 'claim_lost', extras: { holder: null } };
    await unchanged(id, () => decideAs(fixture.anna, { itemId: id, action: 'approve', fence: 0 }), lost);
    const { fence } = await claim(testEnv.services, fixture.anna, id);
    await releaseClaim(testEnv.services, fixture.anna, { itemId: id, fence });
    await unchanged(id, () => decideAs(fixture.anna, { itemId: id, action: 'approve', fence }), lost);
  });

  it('PM: a reviewer on an escalated item, and a stranger on any', async () => {
    const { id } = await anItem(testEnv.services, fixture, LEGAL);
    await unchanged(id, () => decideAs(fixture.anna, { itemId: id, action: 'approve' }), refusal('forbidden'));
    const stranger = await aPerson(testEnv.services);
    await unchanged(id, () => decideAs(stranger, { itemId: id, action: 'approve' }), refusal('not_found'));
  });

  it('PM: a claim does not survive an escalation: its holder as a reviewer may not decide afterwards', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    await claim(testEnv.services, fixture.anna, id);
    await decideAs(fixture.anna, { itemId: id, action: 'escalate' });
    await unchanged(id, () => decideAs(fixture.anna, { itemId: id, action: 'approve' }), refusal('forbidden'));
  });

  it.each(REVIEW_ACTIONS)('I1: %s on a decided item', async (action) => {
    const { id } = await anItem(testEnv.services, fixture);
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
    const before = await rowOf(testEnv, id);
    await expect(decideAs(fixture.anna, { itemId: id, action })).rejects.toMatchObject({ code: 'already_decided' });
    expect(await rowOf(testEnv, id)).toEqual(before);
    expect(await count('decision', id)).toBe(1);
  });
});

function suggested(raw: string): { value: unknown; raw: string } {
  return { value: JSON.parse(raw) as unknown, raw };
}
