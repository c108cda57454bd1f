// Finds the columns with encrypted secrets by key ID, and replaces them if unchanged, for key rotation.
import type { Em } from './orm.ts';

/** Every column with output of `encrypt`. A column missing here would become unreadable when its key is removed. */
export const ENCRYPTED_COLUMNS = [
  { table: 'webhook_endpoint', column: 'current', id: 'id' },
  { table: 'webhook_endpoint', column: 'next', id: 'id' },
  { table: 'webhook_endpoint', column: 'previous', id: 'id' },
  { table: 'inbound_source', column: 'secret', id: 'id' },
] as const;
export type EncryptedColumn = (typeof ENCRYPTED_COLUMNS)[number];

export interface EncryptedText {
  id: string;
  projectId: string;
  encrypted: string;
}

interface TextRow {
  id: string;
  project_id: string;
  encrypted: string;
}

const toText = ({ id, project_id: projectId, encrypted }: TextRow): EncryptedText => ({ id, projectId, encrypted });

/** The key ID at the start of a text; null for anything not in our format, so that nothing of it is ever shown. */
const KID = String.raw`substring(encrypted from '^([A-Za-z0-9_-]{1,32})\.')`;

const textsOf = ({ table, column, id }: EncryptedColumn) =>
  `select "${id}" as id, project_id, "${column}" as encrypted from ${table} where "${column}" is not null`;

/** The key IDs in stored texts. */
export async function kidsInUse(em: Em): Promise<string[]> {
  const all = ENCRYPTED_COLUMNS.map(textsOf).join(' union all ');
  const rows = await em.execute<{ kid: string | null }[]>(
    `select distinct ${KID} as kid from (${all}) texts order by kid`,
  );
  return rows.flatMap(({ kid }) => kid ?? []);
}

/** Up to `limit` texts of a column with another key ID than this, in ID order after `after`. */
export async function textsWithOtherKeys(
  em: Em,
  where: EncryptedColumn,
  { kid, after, limit }: { kid: string; after: string | null; limit: number },
): Promise<EncryptedText[]> {
  const rows = await em.execute<TextRow[]>(
    `select id, project_id, encrypted from (${textsOf(where)}) texts
     where ${KID} is distinct from ? and (?::uuid is null or id > ?::uuid) order by id limit ?`,
    [kid, after, after, limit],
  );
  return rows.map(toText);
}

/** Up to `limit` texts of a column with this key ID. */
export async function textsWithKey(
  em: Em,
  where: EncryptedColumn,
  { kid, limit }: { kid: string; limit: number },
): Promise<EncryptedText[]> {
  const rows = await em.execute<TextRow[]>(
    `select id, project_id, encrypted from (${textsOf(where)}) texts where ${KID} = ? limit ?`,
    [kid, limit],
  );
  return rows.map(toText);
}

/** Replaces a text if it is unchanged since it was read. Returns false otherwise: the concurrent change wins. */
export async function replaceText(
  em: Em,
  { table, column, id }: EncryptedColumn,
  { text, fresh }: { text: EncryptedText; fresh: string },
): Promise<boolean> {
  const rows = await em.execute<unknown[]>(
    `update ${table} set "${column}" = ? where "${id}" = ? and "${column}" = ? returning 1`,
    [fresh, text.id, text.encrypted],
  );
  return rows.length === 1;
}
