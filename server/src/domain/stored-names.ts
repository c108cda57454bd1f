// Maps renamed names in stored rows, which processes of the previous version still use, to present ones.
import { RENAMED_SETTINGS } from '@countersign/shared/settings';
import type { DomainEventType } from '@countersign/shared/schemas/parts/events';
import type { RetentionKind } from './items/retention.ts';

/** `event.type` of an expired claim. */
const STORED_CLAIM_EXPIRED = 'claim.lapsed';

/** The type of an event as `event.type` and the notifications between processes hold it. */
export const storedEventType = (type: DomainEventType): string =>
  type === 'claim.expired' ? STORED_CLAIM_EXPIRED : type;

/** The type of an event from `event.type`, under the old name or the new one. */
export const eventTypeOf = (stored: string): DomainEventType =>
  stored === STORED_CLAIM_EXPIRED ? 'claim.expired' : (stored as DomainEventType);

/** The members of settings from `project_change` under the names that the API has. */
export const settingsOf = <T>(stored: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(stored).map(([name, value]) => [RENAMED_SETTINGS[name] ?? name, value]));

/** Kinds of retention as `keeping.kind` holds them. */
export const STORED_RETENTION_KINDS = ['attempts', 'payloads', 'ledger'] as const;
export type StoredRetentionKind = (typeof STORED_RETENTION_KINDS)[number];

export const storedRetentionKind = (kind: RetentionKind): StoredRetentionKind => (kind === 'items' ? 'ledger' : kind);

export const retentionKindOf = (stored: StoredRetentionKind): RetentionKind => (stored === 'ledger' ? 'items' : stored);
