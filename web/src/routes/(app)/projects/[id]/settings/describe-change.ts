// Describes a change of the form for the save bar: "automatic from 0.95 → 0.85".
import { isRetentionField } from '../rules/retention.ts';
import { retentionMessages } from '../rules/retention-messages.ts';
import type { Draft, FieldName } from './settings-form.ts';
import { messages } from '../project-messages.ts';

export interface Change {
  field: FieldName;
  label: string;
  /** The removed and the added value; null where there is none. */
  from: string | null;
  to: string | null;
}

const UNITS: Partial<Record<FieldName, string>> = {
  undo_window_seconds: ' s',
  claim_lease_seconds: ' s',
  target_minutes: ' min',
};

/** One field's change. Lists name removed and added entries; long texts only that they were edited. */
export function describeChange(field: FieldName, before: Draft, after: Draft): Change {
  const label = messages.fields[field];
  if (field === 'guidelines') return { field, label, from: null, to: messages.saveBar.edited };
  if (field === 'escalate_flags' || field === 'reasons')
    return { field, label, ...listChange(before[field], after[field]) };
  return { field, label, from: formatValue(field, before), to: formatValue(field, after) };
}

/** One field's value as text. */
export function formatValue(field: FieldName, draft: Draft): string {
  const value = draft[field];
  if (field === 'below_review') return messages.rules.belowOptions[draft.below_review];
  if (field === 'over_budget') return messages.rules.overBudgetOptions[draft.over_budget];
  if (isRetentionField(field)) return retentionText(draft[field]);
  if (Array.isArray(value)) return value.join(', ') || messages.saveBar.none;
  return value.trim() === '' ? messages.saveBar.none : value.trim() + (UNITS[field] ?? '');
}

const retentionText = (typed: string): string =>
  typed.trim() === '' ? retentionMessages.forGood : retentionMessages.days(typed.trim());

function listChange(before: string[], after: string[]): { from: string | null; to: string | null } {
  const left = before.filter((entry) => !after.includes(entry));
  const came = after.filter((entry) => !before.includes(entry));
  if (left.length === 0 && came.length === 0) return { from: null, to: messages.saveBar.newOrder };
  return { from: left.join(', ') || null, to: came.join(', ') || null };
}
