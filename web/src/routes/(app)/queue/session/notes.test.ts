// Notes, release and undo: typed text is sent with the decision it belongs to, or restored.
import { describe, expect, it, vi } from 'vitest';
import { Drafts } from '#lib/drafts/drafts.ts';
import type { DomainEvent } from '@countersign/shared/schemas/parts/events';
import { ReviewFixture, type } from './fixtures/review-page.fixture.ts';
import { ME } from './fixtures/fake-review-server.fixture.ts';

const fixture = new ReviewFixture();

describe('notes', () => {
  it.each(['approve', 'reject', 'finalize'] as const)('are sent with the decision: %s', async (action) => {
    const { reviewSession, drafts } = await fixture.openWithClaim();
    reviewSession.reasonPrompt.openNote();
    reviewSession.reasonPrompt.note = 'Because of page 2';
    await reviewSession.decide(action, action === 'approve' ? {} : { reason: 'Wrong fact' });
    expect(fixture.server.decisions[0]).toMatchObject({ action, note: 'Because of page 2' });
    expect(drafts.notes('one')).toEqual({ note: '', own: '' });
    expect(reviewSession.reasonPrompt.notes.note).toBe('');
  });

  it.each(['escalate', 'return'] as const)('are sent as notes when people move an item: %s', async (action) => {
    const { reviewSession, drafts } = await fixture.openWithClaim();
    reviewSession.reasonPrompt.openNote();
    reviewSession.reasonPrompt.note = 'n'.repeat(4000);
    await reviewSession.decide(action, { reason: 'Policy' });
    expect(fixture.server.decisions).toMatchObject([{ action, reason: 'Policy', note: 'n'.repeat(4000) }]);
    expect(drafts.notes('one').note).toBe('');
  });

  it('QU30: are never cut: one that is too long opens its field and is not sent', async () => {
    const { reviewSession, drafts } = await fixture.openWithClaim();
    reviewSession.reasonPrompt.openNote();
    reviewSession.reasonPrompt.note = '😀'.repeat(4012);
    reviewSession.reasonPrompt.clear();
    const states = [];
    for (const _ of [1, 2]) {
      expect(await reviewSession.decide('approve')).toBe(false);
      states.push(reviewSession.reasonPrompt.refused);
    }
    // Each attempt moves the focus again.
    expect([states[0] === states[1], ...states]).toEqual([false, { field: 'note' }, { field: 'note' }]);
    expect(fixture.server.decisions).toEqual([]);
    const { note, fault } = reviewSession.reasonPrompt;
    expect([note?.length, drafts.notes('one').note.length]).toEqual([8024, 8024]);
    expect(fault).toBe('12 characters too long. The limit is 4,000 characters.');
    reviewSession.reasonPrompt.note = '😀'.repeat(4000);
    expect(reviewSession.reasonPrompt.fault).toBeNull();
    expect(await reviewSession.decide('approve')).toBe(true);
    expect(fixture.server.decisions).toMatchObject([{ note: '😀'.repeat(4000) }]);
  });

  it.each([
    ['respond', { response: 'r'.repeat(20_001) }, 'response'],
    ['reject', { reason: 'r'.repeat(501) }, 'own'],
    ['edit', { output: 'Changed', note: 'n'.repeat(4001) }, 'note'],
  ] as const)('QU30: and so are other texts of a decision: %s', async (action, input, field) => {
    const { reviewSession } = await fixture.openWithClaim();
    if (action === 'edit') reviewSession.startEdit();
    expect(await reviewSession.decide(action, input)).toBe(false);
    expect([fixture.server.decisions, reviewSession.reasonPrompt.refused]).toEqual([[], { field }]);
  });

  it.each([
    ['Mine', true],
    ['Another', false],
  ])('distinguish two escalations when an answer was lost: %s', async (note, expected) => {
    const { reviewSession } = await fixture.openWithClaim();
    fixture.server.history = [
      { type: 'item.escalated', version: 9, actor: { id: ME.id }, reason: 'Policy', note } as unknown as DomainEvent,
    ];
    fixture.server.outcomes.set('decision', 'lost');
    reviewSession.reasonPrompt.openNote();
    reviewSession.reasonPrompt.note = 'Mine';
    expect(await reviewSession.decide('escalate', { reason: 'Policy' })).toBe(expected);
  });

  it('QU3: are saved as typed, through closing the field, refusal, reload and undo', async () => {
    const { reviewSession } = await fixture.openWithClaim();
    reviewSession.reasonPrompt.openNote();
    reviewSession.reasonPrompt.note = 'Half a thought';
    reviewSession.reasonPrompt.clear();
    expect(new Drafts(ME.id, fixture.storage).notes('one').note).toBe('Half a thought');
    fixture.server.outcomes.set('decision', 500);
    await reviewSession.decide('approve');
    expect([reviewSession.item.id, reviewSession.reasonPrompt.notes.note]).toEqual(['one', 'Half a thought']);
    fixture.server.outcomes.clear();
    const reopenedPage = await fixture.open();
    await reopenedPage.reviewSession.peek('one');
    reopenedPage.reviewSession.reasonPrompt.openNote();
    expect(reopenedPage.reviewSession.reasonPrompt.note).toBe('Half a thought');
    await reopenedPage.reviewSession.decide('approve');
    expect(reopenedPage.drafts.notes('one').note).toBe('');
    const [recent] = reopenedPage.recentDecisions.entries;
    if (recent) await reopenedPage.reviewSession.undo(recent);
    expect([reopenedPage.reviewSession.item.id, reopenedPage.reviewSession.reasonPrompt.notes.note]).toEqual([
      'one',
      'Half a thought',
    ]);
  });

  it('move into the editor, which has a note of its own', async () => {
    const { reviewSession, drafts } = await fixture.openWithClaim();
    reviewSession.reasonPrompt.openNote();
    reviewSession.reasonPrompt.note = 'Half a thought';
    reviewSession.startEdit();
    expect([reviewSession.edit?.note, drafts.read('one')?.note, drafts.notes('one').note]).toEqual([
      'Half a thought',
      'Half a thought',
      '',
    ]);
  });

  it('QU3: move back out of the editor where no answer was typed, and are sent with the approval', async () => {
    const { reviewSession, drafts } = await fixture.openWithClaim();
    reviewSession.reasonPrompt.openNote();
    reviewSession.reasonPrompt.note = 'Half a thought';
    reviewSession.startEdit();
    reviewSession.stopEdit();
    expect([reviewSession.reasonPrompt.notes.note, drafts.read('one')]).toEqual(['Half a thought', null]);
    await reviewSession.decide('approve');
    expect(fixture.server.decisions).toMatchObject([{ action: 'approve', note: 'Half a thought' }]);
  });

  it('QU3: stay in the editor with a typed answer, without a reason where none was typed', async () => {
    const { reviewSession, drafts } = await fixture.openWithClaim();
    type(reviewSession, 'Mine');
    if (reviewSession.edit) reviewSession.edit.note = 'Of the answer';
    reviewSession.edit?.choose('Wrong fact');
    reviewSession.stopEdit();
    expect([reviewSession.reasonPrompt.notes.note, drafts.read('one')?.note]).toEqual(['', 'Of the answer']);
    reviewSession.startEdit();
    if (reviewSession.edit) reviewSession.edit.text = reviewSession.edit.original;
    reviewSession.edit?.changed();
    reviewSession.stopEdit();
    expect([reviewSession.reasonPrompt.notes.note, drafts.read('one')]).toMatchObject([
      'Of the answer',
      { note: '', reason: 'Wrong fact' },
    ]);
  });
});

