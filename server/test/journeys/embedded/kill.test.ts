// Tests kill -9 of service and PostgreSQL: the next start works at once, and nothing acknowledged is lost.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { listItems } from '@countersign/shared/routes/public';
import { aSubmission, openProject, type OpenProject } from '../../builders.ts';
import { person } from '../../client.ts';
import {
  cleanUpAfterwards,
  type EmbeddedService,
  embeddedService,
  MAY_MOUNT,
  nothingRunsIn,
  ON_LINUX,
  pathWithout,
  pidIn,
} from '../../embedded-service.ts';
import { isRunning } from '../../../src/embedded/process-lock.ts';
import { scaled } from '../../soak.ts';
import { connectTo } from '../../../../scripts/lib/processes/postgres-client.ts';

cleanUpAfterwards();

const ended: (() => void)[] = [];
afterEach(() => ended.splice(0).forEach((end) => end()));

async function aProjectOn(service: EmbeddedService): Promise<OpenProject> {
  await service.start();
  return openProject(await person(service.testEnv));
}

/** Every acknowledged id still exists. */
async function expectAll(project: OpenProject, answered: string[]): Promise<void> {
  const { data } = await project.pipeline.call(listItems, { query: { limit: 100 } });
  expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(answered));
}

/** Submits several at once; adds the ids of all that are acknowledged to `answered`. */
function submitSome(project: OpenProject, answered: string[]): { first: Promise<unknown>; all: Promise<unknown> } {
  const sent = Array.from({ length: 6 }, async () => {
    const { id } = await project.pipeline.submit(aSubmission());
    answered.push(id);
  });
  // A submission that the kill cut off was not acknowledged.
  return { first: Promise.any(sent), all: Promise.allSettled(sent) };
}

describe('EM4: kill -9 of the service', () => {
  it('after kill -9 of the service, each immediate start works at the first attempt, and nothing acknowledged is lost', async () => {
    const service = embeddedService();
    const project = await aProjectOn(service);
    const answered: string[] = [];
    const sockets: string[] = [];
    for (let round = 0; round < scaled(3, 10); round += 1) {
      const { first, all } = submitSome(project, answered);
      await first;
      sockets.push(decodeURIComponent(new URL(service.url()).hostname));
      await service.server.kill9();
      await service.start();
      await all;
      await expectAll(project, answered);
    }
    // Nor does each leave a folder behind.
    expect(sockets.filter((folder) => existsSync(folder))).toEqual([]);
    await service.server.stop();
    await nothingRunsIn(service.folder);
  });

  it.runIf(ON_LINUX)('whose PostgreSQL is still running: the next start ends it', async () => {
    const service = embeddedService({ env: { PATH: pathWithout('setpriv') } });
    const project = await aProjectOn(service);
    const answered: string[] = [];
    await submitSome(project, answered).all;
    const left = service.postmaster();
    await service.server.kill9();
    expect(isRunning(left)).toBe(true);
    await service.start();
    expect(service.log()).toContain('stopped the PostgreSQL that an earlier process left running');
    expect(isRunning(left)).toBe(false);
    await expectAll(project, answered);
    await service.server.stop();
    await nothingRunsIn(service.folder);
  });

  it.runIf(ON_LINUX && scaled(0, 1) === 1)(
    'whose PostgreSQL hangs (SIGSTOP; soak only, it takes 15 s): the next start ends it',
    async () => {
      const service = embeddedService({ env: { PATH: pathWithout('setpriv') } });
      await service.start();
      process.kill(service.postmaster(), 'SIGSTOP');
      await service.server.kill9();
      await service.start();
      await service.server.stop();
      await nothingRunsIn(service.folder);
    },
  );

  it.runIf(ON_LINUX)(
    'after kill -9 of the service and of PostgreSQL, the process of a long statement is ended, and the next start works',
    async () => {
      const service = embeddedService();
      const project = await aProjectOn(service);
      const answered: string[] = [];
      await submitSome(project, answered).all;
      const client = await connectTo(service.url());
      client.on('error', () => undefined);
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      const [{ pid: busy } = { pid: 0 }] = rows;
      client.query('select sum(sqrt(n)) from generate_series(1, 1e12::bigint) as n').catch(() => undefined);
      await expect.poll(() => stateOf(busy)).toBe('R');
      process.kill(service.postmaster(), 'SIGKILL');
      await service.server.kill9();
      expect(isRunning(busy)).toBe(true);
      await service.start();
      expect(isRunning(busy)).toBe(false);
      await expectAll(project, answered);
      await service.server.stop();
    },
  );
});

/** The state of a process that may end at any moment. */
function ifThere(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

const stateOf = (pid: number) => ifThere(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.[0];

describe('EM4: process ids', () => {
  it('a reused id in postmaster.pid: PostgreSQL starts, and the other program continues', async () => {
    const service = embeddedService();
    const project = await aProjectOn(service);
    const answered: string[] = [];
    await submitSome(project, answered).all;
    const data = join(service.folder, 'postgres');
    const file = readFileSync(join(data, 'postmaster.pid'), 'utf8');
    await service.server.stop();
    const other = spawn('sleep', ['600']);
    ended.push(() => other.kill('SIGKILL'));
    await once(other, 'spawn');
    writeFileSync(join(data, 'postmaster.pid'), file.replace(/^\d+/, String(other.pid)));
    await service.start();
    expect(isRunning(other.pid ?? 0)).toBe(true);
    await expectAll(project, answered);
    await service.server.stop();
  });

  it.runIf(MAY_MOUNT)(
    'a first process that never reaps, as in some containers (needs the right to mount): zombies block nothing',
    async () => {
      const NEVER_REAPS = ['sh', '-c', '"$@" & exec sleep 600', 'sh'];
      const service = embeddedService({
        through: ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc', ...NEVER_REAPS],
      });
      const project = await aProjectOn(service);
      const answered: string[] = [];
      await submitSome(project, answered).all;
      const container = service.server;
      const first = childOf(container.pid);
      ended.push(() => process.kill(container.pid, 'SIGKILL'));
      const node = inside(first, '/main.');
      const postmasters = inside(first, 'postgres');
      expect([node.length, postmasters.length > 2]).toEqual([1, true]);
      for (const pid of node) process.kill(pid, 'SIGSTOP');
      for (const pid of [...postmasters, ...node]) process.kill(pid, 'SIGKILL');
      await expect.poll(() => [...node, ...postmasters].map(stateOf)).toEqual([...node, ...postmasters].map(() => 'Z'));
      expect(existsSync(join(service.folder, 'countersign.lock'))).toBe(true);
      expect(pidIn(join(service.folder, 'postgres'))).toBeGreaterThan(1);
      await service.start({}, ['nsenter', '-t', String(first), '--pid', '--mount']);
      await expectAll(project, answered);
      for (const pid of inside(first, '/main.')) process.kill(pid, 'SIGTERM');
      expect(await service.server.ended()).toBe(0);
    },
  );

  const namespaceOf = (pid: number) => ifThere(() => readlinkSync(`/proc/${pid}/ns/pid`));
  const commandOf = (pid: number) => ifThere(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
  const childOf = (pid: number): number => Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());

  /** Processes with this in their command line in the namespace of `first`, as seen from here. */
  const inside = (first: number, command: string): number[] =>
    readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0 && namespaceOf(pid) === namespaceOf(first) && commandOf(pid).includes(command));
});
