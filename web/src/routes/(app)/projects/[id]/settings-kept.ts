// What was typed into a project's form and not saved, kept for this tab until it is; with the questions that two owners at once raise.
import type { Contests } from './settings-merge.ts';
import type { Draft } from './settings-form.ts';

interface Kept {
  /** The server's state it was typed against. */
  before: Draft;
  draft: Draft;
  contests: Contests;
}

const keyOf = (key: string): string => `countersign.settings.${key}`;

/** The kept form of one person and project, or null. What an older page kept is filled up from `now`. */
export function keptDraft(key: string, now: Draft): Kept | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(keyOf(key)) ?? 'null');
    if (kept === null) return null;
    // Written by keepDraft of this very tab, so of this shape, be it of an older page.
    const { before, draft, contests } = kept as Partial<Kept>;
    return { before: { ...now, ...before }, draft: { ...now, ...draft }, contests: contests ?? {} };
  } catch {
    return null;
  }
}

/** Keeps a form. Without storage it lasts as long as the page. */
export function keepDraft(key: string, kept: Kept): void {
  try {
    sessionStorage.setItem(keyOf(key), JSON.stringify(kept));
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
