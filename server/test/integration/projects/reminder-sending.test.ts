// Which reminders are sent when more are due than may be sent at a time, and what an attempt records (NO5, NO6).
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { resendNotificationMessage } from '@countersign/shared/routes/webhook';
import { REMINDER_LIMITS } from '../../../src/worker/lease-reminders.ts';
import { startMaintenanceJobs } from '../../../src/worker/maintenance-jobs.ts';
import { createReminderSender } from '../../../src/worker/send-reminders.ts';
import type { Services } from '../../../src/usecases/services.ts';
import type { Outcome } from '../../../src/domain/webhooks/retry.ts';
import { openProject } from '../../builders.ts';
import { useNotificationFixture } from '../support/notification-fixture.ts';

const { inside, now, set, submit, remind, send, due } = useNotificationFixture();

/** How many reminders of one project may be sent at the same time. */
const PER_PROJECT = 4;
const ANSWERED: Outcome = {
  ...{ httpStatus: 200, error: null, retryAfter: null, responseHeaders: {}, responseText: '', remoteAddress: null },
  ...{ totalMs: 1, timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: 1 } },
};

interface Due {
  target?: string;
  attempt?: number;
  /** How many seconds ago it became due. */
  ago?: number;
}

/** A due message of a project, by default to a target of its own. */
async function write(projectId: string, { target = randomUUID(), attempt = 0, ago = 1 }: Due = {}): Promise<string> {
  const id = randomUUID();
  await inside.sql(
    `insert into notification_message (id, project_id, kind, url, target, body, status, attempt, next_attempt_at, created_at)
     values (?, ?, 'slack', ?, ?, '{}', 'pending', ?, now() - ? * interval '1 s', now())`,
    [id, projectId, `${now.base}/${target}`, target, attempt, ago],
  );
  return id;
}

/** Services whose POSTs all wait for `resolve`, and the targets that were posted to. */
function silent() {
  const posted: { projectId: string; target: string }[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const services: Services = {
    ...inside.services,
    dispatchWebhook: async ({ projectId, url }) => {
      posted.push({ projectId, target: url.slice(now.base.length + 1) });
      await promise;
      return ANSWERED;
    },
  };
  return { services, posted, resolve };
}

/** A sender whose POSTs all wait for `answer`. */
function silentSender() {
  const { services, posted, resolve } = silent();
  const sender = createReminderSender(services);
  const answer = () => {
    resolve();
    return sender.drain();
  };
  return { sender, posted, answer };
}

const many = <T>(count: number, make: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, make));
const setCircuit = (target: string, openUntil: string) =>
  inside.sql(
    `insert into notification_target (project_id, target, failures, openings, open_until)
     values (?, ?, 10, 1, now() + ?::interval)`,
    [now.project.id, target, openUntil],
  );

beforeEach(() => inside.sql('delete from notification_target'));

describe('NO5: while targets do not answer', () => {
  it('a message of another project is sent nevertheless', async () => {
    await many(10, () => write(now.project.id, { ago: 600 }));
    const { sender, posted, answer } = silentSender();
    while ((await sender.runOnce()).again === true);
    expect(posted).toHaveLength(PER_PROJECT);
    const other = await openProject(now.owner);
    await write(other.id);
    await sender.runOnce();
    expect(posted.at(-1)?.projectId).toBe(other.id);
    expect(posted).toHaveLength(PER_PROJECT + 1);
    await answer();
    while ((await sender.runOnce()).again === true) await sender.drain();
    expect(await inside.sql(`select from notification_message where status <> 'succeeded'`)).toEqual([]);
  });

  it('a target gets one message at a time, from any number of workers', async () => {
    await many(3, () => write(now.project.id, { target: 'slow' }));
    const [one, two] = [silentSender(), silentSender()];
    await one.sender.runOnce();
    await two.sender.runOnce();
    expect([one.posted.length, two.posted.length]).toEqual([1, 0]);
    await one.answer();
    await two.sender.runOnce();
    expect(two.posted).toHaveLength(1);
    await two.answer();
  });

  it.each([
    ['retries', { attempt: 1 }, 0],
    ['first attempts at targets that failed', {}, 3],
  ])('%s use two thirds of the permits, and first attempts the rest', async (_name, message, failures) => {
    const projects = await many(REMINDER_LIMITS.posts / PER_PROJECT, () => openProject(now.owner));
    for (const { id } of projects) await many(PER_PROJECT, () => write(id, { ...message, ago: 600 }));
    await inside.sql(
      `insert into notification_target (project_id, target, failures) select project_id, target, ? from notification_message`,
      [failures],
    );
    const { sender, posted, answer } = silentSender();
    while ((await sender.runOnce()).again === true);
    expect(posted).toHaveLength(REMINDER_LIMITS.retries);
    await write(now.project.id);
    await sender.runOnce();
    expect(posted.at(-1)?.projectId).toBe(now.project.id);
    await answer();
  });

  it('the first message of every project is sent before the second of any', async () => {
    const projects = await many(REMINDER_LIMITS.posts, () => openProject(now.owner));
    for (const { id } of projects.slice(1)) await many(2, () => write(id, { ago: 600 }));
    await write(projects[0]?.id ?? '');
    const { sender, posted, answer } = silentSender();
    await sender.runOnce();
    expect(new Set(posted.map(({ projectId }) => projectId)).size).toBe(REMINDER_LIMITS.posts);
    await answer();
  });
});

