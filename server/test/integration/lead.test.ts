// Who leads: one session at a time, until it ends or says nothing any more.
import { afterEach, describe, expect, it } from 'vitest';
import { openSignals, type Signals } from '../../src/db/signals.ts';
import { emptyDatabase } from '../fixtures/own-database.ts';

const KEY = 7_202_611_298;
/** Silence is long enough to be sure of here when a process that is well has said something many times. */
const RHYTHM = { beatMs: 20, silentMs: 400 };

describe('leading', () => {
  const open: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close();
  });

  /** So many processes on one database; what each heard of losing its session. */
  async function processes(count: number) {
    const { url, remove } = await emptyDatabase();
    open.push(remove);
    return Promise.all(
      Array.from({ length: count }, async () => {
        const lost: unknown[] = [];
        const signals: Signals = openSignals(url, {
          onError: (error) => lost.push(error),
          rhythm: RHYTHM,
        });
        open.push(() => signals.close());
        return { signals, lost };
      }),
    );
  }

  it('is one session’s, and the next one’s when that ends', async () => {
    const [first, second] = await processes(2);
    expect([await first!.signals.lead(KEY), await second!.signals.lead(KEY)]).toEqual([true, false]);
    expect([await first!.signals.lead(KEY), await second!.signals.lead(KEY + 1)]).toEqual([true, true]);
    await first!.signals.close();
    await expect.poll(() => second!.signals.lead(KEY)).toBe(true);
  });

  it('stays with a session that goes on asking', async () => {
    const [first, second] = await processes(2);
    expect(await first!.signals.lead(KEY)).toBe(true);
    const until = performance.now() + 3 * RHYTHM.silentMs;
    while (performance.now() < until) {
      expect([await first!.signals.lead(KEY), await second!.signals.lead(KEY)]).toEqual([true, false]);
    }
    expect(first!.lost).toEqual([]);
  });

  it('is taken from a session that says nothing, and that one hears of it and waits its turn', async () => {
    const [frozen, other] = await processes(2);
    expect(await frozen!.signals.lead(KEY)).toBe(true);
    await expect.poll(() => other!.signals.lead(KEY), { timeout: 5000, interval: 50 }).toBe(true);
    await expect.poll(() => frozen!.lost.length).toBe(1);
    expect([await frozen!.signals.lead(KEY), await other!.signals.lead(KEY)]).toEqual([false, true]);
  });
});
