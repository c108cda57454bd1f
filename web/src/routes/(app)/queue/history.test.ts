// The history of the item on show: its last facts, and the earlier ones on demand, whatever happens meanwhile.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Fact } from '@countersign/shared/events';
import { History } from './history.svelte.ts';

const PAGE = 3;
let facts: number;
let down: boolean;

/** A server that tells the last three facts, or the three before a cursor. */
function answer(path: string): Response {
  if (down) return Response.json({ status: 503, code: 'unavailable', title: 'Away', detail: '' }, { status: 503 });
  const { searchParams } = new URL(path, 'http://test');
  const end = Number(searchParams.get('after') ?? facts + 1) - 1;
  const first = Math.max(1, end - PAGE + 1);
  const data = Array.from({ length: end - first + 1 }, (_, at) => ({ seq: first + at }) as Fact);
  return Response.json({ data, next_cursor: first > 1 ? String(first) : null });
}

beforeEach(() => {
  vi.useFakeTimers();
  [facts, down] = [8, false];
  vi.stubGlobal('fetch', (path: string) => Promise.resolve(answer(path)));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const seqs = ({ facts: read }: History) => read?.map(({ seq }) => seq);
const again = async (history: History) => {
  history.readSoon();
  await vi.advanceTimersByTimeAsync(300);
};
async function opened(): Promise<History> {
  const history = new History();
  history.turnTo('one');
  await again(history);
  return history;
}

it('goes back to the first fact, part by part', async () => {
  const history = await opened();
  expect([seqs(history), history.earlier !== null]).toEqual([[6, 7, 8], true]);
  await history.readEarlier();
  await history.readEarlier();
  expect([seqs(history), history.earlier]).toEqual([[1, 2, 3, 4, 5, 6, 7, 8], null]);
});

it('keeps what was read when more happens, and starts anew when a part would be missing between', async () => {
  const history = await opened();
  await history.readEarlier();
  facts = 10;
  await again(history);
  expect([seqs(history), history.earlier]).toEqual([[3, 4, 5, 6, 7, 8, 9, 10], '3']);
  facts = 14;
  await again(history);
  expect([seqs(history), history.earlier]).toEqual([[12, 13, 14], '12']);
});

it('says that earlier ones could not be read, and reads them the next time', async () => {
  const history = await opened();
  down = true;
  await history.readEarlier();
  expect([history.failed, seqs(history)]).toEqual([true, [6, 7, 8]]);
  down = false;
  await history.readEarlier();
  expect([history.failed, seqs(history)]).toEqual([false, [3, 4, 5, 6, 7, 8]]);
});

it('puts nothing of one item into the history of another', async () => {
  const history = await opened();
  const reading = history.readEarlier();
  history.turnTo('two');
  await reading;
  expect([history.facts, history.earlier, history.reading]).toEqual([null, null, false]);
});
