// The reasons offered for an action, which of them match what was typed, and how many fit in the bar. Pure.
import { ESCALATE_REASONS, type ReviewAction } from '@countersign/shared/review-actions';
import { chipsOf } from '../../session/review-state.ts';

/** A reason as the bar offers it: `index` counts from 0, its digit is one more. `open` asks for the reviewer's own text. */
export interface OfferedReason {
  readonly index: number;
  readonly label: string;
  readonly open: boolean;
}

/** The reasons for an action; without one those for a rejection, which the bar shows until an action is chosen. */
export function reasonsFor(
  action: ReviewAction | null,
  { reasons, own }: { reasons: readonly string[]; own: string },
): OfferedReason[] {
  return chipsOf(action === 'escalate' ? ESCALATE_REASONS : reasons, own).map((chip, index) => ({ ...chip, index }));
}

/**
 * The reasons that match what was typed: those with a word that begins like it come first. The open one always matches, last, so
 * that what was typed can become the reviewer's own reason.
 */
export function matchingReasons(offered: readonly OfferedReason[], typed: string): OfferedReason[] {
  const sought = typed.trim().toLocaleLowerCase();
  if (sought === '') return [...offered];
  const rank = ({ label }: OfferedReason) => {
    const at = ` ${label.toLocaleLowerCase()}`;
    return at.includes(` ${sought}`) ? 0 : at.includes(sought) ? 1 : 2;
  };
  const listed = offered.filter((reason) => !reason.open && rank(reason) < 2).sort((a, b) => rank(a) - rank(b));
  return [...listed, ...offered.filter(({ open }) => open)];
}
