// Tests PostgreSQL that dies or runs out of space under a running service: 503, nothing lost, automatic recovery.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { listItems } from '@countersign/shared/routes/public';
import { aSubmission, openProject, type OpenProject } from '../../builders.ts';
import { type Answer, person } from '../../client.ts';
import {
  ask,
  cleanUpAfterwards,
  type EmbeddedService,
  embeddedService,
  MAY_MOUNT,
  ON_LINUX,
  smallDisk,
} from '../../embedded-service.ts';
import { submitInBackground } from '../../background-load.ts';

cleanUpAfterwards();

async function aProjectOn(service: EmbeddedService): Promise<OpenProject> {
  await service.start();
  return openProject(await person(service.testEnv));
}

const trySubmitting = (project: OpenProject) =>
  project.pipeline.submitRaw(JSON.stringify({ project_id: project.id, ...aSubmission() }));

/** The first response that is no success. */
async function refusal(project: OpenProject): Promise<Answer<unknown>> {
  return vi.waitUntil(
    async () => {
      const answer = await trySubmitting(project);
      return answer.ok ? undefined : answer;
    },
    { timeout: 60_000 },
  );
}

function expectUnavailable(answer: Answer<unknown>): void {
  expect([answer.status, answer.ok || answer.problem.code], answer.text).toEqual([503, 'unavailable']);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
}

/** Every acknowledged id still exists. */
async function expectAll(project: OpenProject, answered: string[]): Promise<void> {
  const ids = new Set<string>();
  for (let after: string | undefined; ;) {
    const query = { limit: 100, ...(after === undefined ? {} : { after }) };
    const page = await project.pipeline.call(listItems, { query });
    for (const { id } of page.data) ids.add(id);
    if (page.next_cursor === null) break;
    after = page.next_cursor;
  }
  expect(answered.filter((id) => !ids.has(id))).toEqual([]);
}

describe('EM5: SIGKILL', () => {
  it('of PostgreSQL’s first process: it is restarted at the same address, with 503 until then', async () => {
    const service = embeddedService();
    const project = await aProjectOn(service);
    const load = submitInBackground(project);
    await expect.poll(() => load.accepted.length).toBeGreaterThan(20);
    const before = { url: service.url(), pid: service.postmaster() };
    // It cannot start, so that the outage lasts until this test ends it.
    const broken = join(service.folder, 'postgres/postgresql.auto.conf');
    writeFileSync(broken, 'no_such_setting = on\n');
    process.kill(before.pid, 'SIGKILL');
    await expect.poll(() => service.log()).toContain('the embedded PostgreSQL does not start; retrying');
    expectUnavailable(await trySubmitting(project));
    expect((await fetch(`${service.testEnv.url()}/readyz`)).status).toBe(503);
    const during = load.accepted.length;
    rmSync(broken);
    await expect.poll(() => load.accepted.length).toBeGreaterThan(during + 20);
    const { accepted, refused } = await load.end();
    expect(refused).toEqual([]);
    expect(service.url()).toBe(before.url);
    expect(service.postmaster()).not.toBe(before.pid);
    await expectAll(project, accepted);
    await service.server.stop();
  });

  it('of one of its sessions, during a statement: PostgreSQL recovers, and its log contains no values', async () => {
    const service = embeddedService();
    const project = await aProjectOn(service);
    const load = submitInBackground(project);
    await expect.poll(() => load.accepted.length).toBeGreaterThan(20);
    const before = service.postmaster();
    const value = 'ask nobody about it';
    const busy = ask(service.url(), `select pg_sleep(600), '${value}'`).catch(() => undefined);
    const sleeping = `select pid from pg_stat_activity where query like 'select pg_sleep%'`;
    await expect.poll(() => ask(service.url(), sleeping)).toHaveLength(1);
    const [{ pid } = { pid: 0 }] = await ask<{ pid: number }>(service.url(), sleeping);
    process.kill(pid, 'SIGKILL');
    await busy;
    const during = load.accepted.length;
    await expect.poll(() => load.accepted.length).toBeGreaterThan(during + 20);
    const { accepted, refused } = await load.end();
    expect(refused).toEqual([]);
    expect(service.postmaster()).toBe(before);
    await expectAll(project, accepted);
    // Nor does it contain those of failing statements.
    await ask(service.url(), `select '${value}'::int`).catch(() => undefined);
    await ask(service.url(), `create table once (a text primary key)`);
    for (let n = 0; n < 2; n += 1)
      await ask(service.url(), `insert into once values ('${value}')`).catch(() => undefined);
    await service.server.stop();
    const log = readFileSync(join(service.folder, 'postgres.log'), 'utf8');
    expect(log).toContain('was terminated by signal 9');
    expect(log).not.toContain(value);
    expect(log).not.toMatch(/parcel/);
  });
});

describe.runIf(ON_LINUX && MAY_MOUNT)('EM5: a full disk (needs the right to mount)', () => {
  it('submissions get 503 until there is space again; nothing acknowledged is lost', async () => {
    const disk = smallDisk(160);
    const service = embeddedService({ folder: join(disk, 'data') });
    const project = await aProjectOn(service);
    const load = submitInBackground(project, { submitters: 4 });
    await expect.poll(() => load.accepted.length).toBeGreaterThan(20);
    const ballast = join(disk, 'ballast');
    fill(ballast);
    // A recovering server may find a little space again: the test checks one response only.
    expectUnavailable(await refusal(project));
    // The write-ahead log has no space either: PostgreSQL ends, and cannot start.
    await ask(service.url(), 'select pg_switch_wal() from generate_series(1, 40)').catch(() => undefined);
    await expect.poll(() => service.log()).toContain('the embedded PostgreSQL ended and is being restarted');
    const during = load.accepted.length;
    rmSync(ballast);
    await expect.poll(() => load.accepted.length).toBeGreaterThan(during + 20);
    const { accepted, refused } = await load.end();
    expect(refused).toEqual([]);
    await expectAll(project, accepted);
    await service.server.stop();
  });

  /** Writes until the disk is full. */
  const fill = (path: string) =>
    void execFileSync('sh', ['-c', 'dd if=/dev/zero of="$0" bs=64k || true', path], { stdio: 'ignore' });

  it('a first start reports it with the last lines of the log and leaves no partial database; the next one works', async () => {
    const disk = smallDisk(20);
    const service = embeddedService({ folder: disk });
    const output = await service.refused();
    expect(output).toMatch(/^The embedded database could not be created:\n/);
    expect(output).toMatch(/could not extend file|No space left on device/);
    expect(readdirSync(disk).sort()).toEqual(['postgres.log', 'secret-keys']);
    execFileSync('mount', ['-o', 'remount,size=200m', disk]);
    await service.start();
    expect(existsSync(join(disk, 'postgres/PG_VERSION'))).toBe(true);
    await service.server.stop();
  });
});
