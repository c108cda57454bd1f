// Tests which revisions of an audited item are refused as unchanged: those of what was shipped (RV1, RV4).
import { beforeEach, describe, expect, it } from 'vitest';
import type { RevisionAction, ReviewerDecision } from '@countersign/shared/review-actions';
import { revise } from '../../../src/usecases/decisions/revise.ts';
import { AN_HOUR, auditsOf, createAuditFixture, expireOne } from '../analytics/audit-fixture.ts';
import { aDecision, anItem, review, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;
beforeEach(async () => {
  fixture = await createAuditFixture(testEnv);
});

/** An audited item whose audit ended like this. */
async function audited(verdict: ReviewerDecision | 'expired'): Promise<string> {
  const { id: itemId } = await anItem(testEnv.services, fixture, {
    confidence: 0.99,
    ...AN_HOUR,
    allowedActions: ['approve', 'edit', 'reject', 'respond'],
  });
  if (verdict === 'expired') await expireOne(testEnv, itemId);
  else {
    const who = fixture.supervisor;
    if (verdict === 'finalize') await review(testEnv.services, who, { itemId, action: 'escalate' });
    await review(testEnv.services, who, { itemId, action: verdict });
  }
  return itemId;
}

/** By the owner, with the output and the reason that a review of the same action has. */
const revised = (itemId: string, action: RevisionAction) => {
  const { output, reason } = aDecision(action);
  const answer = { output, reason: reason ?? 'Right after all', note: null };
  return revise(testEnv.services, fixture.owner, { itemId, action, ...answer, revises: undefined });
};
const shipped = async (itemId: string) =>
  (
    await testEnv.sql('select action, output, revision from decision where item_id = ? and superseded_at is null', [
      itemId,
    ])
  )[0];

describe('RV4: a revision of an audited item', () => {
  it.each([
    ['reject', null],
    ['edit', '"No."'],
  ] as const)('ships the verdict of the same action, %s, once', async (action, output) => {
    const id = await audited(action);
    await revised(id, action);
    expect(await shipped(id)).toEqual({ action, output, revision: 2 });
    await expect(revised(id, action)).rejects.toMatchObject({ code: 'unchanged_edit' });
  });

  it.each(['approve', 'finalize', 'expired'] as const)('approves nothing again: the audit ended by %s', async (end) => {
    const id = await audited(end);
    await expect(revised(id, 'approve')).rejects.toMatchObject({ code: 'unchanged_edit' });
    await revised(id, 'reject');
  });

  it.each(['reject', 'edit', 'respond'] as const)(
    'replaces a verdict that was wrong, %s, in the error',
    async (verdict) => {
      const id = await audited(verdict);
      expect(await auditsOf(testEnv, fixture)).toMatchObject({ judged: 1, wrong: 1 });
      await revised(id, 'approve');
      expect(await auditsOf(testEnv, fixture)).toMatchObject({ judged: 1, wrong: 0 });
    },
  );
});
