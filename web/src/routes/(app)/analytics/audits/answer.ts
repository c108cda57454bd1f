// The audit result, in one sentence and as a table: an unknown value is named, never drawn as zero.
import type { PlotTable } from '#lib/components/charts/table.ts';
import { SMALL_N } from '#lib/components/charts/small-n.ts';
import { confidence, count, day, percent } from '#lib/format/format.ts';
import type { Audits } from '@countersign/shared/schemas/audits';
import type { Answer } from '../report/answers.ts';
import { messages } from './messages.ts';

/** Few audits, or fewer than the budget requires: the mark is hollow. */
export const isFew = ({ judged, budget }: Pick<Audits, 'judged' | 'budget'>): boolean =>
  judged < SMALL_N || budget?.state === 'too_little' || budget?.earlier_models === true;

/** A bound is rounded up, so that it is never understated. */
export const bounded = (share: number): string => percent(Math.min(1, Math.ceil(share * 1000 - 1e-9) / 1000));

export function auditsAnswer(audits: Audits, timeZone: string): Answer {
  const { drawn, judged, wrong, waiting, ended, auto_threshold, gap, more } = audits;
  const unit = [
    messages.unit(count(judged), count(wrong), confidence(auto_threshold)),
    ...(waiting > 0 ? [messages.wait(count(waiting))] : []),
    ...(ended > 0 ? [messages.ended(count(ended))] : []),
    ...(more ? [messages.more] : []),
    ...since(audits, timeZone),
    ...(gap && drawn > 0 ? [messages.gap] : []),
  ].join(' · ');
  return { answer: sentence(audits), unit, known: audits.bound !== null };
}

function since({ from, began }: Audits, timeZone: string): string[] {
  if (began === null) return [];
  const model = began.model === null ? messages.noModel : messages.aModel(began.model);
  return [messages.since[began.why](day(from, timeZone), model)];
}

function unknown({ drawn, waiting, rate }: Audits): string {
  if (waiting > 0) return messages.waiting(count(drawn));
  if (drawn > 0) return messages.allEnded(count(drawn));
  return rate === 0 ? messages.none : messages.empty(percent(rate));
}

function sentence(audits: Audits): string {
  const { anytime, judged, rate, budget } = audits;
  const known = (bound: string) => (isFew({ judged, budget }) ? messages.few(bound) : messages.atMost(bound));
  const said = anytime === null ? unknown(audits) : known(bounded(anytime));
  return budget === null || (anytime === null && rate === 0) ? said : `${said} ${budgetWords(budget)}`;
}

const STATES = { within: messages.within, over: messages.over, too_little: messages.tooLittle } as const;

function budgetWords({ share, state, left, earlier_models: earlier }: NonNullable<Audits['budget']>): string {
  const said = (earlier ? messages.overThroughModels : STATES[state])(percent(share));
  if (left === 0) return said;
  return `${said} ${left === null ? messages.noneLeft : left === 1 ? messages.leftOne : messages.left(count(left))}`;
}

export function auditsTable(audits: Audits): PlotTable {
  const { auto_threshold, rate, drawn, judged, wrong, waiting, ended, estimate, bound, anytime, budget } = audits;
  const shownBy = (show: (value: number) => string) => (value: number | null) =>
    value === null ? null : { value, shown: show(value) };
  const [part, atMost] = [shownBy(percent), shownBy(bounded)];
  const { rows, columns } = messages;
  return {
    columns: [{ name: columns.figure }, { name: columns.value, numeric: true }],
    rows: [
      [rows.auto_threshold, { value: auto_threshold, shown: confidence(auto_threshold) }],
      [rows.rate, part(rate)],
      [rows.drawn, drawn],
      [rows.judged, judged],
      [rows.wrong, wrong],
      [rows.waiting, waiting],
      [rows.ended, ended],
      [rows.estimate, part(estimate)],
      [rows.bound, atMost(bound)],
      [rows.anytime, atMost(anytime)],
      [rows.budget, part(budget?.share ?? null)],
      [rows.left, budget?.left ?? null],
    ],
  };
}
