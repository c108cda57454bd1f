// Soaks the embedded database: kill -9 of service or PostgreSQL under load loses nothing that was acknowledged.
import { describe, expect, it } from 'vitest';
import { listItems } from '@countersign/shared/routes/public';
import type { PublicItem } from '@countersign/shared/schemas/public';
import { openProject, type OpenProject } from '../../builders.ts';
import { person } from '../../client.ts';
import {
  cleanUpAfterwards,
  type EmbeddedService,
  embeddedService,
  nothingRunsIn,
  ON_LINUX,
  processesIn,
} from '../../embedded-service.ts';
import { decideInBackground, submitInBackground } from '../../background-load.ts';
import { expectInvariants, runScript } from '../../run-script.ts';
import { scaled } from '../../soak.ts';

cleanUpAfterwards();

/** The minimum number of kills, and the duration. */
const KILLS = 4;
const SOAK_MS = scaled(0, 600_000);
/** Submissions per second: those of ten minutes can still be counted quickly. */
const PER_SECOND = scaled(200, 60);

const oneOf = <T>(list: readonly T[]): T | undefined => list[Math.floor(Math.random() * list.length)];

/** What is killed. Each resolves when the service can recover. */
const KILL_TARGETS = {
  service: async (service: EmbeddedService) => {
    await service.server.kill9();
    await service.start();
  },
  'PostgreSQL’s first process': (service: EmbeddedService) => kill(service.postmaster()),
  'one of PostgreSQL’s processes': (service: EmbeddedService) =>
    kill(oneOf(processesIn(service.folder).filter((pid) => pid !== service.postmaster()))),
  'PostgreSQL and the service': async (service: EmbeddedService) => {
    kill(service.postmaster());
    await service.server.kill9();
    await service.start();
  },
} satisfies Record<string, (service: EmbeddedService) => void | Promise<void>>;

/** PostgreSQL may be restarting: then there is no process to kill. */
function kill(pid: number | undefined): void {
  try {
    if (pid !== undefined && pid > 0) process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended on its own meanwhile.
  }
}

async function itemsOf(project: OpenProject): Promise<Map<string, PublicItem>> {
  const items = new Map<string, PublicItem>();
  for (let after: string | undefined; ;) {
    const query = { limit: 100, ...(after === undefined ? {} : { after }) };
    const page = await project.pipeline.call(listItems, { query });
    for (const item of page.data) items.set(item.id, item);
    if (page.next_cursor === null) return items;
    after = page.next_cursor;
  }
}

describe.runIf(ON_LINUX)('kill -9 at random, under load', () => {
  it('loses nothing acknowledged, and keeps every invariant', { timeout: 120_000 + 2 * SOAK_MS }, async () => {
    const service = embeddedService({ env: { RATE_LIMIT_PER_MINUTE: '1000000' } });
    await service.start();
    const owner = await person(service.testEnv);
    const project = await openProject(owner);
    const submitting = submitInBackground(project, { submitters: 6, perSecond: PER_SECOND });
    const deciding = decideInBackground(project, owner);
    await expect.poll(() => deciding.decided.length, { message: 'decisions' }).toBeGreaterThan(0);
    const until = performance.now() + SOAK_MS;
    const killed: string[] = [];
    while (killed.length < KILLS || performance.now() < until) {
      const enough = submitting.accepted.length + 1 + Math.floor(Math.random() * 40);
      await expect
        .poll(() => submitting.accepted.length, { message: `after ${killed.join(', ')}` })
        .toBeGreaterThan(enough);
      // Each of them once, then at random.
      const [name, end] = Object.entries(KILL_TARGETS)[killed.length] ?? oneOf(Object.entries(KILL_TARGETS))!;
      killed.push(name);
      await end(service);
    }
    const before = submitting.accepted.length;
    await expect.poll(() => submitting.accepted.length).toBeGreaterThan(before + 10);
    const [{ accepted, refused }, decisions] = await Promise.all([submitting.end(), deciding.end()]);
    expect([...refused, ...decisions.refused]).toEqual([]);
    const items = await itemsOf(project);
    expect(accepted.filter((id) => !items.has(id))).toEqual([]);
    expect(decisions.decided.filter((id) => items.get(id)?.status !== 'approved')).toEqual([]);
    await service.server.stop();
    await nothingRunsIn(service.folder);
    await expectInvariants(service.env);
    expect(await runScript('rollups.ts', service.env, 'check')).toContain('all equal');
  });
});
