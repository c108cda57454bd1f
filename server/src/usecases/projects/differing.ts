// Picks the fields that a change of settings altered, for the change log.
type Values = Record<string, unknown>;

/** The fields that differ between two values of one shape, as `before` and `after` of a change. */
export function differing(before: object, after: object): { before: Values; after: Values } {
  const [from, to] = [before as Values, after as Values];
  const keys = Object.keys(to).filter((key) => JSON.stringify(from[key]) !== JSON.stringify(to[key]));
  const pick = (values: Values): Values => Object.fromEntries(keys.map((key) => [key, values[key] ?? null]));
  return { before: pick(from), after: pick(to) };
}
