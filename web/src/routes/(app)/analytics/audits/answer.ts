// What audits say, in one sentence and as a table: what is not known is said, never drawn as zero.
import type { PlotTable } from '#lib/components/charts/table.ts';
import { SMALL_N } from '#lib/components/charts/small-n.ts';
import { confidence, count, day, percent } from '#lib/format.ts';
import type { Audits } from '@countersign/shared/api/audits';
import type { Answer } from '../answers.ts';
import { words } from './text.ts';

/** Few audits, or fewer than the budget takes: the mark is hollow. */
export const isFew = ({ judged, budget }: Pick<Audits, 'judged' | 'budget'>): boolean =>
  judged < SMALL_N || budget?.state === 'too_little' || budget?.earlier_models === true;

/** A bound is rounded up: less than it may be is never said. */
export const bounded = (share: number): string => percent(Math.min(1, Math.ceil(share * 1000 - 1e-9) / 1000));

export function auditsAnswer(audits: Audits): Answer {
  const { drawn, judged, wrong, line, gap, more } = audits;
  const unit = [
    words.unit(count(judged), count(wrong), confidence(line)),
    ...(drawn > judged ? [words.wait(count(drawn - judged))] : []),
    ...(more ? [words.more] : []),
    ...since(audits),
    ...(gap && drawn > 0 ? [words.gap] : []),
  ].join(' · ');
  return { answer: sentence(audits), unit, known: audits.bound !== null };
}

function since({ from, began }: Audits): string[] {
  if (began === null) return [];
  const model = began.model === null ? words.noModel : words.aModel(began.model);
  return [words.since[began.why](day(from), model)];
}

function sentence({ anytime, drawn, judged, rate, budget }: Audits): string {
  const unknown = () =>
    drawn > 0 ? words.waiting(count(drawn)) : rate === 0 ? words.none : words.empty(percent(rate));
  const known = (bound: string) => (isFew({ judged, budget }) ? words.few(bound) : words.atMost(bound));
  const said = anytime === null ? unknown() : known(bounded(anytime));
  return budget === null || (anytime === null && rate === 0) ? said : `${said} ${budgetWords(budget)}`;
}

const STATES = { within: words.within, over: words.over, too_little: words.tooLittle } as const;

function budgetWords({ share, state, left, earlier_models: earlier }: NonNullable<Audits['budget']>): string {
  const said = (earlier ? words.overThroughModels : STATES[state])(percent(share));
  if (left === 0) return said;
  return `${said} ${left === null ? words.noneLeft : left === 1 ? words.leftOne : words.left(count(left))}`;
}

export function auditsTable(audits: Audits): PlotTable {
  const { line, rate, drawn, judged, wrong, estimate, bound, anytime, budget } = audits;
  const shownBy = (show: (value: number) => string) => (value: number | null) =>
    value === null ? null : { value, shown: show(value) };
  const [part, atMost] = [shownBy(percent), shownBy(bounded)];
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
      [rows.bound, atMost(bound)],
      [rows.anytime, atMost(anytime)],
      [rows.budget, part(budget?.share ?? null)],
      [rows.left, budget?.left ?? null],
    ],
  };
}
