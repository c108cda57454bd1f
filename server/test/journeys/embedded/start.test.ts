// Tests starts on a data folder: a new one, an existing one, an unusable one, and two at once.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aSubmission, openProject, review } from '../../builders.ts';
import { person } from '../../client.ts';
import {
  aFolder,
  ask,
  cleanUpAfterwards,
  type EmbeddedService,
  embeddedService,
  MAY_MOUNT,
  nothingRunsIn,
  ON_LINUX,
  processesIn,
  smallDisk,
  unmountAfterwards,
} from '../../embedded-service.ts';
import { startReceiver } from '../../receiver.ts';

cleanUpAfterwards();

/**
 * At its end, a process writes how many parts of HTTP clients it has loaded: of Node's own, and of the one for webhooks, which sets
 * symbols on `globalThis`.
 */
const TELLS_CLIENTS = `--import=data:text/javascript,${encodeURIComponent(`
  process.on('exit', () => {
    const own = process.moduleLoadList.filter((name) => name.includes('undici'));
    const global = Object.getOwnPropertySymbols(globalThis).filter(({ description }) => description.startsWith('undici'));
    console.log('HTTP clients:', own.length + global.length);
  });
`)}`;

/** The target of a link; '' when it does not exist. */
function linkAt(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** Every file of a folder, by name, size, time of change and content. */
function fingerprint(folder: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const { mtimeMs, size, mode } = statSync(join(folder, name));
    hash.update(`${name} ${mtimeMs} ${size} ${mode}\n`);
  }
  return hash.digest('hex');
}

/** Submits one item, and returns a function that checks that it still exists. */
async function submitOne(service: EmbeddedService): Promise<() => Promise<void>> {
  const project = await openProject(await person(service.testEnv));
  const { id } = await project.pipeline.submit(aSubmission());
  return async () => expect(await project.pipeline.read(id)).toMatchObject({ id });
}

const SAFE = ['fsync', 'synchronous_commit', 'full_page_writes'];

describe('a service on an embedded database', () => {
  it('EM1: creates it safe and private at the first start, and reuses it at the second', async () => {
    // The folder does not exist; its path is longer than any socket's, and has special characters of shells and URLs.
    const folder = join(aFolder(), 'it’s "here", 100%41 & more', 'x'.repeat(200));
    const tmp = join(aFolder(), 'y'.repeat(200));
    mkdirSync(tmp);
    const service = embeddedService({
      folder,
      env: { TMPDIR: tmp, SOME_SECRET: 'of-ours', PGUSER: 'nobody', NODE_OPTIONS: TELLS_CLIENTS },
    });
    await service.start();
    const isThere = await submitOne(service);
    for (const name of SAFE) expect(await ask(service.url(), `show ${name}`), name).toEqual([{ [name]: 'on' }]);
    expect(await ask(service.url(), 'show listen_addresses')).toEqual([{ listen_addresses: '' }]);
    expect(await ask(service.url(), 'show data_directory')).toEqual([{ data_directory: join(folder, 'postgres') }]);
    const [socket] = await ask<{ folder: string }>(
      service.url(),
      `select current_setting('unix_socket_directories') as folder`,
    );
    expect(statSync(socket?.folder ?? '').mode & 0o777).toBe(0o700);
    if (ON_LINUX) checkProcesses(service);
    await service.server.stop();
    expect(existsSync(socket?.folder ?? '')).toBe(false);
    const made = statSync(join(folder, 'postgres/PG_VERSION')).mtimeMs;
    await service.start();
    await isThere();
    expect(statSync(join(folder, 'postgres/PG_VERSION')).mtimeMs).toBe(made);
    await service.server.stop();
    await nothingRunsIn(folder);
    // Loading them took a tenth of a start.
    expect(service.log().match(/HTTP clients: \d+/g)).toEqual(['HTTP clients: 0', 'HTTP clients: 0']);
  });

  const socketsOf = (pid: number): string[] =>
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(linkAt(`/proc/${pid}/fd/${fd}`)) ?? [];
      return inode === undefined ? [] : [inode];
    });

  /** Its processes have none of our environment, and none of them listens on a port. */
  function checkProcesses({ folder, postmaster }: EmbeddedService): void {
    const environment = readFileSync(`/proc/${postmaster()}/environ`, 'utf8').split('\0').filter(Boolean);
    expect(environment.map((one) => one.split('=')[0]).sort()).toEqual(['LC_ALL', 'PATH']);
    const inodes = processesIn(folder)
      .filter((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8') === 'postgres\n')
      .flatMap(socketsOf);
    const listening = ['tcp', 'tcp6', 'udp', 'udp6'].flatMap((kind) =>
      readFileSync(`/proc/net/${kind}`, 'utf8').trim().split('\n').slice(1),
    );
    expect(inodes.length).toBeGreaterThan(0);
    expect(listening.filter((line) => inodes.includes(line.trim().split(/\s+/)[9] ?? ''))).toEqual([]);
  }
});

