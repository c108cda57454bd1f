// Tests starts on a copy of the data of a running service, such as a restored backup: the service is not disturbed.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aSubmission, openProject } from '../../builders.ts';
import { person } from '../../client.ts';
import {
  aFolder,
  ask,
  cleanUpAfterwards,
  type EmbeddedService,
  embeddedService,
  ON_LINUX,
  processesIn,
} from '../../embedded-service.ts';
import { expectInvariants } from '../../run-script.ts';

cleanUpAfterwards();

/** Copies the running data as a snapshot of its disk does: at one moment. */
function copyOf({ folder }: EmbeddedService, ...names: string[]): string {
  const copy = aFolder('copy');
  const running = processesIn(folder);
  for (const pid of running) process.kill(pid, 'SIGSTOP');
  try {
    execFileSync('cp', ['-a', ...names.map((name) => join(folder, name)), copy]);
  } finally {
    for (const pid of running) process.kill(pid, 'SIGCONT');
  }
  return copy;
}

const socketFolder = (service: EmbeddedService) => decodeURIComponent(new URL(service.url()).hostname);

describe.runIf(ON_LINUX)('EM4: a copy of the data of a running service', () => {
  it.each([
    ['the database alone', ['postgres']],
    ['everything, with the lock', ['postgres', 'secret-keys', 'countersign.lock']],
  ])('opens beside the service, which keeps its socket: %s', async (_, names) => {
    const service = embeddedService();
    await service.start();
    const project = await openProject(await person(service.testEnv));
    const { id } = await project.pipeline.submit(aSubmission());
    const [socket, postmaster] = [socketFolder(service), service.postmaster()];
    const copy = copyOf(service, ...names);
    await expectInvariants({ DATA_DIR: copy });
    expect(existsSync(socket)).toBe(true);
    expect(service.postmaster()).toBe(postmaster);
    expect(await ask(service.url(), 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(await project.pipeline.read(id)).toMatchObject({ id });
    expect(readdirSync(copy)).not.toContain('countersign.lock');
    await service.server.stop();
  });

  it.each(['this version', 'an earlier version, which locked DATA_DIR alone'])(
    'is refused when its data is a link to the data of the service: of %s',
    async (version) => {
      const [service, target] = [embeddedService(), join(aFolder('disk'), 'pg')];
      mkdirSync(target);
      symlinkSync(target, join(service.folder, 'postgres'));
      await service.start();
      const project = await openProject(await person(service.testEnv));
      const postmaster = service.postmaster();
      const linked = aFolder('linked');
      symlinkSync(target, join(linked, 'postgres'));
      if (version !== 'this version') rmSync(join(target, 'countersign.lock'));
      for (const folder of [copyOf(service, 'postgres', 'secret-keys', 'countersign.lock'), linked])
        expect(await embeddedService({ folder }).refused()).toMatch(
          new RegExp(`^The data folder ${target} is in use by process ${service.server.pid}: stop that process`),
        );
      expect(service.postmaster()).toBe(postmaster);
      const { id } = await project.pipeline.submit(aSubmission());
      expect(await project.pipeline.read(id)).toMatchObject({ id });
      await service.server.stop();
      expect(readdirSync(target)).not.toContain('countersign.lock');
    },
  );
});
