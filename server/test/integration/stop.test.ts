// The stop switch (RT7): while it is on, nothing is decided without a person, whatever way it came in and in whatever process.
import { beforeEach, describe, expect, it } from 'vitest';
import { stopProject as stopEndpoint } from '@countersign/shared/api/floor';
import { submitted } from '@countersign/shared/api/public';
import { enterIntake, readRouting } from '../../src/db/submit-batch.ts';
import { archiveProject } from '../../src/usecases/lifecycle.ts';
import { readProject } from '../../src/usecases/queries/list-projects.ts';
import { releaseProject, stopProject } from '../../src/usecases/stop-project.ts';
import { submit, submitBatch } from '../../src/usecases/submit.ts';
import { openProject } from '../builders.ts';
import { exactly, person } from '../client.ts';
import { holding, waiting } from './holding.ts';
import { aBody, aSender, post, trioOf } from './inbound-sender.ts';
import { ledgerOf, linesOf, toldOf } from './looking.ts';
import { anItem, aPerson, aScene, aSubmission, type Scene } from './scene.ts';
import { serve } from './served.ts';
import { type Opened, useServices } from './services.ts';

const world = useServices();
const SURE = { confidence: 1 };
let scene: Scene;

beforeEach(async () => {
  scene = await aScene(world.services, { audit_rate: 1 });
});

const stop = (who = scene.supervisor, note: string | null = null) =>
  stopProject(world.services, who, { projectId: scene.projectId, note });
const release = (who = scene.supervisor) => releaseProject(world.services, who, scene.projectId);
const routedAs = async (overrides: Parameters<typeof anItem>[2]) => {
  const { status, rule } = await anItem(world.services, scene, overrides);
  return `${rule} ${status}`;
};

