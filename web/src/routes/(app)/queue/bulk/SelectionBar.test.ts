// @vitest-environment happy-dom
// The selection bar: what a bulk decision is about, its reason by key, and its whole result (LC5).
import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { nameOf } from '#lib/format/name-of.ts';
import { Drafts } from '#lib/drafts/drafts.ts';
import { ANA, EventLog, ME, type Act } from '#lib/live/queue/event-log.fixture.ts';
import { LiveQueue } from '#lib/live/queue/live-queue.svelte.ts';
import { preferences } from '../preferences.svelte.ts';
import { RecentDecisions } from '../recent/recent-decisions.svelte.ts';
import { ReactiveReasons } from './reactive-reasons.svelte.fixture.ts';
import { Selection } from './selection.svelte.ts';
import SelectionBar from './SelectionBar.svelte';

const context = vi.hoisted(() => ({ current: {} }));
vi.mock('../queue-context.ts', () => ({
  getQueueContext: () => context.current,
  projectOf: () => ({ reasons: settings.reasons }),
}));

const ARRIVALS: Act[] = Array.from({ length: 5 }, () => ({ what: 'arrive', pick: 1, who: ANA }));

/** The settings of the project, which change while a page is open. */
const settings = new ReactiveReasons();
let queue: LiveQueue;
let selection: Selection;
let said: string[];
/** The bodies of the decisions that were sent. */
let sent: unknown[];
/** The status of the answer to a decision on the item at this position, in place of success; a release of it fails. */
let refusals: Map<number, [number, string]>;

const ids = () => queue.entries.map(({ id }) => id);
const problem = (status: number, code: string) =>
  Response.json({ status, code, title: 'No', detail: 'No.', request_id: 'r' }, { status });

function answer(path: string, { method, body }: RequestInit): Response {
  if (path.endsWith('bulk-claim')) {
    const { item_ids } = JSON.parse(body as string) as { item_ids: string[] };
    const expires_at = '2099-01-01T00:00:00.000Z';
    const claim = { user_id: ME, name: 'Me', expires_at };
    const granted = (id: string) => ({ ...queue.state.rows.get(id), version: 2, claim });
    return Response.json({ data: item_ids.map((id, at) => ({ item: granted(id), fence: at + 1, expires_at })) });
  }
  const id = /items\/([^/]+)\//.exec(path)?.[1] ?? '';
  if (method === 'DELETE') return problem(503, 'unavailable');
  const refusal = refusals.get(all.indexOf(id));
  if (refusal !== undefined) return problem(...refusal);
  sent.push(JSON.parse(body as string));
  return Response.json({ ...queue.state.rows.get(id), version: 3, status: 'approved', claim: null, undo_until: null });
}
let all: string[];

