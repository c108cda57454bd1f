// NO7: which browser notices are shown, as a table and as days that a clock of the test runs through.
import { describe, expect, it } from 'vitest';
import { noticeMessages } from './notice-messages.ts';
import {
  decideNotices,
  NO_MEMORY,
  type Notice,
  type NoticeMemory,
  type NoticeSituation,
  type WaitingItem,
} from './notice-rules.ts';

const MINUTE = 60_000;
const NOW = Date.parse('2026-03-02T12:00:00Z');

const item = (id: string, fields: Partial<WaitingItem> = {}): WaitingItem => ({
  ...{ id, project: 'Support', mine: false, deadline: null, arrivedAt: NOW - 60 * MINUTE },
  ...fields,
});
const dueIn = (minutes: number, fields: Partial<WaitingItem> & { id?: string } = {}) =>
  item(fields.id ?? 'due', { deadline: NOW + minutes * MINUTE, ...fields });
const arrived = (id: string, minutesAgo: number, fields: Partial<WaitingItem> = {}) =>
  item(id, { arrivedAt: NOW - minutesAgo * MINUTE, ...fields });

const AWAY: NoticeSituation = { now: NOW, visible: false, focused: false, quiet: false, items: [] };
/** The user left ten minutes ago. */
const LEFT: NoticeMemory = { ...NO_MEMORY, awaySince: NOW - 10 * MINUTE };

const said = (notices: readonly Notice[]) => notices.map((notice) => noticeMessages.title(notice));

describe('NO7: the notices of one moment', () => {
  it.each<[string, Partial<NoticeSituation>, Partial<NoticeMemory>, string[]]>([
    ['nothing waits', {}, {}, []],
    ['an item without a deadline', { items: [item('a')] }, {}, []],
    ['a deadline in 5 minutes', { items: [dueIn(5)] }, {}, ['An item is due in 5 minutes']],
    ['one in a little more', { items: [dueIn(5.01)] }, {}, []],
    ['one in less: rounded up', { items: [dueIn(3.2)] }, {}, ['An item is due in 4 minutes']],
    ['one in seconds', { items: [dueIn(0.1)] }, {}, ['An item is due in 1 minute']],
    ['one that has passed', { items: [dueIn(0)] }, {}, []],
    ['one of an item that I hold', { items: [dueIn(5, { mine: true })] }, {}, ['An item is due in 5 minutes']],
    ['a visible tab without the focus', { items: [dueIn(5)], visible: true }, {}, ['An item is due in 5 minutes']],
    ['a tab in use', { items: [dueIn(5)], visible: true, focused: true }, {}, []],
    ['quiet hours', { items: [dueIn(5), arrived('a', 1)], quiet: true }, {}, []],
    ['a deadline that was told', { items: [dueIn(5)] }, { told: { due: NOW + 5 * MINUTE } }, []],
    ['an extended one', { items: [dueIn(5)] }, { told: { due: NOW + MINUTE } }, ['An item is due in 5 minutes']],
    [
      'a second one: the notice replaces the first, so it names both',
      { items: [dueIn(2), dueIn(5, { id: 'other' })] },
      { told: { due: NOW + 2 * MINUTE } },
      ['2 items are due in the next 5 minutes'],
    ],
    ['an arrival', { items: [arrived('a', 1)] }, {}, ['1 item arrived while you were away']],
    ['more of them', { items: [arrived('a', 1), arrived('b', 9)] }, {}, ['2 items arrived while you were away']],
    ['what arrived before I left', { items: [arrived('a', 10)] }, {}, []],
    ['what I hold', { items: [arrived('a', 1, { mine: true })] }, {}, []],
    ['arrivals while a tab is visible', { items: [arrived('a', 1)], visible: true }, {}, []],
    ['arrivals 4 minutes after a notice', { items: [arrived('a', 1)] }, { arrivalsAt: NOW - 4 * MINUTE }, []],
    [
      'arrivals 5 minutes after a notice: the whole count',
      { items: [arrived('a', 1), arrived('b', 9)] },
      { arrivalsAt: NOW - 5 * MINUTE },
      ['2 items arrived while you were away'],
    ],
    ['nothing new since then', { items: [arrived('b', 9)] }, { arrivalsAt: NOW - 5 * MINUTE }, []],
    [
      'a clock that was set back',
      { items: [arrived('a', 1)] },
      { arrivalsAt: NOW + 60 * MINUTE },
      ['1 item arrived while you were away'],
    ],
    [
      'both kinds',
      { items: [dueIn(4), arrived('a', 1)] },
      {},
      ['An item is due in 4 minutes', '1 item arrived while you were away'],
    ],
  ])('%s', (_, situation, memory, expected) => {
    const { notices } = decideNotices({ ...LEFT, ...memory }, { ...AWAY, ...situation });
    expect(said(notices)).toEqual(expected);
  });

  it('names the project, or how many there are, and never the item', () => {
    const items = [dueIn(5, { id: 'secret-1' }), arrived('secret-2', 1), arrived('secret-3', 1, { project: 'Sales' })];
    const { notices } = decideNotices(LEFT, { ...AWAY, items });
    expect(notices.map((notice) => noticeMessages.body(notice))).toEqual(['Support', 'In 2 projects']);
    expect(notices.map((notice) => noticeMessages.title(notice) + noticeMessages.body(notice)).join()).not.toMatch(
      /secret/,
    );
  });

  it('leads to the item where one is due, and to none of several', () => {
    const one = decideNotices(LEFT, { ...AWAY, items: [dueIn(5)] }).notices;
    const two = decideNotices(LEFT, { ...AWAY, items: [dueIn(5), dueIn(5, { id: 'other' })] }).notices;
    expect([one[0], two[0]]).toMatchObject([{ item: 'due' }, { item: null }]);
  });
});

