// Tests `npm run invariants`: complete item lifecycles satisfy it, and each manual corruption is found and named.
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
import { DAMAGES, type Damaged } from './damages.ts';
import { anItem, createProjectFixture, aSubmission, review, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const HOOK = { webhook_url: 'https://hooks.example.com/decisions' };
let fixture: ProjectFixture;
let audited: ProjectFixture;
const ids: Record<Damaged, string> = { project: '', approved: '', held: '', call: '', expired: '', audited: '' };

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
  Object.assign(ids, { project: fixture.projectId, approved: a.id, held: d.id, call: call.id, expired });
  const drawn = await anItem(services, audited, { confidence: 0.99 });
  await review(services, audited.anna, { itemId: drawn.id, action: 'reject' });
  await undoDecision(services, audited.anna, drawn.id);
  await review(services, audited.ben, { itemId: drawn.id, action: 'approve' });
  ids.audited = drawn.id;
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

describe('the invariants', () => {
  it('hold for complete lifecycles, all of which were checked', async () => {
    const { faults, looked } = await inspect();
    expect(faults).toEqual([]);
    expect(looked).toMatchObject({ items: 13, deliveries: 6, 'ends of items': 6, answers: 6 });
    expect(looked.events).toBeGreaterThan(15);
    expect(looked.figures).toBeGreaterThan(5);
  });

  it.each(DAMAGES)('$rule: reports that $what', async ({ rule, says, of, change, back }) => {
    for (const statement of [change].flat()) await testEnv.sql(statement, [ids[of]]);
    const { faults } = await inspect();
    for (const statement of [back].flat()) await testEnv.sql(statement, [ids[of]]);
    expect(faults).toContainEqual({ rule, says: expect.stringMatching(says) as string });
  });

  it('hold again when every change is reverted', async () => {
    expect((await inspect()).faults).toEqual([]);
  });
});
