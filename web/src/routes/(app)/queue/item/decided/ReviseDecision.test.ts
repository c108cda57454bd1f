// @vitest-environment happy-dom
// The form that revises a final decision: what can be chosen, what is sent, and that nothing typed is lost (RV1, QU19).
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ItemDetail } from '@countersign/shared/schemas/parts/item';
import { ApiProblem } from '#lib/api/client.ts';
import { Drafts } from '#lib/drafts/drafts.ts';
import { revisionMessages as messages } from '#lib/messages/revision-messages.ts';
import ReviseDecision from './ReviseDecision.svelte';

const opened: { id: string | null } = vi.hoisted(() => ({ id: 'one' }));
const env = vi.hoisted(() => ({
  drafts: null as unknown as Drafts,
  reading: { revise: null as (() => unknown) | null },
  hash: '',
  calls: [] as { body: unknown }[],
  refusal: null as Error | null,
  peeked: [] as string[],
}));
vi.mock('$app/state', () => ({
  page: {
    url: {
      get hash() {
        return env.hash;
      },
    },
  },
}));
vi.mock('../../queue-context.ts', () => ({
  getQueueContext: () => ({
    announcer: { say: () => undefined },
    drafts: env.drafts,
    reading: env.reading,
    reviewSession: { peek: (id: string) => Promise.resolve(env.peeked.push(id)), failure: null, item: opened },
  }),
  projectOf: () => ({ reasons: ['Wrong fact', 'Policy'] }),
}));
vi.mock('#lib/api/client.ts', async (original) => ({
  ...(await original<object>()),
  call: (_route: unknown, { body }: { body: unknown }) => {
    env.calls.push({ body });
    return env.refusal === null ? Promise.resolve({}) : Promise.reject(env.refusal);
  },
}));

const item = (change: object = {}): ItemDetail =>
  ({
    ...{ id: 'one', project_id: 'p1', status: 'approved', suggestion: 'Yes.', has_suggestion: true, kind: 'answer' },
    ...{ allowed_actions: ['approve', 'edit', 'reject'], invalid: false, answer_schema: null },
    decision: { id: 'd1', action: 'approve', status: 'approved', output: 'Yes.' },
    ...change,
  }) as unknown as ItemDetail;
const AUDITED = { status: 'auto_approved', audited: true };
const verdict = (action: string) => ({ id: 'd', action, output: null });
const choices = () => screen.getAllByRole('radio').map((radio) => radio.parentElement?.textContent.trim());
const open = async (detail = item()) => {
  const view = render(ReviseDecision, { detail });
  await fireEvent.click(screen.getByRole('button', { name: messages.open }));
  return view;
};
const send = () => fireEvent.click(screen.getByRole('button', { name: messages.send }));
const type = (text: string) => fireEvent.input(screen.getByLabelText(messages.reason), { target: { value: text } });
const choose = (name: string) => fireEvent.click(screen.getByRole('radio', { name }));

beforeEach(() => {
  Object.assign(env, { drafts: new Drafts('me', null), hash: '', calls: [], refusal: null, peeked: [] });
  opened.id = 'one';
});
afterEach(cleanup);

