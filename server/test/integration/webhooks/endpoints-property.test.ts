// Tests by property that each endpoint gets its events in order, despite failures and killed workers (WH12).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FinishedAttempt, leaseDue, type Leased } from '../../../src/delivery/lease.ts';
import { createRecorder } from '../../../src/delivery/record.ts';
import { revise } from '../../../src/usecases/decisions/revise.ts';
import { useEndpointFixture } from './endpoint-fixture.ts';
import { makeDue } from './pending-deliveries.ts';
import { anItem, aDecision, createProjectFixture, review } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const { now, add, relay, endpoints, faults } = useEndpointFixture(testEnv);

type Step = { do: 'event'; item: number } | { do: 'send' | 'crash'; arrives: boolean[] };

const STEP = fc.oneof(
  fc.record({ do: fc.constant('event' as const), item: fc.nat(2) }),
  fc.record({
    do: fc.constantFrom('send' as const, 'crash' as const),
    arrives: fc.array(fc.boolean(), { maxLength: 9 }),
  }),
);
/** The first attempts fail while those of the later event would arrive. */
const OVERTAKING: Step[] = [
  { do: 'event', item: 0 },
  { do: 'event', item: 0 },
  { do: 'send', arrives: [false, false, true, true, true] },
  { do: 'crash', arrives: [true, false] },
];
/** The property makes no requests. */
const NOWHERE = { webhook_url: 'http://127.0.0.1:1024/' };
const ROOM = { limit: 100, retries: 100, posting: 0, inFlight: new Map<string, number>() };
const OUTCOME: FinishedAttempt['outcome'] = {
  ...{ httpStatus: 200, error: null, retryAfter: null, responseHeaders: {}, responseText: '', totalMs: 1 },
  ...{ timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null }, remoteAddress: null, signatures: 1 },
};

describe('WH12: when endpoints of a project fail at random and workers are killed', () => {
  it('I5: each of them receives each event that it chose at least once, those of an item in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { minLength: 4, maxLength: 14 }), async (steps) => {
        now.fixture = await createProjectFixture(testEnv.services, NOWHERE);
        await add({ url: NOWHERE.webhook_url });
        await add({ url: NOWHERE.webhook_url }, { events: ['decision.revised'] });
        const got = await run(steps);
        const sent = await testEnv.sql<{ id: string; item_id: string; type: string }>(
          `select id, item_id, type from event where project_id = ? and type in ('item.finalized', 'decision.revised') order by seq`,
          [now.fixture.projectId],
        );
        const [, second, third] = await endpoints();
        for (const [endpointId, chosen] of [
          [now.fixture.projectId, ['item.finalized', 'decision.revised']],
          [second?.id ?? '', ['item.finalized']],
          [third?.id ?? '', ['decision.revised']],
        ] as const) {
          const wanted = sent.filter(({ type }) => chosen.some((each) => each === type));
          const first = [
            ...new Set(got.filter((each) => each.endpointId === endpointId).map((each) => each.webhookId)),
          ];
          const ofItems = Map.groupBy(wanted, ({ item_id }) => item_id);
          expect(first.toSorted()).toEqual(wanted.map(({ id }) => `evt_${id}`).toSorted());
          for (const [, its] of ofItems) {
            const ids = its.map(({ id }) => `evt_${id}`);
            expect(first.filter((id) => ids.includes(id))).toEqual(ids);
          }
        }
        expect(await faults()).toEqual([]);
      }),
      { numRuns: 6, examples: [[OVERTAKING]] },
    );
  });
});

/** Does the steps, then lets everything arrive. Returns what each endpoint received, in order. */
async function run(steps: readonly Step[]): Promise<Pick<Leased, 'endpointId' | 'webhookId'>[]> {
  const items = new Map<number, { id: string; action: 'approve' | 'reject' }>();
  const got: Pick<Leased, 'endpointId' | 'webhookId'>[] = [];
  const record = createRecorder(testEnv.services);
  const lease = () => testEnv.services.db.statement((em) => leaseDue(em, ROOM));
  for (const step of steps) {
    if (step.do === 'event') {
      items.set(step.item, await happened(items.get(step.item)));
      await relay();
      continue;
    }
    for (const [index, leased] of (await lease()).entries()) {
      const arrives = step.arrives[index] ?? false;
      if (arrives) got.push(leased);
      // A worker that is killed records nothing, whether its attempt arrived or not.
      if (step.do === 'send') await record(ended(leased, arrives));
    }
    await testEnv.sql(`update delivery set lease_until = now() - interval '1 s' where status = 'sending'`);
    await makeDue(testEnv);
  }
  for (;;) {
    await testEnv.sql(`update webhook_endpoint set open_until = null where open_until is not null`);
    const leased = await lease();
    if (leased.length === 0) return got;
    got.push(...leased);
    await Promise.all(leased.map((each) => record(ended(each, true))));
  }
}

/** The item is decided, or its decision replaced. */
async function happened(item: { id: string; action: 'approve' | 'reject' } | undefined) {
  if (item === undefined) {
    const { id } = await anItem(testEnv.services, now.fixture);
    await review(testEnv.services, now.fixture.anna, { itemId: id, action: 'approve' });
    return { id, action: 'approve' as const };
  }
  const action = item.action === 'approve' ? 'reject' : 'approve';
  await revise(testEnv.services, now.fixture.supervisor, {
    itemId: item.id,
    ...aDecision(action),
    action,
    reason: 'Policy',
    revises: undefined,
  });
  return { id: item.id, action } as const;
}

function ended(leased: Leased, arrived: boolean): FinishedAttempt {
  return arrived
    ? { leased, outcome: OUTCOME, next: { kind: 'succeeded' }, startedAt: new Date() }
    : {
        leased,
        outcome: { ...OUTCOME, httpStatus: 503, error: 'http_5xx' },
        next: { kind: 'retry', waitMs: 1000 },
        startedAt: new Date(),
      };
}
