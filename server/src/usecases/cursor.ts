// Keyset cursors: the end of a page as base64url of a time and an id. Any other text is refused.
import { Refusal } from '@countersign/shared/errors';

/** The query of one page of a project's rows. */
export interface PageQuery {
  projectId: string;
  after: string | undefined;
  limit: number;
}

export interface Cursor {
  at: Date;
  id: string;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** From this year on a date has a format that the database does not parse. */
const YEAR_10000 = Date.UTC(10_000, 0);

export function encodeCursor({ at, id }: Cursor): string {
  return Buffer.from(JSON.stringify([at.getTime(), id])).toString('base64url');
}

/** Errors: `invalid_cursor`. */
export function decodeCursor(text: string | undefined): Cursor | null {
  if (text === undefined) return null;
  try {
    const [at, id] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as [unknown, unknown];
    if (
      Number.isSafeInteger(at) &&
      Number(at) >= 0 &&
      Number(at) < YEAR_10000 &&
      typeof id === 'string' &&
      UUID.test(id)
    )
      return asEncoded(text, { at: new Date(Number(at)), id }, encodeCursor);
  } catch {
    // Falls through to the refusal.
  }
  throw invalidCursor();
}

/** The position that a cursor names. A decoder of base64 passes over much that no page has returned. */
function asEncoded<Position>(text: string, position: Position, encode: (position: Position) => string): Position {
  if (encode(position) === text) return position;
  throw invalidCursor();
}

export const invalidCursor = () =>
  new Refusal('invalid_cursor', 'Send the cursor exactly as the last page returned it, or omit it to start over.');

/** The end of a page that is sorted by a number, the largest first, and then by an id. */
export interface Rank {
  rank: number;
  id: string;
}

export const encodeRank = ({ rank, id }: Rank): string => Buffer.from(`rank:${rank}:${id}`).toString('base64url');

/** Errors: `invalid_cursor`. */
export function decodeRank(text: string | undefined): Rank | null {
  if (text === undefined) return null;
  const [, rank, id = ''] = /^rank:(\d{1,9}):(.*)$/.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (rank !== undefined && UUID.test(id)) return asEncoded(text, { rank: Number(rank), id }, encodeRank);
  throw invalidCursor();
}

/** A cursor that is a position: in the event log of a project, or in another numbered list. */
export const encodeSeq = (seq: number): string => Buffer.from(`seq:${seq}`).toString('base64url');

/** Errors: `invalid_cursor`. */
export function decodeSeq(text: string | undefined): number | null {
  if (text === undefined) return null;
  const seq = Number(/^seq:(\d{1,15})$/.exec(Buffer.from(text, 'base64url').toString('latin1'))?.[1] ?? NaN);
  if (Number.isSafeInteger(seq)) return asEncoded(text, seq, encodeSeq);
  throw invalidCursor();
}

/** A condition on two columns, a time and an id: older than the end of the last page. {@link endOf} gives its parameters. */
export const olderThan = (columns: string): string =>
  `(?::timestamptz is null or (${columns}) < (?::timestamptz, ?::uuid))`;

/** Errors: `invalid_cursor`. */
export function endOf(after: string | undefined): unknown[] {
  const from = decodeCursor(after);
  return [from?.at ?? null, from?.at ?? null, from?.id ?? null];
}

export interface Page<T> {
  rows: T[];
  nextCursor: string | null;
}

/** Cuts a page that was read with one extra row, and builds the cursor of the next one. */
export function toPage<T>(rows: T[], limit: number, cursorOf: (row: T) => Cursor): Page<T> {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { rows: page, nextCursor: rows.length > limit && last !== undefined ? encodeCursor(cursorOf(last)) : null };
}

/**
 * The maximum payload of one page in bytes: more would delay all other requests while it is written, and would occupy memory
 * while a slow client reads it (MB3).
 */
const PAGE_BYTES = 1.5 * 1024 * 1024;

/** How many of the first rows make a page of at most `limit`, by their bytes; at least one, so that every page makes progress. */
export function fitting(rows: { bytes: number }[], limit: number): number {
  let bytes = 0;
  const over = rows.findIndex((row) => (bytes += row.bytes) > PAGE_BYTES);
  return over === -1 ? limit : Math.min(limit, Math.max(over, 1));
}

/** The size in bytes of a text column in an answer, where a control character takes six; 0 for null. */
export const textBytes = (column: string): string => `coalesce(octet_length(to_json(${column})::text), 0)`;

/** The size of a value in an answer, in bytes. */
export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');
