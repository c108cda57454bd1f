// What audits say, in one sentence and as a table: what is not known is said, never drawn as zero.
import type { PlotTable } from '#lib/components/charts/table.ts';
import { SMALL_N } from '#lib/components/charts/small-n.ts';
import { confidence, count, percent } from '#lib/format.ts';
import type { Audits } from '@countersign/shared/api/audits';
import type { Answer } from '../answers.ts';
import { words } from './text.ts';

/** Few audits, or fewer than the budget takes: the mark is hollow. */
export const isFew = ({ judged, budget }: Pick<Audits, 'judged' | 'budget'>): boolean =>
  judged < SMALL_N || (budget?.state === 'too_little' && budget.raised_at === null);

export function auditsAnswer(audits: Audits): Answer {
  const { drawn, judged, wrong, line, gap, more } = audits;
  const unit = [
    words.unit(count(judged), count(wrong), confidence(line)),
    ...(drawn > judged ? [words.wait(count(drawn - judged))] : []),
    ...(more ? [words.more] : []),
    ...(gap && drawn > 0 ? [words.gap] : []),
  ].join(' · ');
  return { answer: sentence(audits), unit, known: audits.bound !== null };
}

function sentence(audits: Audits): string {
  const { bound, drawn, rate, budget } = audits;
  if (bound === null) {
    if (drawn > 0) return words.waiting(count(drawn));
    return rate === 0 ? words.none : words.empty(percent(rate));
  }
  const said = isFew(audits) ? words.few(percent(bound)) : words.atMost(percent(bound));
  return budget === null ? said : `${said} ${budgetWords(budget)}`;
}

function budgetWords({ share, state, judged, needed, raised_at: raisedAt }: NonNullable<Audits['budget']>): string {
  const budget = percent(share);
  if (state === 'too_little') {
    const takes = words.tooLittle(count(needed ?? Infinity), budget);
    return raisedAt === null ? takes : `${takes} ${words.sinceRaised(count(judged))}`;
  }
  return state === 'over' ? words.over(budget) : words.within(budget);
}

export function auditsTable({ line, rate, drawn, judged, wrong, estimate, bound, budget }: Audits): PlotTable {
  const part = (value: number | null) => (value === null ? null : { value, shown: percent(value) });
  const { rows, columns } = words;
  return {
    columns: [{ name: columns.figure }, { name: columns.value, numeric: true }],
    rows: [
      [rows.line, { value: line, shown: confidence(line) }],
      [rows.rate, part(rate)],
      [rows.drawn, drawn],
      [rows.judged, judged],
      [rows.wrong, wrong],
      [rows.estimate, part(estimate)],
      [rows.bound, part(bound)],
      [rows.budget, part(budget?.share ?? null)],
    ],
  };
}
