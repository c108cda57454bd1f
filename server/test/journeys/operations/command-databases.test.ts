// Tests that no command creates or migrates a database: with a wrong address it would report that all is well.
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { aFolder, ask, cleanUpAfterwards, embeddedService, nothingRunsIn } from '../../embedded-service.ts';
import { emptyDatabase, migratedDatabase, type OwnDatabase } from '../../fixtures/test-database.ts';
import { runScript } from '../../run-script.ts';

cleanUpAfterwards();

const WALLET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
/** A file that `export` would write. */
const FILE = join(aFolder(), 'learnings.jsonl');

interface Command {
  script: string;
  args: string[];
}

const ACCESS: Command = { script: 'access.ts', args: ['list'] };
const COMMANDS: readonly Command[] = [
  ACCESS,
  { script: 'export.ts', args: ['--project', randomUUID(), FILE] },
  { script: 'forget.ts', args: ['--wallet', WALLET] },
  { script: 'invariants.ts', args: [] },
  { script: 'rollups.ts', args: ['check'] },
];

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command that must fail; returns its error output. */
async function refusalOf({ script, args }: Command, env: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await runScript(script, env, ...args).then(
    (output): Ended => ({ code: 0, stdout: output, stderr: '' }),
    (error: unknown) => error as Ended,
  );
  expect([code, stdout]).toEqual([1, '']);
  expect(existsSync(FILE)).toBe(false);
  return stderr;
}

async function own(made: Promise<OwnDatabase>): Promise<{ url: string; env: Record<string, string> }> {
  const { url, remove } = await made;
  onTestFinished(remove);
  return { url, env: { DATABASE_URL: url, SECRET_KEYS: `test:${randomBytes(32).toString('base64')}` } };
}

/** How a refusal names the database of a URL. */
function nameOf(url: string): string {
  const { hostname, port, pathname, password } = new URL(url);
  expect(password).not.toBe('');
  return `The database ${pathname.slice(1)} at ${hostname}, port ${port} (DATABASE_URL)`;
}

const APPLIED = 'select name from mikro_orm_migrations order by id';

describe.each(COMMANDS)('DB4: $script', (command) => {
  it('refuses a folder that does not exist, and one that is empty, and creates nothing', async () => {
    const [missing, empty] = [join(aFolder(), 'data'), aFolder()];
    for (const DATA_DIR of [missing, empty])
      expect(await refusalOf(command, { DATA_DIR })).toBe(
        `The folder ${DATA_DIR} (DATA_DIR) has no database of Countersign: set DATA_DIR or DATABASE_URL as for the service, or start the service once, which creates the database. Nothing was changed.\n`,
      );
    expect(existsSync(missing)).toBe(false);
    expect(readdirSync(empty)).toEqual([]);
  });

  it('refuses a database without tables, and creates none', async () => {
    const { url, env } = await own(emptyDatabase());
    expect(await refusalOf(command, env)).toBe(
      `${nameOf(url)} has no tables of Countersign: set DATABASE_URL as for the service, or start the service once, which creates them. Nothing was changed.\n`,
    );
    expect(await ask(url, `select relname from pg_class where relnamespace = 'public'::regnamespace`)).toEqual([]);
  });

  it('refuses a database of an earlier version, and does not migrate it', async () => {
    const { url, env } = await own(migratedDatabase());
    await ask(url, 'delete from mikro_orm_migrations where id = (select max(id) from mikro_orm_migrations)');
    const before = await ask(url, APPLIED);
    expect(await refusalOf(command, env)).toBe(
      `${nameOf(url)} has the tables of an earlier version of Countersign: start this version of the service, which migrates them, or run the command of the earlier version. Nothing was changed.\n`,
    );
    expect(await ask(url, APPLIED)).toEqual(before);
  });
});

describe('DB4: a command on an embedded database', () => {
  it('refuses one without tables, beside the service and alone, and stores no key ring', async () => {
    const service = embeddedService({ env: { SECRET_KEYS: `test:${randomBytes(32).toString('base64')}` } });
    const { SECRET_KEYS: _, ...env } = service.env;
    await service.start();
    expect(await runScript('access.ts', env, 'list')).toBe('No wallet is blocked or signed in.\n');
    await ask(service.url(), 'alter table mikro_orm_migrations rename to other_migrations');
    const refusal = `The database in ${service.folder} (DATA_DIR) has no tables of Countersign: set DATA_DIR as for the service, or start the service once, which creates them. Nothing was changed.\n`;
    expect(await refusalOf(ACCESS, env)).toBe(refusal);
    await service.server.stop();
    expect(await refusalOf(ACCESS, env)).toBe(refusal);
    await nothingRunsIn(service.folder);
    expect(readdirSync(service.folder).sort()).toEqual(['postgres', 'postgres.log']);
  });

  it('refuses a folder with other files, and leaves them alone', async () => {
    const DATA_DIR = aFolder();
    mkdirSync(join(DATA_DIR, 'other'));
    expect(await refusalOf(ACCESS, { DATA_DIR })).toContain(`The folder ${DATA_DIR} (DATA_DIR) has no database`);
    expect(readdirSync(DATA_DIR)).toEqual(['other']);
  });
});
