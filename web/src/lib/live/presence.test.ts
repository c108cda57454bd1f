// @vitest-environment happy-dom
// The presence reports of a tab: only changes, at most once a second, and again after every reconnect.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PresenceReport } from '@countersign/shared/schemas/parts/presence-report';
import { AWAY_MS, PresenceReporter, SPACING_MS, watchAway } from './presence.svelte.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('presence reporter', () => {
  let sent: PresenceReport[];
  let reporter: PresenceReporter;
  const items = () => sent.map(({ item_id: id }) => id);
  const at = (item: string | null) => reporter.update({ project_id: item === null ? null : 'north', item_id: item });

  beforeEach(() => {
    sent = [];
    reporter = new PresenceReporter((where) => sent.push(where));
    reporter.connected();
  });

  it('reports nothing for an active tab without an item', () => {
    at(null);
    vi.runAllTimers();
    expect(sent).toEqual([]);
  });

  it('reports where the tab is, once, and only the last change within a second', () => {
    at('1');
    at(null);
    at('2');
    vi.advanceTimersByTime(0);
    expect(items()).toEqual(['2']);
    for (const item of ['3', '4', '5']) at(item);
    vi.advanceTimersByTime(SPACING_MS - 1);
    expect(items()).toEqual(['2']);
    vi.advanceTimersByTime(1);
    expect(items()).toEqual(['2', '5']);
    at('6');
    at('5');
    vi.runAllTimers();
    expect(items()).toEqual(['2', '5']);
  });

  it('reports at most once a second, however busy the user is', () => {
    for (let ms = 0; ms < 60_000; ms += 50) {
      at(String(ms));
      vi.advanceTimersByTime(50);
    }
    expect(sent.length).toBeLessThanOrEqual(61);
  });

  it('reports again after a reconnect, and nothing while disconnected', () => {
    at('1');
    vi.runAllTimers();
    reporter.lost();
    at('2');
    vi.runAllTimers();
    expect(items()).toEqual(['1']);
    reporter.connected();
    vi.runAllTimers();
    expect(items()).toEqual(['1', '2']);
    reporter.connected();
    vi.runAllTimers();
    expect(items()).toEqual(['1', '2', '2']);
  });
});

describe('detection of a user who is away', () => {
  const changes: boolean[] = [];
  let stop = () => undefined as void;
  const show = (state: 'visible' | 'hidden') => {
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(state);
    document.dispatchEvent(new Event('visibilitychange'));
  };

  beforeEach(() => {
    changes.length = 0;
    stop = watchAway((away) => changes.push(away));
  });
  afterEach(() => {
    stop();
    vi.restoreAllMocks();
  });

  it('reports away after a minute without input, and active with the next input', () => {
    vi.advanceTimersByTime(AWAY_MS - 1);
    window.dispatchEvent(new Event('keydown'));
    vi.advanceTimersByTime(AWAY_MS - 1);
    expect(changes).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(changes).toEqual([true]);
    window.dispatchEvent(new Event('pointermove'));
    expect(changes).toEqual([true, false]);
    vi.advanceTimersByTime(AWAY_MS);
    expect(changes).toEqual([true, false, true]);
  });

  it('reports away while the tab is hidden, and active as soon as it is visible again', () => {
    show('hidden');
    expect(changes).toEqual([true]);
    vi.advanceTimersByTime(10 * AWAY_MS);
    show('visible');
    expect(changes).toEqual([true, false]);
  });

  it('reports nothing once it is stopped', () => {
    stop();
    vi.advanceTimersByTime(10 * AWAY_MS);
    show('hidden');
    expect(changes).toEqual([]);
  });
});
