// Sending every dead delivery again: page by page, with a count, until none is left, it fails or it is stopped.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ReplayDead } from './replay-dead.svelte.ts';

let bodies: unknown[];
let answer: (page: number) => Response | Promise<Response>;

beforeEach(() => {
  bodies = [];
  vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => answer(bodies.push(JSON.parse(body))));
});
afterEach(() => vi.unstubAllGlobals());

/** The first `pages - 1` of them name the next. */
const pages = (pages: number) => (page: number) =>
  Response.json({ replayed: 1000, next_cursor: page < pages ? `page ${page}` : null });

it('asks on from where the last answer ended, until there is no more', async () => {
  answer = pages(3);
  const replay = new ReplayDead('p');
  expect(await replay.run()).toBe(true);
  expect(bodies).toEqual([
    { status: 'dead' },
    { status: 'dead', after: 'page 1' },
    { status: 'dead', after: 'page 2' },
  ]);
  expect([replay.sent, replay.more, replay.running]).toEqual([3000, false, false]);
});

it('stops after the page that is on its way, and says that there are more', async () => {
  const replay = new ReplayDead('p');
  answer = (page) => {
    replay.stop();
    return pages(3)(page);
  };
  expect(await replay.run()).toBe(true);
  expect([bodies.length, replay.sent, replay.more]).toEqual([1, 1000, true]);
});

it('counts what went out before it failed; the next run starts from the oldest', async () => {
  const replay = new ReplayDead('p');
  answer = (page) => (page === 2 ? Promise.reject(new TypeError('gone')) : pages(3)(page));
  expect(await replay.run()).toBe(false);
  expect([replay.sent, replay.more, replay.error]).toEqual([1000, true, expect.any(Error)]);
  answer = pages(1);
  expect(await replay.run()).toBe(true);
  expect([bodies.at(-1), replay.sent, replay.more, replay.error]).toEqual([{ status: 'dead' }, 1000, false, null]);
});
