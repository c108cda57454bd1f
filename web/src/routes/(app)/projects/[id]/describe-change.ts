// A change of the form in words, for the save bar: "automatic from 0.95 → 0.85".
import { isKept } from './keeping.ts';
import { keepingWords } from './keeping-text.ts';
import type { Draft, FieldName } from './settings-form.ts';
import { words } from './text.ts';

export interface Change {
  field: FieldName;
  label: string;
  /** What goes and what comes; null where nothing does. */
  from: string | null;
  to: string | null;
}

const UNITS: Partial<Record<FieldName, string>> = {
  undo_window_seconds: ' s',
  claim_lease_seconds: ' s',
  target_minutes: ' min',
};

/** One field's change. Lists name what left and what came; long texts only that they were edited. */
export function describeChange(field: FieldName, before: Draft, after: Draft): Change {
  const label = words.fields[field];
  if (field === 'guidelines') return { field, label, from: null, to: words.saveBar.edited };
  if (field === 'escalate_flags' || field === 'reasons')
    return { field, label, ...listChange(before[field], after[field]) };
  return { field, label, from: valueText(field, before), to: valueText(field, after) };
}

/** One field's value in words. */
export function valueText(field: FieldName, draft: Draft): string {
  const value = draft[field];
  if (field === 'below_review') return words.rules.belowOptions[draft.below_review];
  if (field === 'over_budget') return words.rules.overBudgetOptions[draft.over_budget];
  if (isKept(field)) return keptFor(draft[field]);
  if (Array.isArray(value)) return value.join(', ') || words.saveBar.none;
  return value.trim() === '' ? words.saveBar.none : value.trim() + (UNITS[field] ?? '');
}

const keptFor = (typed: string): string =>
  typed.trim() === '' ? keepingWords.forGood : keepingWords.days(typed.trim());

function listChange(before: string[], after: string[]): { from: string | null; to: string | null } {
  const left = before.filter((entry) => !after.includes(entry));
  const came = after.filter((entry) => !before.includes(entry));
  if (left.length === 0 && came.length === 0) return { from: null, to: words.saveBar.newOrder };
  return { from: left.join(', ') || null, to: came.join(', ') || null };
}
