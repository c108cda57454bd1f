// When a page that is older than the service loads itself again.
import { expect, it } from 'vitest';
import { reloadOutdatedPage } from './outdated-page.ts';

it('QU20: reloads an outdated page at once, then at most once a minute', () => {
  const stored = new Map<string, string>();
  let [time, reloads] = [1_000_000, 0];
  const browser = {
    storage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
    },
    now: () => time,
    reload: () => (reloads += 1),
  };
  expect(reloadOutdatedPage(browser)).toBe(true);
  time += 59_999;
  expect(reloadOutdatedPage(browser)).toBe(false);
  time += 1;
  expect(reloadOutdatedPage(browser)).toBe(true);
  expect(reloads).toBe(2);
});
