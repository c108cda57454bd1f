// KE1, KE5: which items are done with, and how far along a ledger one may look.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ITEM_STATUSES } from '@countersign/shared/words';
import { cutoffOf, goes, KEPT_KINDS, oldEnough, type KeptItem, type WalkedFact } from './keeping.ts';

const DONE: KeptItem = {
  status: 'approved',
  provisional: false,
  underWay: false,
  goesOn: false,
  quoted: false,
  emptied: false,
};

describe('what goes', () => {
  it.each<[string, Partial<KeptItem>, string[]]>([
    ['KE1: is done with', {}, ['attempts', 'payloads', 'ledger']],
    ['KE1: can still be undone', { provisional: true }, []],
    ['KE1: is still being told', { underWay: true }, []],
    ['KE1: was spoken of later', { goesOn: true }, []],
    ['KE5: is quoted by a learning', { quoted: true }, ['attempts']],
    ['KE2: is empty already', { emptied: true }, ['attempts', 'ledger']],
  ])('%s', (_, given, kinds) => {
    expect(KEPT_KINDS.filter((kind) => goes(kind, { ...DONE, ...given }))).toEqual(kinds);
  });

  it('KE1: nothing of an item that waits for people', () => {
    const open = ITEM_STATUSES.filter((status) => !goes('ledger', { ...DONE, status }));
    expect(open).toEqual(['queued', 'escalated']);
  });
});

describe('how far one looks', () => {
  const facts = fc.array(
    fc.record({ at: fc.date({ noInvalidDate: true }), itemId: fc.option(fc.constantFrom('a', 'b', 'c')) }),
  );

  it('KE1: never past the first fact that is younger, and never short of it', () => {
    fc.assert(
      fc.property(facts, fc.date({ noInvalidDate: true }), (made, cutoff) => {
        const ledger: WalkedFact[] = made.map((fact, index) => ({ ...fact, seq: index + 10 }));
        const { through, itemIds } = oldEnough(ledger, cutoff);
        const looked = ledger.filter(({ seq }) => seq <= (through ?? 0));
        expect(looked.every(({ at }) => at < cutoff)).toBe(true);
        const next = ledger[looked.length];
        expect(next === undefined || next.at >= cutoff).toBe(true);
        expect(new Set(itemIds)).toEqual(new Set(looked.flatMap(({ itemId }) => itemId ?? [])));
        expect(new Set(itemIds).size).toBe(itemIds.length);
      }),
    );
  });

  it('KE1: a day is 24 hours, whatever clocks do', () => {
    expect(cutoffOf(new Date('2026-03-30T12:00:00Z'), 7)).toEqual(new Date('2026-03-23T12:00:00Z'));
  });
});
