// Elects one leader process: an advisory lock held by a session, which can be taken from a session that stopped its
// heartbeat.
import type pg from 'pg';

/** Interval of the leader's heartbeat, in milliseconds. */
const BEAT_MS = 3000;
/**
 * A leader without a heartbeat for this many milliseconds is frozen or disconnected: a candidate terminates its
 * session.
 */
const SILENT_MS = 15_000;

export interface Heartbeat {
  beatMs: number;
  silentMs: number;
}

/** pg_locks shows a key of eight bytes in two halves. Only the same database role sees the other sessions' activity. */
const END_SILENT = `
  select pg_terminate_backend(l.pid)
  from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and l.granted and l.objsubid = 1 and l.classid::bigint << 32 | l.objid::bigint = $1
    and l.database = (select oid from pg_database where datname = current_database())
    and a.state = 'idle' and a.state_change < clock_timestamp() - make_interval(secs => $2 / 1000.0)`;

/** The roles that one session leads, for as long as it lives. */
export class LeaderElection {
  readonly client: pg.Client;
  readonly #rhythm: Heartbeat;
  readonly #held = new Set<number>();
  #askedAt = -Infinity;

  constructor(client: pg.Client, heartbeat: Heartbeat = { beatMs: BEAT_MS, silentMs: SILENT_MS }) {
    this.client = client;
    this.#rhythm = heartbeat;
  }

  /**
   * Acquires, or still holds, the named role. `key`: any fixed number. Call it at least once per `SILENT_MS`, otherwise
   * another process takes the role. Errors: those of a lost session, which loses every role it held.
   */
  async take(key: number): Promise<boolean> {
    if (this.#held.has(key)) {
      if (this.#isTime()) await this.client.query('select 1');
      return true;
    }
    const { rows } = await this.client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [key]);
    if (rows[0]?.held) this.#held.add(key);
    else if (this.#isTime()) await this.client.query(END_SILENT, [key, this.#rhythm.silentMs]);
    return rows[0]?.held ?? false;
  }

  #isTime(): boolean {
    const now = performance.now();
    if (now - this.#askedAt < this.#rhythm.beatMs) return false;
    this.#askedAt = now;
    return true;
  }
}
