// The sentences above the plots: correct at the limits, and honest about unknown values.
import { share as percent } from '#lib/format/format.ts';
import { wilson } from '@countersign/shared/statistics/statistics';
import { describe, expect, it } from 'vitest';
import type { PlotTable } from '#lib/components/charts/table.ts';
import { expiredTable, invalidTable } from './tables.ts';
import { mixOf } from './mix.ts';
import {
  expiredAnswer,
  flowAnswer,
  invalidAnswer,
  mixAnswer,
  overridesAnswer,
  slowerAnswer,
  timeAnswer,
  webhookAnswer,
} from './answers.ts';

/** `queued` wait and `past_due` of them are late; what came to people and what they decided. */
const queue = (queued: number, past_due: number, [enqueued, decided]: [number, number] = [4, 4]) => ({
  ...{ waiting: { queued, escalated: 0 }, past_due, arrived: 10, enqueued, decided },
});

describe('flowAnswer', () => {
  it.each([
    [
      queue(1743, 0, [2400, 657]),
      'No: 1,743 more sent to review than decided in the last 24 hours. None of the 1,743 waiting is past due.',
    ],
    [queue(5, 1, [4, 10]), 'Yes: 6 more decided than sent to review in the last 24 hours. 1 of 5 waiting is past due.'],
    [queue(5, 2), 'Yes: as many decided as sent to review in the last 24 hours. 2 of 5 waiting are past due.'],
    [queue(1, 0), 'Yes: as many decided as sent to review in the last 24 hours. The one that waits is not past due.'],
    [queue(0, 0), 'Yes: nothing is waiting.'],
    [
      queue(20_000, 10_000, [9, 4]),
      'No: 5 more sent to review than decided in the last 24 hours. 10,000+ of 20,000 waiting are past due.',
    ],
  ])('AN33: is no where the queue grew, and says then what is past due (LC3): %#', (report, answer) => {
    expect(flowAnswer(report, 'day').answer).toBe(answer);
  });

  it('adds all arrivals to the items for people', () => {
    expect(flowAnswer(queue(5, 0, [7, 4]), 'day').unit).toBe(
      'per hour · 7 sent to review (of 10 received) · 4 decided by reviewers',
    );
  });

  it('draws nothing when nothing happened and nothing waits', () => {
    const idle = { waiting: { queued: 0, escalated: 0 }, past_due: 0, arrived: 0, enqueued: 0, decided: 0 };
    expect(flowAnswer(idle, 'hour')).toMatchObject({ known: false });
    expect(flowAnswer({ ...idle, waiting: { queued: 0, escalated: 1 } }, 'hour')).toMatchObject({ known: true });
  });
});

describe('timeAnswer', () => {
  it('says that there are no decisions, rather than zero', () => {
    const none = timeAnswer({ time_to_decision: { n: 0, p50: null, p90: null, p99: null } }, 'week');
    expect(none).toMatchObject({ known: false });
    expect(none.answer).toMatch(/^No decisions/);
  });

  it('names a small sample', () => {
    const of = (n: number) => timeAnswer({ time_to_decision: { n, p50: 480, p90: 1320, p99: 3000 } }, 'week');
    expect(of(217)).toEqual({
      answer: '50% within 8 min, 90% within 22 min.',
      unit: 'from arrival to human decision (log scale) · 99% within 50 min · n 217',
      known: true,
    });
    expect(of(29).unit).toContain('n 29 (small sample)');
    expect(of(1).answer).toBe('One decision, 8 min after the item was received.');
  });

  it('describes less than a second', () => {
    const fast = timeAnswer({ time_to_decision: { n: 2, p50: 0.2, p90: 0.9, p99: 0.9 } }, 'day');
    expect(fast.answer).toBe('50% within 0.2 s, 90% within 0.9 s.');
  });
});

describe('slowerAnswer', () => {
  const timeBucket = (start: number, n: number, p50: number | null) => {
    return { start, end: start + 1, n, times: p50 === null ? null : { p50, p90: p50 * 2, p99: p50 * 3 } };
  };
  const name = ({ start }: { start: number }) => `hour ${start}`;

  it('names the slowest bucket, the first of two, and counts only those with decisions', () => {
    const said = slowerAnswer(
      [timeBucket(1, 3, 60), timeBucket(2, 0, null), timeBucket(3, 9, 600), timeBucket(4, 2, 600)],
      'day',
      name,
    );
    expect(said.answer).toBe('Slowest: hour 3, 50% within 10 min.');
    expect(said.unit).toContain('n 14 in 3 intervals');
  });

  it('says that there are no decisions, rather than zero', () => {
    const none = slowerAnswer([timeBucket(1, 0, null)], 'week', name);
    expect(none).toMatchObject({ known: false });
    expect(none.answer).toMatch(/^No decisions/);
  });
});

