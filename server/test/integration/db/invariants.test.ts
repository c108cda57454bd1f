// Tests `npm run invariants` on a real database: complete item lifecycles satisfy it, and each manual corruption is found and
// named.
import { beforeAll, describe, expect, it } from 'vitest';
import { ON_DEADLINE } from '@countersign/shared/enums';
import type { Fault } from '../../../src/invariants/check.ts';
import { checksOf, reader } from '../../../src/invariants/invariants.ts';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { releaseClaim } from '../../../src/usecases/claims/end-claim.ts';
import { readAnswerSchema } from '../../../src/usecases/items/answer-schemas.ts';
import { reopen } from '../../../src/usecases/decisions/reopen.ts';
import { extendDeadline } from '../../../src/usecases/items/extend-deadline.ts';
import { submit } from '../../../src/usecases/items/submit.ts';
import { undoDecision } from '../../../src/usecases/decisions/undo-decision.ts';
import { expireItemsOnce } from '../../../src/worker/expire-items.ts';
import { relayAll } from '../analytics/rollup-checks.ts';
import { anItem, createProjectFixture, aSubmission, review, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const HOOK = { webhook_url: 'https://hooks.example.com/decisions' };
let fixture: ProjectFixture;
let audited: ProjectFixture;
/** One object of each kind that the checks read. */
const ids = { approved: '', held: '', open: '', call: '', expired: '' };

/** Every violation in the database, and how many objects of each kind were checked. */
async function inspect(): Promise<{ faults: Fault[]; looked: Record<string, number> }> {
  const faults: Fault[] = [];
  const looked: Record<string, number> = {};
  for (const { of, run } of checksOf(testEnv.orm))
    looked[of] = await run(
      reader(testEnv.orm),
      (fault) => faults.push(fault),
      () => undefined,
    );
  return { faults, looked };
}

/** Every kind of lifecycle: routed, claimed, released, decided, escalated, returned, undone, reopened, audited. */
async function live(): Promise<void> {
  const { services } = testEnv;
  const { anna, ben, supervisor } = fixture;
  const idempotency = { key: 'once', bodySha256: 'f'.repeat(64) };
  await submit(services, fixture.pipeline, aSubmission({ idempotency }));
  const [a, b, c, d, e] = await Promise.all(Array.from({ length: 5 }, () => anItem(services, fixture)));
  if (!a || !b || !c || !d || !e) throw new Error('Five were asked for.');
  await anItem(services, fixture, { confidence: 0.99 });
  const low = await anItem(services, fixture, { confidence: 0.1 });
  await reopen(services, supervisor, { itemId: low.id, reason: null });
  await review(services, anna, { itemId: a.id, action: 'approve' });
  await review(services, ben, { itemId: b.id, action: 'edit' });
  await review(services, anna, { itemId: c.id, action: 'escalate' });
  await review(services, supervisor, { itemId: c.id, action: 'return' });
  const { fence } = await claim(services, ben, d.id);
  await releaseClaim(services, ben, { itemId: d.id, fence });
  await claim(services, anna, d.id);
  const call = await anItem(services, fixture, {
    suggestion: { raw: '{"name":"refund","arguments":{"amount":1}}' },
    kind: 'tool_call',
    answerSchema: readAnswerSchema('{"required":["amount"]}', '#'),
  });
  await review(services, anna, { itemId: call.id, action: 'approve' });
  const expired = await passDeadlines();
  Object.assign(ids, { approved: a.id, held: d.id, open: e.id, call: call.id, expired });
  const drawn = await anItem(services, audited, { confidence: 0.99 });
  await review(services, audited.anna, { itemId: drawn.id, action: 'reject' });
  await undoDecision(services, audited.anna, drawn.id);
  await review(services, audited.ben, { itemId: drawn.id, action: 'approve' });
  await relayAll(testEnv);
}

/** Items that their deadlines end, escalate, and end again; returns the one that expires. */
async function passDeadlines(): Promise<string> {
  const { services } = testEnv;
  const made = await Promise.all(
    ON_DEADLINE.map((onDeadline) =>
      anItem(services, fixture, { deadline: { until: { seconds: 600 }, onDeadline, pointer: '' } }),
    ),
  );
  const [expired] = made;
  if (!expired) throw new Error('Three were asked for.');
  await extendDeadline(services, fixture.supervisor, { itemId: expired.id, seconds: 60 });
  await claim(services, fixture.anna, expired.id);
  // Twice: what escalated has a second deadline.
  for (let times = 0; times < 2; times += 1) {
    await testEnv.sql(`update item set deadline = now() - '1ms'::interval where deadline is not null`);
    await expireItemsOnce(services);
  }
  return expired.id;
}

beforeAll(async () => {
  fixture = await createProjectFixture(testEnv.services, HOOK);
  audited = await createProjectFixture(testEnv.services, { ...HOOK, audit_rate: 1, undo_window_seconds: 60 });
  await live();
});

/** A manual change, its message, and what reverts it; `of` is the id that both concern. */
interface Damage {
  rule: string;
  what: string;
  says: RegExp;
  of: () => string;
  change: string;
  back: string;
}

const approved = () => ids.approved;
const held = () => ids.held;
const call = () => ids.call;
const expired = () => ids.expired;

/** A damage to the decision on the tool call, undone by writing the column again. */
const ofCall = (rule: string, what: string, change: string, back: string): Damage => ({
  ...{ rule, what, says: /^decision .*: / },
  ...{ of: call, change: `update ${change}`, back: `update ${back}` },
});
const project = () => fixture.projectId;

const DAMAGES: Damage[] = [
  {
    rule: 'I1',
    what: 'a decision is gone',
    says: /number of its decisions/,
    of: approved,
    change: `update decision set audit = true where item_id = ?`,
    back: `update decision set audit = false where item_id = ?`,
  },
  {
    rule: 'I1',
    what: 'a final decision can be undone again',
    says: /can be undone is 1/,
    of: approved,
    change: `update decision set final_at = null where item_id = ?`,
    back: `update decision set final_at = decided_at where item_id = ?`,
  },
  {
    rule: 'I1',
    what: 'a decision is replaced by none',
    says: /revision 1 of its decision is replaced/,
    of: approved,
    change: `update decision set superseded_at = now() where item_id = ?`,
    back: `update decision set superseded_at = null where item_id = ?`,
  },
  {
    rule: 'I2',
    what: 'an idempotency key points to an item that does not exist',
    says: /key by-hand/,
    of: project,
    change: `insert into idempotency_key (project_id, operation, key, item_ids, created_at) values (?, 'submit', 'by-hand', array[gen_random_uuid()], now())`,
    back: `delete from idempotency_key where project_id = ? and key = 'by-hand'`,
  },
  {
    rule: 'I3',
    what: 'a fence fell',
    says: /its fence is 1, in the event log 2/,
    of: held,
    change: `update item set claim_fence = claim_fence - 1 where id = ?`,
    back: `update item set claim_fence = claim_fence + 1 where id = ?`,
  },
  {
    rule: 'I4',
    what: 'a claim without a claim event',
    says: /its claim is expired/,
    of: held,
    change: `update item set claim_expires_at = null where id = ?`,
    back: `update item set claim_expires_at = now() + interval '1 minute' where id = ?`,
  },
  {
    rule: 'I5',
    what: 'a delivery has no decision',
    says: /belongs to no end of an item/,
    of: approved,
    change: `update delivery set webhook_id = webhook_id || 'x' where item_id = ?`,
    back: `update delivery set webhook_id = rtrim(webhook_id, 'x') where item_id = ?`,
  },
  {
    rule: 'I5',
    what: 'a final decision has no delivery',
    says: /has no delivery/,
    of: approved,
    change: `update delivery set seq = -seq where item_id = ?`,
    back: `update delivery set seq = -seq where item_id = ?`,
  },
  {
    rule: 'I6',
    what: 'an item changed without an event',
    says: /its status is rejected, in the event log approved/,
    of: approved,
    change: `update item set status = 'rejected' where id = ?`,
    back: `update item set status = 'approved' where id = ?`,
  },
  {
    rule: 'I6',
    what: 'an item that expired says that its deadline did not end it',
    says: /whether its deadline ended it is false, in the event log true/,
    of: expired,
    change: `update item set expired_at = null where id = ?`,
    back: `update item set expired_at = decided_at where id = ?`,
  },
  {
    rule: 'I6',
    what: 'an item that expired was told twice',
    says: /item\.expired \(version 4\) does not follow on an item that is expired/,
    of: expired,
    change: `insert into event (id, project_id, item_id, type, actor, data, created_at)
      select gen_random_uuid(), project_id, item_id, type, actor, data, created_at from event where item_id = ? and type = 'item.expired'`,
    back: `delete from event where item_id = ? and type = 'item.expired' and seq is null`,
  },
  {
    rule: 'I6',
    what: 'an item was decided after it expired',
    says: /item\.decided \(version 5\) does not follow on an item that is expired/,
    of: expired,
    change: `insert into event (id, project_id, item_id, type, actor, data, created_at)
      select gen_random_uuid(), project_id, item_id, 'item.decided', actor, '{"version":5,"status":"approved","action":"approve"}', created_at
      from event where item_id = ? and type = 'item.expired'`,
    back: `delete from event where item_id = ? and type = 'item.decided'`,
  },
  {
    rule: 'I5',
    what: 'an item that expired has no delivery',
    says: /its end has no delivery/,
    of: expired,
    change: `update delivery set seq = -seq where item_id = ?`,
    back: `update delivery set seq = -seq where item_id = ?`,
  },
  {
    rule: 'I7',
    what: 'a delivery says that an item that expired was rejected',
    says: /its body is not/,
    of: expired,
    change: `update delivery set body = replace(body, '"expired"', '"rejected"') where item_id = ?`,
    back: `update delivery set body = replace(body, '"rejected"', '"expired"') where item_id = ?`,
  },
  {
    rule: 'I6',
    what: 'an event is missing',
    says: /item\.decided \(version 3\) does not follow on an item that is queued, none, undecided/,
    of: approved,
    change: `update event set item_id = null where item_id = ? and type = 'item.claimed'`,
    back: `update event set item_id = ? where item_id is null and type = 'item.claimed'`,
  },
  {
    rule: 'I6',
    what: 'an event log has a gap',
    says: /its event log ends at/,
    of: project,
    change: `update project set event_seq = event_seq + 1 where id = ?`,
    back: `update project set event_seq = event_seq - 1 where id = ?`,
  },
  {
    rule: 'I7',
    what: 'the bytes of a delivery are not the decision',
    says: /its body is not/,
    of: approved,
    change: `update delivery set body = body || ' ' where item_id = ?`,
    back: `update delivery set body = rtrim(body) where item_id = ?`,
  },
  ofCall(
    'TS2',
    'an output breaks its schema',
    `decision set output = '{"name":"refund","arguments":{}}' where item_id = ?`,
    `decision set output = '{"name":"refund","arguments":{"amount":1}}' where item_id = ?`,
  ),
  ofCall(
    'TS5',
    'a suggestion that is null was approved',
    'item set has_suggestion = false where id = ?',
    'item set has_suggestion = true where id = ?',
  ),
  ofCall(
    'TC2',
    'the tool of a call was changed',
    `decision set output = replace(output, 'refund', 'delete') where item_id = ?`,
    `decision set output = replace(output, 'delete', 'refund') where item_id = ?`,
  ),
  ofCall(
    'LC7',
    'an action is not allowed',
    `item set allowed_actions = array['edit'] where id = ?`,
    'item set allowed_actions = null where id = ?',
  ),
  ofCall(
    'LC8',
    'an approval has words',
    `decision set response = 'No.' where item_id = ?`,
    'decision set response = null where item_id = ?',
  ),
  {
    rule: 'I9',
    what: 'a figure differs from the count',
    says: /stored/,
    of: project,
    change: `update rollup set n = n + 1 where project_id = ?`,
    back: `update rollup set n = n - 1 where project_id = ?`,
  },
];

describe('the invariants', () => {
  it('hold for complete lifecycles, all of which were checked', async () => {
    const { faults, looked } = await inspect();
    expect(faults).toEqual([]);
    expect(looked).toMatchObject({ items: 13, deliveries: 6, 'ends of items': 6, answers: 6 });
    expect(looked.events).toBeGreaterThan(15);
    expect(looked.figures).toBeGreaterThan(5);
  });

  it.each(DAMAGES)('$rule: reports that $what', async ({ rule, says, of, change, back }) => {
    await testEnv.sql(change, [of()]);
    const { faults } = await inspect();
    expect(faults).toContainEqual({ rule, says: expect.stringMatching(says) as string });
    await testEnv.sql(back, [of()]);
  });

  it('hold again when every change is reverted', async () => {
    expect((await inspect()).faults).toEqual([]);
  });
});
