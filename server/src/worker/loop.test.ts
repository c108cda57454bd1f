// The worker loop: when it runs, that runs never overlap, and how it stops.
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { loopOf, pass, POLL_MS, settle, started, useLoops } from './loop.fixture.ts';
import { spreadStarts, startLoop } from './loop.ts';

useLoops();

describe('when a loop runs', () => {
  it('runs immediately, and then by the poll interval', async () => {
    const { begun, finish } = loopOf();
    await settle();
    expect(begun).toHaveLength(1);
    await finish();
    await pass(POLL_MS - 1);
    expect(begun).toHaveLength(1);
    await pass(1);
    expect(begun).toHaveLength(2);
  });

  it('starts later where it is told to, or when it is woken', async () => {
    const { begun } = loopOf({ firstMs: 90 });
    await pass(89);
    expect(begun).toHaveLength(0);
    await pass(1);
    expect(begun).toHaveLength(1);
    const other = loopOf({ firstMs: 90 });
    other.loop.wake();
    await settle();
    expect(other.begun).toHaveLength(1);
  });

  it('loops that begin together start one after the other', () => {
    const nextStart = spreadStarts();
    expect([nextStart(), nextStart(), nextStart()]).toEqual([0, 30, 60]);
  });

  it('treats a run without a result like one that returns {}', async () => {
    const { begun } = loopOf();
    await settle();
    begun[0]?.finish(undefined);
    await pass(POLL_MS);
    expect(begun).toHaveLength(2);
  });

  it('a loop that asks to run again runs immediately', async () => {
    const { begun, finish } = loopOf();
    await settle();
    await finish({ again: true });
    expect(begun).toHaveLength(2);
  });

  it('at: runs then, if that is before the poll', async () => {
    const { begun, finish } = loopOf();
    await settle();
    await finish({ at: new Date(Date.now() + 300) });
    await pass(299);
    expect(begun).toHaveLength(1);
    await pass(1);
    expect(begun).toHaveLength(2);
  });

  it.each([
    ['a time long after the poll', 60_000, POLL_MS],
    ['a time that has passed', -5_000, 0],
  ])('a loop that asks for %s waits at most one poll', async (_, ahead, wait) => {
    const { begun, finish } = loopOf();
    await settle();
    await finish({ at: new Date(Date.now() + ahead) });
    expect(begun).toHaveLength(wait === 0 ? 2 : 1);
    await pass(wait);
    expect(begun).toHaveLength(2);
  });

  it('at: null leaves the next run to the poll', async () => {
    const { begun, finish } = loopOf();
    await settle();
    await finish({ at: null });
    await pass(POLL_MS);
    expect(begun).toHaveLength(2);
  });
});

describe('a wake-up', () => {
  it('while waiting: triggers one run now, then the wait starts again', async () => {
    const { loop, begun, finish } = loopOf();
    await settle();
    await finish();
    await pass(900);
    loop.wake();
    loop.wake();
    await settle();
    expect(begun).toHaveLength(2);
    await finish();
    await pass(POLL_MS - 1);
    expect(begun).toHaveLength(2);
    await pass(1);
    expect(begun).toHaveLength(3);
  });

  it('during a run: triggers exactly one more run after it, however many wake-ups there were', async () => {
    const { loop, begun, finish, most } = loopOf();
    await settle();
    for (let times = 0; times < 5; times += 1) loop.wake();
    await pass(POLL_MS * 3);
    expect(begun).toHaveLength(1);
    await finish();
    expect(begun).toHaveLength(2);
    await finish();
    expect(begun).toHaveLength(2);
    expect(most()).toBe(1);
  });

  it('during a run that requests a later time: takes precedence', async () => {
    const { loop, begun, finish } = loopOf();
    await settle();
    loop.wake();
    await finish({ at: new Date(Date.now() + 500) });
    expect(begun).toHaveLength(2);
  });

  it('before the first run does not cause a second one', async () => {
    const { loop, begun, finish } = loopOf();
    loop.wake();
    await settle();
    expect(begun).toHaveLength(1);
    await finish();
    expect(begun).toHaveLength(1);
  });

  it('never overlaps runs, however wake-ups, polls and ends coincide', async () => {
    const { loop, begun, finish, most } = loopOf();
    for (let step = 0; step < 200; step += 1) {
      await pass((step * 37) % 70);
      loop.wake();
      if (step % 3 === 0) await finish(step % 2 === 0 ? { again: true } : {});
    }
    expect(begun.length).toBeGreaterThan(50);
    expect(most()).toBe(1);
  });
});

