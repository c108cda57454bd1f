// The table of actions: what follows from it, and that its texts and keys tell the actions apart.
import { describe, expect, it } from 'vitest';
import {
  ACTIONS,
  BULK_ACTIONS,
  insteadOfApproving,
  isMove,
  isOverride,
  isReasoned,
  JUDGING_ACTIONS,
  OVERRIDE_ACTIONS,
  pastTextsOf,
  REVIEW_ACTIONS,
  REVIEWER_DECISIONS,
  type SubmitterAction,
} from './review-actions.ts';

describe('the table of actions', () => {
  it.each(['key', 'label', 'hint', 'done', 'announcement', 'history', 'decided'] as const)(
    'gives each action its own %s',
    (fact) => {
      const values = REVIEW_ACTIONS.map((action) => ({ ...ACTIONS[action], ...pastTextsOf(action) })[fact]);
      expect(new Set(values).size).toBe(values.length);
    },
  );

  it('forms texts from the past tense where an action has none of its own', () => {
    const texts = { done: 'Withheld', announcement: 'Item withheld', history: 'withheld it', decided: 'withheld' };
    expect(pastTextsOf('finalize')).toEqual(texts);
    expect(pastTextsOf('edit')).toMatchObject({ done: 'Edited', decided: 'edited and approved' });
    expect(pastTextsOf('return')).toMatchObject({ history: 'returned it to the queue' });
  });

  it.each<[string, 'queued' | 'escalated' | null, SubmitterAction[]]>([
    ['Edit or reject instead.', 'queued', ['approve', 'edit', 'reject']],
    ['Edit, reject or respond instead.', 'escalated', ['respond', 'reject', 'edit']],
    ['Reject instead.', 'queued', ['approve', 'reject']],
    ['Escalate instead: the submission allows nothing else.', 'queued', ['approve']],
    ['The submission allows nothing else.', null, ['approve']],
    ['Reject instead.', null, ['reject']],
    ['Reject instead.', null, ['reject', 'respond']],
    ['The submission allows nothing else.', null, ['approve', 'respond']],
    ['Withhold instead: the submission allows nothing else.', 'escalated', ['approve']],
  ])('LC7: advises to “%s” where approving is impossible', (advice, status, allowed) => {
    expect(insteadOfApproving(status, allowed)).toBe(advice);
  });

  it('names an action in advice as the page does', () => {
    expect(insteadOfApproving('queued', ['edit', 'reject'], { edit: 'write it' })).toBe('Write it or reject instead.');
  });

  it('has each action either make a decision or move the item', () => {
    expect([...REVIEWER_DECISIONS, ...REVIEW_ACTIONS.filter(isMove)].sort()).toEqual([...REVIEW_ACTIONS].sort());
    expect(['approve', 'edit', 'reject', 'finalize'].some((action) => isMove(action as 'approve'))).toBe(false);
    expect(isMove('escalate') && isMove('return')).toBe(true);
  });

  it('counts edits and rejections as overrides, and approvals as the other judgement', () => {
    expect(OVERRIDE_ACTIONS).toEqual(expect.arrayContaining(['edit', 'reject']));
    expect(JUDGING_ACTIONS).toEqual(expect.arrayContaining(['approve', 'edit', 'reject']));
    expect(['approve', 'finalize', 'escalate', 'return', 'auto_approve', null].filter(isOverride)).toEqual([]);
    expect(JUDGING_ACTIONS.filter((action) => isMove(action))).toEqual([]);
  });

  it('records overrides with a reason, and applies only actions without an output to several items', () => {
    expect(OVERRIDE_ACTIONS.filter((action) => (ACTIONS[action].requires as string) === 'nothing')).toEqual([]);
    expect(BULK_ACTIONS.filter((action) => (ACTIONS[action].requires as string) === 'output')).toEqual([]);
    expect(isReasoned('reject') && !isReasoned('approve') && !isReasoned('edit')).toBe(true);
  });
});
