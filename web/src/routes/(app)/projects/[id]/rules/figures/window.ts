// Names the time that a sample covers.
import { count } from '#lib/format/format.ts';
import { SAMPLE_SIZE } from '@countersign/shared/limits';
import type { ThresholdSample } from '@countersign/shared/schemas/thresholds';
import { figuresMessages } from './figures-messages.ts';

const DAY_MS = 86_400_000;

/** `last 30 days`, or `newest 10,000 items` where the window has more. */
export function windowOf({ from, to, arrivals }: Pick<ThresholdSample, 'from' | 'to' | 'arrivals'>): string {
  if (arrivals.limited) return figuresMessages.newest(count(SAMPLE_SIZE));
  return figuresMessages.window(count(Math.ceil((Date.parse(to) - Date.parse(from)) / DAY_MS)));
}
