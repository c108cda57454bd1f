// The project form's rules: what is sent, what is refused before sending, and that nothing typed is ever lost.
import { DEFAULT_SETTINGS, projectSettings, type Project } from '@countersign/shared/api/projects';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeChange } from './describe-change.ts';
import {
  changedFields,
  draftOf,
  faultsOf,
  faultyFields,
  NUMBERS,
  parseNumber,
  patchOf,
  rebase,
  thresholdText,
  type Draft,
} from './settings-form.ts';
import { tabOf, tabsFor } from './tabs.ts';

const project = { name: 'Maths answers', ...DEFAULT_SETTINGS, settings_version: 12 } as Project;
const before = draftOf(project);
const typed = (change: Partial<Draft>): Draft => ({ ...structuredClone(before), ...change });

describe('what is sent', () => {
  it('sends nothing but the version when nothing differs, however it is spelt', () => {
    const spelt = typed({ auto_threshold: '0.950', review_threshold: '.7', name: ' Maths answers ', webhook_url: ' ' });
    expect(patchOf(before, spelt, 12)).toEqual({ settings_version: 12 });
  });

  it('sends the changed fields as numbers, lists and null', () => {
    const after = typed({ auto_threshold: '0,85', escalate_flags: ['legal'], webhook_url: 'https://x.example/h' });
    const patch = patchOf(before, after, 12);
    expect(patch).toEqual({
      auto_threshold: 0.85,
      escalate_flags: ['legal'],
      webhook_url: 'https://x.example/h',
      settings_version: 12,
    });
    expect(patchOf(after, typed({ auto_threshold: '0.85', escalate_flags: ['legal'] }), 13)).toEqual({
      webhook_url: null,
      settings_version: 13,
    });
  });

  it('never changes a threshold by showing it: the field reads back as the same number', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (value) => {
        fc.pre(!String(value).includes('e'));
        expect(parseNumber(thresholdText(value))).toBe(value);
      }),
    );
  });

  it('has the limits of the contract', () => {
    for (const [field, { min, max, whole }] of Object.entries(NUMBERS)) {
      const schema = projectSettings.shape[field as keyof typeof NUMBERS];
      const step = whole ? 1 : 0.01;
      expect([min, max].every((value) => schema.safeParse(value).success)).toBe(true);
      expect([min - step, max + step].some((value) => schema.safeParse(value).success)).toBe(false);
      expect(schema.safeParse(min + 0.5).success).toBe(!whole);
    }
  });
});

describe('what is refused before sending', () => {
  it.each([
    [{ auto_threshold: 'abc' }, { auto_threshold: 'not_a_number' }],
    [{ auto_threshold: '' }, { auto_threshold: 'not_a_number' }],
    [{ auto_threshold: '1.01' }, { auto_threshold: 'out_of_range' }],
    [{ review_threshold: '0.96' }, { review_threshold: 'above_auto' }],
    [{ undo_window_seconds: '2.5' }, { undo_window_seconds: 'not_whole' }],
    [{ claim_lease_seconds: '59' }, { claim_lease_seconds: 'out_of_range' }],
    [{ name: '  ' }, { name: 'empty' }],
    [{ reasons: [] }, { reasons: 'no_reason' }],
    [{ review_threshold: '0.95' }, {}],
  ])('%j → %j (RT5 and the limits)', (change, faults) => expect(faultsOf(typed(change))).toEqual(faults));

  it('names the faulty fields in the order of the page', () => {
    expect(faultyFields(typed({ claim_lease_seconds: '5', name: '' }))).toEqual(['name', 'claim_lease_seconds']);
    expect(faultyFields(before)).toEqual([]);
  });

  it('reads numbers as people type them, and nothing else as one', () => {
    expect(['0.85', '0,85', '.85', '1', '1.'].map(parseNumber)).toEqual([0.85, 0.85, 0.85, 1, 1]);
    for (const wrong of ['', '.', '-1', '1e3', '0x1', 'Infinity', '1 2']) expect(parseNumber(wrong)).toBeNaN();
  });
});

describe('somebody else saved meanwhile', () => {
  it('keeps what was typed, takes what was not, and names where both changed', () => {
    const mine = typed({ auto_threshold: '0.85', guidelines: 'mine' });
    const now = typed({ auto_threshold: '0.9', target_minutes: '90' });
    const { draft, theirs, contested } = rebase(before, mine, now);
    expect(draft).toMatchObject({ auto_threshold: '0.85', guidelines: 'mine', target_minutes: '90' });
    expect(theirs).toEqual(['auto_threshold', 'target_minutes']);
    expect(contested).toEqual(['auto_threshold']);
  });

  it('never loses a typed field and never sends one that was not typed', () => {
    const change = fc.record(
      {
        auto_threshold: fc.constantFrom('0.95', '0.9', '0.8'),
        name: fc.constantFrom('Maths answers', 'A', 'B'),
        reasons: fc.constantFrom<string[]>([...before.reasons], ['One'], ['Two']),
        guidelines: fc.constantFrom('', 'g1', 'g2'),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(change, change, (mine, theirs) => {
        const [my, now] = [typed(mine), typed(theirs)];
        const { draft } = rebase(before, my, now);
        const touched = changedFields(before, my);
        for (const field of touched) expect(draft[field]).toEqual(my[field]);
        for (const field of changedFields(now, draft)) expect(touched).toContain(field);
      }),
    );
  });
});

describe('the save bar', () => {
  it.each([
    ['auto_threshold', { auto_threshold: '0.85' }, '0.95', '0.85'],
    ['undo_window_seconds', { undo_window_seconds: '10' }, '5 s', '10 s'],
    ['below_review', { below_review: 'queue' }, 'Reject', 'Queue'],
    ['escalate_flags', { escalate_flags: ['escalate', 'high_value', 'pii'] }, 'legal', 'pii'],
    ['reasons', { reasons: [...before.reasons].reverse() }, null, 'new order'],
    ['webhook_url', { webhook_url: 'https://x.example' }, 'none', 'https://x.example'],
    ['guidelines', { guidelines: 'long' }, null, 'edited'],
  ] as const)('says what becomes of %s', (field, change, from, to) => {
    expect(describeChange(field, before, typed(change as Partial<Draft>))).toMatchObject({ from, to });
  });
});

describe('tabs (PM)', () => {
  const nobody = Object.fromEntries(
    ['manage_keys', 'manage_webhook', 'see_deliveries'].map((ability) => [ability, false]),
  );
  const names = (abilities: object) => tabsFor(abilities as Project['abilities']).map(({ tab }) => tab);

  it('shows what one may use', () => {
    expect(names(nobody)).toEqual(['rules', 'guidelines', 'people']);
    expect(names({ ...nobody, see_deliveries: true })).toEqual(['rules', 'guidelines', 'people', 'webhook']);
    expect(names({ manage_keys: true, manage_webhook: true })).toContain('keys');
  });

  it('opens the first tab for an address that names a hidden one', () => {
    const seen = tabsFor(nobody as Project['abilities']);
    expect(tabOf('keys', seen)).toBe('rules');
    expect(tabOf('people', seen)).toBe('people');
    expect(tabOf(null, seen)).toBe('rules');
  });
});
