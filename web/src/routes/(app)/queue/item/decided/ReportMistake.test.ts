// @vitest-environment happy-dom
// The form that reports a mistake: nothing typed is lost, what was sent is gone, and it follows revisions (QU3, MR1).
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Drafts } from '#lib/drafts/drafts.ts';
import { mistakeMessages as messages } from '../../../mistakes/messages.ts';
import ReportMistake from './ReportMistake.svelte';

interface Loaded {
  report: { note: string } | null;
  abilities: { report: boolean };
}
const DECIDED = vi.hoisted(() => '2026-05-20T12:00:00.000Z');
const OPEN = vi.hoisted(() => ({ reported_by: 'Ana', decided_at: DECIDED, answered_at: null, answered_by: null }));
const env = vi.hoisted(() => ({
  drafts: null as unknown as Drafts,
  sent: [] as unknown[],
  loaded: null as unknown as Loaded,
}));
vi.mock('../../queue-context.ts', () => ({
  getQueueContext: () => ({ announcer: { say: () => undefined }, drafts: env.drafts }),
}));
type Listener = (event: object) => void;
const heard = vi.hoisted(() => new Map<string, Listener>());
vi.mock('#lib/live/connection.svelte.ts', () => ({
  live: {
    on: (type: string, listener: Listener) => {
      heard.set(type, listener);
      return () => undefined;
    },
    onResync: () => () => undefined,
  },
}));
vi.mock('#lib/api/client.ts', async (original) => ({
  ...(await original<object>()),
  call: (_route: unknown, { body }: { body?: { note?: string } }) => {
    if (body === undefined) return Promise.resolve(env.loaded);
    env.sent.push(body);
    return Promise.resolve({ report: { ...OPEN, note: body.note ?? '' }, abilities: {} });
  },
}));

const open = (itemId = 'one') => render(ReportMistake, { itemId, projectId: 'p', decidedAt: DECIDED });
const note = () => screen.findByLabelText<HTMLTextAreaElement>(messages.note);
const type = async (text: string) => fireEvent.input(await note(), { target: { value: text } });

beforeEach(() => {
  Object.assign(env, {
    drafts: new Drafts('me', null),
    sent: [],
    loaded: { report: null, abilities: { report: true } },
  });
});
afterEach(cleanup);

it('keeps what is typed when another item is opened, and opens the form with it again', async () => {
  const view = open();
  await fireEvent.click(await screen.findByRole('button', { name: messages.report }));
  await type('A year is fine.');
  view.unmount();
  open('two').unmount();
  open();
  expect((await note()).value).toBe('A year is fine.');
});

it('opens nothing for an item without a text', async () => {
  open();
  expect(await screen.findByRole('button', { name: messages.report })).toBeTruthy();
  expect(screen.queryByLabelText(messages.note)).toBeNull();
});

it('keeps the text of a closed form for the next time, but not one that was sent', async () => {
  open();
  await fireEvent.click(await screen.findByRole('button', { name: messages.report }));
  await type('A year is fine.');
  await fireEvent.click(screen.getByRole('button', { name: messages.close }));
  await fireEvent.click(await screen.findByRole('button', { name: messages.report }));
  expect((await note()).value).toBe('A year is fine.');
  await fireEvent.click(screen.getByRole('button', { name: messages.send }));
  await vi.waitFor(() => expect(env.sent).toEqual([{ note: 'A year is fine.' }]));
  await vi.waitFor(() => expect(env.drafts.notes('one:mistake').note).toBe(''));
});

it('does not keep the text of the report itself', async () => {
  env.loaded = { report: { ...OPEN, note: 'As reported' }, abilities: { report: true } };
  open();
  await fireEvent.click(await screen.findByRole('button', { name: messages.changeNote }));
  expect((await note()).value).toBe('As reported');
  expect(env.drafts.notes('one:mistake').note).toBe('');
});

it.each([
  ['of the decision above', DECIDED, false],
  ['of one that was revised since', '2026-05-20T11:00:00.000Z', true],
])('says when the report is not about the decision above it: %s', async (_, decidedAt, earlier) => {
  const report = { ...OPEN, note: 'Wrong date', decided_at: decidedAt };
  env.loaded = { report, abilities: { report: false } };
  open();
  expect(await screen.findByText('Wrong date')).toBeTruthy();
  expect(screen.queryByText(messages.earlier) !== null).toBe(earlier);
});

it('MR1: follows a revision, after which somebody else has decided', async () => {
  open();
  await screen.findByRole('button', { name: messages.report });
  env.loaded = { report: null, abilities: { report: false } };
  heard.get('decision.revised')?.({ item_id: 'one' });
  await vi.waitFor(() => expect(screen.queryByRole('button', { name: messages.report })).toBeNull());
});
