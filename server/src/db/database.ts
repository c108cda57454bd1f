// Access to the database: `read` for queries, `write` for transactions that append events.
import { AsyncLocalStorage } from 'node:async_hooks';
import { ConnectionException, type LockWaitTimeoutException } from '@mikro-orm/core';
import { Refusal } from '@countersign/shared/errors';
import type { NewEvent } from '@countersign/shared/schemas/parts/events';
import { storedEventType } from '../domain/stored-names.ts';
import { ARRIVED_FINAL, EVENTS_APPENDED } from './connection/channels.ts';
import type { Clock, Ids } from './clock.ts';
import { lockSession, idleSince, LIVE_SESSION, noSession } from './live-session.ts';
import type { Em, Orm } from './orm.ts';
import { planned } from './connection/planned.ts';
import { rawQuery } from './raw-query.ts';
import { statementLimit } from './connection/statement-limit.ts';

/** Appends an event: its row commits with the change itself, or not at all. */
export type AppendEvent = (event: NewEvent) => void;

export interface Tx {
  /** The only entity manager that may query inside this transaction. */
  em: Em;
  appendEvent: AppendEvent;
  /**
   * Locks the session now instead of at the end, for a change that ends sessions itself (A21). Errors:
   * `session_missing`.
   */
  lockSession: () => Promise<void>;
}

/**
 * A transaction appends its events with the `appendEvent` it gets; the statement that records attempts appends its own.
 */
export interface Database {
  /** Runs a query outside any transaction. */
  read<T>(work: (em: Em) => Promise<T>): Promise<T>;
  /**
   * One statement that changes something: a transaction of its own, without extra round trips. It appends its own
   * events, if any.
   */
  statement<T>(work: (em: Em) => Promise<T>): Promise<T>;
  /** One transaction: the change and its events commit together. Never awaits the network. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Commits what `work` writes only while this session is active: each transaction checks before it ends, and fails
   * with `session_missing` (A21). With null, `work` runs without a session, instead of the caller's.
   */
  forSession<T>(sessionId: string | null, work: () => Promise<T>): Promise<T>;
  /**
   * The transactions of `work` count for this owner, and wait for one of their slots before a connection is taken (RL11). With null
   * they count for nobody: those of the worker, and those that several callers share.
   */
  forOwner<T>(owner: TransactionOwner | null, work: () => Promise<T>): Promise<T>;
  /** The session that the caller acts for; null for a pipeline, the worker, or a command. */
  session(): string | null;
  /** For work outside any transaction: fails with `session_missing` once the session has ended (A21). */
  refuseEnded(): Promise<void>;
  /** Someone waits for the reads inside: a statement that exceeds the limit is cancelled (DB1). */
  withReadLimit<T>(work: () => Promise<T>): Promise<T>;
  /** The number of cancelled statements. */
  cutOff(): number;
  orm: Orm;
}

/** Whom transactions count for: a person, the owner of a key, or the address of a stranger. */
export interface TransactionOwner {
  name: string;
  stranger: boolean;
}

interface Tools {
  clock: Clock;
  ids: Ids;
  /** Waits for a slot of the owner; returns what releases it. Without it nobody waits. */
  acquireSlot?: ((owner: TransactionOwner) => Promise<() => void>) | undefined;
  /** Time limit of a statement that someone waits for, in milliseconds; 0 means none. */
  readLimitMs?: number;
}

/** Default time limit of a statement that someone waits for, in milliseconds (READ_LIMIT_MS). */
const READ_LIMIT_MS = 10_000;

type Outside = <T>(work: (em: Em) => Promise<T>) => Promise<T>;

