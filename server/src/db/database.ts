// The door to the database: `read` asks, `write` changes. Facts leave through the `record` that `write` hands out, and where an attempt went well by the statement that says so.
import { AsyncLocalStorage } from 'node:async_hooks';
import { ConnectionException, type LockWaitTimeoutException } from '@mikro-orm/core';
import { Refusal } from '@countersign/shared/errors';
import type { NewEvent } from '@countersign/shared/events';
import { storedEventType } from '../domain/stored-names.ts';
import { ARRIVED_FINAL, EVENTS_APPENDED } from './connection/channels.ts';
import type { Clock, Ids } from './clock.ts';
import { lockSession, idleSince, LIVE_SESSION, noSession } from './live-session.ts';
import type { Em, Orm } from './orm.ts';
import { planned } from './connection/planned.ts';
import { rawQuery } from './raw-query.ts';
import { statementLimit } from './connection/statement-limit.ts';

/** States a fact: the row lands in the ledger with the change itself, or not at all. */
export type AppendEvent = (event: NewEvent) => void;

export interface Tx {
  /** The only entity manager that may query inside this transaction. */
  em: Em;
  appendEvent: AppendEvent;
  /** Asks for the session now instead of at the end, for a change that ends sessions itself (A21). Errors: `session_missing`. */
  lockSession: () => Promise<void>;
}

export interface Database {
  /** Runs a query outside any transaction. */
  read<T>(work: (em: Em) => Promise<T>): Promise<T>;
  /** One statement that changes something: it is its own transaction, without the round trips of a larger one. Facts it states itself, if any. */
  statement<T>(work: (em: Em) => Promise<T>): Promise<T>;
  /** One transaction: the change and its facts commit together. Never awaits the network. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Whatever `work` writes is committed only while this session is alive: each transaction asks before it ends, and fails with
   * `session_missing` (A21). With null `work` is done for nobody in particular, whoever called it.
   */
  forSession<T>(sessionId: string | null, work: () => Promise<T>): Promise<T>;
  /** The session for which the caller acts; null for a pipeline, the worker, a command. */
  session(): string | null;
  /** For what is done outside any transaction: `session_missing` once the session is over (A21). */
  refuseEnded(): Promise<void>;
  /** What is read inside was asked for by somebody who waits: a statement that takes longer than the limit is ended (DB1). */
  withReadLimit<T>(work: () => Promise<T>): Promise<T>;
  /** How many were. */
  cutOff(): number;
  orm: Orm;
}

interface Tools {
  clock: Clock;
  ids: Ids;
  /** How long a statement may take that somebody waits for, in milliseconds; 0 is for ever. */
  readLimitMs?: number;
}

/** How long a statement may take that somebody waits for, in milliseconds, unless told (READ_LIMIT_MS). */
const READ_LIMIT_MS = 10_000;

type Outside = <T>(work: (em: Em) => Promise<T>) => Promise<T>;

/** Wraps an open ORM. Any database failure that a retry may cure surfaces as `unavailable`. */
export function createDatabase(orm: Orm, tools: Tools): Database {
  const inside = new AsyncLocalStorage<true>();
  const guard = () => {
    // It would not see what the transaction has written, and could wait for a lock that the transaction holds.
    if (inside.getStore()) throw new Error('A query outside the open transaction: use the transaction’s own em.');
  };
  const outside: Outside = async (work) => {
    guard();
    return work(orm.em.fork()).catch(translate);
  };
  const acting = actingFor(outside, tools);
  const { session, refuseEnded } = acting;
  return {
    orm,
    ...limitedReads(outside, tools),
    ...acting,
    statement: (work) => {
      if (session() !== null) throw new Error('A statement has no room to ask for a session: use write.');
      return outside(work);
    },
    write: async (work) => {
      guard();
      const run = (em: Em) => inside.run(true, () => inTransaction(em, work, { ...tools, sessionId: session() }));
      return orm.em
        .fork()
        .transactional((em) => run(em as Em))
        .catch(translate)
        .catch(async (error: unknown) => {
          // Whoever is signed out is told that, and no longer what else stands in the way.
          if (error instanceof Refusal) await refuseEnded();
          throw error;
        });
    },
  };
}

