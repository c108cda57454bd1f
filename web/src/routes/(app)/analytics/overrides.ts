// Override rates with their intervals, in the order that says where to look first.
import type { Analytics } from '@countersign/shared/api/analytics';
import { SMALL_N } from '#lib/components/charts/small-n.ts';

type Split = keyof Analytics['overrides'];
export const SPLITS = ['by_flag', 'by_model', 'by_source'] as const satisfies readonly Split[];

/** What is counted together because a day had more different ones than are told apart (AN27). */
export const OTHER = 'all others';

/** k overridden of n decided, with the Wilson interval at 95 %. */
export interface Rate {
  split: Split;
  key: string;
  k: number;
  n: number;
  low: number;
  high: number;
}

/**
 * The rates of one split, the highest lower bound first: a rate from few decisions has a low one, so chance does not lead the list.
 * Groups without a decision are left out: nothing is known of them.
 */
export function ratesOf(overrides: Analytics['overrides'], split: Split): Rate[] {
  return overrides[split]
    .flatMap(({ key, decided: n, overridden: k, interval }) =>
      interval ? [{ split, key: key || OTHER, k, n, ...interval }] : [],
    )
    .sort((a, b) => b.low - a.low || b.n - a.n || a.key.localeCompare(b.key));
}

/** The group that is overridden most for sure, over all splits; null when none has enough decisions or any override. */
export function worst(overrides: Analytics['overrides']): Rate | null {
  const known = SPLITS.flatMap((split) => ratesOf(overrides, split)).filter(({ n, k }) => n >= SMALL_N && k > 0);
  return known.reduce<Rate | null>((most, rate) => (most === null || rate.low > most.low ? rate : most), null);
}
