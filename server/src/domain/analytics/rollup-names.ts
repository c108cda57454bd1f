// Maps a flag, model or source to its rollup key and back, so that no name is confused with the absence of one (AN29).

/** The key of items without a flag, a model or a source. */
const NONE = { flag: 'no flag', model: 'unknown', source: 'unknown' } as const;
/** Prefix of a name that is spelled like the key for the absence of one. */
const NAMED = '\u0001';

type Named = keyof typeof NONE;

/** The key that a flag, model or source is counted under; null is an item without one (AN29). */
export function keyOfName(measure: Named, name: string | null): string {
  if (name === null) return NONE[measure];
  return name === NONE[measure] || name.startsWith(NAMED) ? NAMED + name : name;
}

/** The flag, model or source of a key: null for items without one, empty for the shared key of all others. */
export function nameOfKey(measure: Named, key: string): string | null {
  if (key === NONE[measure]) return null;
  return key.startsWith(NAMED) ? key.slice(NAMED.length) : key;
}
