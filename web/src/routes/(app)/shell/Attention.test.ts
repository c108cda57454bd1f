// @vitest-environment happy-dom
// NO7 and NO8 on every page: notices load once they are on, and the marks of the tab follow the number that waits.
import { cleanup, render } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { noticeSettings } from '#lib/notices/notice-settings.svelte.ts';
import { waiting } from '#lib/notices/waiting.svelte.ts';
import Attention from './Attention.svelte';

const notices = vi.hoisted(() => ({ started: [] as string[], stopped: 0, open: (_: string): void => undefined }));
vi.mock('#lib/notices/notice-watch.ts', () => ({
  startNotices: (user: string, open: (address: string) => void) => {
    notices.started.push(user);
    notices.open = open;
    return () => (notices.stopped += 1);
  },
}));

let requests = 0;
beforeEach(() => {
  Object.assign(notices, { started: [], stopped: 0 });
  requests = 0;
  Object.assign(waiting, { live: null, read: null, shown: true });
  localStorage.clear();
  document.head.innerHTML = '<link rel="icon" href="/favicon.svg" />';
  vi.stubGlobal('fetch', () => {
    requests += 1;
    const counts = { available: 2, mine: 1, escalated: 0, all: 3 };
    return Promise.resolve(Response.json({ data: [], next_cursor: null, until: null, seqs: {}, counts }));
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  document.head.replaceChildren();
  localStorage.clear();
});
const icon = () => document.querySelector('link')?.getAttribute('href');

it('NO8: reads the number where no page follows the queue, and marks the tab', async () => {
  render(Attention, { user: 'ana' });
  await vi.waitFor(() => expect(waiting.count).toBe(3));
  await tick();
  expect(icon()).toBe('/favicon-waiting.svg');
  waiting.live = 0;
  await tick();
  expect([icon(), requests]).toEqual(['/favicon.svg', 1]);
});

it('NO8: requests nothing while the queue counts, and marks no tab with the count switched off, which the navigation shows', async () => {
  waiting.live = 5;
  const { unmount } = render(Attention, { user: 'ana' });
  await tick();
  expect([icon(), requests]).toEqual(['/favicon-waiting.svg', 0]);
  waiting.shown = false;
  waiting.live = null;
  await vi.waitFor(() => expect(waiting.known).toBe(3));
  await tick();
  expect([icon(), requests]).toEqual(['/favicon.svg', 1]);
  unmount();
  // The next person does not start with it.
  expect(waiting.read).toBeNull();
});

it('NO7: runs the notices of a person exactly while they are on, and opens pages by a link', async () => {
  waiting.live = 0;
  render(Attention, { user: 'ana' });
  await tick();
  expect(notices.started).toEqual([]);
  noticeSettings.on = true;
  await vi.waitFor(() => expect(notices.started).toEqual(['ana']));
  const page = document.createElement('main');
  page.id = 'page';
  const clicked: (string | null)[] = [];
  page.addEventListener('click', (event) => {
    event.preventDefault();
    clicked.push((event.target as HTMLElement).getAttribute('href'));
  });
  document.body.append(page);
  notices.open('/queue?item=1');
  expect([clicked, page.childElementCount]).toEqual([['/queue?item=1'], 0]);
  noticeSettings.on = false;
  await tick();
  expect(notices.stopped).toBe(1);
});
