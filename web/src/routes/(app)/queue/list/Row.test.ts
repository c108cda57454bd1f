// @vitest-environment happy-dom
// A row of the queue shows as text and marks who holds the item, who is away, and who views it.
import { render, screen } from '@testing-library/svelte';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { PLAIN_ITEM } from '@countersign/shared/plain-item';
import type { ItemRow } from '@countersign/shared/schemas/parts/item';
import type { UserPresence } from '@countersign/shared/sockets';
import { projects } from '#lib/api/projects-store.svelte.ts';
import type { Project } from '@countersign/shared/schemas/projects';
import { duration } from '#lib/format/format.ts';
import { queueMessages } from '#lib/messages/queue-messages.ts';
import Row from './Row.svelte';

const presence = vi.hoisted(() => ({
  viewers: (_: string): readonly unknown[] => [],
  isAway: (_project: string, _user: string): boolean => false,
}));
vi.mock('#lib/live/connection.svelte.ts', () => ({ live: { presence } }));
vi.mock('#lib/api/projects-store.svelte.ts', () => {
  const store = { list: null, forget: () => (store.list = null) };
  return { projects: store };
});

afterEach(() => {
  presence.viewers = () => [];
  presence.isAway = () => false;
});

const NOW = Date.now();
const iso = (ms: number) => new Date(NOW + ms).toISOString();
const row: ItemRow = {
  ...PLAIN_ITEM,
  id: 'item-1',
  project_id: 'north',
  status: 'queued',
  preview: 'Is this right?',
  confidence: 0.75,
  risk_flags: [],
  model: 'model-1',
  source: 'support',
  created_at: iso(-60_000),
  due_at: iso(3_600_000),
  claim: null,
} as unknown as ItemRow;
const held = { ...row, claim: { user_id: 'ana', name: 'Ana Ruiz', expires_at: iso(100_000) } } as ItemRow;
const looks = (...names: string[]): UserPresence[] =>
  names.map((name) => ({ user_id: name.toLowerCase(), name, idle: false, viewing: ['item-1'] }));
const show = (shown: ItemRow) =>
  render(Row, { row: shown, me: 'me', project: null, leaseMs: 120_000, now: NOW, status: true }).container;
const said = (container: Element) => (container.textContent ?? '').replaceAll(/\s+/g, ' ');

describe('a row of the queue', () => {
  it('shows who holds the item, and that they are away when they are', () => {
    expect(said(show(held))).toContain('Ana Ruiz · 1:');
    expect(screen.getByTitle('Ana Ruiz is on this')).toBeTruthy();
    presence.isAway = (project, user) => project === 'north' && user === 'ana';
    expect(said(show(held))).toContain('Ana Ruiz · away · 1:');
    expect(screen.getByTitle('Ana Ruiz is on this (away)')).toBeTruthy();
  });

  it.each([
    [50, false],
    [51, true],
    [60, false],
  ])('LC3: says after %i of 60 minutes whether the item is due soon', (minutes, soon) => {
    const waited = { ...row, created_at: iso(-minutes * 60_000), due_at: iso((60 - minutes) * 60_000) };
    expect(said(show(waited)).includes(queueMessages.row.due(duration((60 - minutes) * 60_000)))).toBe(soon);
  });

  it('shows the viewers of an item that nobody holds, one by name and the others by number', () => {
    presence.viewers = () => looks('Bo');
    expect(said(show(row))).toContain('Bo is viewing model-1');
    presence.viewers = () => looks('Bo', 'Cem', 'Dia');
    expect(said(show(row))).toContain('Bo +2 are viewing model-1');
    expect(screen.getByTitle('Bo, Cem, and Dia are viewing this').querySelector('svg')).not.toBeNull();
  });

  it("shows neither the user's own viewing nor the viewers of an item that is held", () => {
    presence.viewers = () => [{ user_id: 'me', name: 'Me', idle: false, viewing: ['item-1'] }];
    expect(said(show(row))).not.toContain('looking');
    presence.viewers = () => looks('Bo');
    expect(said(show(held))).not.toContain('looking');
  });
});

it('SK3: a row says who gets the item first, until somebody claims it', () => {
  const skill = { match: { flag: 'legal' }, people: ['ana'], after_minutes: 30 };
  const project = { id: 'north', skills: [skill], skill_people: [{ user_id: 'ana', name: 'Ana Ruiz' }] };
  projects.list = [project as unknown as Project];
  const reserved = { skill: 'flag:legal', until: iso(600_000) };
  expect(said(show({ ...row, reserved }))).toContain('Ana Ruiz first, until ');
  expect(said(show({ ...held, reserved }))).not.toContain('first, until');
  expect(said(show({ ...row, reserved: { ...reserved, until: iso(-1) } }))).not.toContain('first, until');
  projects.forget();
});

it.each([
  [30_000, 'waiting for less than a minute'],
  [60_000, 'waiting for 1 min'],
  [3_660_000, 'waiting for 1 h 1 min, past due'],
  [3 * 86_400_000, 'waiting for 3 d, past due'],
])('says to screen readers how long an item has waited: %i ms', (age, text) => {
  const box = show({ ...row, created_at: iso(-age), due_at: iso(3_600_000 - age) });
  expect(box.querySelector('.sr-only')?.textContent).toBe(text);
});

describe('DL5: the rows of a list with deadlines', () => {
  const timed = (at: number): ItemRow => ({
    ...row,
    deadline: { at: iso(at), on_deadline: 'expire', span_seconds: 3600, extended: false },
  });

  it('change each second only the time of those that warn', async () => {
    vi.useFakeTimers({ now: NOW });
    onTestFinished(() => void vi.useRealTimers());
    const boxes = Array.from({ length: 100 }, (_, at) => show(timed(at === 50 ? 600_000 : 3_030_000)));
    expect(said(boxes[50] as Element)).toMatch(/expires in (10:00|9:59)/);
    expect(said(boxes[0] as Element)).toContain('expires in 50 min');
    const changed: Node[] = [];
    const observer = new MutationObserver((records) => changed.push(...records.map(({ target }) => target)));
    observer.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
    await vi.advanceTimersByTimeAsync(3000);
    observer.disconnect();
    expect(said(boxes[50] as Element)).toMatch(/expires in 9:5\d/);
    expect(changed.length).toBeGreaterThan(0);
    for (const target of changed)
      expect([target.nodeType, boxes[50]?.contains(target)]).toEqual([Node.TEXT_NODE, true]);
    // At most once for each tick that the fake time had.
    expect(changed.length).toBeLessThanOrEqual(4);
  });
});
