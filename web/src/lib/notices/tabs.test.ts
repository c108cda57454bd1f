// @vitest-environment happy-dom
// NO7: one tab leads, the next one follows it, and a visible tab is known to all.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { leadOneTab, watchTabs } from './tabs.ts';

interface Request {
  name: string;
  shared: boolean;
  grant: () => void;
}

/** The locks of a browser: an exclusive one has one holder, the others wait. */
class FakeLocks {
  readonly held: Request[] = [];
  readonly waiting: Request[] = [];

  request = (name: string, options: LockOptions, callback: (lock: Lock | null) => unknown): Promise<never> => {
    return new Promise((_, reject) => {
      const request: Request = {
        name,
        shared: options.mode === 'shared',
        grant: () => {
          this.held.push(request);
          void Promise.resolve(callback(null)).then(() => {
            this.held.splice(this.held.indexOf(request), 1);
            this.#next();
          });
        },
      };
      options.signal?.addEventListener('abort', () => {
        const at = this.waiting.indexOf(request);
        if (at >= 0) this.waiting.splice(at, 1);
        reject(new DOMException('', 'AbortError'));
      });
      this.waiting.push(request);
      this.#next();
    });
  };

  query = (): Promise<LockManagerSnapshot> =>
    Promise.resolve({ held: this.held.map(({ name }) => ({ name })), pending: [] });

  #next(): void {
    for (const request of [...this.waiting]) {
      const taken = this.held.some(({ name, shared }) => name === request.name && !(shared && request.shared));
      if (taken) continue;
      this.waiting.splice(this.waiting.indexOf(request), 1);
      request.grant();
    }
  }
}

const settle = async () => {
  for (let n = 0; n < 10; n += 1) await Promise.resolve();
};

/** The locks as a tab sees them. */
const locksOf = (locks: FakeLocks) => locks as unknown as Pick<LockManager, 'request' | 'query'>;

describe('NO7: the leading tab', () => {
  it('is one of all, and the next one when it closes or gives up', async () => {
    const locks = new FakeLocks();
    const leading: string[] = [];
    const open = (tab: string) =>
      leadOneTab(
        'notices',
        () => {
          leading.push(tab);
          return () => leading.splice(leading.indexOf(tab), 1);
        },
        locksOf(locks),
      );
    const [first, second, third] = [open('first'), open('second'), open('third')];
    await settle();
    expect(leading).toEqual(['first']);
    second();
    await settle();
    expect(leading).toEqual(['first']);
    first();
    await settle();
    expect(leading).toEqual(['third']);
    third();
    await settle();
    expect([leading, locks.held]).toEqual([[], []]);
  });

  it('is every tab where the browser has no locks', () => {
    const end = vi.fn();
    const lead = vi.fn(() => end);
    const stops = [leadOneTab('notices', lead, null), leadOneTab('notices', lead, null)];
    expect(lead).toHaveBeenCalledTimes(2);
    stops.forEach((stop) => stop());
    expect(end).toHaveBeenCalledTimes(2);
  });
});

describe('NO7: what a person sees of their tabs', () => {
  const look = { visible: false, focused: false };
  const show = (visible: boolean, focused: boolean) => {
    look.visible = visible;
    look.focused = focused;
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(visible ? 'visible' : 'hidden');
    vi.spyOn(document, 'hasFocus').mockReturnValue(focused);
    document.dispatchEvent(new Event('visibilitychange'));
  };
  afterEach(() => vi.restoreAllMocks());

  it('is visible and in use while one tab is', async () => {
    const locks = new FakeLocks();
    const changed = vi.fn();
    show(true, true);
    const tab = watchTabs('ana', locksOf(locks), changed);
    await settle();
    expect(await tab.read()).toEqual({ visible: true, focused: true });
    show(true, false);
    await settle();
    expect(await tab.read()).toEqual({ visible: true, focused: false });
    show(false, false);
    await settle();
    expect(await tab.read()).toEqual({ visible: false, focused: false });
    expect(changed).toHaveBeenCalledTimes(3);
    tab.stop();
  });

  it('is known to a hidden tab, and only to those of the same person', async () => {
    const locks = new FakeLocks();
    show(true, true);
    const [here, other] = [watchTabs('ana', locksOf(locks), vi.fn()), watchTabs('ben', locksOf(locks), vi.fn())];
    await settle();
    // The document of this test is now the hidden one; the locks are those of the visible tab.
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
    const hidden = watchTabs('ana', locksOf(locks), vi.fn());
    expect(await hidden.read()).toEqual({ visible: true, focused: true });
    here.stop();
    await settle();
    expect(await hidden.read()).toEqual({ visible: false, focused: false });
    for (const each of [hidden, other]) each.stop();
    await settle();
    expect(locks.held).toEqual([]);
  });
});
