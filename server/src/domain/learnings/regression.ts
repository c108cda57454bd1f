// Rule RS1: the outcome of a new suggestion for a learning. Pure; it compares values, not their spelling.
import type { Outcome } from '@countersign/shared/enums';
import { sameJson } from '../items/item.ts';

/** An overridden suggestion and its correction, as JSON text; `output` is null for a rejection or a response. */
export interface Overridden {
  suggestion: string;
  output: string | null;
}

/**
 * RS1: an answer equal to the suggestion still fails, one equal to the correction is fixed, and any other needs a person. A
 * rejection or a response has no correction, so no answer to it is fixed automatically.
 */
export function outcomeOf({ suggestion, output }: Overridden, answer: string): Outcome {
  const value: unknown = JSON.parse(answer);
  if (output !== null && sameJson(value, JSON.parse(output))) return 'fixed';
  return sameJson(value, JSON.parse(suggestion)) ? 'still_fails' : 'differs';
}