describe('release', () => {
  it('returns to the list and retains the draft', async () => {
    const { reviewSession, drafts } = await fixture.openWithClaim();
    type(reviewSession, 'Mine');
    expect(await reviewSession.giveBack()).toBe(true);
    expect([reviewSession.item.id, fixture.server.of('one').detail.claim, drafts.read('one')?.text]).toEqual([
      null,
      null,
      'Mine',
    ]);
  });

  it('of a claim that is already gone is no failure', async () => {
    const { reviewSession } = await fixture.openWithClaim();
    fixture.server.outcomes.set('DELETE', { code: 'claim_lost', status: 409 });
    expect([await reviewSession.giveBack(), reviewSession.failure, reviewSession.item.id]).toEqual([true, null, null]);
  });
});

describe('undo', () => {
  it('reports that the decision is final after the window, also in the recent decisions', async () => {
    const { reviewSession, recentDecisions } = await fixture.openWithClaim();
    await reviewSession.decide('approve');
    const recent = recentDecisions.of('one');
    await vi.advanceTimersByTimeAsync(6000);
    if (recent) expect(await reviewSession.undo(recent)).toBe(false);
    expect([reviewSession.failure, recentDecisions.of('one')?.undoUntil]).toEqual([null, null]);
  });

  it('of the open item undoes that decision, not the last one', async () => {
    const { reviewSession } = await fixture.openWithClaim();
    await reviewSession.decide('approve');
    await reviewSession.decide('approve');
    await reviewSession.peek('one');
    await reviewSession.undoShown();
    expect([
      reviewSession.item.id,
      fixture.server.of('one').detail.status,
      fixture.server.of('two').detail.status,
    ]).toEqual(['one', 'queued', 'approved']);
  });
});
