// Helpers of the integration tests that read and change the tables directly.
import type { DomainEventType } from '@countersign/shared/schemas/parts/events';
import type { ItemStatus } from '@countersign/shared/enums';
import type { ServicesEnvironment } from './test-services.ts';

export interface ItemRow {
  id: string;
  status: ItemStatus;
  public_status: ItemStatus | null;
  version: number;
  claimed_by: string | null;
  claim_fence: number;
  claim_expires_at: string | Date | null;
  decided_at: string | Date | null;
  settings_version: number;
}

export async function rowOf(testEnv: ServicesEnvironment, itemId: string): Promise<ItemRow> {
  const rows = await testEnv.sql<ItemRow>(
    `select id, status, public_status, version, claimed_by, claim_fence, claim_expires_at, decided_at, settings_version
     from item where id = ?`,
    [itemId],
  );
  if (rows[0] === undefined) throw new Error(`There is no item ${itemId}.`);
  return rows[0];
}

export interface EventRow {
  id: string;
  type: DomainEventType;
  seq: number | null;
  item_id: string | null;
  data: Record<string, unknown>;
}

const EVENTS = `select id, replace(type, 'claim.lapsed', 'claim.expired') as type, seq::int as seq, item_id, data from event`;

/** The event log of one item, in the order of writing. */
export function eventsOf(testEnv: ServicesEnvironment, itemId: string): Promise<EventRow[]> {
  return testEnv.sql<EventRow>(`${EVENTS} where item_id = ? order by position`, [itemId]);
}

/** The events of one item in the event log, by type. */
export async function eventTypesOf(testEnv: ServicesEnvironment, itemId: string): Promise<DomainEventType[]> {
  return (await eventsOf(testEnv, itemId)).map(({ type }) => type);
}

/** Ends the lease of an item now: in the database, and in the lock when that is reachable. */
export async function endLease(testEnv: ServicesEnvironment, itemId: string): Promise<void> {
  await testEnv.sql(`update item set claim_expires_at = now() - interval '1 second' where id = ?`, [itemId]);
  if (!testEnv.lock.down) await testEnv.lock.expire(itemId);
}

/** Ends every claim without events: claims that one test leaves would count for the limit in the next (LC4). */
export async function endAllClaims({ sql }: Pick<ServicesEnvironment, 'sql'>): Promise<void> {
  await sql('update item set claimed_by = null, claim_expires_at = null where claimed_by is not null');
}

/** The event log of one project, in the order of writing. */
export function eventLogOf(testEnv: ServicesEnvironment, projectId: string): Promise<EventRow[]> {
  return testEnv.sql<EventRow>(`${EVENTS} where project_id = ? order by position`, [projectId]);
}

export interface ChangeLogRow {
  action: string;
  subject: string | null;
  subject_id: string | null;
  before: object | null;
  after: object | null;
  changed_by: string | null;
  changed_by_name: string;
  changed_at: Date;
}

/** The change log of one project, oldest first. */
export async function changeLogOf(testEnv: ServicesEnvironment, projectId: string): Promise<ChangeLogRow[]> {
  const rows = await testEnv.sql<ChangeLogRow>(
    `select action, subject, subject_id, before, after, changed_by, changed_by_name, changed_at
     from project_change where project_id = ? order by position`,
    [projectId],
  );
  return rows.map((row) => ({ ...row, changed_at: new Date(row.changed_at) }));
}
