// The palette's model, pure: its entries, which of them match a search, and which were used recently.

export const PALETTE_GROUPS = ['recent', 'here', 'go', 'projects', 'views', 'you', 'items', 'people'] as const;
export type PaletteGroup = (typeof PALETTE_GROUPS)[number];

export interface PaletteEntry {
  /** Stays the same from one opening to the next. */
  readonly id: string;
  readonly group: PaletteGroup;
  /** The searched and shown text. A part with a user-entered name is between the page's own words. */
  readonly words: readonly string[];
  /** An ID that finds it when it is the whole search. */
  readonly exact?: string;
  /** The cap of the key for the same command. */
  readonly key?: string;
  /** Only shown in a search: there are too many of them. */
  readonly rare?: true;
  /** The palette stays open until it is done, and reports a failure. */
  readonly waits?: boolean;
  readonly run: () => unknown;
}

/** The most results worth reading; a user who looks for another one types more. */
const MOST = 60;
const RECENT = 5;
const EXACT = 10;

const plain = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** How well an entry matches: it must contain every searched word, at the start of a word it counts more; 0 is no match. */
function scoreOf({ words, exact }: PaletteEntry, searched: readonly string[]): number {
  if (exact !== undefined && searched.length === 1 && searched[0] === exact) return EXACT;
  const text = plain(words.join(''));
  let score = 1;
  for (const word of searched) {
    const at = text.indexOf(word);
    if (at === -1) return 0;
    if (at === 0) score += 3;
    else if (text.includes(` ${word}`)) score += 2;
  }
  return score;
}

/** The entries to show, best first within their groups; the group with the best match comes first. */
export function findEntries(
  entries: readonly PaletteEntry[],
  search: string,
  recent: readonly string[],
): PaletteEntry[] {
  const searched = plain(search).split(/\s+/).filter(Boolean);
  if (searched.length === 0) return [...usedLately(entries, recent), ...entries.filter(({ rare }) => rare !== true)];
  const scored = entries
    .map((entry) => ({ entry, score: scoreOf(entry, searched) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST);
  const order = [...new Set(scored.map(({ entry }) => entry.group))];
  return order.flatMap((group) => scored.filter(({ entry }) => entry.group === group).map(({ entry }) => entry));
}

/** Copies in a group of their own: entries used recently and available now. */
function usedLately(entries: readonly PaletteEntry[], recent: readonly string[]): PaletteEntry[] {
  const known = new Map(entries.map((entry) => [entry.id, entry]));
  return recent
    .flatMap((id) => known.get(id) ?? [])
    .slice(0, RECENT)
    .map((entry) => ({ ...entry, id: `recent ${entry.id}`, group: 'recent' as const }));
}

/** The recently used entries, after one more. */
export const usedNow = (id: string, recent: readonly string[]): string[] => {
  const used = id.replace(/^recent /, '');
  return [used, ...recent.filter((other) => other !== used)].slice(0, RECENT);
};
