// Reminders about deadlines (NO1, NO2): what is near, what passed, and a thousand of them as one message.
import { afterEach, describe, expect, it } from 'vitest';
import type { NotificationRule } from '@countersign/shared/schemas/parts/notifications';
import { extendDeadline } from '@countersign/shared/routes/queue';
import { SILENCE_SECONDS } from '../../../src/domain/notifications/findings.ts';
import { expireItemsOnce } from '../../../src/worker/expire-items.ts';
import { aSubmission } from '../../builders.ts';
import { waitForBlocked, withOpenTransaction } from '../support/blocking-transaction.ts';
import { setDeadlineClock } from '../support/deadline-clock.ts';
import { useNotificationFixture } from '../support/notification-fixture.ts';

const { inside, now, set: setAll, attemptSet, remind, send } = useNotificationFixture();
afterEach(() => setDeadlineClock(inside, 0));

const to = (rules: NotificationRule[]) => [{ kind: 'slack' as const, url: `${now.base}/slack`, rules }];
const set = (...rules: NotificationRule[]) => setAll(to(rules));
async function submit(count: number, deadlineSeconds = 1000): Promise<void> {
  const item = () => ({ project_id: now.project.id, ...aSubmission({ deadline_seconds: deadlineSeconds }) });
  const items = Array.from({ length: count }, item);
  const answer = await now.project.pipeline.submitBatchRaw(JSON.stringify({ items }));
  if (!answer.ok) throw new Error(answer.text);
}
async function expire(): Promise<void> {
  while ((await expireItemsOnce(inside.services)).again === true);
  await settle();
}
/** The expiries so far are older than the time in which a commit may follow. */
const settle = () =>
  inside.sql(`update item set expired_at = least(expired_at, now()) - interval '11 s' where expired_at is not null`);
/** As if the silence of every rule were over, and all that expired so far had expired before it. */
async function pass(): Promise<void> {
  await inside.sql(`update notification_rule set spoke_at = spoke_at - interval '${SILENCE_SECONDS} s'`);
  await inside.sql(`update item set expired_at = expired_at - interval '${SILENCE_SECONDS} s'`);
}
const texts = async () => {
  const rows = await inside.sql<{ body: string }>(
    'select body from notification_message where project_id = ? order by created_at, id',
    [now.project.id],
  );
  return rows.map(({ body }) => (JSON.parse(body) as { text: string }).text.replace(/^[^:]*: /, ''));
};

const NEAR: NotificationRule = { rule: 'deadline_near', share: 0.8 };
const EXPIRED: NotificationRule = { rule: 'expired' };

