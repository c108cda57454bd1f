// Texts of what the entries of the form would do with the newest items (SK5).
import { count } from '#lib/format/format.ts';

const items = (n: number): string => (n === 1 ? '1 item' : `${count(n)} items`);
const would = (n: number): string => (n === 1 ? 'it would be' : 'they would be');

export const forecastMessages = {
  heading: 'If you save these entries',
  /** For people who cannot save. */
  headingOfReaders: 'What these entries do',
  loading: 'Loading what the entries would do',
  failed: "Couldn't load what the entries would do",
  empty: 'No items to count. What the entries would do with them appears here.',
  columns: {
    what: (n: number) => (n === 1 ? 'newest item' : `newest ${items(n)}`),
    reserved: 'items',
    active: 'active now',
    after: 'others after',
  },
  /** Null: it is unknown who is active. */
  active: (active: number | null, people: number): string => {
    if (people === 0) return 'nobody';
    return active === null ? 'unknown' : `${active} of ${people}`;
  },
  minutes: (minutes: number) => `${count(minutes)} min`,
  atOnce: 'at once',
  everybody: 'Other items for review',
  unattended: ({ items: n, least, most }: { items: number; least: number; most: number }) =>
    `Nobody who is active now would get ${items(n)} first: ${would(n)} for everyone after ${
      least === most ? '' : `${count(least)} to `
    }${most === 1 ? '1 minute' : `${count(most)} minutes`}.`,
  early: (n: number) =>
    `${items(n)} would be for everyone sooner, because of ${n === 1 ? 'its deadline' : 'their deadlines'}.`,
  note: (n: number, queued: number) =>
    `Counted on the newest ${items(n)}, as if these rules had routed them: ${count(queued)} would wait for review.`,
} as const;
