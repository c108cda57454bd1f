// The definitions of the figures that server, API and pages share.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  arrivedShare,
  automaticOf,
  growthOf,
  isBehind,
  paceOf,
  stopWouldAdd,
  waitingOf,
  webhookHealthOf,
  type Pace,
  type WebhookHealth,
} from './figures.ts';

describe('AN33: keeping up', () => {
  it.each<[Pace, number, number, number]>([
    ['idle', 0, 0, 0],
    ['clear', 0, 4, 4],
    ['clear', 0, 0, 4],
    ['ahead', 3, 4, 5],
    ['even', 3, 4, 4],
    ['even', 3, 0, 0],
    ['behind', 1743, 2400, 657],
    ['behind', 0, 1, 0],
  ])('is %s with %i waiting, %i sent to people and %i decided', (pace, waiting, enqueued, decided) => {
    expect(paceOf(waiting, { enqueued, decided })).toBe(pace);
  });

  it('never says that people keep up while the queue grows', () => {
    const n = fc.nat({ max: 20_000 });
    fc.assert(
      fc.property(n, n, n, (waiting, enqueued, decided) => {
        const flow = { enqueued, decided };
        expect(isBehind(flow)).toBe(growthOf(flow) > 0);
        expect(paceOf(waiting, flow) === 'behind').toBe(isBehind(flow));
      }),
    );
  });
});

it('AN34: what was shipped is automatic, in audit or not, and revised or not', () => {
  const figures = { routing: { auto_approved: 344 }, mix: { auto_approved: 342 }, audits: { waiting: 70 } };
  expect(automaticOf(figures)).toEqual({ approved: 344, inAudit: 70, revised: 2 });
  expect(automaticOf({ ...figures, mix: {} })).toMatchObject({ revised: 344 });
});

it('RT7: a stop adds what no person sees, and no audit', () => {
  expect(stopWouldAdd({ approved: 120, audited: 20, rejected: 3 })).toBe(103);
});

it('AN35: queued and escalated items wait', () => {
  expect(waitingOf({ queued: 12_000, escalated: 3 })).toBe(12_003);
});

describe('WH10: the webhook', () => {
  const FACTS = { set: true, paused: false, newestArrived: true, retrying: 0 };
  it.each<[WebhookHealth, Partial<Parameters<typeof webhookHealthOf>[0]>]>([
    ['not_set', { set: false, paused: true, retrying: 4 }],
    ['paused', { paused: true, newestArrived: false, retrying: 4 }],
    ['failing', { newestArrived: false, retrying: 4 }],
    ['retrying', { retrying: 1 }],
    ['retrying', { newestArrived: null, retrying: 1 }],
    ['waiting', { newestArrived: null }],
    ['healthy', {}],
  ])('is %s with %j', (health, facts) => {
    expect(webhookHealthOf({ ...FACTS, ...facts })).toBe(health);
  });

  it.each([
    [199, 1, 0.995],
    [0, 3, 0],
    [0, 0, null],
  ])('%i delivered and %i dead are a share of %j', (succeeded, dead, share) => {
    expect(arrivedShare({ succeeded, dead })).toBe(share);
  });
});