/** A folder like one of this PostgreSQL version; in one of PGlite that byte is 0. */
function aDatabase(at: string, version: string, float8ByValue: number): void {
  mkdirSync(join(at, 'global'), { recursive: true });
  writeFileSync(join(at, 'PG_VERSION'), `${version}\n`);
  const control = Buffer.alloc(8192);
  control.writeUInt32LE(1800, 8);
  control[248] = float8ByValue;
  writeFileSync(join(at, 'global/pg_control'), control);
}

describe('EM3: a start on an unusable folder', () => {
  it.each([
    [
      'of another major version',
      'postgres',
      (at: string) => aDatabase(at, '17', 1),
      /belongs to PostgreSQL 17, .*docs\/OPERATIONS\.md\. Nothing was changed\.$/,
    ],
    [
      'of PGlite, where that had it',
      'database',
      (at: string) => aDatabase(at, '18', 0),
      /was created by PGlite, .*docs\/OPERATIONS\.md\.$/,
    ],
    [
      'of PGlite',
      'postgres',
      (at: string) => aDatabase(at, '18', 0),
      /was created by PGlite, .*docs\/OPERATIONS\.md\.$/,
    ],
    [
      'with other files',
      'postgres',
      (at: string) => void mkdirSync(join(at, 'holiday'), { recursive: true }),
      /not a PostgreSQL database: move it away, or choose another DATA_DIR\.$/,
    ],
  ])('%s: says so in one sentence, changes nothing, and leaves no process behind', async (_, name, make, sentence) => {
    const service = embeddedService();
    const data = join(service.folder, name);
    make(data);
    const before = fingerprint(data);
    const output = await service.refused();
    expect(output).toMatch(sentence);
    expect(output.split('\n')).toHaveLength(1);
    expect(fingerprint(data)).toBe(before);
    expect(readdirSync(service.folder).sort()).toEqual([name, 'secret-keys']);
    await nothingRunsIn(service.folder);
  });

  const KEY_RING = `k:${Buffer.alloc(32, 1).toString('base64')}`;

  it.each([
    ['with keys of its own', { SECRET_KEYS: KEY_RING }],
    ['without', {}],
  ])('a file in place of the folder, %s: one sentence', async (_, env: Record<string, string>) => {
    const folder = join(aFolder(), 'file');
    writeFileSync(folder, '');
    const output = await embeddedService({ folder }).refused(env);
    expect(output).toContain(`${folder} `);
    expect(output).toMatch(/^(The embedded database cannot use|DATA_DIR must be a folder).*EEXIST.*\.$/);
  });

  it.each([false, true])(
    'keys that cannot be used, with data %s: one sentence, and no process stays behind',
    async (data) => {
      const service = embeddedService();
      if (data) {
        await service.start();
        await service.server.stop();
      }
      expect(await service.refused({ SECRET_KEYS: 'k:short' })).toMatch(
        /^SECRET_KEYS entry 1 must have a key of 32 bytes.*\.$/,
      );
      await nothingRunsIn(service.folder);
      await service.start(data ? {} : { SECRET_KEYS: KEY_RING });
    },
  );

  it('a server that does not start reports the last lines of its log, and a later start works', async () => {
    const service = embeddedService();
    await service.start();
    await service.server.stop();
    writeFileSync(join(service.folder, 'postgres/postgresql.auto.conf'), 'no_such_setting = on\n');
    const output = await service.refused();
    expect(output).toMatch(/^The embedded PostgreSQL does not start\. .*postgres\.log ends with:\n/);
    expect(output).toContain('unrecognized configuration parameter "no_such_setting"');
    await nothingRunsIn(service.folder);
    rmSync(join(service.folder, 'postgres/postgresql.auto.conf'));
    await service.start();
    await service.server.stop();
  });
});

