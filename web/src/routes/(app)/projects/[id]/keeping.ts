// How long things are kept (KE): what a change of the form keeps for less time than before, and what goes sooner with its item.
import { faultsOf, parseNumber, type Draft, type FieldName } from './settings-form.ts';

/** In the order of the page. */
export const KEPT = [
  'keep_payloads_days',
  'keep_attempts_days',
  'keep_ledger_days',
] as const satisfies readonly FieldName[];
export type KeptField = (typeof KEPT)[number];

export const isKept = (field: FieldName): field is KeptField => KEPT.some((kept) => kept === field);

/** Days as typed: without end where nothing is, NaN of what is no number. */
const daysOf = (typed: string): number => (typed.trim() === '' ? Infinity : parseNumber(typed));

export interface Shortened {
  field: KeptField;
  /** For how many days from now on. */
  days: number;
}

/** What saving would keep for less time than now: of it something may go for good. */
export function shortenedIn(before: Draft, after: Draft): Shortened[] {
  return KEPT.flatMap((field) => {
    const days = daysOf(after[field]);
    return days < daysOf(before[field]) ? [{ field, days }] : [];
  });
}

/** After how many days the item takes along what this would keep for longer (KE4). Null where it does not. */
export function goesWholeAfter(draft: Draft, field: KeptField): number | null {
  if (field === 'keep_ledger_days' || faultsOf(draft).keep_ledger_days !== undefined) return null;
  const whole = daysOf(draft.keep_ledger_days);
  return whole < daysOf(draft[field]) ? whole : null;
}
