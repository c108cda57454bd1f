// Tests the stop switch: while it is on, no item is decided without a person, by any path or process (RT7).
import { describe, expect, it } from 'vitest';
import { stopProject as stopEndpoint } from '@countersign/shared/routes/team';
import { submitted } from '@countersign/shared/schemas/public';
import { lockIntakeShared, readRouting } from '../../../src/db/submit-batch.ts';
import { archiveProject } from '../../../src/usecases/projects/lifecycle.ts';
import { readProject } from '../../../src/usecases/projects/list-projects.ts';
import { releaseProject, stopProject } from '../../../src/usecases/projects/stop-project.ts';
import { submit, submitBatch } from '../../../src/usecases/items/submit.ts';
import { openProject } from '../../builders.ts';
import { exactly, person } from '../../client.ts';
import { withOpenTransaction, waitForBlocked } from '../support/blocking-transaction.ts';
import { aBody, aSender, post, trioOf } from '../webhooks/inbound-sender.ts';
import { eventLogOf, changeLogOf, eventTypesOf } from '../support/database-helpers.ts';
import { anItem, aPerson, createProjectFixture, aSubmission, useProjectFixture } from '../support/project-fixture.ts';
import { serve } from '../support/http-server.ts';
import { type ServicesEnvironment, useServices } from '../support/test-services.ts';

const testEnv = useServices();
const SURE = { confidence: 1 };
const fixture = useProjectFixture(testEnv, { audit_rate: 1 });

const stop = (who = fixture.supervisor, note: string | null = null) =>
  stopProject(testEnv.services, who, { projectId: fixture.projectId, note });
const release = (who = fixture.supervisor) => releaseProject(testEnv.services, who, fixture.projectId);
const routedAs = async (overrides: Parameters<typeof anItem>[2]) => {
  const { status, rule } = await anItem(testEnv.services, fixture, overrides);
  return `${rule} ${status}`;
};

