// One process at a time: an advisory lock that a session holds, and takes from a session that has stopped saying it is there.
import type pg from 'pg';

/** How often a session that leads says that it is there, in milliseconds. */
const BEAT_MS = 3000;
/** One that has said nothing for so many milliseconds is frozen, or its network is gone: whoever wants to lead ends it. */
const SILENT_MS = 15_000;

export interface Heartbeat {
  beatMs: number;
  silentMs: number;
}

/** The lock of a key of eight bytes, as pg_locks shows it: in two halves. What others do is seen by the same database role only. */
const END_SILENT = `
  select pg_terminate_backend(l.pid)
  from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and l.granted and l.objsubid = 1 and l.classid::bigint << 32 | l.objid::bigint = $1
    and l.database = (select oid from pg_database where datname = current_database())
    and a.state = 'idle' and a.state_change < clock_timestamp() - make_interval(secs => $2 / 1000.0)`;

/** What one session leads, for as long as it lives. */
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
   * Takes, or still has, the named role. `key`: any fixed number. To be asked at least once per `SILENT_MS`, or another process
   * takes it. Errors: those of a session that is gone, and with it everything it led.
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
