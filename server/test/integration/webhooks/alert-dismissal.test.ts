// Tests which owners see which webhook alerts, and until when (WH6, PM).
import { describe, expect, it } from 'vitest';
import { removeMember } from '../../../src/usecases/access/change-member.ts';
import { createEndpoint } from '../../../src/usecases/webhooks/endpoints.ts';
import { listAlerts, listProjectAlerts } from '../../../src/usecases/webhooks/list-alerts.ts';
import { replayDelivery } from '../../../src/usecases/webhooks/replay-deliveries.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import { alertSteps, useAlertFixture } from './alert-fixture.ts';
import { aPerson, createProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const now = useAlertFixture(testEnv);
const { due, deliver, happens, unseenBy, kindsFor, passOneHour, change, resume, see, join, alertKinds } = alertSteps(
  testEnv,
  now,
);

const seeAll = async (who: MemberActor) => {
  const [alert] = await unseenBy(who);
  await see(who, new Date(alert?.created_at ?? 0));
};

describe('WH6: an owner sees', () => {
  it('the last alert, until they have dismissed it; each owner separately', async () => {
    const second = await aPerson(testEnv.services);
    await join(second, 'owner');
    await happens('exhausted');
    await seeAll(now.fixture.owner);
    expect(await kindsFor(now.fixture.owner)).toEqual([]);
    expect(await kindsFor(second)).toEqual(['exhausted']);
    await happens('paused');
    expect(await kindsFor(now.fixture.owner)).toEqual(['paused']);
    expect(await kindsFor(second)).toEqual(['paused']);
    await resume();
    await happens('recovered');
    await seeAll(second);
    expect(await kindsFor(second)).toEqual([]);
    expect(await kindsFor(now.fixture.owner)).toEqual(['recovered']);
  });

  it('an alert after the dismissed one, though it came at the same time', async () => {
    await happens('exhausted');
    const ids = await due(2, 0);
    now.answer = (id) => (id === `evt_${ids[0]}` ? 200 : 410);
    await deliver();
    const alerts = await listProjectAlerts(testEnv.services, now.fixture.owner, now.fixture.projectId);
    const times = alerts.map(({ alert }) => alert.createdAt.getTime());
    expect(new Set(times).size).toBe(times.length);
    expect(alerts[0]?.alert.kind).toBe('paused');
    await see(now.fixture.owner, alerts[1]?.alert.createdAt ?? new Date());
    expect(await kindsFor(now.fixture.owner)).toEqual(['paused']);
  });

  it('a later alert, though a clock was set back', async () => {
    await happens('exhausted');
    await testEnv.sql(`update webhook_alert set created_at = now() + interval '1 hour' where project_id = ?`, [
      now.fixture.projectId,
    ]);
    await seeAll(now.fixture.owner);
    await happens('paused');
    expect(await kindsFor(now.fixture.owner)).toEqual(['paused']);
  });

  it('later alerts, even when the client claims a later time', async () => {
    await happens('exhausted');
    await see(now.fixture.owner, new Date('2999-01-01'));
    await see(now.fixture.owner, new Date(0));
    expect(await kindsFor(now.fixture.owner)).toEqual([]);
    await passOneHour();
    await happens('exhausted');
    expect(await kindsFor(now.fixture.owner)).toEqual(['exhausted']);
  });

  it('no error when there is nothing to dismiss', async () => {
    await see(now.fixture.owner, new Date('2999-01-01'));
    await happens('exhausted');
    expect(await kindsFor(now.fixture.owner)).toEqual(['exhausted']);
  });

  it('an alert whose cause persists, though a later alert has ended', async () => {
    await happens('exhausted');
    await happens('paused');
    await resume();
    expect(await kindsFor(now.fixture.owner)).toEqual(['exhausted']);
  });

  it('a recovery only while the endpoint works', async () => {
    await happens('exhausted');
    await happens('recovered');
    await testEnv.sql('update webhook_endpoint set failures = 1 where project_id = ?', [now.fixture.projectId]);
    expect(await kindsFor(now.fixture.owner)).not.toContain('recovered');
  });

  it('no alert that is resolved: a pause that ended, deliveries that were all replayed', async () => {
    await happens('paused');
    await resume();
    expect(await kindsFor(now.fixture.owner)).toEqual([]);
    await passOneHour();
    await testEnv.sql('delete from attempt');
    await testEnv.sql('delete from delivery');
    now.answer = () => 503;
    const [id] = await due(1);
    await deliver();
    expect(await kindsFor(now.fixture.owner)).toEqual(['exhausted']);
    await replayDelivery(testEnv.services, now.fixture.owner, id ?? '');
    expect(await kindsFor(now.fixture.owner)).toEqual([]);
    expect(await alertKinds()).toEqual(['paused', 'exhausted']);
  });

  it('the dead deliveries to the endpoint of the alert, and no alert once these were all replayed', async () => {
    const { owner, projectId } = now.fixture;
    const fields = { url: 'http://127.0.0.1:1024/', description: 'Mail', events: ['item.decided' as const] };
    const { endpointId } = await createEndpoint(testEnv.services, owner, { projectId, ...fields, isEnabled: true });
    const [mailed = '', ...others] = await due(3);
    await testEnv.sql('update delivery set endpoint_id = ? where id = ?', [endpointId, mailed]);
    await deliver();
    const alerts = await unseenBy(owner);
    expect(alerts.map(({ kind }) => kind)).toEqual(['exhausted']);
    const isOfMail = alerts[0]?.endpoint?.id === endpointId;
    expect(Number(alerts[0]?.dead)).toBe(isOfMail ? 1 : others.length);
    for (const id of isOfMail ? [mailed] : others) await replayDelivery(testEnv.services, owner, id);
    const [next] = await unseenBy(owner);
    expect([next?.kind, next?.endpoint?.id, Number(next?.dead)]).toEqual([
      'exhausted',
      isOfMail ? projectId : endpointId,
      isOfMail ? others.length : 1,
    ]);
  });

  it('no alert of an archived project, nor of one without a webhook', async () => {
    await happens('exhausted');
    await testEnv.sql('update project set archived_at = now() where id = ?', [now.fixture.projectId]);
    expect(await kindsFor(now.fixture.owner)).toEqual([]);
    await testEnv.sql('update project set archived_at = null where id = ?', [now.fixture.projectId]);
    expect(await kindsFor(now.fixture.owner)).toEqual(['exhausted']);
    await change(null);
    expect(await kindsFor(now.fixture.owner)).toEqual([]);
  });
});

describe('WH6, PM: nobody else sees the alert', () => {
  const refused = (code: string) => expect.objectContaining({ code }) as Error;

  it('shows reviewers and supervisors no alert until they are owners', async () => {
    await happens('exhausted');
    for (const who of [now.fixture.anna, now.fixture.supervisor]) {
      expect(await kindsFor(who)).toEqual([]);
      await expect(listProjectAlerts(testEnv.services, who, now.fixture.projectId)).rejects.toEqual(
        refused('forbidden'),
      );
      await expect(see(who, new Date())).rejects.toEqual(refused('forbidden'));
    }
    await join(now.fixture.supervisor, 'owner');
    expect(await kindsFor(now.fixture.supervisor)).toEqual(['exhausted']);
  });

  it('shows a member no alerts from before they joined, or came back', async () => {
    const second = await aPerson(testEnv.services);
    await join(second, 'owner');
    await happens('exhausted');
    expect(await kindsFor(second)).toEqual(['exhausted']);
    await removeMember(testEnv.services, now.fixture.owner, {
      projectId: now.fixture.projectId,
      userId: second.userId,
    });
    expect(await kindsFor(second)).toEqual([]);
    await expect(listProjectAlerts(testEnv.services, second, now.fixture.projectId)).rejects.toEqual(
      refused('not_found'),
    );
    await expect(see(second, new Date())).rejects.toEqual(refused('not_found'));
    await join(second, 'owner');
    expect(await kindsFor(second)).toEqual([]);
  });

  it('shows the owner of another project no alert', async () => {
    const other = await createProjectFixture(testEnv.services);
    await happens('exhausted');
    expect(await listAlerts(testEnv.services, other.owner)).toEqual([]);
    await expect(listProjectAlerts(testEnv.services, other.owner, now.fixture.projectId)).rejects.toEqual(
      refused('not_found'),
    );
    await expect(see(other.owner, new Date())).rejects.toEqual(refused('not_found'));
    expect(await kindsFor(now.fixture.owner)).toEqual(['exhausted']);
  });
});