beforeEach(() => {
  settings.reasons = ['Wrong sum', 'Wrong tone'];
  said = [];
  sent = [];
  refusals = new Map();
  queue = new LiveQueue(ME, { view: 'all', projectId: null });
  queue.dispatch({ kind: 'snapshot', snapshot: new EventLog().play(ARRIVALS).snapshot(), last: true });
  selection = new Selection();
  all = ids();
  selection.extend(all, all[0] ?? '');
  selection.extend(all, all[4] ?? '');
  context.current = {
    ...{ me: { id: ME, address: 'A', name: 'Me' }, queue, selection, preferences },
    ...{ drafts: new Drafts(ME, null), recentDecisions: new RecentDecisions(ME, null) },
    announcer: { say: (words: string) => said.push(words) },
  };
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => answer(path, init));
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

async function approveAll() {
  render(SelectionBar);
  await fireEvent.click(screen.getByRole('button', { name: 'Approve' }));
  const dialog = await screen.findByRole('dialog');
  await fireEvent.click(within(dialog).getByRole('button', { name: 'Approve' }));
  await screen.findByRole('button', { name: 'Close' });
}

it('says only how many were decided when all were', async () => {
  await approveAll();
  expect(said.at(-1)).toBe('5 items decided');
});

it('says how many failed, were skipped and are still claimed', async () => {
  refusals.set(1, [409, 'claim_lost']).set(2, [422, 'answer_invalid']);
  await approveAll();
  expect(said.at(-1)).toBe(
    '3 items decided. 1 item stays claimed by you until its claim expires. 1 item was skipped. 1 item was not decided',
  );
});

it('says the same when it stopped early', async () => {
  refusals.set(3, [503, 'unavailable']);
  await approveAll();
  expect(said.at(-1)).toBe(
    'Stopped. 3 decided, 0 released. 2 items stay claimed by you until their claims expire. 1 item was not decided',
  );
});

describe('the confirmation', () => {
  async function open(action: string) {
    render(SelectionBar);
    await fireEvent.click(screen.getByRole('button', { name: action }));
    return within(await screen.findByRole('dialog'));
  }

  it('names the first eight items and counts the others', async () => {
    queue.dispatch({
      kind: 'snapshot',
      snapshot: new EventLog().play([...ARRIVALS, ...ARRIVALS]).snapshot(),
      last: true,
    });
    selection.extend(ids(), ids()[0] ?? '');
    selection.extend(ids(), ids()[9] ?? '');
    const dialog = await open('Approve');
    const names = within(dialog.getByRole('list', { name: 'Items to decide' })).getAllByRole('listitem');
    const expected = ids()
      .slice(0, 8)
      .map((id) => nameOf(queue.state.rows.get(id)!));
    expect(names.map(({ textContent }) => textContent)).toEqual([...expected, 'and 2 more']);
  });

  it('takes the reason of a digit from anywhere, and decides only when it is sent', async () => {
    const dialog = await open('Reject');
    expect(dialog.getAllByRole('radio').map((each) => each.getAttribute('aria-keyshortcuts'))).toEqual(['1', '2', '3']);
    dialog.getByRole('button', { name: 'Cancel' }).focus();
    await fireEvent.keyDown(document.activeElement!, { key: '9' });
    await fireEvent.keyDown(document.activeElement!, { key: '2', ctrlKey: true });
    expect(dialog.queryByRole('radio', { checked: true })).toBeNull();
    await fireEvent.keyDown(document.activeElement!, { key: '2' });
    await vi.waitFor(() => expect(document.activeElement).toBe(dialog.getByRole('radio', { name: 'Wrong tone' })));
    expect([dialog.getByRole('radio', { checked: true }), sent]).toEqual([document.activeElement, []]);
    await fireEvent.click(dialog.getByRole('button', { name: 'Reject' }));
    await screen.findByRole('button', { name: 'Close' });
    expect(sent).toHaveLength(5);
    expect(sent[0]).toMatchObject({ action: 'reject', reason: 'Wrong tone' });
  });

  it('opens the field of another reason by its digit, where digits are typed', async () => {
    const dialog = await open('Reject');
    await fireEvent.keyDown(document.activeElement!, { key: '3' });
    const field = await dialog.findByRole('textbox', { name: 'Other reason…' });
    await vi.waitFor(() => expect(document.activeElement).toBe(field));
    expect(await fireEvent.keyDown(field, { key: '1' })).toBe(true);
    expect(dialog.getByRole<HTMLInputElement>('radio', { checked: true }).value).toBe('Other reason…');
    await fireEvent.click(dialog.getByRole('button', { name: 'Reject' }));
    expect(dialog.getByText('Choose or enter a reason.')).toBeDefined();
  });

  it('sends the chosen reason where the reasons of the project change before it is sent', async () => {
    const dialog = await open('Reject');
    await fireEvent.click(dialog.getByRole('radio', { name: 'Wrong sum' }));
    settings.reasons = ['Wrong date', 'Wrong sum'];
    await tick();
    expect(dialog.getByRole('radio', { checked: true })).toBe(dialog.getByRole('radio', { name: 'Wrong sum' }));
    await fireEvent.click(dialog.getByRole('button', { name: 'Reject' }));
    await screen.findByRole('button', { name: 'Close' });
    expect(sent[0]).toMatchObject({ action: 'reject', reason: 'Wrong sum' });
  });

  it('asks again where the chosen reason no longer exists', async () => {
    const dialog = await open('Reject');
    await fireEvent.click(dialog.getByRole('radio', { name: 'Wrong sum' }));
    settings.reasons = ['Wrong date', 'Wrong tone'];
    await tick();
    expect(dialog.queryByRole('radio', { checked: true })).toBeNull();
    await fireEvent.click(dialog.getByRole('button', { name: 'Reject' }));
    expect([dialog.getByText('Choose or enter a reason.'), sent]).toEqual([expect.anything(), []]);
  });

  it('asks for a reason where none was chosen', async () => {
    const dialog = await open('Reject');
    await fireEvent.click(dialog.getByRole('button', { name: 'Reject' }));
    expect(dialog.getByRole('group', { name: 'Reason' }).getAttribute('aria-describedby')).toBe(
      dialog.getByText('Choose or enter a reason.').closest('[id]')?.id,
    );
  });
});

it('says in the bar why an action is not possible for escalated items', async () => {
  const arrivals = new EventLog().play([...ARRIVALS, { what: 'arrive', pick: 3, who: ANA }]);
  queue.dispatch({ kind: 'snapshot', snapshot: arrivals.snapshot(), last: true });
  const projects = new Set([...queue.state.rows.values()].map(({ project_id }) => project_id));
  queue.dispatch({ kind: 'supervised_projects', projects });
  selection.extend(ids(), ids()[0] ?? '');
  selection.extend(ids(), ids()[5] ?? '');
  render(SelectionBar);
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Escalate' });
  const why = screen.getByText('Escalate is not possible: some are already escalated.');
  expect([button.disabled, button.getAttribute('aria-describedby')]).toEqual([true, why.id]);
});
