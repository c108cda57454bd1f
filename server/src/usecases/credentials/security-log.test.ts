// Tests LG1: every event is counted, the first of each minute are logged, and a flood hides no others.
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
  it('logs a line for each event, with its fields', () => {
    open().note('role', { address: '192.0.2.1', method: 'GET', user: 'anna' });
    expect(lines).toEqual([
      [{ event: 'role', address: '192.0.2.1', method: 'GET', user: 'anna' }, 'refused: not allowed'],
    ]);
  });

  it('logs the first lines of a flood from one address and then a count; other addresses are still logged', () => {
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

  it('limits the lines of one kind in a flood from everywhere, and starts again a minute later', () => {
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

  it('logs nothing at the end of a minute without suppressed events', () => {
    open().note('sign_in', { user: 'anna' });
    vi.advanceTimersByTime(WINDOW_MS);
    expect(lines).toHaveLength(1);
  });

  it('notifies listeners of every event, logged or not', () => {
    const log = open();
    const heard = vi.fn();
    log.subscribe(heard);
    for (let n = 0; n < 100; n += 1) log.note('signature', { address: '192.0.2.1' });
    expect(heard).toHaveBeenCalledTimes(100);
  });
});
