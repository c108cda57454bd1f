// Scales long tests: one short round in `npm test`, their full length in `npm run test:soak`.

export const SOAK = process.env.SOAK === '1';

/** The number for `npm test`, or the one for a soak. */
export const scaled = (short: number, long: number): number => (SOAK ? long : short);

/** All cases in a soak, these few in `npm test`. Throws for one that is not among all. */
export function shortlist<T extends string>(all: readonly T[], few: readonly NoInfer<T>[]): readonly T[] {
  const unknown = few.filter((name) => !all.includes(name));
  if (unknown.length > 0) throw new Error(`No such cases: ${unknown.join(', ')}`);
  return SOAK ? all : few;
}
