// The desk when an answer comes late: the item on show is the one the reader turned to.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Drafts } from '#lib/drafts.ts';
import { LiveQueue } from '#lib/live/queue.svelte.ts';
import { Announcer } from './announcer.svelte.ts';
import { Desk } from './desk.svelte.ts';
import { Preferences } from './preferences.svelte.ts';
import { Tray } from './tray.svelte.ts';

const ME = { id: 'me', address: 'A', name: 'Me' };
let refuse: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('fetch', (path: string, { method }: RequestInit) => {
    if (method === 'GET') {
      return Promise.resolve(Response.json({ id: path.split('/').at(-1), claim: null, status: 'queued', version: 1 }));
    }
    const { promise, resolve } = Promise.withResolvers<Response>();
    const problem = { status: 409, code: 'claim_lost', title: 'Gone', detail: 'Gone.', request_id: 'r' };
    refuse = () => resolve(Response.json(problem, { status: 409 }));
    return promise;
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function open(): Desk {
  const queue = new LiveQueue(ME.id, { view: 'available', projectId: null });
  const own = { tray: new Tray(), announcer: new Announcer(), preferences: new Preferences() };
  return new Desk({ me: ME, drafts: new Drafts(ME.id, null), queue, ...own });
}

it.each([
  ['stays with it', 'one', 'one'],
  ['stays with the other, when the reader turned to it', 'two', 'two'],
])('I3: taking over that is refused %s', async (_, turnedTo, expected) => {
  const desk = open();
  await desk.look('one');
  const taking = desk.takeOver();
  if (turnedTo !== 'one') await desk.look(turnedTo);
  refuse();
  expect(await taking).toBe(false);
  expect([desk.item.id, desk.item.detail?.id, desk.failure]).toEqual([expected, expected, null]);
});
