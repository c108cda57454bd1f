// What the embedded PostgreSQL is told when it starts: safe first, then small.

/** Names of postgresql.conf to values. A value given here wins over what stands in the folder's postgresql.conf. */
export type Settings = Readonly<Record<string, string>>;

/** What was answered survives a power cut. */
const SAFE: Settings = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };

/** For a machine that does other things too. Without replicas less is written ahead. */
const SMALL: Settings = {
  shared_buffers: '64MB',
  max_connections: '60',
  max_wal_size: '512MB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  io_method: 'sync',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
};

/**
 * Statements may hold what people wrote: our own log tells of those that fail, without values. The details of a message would say
 * what a session that was killed was running.
 */
const LOGGED: Settings = {
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  log_timezone: 'UTC',
  timezone: 'UTC',
  cluster_name: 'countersign',
};

/** All of them, with `own` on top. */
export const settingsWith = (own: Settings): Settings => ({ ...SMALL, ...LOGGED, ...SAFE, ...own });

/** As `postgres` takes them on its command line. */
export const toArguments = (settings: Settings): string[] =>
  Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
