// @vitest-environment happy-dom
// The selection bar announces the whole result of a bulk decision (LC5).
import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Drafts } from '#lib/drafts/drafts.ts';
import { ANA, EventLog, ME, type Act } from '#lib/live/queue/event-log.fixture.ts';
import { LiveQueue } from '#lib/live/queue/live-queue.svelte.ts';
import { preferences } from '../preferences.svelte.ts';
import { RecentDecisions } from '../recent/recent-decisions.svelte.ts';
import { Selection } from './selection.svelte.ts';
import SelectionBar from './SelectionBar.svelte';

const context = vi.hoisted(() => ({ current: {} }));
vi.mock('../queue-context.ts', () => ({ getQueueContext: () => context.current, projectOf: () => null }));

const ARRIVALS: Act[] = Array.from({ length: 5 }, () => ({ what: 'arrive', pick: 1, who: ANA }));

let queue: LiveQueue;
let selection: Selection;
let said: string[];
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
  return Response.json({ ...queue.state.rows.get(id), version: 3, status: 'approved', claim: null, undo_until: null });
}
let all: string[];

beforeEach(() => {
  said = [];
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
