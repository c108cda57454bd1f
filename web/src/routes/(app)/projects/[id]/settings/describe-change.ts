// Describes a change of the form for the save bar: "auto-approve from 0.95 → 0.85".
import { SETTINGS, type Setting } from '@countersign/shared/settings';
import type { Draft, FieldName } from './settings-draft.ts';
import { optionText, settingsMessages as messages } from './settings-messages.ts';
import { skillText } from './skill-entries.ts';

export interface Change {
  field: FieldName;
  label: string;
  /** The removed and the added value; null where there is none. */
  from: string | null;
  to: string | null;
}

/** One field's change, said as its declaration says: lists name removed and added entries, long texts only the edit. */
export function describeChange(field: FieldName, before: Draft, after: Draft): Change {
  const label = messages.fields[field];
  const { log } = SETTINGS[field];
  if (log === 'edited') {
    const isEmpty = String(after[field]).trim() === '';
    return { field, label, from: null, to: isEmpty ? messages.saveBar.removed : messages.saveBar.edited };
  }
  if (log === 'entries')
    return { field, label, ...listChange(field, entriesOf(before[field]), entriesOf(after[field])) };
  return { field, label, from: formatValue(field, before), to: formatValue(field, after) };
}

const entriesOf = (value: Draft[FieldName]): string[] => (Array.isArray(value) ? value : []);

/** One field's value as text. */
export function formatValue(field: FieldName, draft: Draft): string {
  const [value, setting]: [Draft[FieldName], Setting] = [draft[field], SETTINGS[field]];
  if (Array.isArray(value)) return joined(field, value) ?? messages.saveBar.none;
  if (setting.control === 'choice') return optionText(field, value);
  const isNumber = setting.control === 'number';
  const empty = isNumber ? messages.saveBar[setting.whenNull] : messages.saveBar.none;
  const unit = isNumber && setting.unit !== null ? messages.saveBar.units[setting.unit] : '';
  return value.trim() === '' ? empty : value.trim() + unit;
}

/** One entry of a list as text. */
export const entryText = (field: FieldName, entry: string): string =>
  SETTINGS[field].control === 'skills' ? skillText(entry) : entry;

/** Entries as one text; null for none. */
const joined = (field: FieldName, entries: readonly string[]): string | null =>
  entries.map((entry) => entryText(field, entry)).join(SETTINGS[field].control === 'skills' ? '; ' : ', ') || null;

function listChange(field: FieldName, before: string[], after: string[]): { from: string | null; to: string | null } {
  const left = before.filter((entry) => !after.includes(entry));
  const came = after.filter((entry) => !before.includes(entry));
  if (left.length === 0 && came.length === 0) return { from: null, to: messages.saveBar.newOrder };
  return { from: joined(field, left), to: joined(field, came) };
}
