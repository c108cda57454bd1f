// Tests the data of the team view: claim holders and times, rates, and what a stop would send to people (FL1 to FL4).
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ReviewAction } from '@countersign/shared/review-actions';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { readAnalytics } from '../../../src/usecases/analytics/read-analytics.ts';
import { readPerson } from '../../../src/usecases/analytics/read-person.ts';
import { readTeamView } from '../../../src/usecases/analytics/read-team-view.ts';
import { releaseClaim, takeOver } from '../../../src/usecases/claims/end-claim.ts';
import { renewClaim } from '../../../src/usecases/claims/renew-claim.ts';
import { reviseToReject } from '../analytics/audit-fixture.ts';
import {
  anItem,
  aPerson,
  createProjectFixture,
  items,
  review,
  type ProjectFixture,
} from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;

// Its minutes and seconds are compared exactly: what a test takes on a slow machine must not count.
beforeAll(() => testEnv.clock.stop());
beforeEach(async () => {
  fixture = await createProjectFixture(testEnv.services);
});

const MINUTE = 60_000;
const teamView = (who = fixture.supervisor) => readTeamView(testEnv.services, who, fixture.projectId);
const memberKey = async (userId: string) => {
  const found = (await teamView()).people.find((person) => person.user_id === userId);
  if (found === undefined) throw new Error('They are not in the team view.');
  return found;
};