describe('a start on a folder for the data that is on another disk', () => {
  it('EM3: creates the database where a link points to, and keeps the link and the folders beside it', async () => {
    const [service, disk] = [embeddedService(), aFolder('disk')];
    const [data, target] = [join(service.folder, 'postgres'), join(disk, 'big')];
    for (const name of ['big', 'big-new-backup']) mkdirSync(join(disk, name));
    symlinkSync(target, data);
    await service.start();
    const isThere = await submitOne(service);
    expect(linkAt(data)).toBe(target);
    expect(readdirSync(disk).sort()).toEqual(['big', 'big-new-backup']);
    expect(readFileSync(join(target, 'PG_VERSION'), 'utf8')).toBe('18\n');
    await service.server.stop();
    await service.start();
    await isThere();
    await service.server.stop();
  });

  it.runIf(MAY_MOUNT)('EM3: says where to mount a disk instead, for a mount and for a link to one', async () => {
    const [mounted, linked] = ['a disk', 'link'].map((name) => embeddedService({ folder: join(aFolder(), name) })) as [
      EmbeddedService,
      EmbeddedService,
    ];
    const [mount, link] = [mounted, linked].map(({ folder }) => join(folder, 'postgres')) as [string, string];
    mkdirSync(mount, { recursive: true });
    // The disk of the folder itself, so that the number of the device does not tell.
    execFileSync('mount', ['--bind', aFolder('disk'), mount]);
    unmountAfterwards(mount);
    mkdirSync(linked.folder);
    symlinkSync(smallDisk(1), link);
    for (const [service, data] of [
      [mounted, mount],
      [linked, link],
    ] as const) {
      expect(await service.refused()).toBe(
        `A disk is mounted at ${data}, and only a folder can be replaced by a new database: mount the disk at ${service.folder} (DATA_DIR), or make ${data} a link to a folder on the disk. Nothing was changed.`,
      );
      expect(readdirSync(data)).toEqual([]);
      expect(readdirSync(service.folder).sort()).toEqual(['postgres', 'secret-keys']);
    }
  });
});

describe('EM2: two starts at once on one folder', () => {
  it('on an empty one: one wins, with the keys in the folder, and the other names its process', async () => {
    const receiver = await startReceiver();
    const folder = aFolder();
    const both = [1, 2].map(() => embeddedService({ folder, env: { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' } }));
    const ended = await Promise.allSettled(both.map((service) => service.start()));
    const won = ended.findIndex(({ status }) => status === 'fulfilled');
    const reason: unknown = (ended[1 - won] as PromiseRejectedResult).reason;
    const winner = both[won]!;
    expect(String(reason)).toMatch(/^Error: The server ended with 1:/);
    expect(String(reason)).toContain(
      `The data folder ${folder} is in use by process ${winner.server.pid}: stop that process`,
    );
    expect(readdirSync(folder).sort()).toEqual(['countersign.lock', 'postgres', 'postgres.log', 'secret-keys']);
    // A secret that was encrypted before is decrypted with the keys of the file afterwards.
    const owner = await person(winner.testEnv);
    const project = await openProject(owner, { receiver });
    await winner.server.stop();
    await winner.start();
    const { id } = await project.pipeline.submit(aSubmission());
    await review(owner, id);
    await receiver.next(id);
    const later = await both[1 - won]!.refused();
    expect(later).toContain(`in use by process ${winner.server.pid}`);
    await winner.server.stop();
    await receiver.close();
  });
});