describe('NO1: a rule about deadlines', () => {
  it('takes four fifths of the span where it names no share', async () => {
    // The clients send what the schema makes of it; this is what others send.
    const answer = await attemptSet(to([{ rule: 'deadline_near' } as never]));
    expect(answer.ok ? answer.reply.notifications : answer.text).toEqual(to([NEAR]));
  });

  it('finds items that have used their share of the time, and not before', async () => {
    await set(NEAR);
    await submit(3);
    await submit(1, 5000);
    await setDeadlineClock(inside, 400);
    await remind();
    expect(await texts()).toEqual([]);
    await setDeadlineClock(inside, 900);
    await remind();
    expect(await texts()).toEqual(['3 items are near their deadlines: 80% of the time has passed.']);
  });

  it.each([
    ['an extension', 'expire', 0],
    ['an escalation', 'escalate', 1001],
    ['an extension after an escalation', 'escalate', 1001],
  ] as const)('counts the share of the time to the present deadline after %s', async (change, on_deadline, begins) => {
    await set(NEAR);
    const { id } = await now.project.pipeline.submit(aSubmission({ deadline_seconds: 1000, on_deadline }));
    await setDeadlineClock(inside, begins);
    await expireItemsOnce(inside.services);
    const extension = change === 'an escalation' ? 0 : 1000;
    if (extension > 0) await now.owner.call(extendDeadline, { params: { id }, body: { seconds: extension } });
    const total = 1000 + extension;
    await setDeadlineClock(inside, begins + 0.7 * total);
    await remind();
    expect(await texts()).toEqual([]);
    await setDeadlineClock(inside, begins + 0.81 * total);
    await remind();
    expect(await texts()).toEqual(['1 item is near its deadline: 80% of the time has passed.']);
  });

  it('gives supervisors the first span again after an extension, and counts the share of that', async () => {
    await set(NEAR);
    const submission = aSubmission({ deadline_seconds: 1000, on_deadline: 'escalate' });
    const { id } = await now.project.pipeline.submit(submission);
    await now.owner.call(extendDeadline, { params: { id }, body: { seconds: 4000 } });
    await setDeadlineClock(inside, 5001);
    await expireItemsOnce(inside.services);
    await setDeadlineClock(inside, 5701);
    await remind();
    expect(await texts()).toEqual([]);
    await setDeadlineClock(inside, 5850);
    await remind();
    expect(await texts()).toHaveLength(1);
  });

  it('finds what passed once: not before the setting, not again, and nothing that was decided', async () => {
    await set(EXPIRED);
    await submit(2);
    await setDeadlineClock(inside, 1001);
    await expire();
    await remind();
    expect(await texts()).toEqual(['2 items ended at their deadlines without a decision.']);
    await pass();
    await remind();
    expect(await texts()).toHaveLength(1);
    await setDeadlineClock(inside, 0);
    await submit(1);
    await setDeadlineClock(inside, 1001);
    await expireItemsOnce(inside.services);
    await inside.sql('update item set expired_at = now() where expired_at > now()');
    await remind();
    // Its commit may follow its time: it is counted ten seconds later.
    expect(await texts()).toHaveLength(1);
    await settle();
    await remind();
    expect((await texts()).at(-1)).toBe('1 item ended at its deadline without a decision.');
  });

  it('finds what becomes countable while the other rules are counted', async () => {
    await set(EXPIRED);
    await submit(2);
    await setDeadlineClock(inside, 1001);
    await expire();
    await inside.sql(
      `update item set expired_at = now() where id = (select id from item where project_id = ? limit 1)`,
      [now.project.id],
    );
    const { db } = inside.services;
    // Ten seconds are over at the moment that the message is written.
    const write: typeof db.write = async (work) => {
      await inside.sql(
        `update item set expired_at = date_trunc('milliseconds', now()) - interval '10 s' where expired_at > now() - interval '10 s'`,
      );
      return db.write(work);
    };
    await remind({ ...inside.services, db: { ...db, write } });
    await pass();
    await remind();
    const counts = (await texts()).map((text) => Number.parseInt(text, 10));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2);
  });

  describe('after a message that was not delivered', () => {
    /** As if all that happened so far had happened fifteen minutes earlier. */
    async function later() {
      await pass();
      const earlier = (column: string) => `${column} = ${column} - interval '${SILENCE_SECONDS} s'`;
      await inside.sql(`update notification_rule set ${earlier('counted_from')}`);
      await inside.sql(`update notification_message set ${earlier('created_at')}`);
    }
    async function expireNew(count: number) {
      await setDeadlineClock(inside, 0);
      await submit(count);
      await setDeadlineClock(inside, 1001);
      await expire();
    }
    /** Two expired items are in a message that waits, and its rule may speak again after one more. */
    async function untold() {
      await set(EXPIRED);
      await expireNew(2);
      await remind();
      await later();
      await expireNew(1);
    }
    const said = async () => (await texts()).map((text) => Number.parseInt(text, 10));
    const statuses = async () => {
      const rows = await inside.sql<{ status: string }>(
        'select status from notification_message where project_id = ? order by created_at, id',
        [now.project.id],
      );
      return rows.map(({ status }) => status);
    };
    /** What a worker of the version before 0049 writes: it stores neither the message nor from when that counts. */
    async function speakAsBefore(text: string) {
      await inside.sql(
        `insert into notification_message (id, project_id, kind, url, target, body, status, next_attempt_at, created_at)
         select gen_random_uuid(), project_id, kind, url, target, jsonb_build_object('text', 'x: ' || ?::text)::text, 'pending', now(), now()
         from notification_message where project_id = ? limit 1`,
        [text, now.project.id],
      );
      await inside.sql(
        `update notification_rule set spoke_at = date_trunc('milliseconds', now()) where project_id = ? and rule = 'expired'`,
        [now.project.id],
      );
    }

    it('finds what that one found too, until one is delivered', async () => {
      await untold();
      await remind();
      expect(await said()).toEqual([2, 3]);
      await send();
      await later();
      await remind();
      expect(await said()).toEqual([2, 3]);
    });

    it('does not find it again when that one is delivered meanwhile', async () => {
      await untold();
      const deliver = `update notification_message set status = 'succeeded'`;
      await withOpenTransaction(inside, [deliver, []], async (commit) => {
        const reminded = remind();
        await waitForBlocked(inside, 1);
        await commit();
        await reminded;
      });
      expect(await said()).toEqual([2]);
      await remind();
      expect(await said()).toEqual([2, 1]);
    });

    it('leaves one from before an upgrade to be sent, because nothing says what it counted', async () => {
      await untold();
      await inside.sql('update notification_rule set message_id = null, counted_from = null');
      await remind();
      await later();
      await expireNew(3);
      await remind();
      expect(await said()).toEqual([2, 1, 4]);
      expect(await statuses()).toEqual(['pending', 'dead', 'pending']);
      await send();
      expect(now.got).toHaveLength(2);
    });

    it.each([
      ['a delivered one', 'succeeded'],
      ['one that waits', 'pending'],
    ])('leaves one that an older worker wrote after %s to be sent', async (_name, before) => {
      await untold();
      await inside.sql('update notification_message set status = ?', [before]);
      await speakAsBefore('1 item');
      await later();
      await expireNew(3);
      for (let n = 0; n < 2; n += 1) await remind();
      expect(await said()).toEqual([2, 1, 3]);
      expect(await statuses()).toEqual([before, 'pending', 'pending']);
    });

    it('leaves one of several rules to be sent after an older worker spoke for one of them', async () => {
      await set(EXPIRED, { rule: 'project_stopped' });
      const stopped = (at: string) =>
        inside.sql(`update project set stopped_at = ${at} where id = ?`, [now.project.id]);
      await stopped('now()');
      await expireNew(2);
      await remind();
      await stopped('null');
      await speakAsBefore('0 items');
      for (const count of [3, 4]) {
        await later();
        await expireNew(count);
        for (let n = 0; n < 2; n += 1) await remind();
      }
      expect(await said()).toEqual([2, 0, 3, 7]);
      expect(await statuses()).toEqual(['pending', 'pending', 'dead', 'pending']);
    });
  });

  it('does not count audited items, which stay approved', async () => {
    await set(EXPIRED);
    await submit(1);
    await inside.sql('update item set audit = true where project_id = ?', [now.project.id]);
    await setDeadlineClock(inside, 1001);
    await expire();
    await remind();
    expect(await texts()).toEqual([]);
  });
});

it('NO2: a storm of a thousand due items is one message, with any number of workers', async () => {
  await set(NEAR, EXPIRED);
  await submit(500);
  await submit(500);
  await setDeadlineClock(inside, 900);
  await Promise.all(Array.from({ length: 4 }, () => remind()));
  for (let n = 0; n < 3; n += 1) await send();
  await setDeadlineClock(inside, 1001);
  await expire();
  await Promise.all(Array.from({ length: 4 }, () => remind()));
  for (let n = 0; n < 3; n += 1) await send();
  // Two rules speak, each once: what is near, and then what passed.
  expect(await texts()).toEqual([
    '1,000 items are near their deadlines: 80% of the time has passed.',
    '1,000 items ended at their deadlines without a decision.',
  ]);
  expect(now.got).toHaveLength(2);
});
