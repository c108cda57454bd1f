// ST1: changes of one side are merged, conflicts are asked, and no input is lost by what others save meanwhile.
import type { Project } from '@countersign/shared/schemas/projects';
import { DEFAULT_SETTINGS } from '@countersign/shared/settings';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MARKS } from './merge-lines.ts';
import { changedFields, draftOf, sameValue, type Draft, type FieldName } from './settings-draft.ts';
import { answerOf, choose, conflictingFields, mineOf, rebase, type Answer, type Typed } from './settings-merge.ts';

const was = draftOf({ name: 'Maths answers', ...DEFAULT_SETTINGS, settings_version: 12 } as Project);
const but = (change: Partial<Draft>, from = was): Draft => ({ ...structuredClone(from), ...change });
const typing = (change: Partial<Draft>): Typed => ({ before: was, draft: but(change), conflicts: {} });

describe('ST1: somebody else saved meanwhile', () => {
  it('retains typed fields, updates the others, and asks about conflicts', () => {
    const mine = typing({ auto_threshold: '0.85', guidelines: 'mine' });
    const after = rebase(mine, but({ auto_threshold: '0.9', target_minutes: '90' }));
    expect(after.draft).toMatchObject({ auto_threshold: '0.85', guidelines: 'mine', target_minutes: '90' });
    expect(after.autoMerged).toEqual(['target_minutes']);
    expect(after.conflicts).toEqual({ auto_threshold: { was: '0.95', mine: '0.85', both: null, answer: null } });
  });

  it('asks nothing where both made the same change, in any spelling', () => {
    const after = rebase(typing({ auto_threshold: '0,9', name: 'A ' }), but({ auto_threshold: '0.9', name: 'A' }));
    expect(after.conflicts).toEqual({});
    expect(changedFields(after.before, after.draft)).toEqual([]);
  });

  it('KE1: asks about retention periods, and not where both are equal', () => {
    const mine = typing({ retention_payload_days: '90', retention_item_days: '0365', retention_attempt_days: '30' });
    const after = rebase(mine, but({ retention_payload_days: '60', retention_item_days: '365' }));
    expect(after.conflicts).toEqual({ retention_payload_days: { was: '', mine: '90', both: null, answer: null } });
    expect(changedFields(after.before, after.draft)).toEqual(['retention_payload_days', 'retention_attempt_days']);
    expect(choose(after, 'retention_payload_days', 'theirs').draft.retention_payload_days).toBe('60');
  });

  it('retains typed text even when it is no number yet', () => {
    const after = rebase(typing({ auto_threshold: '0.8x' }), but({ auto_threshold: '0.9' }));
    expect(after.draft.auto_threshold).toBe('0.8x');
    expect(conflictingFields(after.conflicts)).toEqual(['auto_threshold']);
  });
});