describe('the live team view', () => {
  it('is shown to supervisors and owners only', async () => {
    await teamView(fixture.owner);
    await expect(teamView(fixture.anna)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(teamView(await aPerson(testEnv.services))).rejects.toMatchObject({ code: 'not_found' });
  });

  it('of a new project says what it does not know', async () => {
    expect(await teamView()).toMatchObject({
      waiting: { queued: 0, escalated: 0 },
      flow: [
        { minutes: 15, arrived: 0, decided: 0 },
        { minutes: 60, arrived: 0, decided: 0 },
      ],
      drain: { state: 'empty', seconds: 0, minutes: null },
      median: { seconds: null, n: 0 },
      stuck_after_seconds: 600,
      idle_after_seconds: 300,
      more_held: 0,
    });
    const people = (await teamView()).people.map(({ name, holding, last_decided_at: last }) => [name, holding, last]);
    expect(people).toEqual(['Anna', 'Ben', 'Olga', 'Sam'].map((name) => [name, [], null]));
  });

  it('FL2: an item is held since its claim: a renewal does not change that, a take-over and a new claim do', async () => {
    const [item, other] = await items(testEnv.services, fixture, 2);
    if (!item || !other) throw new Error('Two were asked for.');
    const start = testEnv.clock.now().getTime();
    const { fence } = await claim(testEnv.services, fixture.anna, item.id);
    testEnv.clock.pass(MINUTE);
    await claim(testEnv.services, fixture.anna, other.id);
    await renewClaim(testEnv.services, fixture.anna, { itemId: item.id, fence });
    const [first, second] = (await memberKey(fixture.anna.userId)).holding;
    expect([first?.item_id, second?.item_id]).toEqual([item.id, other.id]);
    expect(first).toMatchObject({ preview: item.preview, status: 'queued' });
    expect(Date.parse(first?.since ?? '') - start).toBe(0);
    expect(Date.parse(second?.since ?? '') - start).toBe(MINUTE);

    testEnv.clock.pass(MINUTE);
    const { fence: taken } = await takeOver(testEnv.services, fixture.supervisor, item.id);
    expect((await memberKey(fixture.anna.userId)).holding.map(({ item_id: id }) => id)).toEqual([other.id]);
    const [theirs] = (await memberKey(fixture.supervisor.userId)).holding;
    expect(Date.parse(theirs?.since ?? '') - start).toBe(2 * MINUTE);
    await releaseClaim(testEnv.services, fixture.supervisor, { itemId: item.id, fence: taken });
    expect((await memberKey(fixture.supervisor.userId)).holding).toEqual([]);
  });

  it('FL1, FL4: reports the decision rate, per person, and when the queue will be empty', async () => {
    const made = await items(testEnv.services, fixture, 8);
    for (const [n, { id }] of made.slice(0, 6).entries()) {
      const who = n < 2 ? fixture.ben : fixture.anna;
      const { fence } = await claim(testEnv.services, who, id);
      testEnv.clock.pass(n < 2 ? 20_000 : 10_000);
      await review(testEnv.services, who, { itemId: id, action: 'approve', fence });
    }
    const seen = await teamView();
    expect(seen).toMatchObject({
      waiting: { queued: 2, escalated: 0 },
      flow: [
        { minutes: 15, arrived: 8, decided: 6 },
        { minutes: 60, arrived: 8, decided: 6 },
      ],
      drain: { state: 'growing', seconds: null, minutes: 15 },
      median: { n: 6, seconds: 10 },
    });
    const [anna, ben] = seen.people;
    expect([anna?.decided_last_hour, ben?.decided_last_hour]).toEqual([4, 2]);
    expect([anna?.median_seconds, ben?.median_seconds]).toEqual([10, 20]);
    expect(Date.parse(anna?.last_decided_at ?? '')).toBeGreaterThan(Date.parse(ben?.last_decided_at ?? ''));

    await testEnv.sql(`update item set created_at = created_at - interval '20 minutes' where project_id = ?`, [
      fixture.projectId,
    ]);
    const { drain } = await teamView();
    expect(drain).toMatchObject({ state: 'draining', minutes: 15 });
    // Two wait; six were decided in fifteen minutes and the 20 s of the current one.
    expect(drain.seconds).toBeCloseTo((2 * (15 * 60 + 20)) / 6);
    testEnv.clock.pass(61 * MINUTE);
    expect((await teamView()).drain).toEqual({ state: 'too_few', seconds: null, minutes: null });
  });

  it('RT7, AN34: reports what routing decided alone in the last hour, and how much of it people audit', async () => {
    const all = await createProjectFixture(testEnv.services, { audit_rate: 1 });
    for (const place of [fixture, all]) {
      await anItem(testEnv.services, place, { confidence: 1 });
      await anItem(testEnv.services, place, { confidence: 0 });
      await anItem(testEnv.services, place, { confidence: 0.8 });
    }
    const audited = await readTeamView(testEnv.services, all.owner, all.projectId);
    expect((await teamView()).automatic_last_hour).toEqual({ arrived: 3, approved: 1, rejected: 1, audited: 0 });
    expect((await teamView()).flow[0]).toMatchObject({ arrived: 1 });
    expect(audited.automatic_last_hour).toEqual({ arrived: 3, approved: 1, rejected: 1, audited: 1 });
    expect(audited.flow[0]).toMatchObject({ arrived: 2 });
    testEnv.clock.pass(61 * MINUTE);
    expect((await teamView()).automatic_last_hour).toEqual({ arrived: 0, approved: 0, rejected: 0, audited: 0 });
  });
});

describe('the figures of a person', () => {
  it('PF1, AU4: agree with audits by their own verdicts, of which withholding is none, as all members together do', async () => {
    fixture = await createProjectFixture(testEnv.services, { audit_rate: 1 });
    const { anna, ben, supervisor } = fixture;
    const judged = async (who: typeof anna, ...actions: ReviewAction[]) => {
      const { id } = await anItem(testEnv.services, fixture, { confidence: 1 });
      for (const action of actions) await review(testEnv.services, who, { itemId: id, action });
      return id;
    };
    const revised = await judged(anna, 'approve');
    await judged(anna, 'reject');
    await judged(ben, 'approve');
    await judged(supervisor, 'escalate', 'finalize');
    await reviseToReject(testEnv, fixture, revised);
    const team = { audits: { decided: 3, overridden: 1 } };
    expect(await personOf(anna.userId)).toMatchObject({ decided: 2, audits: { decided: 2, overridden: 1 }, team });
    expect(await personOf(supervisor.userId)).toMatchObject({
      decided: 1,
      audits: { decided: 0, overridden: 0, interval: null },
      team,
    });
    // The report is about the suggestions, not about who judged them: a revision replaces the verdict (RV7).
    const { audits } = await readAnalytics(testEnv.services, supervisor, {
      ...{ projectId: fixture.projectId, from: undefined, to: undefined, bucket: undefined },
    });
    expect(audits).toMatchObject({ decided: 3, overridden: 2 });
  });

  const personOf = (userId: string, who = fixture.supervisor) =>
    readPerson(testEnv.services, who, { projectId: fixture.projectId, userId, from: undefined, to: undefined });

  it('PF1: agree with the report, and compare with everybody', async () => {
    fixture = await createProjectFixture(testEnv.services, { audit_rate: 1 });
    const { anna, ben } = fixture;
    const [first, second, third] = await items(testEnv.services, fixture, 3);
    const audited = await anItem(testEnv.services, fixture, { confidence: 1 });
    for (const [who, item, action] of [
      [anna, first, 'approve'],
      [anna, second, 'reject'],
      [ben, third, 'approve'],
      [anna, audited, 'reject'],
    ] as const) {
      await claim(testEnv.services, who, item!.id);
      testEnv.clock.pass(2000);
      await review(testEnv.services, who, { itemId: item!.id, action });
    }
    const seen = await personOf(anna.userId);
    expect(seen).toMatchObject({
      name: 'Anna',
      role: 'reviewer',
      decided: 3,
      overridden: 2,
      claimed: 3,
      moved: 0,
      holding: 0,
      overturned: 0,
      audits: { decided: 1, overridden: 1 },
      team: { decided: 4, overridden: 2, audits: { decided: 1, overridden: 1 }, pace: { n: 4 } },
    });
    expect(seen.pace.n).toBe(3);
    expect(seen.days.at(-1)).toMatchObject({ decided: 3, overridden: 2 });
    expect(seen.hours.reduce((sum, n) => sum + n, 0)).toBe(3);
    const { from, to } = seen;
    const report = await readAnalytics(testEnv.services, fixture.supervisor, {
      projectId: fixture.projectId,
      from: new Date(from),
      to: new Date(to),
      bucket: 'day',
    });
    const { role: _role, audits: _audits, team, ...own } = seen;
    const row = report.workload.find(({ user_id }) => user_id === anna.userId);
    expect(own).toMatchObject({ ...row });
    expect([team?.decided, { ...team?.audits, waiting: 0 }]).toEqual([report.decided, report.audits]);
    expect(report.flow.map(({ at }) => at)).toEqual(seen.days.map(({ at }) => at));
  });

  it('PF1: are shown to supervisors, and to the person without what tells which item was an audit', async () => {
    const { anna, ben } = fixture;
    expect(await personOf(anna.userId, anna)).toMatchObject({ name: 'Anna', audits: null, team: null });
    expect((await personOf(fixture.supervisor.userId)).team).not.toBeNull();
    await expect(personOf(ben.userId, anna)).rejects.toMatchObject({ code: 'forbidden' });
    const stranger = await aPerson(testEnv.services);
    await expect(personOf(stranger.userId)).rejects.toMatchObject({ code: 'not_found' });
    await expect(personOf(stranger.userId, anna)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(personOf(anna.userId, stranger)).rejects.toMatchObject({ code: 'not_found' });
    const long = { projectId: fixture.projectId, userId: anna.userId, from: new Date(0), to: undefined };
    await expect(readPerson(testEnv.services, anna, long)).rejects.toMatchObject({ code: 'validation_failed' });
  });
});
