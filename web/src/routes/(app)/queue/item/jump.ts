// Moves the focus between the areas of the input and of the suggestion, so that the arrow keys scroll the other one.
import type { Reading } from './reading.svelte.ts';

/** The ids of the two areas. */
export const AREAS = { input: 'item-input', suggestion: 'item-suggestion' } as const;

/** From the input to the suggestion, and from anywhere else to the input, which is unfolded. */
export function jumpBetween(reading: Pick<Reading, 'folded'>): void {
  const [input, suggestion] = [document.getElementById(AREAS.input), document.getElementById(AREAS.suggestion)];
  const there = input?.contains(document.activeElement) === true ? suggestion : input;
  if (there === input) reading.folded = false;
  there?.focus({ preventScroll: true });
  there?.scrollIntoView({ block: 'nearest' });
}
