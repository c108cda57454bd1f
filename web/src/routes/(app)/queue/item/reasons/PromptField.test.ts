// @vitest-environment happy-dom
// QU30: a note or an answer in words is never cut; one that is too long keeps the focus and is not sent.
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { answerMessages } from '#lib/messages/answer-messages.ts';
import { reviewMessages } from '#lib/messages/review-messages.ts';
import type { ReviewSession } from '../../session/review-session.svelte.ts';
import { ReviewFixture } from '../../session/fixtures/review-page.fixture.ts';
import NoteField from './NoteField.svelte';
import ResponseField from './ResponseField.svelte';

const env = vi.hoisted(() => ({ reviewSession: {} as ReviewSession }));
vi.mock('../../queue-context.ts', () => ({
  getQueueContext: () => ({
    reviewSession: env.reviewSession,
    ready: () => true,
    drafts: { notes: () => ({ note: '', own: '' }), otherNotes: () => [] },
  }),
}));

const fixture = new ReviewFixture();
afterEach(cleanup);

const field = () => screen.getByRole<HTMLTextAreaElement>('textbox');
const type = (value: string) => fireEvent.input(field(), { target: { value } });
const ctrlEnter = () => fireEvent.keyDown(field(), { key: 'Enter', ctrlKey: true });
const described = () => document.getElementById(field().getAttribute('aria-describedby') ?? '');

async function open(what: 'note' | 'response') {
  const { reviewSession } = await fixture.openWithClaim();
  env.reviewSession = reviewSession;
  if (what === 'note') reviewSession.reasonPrompt.openNote();
  else reviewSession.reasonPrompt.openResponse();
  const props = { onaction: vi.fn(), onreason: vi.fn() };
  if (what === 'note') render(NoteField, props);
  else render(ResponseField);
  return { reviewSession, ...props };
}

describe('QU30: an answer in words', () => {
  it.each(['the keys', 'the button'])('that is too long stays whole and is not sent by %s', async (by) => {
    await open('response');
    const text = '😀'.repeat(20_003);
    await type(text);
    expect([field().value, field().getAttribute('maxlength')]).toEqual([text, null]);
    const fault = '3 characters too long. The limit is 20,000 characters.';
    // It follows the typing in silence, and answers an attempt aloud.
    expect([described()?.textContent.trim(), described()?.getAttribute('role')]).toEqual([fault, null]);
    const button = screen.getByRole('button', { name: answerMessages.response.send });
    button.focus();
    if (by === 'the keys') await ctrlEnter();
    else await fireEvent.click(button);
    expect([fixture.server.decisions, document.activeElement, field().value]).toEqual([[], field(), text]);
    expect(screen.getByRole('alert').textContent.trim()).toBe(fault);
    await type('😀'.repeat(20_000));
    expect(described()).toBeNull();
    await ctrlEnter();
    expect(fixture.server.decisions).toMatchObject([{ action: 'respond', response: '😀'.repeat(20_000) }]);
  });

  it('says what is left near the limit, and that an empty one is none', async () => {
    await open('response');
    expect(screen.getByText(answerMessages.response.hint)).toBeTruthy();
    await ctrlEnter();
    expect(screen.getByRole('alert').textContent.trim()).toBe(answerMessages.response.empty);
    await type('r'.repeat(19_990));
    expect(screen.getByText('10 characters left')).toBeTruthy();
  });
});

describe('QU30: a note', () => {
  it('that is too long gets the focus of any decision, and is not sent', async () => {
    const { reviewSession, onaction, onreason } = await open('note');
    await type('n'.repeat(4005));
    field().blur();
    expect(await reviewSession.decide('approve')).toBe(false);
    await tick();
    expect([fixture.server.decisions, document.activeElement]).toEqual([[], field()]);
    field().blur();
    expect(await reviewSession.decide('approve')).toBe(false);
    await tick();
    expect(document.activeElement).toBe(field());
    await ctrlEnter();
    expect([onaction.mock.calls, onreason.mock.calls]).toEqual([[], []]);
    expect(screen.getByRole('alert').textContent.trim()).toBe('5 characters too long. The limit is 4,000 characters.');
  });

  it('asks for its action and its reason when it fits', async () => {
    const { onaction, onreason, reviewSession } = await open('note');
    await type('n'.repeat(4000));
    await ctrlEnter();
    expect(screen.getByRole('alert').textContent.trim()).toBe(reviewMessages.note.noAction);
    reviewSession.reasonPrompt.start('reject');
    await ctrlEnter();
    expect(screen.getByRole('alert').textContent.trim()).toBe(reviewMessages.note.noReason);
    expect([onaction.mock.calls, onreason.mock.calls.length]).toEqual([[], 1]);
  });
});
