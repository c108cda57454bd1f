// KE1, KE5: which items are settled, and how far along an event log retention may go.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ITEM_STATUSES } from '@countersign/shared/enums';
import {
  cutoffOf,
  isDeletable,
  RETENTION_KINDS,
  expiredPrefix,
  type RetentionItem,
  type LoggedEvent,
} from './retention.ts';

const DONE: RetentionItem = {
  status: 'approved',
  provisional: false,
  underWay: false,
  hasLaterEvents: false,
  quoted: false,
  redacted: false,
};

describe('what is deleted', () => {
  it.each<[string, Partial<RetentionItem>, string[]]>([
    ['KE1: is settled', {}, ['attempts', 'payloads', 'items']],
    ['KE1: can still be undone', { provisional: true }, []],
    ['KE1: has a delivery under way', { underWay: true }, []],
    ['KE1: has later events', { hasLaterEvents: true }, []],
    ['KE5: is quoted by a learning', { quoted: true }, ['attempts']],
    ['KE2: is redacted already', { redacted: true }, ['attempts', 'items']],
  ])('%s', (_, given, kinds) => {
    expect(RETENTION_KINDS.filter((kind) => isDeletable(kind, { ...DONE, ...given }))).toEqual(kinds);
  });

  it('KE1: nothing of an item that waits for people', () => {
    const open = ITEM_STATUSES.filter((status) => !isDeletable('items', { ...DONE, status }));
    expect(open).toEqual(['queued', 'escalated']);
  });
});

describe('how far retention goes', () => {
  const events = fc.array(
    fc.record({ at: fc.date({ noInvalidDate: true }), itemId: fc.option(fc.constantFrom('a', 'b', 'c')) }),
  );

  it('KE1: stops at the first event that is younger than the cutoff', () => {
    fc.assert(
      fc.property(events, fc.date({ noInvalidDate: true }), (made, cutoff) => {
        const eventLog: LoggedEvent[] = made.map((event, index) => ({ ...event, seq: index + 10 }));
        const { through, itemIds } = expiredPrefix(eventLog, cutoff);
        const looked = eventLog.filter(({ seq }) => seq <= (through ?? 0));
        expect(looked.every(({ at }) => at < cutoff)).toBe(true);
        const next = eventLog[looked.length];
        expect(next === undefined || next.at >= cutoff).toBe(true);
        expect(new Set(itemIds)).toEqual(new Set(looked.flatMap(({ itemId }) => itemId ?? [])));
        expect(new Set(itemIds).size).toBe(itemIds.length);
      }),
    );
  });

  it('KE1: a day is 24 hours in any time zone', () => {
    expect(cutoffOf(new Date('2026-03-30T12:00:00Z'), 7)).toEqual(new Date('2026-03-23T12:00:00Z'));
  });
});
