// Tests deadlines with inbound messages, archived and deleted projects, moves, revisions and a clock that jumps.
import { describe, expect, it } from 'vitest';
import type { OnDeadline } from '@countersign/shared/enums';
import { archiveProject, deleteProject, restoreProject } from '@countersign/shared/routes/lifecycle';
import { listEvents, withdrawItem } from '@countersign/shared/routes/public';
import { readAnalytics } from '@countersign/shared/routes/analytics';
import {
  claimItem,
  claimNext,
  decideItem,
  extendDeadline,
  readHistory,
  readQueueItem,
  reopenItem,
  reviseItem,
} from '@countersign/shared/routes/queue';
import type { Submitted } from '@countersign/shared/schemas/public';
import { expireItemsOnce } from '../../../src/worker/expire-items.ts';
import { aSubmission, join, openProject, review } from '../../builders.ts';
import { codeOf } from '../../client.ts';
import { setDeadlineClock } from '../support/deadline-clock.ts';
import { useDeadlineFixture } from '../support/deadline-fixture.ts';
import { HOOK } from '../support/webhook-project-fixture.ts';
import { aBody, aSender, hexOf, post } from '../webhooks/inbound-sender.ts';

const { inside, now, submitted, passes, told } = useDeadlineFixture();

const statusOf = async (id: string) => (await now.project.pipeline.read(id)).status;
const deadlineOf = async (id: string) => (await now.boss.call(readQueueItem, { params: { id } })).deadline;
const revise = (id: string, action: 'approve' | 'reject' = 'approve') =>
  now.boss.attempt(reviseItem, { params: { id }, body: { action, reason: 'The customer called' } });

describe('DL6: an inbound message', () => {
  it('brings its deadline like a submission, and is refused with one that has passed', async () => {
    const { path, secret } = await aSender(now.project);
    const send = (overrides: object) => {
      const body = aBody(overrides);
      return post(now.served, path, { body, headers: hexOf(secret, body) });
    };
    const { id } = JSON.parse((await send({ deadline_seconds: 600, on_deadline: 'reject' })).text) as Submitted;
    expect(await deadlineOf(id)).toMatchObject({ on_deadline: 'reject', span_seconds: 600, extended: false });
    await passes();
    expect(await statusOf(id)).toBe('rejected');
    await setDeadlineClock(inside, 0);
    const late = await send({ deadline: '2020-01-01T00:00:00Z' });
    expect([late.status, late.text]).toEqual([422, expect.stringContaining('"#/deadline"')]);
  });
});

describe('DL7: an archived project', () => {
  const archive = () => now.project.owner.call(archiveProject, { params: { id: now.project.id } });

  it('lets deadlines pass, and its pipeline is told; nobody extends there', async () => {
    const [ends, escalates] = [await submitted(), await submitted({ on_deadline: 'escalate' })];
    await archive();
    expect(codeOf(await now.boss.attempt(extendDeadline, { params: { id: ends }, body: { seconds: 60 } }))).toBe(
      'forbidden',
    );
    await passes();
    expect([await statusOf(ends), await statusOf(escalates)]).toEqual(['expired', 'escalated']);
    await passes(1300);
    expect(await statusOf(escalates)).toBe('expired');
    expect(await told()).toEqual(['item.expired expired', 'item.expired expired']);
  });

  it('that is restored in time lets people decide', async () => {
    const id = await submitted();
    await archive();
    await now.project.owner.call(restoreProject, { params: { id: now.project.id } });
    await review(now.anna, id);
    await passes();
    expect(await told()).toEqual(['item.decided approved']);
  });

  it('AR2: that is deleted tells nobody any more', async () => {
    await submitted();
    await now.project.owner.call(deleteProject, { params: { id: now.project.id } });
    await passes();
    expect(await told()).toEqual([]);
    expect(await expireItemsOnce(inside.services)).toEqual({ at: null });
  });
});

