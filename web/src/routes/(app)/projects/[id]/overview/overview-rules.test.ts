// The overview: the depth line's window, steps and sentence, and which deliveries are shown as its last errors.
import type { Delivery } from '@countersign/shared/schemas/deliveries';
import { describe, expect, it } from 'vitest';
import { depthAnswer, depthQuery, depthSteps, lastErrors } from './overview-rules.ts';

const NOON = Date.parse('2026-03-01T12:00:00.000Z');
const ZONE = 'Asia/Kathmandu';
const clock = (at: number) =>
  new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', timeZone: ZONE }).format(at);
const minute = (index: number) => new Date(NOON + index * 60_000).toISOString();
const steps = (...depths: number[]) =>
  depthSteps({ flow: depths.map((waiting, index) => ({ at: minute(index), waiting })), to: minute(depths.length) });

it.each([
  ['six hours back', -24 * 60, '2026-03-01T06:00:00.000Z'],
  ['back to the project’s creation', -90, '2026-03-01T10:30:00.000Z'],
  ['at least ten minutes back', -1, '2026-03-01T11:50:00.000Z'],
])('the depth line looks %s, by minute', (_, createdAt, from) => {
  expect(depthQuery(NOON, NOON + createdAt * 60_000)).toEqual({ from, bucket: 'minute' });
});

it('the depth line ends now, not at the end of the minute', () => {
  const drawn = depthSteps({ flow: [{ at: minute(0), waiting: 3 }], to: '2026-03-01T12:00:20.000Z' });
  expect(drawn).toEqual([{ start: NOON, end: NOON + 20_000, lead: 0, main: 3, partial: false }]);
});

describe('the sentence of the depth line', () => {
  it.each<[string, number[], string]>([
    ['nothing', [0, 0, 0], 'Nothing was waiting.'],
    ['no data', [], 'Nothing was waiting.'],
    ['a peak now', [1, 3, 7], '7 now (peak).'],
    ['an earlier peak', [1, 9, 2], `2 now, peak 9 at ${clock(NOON + 60_000)} Kathmandu time.`],
    ['two equal peaks: the later one', [9, 1, 9, 2], `2 now, peak 9 at ${clock(NOON + 120_000)} Kathmandu time.`],
    ['an empty queue after a peak', [4, 0], `0 now, peak 4 at ${clock(NOON)} Kathmandu time.`],
  ])('of %s', (_, depths, said) => {
    expect(depthAnswer(steps(...depths), ZONE)).toBe(said);
  });
});

describe('the last errors', () => {
  const delivery = (status: Delivery['status'], attempt: number) =>
    ({ id: `${status} ${attempt}`, status, attempt }) as Delivery;

  it('are the dead ones and those that failed so far, newest first', () => {
    const rows = [
      delivery('pending', 0),
      delivery('pending', 2),
      delivery('succeeded', 3),
      delivery('sending', 0),
      delivery('sending', 1),
      delivery('paused', 1),
      delivery('paused', 0),
      delivery('cancelled', 4),
      delivery('dead', 10),
    ];
    expect(lastErrors(rows).map(({ id }) => id)).toEqual(['pending 2', 'sending 1', 'paused 1', 'dead 10']);
  });

  it('are limited to five', () => {
    expect(lastErrors(Array.from({ length: 9 }, () => delivery('dead', 10)))).toHaveLength(5);
  });
});
