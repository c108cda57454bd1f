// LG1: every event is counted, the first of each minute leave lines, a flood leaves a count and hides nobody else.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSecurityLog, MOST_LINES, MOST_OF_ADDRESS, WINDOW_MS } from './security-log.ts';

const lines: [fields: unknown, said: string][] = [];
const open = () => createSecurityLog({ info: (...line: unknown[]) => void lines.push(line as [unknown, string]) });

beforeEach(() => {
  lines.length = 0;
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

describe('LG1: the security log', () => {
  it('has a line for each, with what is known of it', () => {
    open().note('role', { address: '192.0.2.1', method: 'GET', user: 'anna' });
    expect(lines).toEqual([
      [{ event: 'role', address: '192.0.2.1', method: 'GET', user: 'anna' }, 'refused: not allowed'],
    ]);
  });

  it('of a flood from one address has the first lines and then a count; others are still seen', () => {
    const log = open();
    for (let n = 0; n < 10_000; n += 1) log.note('key', { address: '192.0.2.1' });
    expect(lines).toHaveLength(MOST_OF_ADDRESS);
    log.note('key', { address: '192.0.2.2' });
    log.note('origin', { address: '192.0.2.1' });
    expect(lines.slice(MOST_OF_ADDRESS).map(([fields]) => fields)).toEqual([
      { event: 'key', address: '192.0.2.2' },
      { event: 'origin', address: '192.0.2.1' },
    ]);
    vi.advanceTimersByTime(WINDOW_MS);
    expect(lines.at(-1)?.[0]).toEqual({ event: 'key', more: 10_000 - MOST_OF_ADDRESS });
  });

  it('of a flood from everywhere has so many lines of a kind, and begins again a minute later', () => {
    const log = open();
    const flood = () => {
      for (let n = 0; n < 1000; n += 1) log.note('session', { address: `2001:db8:0:${n}::/64` });
    };
    flood();
    expect(lines).toHaveLength(MOST_LINES);
    vi.advanceTimersByTime(WINDOW_MS);
    flood();
    expect(lines).toHaveLength(2 * MOST_LINES + 1);
  });

  it('where nothing was left out says nothing at the minute’s end', () => {
    open().note('sign_in', { user: 'anna' });
    vi.advanceTimersByTime(WINDOW_MS);
    expect(lines).toHaveLength(1);
  });

  it('tells every event to whoever counts, with a line or without', () => {
    const log = open();
    const heard = vi.fn();
    log.subscribe(heard);
    for (let n = 0; n < 100; n += 1) log.note('signature', { address: '192.0.2.1' });
    expect(heard).toHaveBeenCalledTimes(100);
  });
});
