// Under which key a flag, model or source is counted, so that no name is taken for none (AN29).

/** What an item without a flag, a model or a source is counted under. */
const NONE = { flag: 'no flag', model: 'unknown', source: 'unknown' } as const;
/** Begins the key of a name that is written like what stands for none. */
const NAMED = '\u0001';

type Named = keyof typeof NONE;

/** The key that a flag, model or source is counted under; null is an item without one (AN29). */
export function keyOfName(measure: Named, name: string | null): string {
  if (name === null) return NONE[measure];
  return name === NONE[measure] || name.startsWith(NAMED) ? NAMED + name : name;
}

/** The flag, model or source of a key: null for items without one, empty for what is counted together. */
export function nameOfKey(measure: Named, key: string): string | null {
  if (key === NONE[measure]) return null;
  return key.startsWith(NAMED) ? key.slice(NAMED.length) : key;
}
