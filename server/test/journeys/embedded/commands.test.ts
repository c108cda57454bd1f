// Tests the commands of scripts/ on an embedded database: beside the running service, and with their own PostgreSQL.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { aSubmission, openProject, review } from '../../builders.ts';
import { person } from '../../client.ts';
import { startEmbedded } from '../../../src/embedded/embedded-postgres.ts';
import { lockFolder } from '../../../src/embedded/folder-lock.ts';
import { aFolder, cleanUpAfterwards, embeddedService, nothingRunsIn, ON_LINUX } from '../../embedded-service.ts';
import { beginScript, expectInvariants, runScript, withClosedOutput } from '../../run-script.ts';

cleanUpAfterwards();

const NO_LOG = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Eight programs or more, one after the other, each with TypeScript to load and some with a PostgreSQL to start. In ms. */
const PROGRAMS_TIMEOUT = 300_000;

describe('EM2: invariants, rollups and export', () => {
  it(
    'work beside the running service, and without it, leaving no process behind',
    { timeout: PROGRAMS_TIMEOUT },
    async () => {
      const service = embeddedService();
      await service.start();
      const owner = await person(service.testEnv);
      const project = await openProject(owner);
      const { id } = await project.pipeline.submit(aSubmission());
      await review(owner, id, 'edit');
      const { env } = service;
      const file = join(service.folder, 'learnings.jsonl');
      const exported = () => readFileSync(file, 'utf8').trim().split('\n').length;
      const beside = service.postmaster();

      await expectInvariants(env);
      await expect.poll(() => runScript('rollups.ts', env, 'check')).toContain('all equal');
      expect(await runScript('export.ts', env, '--project', project.id, file)).toContain('1 lines added');
      expect(exported()).toBe(1);

      expect(service.postmaster()).toBe(beside);
      await project.pipeline.submit(aSubmission());
      await service.server.stop();

      await expectInvariants(env);
      expect(await runScript('rollups.ts', env, 'check')).toContain(project.id);
      expect(await runScript('export.ts', env, '--project', project.id, file)).toContain('0 lines added');
      await nothingRunsIn(service.folder);
      await service.start();
      await service.server.stop();
    },
  );

  it('end quietly, and their PostgreSQL with them, when nobody reads the output any more', async () => {
    const service = embeddedService();
    await service.start();
    await service.server.stop();
    const { code, errorOutput } = await withClosedOutput('invariants.ts', service.env);
    // As a program that SIGPIPE ended: neither "No violations." nor a violation.
    expect({ code, errorOutput }).toEqual({ code: 141, errorOutput: '' });
    await nothingRunsIn(service.folder);
  });

  it('say of a wrong command line how the command is used, and exit with 2', async () => {
    await expect(runScript('invariants.ts', {}, '--all')).rejects.toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/'--all'[^]*Usage: npm run invariants/) as string,
    });
  });

  it('wait for a command that runs PostgreSQL, which ends with that command', async () => {
    const service = embeddedService();
    await service.start();
    await service.server.stop();
    const first = await startEmbedded({ folder: service.folder, log: NO_LOG, creates: false });
    const second = beginScript('access.ts', service.env, 'list');
    const said = Promise.race([once(second.child.stderr!, 'data'), second.then(() => ['nothing'])]);
    expect(String((await said)[0])).toBe(
      `Waiting for process ${process.pid}, a command that uses ${service.folder} (DATA_DIR).\n`,
    );
    await first.stop();
    expect((await second).stdout).toBe('No wallet is blocked or signed in.\n');
    await nothingRunsIn(service.folder);
  });

  it.runIf(ON_LINUX)('name DATA_DIR when the PostgreSQL of a service does not answer there', async () => {
    const folder = aFolder();
    const data = join(folder, 'postgres');
    mkdirSync(data);
    const release = lockFolder(folder);
    const server = spawn('sleep', ['600'], { cwd: data });
    onTestFinished(() => {
      server.kill();
      release();
    });
    await once(server, 'spawn');
    writeFileSync(join(data, 'postmaster.pid'), `${server.pid}\n${data}\n1\n5432\n${folder}/none\n`);
    await expect(runScript('access.ts', { DATA_DIR: folder }, 'list')).rejects.toMatchObject({
      code: 1,
      stderr: `PostgreSQL at ${folder} (DATA_DIR) cannot be used: connect ENOENT ${folder}/none/.s.PGSQL.5432.\n`,
    });
  });

  it('name the process that uses the folder when no PostgreSQL answers there', async () => {
    const folder = aFolder();
    const release = lockFolder(folder);
    const refused = runScript('invariants.ts', { DATA_DIR: folder });
    await expect(refused).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        new RegExp(`^The data folder ${folder} is in use by process ${process.pid}: .*\\.\n$`),
      ) as string,
    });
    release();
  });
});
