// Rule RS1: what a new suggestion makes of a learning. Pure; it compares values, not their spelling.
import type { Outcome } from '@countersign/shared/enums';
import { sameJson } from '../items/item.ts';

/** What a person made of a suggestion; all JSON text, `output` null of a rejection. */
export interface Overridden {
  suggestion: string;
  output: string | null;
}

/**
 * RS1: what is suggested as before still fails, what is suggested as a person corrected it is fixed, and of anything else a person
 * has to say. A rejection says what is wrong and not what would be right: nothing fixes it by itself.
 */
export function outcomeOf({ suggestion, output }: Overridden, answer: string): Outcome {
  const value: unknown = JSON.parse(answer);
  if (output !== null && sameJson(value, JSON.parse(output))) return 'fixed';
  return sameJson(value, JSON.parse(suggestion)) ? 'still_fails' : 'differs';
}
