// One project with enough of everything: all answers of the API count the same, and are what the page tests render.
import { beforeAll, describe, expect, it } from 'vitest';
import { automaticOf, growthOf, isBehind, paceOf, stopWouldAdd, waitingOf } from '@countersign/shared/figures';
import type { Analytics } from '@countersign/shared/schemas/analytics';
import { settingsOf } from '../../../src/usecases/projects/settings.ts';
import { presentProject } from '../../../src/presenters/project.ts';
import { readAnalytics } from '../../../src/usecases/analytics/read-analytics.ts';
import { readAudits } from '../../../src/usecases/analytics/read-audits.ts';
import { readTeamView } from '../../../src/usecases/analytics/read-team-view.ts';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { reopen } from '../../../src/usecases/decisions/reopen.ts';
import { listQueue } from '../../../src/usecases/items/list-queue.ts';
import { withdrawItem } from '../../../src/usecases/items/withdraw-item.ts';
import { changeSettings } from '../../../src/usecases/projects/change-settings.ts';
import { readProject } from '../../../src/usecases/projects/list-projects.ts';
import { stopProject } from '../../../src/usecases/projects/stop-project.ts';
import { expireItemsOnce } from '../../../src/worker/expire-items.ts';
import { replayDelivery } from '../../../src/usecases/webhooks/replay-deliveries.ts';
import { summarizeDeliveries } from '../../../src/usecases/webhooks/summarize-deliveries.ts';
import { closeReceivers, httpReceiver } from '../../fixtures/receivers.ts';
import { endAllClaims } from '../support/database-helpers.ts';
import { anItem, createProjectFixture, items, review, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';
import { aDelivery, makeDue, sendAll } from '../webhooks/pending-deliveries.ts';
import { AN_HOUR, expireOne, reviseToReject } from './audit-fixture.ts';
import { expectCounted, relayAll } from './rollup-checks.ts';

const testEnv = useServices();
/** Where the page tests find the answers of this fixture. */
const ANSWERS = '../../../../web/src/routes/(app)/analytics/agreement/answers.json';
let fixture: ProjectFixture;

beforeAll(async () => {
  await endAllClaims(testEnv);
  fixture = await createFixture();
});

/** Ten shipped by routing (five drawn for an audit), one refused by it, and eleven for people. */
async function createFixture(): Promise<ProjectFixture> {
  const { services } = testEnv;
  const { port } = await httpReceiver((request, response) => {
    const failing = (request.url ?? '').startsWith('/failing');
    request.resume().on('end', () => response.writeHead(failing ? 503 : 204).end());
  });
  const url = (path: string) => `http://127.0.0.1:${port}/${path}`;
  const made = await createProjectFixture(services, { audit_rate: 1 });
  const sure = { confidence: 0.97 };
  const [audited] = [
    await anItem(services, made, sure),
    await anItem(services, made, sure),
    await anItem(services, made, sure),
  ];
  await expireOne(testEnv, (await anItem(services, made, { ...sure, ...AN_HOUR })).id);
  const withheld = await anItem(services, made, sure);
  await setTo(made, { audit_rate: 0 });
  const shipped = await Promise.all(Array.from({ length: 5 }, () => anItem(services, made, sure)));
  await anItem(services, made, { confidence: 0.1 });
  const queued = await items(services, made, 10);
  await anItem(services, made, { riskFlags: ['legal'] });
  const [wrong] = shipped;
  if (!audited || !wrong) throw new Error('They were asked for.');
  await review(services, made.anna, { itemId: audited.id, action: 'approve' });
  for (const action of ['escalate', 'finalize'] as const)
    await review(services, made.supervisor, { itemId: withheld.id, action });
  await reviseToReject(testEnv, made, wrong.id);
  for (const [place, { id }] of queued.slice(0, 4).entries())
    await review(services, place < 3 ? made.anna : made.ben, { itemId: id, action: place === 0 ? 'edit' : 'approve' });
  // Approved by a person, and revised since.
  await reviseToReject(testEnv, made, queued[1]?.id ?? '');
  await claim(services, made.anna, queued[4]?.id ?? '');
  await claim(services, made.ben, queued[5]?.id ?? '');
  await claim(services, made.ben, queued[6]?.id ?? '');
  const late = queued.slice(8).map(({ id }) => id);
  await testEnv.sql(
    `update item set created_at = created_at - interval '30 minutes', due_at = now() - interval '5 minutes' where id = any(?::uuid[])`,
    [`{${late.join(',')}}`],
  );
  await deliveries(
    made,
    [...shipped, audited].map(({ id }) => id),
    url,
  );
  await relayAll(testEnv);
  return made;
}

async function setTo({ owner, projectId }: ProjectFixture, changes: object): Promise<void> {
  const { project } = await readProject(testEnv.services, owner, projectId);
  await changeSettings(testEnv.services, owner, { projectId, settingsVersion: project.settingsVersion, changes });
}

/** Two deliveries that failed twice, two that failed once, and two newer ones that arrived. */
async function deliveries(of: ProjectFixture, ids: string[], url: (path: string) => string): Promise<void> {
  const next = (attempt: number) => aDelivery(testEnv, of, { itemId: ids.shift() ?? '', attempt });
  const failed = [await next(1), await next(1)];
  await setTo(of, { webhook_url: url('failing') });
  await makeDue(testEnv);
  await sendAll(testEnv.services);
  await next(0);
  await sendAll(testEnv.services);
  await setTo(of, { webhook_url: url('working') });
  for (let n = 0; n < 2; n += 1) await next(0);
  await sendAll(testEnv.services);
  // Sent again after ten attempts, it has failed once since.
  const again = await aDelivery(testEnv, of, { itemId: ids[0] ?? '', attempt: 11, ago: -600 });
  await testEnv.sql('update delivery set schedule_from = 10 where id = ?', [again]);
  await testEnv.sql(`update delivery set created_at = created_at - interval '40 minutes' where id = any(?::uuid[])`, [
    `{${failed.join(',')}}`,
  ]);
}

async function answers() {
  const { services } = testEnv;
  const { projectId, owner } = fixture;
  const view = await readProject(services, owner, projectId);
  const window = { projectId, from: undefined, to: undefined };
  return {
    project: presentProject(view, settingsOf(view.project)),
    analytics: await readAnalytics(services, owner, { ...window, bucket: undefined }),
    team: await readTeamView(services, owner, projectId),
    audits: await readAudits(services, owner, window),
    queue: (await listQueue(services, owner, { projectId, view: 'available', after: undefined, limit: 1 })).counts,
  };
}

const sumOf = (flow: Analytics['flow'], of: 'enqueued' | 'decided') =>
  flow.reduce((sum, bucket) => sum + bucket[of], 0);

describe('the figures of one project', () => {
  it('AN35: count the same waiting items on every page', async () => {
    const { project, analytics, team, queue } = await answers();
    const { summary } = project;
    expect(waitingOf(summary)).toBe(9);
    expect([analytics.waiting, team.waiting]).toEqual([1, 2].map(() => ({ queued: summary.queued, escalated: 1 })));
    expect(analytics.flow.at(-1)).toMatchObject({ waiting: 9 });
    expect(queue).toEqual({ available: 6, mine: 0, escalated: 1, all: 9 });
    const held = team.people.flatMap(({ holding }) => holding).length + team.more_held;
    expect([held, summary.reviewing, analytics.reviewing]).toEqual([3, 3, 3]);
    expect(queue.available + held).toBe(queue.all);
    expect(team.people.filter(({ holding }) => holding.length > 0).length).toBe(summary.reviewer_count);
    expect([analytics.past_due, summary.oldest_at]).toEqual([2, analytics.oldest_at]);
  });

  it('AN34: count as automatic what was shipped, and those of it that people look at', async () => {
    const { analytics, team, audits } = await answers();
    expect(automaticOf(analytics)).toEqual({ approved: 10, inAudit: 2, revised: 1 });
    expect(analytics.mix).toMatchObject({ auto_approved: 9, queued: 6, escalated: 1, approved: 3, rejected: 3 });
    expect(Object.values(analytics.mix).reduce((sum, n) => sum + n, 0)).toBe(analytics.arrived);
    expect(waitingOf({ queued: 6, escalated: 1 }) + analytics.audits.waiting).toBe(waitingOf(analytics.waiting));
    expect(team.automatic_last_hour).toEqual({ arrived: 22, approved: 10, rejected: 1, audited: 5 });
    expect(stopWouldAdd(team.automatic_last_hour)).toBe(6);
    expect([audits.waiting, audits.judged]).toEqual([analytics.audits.waiting, analytics.audits.decided]);
    expect(audits).toMatchObject({ drawn: 5, judged: 1, waiting: 2, ended: 2 });
  });

  it('AN33: say alike whether people keep up', async () => {
    const { project, analytics, team } = await answers();
    const flow = { enqueued: sumOf(analytics.flow, 'enqueued'), decided: sumOf(analytics.flow, 'decided') };
    expect([flow, analytics.decided]).toEqual([{ enqueued: 16, decided: 6 }, project.summary.decided_today]);
    // One audit came and was ended by its deadline.
    expect(growthOf(flow)).toBe(waitingOf(analytics.waiting) + 1);
    const hour = team.flow.find(({ minutes }) => minutes === 60);
    expect({ enqueued: hour?.arrived, decided: hour?.decided }).toEqual(flow);
    expect([paceOf(waitingOf(team.waiting), flow), isBehind(flow), team.drain.state]).toEqual([
      'behind',
      true,
      'growing',
    ]);
  });

  it('RV7: count as overridden what a revision made of a decision', async () => {
    const { project, analytics } = await answers();
    expect(analytics.by_action).toMatchObject({ approve: 2, edit: 1, reject: 1 });
    expect(analytics.overridden).toBe(2);
    expect(project.summary.overridden_today).toBe(analytics.overridden + analytics.audits.overridden);
  });

  it('WH10: call no webhook healthy while deliveries are retried', async () => {
    const { project, analytics } = await answers();
    expect(project.summary).toMatchObject({ webhook: 'retrying', retrying: 2 });
    expect(analytics.webhook).toMatchObject({ succeeded: 2, dead: 0, retrying: 2 });
    const age = Date.parse(analytics.server_time) - Date.parse(analytics.webhook.oldest_retrying_at ?? '');
    expect(Math.floor(age / 60_000)).toBe(40);
  });

  it('RT7: send everything to people while the project is stopped', async () => {
    const before = await answers();
    await stopProject(testEnv.services, fixture.supervisor, { projectId: fixture.projectId, note: 'Wrong prices' });
    await anItem(testEnv.services, fixture, { confidence: 0.99 });
    await relayAll(testEnv);
    const { project, analytics } = await answers();
    expect(project.stopped).toMatchObject({ by_name: 'Sam', note: 'Wrong prices' });
    expect(automaticOf(analytics)).toEqual(automaticOf(before.analytics));
    expect(waitingOf(project.summary)).toBe(waitingOf(before.project.summary) + 1);
    const stored = {
      running: before,
      stopped: { ...before, project: { ...before.project, stopped: project.stopped } },
    };
    await expect(`${JSON.stringify(stableOf(stored), null, 2)}\n`).toMatchFileSnapshot(ANSWERS);
    await closeReceivers();
  });
});

describe('AN33: the figures of a project where not everything that came was decided', () => {
  const ago = (ids: readonly string[], minutes: number) =>
    testEnv.sql(`update item set created_at = now() - make_interval(mins => ?) where id = any(?::uuid[])`, [
      minutes,
      `{${ids.join(',')}}`,
    ]);

  /** What came to people and what they decided in the last hour: by the report, by its buckets, and by the team view. */
  async function hourOf({ projectId, owner }: ProjectFixture) {
    const { services } = testEnv;
    const from = new Date(services.clock.now().getTime() - 60 * MINUTE);
    const report = await readAnalytics(services, owner, { projectId, from, to: undefined, bucket: 'minute' });
    const { flow } = await readTeamView(services, owner, projectId);
    const hour = flow.find(({ minutes }) => minutes === 60);
    const byBucket = [sumOf(report.flow, 'enqueued'), sumOf(report.flow, 'decided')];
    return [[report.enqueued, report.decided], byBucket, [hour?.arrived, hour?.decided]];
  }

  it('take what the pipeline withdrew from when it came, and nothing where it came earlier', async () => {
    const { services } = testEnv;
    const made = await createProjectFixture(services, { below_review: 'reject' });
    const [before, soon, decided, stays] = (await items(services, made, 4)).map(({ id }) => id) as [
      ...[string, string, string, string],
    ];
    const reopened = await anItem(services, made, { confidence: 0.1 });
    await ago([before], 90);
    await ago([soon, decided, stays, reopened.id], 40);
    await review(services, made.anna, { itemId: decided, action: 'approve' });
    await reopen(services, made.supervisor, { itemId: reopened.id, reason: null });
    const moved = `update event set created_at = now() - interval '20 minutes' where item_id = ? and type = 'item.queued'`;
    await testEnv.sql(moved, [reopened.id]);
    expect(await hourOf(made)).toEqual([1, 2, 3].map(() => [4, 1]));
    for (const itemId of [before, soon, reopened.id])
      await withdrawItem(services, made.pipeline, { itemId, reason: null });
    expect(await hourOf(made)).toEqual([1, 2, 3].map(() => [2, 1]));
    await relayAll(testEnv);
    expect(await hourOf(made)).toEqual([1, 2, 3].map(() => [2, 1]));
    await expectCounted(testEnv, made.projectId);
    // As counted before withdrawals were dated: the sentences agree, and the buckets hold what each can.
    await testEnv.sql(`delete from rollup where project_id = ? and measure in ('left', 'withdrawn')`, [made.projectId]);
    const [report, , team] = await hourOf(made);
    expect([report, team]).toEqual([1, 2].map(() => [1, 1]));
  });

  it('count an audit that its deadline ended among what came', async () => {
    const { services } = testEnv;
    const made = await createProjectFixture(services, { audit_rate: 1 });
    const { id } = await anItem(services, made, { confidence: 0.97 });
    await ago([id], 40);
    await testEnv.sql(`update item set deadline = now() - interval '1 minute', on_deadline = 'expire' where id = ?`, [
      id,
    ]);
    await expireItemsOnce(services);
    expect(await hourOf(made)).toEqual([1, 2, 3].map(() => [1, 0]));
    await relayAll(testEnv);
    await expectCounted(testEnv, made.projectId);
  });
});

describe('WH10: the figures of deliveries that died and were sent again', () => {
  it('count each once, by its last end, in the report as in the delivery log', async () => {
    const { services } = testEnv;
    let status = 503;
    const { port } = await httpReceiver((request, response) => {
      request.resume().on('end', () => response.writeHead(status).end());
    });
    const made = await createProjectFixture(services, { webhook_url: `http://127.0.0.1:${port}/` });
    const { projectId, owner } = made;
    const deliveriesNow = async () => {
      const { webhook } = await readAnalytics(services, owner, {
        projectId,
        from: undefined,
        to: undefined,
        bucket: undefined,
      });
      const { recent } = await summarizeDeliveries(services, owner, projectId);
      return [webhook.deliveries, { succeeded: recent.succeeded, dead: recent.dead }];
    };
    const alike = (succeeded: number, dead: number) => [1, 2].map(() => ({ succeeded, dead }));
    const [first, second] = [
      await aDelivery(testEnv, made, { attempt: 9 }),
      await aDelivery(testEnv, made, { attempt: 9 }),
    ];
    await sendAll(services);
    expect(await deliveriesNow()).toEqual(alike(0, 2));
    status = 204;
    for (const id of [first, second]) await replayDelivery(services, owner, id);
    expect(await deliveriesNow()).toEqual(alike(0, 0));
    await sendAll(services);
    await replayDelivery(services, owner, first);
    await sendAll(services);
    expect(await deliveriesNow()).toEqual(alike(2, 0));
    await relayAll(testEnv);
    expect(await deliveriesNow()).toEqual(alike(2, 0));
    await expectCounted(testEnv, projectId);
    await closeReceivers();
  });
});

const MINUTE = 60_000;
const NOW = Date.parse('2026-03-02T12:00:00.000Z');

/** The same answers at every run: ids by their first use, times to ten minutes before a fixed one, one bucket of the whole window. */
function stableOf({ running, stopped }: Record<'running' | 'stopped', Awaited<ReturnType<typeof answers>>>) {
  const ids = new Map<string, string>();
  const idOf = (id: string) => {
    if (!ids.has(id)) ids.set(id, `00000000-0000-4000-8000-${String(ids.size + 1).padStart(12, '0')}`);
    return ids.get(id);
  };
  const now = Date.parse(running.analytics.server_time);
  const timeOf = (at: string) =>
    new Date(NOW + Math.round((Date.parse(at) - now) / (10 * MINUTE)) * 10 * MINUTE).toISOString();
  const stable = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (_, inner: unknown) => {
      if (typeof inner !== 'string') return inner;
      if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(inner)) return idOf(inner);
      if (/^http:\/\/127\.0\.0\.1:\d+/.test(inner)) return 'https://receiver.example/hooks';
      return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(inner) ? timeOf(inner) : inner;
    });
  const of = ({ project, analytics, team, ...rest }: typeof running) => ({
    ...rest,
    // Neither the log's length nor how fast this ran is one of these figures.
    project: { ...project, seq: 0 },
    analytics: {
      ...analytics,
      ...{ counted: { seq: 0, head: 0, more: false }, time_to_decision: SLOW, time_to_claim: SLOW },
      webhook: { ...analytics.webhook, time_to_deliver: SLOW },
      flow: [
        {
          ...analytics.flow.at(-1),
          at: analytics.from,
          enqueued: sumOf(analytics.flow, 'enqueued'),
          decided: sumOf(analytics.flow, 'decided'),
          arrived: analytics.arrived,
          time: SLOW,
        },
      ],
    },
    team: {
      ...team,
      median: { n: 0, seconds: null },
      people: team.people.map((person) => ({ ...person, median_seconds: null })),
    },
  });
  return stable({ running: of(running), stopped: of(stopped) });
}

const SLOW = { n: 5, p50: 60, p90: 120, p99: 300 };
