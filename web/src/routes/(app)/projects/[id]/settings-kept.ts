// What was typed into a project's form and not saved, kept for this tab until it is.
import type { Draft } from './settings-form.ts';

interface Kept {
  /** The server's state it was typed against. */
  before: Draft;
  draft: Draft;
}

const keyOf = (key: string): string => `countersign.settings.${key}`;

/** The kept form of one person and project, or null. */
export function keptDraft(key: string): Kept | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(keyOf(key)) ?? 'null');
    // Written by keepDraft of this very tab, so of this very shape.
    return kept === null ? null : (kept as Kept);
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
