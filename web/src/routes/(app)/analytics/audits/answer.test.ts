// What audits say in words: known, unknown, and why.
import type { Audits } from '@countersign/shared/api/audits';
import { describe, expect, it } from 'vitest';
import { auditsAnswer, auditsTable, isFew } from './answer.ts';

const none: Audits = {
  from: '2026-10-24T00:00:00.000Z',
  to: '2026-11-23T00:00:00.000Z',
  server_time: '2026-11-23T00:00:00.000Z',
  rate: 0.02,
  line: 0.95,
  drawn: 0,
  judged: 0,
  wrong: 0,
  more: false,
  gap: false,
  estimate: null,
  bound: null,
  budget: null,
};
const some: Audits = { ...none, drawn: 310, judged: 300, wrong: 3, estimate: 0.01, bound: 0.0256 };
const budget = { share: 0.05, state: 'within', judged: 100, needed: 59, raised_at: null, over_since: null } as const;

describe('AU4: the answer', () => {
  it.each([
    [{ ...none, rate: 0 }, /^Not known: nothing is drawn/],
    [none, /^Not known yet: 2% of what passes/],
    [{ ...none, drawn: 12 }, /^Not known yet: 12 drawn, and nobody/],
    [some, /^At most 2\.6% are wrong, with 95 %\.$/],
    [{ ...some, judged: 5, wrong: 0, bound: 0.4507 }, /^Too few audits to tell: at most 45\.1%/],
    [{ ...some, budget }, /The budget is 5%: within it\.$/],
    [{ ...some, budget: { ...budget, share: 0.02, state: 'over' } }, /The budget is 2%: it may be more\.$/],
    [{ ...some, judged: 40, budget: { ...budget, state: 'too_little' } }, /it takes 59 audits without an error\.$/],
    [
      { ...some, budget: { ...budget, state: 'too_little', judged: 12, raised_at: '2026-11-20T12:00:00.000Z' } },
      /^At most .* it takes 59 audits without an error\. Since the line was raised by itself there are 12\.$/,
    ],
  ] as const)('%# says %s', (audits, words) => {
    const { answer, known } = auditsAnswer(audits);
    expect(answer).toMatch(words);
    expect(known).toBe(audits.bound !== null);
  });

  it('says beside it of how many, and what is missing', () => {
    const { unit } = auditsAnswer({ ...some, gap: true, more: true });
    expect(unit).toMatch(
      /from 0\.95 up .* n 300, 3 edited or rejected · 10 still wait · the newest 10,000 · for a part/,
    );
  });

  it('is drawn hollow where it stands on few', () => {
    expect(isFew(some)).toBe(false);
    expect(isFew({ judged: 29, budget: null })).toBe(true);
    expect(isFew({ judged: 400, budget: { ...budget, state: 'too_little' } })).toBe(true);
  });

  it('leaves empty in its table what is not known', () => {
    const { rows } = auditsTable(none);
    for (const name of ['error', 'at most, with 95 %', 'error budget']) expect(rows).toContainEqual([name, null]);
    expect(rows).toContainEqual(['drawn', 0]);
  });
});