describe('NO5: the probe of an open circuit', () => {
  it('is spent only on a message that is sent', async () => {
    const targets = Array.from({ length: PER_PROJECT + 1 }, (_, n) => `resting-${n}`);
    for (const target of targets) {
      await setCircuit(target, '-1 s');
      await write(now.project.id, { target });
    }
    const { sender, posted, answer } = silentSender();
    while ((await sender.runOnce()).again === true);
    const marked = await inside.sql<{ target: string }>(
      'select target from notification_target where open_until > now() order by target',
    );
    expect(marked.map(({ target }) => target)).toEqual(posted.map(({ target }) => target).sort());
    expect(posted).toHaveLength(PER_PROJECT);
    await answer();
  });

  it('NO6: goes to the message that an owner sends again', async () => {
    await set([{ kind: 'slack', url: `${now.base}/slack`, rules: [{ rule: 'queue_deeper_than', items: 1 }] }]);
    await submit(2);
    await remind();
    const [{ id, target } = { id: '', target: '' }] = await inside.sql<{ id: string; target: string }>(
      'select id, target from notification_message',
    );
    const older = await write(now.project.id, { target, ago: 600 });
    await setCircuit(target, '5 min');
    await inside.sql(`update notification_message set status = 'dead' where id = ?`, [id]);
    await now.owner.call(resendNotificationMessage, { params: { id } });
    const { sender, answer } = silentSender();
    await sender.runOnce();
    await answer();
    const rows = await inside.sql<{ id: string; status: string }>('select id, status from notification_message');
    expect(new Map(rows.map((row) => [row.id, row.status]))).toEqual(
      new Map([
        [id, 'succeeded'],
        [older, 'pending'],
      ]),
    );
  });
});

it('NO5: the jobs of a worker send what is due, and their stop waits for the result', async () => {
  await write(now.project.id);
  const { services, posted, resolve } = silent();
  const jobs = startMaintenanceJobs(services, { onRun: () => undefined, nextStart: () => 0 });
  await vi.waitFor(() => expect(posted).toHaveLength(1));
  const stopped = Promise.all(jobs.map((job) => job.stop()));
  resolve();
  await stopped;
  expect(await inside.sql('select status from notification_message')).toEqual([{ status: 'succeeded' }]);
});

it('NO5: a refusal by the guard counts as the first one although our proxy fails in between (WH4, WH7)', async () => {
  await write(now.project.id);
  const row = async () => (await inside.sql<object>('select status, error from notification_message'))[0];
  const sendWith = (outcome: Partial<Outcome>) =>
    due().then(() =>
      send({
        ...inside.services,
        dispatchWebhook: () => Promise.resolve({ ...ANSWERED, httpStatus: null, ...outcome }),
      }),
    );
  await sendWith({ error: 'blocked_address' });
  await sendWith({ error: 'internal', proxyFault: 'responded with 407' });
  expect(await row()).toEqual({ status: 'pending', error: 'blocked_address' });
  await sendWith({ error: 'blocked_address' });
  expect(await row()).toEqual({ status: 'dead', error: 'blocked_address' });
});
