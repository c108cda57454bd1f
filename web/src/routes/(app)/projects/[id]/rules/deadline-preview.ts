// What the deadline of a project means for an item that brings none, in one sentence.
import { duration } from '#lib/format/format.ts';
import { faultsOf, parseNumber, type Draft } from '../settings/settings-draft.ts';
import { settingsMessages } from '../settings/settings-messages.ts';

/** Empty while the deadline is no valid number of minutes. */
export function deadlinePreview(draft: Draft): string {
  const { none, then } = settingsMessages.deadline;
  const typed = draft.deadline_minutes.trim();
  if (typed === '') return none;
  if (faultsOf(draft).deadline_minutes !== undefined) return '';
  return then[draft.on_deadline](duration(parseNumber(typed) * 60_000));
}