describe('mixAnswer', () => {
  const mix = {
    auto_approved: 1,
    queued: 2,
    escalated: 1,
    rejected: 0,
    approved: 0,
    escalated_final: 0,
    withdrawn: 0,
    expired: 0,
  };
  const routing = { auto_approved: 1, queued: 2, escalated: 1, rejected: 0 };
  const report = { mix, routing, arrived: 4, audits: { waiting: 0 } };

  it('counts both open statuses as waiting', () => {
    expect(mixAnswer(report, 'day').answer).toBe(`1 of 4 auto-approved (${percent(1, 4)}), 3 waiting.`);
  });

  it('AN34: counts what was shipped as automatic, in audit or revised since', () => {
    const shipped = { ...report, arrived: 2640, routing: { ...routing, auto_approved: 344 }, audits: { waiting: 70 } };
    expect(
      mixAnswer({ ...shipped, mix: { ...mix, auto_approved: 344, approved: 623, queued: 1673, escalated: 0 } }, 'day')
        .answer,
    ).toBe('344 of 2,640 auto-approved (13%), 70 of them waiting for an audit. 1,673 others waiting.');
    expect(mixAnswer({ ...shipped, mix: { ...mix, auto_approved: 342 } }, 'day').answer).toContain(
      '70 of them waiting for an audit, 2 revised since. 3 others waiting.',
    );
  });

  it('says the share that the bar beside it shows', () => {
    const thirds = { ...mix, auto_approved: 1, approved: 1, rejected: 4, queued: 0, escalated: 0 };
    const answer = mixAnswer({ ...report, mix: thirds, arrived: 6 }, 'day').answer;
    expect(mixOf(thirds).map(({ share }) => share)).toEqual(['17%', '17%', '66%']);
    expect(answer).toContain('1 of 6 auto-approved (17%)');
    const tie = { ...mix, auto_approved: 1, approved: 1, rejected: 1, queued: 0, escalated: 0 };
    expect(mixAnswer({ ...report, mix: tie, arrived: 3 }, 'day').answer).toContain('(34%)');
  });

  it('has no shares of an empty whole', () => {
    expect(mixAnswer({ ...report, arrived: 0 }, 'day').known).toBe(false);
  });
});

describe('webhookAnswer', () => {
  const NOW = Date.parse('2026-03-01T12:40:00.000Z');
  const none = { n: 0, p50: null, p90: null, p99: null };
  const said = (succeeded: number, dead: number, retrying: number) => {
    const oldest_retrying_at = retrying > 0 ? '2026-03-01T12:00:00.000Z' : null;
    const attempts = { succeeded: succeeded + 3, dead: dead + 4, failed: 9, paused: 0, time_to_deliver: none };
    const webhook = { ...attempts, deliveries: { succeeded, dead }, retrying, oldest_retrying_at };
    return webhookAnswer({ webhook }, 'day', NOW);
  };

  it.each([
    [199, 1, 4, '99.5% of 200 deliveries arrived, 1 failed permanently. 4 retrying, the oldest for 40 min.'],
    [20, 0, 0, 'All 20 deliveries arrived.'],
    [1, 0, 1, 'The one delivery arrived. 1 retrying for 40 min.'],
    [0, 1, 0, '0% of one delivery arrived, 1 failed permanently.'],
    [0, 0, 2, 'No delivery has ended yet. 2 retrying, the oldest for 40 min.'],
    [0, 0, 0, 'No webhook deliveries in the last 24 hours.'],
  ])(
    'WH10: counts deliveries and not attempts: %i arrived, %i dead, %i retrying',
    (succeeded, dead, retrying, words) => {
      expect(said(succeeded, dead, retrying)).toBe(words);
    },
  );
});

