// @vitest-environment happy-dom
// NO7 as a whole, with the clock and answers of a test: what the browser shows, by which tab, and what a click does.
import { PLAIN_ITEM } from '@countersign/shared/plain-item';
import type { DomainEvent } from '@countersign/shared/schemas/parts/events';
import type { ItemRow } from '@countersign/shared/schemas/parts/item';
import type { Project } from '@countersign/shared/schemas/projects';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { projects } from '../api/projects-store.svelte.ts';
import { live } from '../live/connection.svelte.ts';
import { noticeSettings } from './notice-settings.svelte.ts';
import { startNotices } from './notice-watch.ts';

const SUPPORT = '5d0c41f7-28a9-4e36-8b1d-7a90e3f6c2e1';
const ME = '00000000-0000-4000-8000-00000000000a';
const MINUTE = 60_000;
const START = Date.parse('2026-03-02T12:00:00.000Z');
const iso = (minutes: number) => new Date(START + minutes * MINUTE).toISOString();

const row = (id: string, fields: Partial<ItemRow> = {}): ItemRow => ({
  ...PLAIN_ITEM,
  ...{ id, project_id: SUPPORT, status: 'queued', preview: 'private words', title: 'private title', confidence: 0.5 },
  ...{ risk_flags: [], model: null, source: null, created_at: iso(-60), due_at: iso(60), version: 1, claim: null },
  ...fields,
});
const dueIn = (minutes: number) =>
  row('due', { deadline: { at: iso(minutes), on_deadline: 'expire', span_seconds: 3600, extended: false } });

interface Shown {
  title: string;
  body: string;
  tag: string;
  onclick: (() => void) | null;
}
let shown: Shown[] = [];
let rows: ItemRow[] = [];
let listeners: ((event: DomainEvent) => void)[] = [];
let seq = 0;
const opened: string[] = [];
let stops: (() => void)[] = [];

/** Opens a tab of this browser. */
const openTab = () => {
  const stop = startNotices(ME, (address) => opened.push(address));
  stops.push(stop);
  return stop;
};
const wait = (minutes: number) => vi.advanceTimersByTimeAsync(minutes * MINUTE);
const look = (state: 'visible' | 'hidden', focused = false) => {
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(state);
  vi.spyOn(document, 'hasFocus').mockReturnValue(focused);
  document.dispatchEvent(new Event('visibilitychange'));
};
const arrive = (id: string) => {
  const now = new Date().toISOString();
  const item = row(id, { created_at: now });
  rows.push(item);
  seq += 1;
  const event = { type: 'item.queued', seq, project_id: SUPPORT, item_id: id, item, version: 1, server_time: now };
  const actor = { kind: 'api_key', id: null, name: 'Pipeline' };
  for (const listener of listeners) listener({ ...event, actor, reason: null } as DomainEvent);
};

beforeEach(() => {
  [shown, rows, listeners, stops, seq] = [[], [], [], [], 0];
  opened.length = 0;
  localStorage.clear();
  vi.useFakeTimers({ now: START });
  projects.list = [{ id: SUPPORT, name: 'Support', role: 'reviewer' } as Project];
  class FakeNotification {
    static permission = 'granted';
    onclick: (() => void) | null = null;
    close = () => undefined;
    constructor(title: string, options: { body: string; tag: string }) {
      shown.push(Object.assign(this, { title, body: options.body, tag: options.tag }));
    }
  }
  vi.stubGlobal('isSecureContext', true);
  vi.stubGlobal('Notification', FakeNotification);
  vi.stubGlobal('fetch', () => {
    const counts = { available: rows.length, mine: 0, escalated: 0, all: rows.length };
    return Promise.resolve(
      Response.json({ data: rows, next_cursor: null, until: null, seqs: { [SUPPORT]: seq }, counts }),
    );
  });
  vi.spyOn(live, 'on').mockImplementation((type: string, listener: (event: never) => void) => {
    if (type === '*') listeners.push(listener as (event: DomainEvent) => void);
    return () => undefined;
  });
  stops.push(noticeSettings.follow(ME));
  noticeSettings.on = true;
});
afterEach(() => {
  for (const stop of stops) stop();
  projects.forget();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
  localStorage.clear();
});

const titles = () => shown.map(({ title }) => title);

describe('NO7: a tab that the user does not look at', () => {
  it('tells what is due in 5 minutes and what arrives, once, by counts and the name of the project', async () => {
    rows = [dueIn(7)];
    look('hidden');
    openTab();
    await wait(1);
    expect(titles()).toEqual([]);
    await wait(2);
    expect(titles()).toEqual(['An item is due in 5 minutes']);
    arrive('a');
    arrive('b');
    await wait(1);
    expect(titles().slice(1)).toEqual(['2 items arrived while you were away']);
    expect(shown.map(({ body }) => body)).toEqual(['Support', 'Support']);
    expect(new Set(shown.map(({ tag }) => tag)).size).toBe(2);
    expect(JSON.stringify(shown)).not.toMatch(/private/);
    await wait(10);
    expect(shown).toHaveLength(2);
  });

  it('opens the item at a click, or the queue, in its own window', async () => {
    rows = [dueIn(4)];
    look('hidden');
    openTab();
    await wait(1);
    arrive('a');
    await wait(1);
    const focus = vi.spyOn(window, 'focus').mockImplementation(() => undefined);
    for (const { onclick } of shown) onclick?.();
    expect(opened).toEqual(['/queue?item=due', '/queue']);
    expect(focus).toHaveBeenCalledTimes(2);
  });

  it('does not repeat what another tab has told', async () => {
    rows = [dueIn(4)];
    look('hidden');
    const close = openTab();
    await wait(1);
    close();
    openTab();
    await wait(1);
    expect(titles()).toHaveLength(1);
  });
});

describe('NO7: silence', () => {
  it('keeps what could not be shown without the permission until it is given again', async () => {
    look('hidden');
    rows = [dueIn(4)];
    Object.assign(Notification, { permission: 'denied' });
    openTab();
    await wait(1);
    expect(titles()).toEqual([]);
    Object.assign(Notification, { permission: 'granted' });
    await wait(0.2);
    expect(titles()).toEqual(['An item is due in 3 minutes']);
  });

  it.each<[string, () => void]>([
    ['while the tab is in use', () => look('visible', true)],
    [
      'in quiet hours',
      () => {
        noticeSettings.hours = { from: '00:00', to: '23:59' };
        noticeSettings.quiet = true;
      },
    ],
    ['when they are turned off', () => (noticeSettings.on = false)],
    ['when the browser takes the permission back', () => Object.assign(Notification, { permission: 'denied' })],
  ])('%s', async (_, change) => {
    look('hidden');
    rows = [dueIn(4)];
    change();
    openTab();
    await wait(1);
    arrive('a');
    await wait(1);
    expect(titles()).toEqual([]);
  });
});
