// Tests why an item cannot be approved, and that the advice names only what its submission allows (TS2, TS5, LC7).
import { describe, expect, it } from 'vitest';
import type { ItemRow } from '@countersign/shared/schemas/parts/item';
import { DEFAULT_ACTIONS, type SubmitterAction } from '@countersign/shared/review-actions';
import { actionBlock } from './approval-block.ts';

const item = (
  allowed_actions: readonly SubmitterAction[],
  given: Partial<Pick<ItemRow, 'invalid' | 'has_suggestion' | 'status'>> = {},
): Parameters<typeof actionBlock>[0] => ({
  ...{ invalid: false, has_suggestion: true, status: 'queued', ...given },
  allowed_actions: [...allowed_actions],
});

describe('actionBlock', () => {
  it.each<[string | null, ReturnType<typeof item>]>([
    [null, item(DEFAULT_ACTIONS)],
    ["The submission doesn't allow “Approve”.", item(['edit'], { invalid: true })],
    ["The suggestion doesn't fit its schema. Edit or reject instead.", item(DEFAULT_ACTIONS, { invalid: true })],
    ["The suggestion doesn't fit its schema. Respond instead.", item(['approve', 'respond'], { invalid: true })],
    [
      "The suggestion doesn't fit its schema. Escalate instead: the submission allows nothing else.",
      item(['approve'], { invalid: true }),
    ],
    [
      "The suggestion doesn't fit its schema. Withhold instead: the submission allows nothing else.",
      item(['approve'], { invalid: true, status: 'escalated' }),
    ],
    [
      'There is no suggestion to approve. Write the answer or reject instead.',
      item(DEFAULT_ACTIONS, { has_suggestion: false }),
    ],
    ['There is no suggestion to approve. Reject instead.', item(['approve', 'reject'], { has_suggestion: false })],
  ])('says of approving: %s', (words, row) => {
    expect(actionBlock(row, 'approve')).toBe(words);
  });

  it('blocks no other action for what only keeps from approving', () => {
    const row = item(DEFAULT_ACTIONS, { invalid: true, has_suggestion: false });
    expect((['edit', 'reject', 'escalate'] as const).map((action) => actionBlock(row, action))).toEqual([
      null,
      null,
      null,
    ]);
    expect(actionBlock(row, 'respond')).toBe("The submission doesn't allow “Respond”.");
  });
});