describe('DL1: the deadline of an item that people pass on', () => {
  it('stays when a reviewer escalates it and a supervisor returns it', async () => {
    const id = await submitted();
    const before = await deadlineOf(id);
    await review(now.anna, id, 'escalate');
    expect(await deadlineOf(id)).toEqual(before);
    await review(now.boss, id, 'return');
    expect(await deadlineOf(id)).toEqual(before);
    await passes();
    expect(await statusOf(id)).toBe('expired');
  });

  it('that it escalated by is the second one after a return too', async () => {
    const id = await submitted({ on_deadline: 'escalate' });
    await passes();
    const second = await deadlineOf(id);
    expect(second).toMatchObject({ on_deadline: 'expire', span_seconds: 600 });
    await review(now.boss, id, 'return');
    expect(await deadlineOf(id)).toEqual(second);
    await passes(1300);
    expect(await told()).toEqual(['item.expired expired']);
  });

  it('ends nothing that a reviewer answered in words', async () => {
    const id = await submitted({ allowed_actions: ['approve', 'respond'] });
    await review(now.anna, id, 'respond');
    await passes();
    expect(await now.project.pipeline.read(id)).toMatchObject({ status: 'rejected', decision: { action: 'respond' } });
    expect(await told()).toEqual(['item.decided rejected']);
  });

  it('ends one that routing rejected and a supervisor reopened; nobody reopens it when it has passed', async () => {
    const [reopened, later] = [await submitted({ confidence: 0 }), await submitted({ confidence: 0 })];
    await now.boss.call(reopenItem, { params: { id: reopened }, body: undefined });
    await passes();
    expect([await statusOf(reopened), await statusOf(later)]).toEqual(['expired', 'rejected']);
    expect(codeOf(await now.boss.attempt(reopenItem, { params: { id: later }, body: undefined }))).toBe('expired');
    expect(await told()).toEqual(['item.expired expired']);
  });
});

describe('WD1: a withdrawal before the worker has looked', () => {
  const withdraw = (id: string) =>
    now.project.pipeline.attempt(withdrawItem, { params: { id }, body: { reason: 'Solved' } });

  it.each([
    ['expire', 'expired'],
    ['reject', 'rejected'],
  ] as const)('does what the deadline says where that is %s, and is refused', async (on_deadline, status) => {
    const id = await submitted({ on_deadline });
    await now.anna.call(claimItem, { params: { id } });
    await setDeadlineClock(inside, 601);
    const item = { id, status, decision: null };
    expect(await withdraw(id)).toMatchObject({ ok: false, problem: { status: 409, code: 'expired', item } });
    expect(await statusOf(id)).toBe(status);
    expect(await inside.services.claims.holders([id])).toEqual(new Map());
    await expireItemsOnce(inside.services);
    expect(await told()).toEqual([`item.expired ${status}`]);
  });

  it('succeeds where the deadline escalates', async () => {
    const id = await submitted({ on_deadline: 'escalate' });
    await setDeadlineClock(inside, 601);
    expect(await withdraw(id)).toMatchObject({ ok: true, reply: { id, status: 'withdrawn' } });
    await passes(1300);
    expect(await told()).toEqual(['item.withdrawn withdrawn']);
  });

  it('passes the deadline of no other project', async () => {
    const id = await submitted();
    const other = await openProject(now.project.owner);
    await setDeadlineClock(inside, 601);
    expect(codeOf(await other.pipeline.attempt(withdrawItem, { params: { id }, body: undefined }))).toBe('not_found');
    expect(await statusOf(id)).toBe('queued');
  });
});