/** Wraps an open ORM. Retryable database failures become `unavailable`. */
export function createDatabase(orm: Orm, tools: Tools): Database {
  const inside = new AsyncLocalStorage<true>();
  const guard = () => {
    // It would not see the writes of the transaction, and could wait for a lock that the transaction holds.
    if (inside.getStore()) throw new Error('A query outside the open transaction: use the transaction’s own em.');
  };
  const outside: Outside = async (work) => {
    guard();
    return work(orm.em.fork()).catch(translate);
  };
  const acting = actingFor(outside, tools);
  const { session, refuseEnded } = acting;
  const { forOwner, withSlot } = transactionSlots(tools);
  return {
    orm,
    ...limitedReads(outside, tools),
    ...acting,
    forOwner,
    statement: (work) => {
      if (session() !== null) throw new Error('A single statement cannot lock a session: use write.');
      return outside(work);
    },
    write: async (work) => {
      guard();
      const run = (em: Em) => inside.run(true, () => inTransaction(em, work, { ...tools, sessionId: session() }));
      // `transactional` forks the entity manager itself.
      return withSlot(() => orm.em.transactional((em) => run(em as Em)))
        .catch(translate)
        .catch(async (error: unknown) => {
          // An ended session takes precedence over any other refusal.
          if (error instanceof Refusal) await refuseEnded();
          throw error;
        });
    },
  };
}

/** The session that work is done for (A21). */
function actingFor(outside: Outside, { clock }: Tools): Pick<Database, 'session' | 'forSession' | 'refuseEnded'> {
  const acting = new AsyncLocalStorage<string | null>();
  const session = () => acting.getStore() ?? null;
  return {
    session,
    forSession: (sessionId, work) => acting.run(sessionId, work),
    refuseEnded: async () => {
      const id = session();
      if (id !== null) await outside((em) => lockSession(em, id, clock.now()));
    },
  };
}

/** Limits the transactions of an owner (RL11): those that wait for a lock would otherwise hold all connections. */
function transactionSlots({ acquireSlot }: Tools) {
  const owners = new AsyncLocalStorage<TransactionOwner | null>();
  const forOwner: Database['forOwner'] = (owner, work) => owners.run(owner, work);
  const withSlot = async <T>(work: () => Promise<T>): Promise<T> => {
    const owner = owners.getStore() ?? null;
    const release = owner === null ? undefined : await acquireSlot?.(owner);
    try {
      return await work();
    } finally {
      release?.();
    }
  };
  return { forOwner, withSlot };
}

/** Reads, and the time limit of those that someone waits for (DB1). */
function limitedReads(
  outside: Outside,
  { readLimitMs = READ_LIMIT_MS }: Tools,
): Pick<Database, 'read' | 'withReadLimit' | 'cutOff'> {
  const readLimited = new AsyncLocalStorage<true>();
  let cutOff = 0;
  return {
    withReadLimit: (work) => readLimited.run(true, work),
    cutOff: () => cutOff,
    read: (work) => {
      if (!readLimited.getStore()) return outside(work);
      return statementLimit
        .run(readLimitMs, () => outside(work))
        .catch((error: unknown) => {
          if (!isCutOff(error)) throw error;
          cutOff += 1;
          throw new ReadTooLong();
        });
    },
  };
}

interface ForSession extends Tools {
  sessionId: string | null;
}

async function inTransaction<T>(em: Em, work: (tx: Tx) => Promise<T>, tools: ForSession): Promise<T> {
  const events: NewEvent[] = [];
  let sessionToLock = tools.sessionId;
  const lockSessionNow = async () => {
    if (sessionToLock !== null) await lockSession(em, sessionToLock, tools.clock.now());
    sessionToLock = null;
  };
  const result = await work({ em, appendEvent: (event) => void events.push(event), lockSession: lockSessionNow });
  if (events.length > 0) await insertEvents(em, events, { ...tools, sessionId: sessionToLock });
  else await lockSessionNow();
  return result;
}

/** The rows as one JSON parameter, and the notification in the same round trip: every submission runs this. */
const APPENDED = `
  with appended as (
    insert into event (id, project_id, type, item_id, actor, data, created_at)
    select id, project_id, type, item_id, actor, data, $2::timestamptz
    from json_to_recordset($1::json) as r(id uuid, project_id uuid, type text, item_id uuid, actor jsonb, data jsonb)
  )`;
