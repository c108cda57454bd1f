// What was typed into a project's form and not saved, kept for this tab until it is; with the questions that two owners at once raise.
import type { Conflicts } from './settings-merge.ts';
import type { Draft } from './settings-form.ts';

interface StoredDraft {
  /** The server's state it was typed against. */
  before: Draft;
  draft: Draft;
  conflicts: Conflicts;
}

const keyOf = (key: string): string => `countersign.settings.${key}`;

/** The kept form of one person and project, or null. What an older page kept is filled up from `now`. */
export function storedDraft(key: string, now: Draft): StoredDraft | null {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(keyOf(key)) ?? 'null');
    if (stored === null) return null;
    // Written by keepDraft of this very tab, so of this shape, be it of an older page.
    const { before, draft, conflicts } = stored as Partial<StoredDraft>;
    return { before: { ...now, ...before }, draft: { ...now, ...draft }, conflicts: conflicts ?? {} };
  } catch {
    return null;
  }
}

/** Keeps a form. Without storage it lasts as long as the page. */
export function storeDraft(key: string, stored: StoredDraft): void {
  try {
    sessionStorage.setItem(keyOf(key), JSON.stringify(stored));
  } catch {
    // Forbidden or full: the page itself still holds it.
  }
}

export function forgetDraft(key: string): void {
  try {
    sessionStorage.removeItem(keyOf(key));
  } catch {
    // Nothing was kept either.
  }
}