describe('RV1: the form of a revision', () => {
  it('opens by its key, which does nothing while it is open or where nothing can be revised', async () => {
    const view = render(ReviseDecision, { detail: item() });
    await env.reading.revise?.();
    expect(await screen.findByLabelText(messages.reason)).toBeTruthy();
    await vi.waitFor(() => expect(env.reading.revise).toBeNull());
    view.unmount();
    render(ReviseDecision, { detail: item({ allowed_actions: ['approve'] }) });
    expect(env.reading.revise).toBeNull();
  });

  it.each<[string, object, string[]]>([
    ['what was approved', {}, ['Edit', 'Reject']],
    [
      'what was approved automatically',
      { decision: { id: 'd', action: 'auto_approve', output: 'Yes.' } },
      ['Edit', 'Reject'],
    ],
    ['what was rejected', { decision: { id: 'd', action: 'reject', output: null } }, ['Approve', 'Edit', 'Reject']],
    ['what routing rejected', { status: 'rejected', decision: null }, ['Approve', 'Edit', 'Reject']],
    [
      'an invalid suggestion',
      { invalid: true, decision: { id: 'd', action: 'reject', output: null } },
      ['Edit', 'Reject'],
    ],
    ['an audit with the verdict that it is right', { ...AUDITED, decision: verdict('approve') }, ['Edit', 'Reject']],
    ['an audit with a wrong verdict', { ...AUDITED, decision: verdict('reject') }, ['Approve', 'Edit', 'Reject']],
    ['an audit without an answer', { ...AUDITED, decision: verdict('finalize') }, ['Edit', 'Reject']],
    ['an audit that expired', { ...AUDITED, decision: null }, ['Edit', 'Reject']],
    ['what the submission restricts', { allowed_actions: ['approve', 'reject'] }, ['Reject']],
  ])('offers, for %s, what the server takes, and chooses nothing', async (_, change, offered) => {
    await open(item(change));
    expect(choices()).toEqual(offered);
    expect(screen.queryByRole('radio', { checked: true })).toBeNull();
  });

  it('RV4: says of an audited item what was shipped, not its verdict', async () => {
    await open(item({ ...AUDITED, decision: verdict('reject') }));
    expect(screen.getByText(messages.was('approved'))).toBeTruthy();
    await choose('Reject');
    expect(screen.getByText(messages.change('approved', 'rejected'))).toBeTruthy();
  });

  it('is not there where nothing can be chosen', () => {
    render(ReviseDecision, { detail: item({ allowed_actions: ['approve', 'respond'] }) });
    expect(screen.queryByRole('button', { name: messages.open })).toBeNull();
  });

  it('sends nothing without a decision and a reason, and then the decision that it was opened for', async () => {
    const { rerender } = await open();
    await send();
    expect(screen.getByText(messages.noAction)).toBeTruthy();
    await choose('Reject');
    await send();
    expect(screen.getByText(messages.noReason)).toBeTruthy();
    expect(env.calls).toEqual([]);
    await type(' Policy ');
    await rerender({ detail: item({ decision: { id: 'd2', action: 'edit', output: 'No.' } }) });
    await send();
    expect(env.calls).toEqual([{ body: { action: 'reject', reason: 'Policy', revises: 'd1' } }]);
  });

  it('says that somebody was faster, keeps what was typed, and then revises the newest decision', async () => {
    const problem = { status: 409, code: 'already_revised', title: 'Revised', detail: 'Read it again.', errors: [] };
    env.refusal = new ApiProblem(problem as never, null);
    const { rerender } = await open();
    await choose('Reject');
    await type('Policy');
    await send();
    expect(await screen.findByText(messages.meanwhile)).toBeTruthy();
    await rerender({ detail: item({ decision: { id: 'd2', action: 'edit', output: 'No.' } }) });
    env.refusal = null;
    await send();
    expect(env.calls.map(({ body }) => (body as { revises: string }).revises)).toEqual(['d1', 'd2']);
  });

  it.each([
    ['one', ['one']],
    ['two', []],
    [null, []],
  ])('reads the item again after the answer, and no other one: open is %s', async (other, read) => {
    const { rerender } = await open();
    await choose('Reject');
    await type('Policy');
    const sent = send();
    opened.id = other;
    if (other !== null) await rerender({ detail: item({ id: other }) });
    await sent;
    await vi.waitFor(() => expect(env.drafts.read('one:revision')).toBeNull());
    expect(env.peeked).toEqual(read);
  });

  it('opens by itself with what was typed before, and for a link', async () => {
    const { unmount } = await open();
    await type('Half a rea');
    unmount();
    render(ReviseDecision, { detail: item() });
    expect((await screen.findByLabelText<HTMLInputElement>(messages.reason)).value).toBe('Half a rea');
    cleanup();
    Object.assign(env, { drafts: new Drafts('me', null), hash: '#revise' });
    render(ReviseDecision, { detail: item() });
    expect(await screen.findByLabelText(messages.reason)).toBeTruthy();
  });
});