/** The last statement of a transaction that appends events without a session. */
export const INSERT_EVENTS = planned(`${APPENDED} select pg_notify($3, $4), true as alive`);
/** The same with a session check in the same statement: it costs a decision no extra round trip (A21). */
const INSERT_EVENTS_FOR_SESSION = planned(`${APPENDED},
  acting as (select id from session where ${LIVE_SESSION('$5', '$2', '$6')} for key share)
  select pg_notify($3, $4), exists (select from acting) as alive`);

async function insertEvents(em: Em, events: NewEvent[], { clock, ids, sessionId }: ForSession): Promise<void> {
  const now = clock.now();
  const rows = events.map((event) => toEventRow(event, ids.uuid()));
  const types = new Set(events.map(notificationFor));
  const values = [JSON.stringify(rows), now.toISOString(), EVENTS_APPENDED, [...types].join(',')];
  const [answer] = await (sessionId === null
    ? rawQuery<{ alive: boolean }>(em, INSERT_EVENTS, values)
    : rawQuery<{ alive: boolean }>(em, INSERT_EVENTS_FOR_SESSION, [
        ...values,
        `{${sessionId}}`,
        idleSince(now).toISOString(),
      ]));
  if (!answer?.alive) throw noSession();
}

/** The notification for an event. Nobody can be waiting for an item that was final on arrival. */
const notificationFor = (event: NewEvent): string =>
  event.type === 'item.finalized' && event.version === 1 ? ARRIVED_FINAL : storedEventType(event.type);

/** An event as a row of the event log. */
export function toEventRow({ type, project_id, actor, ...data }: NewEvent, id: string) {
  const itemId = 'item_id' in data ? data.item_id : null;
  return { id, project_id, type: storedEventType(type), item_id: itemId, actor, data };
}

/**
 * SQLSTATE or system code: connection lost, server shutting down, too many clients or disk full (53), no server
 * listening (ENOENT: on a socket file).
 */
const GONE = /^(08|57P0|53|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOENT|ENOTFOUND|EAI_AGAIN)/;
const GONE_MESSAGE = /Connection terminated|is not queryable|timeout exceeded when trying to connect/;
/**
 * SQLSTATE: deadlock, serialization failure, lock timeout. Caused by concurrent transactions, not by a failing
 * database.
 */
const CONFLICT = /^(40P01|40001|55P03)/;

const isCutOff = (error: unknown): boolean => sqlState(error) === '57014';

/** Retry-After of a read that was too expensive, in seconds. */
const COME_BACK = 5;

/** The request took too long to read (DB1). */
class ReadTooLong extends Refusal {
  constructor() {
    const detail = 'The request took too long. Ask for less, such as a shorter time range, or retry in a moment.';
    super('unavailable', detail, { retryAfter: COME_BACK });
    this.name = 'ReadTooLong';
  }
}

/** The database is unreachable, for any request. */
export class DatabaseGone extends Refusal {
  constructor() {
    super('unavailable', 'The database is unavailable. Retry in a moment.', { retryAfter: 1 });
  }
}

/** The transaction was rolled back because of a concurrent one, and can be run again. */
export class DatabaseConflict extends Refusal {
  constructor() {
    super('unavailable', 'Conflict with another request. Retry in a moment.', { retryAfter: 1 });
  }
}

function translate(error: unknown): never {
  if (error instanceof Refusal) throw error;
  const code = sqlState(error);
  if (GONE.test(code) || error instanceof ConnectionException || GONE_MESSAGE.test(String(error)))
    throw new DatabaseGone();
  if (CONFLICT.test(code)) throw new DatabaseConflict();
  throw error;
}

/** The SQLSTATE of a database error, the system code of a failed connection, or ''. */
function sqlState(error: unknown): string {
  const code = (error as Partial<LockWaitTimeoutException> | null)?.code;
  return typeof code === 'string' ? code : '';
}
