// Opens the services for a command that runs beside the service, on an existing database.
import { setTimeout as delay } from 'node:timers/promises';
import { buildServices, type Built } from './build-services.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { readDatabaseUrl } from './db/connection/database-url.ts';
import { SchemaError } from './db/migrate.ts';
import { addressOfRunning } from './embedded/embedded-postgres.ts';
import { FolderInUse } from './embedded/folder-lock.ts';

/** How many connections a command may use next to the service. */
const COMMAND_POOL = 5;

/** How often a command looks whether another one has ended, in milliseconds. */
const POLL_MS = 50;

type Opened = Pick<Built, 'services' | 'close'>;

/**
 * The services alone, for a command: no loop, no port, no Redis and no log. With an embedded database it may run next
 * to the service, whose PostgreSQL it then uses; several without the service run one after the other. A command creates
 * and migrates no database: with a wrong address it would report that all is well. Errors: as of `buildServices`, and
 * `ConfigError`.
 */
export async function openForCommand(env?: NodeJS.ProcessEnv): Promise<Opened> {
  const config: Config = { ...readConfig(env, { storesKeys: false }), redisUrl: null, logLevel: 'silent' };
  try {
    return await openAfterCommands(config);
  } catch (error) {
    if (error instanceof SchemaError) throw new ConfigError(refusalOf(error, config.database));
    throw error;
  }
}

/** Waits for another command: the PostgreSQL that it runs ends with it. */
async function openAfterCommands(config: Config): Promise<Opened> {
  for (let waitsFor = 0; ; await delay(POLL_MS)) {
    try {
      return await openBesideService(config);
    } catch (error) {
      if (!(error instanceof FolderInUse) || !error.byCommand || config.database.kind !== 'embedded') throw error;
      if (error.pid !== waitsFor)
        process.stderr.write(
          `Waiting for process ${error.pid}, a command that uses ${config.database.folder} (DATA_DIR).\n`,
        );
      waitsFor = error.pid;
    }
  }
}

async function openBesideService(config: Config): Promise<Opened> {
  try {
    return await buildServices(config, { onlyExisting: true });
  } catch (error) {
    if (!(error instanceof FolderInUse) || error.byCommand || config.database.kind !== 'embedded') throw error;
    const { folder } = config.database;
    const url = addressOfRunning(folder);
    if (url === undefined) throw error;
    const name = `${folder} (DATA_DIR)`;
    const database = { kind: 'postgres', url, poolSize: COMMAND_POOL, libpq: {}, name } as const;
    return buildServices({ ...config, database }, { onlyExisting: true });
  }
}

function refusalOf({ state }: SchemaError, database: Config['database']): string {
  const { variable, place } = placeOf(database);
  if (state === 'missing')
    return `${place} has no tables of Countersign: set ${variable} as for the service, or start the service once, which creates them. Nothing was changed.`;
  return `${place} has the tables of an earlier version of Countersign: start this version of the service, which migrates them, or run the command of the earlier version. Nothing was changed.`;
}

/** The database as the operator named it, without what may be a password. */
function placeOf(database: Config['database']): { variable: string; place: string } {
  if (database.kind === 'embedded')
    return { variable: 'DATA_DIR', place: `The database in ${database.folder} (DATA_DIR)` };
  const [{ host, port, database: name }] = readDatabaseUrl(database.url, database.libpq);
  return { variable: 'DATABASE_URL', place: `The database ${name} at ${host}, port ${port} (DATABASE_URL)` };
}
