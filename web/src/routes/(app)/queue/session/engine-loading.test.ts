// Commands before the engine of the review session has loaded: none is lost (QU2), and a failed import drops them.
import { describe, expect, it, vi } from 'vitest';
import { ReviewEngine } from './review-engine.ts';
import { reduce } from './review-reducer.ts';
import { IDLE_EVENTS } from './review-events.ts';
import type { EngineSource, ReviewSession } from './review-session.svelte.ts';
import { emptyReview } from './review-state.ts';
import { LOADED, onShow, ReviewFixture, stage } from './fixtures/review-page.fixture.ts';
import { EVENTS, NOW } from './fixtures/review-states.fixture.ts';

const fixture = new ReviewFixture();

/** The parts as the page loads them: each fetch ends when the test says so. */
class SlowSource implements EngineSource {
  loaded: EngineSource['loaded'] = null;
  error: unknown = null;
  fetches = 0;
  #end: () => void = () => undefined;

  fetch = (): Promise<void> => {
    this.fetches += 1;
    return new Promise((resolve) => (this.#end = resolve));
  };

  async load(): Promise<void> {
    this.loaded = { ReviewEngine };
    this.#end();
    await vi.advanceTimersByTimeAsync(150);
  }

  async fail(error: unknown): Promise<void> {
    this.error = error;
    this.#end();
    await vi.advanceTimersByTimeAsync(150);
  }
}

const openSlowly = async () => {
  const source = new SlowSource();
  const page = await fixture.open({ source });
  const before = fixture.server.requests.length;
  return { ...page, source, asked: () => fixture.server.requests.slice(before) };
};

it('claims the next item when the engine has loaded, and the button is pending until then', async () => {
  const { reviewSession, source, asked } = await openSlowly();
  const claimed = reviewSession.next();
  await vi.advanceTimersByTimeAsync(5000);
  expect([reviewSession.busy, asked(), source.fetches]).toEqual(['next', [], 1]);
  await source.load();
  expect([await claimed, reviewSession.busy, stage(reviewSession)]).toEqual([true, null, 'mine']);
});

it('says which item opens while the engine loads', async () => {
  const { reviewSession, source } = await openSlowly();
  expect(reviewSession.wantedId).toBeNull();
  void reviewSession.peek('two');
  expect([reviewSession.wantedId, reviewSession.item.id]).toEqual(['two', null]);
  await source.load();
  expect([reviewSession.wantedId, ...onShow(reviewSession)]).toEqual(['two', 'two', 'two']);
});

type Command = (session: ReviewSession) => Promise<unknown>;
const claim =
  (id: string): Command =>
  (session) =>
    session.claim(id);
const peek =
  (id: string): Command =>
  (session) =>
    session.peek(id);
const next: Command = (session) => session.next();
const close: Command = (session) => Promise.resolve(session.close());

describe('what was pressed before the engine has the effect that it has with it', () => {
  it.each<[string, Command[]]>([
    ['two presses of one key', [next, next]],
    ['two presses on one row', [claim('one'), claim('one')]],
    ['two rows', [claim('one'), claim('two')]],
    ['three rows', [claim('one'), claim('two'), claim('three')]],
    ['another row is shown meanwhile', [claim('one'), peek('two')]],
    ['a row is shown, then another is claimed', [peek('one'), claim('two')]],
    ['a shown row is left again', [peek('one'), close]],
    ['the next item, then a row', [next, claim('three')]],
  ])('%s', async (_, commands) => {
    const outcome = async (source: EngineSource, load: () => Promise<void>) => {
      fixture.server.requests.length = 0;
      const page = await fixture.open({ source });
      const results = Promise.all(commands.map((command) => command(page.reviewSession)));
      await load();
      await vi.advanceTimersByTimeAsync(1000);
      const { reviewSession, moved } = page;
      return { shown: onShow(reviewSession), moved, results: await results, requests: [...fixture.server.requests] };
    };
    const items = () => ['one', 'two', 'three'].forEach((id) => fixture.server.add(id));
    const loaded = await outcome(LOADED, () => Promise.resolve());
    items();
    const source = new SlowSource();
    expect(await outcome(source, () => source.load())).toEqual(loaded);
    expect(source.fetches).toBe(1);
  });
});

it('an item that another user changes meanwhile opens as it is then', async () => {
  const { reviewSession, queue, source } = await openSlowly();
  const claimed = reviewSession.claim('one');
  fixture.server.takenBy('one', 'Ana');
  fixture.receive({ reviewSession, queue }, 'one', 'item.claimed');
  await source.load();
  expect([await claimed, reviewSession.item.id, reviewSession.failure]).toEqual([false, null, null]);
  expect(queue.state.rows.get('one')?.claim?.name).toBe('Ana');
});

it('a heartbeat, an event or a reconnection alone does not load the engine', async () => {
  const { reviewSession, queue, source } = await openSlowly();
  await reviewSession.sendHeartbeat({ visible: true, inputAt: 0 });
  fixture.receive({ reviewSession, queue }, 'one', 'item.queued');
  reviewSession.resync();
  expect(source.fetches).toBe(0);
});

it.each([...IDLE_EVENTS])('%s changes nothing while no item is open', (kind) => {
  const state = emptyReview('me');
  const samples = EVENTS.filter((event) => event.kind === kind);
  expect(samples).not.toHaveLength(0);
  for (const event of samples) expect(reduce(state, event, NOW)).toEqual({ state, effects: [] });
});

describe('when the engine could not be loaded', () => {
  const fault = new TypeError('Failed to fetch dynamically imported module');

  it('drops what was pressed, and says so', async () => {
    const { reviewSession, source, asked } = await openSlowly();
    const results = [reviewSession.claim('one'), reviewSession.claim('two')];
    await source.fail(fault);
    expect(await Promise.all(results)).toEqual([false, false]);
    expect([reviewSession.loadFailure?.error, reviewSession.busy, reviewSession.wantedId]).toEqual([fault, null, null]);
    // Loaded later for another reason, such as the palette: the dropped presses have no effect.
    await source.load();
    reviewSession.resync();
    await vi.advanceTimersByTimeAsync(1000);
    expect([asked(), reviewSession.item.id]).toEqual([[], null]);
  });

  it('another press tries again, and the failure is gone', async () => {
    const { reviewSession, source } = await openSlowly();
    void reviewSession.next();
    await source.fail(fault);
    const claimed = reviewSession.claim('three');
    expect(reviewSession.loadFailure).toBeNull();
    await source.load();
    expect([await claimed, reviewSession.item.id, source.fetches]).toEqual([true, 'three', 2]);
  });
});