describe('ST1: an answer', () => {
  const both = { auto_threshold: '0.85', reasons: ['Wrong fact', 'Mine'], guidelines: 'one\n\nmine' };
  const theirs = but({ auto_threshold: '0.9', reasons: ['Wrong fact', 'Theirs'], guidelines: 'one\n\ntheirs' });
  const asked = rebase(typing(both), theirs);
  const answered = (field: FieldName, ...answers: Answer[]) =>
    answers.reduce((typed: Typed, answer) => choose(typed, field, answer), asked);

  it('puts its value into the form, and can be changed until it is saved', () => {
    expect(answerOf(asked, 'auto_threshold')).toBeNull();
    expect(answered('auto_threshold', 'theirs').draft.auto_threshold).toBe('0.9');
    expect(answered('auto_threshold', 'theirs', 'mine').draft.auto_threshold).toBe('0.85');
    expect(answered('reasons', 'both').draft.reasons).toEqual(['Wrong fact', 'Theirs', 'Mine']);
    expect(answered('guidelines', 'both').draft.guidelines).toContain(MARKS.theirs);
    expect(answered('guidelines', 'both', 'mine').draft.guidelines).toBe('one\n\nmine');
  });

  it('retains a hand-edited merge while another answer is selected', () => {
    const byHand = answered('guidelines', 'both');
    const settled = { ...byHand, draft: but({ guidelines: 'settled by hand' }, byHand.draft) };
    expect(choose(choose(settled, 'guidelines', 'theirs'), 'guidelines', 'both').draft.guidelines).toBe(
      'settled by hand',
    );
  });

  it('merges again when the value has changed since', () => {
    const back = answered('reasons', 'both', 'mine');
    const on = { ...back, draft: but({ reasons: ['Wrong fact', 'Mine', 'More'] }, back.draft) };
    expect(choose(on, 'reasons', 'both').draft.reasons).toEqual(['Wrong fact', 'Theirs', 'Mine', 'More']);
  });

  it("counts as the user's own again after further typing", () => {
    const autoMerged = answered('auto_threshold', 'theirs');
    const on = { ...autoMerged, draft: but({ auto_threshold: '0.88' }, autoMerged.draft) };
    expect(answerOf(on, 'auto_threshold')).toBe('mine');
    expect(mineOf(on, 'auto_threshold')).toBe('0.88');
  });

  it('is not given by typing before any answer', () => {
    const on = { ...asked, draft: but({ auto_threshold: '0.8' }, asked.draft) };
    expect(answerOf(on, 'auto_threshold')).toBeNull();
    expect(mineOf(on, 'auto_threshold')).toBe('0.8');
  });
});

describe('ST1: a third save', () => {
  const theirs = but({ auto_threshold: '0.9', target_minutes: '90' });
  const first = rebase(typing({ auto_threshold: '0.85', target_minutes: '30', name: 'Mine' }), theirs);
  const answered = choose(choose(first, 'auto_threshold', 'theirs'), 'target_minutes', 'mine');

  it('leaves the answers that still apply', () => {
    const after = rebase(answered, but({ name: 'Theirs', undo_window_seconds: '9' }, theirs));
    expect(answerOf(after, 'auto_threshold')).toBe('theirs');
    expect(answerOf(after, 'target_minutes')).toBe('mine');
    expect(answerOf(after, 'name')).toBeNull();
    expect(after.draft).toMatchObject({ auto_threshold: '0.9', target_minutes: '30', name: 'Mine' });
    expect(after.autoMerged).toEqual(['undo_window_seconds']);
  });

  it('asks again about its own changes, with the typed value still available', () => {
    const after = rebase(answered, but({ auto_threshold: '0.91', target_minutes: '91' }, theirs));
    expect(conflictingFields(after.conflicts)).toEqual(['auto_threshold', 'target_minutes']);
    for (const field of conflictingFields(after.conflicts)) expect(answerOf(after, field)).toBeNull();
    expect(after.draft).toMatchObject({ auto_threshold: '0.85', target_minutes: '30' });
  });

  it('of the very value that was typed answers the question', () => {
    const after = rebase(first, but({ auto_threshold: '0.85' }, theirs));
    expect(conflictingFields(after.conflicts)).toEqual(['target_minutes']);
  });

  it('a third save that reverts an accepted and further edited value is asked about', () => {
    const autoMerged = choose(first, 'auto_threshold', 'theirs');
    const on = { ...autoMerged, draft: but({ auto_threshold: '0.92' }, autoMerged.draft) };
    const after = rebase(on, but({ auto_threshold: '0.95' }, theirs));
    expect(after.conflicts.auto_threshold).toEqual({ was: '0.9', mine: '0.92', both: null, answer: null });
  });

  it('a third save that reverts their change leaves only yours', () => {
    const after = rebase(first, but({ auto_threshold: '0.95' }, theirs));
    expect(conflictingFields(after.conflicts)).toEqual(['target_minutes']);
    expect(after.draft.auto_threshold).toBe('0.85');
  });

  it('finds a hand-edited merge, and asks only about new changes', () => {
    const start = { ...typing({ guidelines: 'a\nM\nc' }), before: but({ guidelines: 'a\nb\nc' }) };
    const one = choose(rebase(start, but({ guidelines: 'a\nT\nc' })), 'guidelines', 'both');
    const settled = { ...one, draft: but({ guidelines: 'a\nT and M\nc' }, one.draft) };
    const two = rebase(settled, but({ guidelines: 'a\nT\nc\nd' }));
    expect(two.draft.guidelines).toBe('a\nT and M\nc');
    expect(choose(two, 'guidelines', 'both').draft.guidelines).toBe('a\nT and M\nc\nd');
  });
});

