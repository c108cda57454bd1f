// Tests the rate limits of the announcer: at most six summaries a minute, for a user who works in the list.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DomainEvent } from '@countersign/shared/schemas/parts/events';
import { Announcer } from './announcer.svelte.ts';
import type { SpokenLevel } from '../preferences.svelte.ts';
import { QueueSummary } from './queue-summary.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Collects everything a region announces during `ms`, as a screen reader would read it. */
function listen(announcer: Announcer, ms: number, each: (at: number) => void = () => undefined): string[] {
  const heard: string[] = [];
  let before = announcer.words;
  for (let at = 0; at < ms; at += 20) {
    each(at);
    vi.advanceTimersByTime(20);
    const { words } = announcer;
    if (words !== '' && words !== before) heard.push(words);
    before = words;
  }
  return heard;
}

const event = (type: 'item.queued' | 'item.claimed', id: number, actor = 'ben') =>
  ({ type, item_id: String(id), actor: { kind: 'member', id: actor, name: actor } }) as unknown as DomainEvent;

describe('announcer', () => {
  it('announces at most six summaries a minute at 50 events per second', () => {
    const announcer = new Announcer(() => 'all');
    const summary = new QueueSummary('me', (sentence) => announcer.say(sentence, 'summary'));
    let id = 0;
    const heard = listen(announcer, 60_000, (at) => {
      summary.receive(event('item.queued', id++));
      if (at % 1000 === 0) summary.tick({ listening: true, quiet: true, waiting: id, now: Date.now() });
    });
    expect(heard.length).toBeGreaterThan(3);
    expect(heard.length).toBeLessThanOrEqual(6);
    expect(heard.at(1)).toMatch(/^500 new, \d+ waiting$/);
  });

  it('announces at most six summaries a minute when one is passed every time, and always the newest', () => {
    const announcer = new Announcer(() => 'all');
    let count = 0;
    const heard = listen(announcer, 60_000, () => announcer.say(`${++count} new`, 'summary'));
    expect(heard.length).toBeLessThanOrEqual(6);
    expect(heard.at(-1)).toBe(`2500 new`);
  });

  it.each<[SpokenLevel, boolean, boolean]>([
    ['off', false, false],
    ['important', false, true],
    ['all', true, true],
  ])('announces by urgency at the level %s', (level, summed, heard) => {
    const announcer = new Announcer(() => level);
    announcer.say('3 new', 'summary');
    vi.advanceTimersByTime(200);
    expect([announcer.words !== '', announcer.heard]).toEqual([summed, heard]);
    announcer.say('Item approved');
    vi.advanceTimersByTime(200);
    // Results of the user's own actions are still shown; only the screen reader skips them.
    expect(announcer.words).toContain('Item approved');
  });

  it("lets a message about the user's own action be read to its end before a summary replaces it", () => {
    const announcer = new Announcer(() => 'all');
    const heard: [at: number, words: string][] = [];
    let before = '';
    for (let at = 0; at < 21_000; at += 20) {
      if (at === 0) announcer.say('4 new', 'summary');
      if (at === 5000) announcer.say('1 new', 'summary');
      // The latest moment before the summary is due, and a second message before the first is over.
      if (at === 9800) announcer.say('Item released');
      if (at === 12_000) announcer.say('Item approved');
      vi.advanceTimersByTime(20);
      if (announcer.words !== before) heard.push([at, (before = announcer.words)]);
    }
    expect(heard.map(([, words]) => words)).toEqual([
      '4 new',
      '',
      'Item released',
      '',
      'Item approved',
      '',
      '1 new',
      '',
    ]);
    const lasted = (words: string) => {
      const index = heard.findIndex((one) => one[1] === words);
      return (heard[index + 1]?.[0] ?? 0) - (heard[index]?.[0] ?? 0);
    };
    expect(lasted('Item approved')).toBe(4000);
  });

  it('announces a summary in time when the clock of the device is set back', () => {
    const announcer = new Announcer(() => 'all');
    announcer.say('Item released');
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(listen(announcer, 5000)).toEqual(['Item released']);
    expect(announcer.isQuiet).toBe(true);
    const heard = listen(announcer, 12_000, (at) => {
      if (at === 0) announcer.say('1 new', 'summary');
      if (at === 1000) vi.setSystemTime(Date.now() - 3_600_000);
      if (at === 1000) announcer.say('2 new', 'summary');
    });
    expect(heard).toEqual(['1 new', '2 new']);
  });

  it('announces the same sentence again when it occurs a second time', () => {
    const announcer = new Announcer(() => 'all');
    const heard = listen(announcer, 3000, (at) => {
      if (at === 0 || at === 1000) announcer.say('Item approved');
    });
    expect(heard).toEqual(['Item approved', 'Item approved']);
  });

  it('separates urgent messages from the rest, and joins messages of one moment', () => {
    const announcer = new Announcer(() => 'all');
    announcer.say('Ana took over this item', 'assertive');
    announcer.say('Your draft is saved');
    announcer.say('Item approved');
    vi.advanceTimersByTime(200);
    expect([announcer.urgent, announcer.words]).toEqual([
      'Ana took over this item',
      'Your draft is saved. Item approved',
    ]);
    vi.advanceTimersByTime(5000);
    expect([announcer.urgent, announcer.words]).toEqual(['', '']);
  });
});

describe('summary', () => {
  const announced: string[] = [];
  const open = () => {
    announced.length = 0;
    return new QueueSummary('me', (sentence) => announced.push(sentence));
  };

  it('counts new items and items taken by others, each once', () => {
    const summary = open();
    for (let id = 0; id < 12; id++) summary.receive(event('item.queued', id));
    for (const id of [10, 11, 50]) summary.receive(event('item.claimed', id));
    summary.receive(event('item.claimed', 60, 'me'));
    summary.tick({ listening: true, quiet: true, waiting: 41, now: 0 });
    expect(announced).toEqual(['10 new, 3 claimed, 41 waiting']);
  });

  it('accumulates while something else is announced, and reports once afterwards', () => {
    const summary = open();
    for (let id = 0; id < 3; id++) {
      summary.receive(event('item.queued', id));
      summary.tick({ listening: true, quiet: false, waiting: id + 1, now: id * 20_000 });
    }
    expect(announced).toEqual([]);
    summary.tick({ listening: true, quiet: true, waiting: 3, now: 60_000 });
    expect(announced).toEqual(['3 new, 3 waiting']);
  });

  it('is silent while nobody works in the list, and does not report it later', () => {
    const summary = open();
    summary.receive(event('item.queued', 1));
    summary.tick({ listening: false, quiet: true, waiting: 1, now: 0 });
    summary.tick({ listening: true, quiet: true, waiting: 1, now: 20_000 });
    expect(announced).toEqual([]);
  });
});