/** For whom something is done (A21). */
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

/** Reads, and what ends those that somebody waits for (DB1). */
function limitedReads(
  outside: Outside,
  { readLimitMs = READ_LIMIT_MS }: Tools,
): Pick<Database, 'read' | 'withReadLimit' | 'cutOff'> {
  const asking = new AsyncLocalStorage<true>();
  let cutOff = 0;
  return {
    withReadLimit: (work) => asking.run(true, work),
    cutOff: () => cutOff,
    read: (work) => {
      if (!asking.getStore()) return outside(work);
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

/** The rows as one JSON parameter, and the doorbell in the same round trip: this is on the way of every submission. */
const APPENDED = `
  with appended as (
    insert into event (id, project_id, type, item_id, actor, data, created_at)
    select id, project_id, type, item_id, actor, data, $2::timestamptz
    from json_to_recordset($1::json) as r(id uuid, project_id uuid, type text, item_id uuid, actor jsonb, data jsonb)
  )`;
const INSERT_EVENTS = planned(`${APPENDED} select pg_notify($3, $4), true as alive`);
/** The same for a session, which is asked for on the way: of a decision it costs no round trip (A21). */
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

/** What the doorbell says of a fact. Of what was final on arrival nobody has to be told: nobody can be waiting for it. */
const notificationFor = (event: NewEvent): string =>
  event.type === 'item.finalized' && event.version === 1 ? ARRIVED_FINAL : storedEventType(event.type);

/** A fact as the ledger's columns have it. */
export function toEventRow({ type, project_id, actor, ...data }: NewEvent, id: string) {
  const itemId = 'item_id' in data ? data.item_id : null;
  return { id, project_id, type: storedEventType(type), item_id: itemId, actor, data };
}

/** SQLSTATE, or the system's code: connection lost, shutting down, too many clients or a full disk (53), nobody listening (ENOENT: on a socket file). */
const GONE = /^(08|57P0|53|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOENT|ENOTFOUND|EAI_AGAIN)/;
const GONE_MESSAGE = /Connection terminated|is not queryable|timeout exceeded when trying to connect/;
/** SQLSTATE: deadlock, serialization failure, lock wait. The fault of this transaction's company, not of the database. */
const CONFLICT = /^(40P01|40001|55P03)/;

const isCutOff = (error: unknown): boolean => sqlState(error) === '57014';

/** How long whoever asked for too much waits, in seconds. */
const COME_BACK = 5;

/** What was asked for took too long to read (DB1). */
class ReadTooLong extends Refusal {
  constructor() {
    const detail = 'It takes too long to read. Ask for less, such as a shorter time, or try again in a moment.';
    super('unavailable', detail, { retryAfter: COME_BACK });
    this.name = 'ReadTooLong';
  }
}

/** There is no database to talk to, whatever one wants of it. */
export class DatabaseGone extends Refusal {
  constructor() {
    super('unavailable', 'The database cannot be reached just now. Try again in a moment.', { retryAfter: 1 });
  }
}

function translate(error: unknown): never {
  if (error instanceof Refusal) throw error;
  const code = sqlState(error);
  if (GONE.test(code) || error instanceof ConnectionException || GONE_MESSAGE.test(String(error)))
    throw new DatabaseGone();
  if (CONFLICT.test(code))
    throw new Refusal('unavailable', 'Others were in the way. Try again in a moment.', { retryAfter: 1 });
  throw error;
}

/** The SQLSTATE of a database error, the system's code of a failed connection, or ''. */
function sqlState(error: unknown): string {
  const code = (error as Partial<LockWaitTimeoutException> | null)?.code;
  return typeof code === 'string' ? code : '';
}
