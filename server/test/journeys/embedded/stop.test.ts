// Tests stopping by SIGTERM or Ctrl+C at any moment: a clean exit with code 0, PostgreSQL too, and no process left.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aSubmission, openProject } from '../../builders.ts';
import { person } from '../../client.ts';
import {
  cleanUpAfterwards,
  type EmbeddedService,
  embeddedService,
  nothingRunsIn,
  ON_LINUX,
  processesIn,
} from '../../embedded-service.ts';
import { submitInBackground } from '../../background-load.ts';
import { SOAK } from '../../soak.ts';

cleanUpAfterwards();

const serverLog = ({ folder }: EmbeddedService) => readFileSync(join(folder, 'postgres.log'), 'utf8');
const SHUT_DOWN = /database system is shut down\n$/;

/** PostgreSQL accepts connections and does not respond, as when its disk hangs or during a long recovery. */
const hangs = ({ folder }: EmbeddedService): string => {
  const path = join(folder, 'postgres/postgresql.auto.conf');
  writeFileSync(path, 'pre_auth_delay = 3\n');
  return path;
};

/** The process that holds the folder, which may not be ready yet. */
const holderOf = ({ folder }: EmbeddedService): number => {
  const path = join(folder, 'countersign.lock');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as { pid: number }).pid : 0;
};

const draftsIn = ({ folder }: EmbeddedService) =>
  readdirSync(folder).filter((name) => name.startsWith('.countersign-draft-'));
const hasDatabase = ({ folder }: EmbeddedService) => existsSync(join(folder, 'postgres'));

/**
 * Starts a service on an empty folder and sends it a signal while it creates its database; returns how the start ended. Begins
 * again with another folder when the database was complete first, because this process was slow.
 */
async function signalDuringCreation(signal: NodeJS.Signals): Promise<{ service: EmbeddedService; ending: string }> {
  for (let tries = 0; tries < 5; tries += 1) {
    const service = embeddedService();
    const ended = service.start().then(() => 'It started.', String);
    await expect.poll(() => draftsIn(service).length === 1 || hasDatabase(service), { interval: 5 }).toBe(true);
    process.kill(holderOf(service), signal);
    const ending = await ended;
    if (!hasDatabase(service)) return { service, ending };
  }
  throw new Error('A database was there each time.');
}

describe.runIf(ON_LINUX)('EM6: a service that gets a stop signal', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'under load, by %s to its whole process group: all of it ends cleanly',
    async (signal) => {
      // As a terminal or a supervisor starts it: in a separate process group.
      const service = embeddedService({ through: ['setsid'] });
      await service.start();
      const project = await openProject(await person(service.testEnv));
      const load = submitInBackground(project);
      await expect.poll(() => load.accepted.length).toBeGreaterThan(20);
      process.kill(-service.server.pid, signal);
      expect(await service.server.ended()).toBe(0);
      await expect.poll(() => processesIn(service.folder)).toEqual([]);
      expect(serverLog(service)).toMatch(SHUT_DOWN);
      expect(serverLog(service)).not.toContain('was not properly shut down');
      expect(readdirSync(service.folder).sort()).toEqual(['postgres', 'postgres.log', 'secret-keys']);
      await service.start();
      const { accepted, refused } = await load.end();
      expect(refused).toEqual([]);
      for (const id of [accepted[0], accepted.at(-1)])
        expect(await project.pipeline.read(id ?? '')).toMatchObject({ id });
      expect(serverLog(service)).not.toContain('was not properly shut down');
      await service.server.stop();
    },
  );

  it.runIf(SOAK)('while PostgreSQL hangs: it ends in time, before a supervisor would kill it', async () => {
    const service = embeddedService();
    await service.start();
    const project = await openProject(await person(service.testEnv));
    const { id } = await project.pipeline.submit(aSubmission());
    const node = service.server.pid;
    for (const pid of processesIn(service.folder)) if (pid !== node) process.kill(pid, 'SIGSTOP');
    process.kill(node, 'SIGTERM');
    expect(await service.server.ended()).toBe(1);
    // The next start ends what hangs.
    await service.start();
    expect(await project.pipeline.read(id)).toMatchObject({ id });
    await service.server.stop();
  });

  it('while PostgreSQL, which was killed, cannot be started again', async () => {
    const service = embeddedService();
    await service.start();
    const pid = service.postmaster();
    writeFileSync(join(service.folder, 'postgres/postgresql.auto.conf'), 'no_such_setting = on\n');
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => service.log()).toContain('the embedded PostgreSQL does not start; retrying');
    await service.server.stop();
    await nothingRunsIn(service.folder);
  });

  it('while PostgreSQL, which was killed, is started again and does not answer yet', async () => {
    const service = embeddedService();
    await service.start();
    const pid = service.postmaster();
    const path = hangs(service);
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => ![0, pid].includes(service.postmaster())).toBe(true);
    await service.server.stop();
    await nothingRunsIn(service.folder);
    expect(serverLog(service)).toMatch(SHUT_DOWN);
    // Nor is such a server lost: it is used when it responds.
    rmSync(path);
    await service.start();
    const project = await openProject(await person(service.testEnv));
    await project.pipeline.submit(aSubmission());
    await service.server.stop();
  });

  it('while it starts, and PostgreSQL does not respond yet', async () => {
    const service = embeddedService();
    await service.start();
    await service.server.stop();
    hangs(service);
    const starting = service.start();
    await expect.poll(() => service.postmaster()).toBeGreaterThan(0);
    process.kill(holderOf(service), 'SIGTERM');
    await expect(starting).rejects.toThrow('The server ended with 0');
    await nothingRunsIn(service.folder);
    expect(serverLog(service)).toMatch(SHUT_DOWN);
    expect(existsSync(join(service.folder, 'countersign.lock'))).toBe(false);
  });

  it.each([
    ['SIGTERM', /The server ended with 0/],
    ['SIGKILL', /The server ended with SIGKILL/],
  ] as const)(
    'while it creates its database (%s): a partial one is never used, and the next start works',
    async (signal, says) => {
      const { service, ending } = await signalDuringCreation(signal);
      expect(ending).toMatch(says);
      if (signal === 'SIGTERM') expect(draftsIn(service)).toEqual([]);
      await service.start();
      expect(draftsIn(service)).toEqual([]);
      await service.server.stop();
      await nothingRunsIn(service.folder);
    },
  );
});
