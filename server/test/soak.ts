// Scales long tests: one short round in `npm test`, their full length in `npm run test:soak`.

export const SOAK = process.env.SOAK === '1';

/** The number for `npm test`, or the one for a soak. */
export const scaled = (short: number, long: number): number => (SOAK ? long : short);
