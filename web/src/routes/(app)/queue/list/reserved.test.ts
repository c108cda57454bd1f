// For whom an item is reserved follows its project's entries, their members and the time.
import { afterEach, describe, expect, it } from 'vitest';
import { projects } from '#lib/api/projects-store.svelte.ts';
import type { Project } from '@countersign/shared/schemas/projects';
import type { ItemRow } from '@countersign/shared/schemas/parts/item';
import { emptyQueue } from '#lib/live/queue/queue-model.ts';
import { nextRule, whyNext } from './next-rule.ts';
import { isForOthers, reservedText } from './reserved.ts';

const NOW = Date.parse('2026-05-05T12:00:00.000Z');
const until = '2026-05-05T12:30:00.000Z';
const row = {
  project_id: 'p',
  status: 'queued',
  reserved: { skill: 'flag:legal', until },
} as Pick<ItemRow, 'project_id' | 'status' | 'reserved'>;

/** A project whose entry for the flag names these people, and who of the people of all entries are members. */
function set(people: string[], members: string[] = people): void {
  projects.list = [
    {
      id: 'p',
      skills: [{ match: { flag: 'Legal' }, people, after_minutes: 30 }],
      skill_people: members.map((name) => ({ user_id: name, name })),
    } as unknown as Project,
  ];
}

afterEach(() => projects.forget());

const said = (me: string, now = NOW, of = row) => reservedText(of, me, now)?.replace(/until .*/, 'until …') ?? null;

describe('SK3: an item that is reserved', () => {
  it.each([
    [['Ana'], 'me', 'Ana first, until …'],
    [['Ana', 'Marek'], 'me', 'Ana and Marek first, until …'],
    [['Ana', 'Bo', 'Cem', 'Dia'], 'me', 'Ana, Bo, and 2 others first, until …'],
    [['Ana', 'me'], 'me', 'You and Ana first, until …'],
    [['me'], 'me', 'You first, until …'],
  ])('for %j says so to %s', (people, me, text) => {
    set(people);
    expect(said(me)).toBe(text);
    expect(isForOthers(row, me, NOW)).toBe(!people.includes(me));
  });

  it('is for everybody once the time has passed, and where nobody of its entry is a member', () => {
    set(['Ana']);
    expect(said('me', Date.parse(until))).toBeNull();
    expect(said('me', Date.parse(until) - 1)).not.toBeNull();
    expect(said('me', NOW, { ...row, status: 'escalated' })).toBeNull();
    expect(said('me', NOW, { ...row, reserved: { skill: 'flag:other', until } })).toBeNull();
    set(['Ana'], ['Marek']);
    expect(said('me')).toBeNull();
    projects.list = null;
    expect(said('me')).toBeNull();
  });
});

describe('QU27, SK4: the rule of the next item', () => {
  const rule = (projectId: string | null = 'p') => nextRule(emptyQueue('me', { view: 'available', projectId }));

  it('names what is for the user first, and says that what is for others is skipped', () => {
    expect(rule()).toBe('Next takes the oldest due item.');
    set(['me']);
    expect(rule()).toBe('Next takes items for you first, then the oldest due.');
    expect(whyNext(emptyQueue('me', { view: 'available', projectId: 'p' }), row)).toBe('Oldest due');
    const fresh = { ...row, reserved: { skill: 'flag:legal', until: '9999-01-01T00:00:00.000Z' } };
    expect(whyNext(emptyQueue('me', { view: 'available', projectId: 'p' }), fresh)).toBe('For you first');
    set(['Ana']);
    expect(rule()).toBe('Next takes the oldest due item. It skips items that are for others first.');
    expect(rule('other')).toBe('Next takes the oldest due item.');
  });
});
