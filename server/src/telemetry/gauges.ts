// Metrics that are read on request: the connection pool, and the backlog of events and deliveries.
import type { Database } from '../db/database.ts';
import type { Connections } from '../db/connection/pool.ts';
import { rawQuery } from '../db/raw-query.ts';
import { dueUpTo, UNDELIVERED } from '../db/undelivered.ts';
import type { Memory } from '../limits/memory-limits.ts';
import type { Telemetry } from './telemetry.ts';

/** Of the process's own pool. */
export function watchConnections(telemetry: Telemetry, connections: () => Connections): void {
  telemetry.gauges(
    {
      countersign_database_connections: 'Connections to PostgreSQL that this process has.',
      countersign_database_connections_idle: 'Idle connections among them.',
      countersign_database_connections_waiting: 'Requests that wait for a connection.',
    },
    () => {
      const { total, idle, waiting } = connections();
      return Promise.resolve({
        countersign_database_connections: total,
        countersign_database_connections_idle: idle,
        countersign_database_connections_waiting: waiting,
      });
    },
  );
}

/** Reads of this process that were cancelled because they took too long (DB1). */
export function watchReads(telemetry: Telemetry, count: () => number): void {
  telemetry.gauges({ countersign_reads_cut_off: 'Reads that took too long and were cancelled.' }, () =>
    Promise.resolve({ countersign_reads_cut_off: count() }),
  );
}

/** Open sockets of this process. */
export function watchSockets(telemetry: Telemetry, count: () => number): void {
  telemetry.gauges({ countersign_sockets: 'Open sockets of this process.' }, () =>
    Promise.resolve({ countersign_sockets: count() }),
  );
}

/** Memory that clients occupy in this process (MB1). */
export function watchMemory(telemetry: Telemetry, { received, unsent, anonymous }: Memory): void {
  telemetry.gauges(
    {
      countersign_bytes_received: 'Bytes reserved for request bodies in this process.',
      countersign_bytes_unsent: 'Bytes of responses that clients have not received.',
      countersign_requests_without_room: 'Requests that wait for memory.',
    },
    () =>
      Promise.resolve({
        countersign_bytes_received: received.taken,
        countersign_bytes_unsent: unsent.taken + anonymous.taken,
        countersign_requests_without_room: received.waiting + unsent.waiting + anonymous.waiting,
      }),
  );
}

/** The limit of the count, so that the query costs the same regardless of the backlog. */
const COUNT_LIMIT = 10_000;

const BACKLOG_SQL = `
  with recursive ${UNDELIVERED}
  select greatest(0, extract(epoch from clock_timestamp() - (
      select created_at from event where seq is null order by position limit 1))) as lag,
    (select count(*) from item where claim_expires_at is not null) as claims,
    ${dueUpTo(COUNT_LIMIT)} as due`;

/** Of the whole service. Every process reports it, because it is needed most when no worker runs. */
export function watchBacklog(telemetry: Telemetry, db: Database): void {
  telemetry.gauges(
    {
      countersign_relay_lag_seconds: 'How long the oldest event has waited for its sequence number; 0 when none waits.',
      countersign_claims: 'Items with an active claim.',
      countersign_deliveries_due: `Webhooks that are due at endpoints that are neither off, paused nor suspended, counted up to ${COUNT_LIMIT}.`,
    },
    async () => {
      const [row] = await db.read((em) =>
        rawQuery<Record<'lag' | 'claims' | 'due', string | null>>(em, BACKLOG_SQL, []),
      );
      return {
        countersign_relay_lag_seconds: Number(row?.lag ?? 0),
        countersign_claims: Number(row?.claims),
        countersign_deliveries_due: Number(row?.due),
      };
    },
  );
}