describe('RV1: an item that time ended', () => {
  it('is revised where it was rejected: the first of a chain, and the pipeline is told of both', async () => {
    const id = await submitted({ on_deadline: 'reject' });
    await passes();
    const ended = await now.project.pipeline.read(id);
    expect((await now.boss.call(readQueueItem, { params: { id } })).abilities).toMatchObject({
      ...{ revise: true, reopen: false, extend_deadline: false, claim: false },
    });
    expect(codeOf(await revise(id))).toBe('ok');
    const item = await now.project.pipeline.read(id);
    expect(item).toMatchObject({ status: 'approved', decision: { action: 'approve', revision: 2, revises: null } });
    expect(await told()).toEqual(['item.expired rejected', 'decision.revised approved']);
    const { data } = await now.project.pipeline.call(listEvents);
    // What was told first stays as it was told.
    expect(data).toMatchObject([
      { event: 'item.expired', status: 'rejected', decision: null, decided_at: ended.decided_at },
      { event: 'decision.revised', status: 'approved', decision: item.decision },
    ]);
    const late = await now.project.pipeline.attempt(withdrawItem, { params: { id }, body: undefined });
    expect(late).toMatchObject({ problem: { code: 'already_decided', item: { status: 'approved' } } });
    expect(codeOf(await revise(id, 'reject'))).toBe('ok');
    // From then on it is decided like any other item.
    expect(codeOf(await now.boss.attempt(reopenItem, { params: { id }, body: undefined }))).toBe('already_decided');
    expect(codeOf(await now.boss.attempt(claimItem, { params: { id } }))).toBe('already_decided');
    await told();
    expect((await now.boss.call(readHistory, { params: { id } })).data.map(({ type }) => type)).toEqual([
      ...['item.queued', 'item.expired', 'decision.revised', 'decision.revised'],
    ]);
    const figures = await now.project.owner.call(readAnalytics, { params: { id: now.project.id }, query: {} });
    expect(figures.expired).toMatchObject({ n: 1, ended: 1 });
  });

  it('is not revised where it expired: nobody waits for it any more', async () => {
    const id = await submitted();
    await passes();
    expect((await now.boss.call(readQueueItem, { params: { id } })).abilities.revise).toBe(false);
    expect(codeOf(await revise(id))).toBe('validation_failed');
    expect(await told()).toEqual(['item.expired expired']);
  });

  it('RV4: is revised where it was audited: the automatic approval was shipped', async () => {
    const audited = await openProject(now.project.owner, {
      settings: { ...HOOK, audit_rate: 1 },
    });
    await join(audited, now.boss, 'supervisor');
    const { id } = await audited.pipeline.submit(aSubmission({ confidence: 1, deadline_seconds: 600 }));
    await passes();
    expect(codeOf(await revise(id, 'reject'))).toBe('ok');
    expect(await audited.pipeline.read(id)).toMatchObject({ status: 'rejected', decision: { revision: 2 } });
    expect(await told(audited)).toEqual(['decision.revised rejected']);
  });
});

describe('DL3: the next item, before the worker has looked', () => {
  it('is none whose deadline has passed, except where that escalates', async () => {
    await submitted();
    const later = await submitted({ deadline_seconds: 3600 });
    const escalating = await submitted({ deadline_seconds: 1200, on_deadline: 'escalate' });
    await setDeadlineClock(inside, 1201);
    const next = async () => (await now.anna.call(claimNext, { body: { project_id: now.project.id } }))?.item.id;
    expect([await next(), await next(), await next()]).toEqual([escalating, later, undefined]);
  });
});

describe('DL4: a clock that jumps an hour ahead and back', () => {
  it.each<[OnDeadline, string, string[]]>([
    ['expire', 'expired', ['item.expired expired']],
    ['reject', 'rejected', ['item.expired rejected']],
    ['escalate', 'escalated', []],
  ])('does what “%s” says once: the item stays %s', async (on_deadline, status, events) => {
    const id = await submitted({ on_deadline });
    await passes(3600);
    const { version } = await now.boss.call(readQueueItem, { params: { id } });
    for (const ahead of [-3600, 0, 3600, 0]) await passes(ahead);
    expect(await now.boss.call(readQueueItem, { params: { id } })).toMatchObject({ status, version });
    expect(await told()).toEqual(events);
    const open = on_deadline === 'escalate' ? 'ok' : 'expired';
    const claimed = await now.boss.attempt(claimItem, { params: { id } });
    expect(codeOf(claimed)).toBe(open);
    if (!claimed.ok) return;
    const body = { fence: claimed.reply.fence, action: 'approve' as const };
    await now.boss.call(decideItem, { params: { id }, body });
    await passes(100_000);
    expect(await told()).toEqual(['item.decided approved']);
  });
});
