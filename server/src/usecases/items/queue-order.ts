// The sorts of the queue in SQL, and their cursors. `QUEUE_ORDER` is the same order for pages.
import { LIMITS } from '@countersign/shared/limits';
import {
  type QueuePlace,
  type QueueSort,
  QUEUE_SORTS,
  confidenceKey,
  flagKey,
} from '@countersign/shared/filters/queue-order';
import { Refusal } from '@countersign/shared/errors';
import { decodeCursor, encodeCursor, invalidCursor } from '../cursor.ts';

/** Collects the parameters of a statement while it is written. */
export class Values {
  readonly list: unknown[] = [];

  add(value: unknown, type: string): string {
    return `$${this.list.push(value)}::${type}`;
  }
}

/** One of the columns that a sort compares: in SQL, at a place, and whether a cursor may have this value. */
interface Key {
  readonly sql: string;
  readonly type: 'timestamptz' | 'float8' | 'text' | 'uuid';
  readonly of: (place: QueuePlace) => string | number;
  readonly accepts: (value: unknown) => boolean;
}

/** Values of the keys of a sort, in their order. */
export type KeyValues = readonly (string | number)[];

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** From 1970 to 9999, which every database parses. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const isTime = (value: unknown): boolean => typeof value === 'string' && TIME.test(value) && Date.parse(value) >= 0;
const isId = (value: unknown): boolean => typeof value === 'string' && UUID.test(value);
const isFlagKey = (value: unknown): boolean =>
  typeof value === 'string' &&
  value.length <= LIMITS.riskFlagLength + 1 &&
  value.isWellFormed() &&
  !value.includes('\0');
const isConfidence = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value <= HIDDEN;

const ID: Key = { sql: 'id', type: 'uuid', of: ({ id }) => id, accepts: isId };
const DUE: Key = { sql: 'due_at', type: 'timestamptz', of: ({ due_at }) => due_at, accepts: isTime };
const CREATED: Key = { sql: 'created_at', type: 'timestamptz', of: ({ created_at }) => created_at, accepts: isTime };
const CONFIDENCE: Key = { sql: 'confidence', type: 'float8', of: confidenceKey, accepts: isConfidence };
/** The expression of an index. In the collation C text is compared by code points, as pages do. */
const FLAG: Key = {
  sql: `(coalesce('0' || risk_flags[1], '1') collate "C")`,
  type: 'text',
  of: flagKey,
  accepts: isFlagKey,
};

const KEYS: Record<QueueSort, readonly Key[]> = {
  due: [DUE, ID],
  newest: [CREATED, ID],
  confidence: [CONFIDENCE, DUE, ID],
  flag: [FLAG, DUE, ID],
};

/** The direction of all keys of a sort. */
const DIRECTION: Record<QueueSort, 'asc' | 'desc'> = { due: 'asc', newest: 'desc', confidence: 'asc', flag: 'asc' };

/** The key of a hidden confidence (AU3), above all others. */
const HIDDEN = confidenceKey({ confidence: null });

export const keysOf = (sort: QueueSort, place: QueuePlace): KeyValues => KEYS[sort].map(({ of }) => of(place));

/**
 * Rows that come in the order of one index. Where the confidence of a project is hidden from the reader, its rows are a lane of
 * their own: their order must not reveal it.
 */
export class Lane<Part> {
  readonly parts: readonly Part[];
  readonly #sort: QueueSort;
  readonly #hidden: boolean;
  readonly #keys: readonly Key[];

