// Grouping the rows of the list.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Entry, QueueGroup } from '#lib/live/queue/queue-model.ts';
import { PLAIN_ITEM } from '@countersign/shared/plain-item';
import type { ItemRow } from '@countersign/shared/schemas/parts/item';
import { groupBy, type GroupedRows } from './group-rows.ts';

const row = (id: string, has: Partial<ItemRow> = {}): ItemRow => ({
  ...PLAIN_ITEM,
  ...{ id, project_id: 'p1', status: 'queued', preview: id, confidence: 0.5, risk_flags: [], model: null },
  ...{ source: null, created_at: '', due_at: '', version: 1, claim: null },
  ...has,
});
const entry = (id: string, has: Partial<ItemRow> = {}, left = false): Entry => ({
  id,
  row: row(id, has),
  removal: left ? { what: 'approved', by: 'Ana', mine: false, at: '', undoUntil: null } : null,
  saving: false,
});

const ALL = { nameOf: (value: string) => value, complete: true };
const titlesOf = (of: GroupedRows) => [...of.titles].map(([id, { name, count }]) => [id, name, count]);

describe('QU26: groups', () => {
  it('are in the order of their names, those without a value last, and count the rows that wait', () => {
    const entries = [
      entry('1', { risk_flags: ['pii', 'legal'] }),
      entry('2'),
      entry('3', { risk_flags: ['legal'] }),
      entry('4', { risk_flags: ['pii'] }, true),
      entry('5', { risk_flags: ['legal', 'pii'] }),
    ];
    const grouped = groupBy('flag', ALL)(entries);
    expect(grouped.entries.map(({ id }) => id)).toEqual(['3', '5', '1', '4', '2']);
    expect(titlesOf(grouped)).toEqual([
      ['3', 'legal', '2 items'],
      ['1', 'pii', '1 item'],
      ['2', 'No flag', '1 item'],
    ]);
    expect(titlesOf(groupBy('flag', { ...ALL, complete: false })(entries))[0]).toEqual(['3', 'legal', '2 loaded']);
  });

  it('by project are in the order of the projects’ names; by model, a source counts where no model is named', () => {
    const names: Record<string, string> = { p1: 'Refunds', p2: 'Bio' };
    const entries = [
      entry('1'),
      entry('2', { project_id: 'p2', source: 'mail' }),
      entry('3', { model: 'gpt', source: 'mail' }),
    ];
    const byName = groupBy('project', { ...ALL, nameOf: (id) => names[id] ?? '' });
    expect(titlesOf(byName(entries))).toEqual([
      ['2', 'Bio', '1 item'],
      ['1', 'Refunds', '2 items'],
    ]);
    expect(titlesOf(groupBy('model', ALL)(entries))).toEqual([
      ['3', 'gpt', '1 item'],
      ['2', 'mail', '1 item'],
      ['1', 'No model or source', '1 item'],
    ]);
  });

  it('contain every row once, in the order of the list, and an arrival moves no group', () => {
    const some = fc.record({
      risk_flags: fc.subarray(['a', 'b', 'c', 'ä', 'B']),
      project_id: fc.constantFrom('p1', 'p2'),
      model: fc.constantFrom('m', null),
    });
    const groups = fc.constantFrom<QueueGroup>('flag', 'project', 'model');
    fc.assert(
      fc.property(fc.array(some, { minLength: 1 }), some, groups, fc.nat(), (rows, added, group, at) => {
        const entries = rows.map((has, index) => entry(String(index).padStart(3, '0'), has));
        const { entries: listed, titles } = groupBy(group, ALL)(entries);
        expect(new Set(listed)).toEqual(new Set(entries));
        expect(listed.length).toBe(entries.length);
        const [first] = listed;
        expect(titles.has(first?.id ?? '')).toBe(true);
        let before: Entry | undefined;
        for (const each of listed) {
          if (before !== undefined && !titles.has(each.id)) expect(before.id < each.id).toBe(true);
          before = each;
        }
        const more = entries.toSpliced(at % (entries.length + 1), 0, entry('new', added));
        const after = groupBy(group, ALL)(more).entries.filter(({ id }) => id !== 'new');
        expect(after).toEqual(listed);
      }),
    );
  });
});