describe('the gap', () => {
  it('separates the starts of two runs, woken or not', async () => {
    const { loop, begun, finish } = loopOf({ gapMs: 25 });
    await settle();
    await finish({ again: true });
    expect(begun).toHaveLength(1);
    await pass(24);
    loop.wake();
    expect(begun).toHaveLength(1);
    await pass(1);
    expect(begun).toHaveLength(2);
  });

  it('is the urgent one for a run that left work behind', async () => {
    const { begun, finish } = loopOf({ gapMs: { normal: 250, high: 10 } });
    await settle();
    await finish({ again: true });
    await pass(9);
    expect(begun).toHaveLength(1);
    await pass(1);
    expect(begun).toHaveLength(2);
  });

  it('is shorter for urgent wake-ups, before, after or between others', async () => {
    const { loop, begun, finish } = loopOf({ gapMs: { normal: 25, high: 5 } });
    await settle();
    await finish();
    for (const order of [['high'], ['normal', 'high'], ['high', 'normal']] as const) {
      const runs = begun.length;
      for (const urgency of order) loop.wake(urgency);
      await pass(4);
      expect(begun).toHaveLength(runs);
      await pass(1);
      expect(begun).toHaveLength(runs + 1);
      loop.wake('high');
      loop.wake();
      await finish();
      await pass(5);
      expect(begun).toHaveLength(runs + 2);
      await finish();
    }
  });

  it('is longer for wake-ups that can wait, and any other overtakes them', async () => {
    const { loop, begun, finish } = loopOf({ gapMs: { normal: 25, low: 100 } });
    await settle();
    await finish();
    loop.wake('low');
    await pass(99);
    expect(begun).toHaveLength(1);
    await pass(1);
    expect(begun).toHaveLength(2);
    loop.wake('low');
    loop.wake();
    loop.wake('low');
    await finish();
    await pass(25);
    expect(begun).toHaveLength(3);
    loop.wake('low');
    await finish();
    await pass(99);
    expect(begun).toHaveLength(3);
    await pass(1);
    expect(begun).toHaveLength(4);
  });

  it('does not delay the run after one that took longer', async () => {
    const { loop, begun, finish } = loopOf({ gapMs: 25 });
    await settle();
    loop.wake();
    await pass(30);
    await finish();
    expect(begun).toHaveLength(2);
  });
});

describe('a failing run', () => {
  it('pauses for a second and continues', async () => {
    const { begun, finish } = loopOf({ pollMs: 10 });
    await settle();
    begun[0]?.fail(new Error('database unavailable'));
    await settle();
    await pass(999);
    expect(begun).toHaveLength(1);
    await pass(1);
    expect(begun).toHaveLength(2);
    await finish();
    await pass(10);
    expect(begun).toHaveLength(3);
  });

  it('is logged with the name of the loop', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const { begun } = loopOf({ name: 'relay', log });
    await settle();
    begun[0]?.fail(new Error('database unavailable'));
    await settle();
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ loop: 'relay', err: { message: 'database unavailable' } });
  });

  it('includes one that throws synchronously', async () => {
    let runs = 0;
    const loop = startLoop({
      name: 'test',
      pollMs: POLL_MS,
      log: pino({ level: 'silent' }),
      run: () => {
        runs += 1;
        throw new Error('immediately');
      },
    });
    started.push({ loop, runs: [] });
    await settle();
    await pass(1000);
    expect(runs).toBe(2);
  });
});

describe('stop()', () => {
  it('waits for the current run and starts no other', async () => {
    const { loop, begun, finish } = loopOf();
    await settle();
    loop.wake();
    let stopped = false;
    const stopping = loop.stop().then(() => (stopped = true));
    await pass(POLL_MS * 5);
    expect(stopped).toBe(false);
    await finish({ again: true });
    await stopping;
    await pass(POLL_MS * 5);
    expect(begun).toHaveLength(1);
  });

  it('between runs resolves immediately, also the second time, and later wake-ups have no effect', async () => {
    const { loop, begun, finish } = loopOf();
    await settle();
    await finish();
    await loop.stop();
    await loop.stop();
    loop.wake();
    await pass(POLL_MS * 5);
    expect(begun).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('before the first run prevents it', async () => {
    const { loop, begun } = loopOf();
    await loop.stop();
    await pass(POLL_MS * 5);
    expect(begun).toHaveLength(0);
  });
});
