// Lists a user's unsent drafts of an item for read-only display.
import type { Draft, Drafts, Notes } from '#lib/drafts/drafts.ts';

/** One answer with its reason and note; without an answer, a reason or a note alone. */
export interface UnsentDraft {
  readonly draft: Draft | null;
  readonly reason: string;
  readonly note: string;
}

/** The draft of this tab first, then the drafts of other tabs. */
export function unsentDraftsOf(drafts: Drafts, id: string): UnsentDraft[] {
  const [draft, words] = [drafts.read(id), drafts.notes(id)];
  const own = {
    draft,
    reason: [...new Set([draft?.reason ?? '', words.own])].filter(Boolean).join('\n'),
    note: [draft?.note ?? '', noteIn(words)].filter(Boolean).join('\n'),
  };
  const others = [
    ...drafts.others(id).map(({ value }) => ({ draft: value, reason: value.reason ?? '', note: value.note })),
    ...drafts.otherNotes(id).map((other) => ({ draft: null, reason: other.own, note: noteIn(other) })),
  ];
  const empty = draft === null && own.reason === '' && own.note === '';
  return [...(empty ? [] : [own]), ...others];
}

const noteIn = ({ note, response = '' }: Notes): string => [note, response].filter(Boolean).join('\n');

/** One draft as plain text for the clipboard. */
export const plainTextOf = ({ draft, reason, note }: UnsentDraft): string =>
  [draft?.text ?? '', reason, note].filter(Boolean).join('\n\n');
