// The names of a fixed list as SQL literals, for `in (…)` and for the condition of an index.

/** Only for names that the code declares: nothing is escaped. */
export const inList = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(', ');