describe('RT7: stopping', () => {
  it('is for supervisors and owners, writes one change log entry and one event, and nothing more when repeated; so does releasing', async () => {
    for (const change of [stop, release]) {
      await expect(change(fixture.anna)).rejects.toMatchObject({ code: 'forbidden' });
      await expect(change(await aPerson(testEnv.services))).rejects.toMatchObject({ code: 'not_found' });
      await Promise.all([change(fixture.owner), change(fixture.owner)]);
      await change();
    }
    const lines = (await changeLogOf(testEnv, fixture.projectId)).filter(({ action }) =>
      /stopped|released/.test(action),
    );
    expect(lines.map(({ action }) => action).sort()).toEqual(['project.released', 'project.stopped']);
    const logEvents = (await eventLogOf(testEnv, fixture.projectId)).filter(
      ({ data }) => String(data.changed) === 'stop',
    );
    expect(logEvents).toHaveLength(2);
  });

  it('shows every member since when, by whom and why; the first reason stays', async () => {
    await stop(fixture.supervisor, 'Odd answers since noon');
    await stop(fixture.owner, 'Me too');
    const { project, stoppedByName } = await readProject(testEnv.services, fixture.anna, fixture.projectId);
    expect([project.stoppedAt, project.stopNote, stoppedByName]).toEqual([
      expect.any(Date) as Date,
      'Odd answers since noon',
      'Sam',
    ]);
    await release(fixture.owner);
    const after = await readProject(testEnv.services, fixture.anna, fixture.projectId);
    expect([after.project.stoppedAt, after.project.stoppedBy, after.project.stopNote]).toEqual([null, null, null]);
  });

  it('creates no settings version', async () => {
    await stop();
    expect((await anItem(testEnv.services, fixture, SURE)).settingsVersion).toBe(1);
  });

  it('AR1: an archived project is neither stopped nor released', async () => {
    await stop();
    await archiveProject(testEnv.services, fixture.owner, fixture.projectId);
    for (const change of [stop, release])
      await expect(change(fixture.owner)).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('RT7: while a project is stopped', () => {
  it('an item that would be decided without a person is queued, with its rule, one event and no decision; RT6 preserves it', async () => {
    await stop();
    const { item, decision } = await submit(testEnv.services, fixture.pipeline, aSubmission(SURE));
    expect([item.status, item.rule, item.decidedAt, item.audit, decision]).toEqual([
      'queued',
      'RT7',
      null,
      false,
      null,
    ]);
    expect(await eventTypesOf(testEnv, item.id)).toEqual(['item.queued']);
    expect(await routedAs({ confidence: 0 })).toBe('RT7 queued');
    expect(await routedAs({ confidence: 0.8 })).toBe('RT3 queued');
    expect(await routedAs({ confidence: 1, riskFlags: ['legal'] })).toBe('RT1 escalated');

    await release();
    expect(await routedAs({ confidence: 0 })).toBe('RT4 rejected');
    const [kept] = await testEnv.sql('select status, rule from item where id = ?', [item.id]);
    expect(kept).toEqual({ status: 'queued', rule: 'RT7' });
  });

  it('stopping one project leaves another running', async () => {
    const other = await createProjectFixture(testEnv.services);
    await stop();
    expect((await anItem(testEnv.services, other, SURE)).status).toBe('auto_approved');
  });

  it('stopping applies to a batch, and in one group with other projects', async () => {
    const other = await createProjectFixture(testEnv.services);
    await stop();
    const items = [aSubmission(SURE), aSubmission({ confidence: 0 })];
    const [mine, theirs] = await Promise.all([
      submitBatch(testEnv.services, fixture.pipeline, { items, idempotency: null }),
      submitBatch(testEnv.services, other.pipeline, { items, idempotency: null }),
    ]);
    expect(mine.results.map(({ item }) => item.status)).toEqual(['queued', 'queued']);
    expect(theirs.results.map(({ item }) => item.status)).toEqual(['auto_approved', 'rejected']);
  });

  it('stopping applies to a new idempotency key, and a repeat gets the first response', async () => {
    const before = { ...aSubmission(SURE), idempotency: { key: 'before', bodySha256: 'a'.repeat(64) } };
    const first = await submit(testEnv.services, fixture.pipeline, before);
    await stop();
    const again = await submit(testEnv.services, fixture.pipeline, before);
    expect([again.replayed, again.item.id, again.decision?.action]).toEqual([true, first.item.id, 'auto_approve']);
    const later = { ...before, idempotency: { key: 'later', bodySha256: 'a'.repeat(64) } };
    expect((await submit(testEnv.services, fixture.pipeline, later)).item.rule).toBe('RT7');
    await release();
    expect((await submit(testEnv.services, fixture.pipeline, later)).item.rule).toBe('RT7');
  });

  it('stopping applies to inbound webhooks, at intake', async () => {
    const served = await serve(testEnv.services);
    const project = await openProject(await person(served.testEnv));
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
  /** Submits without a break until stopped, and records when each submission was sent and its result. */
  async function stream(
    process: ServicesEnvironment,
    { sent, over }: { sent: { at: number; rule: string }[]; over: () => boolean },
  ) {
    const one = async () => {
      const at = performance.now();
      const { item } = await submit(process.services, fixture.pipeline, aSubmission(SURE));
      sent.push({ at, rule: item.rule });
    };
    while (!over()) await Promise.all(Array.from({ length: 4 }, one));
  }

  it('no submission sent after the response to the stop passes automatically, in any process; after the release each does', async () => {
    const processes = [testEnv, await testEnv.another()] as const;
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
    // What was sent shortly before the release may have met the stop.
    expect(rulesOf(stoppedAt, releasing)).toContain('RT7');
    expect(rulesOf(releasedAt, Infinity)).toEqual(['RT2']);
    // In the event log no auto-approval is between the two events, not even one that was under way.
    const eventLog = await eventLogOf(testEnv, fixture.projectId);
    const [from, to] = eventLog.flatMap(({ data }, at) => (String(data.changed) === 'stop' ? [at] : []));
    const between = eventLog.slice(from, to).flatMap(({ item_id: id }) => id ?? []);
    const [passed] = await testEnv.sql<{ n: number }>(
      `select count(*)::int as n from item where id = any(?::uuid[]) and rule = 'RT2'`,
      [`{${between.join(',')}}`],
    );
    expect([between.length > 0, passed?.n]).toEqual([true, 0]);
    await processes[1].close();
  });

  it('a submission that meets a stop under way waits for it, and is routed by it', async () => {
    const statement = `with held as (select id from project where id = ? for update)
      update project set stopped_at = now() where id in (select id from held)`;
    await withOpenTransaction(testEnv, [statement, [fixture.projectId]], async (commit) => {
      const sent = anItem(testEnv.services, fixture, SURE);
      await waitForBlocked(testEnv, 1);
      await commit();
      expect((await sent).rule).toBe('RT7');
    });
  });

  it('a stop waits for the submission that has not seen it', async () => {
    const reading = 'select id from project where id = ? for key share';
    await withOpenTransaction(testEnv, [reading, [fixture.projectId]], async (commit) => {
      const stopping = stop();
      await waitForBlocked(testEnv, 1);
      const before = await readProject(testEnv.services, fixture.anna, fixture.projectId);
      expect(before.project.stoppedAt).toBeNull();
      await commit();
      await stopping;
    });
  });

  it('a waiting stop is overtaken by no later submission, so it waits only once', async () => {
    const process = await testEnv.another();
    const underWay = Promise.withResolvers<undefined>();
    const entered = Promise.withResolvers<undefined>();
    const early = process.services.db.write(async ({ em }) => {
      await lockIntakeShared(em, [fixture.projectId], []);
      await readRouting(em, [fixture.projectId]);
      entered.resolve(undefined);
      await underWay.promise;
    });
    await entered.promise;
    const stopping = stop();
    await waitForBlocked(testEnv, 1);
    const later = [anItem(testEnv.services, fixture, SURE), anItem(process.services, fixture, SURE)];
    await waitForBlocked(testEnv, 3);
    underWay.resolve(undefined);
    await Promise.all([early, stopping]);
    expect((await Promise.all(later)).map(({ rule }) => rule)).toEqual(['RT7', 'RT7']);
    await process.close();
  });
});
