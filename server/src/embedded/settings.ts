// The settings of the embedded PostgreSQL: durable first, then small.

/** Names of postgresql.conf to values. These take precedence over the folder's postgresql.conf. */
export type Settings = Readonly<Record<string, string>>;

/** Acknowledged writes survive a power failure. */
const SAFE: Settings = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };

/** For a machine that does other work too. Without replicas, less WAL is needed. */
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
 * Statements may contain user data: our own log reports failed ones, without values. The details of a message would
 * show what a killed session was running.
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

/** All settings, overridden by `own`. */
export const settingsWith = (own: Settings): Settings => ({ ...SMALL, ...LOGGED, ...SAFE, ...own });

/** As command-line arguments of `postgres`. */
export const toArguments = (settings: Settings): string[] =>
  Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