describe('overridesAnswer', () => {
  const share = { key: 'long_input', decided: 432, overridden: 332, interval: wilson(332, 432) };
  const report = { overrides: { by_flag: [share], by_model: [], by_source: [] }, decided: 432, overridden: 332 };

  it('names the most certain group with its interval', () => {
    expect(overridesAnswer(report, 'day').answer).toBe(
      `Most often for long_input: ${percent(77, 100)} changed or rejected (${percent(95, 100)} interval: ${percent(73, 100)} to ${percent(81, 100)}).`,
    );
  });

  it('distinguishes never, too few and not known', () => {
    expect(overridesAnswer({ ...report, overridden: 0 }, 'day')).toMatchObject({ known: true });
    expect(overridesAnswer({ ...report, overridden: 0 }, 'day').answer).toMatch(/^No changes in 432/);
    const few = {
      ...report,
      overrides: { ...report.overrides, by_flag: [{ key: 'x', decided: 9, overridden: 9, interval: wilson(9, 9) }] },
    };
    expect(overridesAnswer(few, 'day').answer).toMatch(/^Not enough data/);
    expect(overridesAnswer({ ...report, decided: 0, overridden: 0 }, 'day')).toMatchObject({ known: false });
  });
});

/** The first cells of each row as the page shows them. */
const shown = (rows: PlotTable['rows'], cells: number) =>
  rows.map((row) => row.slice(0, cells).map((value) => (typeof value === 'object' ? value?.shown : value)));

describe('invalidAnswer', () => {
  const row = (key: string | null, judged: number, invalid: number) => ({
    ...{ key, judged, invalid },
    interval: wilson(invalid, judged),
  });

  it.each([
    [[row('m-1', 40, 3), row(null, 10, 2)], "5 of 50 checked suggestions don't fit (10%).", true],
    [[row('m-1', 1200, 0)], 'All 1,200 checked suggestions fit.', true],
    [[], 'No suggestions were checked against a schema in the last 24 hours.', false],
  ])('AN31: counts over all models, and claims nothing of none: %#', (invalid, answer, known) => {
    expect(invalidAnswer({ invalid, invalid_since: null, time_zone: 'UTC' }, 'day')).toMatchObject({ answer, known });
  });

  it('AN31: says since when arrivals are counted, in the zone of the project, where earlier content was deleted', () => {
    const unit = (invalid_since: string | null) =>
      invalidAnswer({ invalid: [row('m-1', 40, 3)], invalid_since, time_zone: 'Asia/Kathmandu' }, 'month').unit;
    expect(unit(null)).toMatch(/^newest 10,000 arrivals at most, Wilson/);
    expect(unit('2026-03-01T10:00:00.000Z')).toMatch(
      /^newest 10,000 arrivals at most since .*3:45.* \(retention has deleted the content of some earlier ones\), Wilson/,
    );
  });

  it('AN31: has each model in the table, the most certainly wrong first', () => {
    const { rows } = invalidTable([row('m-1', 400, 10), row(null, 10, 9), row('m-2', 2, 0)]);
    expect(shown(rows, 4)).toEqual([
      ['no model', 10, 9, '90%'],
      ['m-1', 400, 10, '3%'],
      ['m-2', 2, 0, '0%'],
    ]);
  });
});

describe('expiredAnswer', () => {
  const group = (key: string | null, n: number, ended: number) => ({ key, n, ended, interval: wilson(n, ended) });
  const expired = (n: number, ended: number) => ({
    ...{ n, ended, interval: wilson(n, ended) },
    by_flag: [group(null, n, ended), group('pii', 1, 1)],
    by_model: [group('m-1', 3, 40), group('', 5, 10)],
  });

  it.each([
    [expired(8, 50), '8 of 50 items were not decided before their deadline: 16% (95% interval: 8% to 29%).', true],
    [expired(0, 50), 'No item missed its deadline in the last 24 hours.', false],
    [expired(0, 0), 'No item missed its deadline in the last 24 hours.', false],
  ])('AN32: says the share with its interval, and claims nothing of none: %#', (of, answer, known) => {
    expect(expiredAnswer({ expired: of }, 'day')).toMatchObject({ answer, known });
  });

  it('AN32: has each flag and model in the table, the most certain share first', () => {
    expect(shown(expiredTable(expired(8, 50)).rows, 5)).toEqual([
      ['flag', 'pii', 1, 1, '100%'],
      ['flag', 'no flag', 50, 8, '16%'],
      ['model', 'all others', 10, 5, '50%'],
      ['model', 'm-1', 40, 3, '8%'],
    ]);
  });
});
