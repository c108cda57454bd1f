// The audit result as text: known, unknown, and why.
import type { Audits } from '@countersign/shared/schemas/audits';
import { day } from '#lib/format/format.ts';
import { anytimeUpperBound, clopperPearson } from '@countersign/shared/statistics/statistics';
import { describe, expect, it } from 'vitest';
import { auditsAnswer, auditsTable, isFew } from './answer.ts';

const none: Audits = {
  from: '2026-10-24T00:00:00.000Z',
  to: '2026-11-23T00:00:00.000Z',
  server_time: '2026-11-23T00:00:00.000Z',
  rate: 0.02,
  auto_threshold: 0.95,
  drawn: 0,
  judged: 0,
  wrong: 0,
  waiting: 0,
  ended: 0,
  more: false,
  gap: false,
  estimate: null,
  bound: null,
  anytime: null,
  began: { why: 'time', model: null },
  budget: null,
};
/** Calculated by the server's functions, as the page's figures are. */
const judged = (n: number, wrong: number): Audits => ({
  ...none,
  drawn: n,
  judged: n,
  wrong,
  estimate: wrong / n,
  bound: clopperPearson(wrong, n, { sides: 'upper' })?.high ?? 1,
  anytime: anytimeUpperBound(wrong, n),
});
const some: Audits = { ...judged(300, 3), drawn: 314, waiting: 10, ended: 4 };
const budget = {
  share: 0.05,
  state: 'within',
  earlier_models: false,
  judged: 300,
  needed: 88,
  left: 0,
  over_since: null,
} as const;

describe('AU4: the answer', () => {
  it.each([
    [{ ...none, rate: 0 }, /^Not known: audits are off/],
    [none, /^Not known yet: 2% of auto-approvals/],
    [
      { ...none, drawn: 12, waiting: 2, ended: 10 },
      /^Not known yet: 12 sampled, none reviewed\. Audits wait in the queue/,
    ],
    [
      { ...none, drawn: 12, ended: 12 },
      /^Not known yet: 12 sampled, none reviewed before they expired or were withheld\.$/,
    ],
    [some, /^At most 3\.6% are wrong \(95% confidence\)\.$/],
    [judged(5, 0), /^Too few audits to tell: at most 5\d\.\d% are wrong \(95% confidence\)\.$/],
    [{ ...some, budget }, /Confirmed to be within the 5% budget\.$/],
    [
      { ...some, budget: { ...budget, share: 0.02, state: 'over', left: 300 } },
      /Possibly over the 2% budget\. 300 more error-free audits would confirm that the budget is met\.$/,
    ],
    [
      { ...judged(60, 0), budget: { ...budget, state: 'over', earlier_models: true, left: 28 } },
      /^Too few .*Possibly over .*, counting earlier models; the newest model alone has too few .* 28 more error-free audits/,
    ],
    [
      { ...judged(60, 0), budget: { ...budget, state: 'too_little', left: 28 } },
      /Not yet confirmed to be within the 5% budget\. 28 more error-free audits would confirm that the budget is met\.$/,
    ],
    [
      { ...judged(87, 0), budget: { ...budget, state: 'too_little', left: 1 } },
      /One more error-free audit would confirm that the budget is met\.$/,
    ],
    [{ ...some, budget: { ...budget, state: 'over', left: null } }, /No number of audits can confirm it at the moment/],
    [
      { ...none, budget: { ...budget, state: 'too_little', left: 88 } },
      /^Not known yet: .* 88 more error-free audits would confirm that the budget is met\.$/,
    ],
    [{ ...none, rate: 0, budget: { ...budget, state: 'too_little', left: null } }, /^Not known: [^.]*\. [^.]*\.$/],
  ] as const)('%# says %s', (audits, words) => {
    const { answer, known } = auditsAnswer(audits, 'UTC');
    expect(answer).toMatch(words);
    expect(known).toBe(audits.bound !== null);
  });

  it('adds the number of audits, and what is missing', () => {
    const { unit } = auditsAnswer({ ...some, gap: true, more: true }, 'UTC');
    expect(unit).toMatch(
      /confidence 0\.95 or higher .* n 300, 3 edited or rejected · 10 pending · 4 expired or withheld · newest 10,000 only · counted since .* · nothing was sampled/,
    );
  });

  it.each([
    [{ waiting: 10, ended: 0 }, /rejected · 10 pending · counted/],
    [{ waiting: 0, ended: 10 }, /rejected · 10 expired or withheld · counted/],
    [{ waiting: 0, ended: 0 }, /rejected · counted/],
  ])('does not say that ended audits are pending: %o', (counts, words) => {
    expect(auditsAnswer({ ...some, ...counts }, 'UTC').unit).toMatch(words);
  });

  it.each([
    [{ why: 'time', model: null }, ''],
    [{ why: 'auto_threshold', model: null }, ', when the auto-approval rules changed'],
    [{ why: 'raised', model: null }, ', when the threshold was raised automatically'],
    [{ why: 'model', model: 'm-2' }, ', when audits of model m-2 began'],
    [{ why: 'model', model: null }, ', when audits of answers without a model name began'],
  ] as const)('AU6: says since when and why: %o', (began, why) => {
    expect(auditsAnswer({ ...some, began }, 'Asia/Kathmandu').unit).toMatch(
      new RegExp(`· counted since ${day(some.from, 'Asia/Kathmandu')}${why}$`),
    );
  });

  it('is drawn hollow for a small sample', () => {
    expect(isFew(some)).toBe(false);
    expect(isFew({ judged: 29, budget: null })).toBe(true);
    expect(isFew({ judged: 400, budget: { ...budget, state: 'too_little' } })).toBe(true);
  });

  it.each([
    [300, 0, '1%', '1.5%'],
    [1000, 5, '1.1%', '1.5%'],
    [300, 3, '2.6%', '3.6%'],
  ])(
    'AU5: of %i audits with %i errors its table says at most %s checked once, and %s checked continuously',
    (n, wrong, once, often) => {
      const { rows } = auditsTable(judged(n, wrong));
      const of = (name: string) => rows.find(([first]) => first === name)?.[1];
      expect(of('at most (95%), checked once')).toEqual({
        value: clopperPearson(wrong, n, { sides: 'upper' })?.high,
        shown: once,
      });
      expect(of('at most (95%), checked continuously')).toEqual({
        value: anytimeUpperBound(wrong, n),
        shown: often,
      });
    },
  );

  it('leaves unknown values empty in its table', () => {
    const { rows } = auditsTable(none);
    for (const name of [
      'error rate',
      'at most (95%), checked once',
      'at most (95%), checked continuously',
      'error budget',
    ])
      expect(rows).toContainEqual([name, null]);
    expect(rows).toContainEqual(['sampled', 0]);
  });
});
