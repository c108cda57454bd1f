// The history of the open item: its last events, and earlier ones on demand, in any order of answers.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DomainEvent } from '@countersign/shared/schemas/parts/events';
import { History } from './history.svelte.ts';

const PAGE = 3;
let events: number;
let down: boolean;

/** A server that returns the last three events, or the three before a cursor. */
function answer(path: string): Response {
  if (down) return Response.json({ status: 503, code: 'unavailable', title: 'Away', detail: '' }, { status: 503 });
  const { searchParams } = new URL(path, 'http://test');
  const end = Number(searchParams.get('after') ?? events + 1) - 1;
  const first = Math.max(1, end - PAGE + 1);
  const data = Array.from({ length: end - first + 1 }, (_, at) => ({ seq: first + at }) as DomainEvent);
  return Response.json({ data, next_cursor: first > 1 ? String(first) : null });
}

beforeEach(() => {
  vi.useFakeTimers();
  [events, down] = [8, false];
  vi.stubGlobal('fetch', (path: string) => Promise.resolve(answer(path)));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const seqs = ({ events: read }: History) => read?.map(({ seq }) => seq);
const readAgain = async (history: History) => {
  history.readSoon();
  await vi.advanceTimersByTimeAsync(300);
};
async function opened(): Promise<History> {
  const history = new History();
  history.switchTo('one');
  await readAgain(history);
  return history;
}

it('pages back to the first event', async () => {
  const history = await opened();
  expect([seqs(history), history.earlier !== null]).toEqual([[6, 7, 8], true]);
  await history.readEarlier();
  await history.readEarlier();
  expect([seqs(history), history.earlier]).toEqual([[1, 2, 3, 4, 5, 6, 7, 8], null]);
});

it('retains earlier events when new ones arrive, and starts over when a part between them would be missing', async () => {
  const history = await opened();
  await history.readEarlier();
  events = 10;
  await readAgain(history);
  expect([seqs(history), history.earlier]).toEqual([[3, 4, 5, 6, 7, 8, 9, 10], '3']);
  events = 14;
  await readAgain(history);
  expect([seqs(history), history.earlier]).toEqual([[12, 13, 14], '12']);
});

it('reports that earlier events could not be read, and reads them on the next attempt', async () => {
  const history = await opened();
  down = true;
  await history.readEarlier();
  expect([history.failed, seqs(history)]).toEqual([true, [6, 7, 8]]);
  down = false;
  await history.readEarlier();
  expect([history.failed, seqs(history)]).toEqual([false, [3, 4, 5, 6, 7, 8]]);
});

describe('answers in the wrong order', () => {
  /** Each request is answered with the state at its time, when the test releases it. */
  let waiting: (() => void)[];
  beforeEach(() => {
    waiting = [];
    vi.stubGlobal('fetch', (path: string) => {
      const answered = answer(path);
      return new Promise((go) => waiting.push(() => go(answered)));
    });
  });
  const land = async (at: number) => {
    waiting[at]?.();
    await vi.advanceTimersByTimeAsync(0);
  };

  it('leave the newest answer in place, and show the present one until it arrives', async () => {
    const history = await opened();
    await readAgain(history);
    events = 9;
    await readAgain(history);
    await land(0);
    expect(seqs(history)).toEqual([6, 7, 8]);
    await land(2);
    await land(1);
    expect([seqs(history), history.earlier]).toEqual([[6, 7, 8, 9], '6']);
  });

  it('are discarded when they belong to an earlier visit, of the same or another item', async () => {
    const history = await opened();
    await readAgain(history);
    history.switchTo('two');
    await land(0);
    expect(seqs(history)).toBeUndefined();
    history.switchTo('one');
    events = 9;
    await readAgain(history);
    await land(2);
    await land(1);
    expect([seqs(history), history.earlier]).toEqual([[7, 8, 9], '7']);
  });

  it('do not end the present read when they belong to an earlier visit', async () => {
    const history = await opened();
    await land(0);
    void history.readEarlier();
    history.switchTo('two');
    history.switchTo('one');
    await readAgain(history);
    await land(2);
    void history.readEarlier();
    await land(1);
    expect([seqs(history), history.reading]).toEqual([[6, 7, 8], true]);
    await land(3);
    expect([seqs(history), history.reading]).toEqual([[3, 4, 5, 6, 7, 8], false]);
  });
});

it('never put events of one item into the history of another', async () => {
  const history = await opened();
  const reading = history.readEarlier();
  history.switchTo('two');
  await reading;
  expect([history.events, history.earlier, history.reading]).toEqual([null, null, false]);
});