describe('ST1: in any order of events', () => {
  const VALUES = {
    auto_threshold: ['0.95', '0.9', '0.8'],
    reasons: [[...was.reasons], ['One'], ['One', 'Two']],
    guidelines: ['', 'g1', 'g1\ng2'],
    name: ['Maths answers', 'A', 'B'],
  } as const;
  const field = fc.constantFrom('auto_threshold', 'reasons', 'guidelines', 'name');
  const step = fc.oneof(
    fc.record({ kind: fc.constant('type'), field, at: fc.nat(2) }),
    fc.record({ kind: fc.constant('save'), field, at: fc.nat(2) }),
    fc.record({ kind: fc.constant('choose'), field, at: fc.nat(1) }),
  );
  const changeOf = (name: keyof typeof VALUES, at: number) => ({ [name]: VALUES[name][at] }) as Partial<Draft>;

  it('the last typed value is in the form or in its conflict; untouched fields are as saved', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let typed: Typed = typing({});
        const mine = new Map<FieldName, Draft[FieldName]>();
        for (const { kind, field: name, at } of steps) {
          const change = changeOf(name, at);
          if (kind === 'save') typed = rebase(typed, but(change, typed.before));
          else if (kind === 'choose') typed = choose(typed, name, (['theirs', 'mine'] as const)[at] ?? 'mine');
          else {
            typed = { ...typed, draft: but(change, typed.draft) };
            // Typing their saved value during a conflict is the answer "theirs": the user's own value is the one of the conflict.
            const theirs = typed.conflicts[name] && sameValue(name, typed.draft[name], typed.before[name]);
            mine.set(name, theirs ? typed.conflicts[name]!.mine : typed.draft[name]);
          }
          for (const [each, value] of mine) {
            const places = [typed.draft[each], mineOf(typed, each), typed.before[each]];
            expect(places.some((place) => sameValue(each, place, value))).toBe(true);
            // A value that was saved as typed, or reverted, is nobody's change any more.
            const over = sameValue(each, typed.before[each], typed.draft[each]) && !typed.conflicts[each];
            if (over) mine.delete(each);
          }
          for (const each of changedFields(typed.before, typed.draft)) expect([...mine.keys()]).toContain(each);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('no value they saved after the typing began is overwritten without a question', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let typed: Typed = typing({});
        /** The value each field's typing replaced, as far as its author saw it. */
        const seen = new Map<FieldName, Draft[FieldName]>();
        for (const { kind, field: name, at } of steps) {
          const conflict = typed.conflicts[name];
          const untouched = sameValue(name, typed.draft[name], typed.before[name]);
          const change = changeOf(name, at);
          if (kind === 'save') typed = rebase(typed, but(change, typed.before));
          else if (kind === 'choose') {
            const answer = (['theirs', 'mine'] as const)[at] ?? 'mine';
            typed = choose(typed, name, answer);
            if (conflict && answer === 'mine') seen.set(name, typed.conflicts[name]!.was);
          } else {
            typed = { ...typed, draft: but(change, typed.draft) };
            const startsOver = untouched && (!conflict || conflict.answer === 'theirs');
            if (startsOver) seen.set(name, typed.before[name]);
          }
          for (const each of changedFields(typed.before, typed.draft)) {
            const unseen = !sameValue(each, seen.get(each) ?? '', typed.before[each]);
            if (unseen) expect(typed.conflicts[each]).toBeDefined();
          }
        }
      }),
      { numRuns: 2000 },
    );
  });
});
