// How often the flags of the sample occurred, regardless of their spelling (RT1).
import { foldFlag } from '@countersign/shared/formats/fold-flag';
import type { ThresholdSample } from '@countersign/shared/schemas/thresholds';

/** How many items of the sample had this flag; undefined for one that no item had. */
export function arrivedWith({ flags }: Pick<ThresholdSample, 'flags'>, flag: string): number | undefined {
  const folded = foldFlag(flag);
  return flags.find((each) => foldFlag(each.flag) === folded)?.arrived;
}

/** The flags of the sample that are not in a list, most common first. */
export function otherFlags({ flags }: Pick<ThresholdSample, 'flags'>, listed: readonly string[]) {
  const folded = new Set(listed.map(foldFlag));
  return flags
    .filter(({ flag, arrived }) => arrived > 0 && !folded.has(foldFlag(flag)))
    .sort((a, b) => b.arrived - a.arrived);
}
