// Override rates with their intervals, in the order that shows where to look first.
import type { Analytics } from '@countersign/shared/schemas/analytics';
import { SMALL_N } from '#lib/components/charts/small-n.ts';

type Split = keyof Analytics['overrides'];
export const SPLITS = ['by_flag', 'by_model', 'by_source'] as const satisfies readonly Split[];

/** Groups joined because a day had more different ones than are counted separately (AN27). */
export const OTHER = 'all others';

/** The group of items without a flag, a model or a source. */
export const NONE = { by_flag: 'no flag', by_model: 'no model', by_source: 'no source' } as const satisfies Record<
  Split,
  string
>;

/** k overridden of n decided, with the Wilson interval at 95 %. */
export interface Rate {
  split: Split;
  /** Its name, or a description where it is not a single flag, model or source. */
  key: string;
  kind: 'named' | 'none' | 'other';
  k: number;
  n: number;
  low: number;
  high: number;
}

/**
 * The rates of one split, the highest lower bound first: a rate from few decisions has a low one, so chance does not lead the
 * list. Groups without a decision are omitted: their rate is unknown.
 */
export function ratesOf(overrides: Analytics['overrides'], split: Split): Rate[] {
  return overrides[split]
    .flatMap(({ key, decided: n, overridden: k, interval }) =>
      interval ? [{ split, ...called(split, key), k, n, ...interval }] : [],
    )
    .sort((a, b) => b.low - a.low || b.n - a.n || a.key.localeCompare(b.key));
}

/** The rates of suggestions that do not satisfy their schema, by model (AN31), in the same order. */
export const invalidRatesOf = (invalid: Analytics['invalid']): Rate[] =>
  ratesOf(
    {
      by_model: invalid.map(({ judged, invalid: broken, ...row }) => ({ ...row, decided: judged, overridden: broken })),
      by_flag: [],
      by_source: [],
    },
    'by_model',
  );

type ExpiredSplit = 'by_flag' | 'by_model';
export const EXPIRED_SPLITS = ['by_flag', 'by_model'] as const satisfies readonly ExpiredSplit[];

/** The shares of items that their deadline ended, of all that left the queue, by flag or model (AN32), in the same order. */
export const expiredRatesOf = (expired: Analytics['expired'], split: ExpiredSplit): Rate[] =>
  ratesOf(
    {
      ...{ by_flag: [], by_model: [], by_source: [] },
      [split]: expired[split].map(({ n, ended, ...row }) => ({ ...row, decided: ended, overridden: n })),
    },
    split,
  );

/** A model that is really called “unknown” is one; an item without a model has none. */
function called(split: Split, key: string | null): Pick<Rate, 'key' | 'kind'> {
  if (key === null) return { key: NONE[split], kind: 'none' };
  return key === '' ? { key: OTHER, kind: 'other' } : { key, kind: 'named' };
}

/** The group with the most certain override rate, over all splits; null when none has enough decisions or any override. */
export function worst(overrides: Analytics['overrides']): Rate | null {
  const known = SPLITS.flatMap((split) => ratesOf(overrides, split)).filter(({ n, k }) => n >= SMALL_N && k > 0);
  return known.reduce<Rate | null>((most, rate) => (most === null || rate.low > most.low ? rate : most), null);
}
