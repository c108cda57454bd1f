// How long things are kept (KE): what a change of the form keeps for less time than before, and what goes sooner with its item.
import { faultsOf, parseNumber, type Draft, type FieldName } from '../settings/settings-form.ts';

/** In the order of the page. */
export const RETENTION_FIELDS = [
  'retention_payload_days',
  'retention_attempt_days',
  'retention_item_days',
] as const satisfies readonly FieldName[];
export type RetentionField = (typeof RETENTION_FIELDS)[number];

export const isRetentionField = (field: FieldName): field is RetentionField =>
  RETENTION_FIELDS.some((kept) => kept === field);

/** Days as typed: without end where nothing is, NaN of what is no number. */
const daysOf = (typed: string): number => (typed.trim() === '' ? Infinity : parseNumber(typed));

export interface Shortened {
  field: RetentionField;
  /** For how many days from now on. */
  days: number;
}

/** What saving would keep for less time than now: of it something may go for good. */
export function shortenedIn(before: Draft, after: Draft): Shortened[] {
  return RETENTION_FIELDS.flatMap((field) => {
    const days = daysOf(after[field]);
    return days < daysOf(before[field]) ? [{ field, days }] : [];
  });
}

/** After how many days the item takes along what this would keep for longer (KE4). Null where it does not. */
export function deletedWithItemAfter(draft: Draft, field: RetentionField): number | null {
  if (field === 'retention_item_days' || faultsOf(draft).retention_item_days !== undefined) return null;
  const whole = daysOf(draft.retention_item_days);
  return whole < daysOf(draft[field]) ? whole : null;
}
