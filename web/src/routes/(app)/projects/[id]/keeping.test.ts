// What a change keeps for less time than now, and what an item takes along when it goes (KE1, KE4).
import { DEFAULT_SETTINGS, type Project } from '@countersign/shared/api/projects';
import { describe, expect, it } from 'vitest';
import { describeChange } from './describe-change.ts';
import { goesWholeAfter, KEPT, shortenedIn } from './keeping.ts';
import { draftOf, faultsOf, patchOf, type Draft } from './settings-form.ts';

const forGood = draftOf({ name: 'Maths answers', ...DEFAULT_SETTINGS, settings_version: 12 } as Project);
const but = (change: Partial<Draft>, from = forGood): Draft => ({ ...structuredClone(from), ...change });
const at90 = but({ keep_payloads_days: '90', keep_attempts_days: '90', keep_ledger_days: '90' });

describe('KE1: for how long things are kept', () => {
  it('is for good while nothing is typed, and is sent as days or null', () => {
    expect(KEPT.map((field) => forGood[field])).toEqual(['', '', '']);
    expect(patchOf(forGood, but({ keep_ledger_days: ' 365 ' }), 12)).toEqual({
      keep_ledger_days: 365,
      settings_version: 12,
    });
    expect(patchOf(at90, but({ keep_ledger_days: ' ' }, at90), 12)).toEqual({
      keep_ledger_days: null,
      settings_version: 12,
    });
  });

  it.each([
    [{ keep_payloads_days: '6' }, { keep_payloads_days: 'out_of_range' }],
    [{ keep_attempts_days: '3651' }, { keep_attempts_days: 'out_of_range' }],
    [{ keep_ledger_days: '29' }, { keep_ledger_days: 'out_of_range' }],
    [{ keep_ledger_days: '30.5' }, { keep_ledger_days: 'not_whole' }],
    [{ keep_payloads_days: 'a year' }, { keep_payloads_days: 'not_a_number' }],
    [{ keep_payloads_days: '7', keep_attempts_days: '3650', keep_ledger_days: '30' }, {}],
  ])('of %j says %j before it is sent', (change, faults) => expect(faultsOf(but(change))).toEqual(faults));

  it.each([
    ['for good → 90 days', forGood, but({ keep_payloads_days: '90' }), [{ field: 'keep_payloads_days', days: 90 }]],
    ['90 → 30 days', at90, but({ keep_attempts_days: '30' }, at90), [{ field: 'keep_attempts_days', days: 30 }]],
    [
      'of several only what is kept for less',
      at90,
      but({ keep_payloads_days: '30', keep_attempts_days: '91', keep_ledger_days: '60' }, at90),
      [
        { field: 'keep_payloads_days', days: 30 },
        { field: 'keep_ledger_days', days: 60 },
      ],
    ],
    ['90 → 91 days', at90, but({ keep_ledger_days: '91' }, at90), []],
    ['90 days → for good', at90, but({ keep_ledger_days: '' }, at90), []],
    ['the same, spelt otherwise', at90, but({ keep_ledger_days: ' 090' }, at90), []],
    ['what is no number yet', at90, but({ keep_ledger_days: '3o' }, at90), []],
    ['other settings', forGood, but({ target_minutes: '5', undo_window_seconds: '0' }), []],
  ] as const)('knows what is kept for less time: %s', (_, before, after, shortened) =>
    expect(shortenedIn(before, after)).toEqual(shortened),
  );

  it('is told in words: for good, or days', () => {
    expect(describeChange('keep_payloads_days', forGood, at90)).toEqual({
      field: 'keep_payloads_days',
      label: 'content kept',
      from: 'for good',
      to: '90 days',
    });
    expect(describeChange('keep_ledger_days', at90, forGood)).toMatchObject({ from: '90 days', to: 'for good' });
  });
});

describe('KE4: an item that goes takes along', () => {
  const whole = (change: Partial<Draft>) => KEPT.map((field) => goesWholeAfter(but(change), field));

  it('what would be kept for longer, or for good', () => {
    expect(whole({ keep_ledger_days: '60', keep_payloads_days: '90' })).toEqual([60, 60, null]);
  });

  it('nothing that goes before it or with it, and nothing while items are kept for good', () => {
    expect(whole({ keep_ledger_days: '60', keep_payloads_days: '30', keep_attempts_days: '60' })).toEqual([
      null,
      null,
      null,
    ]);
    expect(whole({ keep_payloads_days: '30' })).toEqual([null, null, null]);
  });

  it('nothing as long as its own days cannot be saved', () => {
    expect(whole({ keep_ledger_days: '3' })).toEqual([null, null, null]);
  });
});
