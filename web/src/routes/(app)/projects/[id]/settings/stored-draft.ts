// Stores the unsaved settings of a project in this browser tab, and reads them again, also those of an older page.
import { RENAMED_SETTINGS } from '@countersign/shared/settings';
import type { Draft } from './settings-draft.ts';
import type { Conflicts } from './settings-merge.ts';

interface StoredDraft {
  /** The server's state it was typed against. */
  before: Draft;
  draft: Draft;
  conflicts: Conflicts;
}

const keyOf = (key: string): string => `countersign.settings.${key}`;

/** With the present names, also of a form that an older page stored. */
const renamed = <T extends object>(stored: T | undefined): T =>
  Object.fromEntries(
    Object.entries(stored ?? {}).map(([field, value]) => [RENAMED_SETTINGS[field] ?? field, value]),
  ) as T;

/** The stored form of one user and project, or null. Fields missing in an older page's form are filled from `now`. */
export function storedDraft(key: string, now: Draft): StoredDraft | null {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(keyOf(key)) ?? 'null');
    if (stored === null) return null;
    // Written by storeDraft of this very tab, so of this shape, possibly by an older page.
    const { before, draft, conflicts, contests } = stored as Partial<StoredDraft> & { contests?: Conflicts };
    return {
      before: { ...now, ...renamed(before) },
      draft: { ...now, ...renamed(draft) },
      conflicts: renamed(conflicts ?? contests ?? {}),
    };
  } catch {
    return null;
  }
}

/** Stores a form. Without storage it lasts as long as the page. */
export function storeDraft(key: string, stored: StoredDraft): void {
  try {
    sessionStorage.setItem(keyOf(key), JSON.stringify(stored));
  } catch {
    // Forbidden or full: the page itself still has it.
  }
}

/** Forgets the stored form of one user and project. */
export function forgetDraft(key: string): void {
  try {
    sessionStorage.removeItem(keyOf(key));
  } catch {
    // Nothing was stored either.
  }
}
