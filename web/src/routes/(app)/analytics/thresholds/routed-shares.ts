// What thresholds would do with the items that arrived, as shares that add up to 100%.
import { shares } from '#lib/format/format.ts';
import type { Prediction } from '@countersign/shared/statistics/what-if';

/** In percent; the same on the rules page and in the what-if. */
export interface RoutedShares {
  automatic: string;
  people: string;
  refused: string;
}

export function routedShares({ automatic, people, refused }: Pick<Prediction, keyof RoutedShares>): RoutedShares {
  const [approved, reviewed, rejected] = shares([automatic.value, people.value, refused.value]);
  return { automatic: approved!, people: reviewed!, refused: rejected! };
}