/** A person whose situation the test changes; the clock moves on by `wait`. */
function aPerson() {
  let memory = NO_MEMORY;
  const situation = { ...AWAY, items: [] as WaitingItem[] };
  const look = () => {
    // What is remembered also survives being stored.
    const decided = decideNotices(JSON.parse(JSON.stringify(memory)) as NoticeMemory, situation);
    ({ memory } = decided);
    return said(decided.notices);
  };
  const wait = (minutes: number) => {
    situation.now += minutes * MINUTE;
    return look();
  };
  const arrive = (id: string) => {
    situation.items = [...situation.items, item(id, { arrivedAt: situation.now })];
  };
  return { situation, look, wait, arrive, memory: () => memory };
}

describe('NO7: the notices of a day', () => {
  it('tells each deadline once, however often it looks', () => {
    const { situation, look, wait } = aPerson();
    situation.items = [dueIn(8)];
    expect([look(), wait(2), wait(1), wait(1), wait(3)]).toEqual([[], [], ['An item is due in 5 minutes'], [], []]);
  });

  it('tells it later when it could not be told at first', () => {
    const { situation, look, wait } = aPerson();
    situation.items = [dueIn(5)];
    situation.quiet = true;
    expect([look(), wait(1)]).toEqual([[], []]);
    situation.quiet = false;
    expect(wait(1)).toEqual(['An item is due in 3 minutes']);
  });

  it('counts what arrives from the moment the user leaves, at most every 5 minutes', () => {
    const { situation, look, wait, arrive } = aPerson();
    situation.visible = situation.focused = true;
    arrive('seen');
    look();
    situation.visible = situation.focused = false;
    expect(wait(1)).toEqual([]);
    wait(1);
    arrive('a');
    expect(wait(0.1)).toEqual(['1 item arrived while you were away']);
    arrive('b');
    expect([wait(1), wait(3)]).toEqual([[], []]);
    arrive('c');
    expect([wait(1), wait(6)]).toEqual([['3 items arrived while you were away'], []]);
  });

  it('leaves out what somebody else has taken, and starts again when the user was there', () => {
    const { situation, look, wait, arrive } = aPerson();
    look();
    wait(1);
    arrive('a');
    arrive('b');
    situation.items = situation.items.filter(({ id }) => id !== 'a');
    expect(wait(1)).toEqual(['1 item arrived while you were away']);
    situation.visible = true;
    expect(wait(10)).toEqual([]);
    situation.visible = false;
    expect(wait(1)).toEqual([]);
    wait(1);
    arrive('c');
    expect(wait(1)).toEqual(['1 item arrived while you were away']);
  });

  it('counts what arrived in quiet hours once they are over', () => {
    const { situation, look, wait, arrive } = aPerson();
    situation.quiet = true;
    look();
    wait(1);
    arrive('a');
    arrive('b');
    expect(wait(60)).toEqual([]);
    situation.quiet = false;
    expect(wait(1)).toEqual(['2 items arrived while you were away']);
  });

  it('forgets deadlines that have passed', () => {
    const { situation, look, wait, memory } = aPerson();
    situation.items = [dueIn(4)];
    look();
    expect(Object.keys(memory().told)).toEqual(['due']);
    wait(4);
    expect(memory().told).toEqual({});
  });
});
