// Shortened retention periods of a change, and data that is deleted with its item (KE1, KE4).
import type { Project } from '@countersign/shared/schemas/projects';
import { DEFAULT_SETTINGS } from '@countersign/shared/settings';
import { describe, expect, it } from 'vitest';
import { describeChange } from '../settings/describe-change.ts';
import { deletedWithItemAfter, RETENTION_FIELDS, shortenedIn } from './retention.ts';
import { draftOf, faultsOf, patchOf, type Draft } from '../settings/settings-draft.ts';

const forGood = draftOf({ name: 'Maths answers', ...DEFAULT_SETTINGS, settings_version: 12 } as Project);
const but = (change: Partial<Draft>, from = forGood): Draft => ({ ...structuredClone(from), ...change });
const at90 = but({ retention_payload_days: '90', retention_attempt_days: '90', retention_item_days: '90' });

describe('KE1: the retention period', () => {
  it('is forever while empty, and is sent as days or null', () => {
    expect(RETENTION_FIELDS.map((field) => forGood[field])).toEqual(['', '', '']);
    expect(patchOf(forGood, but({ retention_item_days: ' 365 ' }), 12)).toEqual({
      retention_item_days: 365,
      settings_version: 12,
    });
    expect(patchOf(at90, but({ retention_item_days: ' ' }, at90), 12)).toEqual({
      retention_item_days: null,
      settings_version: 12,
    });
  });

  it.each([
    [{ retention_payload_days: '6' }, { retention_payload_days: 'out_of_range' }],
    [{ retention_attempt_days: '3651' }, { retention_attempt_days: 'out_of_range' }],
    [{ retention_item_days: '29' }, { retention_item_days: 'out_of_range' }],
    [{ retention_item_days: '30.5' }, { retention_item_days: 'not_whole' }],
    [{ retention_payload_days: 'a year' }, { retention_payload_days: 'not_a_number' }],
    [{ retention_payload_days: '7', retention_attempt_days: '3650', retention_item_days: '30' }, {}],
  ])('of %j shows %j before it is sent', (change, faults) => expect(faultsOf(but(change))).toEqual(faults));

  it.each([
    [
      'forever → 90 days',
      forGood,
      but({ retention_payload_days: '90' }),
      [{ field: 'retention_payload_days', days: 90 }],
    ],
    [
      '90 → 30 days',
      at90,
      but({ retention_attempt_days: '30' }, at90),
      [{ field: 'retention_attempt_days', days: 30 }],
    ],
    [
      'only the shortened one of several',
      at90,
      but({ retention_payload_days: '30', retention_attempt_days: '91', retention_item_days: '60' }, at90),
      [
        { field: 'retention_payload_days', days: 30 },
        { field: 'retention_item_days', days: 60 },
      ],
    ],
    ['90 → 91 days', at90, but({ retention_item_days: '91' }, at90), []],
    ['90 days → forever', at90, but({ retention_item_days: '' }, at90), []],
    ['the same value in another spelling', at90, but({ retention_item_days: ' 090' }, at90), []],
    ['an unfinished number', at90, but({ retention_item_days: '3o' }, at90), []],
    ['other settings', forGood, but({ target_minutes: '5', undo_window_seconds: '0' }), []],
  ] as const)('detects shortened periods: %s', (_, before, after, shortened) =>
    expect(shortenedIn(before, after)).toEqual(shortened),
  );

  it('reads as text: forever, or days', () => {
    expect(describeChange('retention_payload_days', forGood, at90)).toEqual({
      field: 'retention_payload_days',
      label: 'content retention',
      from: 'forever',
      to: '90 days',
    });
    expect(describeChange('retention_item_days', at90, forGood)).toMatchObject({ from: '90 days', to: 'forever' });
  });
});

describe('KE4: a deleted item', () => {
  const whole = (change: Partial<Draft>) => RETENTION_FIELDS.map((field) => deletedWithItemAfter(but(change), field));

  it('includes data with a longer period, or none', () => {
    expect(whole({ retention_item_days: '60', retention_payload_days: '90' })).toEqual([60, 60, null]);
  });

  it('includes nothing that is deleted before or with it, and nothing while items are retained forever', () => {
    expect(whole({ retention_item_days: '60', retention_payload_days: '30', retention_attempt_days: '60' })).toEqual([
      null,
      null,
      null,
    ]);
    expect(whole({ retention_payload_days: '30' })).toEqual([null, null, null]);
  });

  it('includes nothing as long as its own period is invalid', () => {
    expect(whole({ retention_item_days: '3' })).toEqual([null, null, null]);
  });
});
