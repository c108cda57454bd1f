// Retention periods (KE): which ones a change of the form shortens, and which data is deleted earlier with its item.
import { settingsIn } from '@countersign/shared/settings';
import { faultsOf, parseNumber, type Draft } from '../settings/settings-draft.ts';

/** In the order of the page. */
export const RETENTION_FIELDS = settingsIn('retention');
export type RetentionField = (typeof RETENTION_FIELDS)[number];

/** Days as typed: unlimited where empty, NaN for an invalid number. */
const daysOf = (typed: string): number => (typed.trim() === '' ? Infinity : parseNumber(typed));

export interface Shortened {
  field: RetentionField;
  /** The new number of days. */
  days: number;
}

/** The periods that saving would shorten: some data may be deleted for good. */
export function shortenedIn(before: Draft, after: Draft): Shortened[] {
  return RETENTION_FIELDS.flatMap((field) => {
    const days = daysOf(after[field]);
    return days < daysOf(before[field]) ? [{ field, days }] : [];
  });
}

/** After how many days data with a longer period is deleted with its item (KE4). Null where it is not. */
export function deletedWithItemAfter(draft: Draft, field: RetentionField): number | null {
  if (field === 'retention_item_days' || faultsOf(draft).retention_item_days !== undefined) return null;
  const whole = daysOf(draft.retention_item_days);
  return whole < daysOf(draft[field]) ? whole : null;
}
