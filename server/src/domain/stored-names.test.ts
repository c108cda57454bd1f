// Old and new names of what is stored.
import { describe, expect, it } from 'vitest';
import { RETENTION_KINDS } from './items/retention.ts';
import {
  eventTypeOf,
  retentionKindOf,
  settingsOf,
  STORED_RETENTION_KINDS,
  storedEventType,
  storedRetentionKind,
} from './stored-names.ts';

describe('stored names', () => {
  it('keeps the stored type of an expired claim and reads either name', () => {
    expect(storedEventType('claim.expired')).toBe('claim.lapsed');
    expect(['claim.lapsed', 'claim.expired'].map(eventTypeOf)).toEqual(['claim.expired', 'claim.expired']);
  });

  it('leaves every other type as it is', () => {
    expect([storedEventType('item.queued'), eventTypeOf('item.queued')]).toEqual(['item.queued', 'item.queued']);
  });

  it('shows the retention settings of old change log entries under their present names', () => {
    expect(settingsOf({ keep_payloads_days: 7, keep_ledger_days: null, name: 'A' })).toEqual({
      retention_payload_days: 7,
      retention_item_days: null,
      name: 'A',
    });
  });

  it('stores the retention of items under its old name', () => {
    expect(RETENTION_KINDS.map(storedRetentionKind)).toEqual(STORED_RETENTION_KINDS);
    expect(STORED_RETENTION_KINDS.map(retentionKindOf)).toEqual(RETENTION_KINDS);
    expect(storedRetentionKind('items')).toBe('ledger');
  });
});
