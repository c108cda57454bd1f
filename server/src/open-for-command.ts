// Opens the services for a command that runs beside the service.
import { buildServices, type Built } from './build-services.ts';
import { readConfig, type Config } from './config.ts';
import { addressOfRunning } from './embedded/embedded-postgres.ts';
import { FolderInUse } from './embedded/folder-lock.ts';

/** How many connections a command may use next to the service. */
const COMMAND_POOL = 5;

/**
 * The services alone, for a command: no loop, no port, no Redis and no log. With an embedded database it may run next
 * to the service, whose PostgreSQL it then uses. Errors: as of `buildServices`, and `ConfigError`.
 */
export async function openForCommand(env?: NodeJS.ProcessEnv): Promise<Pick<Built, 'services' | 'close'>> {
  const config: Config = { ...readConfig(env), redisUrl: null, logLevel: 'silent' };
  try {
    return await buildServices(config);
  } catch (error) {
    if (!(error instanceof FolderInUse) || config.database.kind !== 'embedded') throw error;
    const url = addressOfRunning(config.database.folder);
    if (url === undefined) throw error;
    return buildServices({ ...config, database: { kind: 'postgres', url, poolSize: COMMAND_POOL, libpq: {} } });
  }
}
