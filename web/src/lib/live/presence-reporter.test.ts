// @vitest-environment happy-dom
// What a tab says of itself: only what changed, at most once a second, again after every reconnect.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PresenceReport } from '@countersign/shared/sockets';
import { IDLE_MS, PresenceReporter, SPACING_MS, watchIdle } from './presence-reporter.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('a reporter', () => {
  let sent: PresenceReport[];
  let reporter: PresenceReporter;
  const items = () => sent.map(({ item_id: id }) => id);
  const at = (item: string | null) => reporter.update({ project_id: item === null ? null : 'north', item_id: item });

  beforeEach(() => {
    sent = [];
    reporter = new PresenceReporter((where) => sent.push(where));
    reporter.connected();
  });

  it('has nothing to say of a tab that is nowhere and in use', () => {
    at(null);
    vi.runAllTimers();
    expect(sent).toEqual([]);
  });

  it('says where the tab is, once, and only the last of what changed within a second', () => {
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

  it('says at most one thing a second, however busy the reader is', () => {
    for (let ms = 0; ms < 60_000; ms += 50) {
      at(String(ms));
      vi.advanceTimersByTime(50);
    }
    expect(sent.length).toBeLessThanOrEqual(61);
  });

  it('says it again after a reconnect, and nothing while there is no connection', () => {
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

describe('a tab', () => {
  const changes: boolean[] = [];
  let stop = () => undefined as void;
  const show = (state: 'visible' | 'hidden') => {
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(state);
    document.dispatchEvent(new Event('visibilitychange'));
  };

  beforeEach(() => {
    changes.length = 0;
    stop = watchIdle((idle) => changes.push(idle));
  });
  afterEach(() => {
    stop();
    vi.restoreAllMocks();
  });

  it('is idle after a minute without input, and in use with the next', () => {
    vi.advanceTimersByTime(IDLE_MS - 1);
    window.dispatchEvent(new Event('keydown'));
    vi.advanceTimersByTime(IDLE_MS - 1);
    expect(changes).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(changes).toEqual([true]);
    window.dispatchEvent(new Event('pointermove'));
    expect(changes).toEqual([true, false]);
    vi.advanceTimersByTime(IDLE_MS);
    expect(changes).toEqual([true, false, true]);
  });

  it('is idle while it is hidden, and in use as soon as it is on show again', () => {
    show('hidden');
    expect(changes).toEqual([true]);
    vi.advanceTimersByTime(10 * IDLE_MS);
    show('visible');
    expect(changes).toEqual([true, false]);
  });

  it('says nothing more once it is stopped', () => {
    stop();
    vi.advanceTimersByTime(10 * IDLE_MS);
    show('hidden');
    expect(changes).toEqual([]);
  });
});