  constructor(sort: QueueSort, parts: readonly Part[], hidden = false) {
    [this.parts, this.#sort, this.#hidden] = [parts, sort, hidden];
    this.#keys = hidden ? KEYS[sort].slice(1) : KEYS[sort];
  }

  /** The keys of a row as columns `k0`, `k1`, …, the same in all lanes of a sort. */
  get columns(): string {
    const sql = [...(this.#hidden ? [`${HIDDEN}::float8`] : []), ...this.#keys.map((key) => key.sql)];
    return sql.map((each, at) => `${each} as k${at}`).join(', ');
  }

  get order(): string {
    return this.#keys.map(({ sql }) => `${sql} ${DIRECTION[this.#sort]}`).join(', ');
  }

  /** The condition that a row comes after a position; '' when every row does. */
  beyond(position: KeyValues | null, values: Values): string {
    return position === null || this.#isAfter(position) ? '' : this.#compare('after', position, values);
  }

  /** The condition that a row comes before a position, or is at it; null when none does. */
  upTo(position: KeyValues | null, values: Values): string | null {
    if (position === null) return '';
    return this.#isAfter(position) ? null : this.#compare('upTo', position, values);
  }

  /** Whether the hidden ones come after a position. Of the others none comes after a hidden one, which compares higher. */
  #isAfter([first]: KeyValues): boolean {
    return this.#hidden && first !== HIDDEN;
  }

  #compare(what: 'after' | 'upTo', position: KeyValues, values: Values): string {
    const asked = this.#hidden ? position.slice(1) : position;
    const operator = OPERATORS[DIRECTION[this.#sort]][what];
    const sides = [
      this.#keys.map(({ sql }) => sql),
      this.#keys.map(({ type }, at) => values.add(asked[at], type)),
    ] as const;
    return `(${sides[0].join(', ')}) ${operator} (${sides[1].join(', ')})`;
  }
}

const OPERATORS = { asc: { after: '>', upTo: '<=' }, desc: { after: '<', upTo: '>=' } } as const;

/** The order of rows of several lanes. */
export const mergedOrder = (sort: QueueSort): string =>
  KEYS[sort].map((_, at) => `k${at} ${DIRECTION[sort]}`).join(', ');

/** The ranges of a view as lanes. `blind`: projects whose confidence is hidden from the reader. */
export function lanesOf<Part extends { project: string }>(
  sort: QueueSort,
  parts: readonly Part[],
  blind: ReadonlySet<string>,
): Lane<Part>[] {
  if (sort !== 'confidence') return [new Lane(sort, parts)];
  const hides = ({ project }: Part) => blind.has(project);
  return [
    new Lane(
      sort,
      parts.filter((part) => !hides(part)),
    ),
    new Lane(sort, parts.filter(hides), true),
  ];
}

/** The end of a page. In due order it is that of every other list. */
export function encodeQueueCursor(sort: QueueSort, place: QueuePlace): string {
  if (sort === 'due') return encodeCursor({ at: new Date(place.due_at), id: place.id });
  return encoded([sort, ...keysOf(sort, place)]);
}

const encoded = (values: unknown): string => Buffer.from(JSON.stringify(values)).toString('base64url');

/** Errors: `invalid_cursor`, also for a cursor of another sort. */
export function decodeQueueCursor(sort: QueueSort, text: string | undefined): KeyValues | null {
  if (text === undefined) return null;
  const [of, ...position] = sortedValues(text);
  if (of === undefined) {
    const { at, id } = decodeCursor(text) ?? {};
    if (sort !== 'due') throw otherSort('due', sort);
    return [at?.toISOString() ?? '', id ?? ''];
  }
  if (of !== sort) throw otherSort(of, sort);
  const keys = KEYS[sort];
  if (position.length === keys.length && keys.every(({ accepts }, at) => accepts(position[at])))
    return position as KeyValues;
  throw invalidCursor();
}

/** The sort and the values of a cursor that names its sort; nothing for any other text. */
function sortedValues(text: string): [QueueSort?, ...unknown[]] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    const [first, ...rest] = Array.isArray(parsed) ? (parsed as unknown[]) : [];
    const sort = QUEUE_SORTS.find((each) => each === first);
    return sort === undefined || encoded(parsed) !== text ? [] : [sort, ...rest];
  } catch {
    return [];
  }
}

const otherSort = (of: QueueSort, asked: QueueSort) =>
  new Refusal(
    'invalid_cursor',
    `This cursor continues a list with sort=${of}, not sort=${asked}. Omit it to start over in the new order.`,
  );