describe('RT7: stopping', () => {
  it('is for supervisors and owners, leaves one line and one fact, and done twice nothing more; releasing alike', async () => {
    for (const change of [stop, release]) {
      await expect(change(scene.anna)).rejects.toMatchObject({ code: 'forbidden' });
      await expect(change(await aPerson(world.services))).rejects.toMatchObject({ code: 'not_found' });
      await Promise.all([change(scene.owner), change(scene.owner)]);
      await change();
    }
    const lines = (await linesOf(world, scene.projectId)).filter(({ action }) => /stopped|released/.test(action));
    expect(lines.map(({ action }) => action).sort()).toEqual(['project.released', 'project.stopped']);
    const told = (await ledgerOf(world, scene.projectId)).filter(({ data }) => String(data.changed) === 'stop');
    expect(told).toHaveLength(2);
  });

  it('says since when, by whom and why, to every member; the first one’s words stay', async () => {
    await stop(scene.supervisor, 'Odd answers since noon');
    await stop(scene.owner, 'Me too');
    const { project, stoppedByName } = await readProject(world.services, scene.anna, scene.projectId);
    expect([project.stoppedAt, project.stopNote, stoppedByName]).toEqual([
      expect.any(Date) as Date,
      'Odd answers since noon',
      'Sam',
    ]);
    await release(scene.owner);
    const after = await readProject(world.services, scene.anna, scene.projectId);
    expect([after.project.stoppedAt, after.project.stoppedBy, after.project.stopNote]).toEqual([null, null, null]);
  });

  it('raises no version of the settings', async () => {
    await stop();
    expect((await anItem(world.services, scene, SURE)).settingsVersion).toBe(1);
  });

  it('AR1: an archived project is neither stopped nor released', async () => {
    await stop();
    await archiveProject(world.services, scene.owner, scene.projectId);
    for (const change of [stop, release])
      await expect(change(scene.owner)).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('RT7: while a project is stopped', () => {
  it('what would be decided without a person waits, with its rule, one fact and no decision; RT6 keeps it so', async () => {
    await stop();
    const { item, decision } = await submit(world.services, scene.pipeline, aSubmission(SURE));
    expect([item.status, item.rule, item.decidedAt, item.audit, decision]).toEqual([
      'queued',
      'RT7',
      null,
      false,
      null,
    ]);
    expect(await toldOf(world, item.id)).toEqual(['item.queued']);
    expect(await routedAs({ confidence: 0 })).toBe('RT7 queued');
    expect(await routedAs({ confidence: 0.8 })).toBe('RT3 queued');
    expect(await routedAs({ confidence: 1, riskFlags: ['legal'] })).toBe('RT1 escalated');

    await release();
    expect(await routedAs({ confidence: 0 })).toBe('RT4 rejected');
    const [kept] = await world.sql('select status, rule from item where id = ?', [item.id]);
    expect(kept).toEqual({ status: 'queued', rule: 'RT7' });
  });

  it('another project goes on', async () => {
    const other = await aScene(world.services);
    await stop();
    expect((await anItem(world.services, other, SURE)).status).toBe('auto_approved');
  });

  it('holds for a batch, and in one group with other projects', async () => {
    const other = await aScene(world.services);
    await stop();
    const items = [aSubmission(SURE), aSubmission({ confidence: 0 })];
    const [mine, theirs] = await Promise.all([
      submitBatch(world.services, scene.pipeline, { items, idempotency: null }),
      submitBatch(world.services, other.pipeline, { items, idempotency: null }),
    ]);
    expect(mine.results.map(({ item }) => item.status)).toEqual(['queued', 'queued']);
    expect(theirs.results.map(({ item }) => item.status)).toEqual(['auto_approved', 'rejected']);
  });

  it('holds for a key used first now, and a repeat gets what the first one got before', async () => {
    const before = { ...aSubmission(SURE), idempotency: { key: 'before', bodySha256: 'a'.repeat(64) } };
    const first = await submit(world.services, scene.pipeline, before);
    await stop();
    const again = await submit(world.services, scene.pipeline, before);
    expect([again.replayed, again.item.id, again.decision?.action]).toEqual([true, first.item.id, 'auto_approve']);
    const later = { ...before, idempotency: { key: 'later', bodySha256: 'a'.repeat(64) } };
    expect((await submit(world.services, scene.pipeline, later)).item.rule).toBe('RT7');
    await release();
    expect((await submit(world.services, scene.pipeline, later)).item.rule).toBe('RT7');
  });

  it('holds for what a source signs, at the door', async () => {
    const served = await serve(world.services);
    const project = await openProject(await person(served.world));
    const sender = await aSender(project);
    const stopped = await project.owner.call(stopEndpoint, { params: { id: project.id }, body: { note: ' Wait ' } });
    expect(stopped.stopped).toMatchObject({ note: 'Wait', by_name: expect.any(String) as string });
    const body = aBody(SURE);
    const { text } = await post(served, sender.path, { body, headers: trioOf(sender.secret, body) });
    expect(exactly(submitted, text)).toMatchObject({ status: 'queued', decision: null });
    await served.close();
  });
});

describe('RT7: races', () => {
  /** Submits without a break until told to stop, and notes for each submission when it was sent and what became of it. */
  async function stream(
    process: Opened,
    { sent, over }: { sent: { at: number; rule: string }[]; over: () => boolean },
  ) {
    const one = async () => {
      const at = performance.now();
      const { item } = await submit(process.services, scene.pipeline, aSubmission(SURE));
      sent.push({ at, rule: item.rule });
    };
    while (!over()) await Promise.all(Array.from({ length: 4 }, one));
  }

  it('no submission sent after the stop was answered passes by itself, in any process; after the release each does', async () => {
    const processes = [world, await world.another()] as const;
    let over = false;
    const sent: { at: number; rule: string }[] = [];
    const streams = processes.map((process) => stream(process, { sent, over: () => over }));
    const some = (from: number) => expect.poll(() => sent.filter(({ at }) => at > from).length).toBeGreaterThan(2);
    await some(0);
    await stop();
    const stoppedAt = performance.now();
    await some(stoppedAt);
    const releasing = performance.now();
    await release();
    const releasedAt = performance.now();
    await some(releasedAt);
    over = true;
    await Promise.all(streams);
    const rulesOf = (from: number, to: number) => [
      ...new Set(sent.filter(({ at }) => at > from && at < to).map(({ rule }) => rule)),
    ];
    // What was sent shortly before the release may have met it.
    expect(rulesOf(stoppedAt, releasing)).toContain('RT7');
    expect(rulesOf(releasedAt, Infinity)).toEqual(['RT2']);
    // In the ledger nothing that passed by itself stands between the two: not even what was under way.
    const ledger = await ledgerOf(world, scene.projectId);
    const [from, to] = ledger.flatMap(({ data }, at) => (String(data.changed) === 'stop' ? [at] : []));
    const between = ledger.slice(from, to).flatMap(({ item_id: id }) => id ?? []);
    const [passed] = await world.sql<{ n: number }>(
      `select count(*)::int as n from item where id = any(?::uuid[]) and rule = 'RT2'`,
      [`{${between.join(',')}}`],
    );
    expect([between.length > 0, passed?.n]).toEqual([true, 0]);
    await processes[1].close();
  });

  it('a submission that meets a stop under way waits for it, and is routed by it', async () => {
    const statement = `with held as (select id from project where id = ? for update)
      update project set stopped_at = now() where id in (select id from held)`;
    await holding(world, [statement, [scene.projectId]], async (commit) => {
      const sent = anItem(world.services, scene, SURE);
      await waiting(world, 1);
      await commit();
      expect((await sent).rule).toBe('RT7');
    });
  });

  it('a stop waits for the submission that has not seen it', async () => {
    const reading = 'select id from project where id = ? for key share';
    await holding(world, [reading, [scene.projectId]], async (commit) => {
      const stopping = stop();
      await waiting(world, 1);
      const before = await readProject(world.services, scene.anna, scene.projectId);
      expect(before.project.stoppedAt).toBeNull();
      await commit();
      await stopping;
    });
  });

  it('a stop that waits is passed by no later submission, so it waits for nobody twice', async () => {
    const process = await world.another();
    const underWay = Promise.withResolvers<undefined>();
    const entered = Promise.withResolvers<undefined>();
    const early = process.services.db.write(async ({ em }) => {
      await enterIntake(em, [scene.projectId], []);
      await readRouting(em, [scene.projectId]);
      entered.resolve(undefined);
      await underWay.promise;
    });
    await entered.promise;
    const stopping = stop();
    await waiting(world, 1);
    const later = [anItem(world.services, scene, SURE), anItem(process.services, scene, SURE)];
    await waiting(world, 3);
    underWay.resolve(undefined);
    await Promise.all([early, stopping]);
    expect((await Promise.all(later)).map(({ rule }) => rule)).toEqual(['RT7', 'RT7']);
    await process.close();
  });
});
