// Tests which owners see which webhook alerts, and until when (WH6, PM).
import { describe, expect, it } from 'vitest';
import { removeMember } from '../../../src/usecases/access/change-member.ts';
import { createEndpoint } from '../../../src/usecases/webhooks/endpoints.ts';
import { listAlerts, listProjectAlerts } from '../../../src/usecases/webhooks/list-alerts.ts';
import { replayDelivery } from '../../../src/usecases/webhooks/replay-deliveries.ts';
import { seeAlert } from '../../../src/usecases/webhooks/see-alert.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import { alertSteps, useAlertFixture } from './alert-fixture.ts';
import { aPerson, createProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const now = useAlertFixture(testEnv);
const { due, deliver, happens, unseenBy, kindsFor, passOneHour, change, urlOf, resume, see, join, alertKinds } =
  alertSteps(testEnv, now);

/** Dismisses all unseen alerts. */
const seeAll = async (who: MemberActor) => {
  for (const { id } of await unseenBy(who)) await see(who, id);
};

/** One more endpoint of the project, at the same receiver. */
const addEndpoint = async (): Promise<string> => {
  const { owner, projectId } = now.fixture;
  const url = await urlOf();
  const fields = { url, description: 'Mail', events: ['item.decided' as const], isEnabled: true };
  return (await createEndpoint(testEnv.services, owner, { projectId, ...fields })).endpointId;
};

/** What an owner has not dismissed: the kinds, with the endpoints. */
const unseenAt = async (who: MemberActor) => (await unseenBy(who)).map(({ kind, endpoint }) => [kind, endpoint?.id]);

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
    await see(now.fixture.owner, alerts[1]?.alert.id ?? '');
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

  it('later alerts, and none that they dismissed, though an earlier one is dismissed last', async () => {
    await happens('exhausted');
    await happens('paused');
    const inProject = await listProjectAlerts(testEnv.services, now.fixture.owner, now.fixture.projectId);
    for (const { alert } of inProject) await see(now.fixture.owner, alert.id);
    expect(await kindsFor(now.fixture.owner)).toEqual([]);
    await resume();
    await passOneHour();
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

  it('the latest alert of each endpoint, the oldest first, and after it that of another endpoint', async () => {
    const { owner, projectId } = now.fixture;
    const mail = await addEndpoint();
    await happens('exhausted', mail);
    await happens('paused', mail);
    await happens('exhausted');
    const all = [
      ['paused', mail],
      ['exhausted', projectId],
    ];
    expect(await unseenAt(owner)).toEqual(all);
    const [first, last] = await unseenBy(owner);
    await see(owner, last?.id ?? '');
    expect(await unseenAt(owner)).toEqual(all.slice(0, 1));
    await see(owner, first?.id ?? '');
    expect(await unseenAt(owner)).toEqual([]);
  });

  it('AU5: an alert about the error budget beside those of webhooks, each until it is dismissed', async () => {
    const { owner, projectId } = now.fixture;
    await happens('exhausted');
    await testEnv.sql('update project set over_budget_since = now() where id = ?', [projectId]);
    await testEnv.sql(
      `insert into webhook_alert (id, project_id, kind, created_at)
       select gen_random_uuid(), project_id, 'over_budget', max(created_at) + interval '1 ms' from webhook_alert where project_id = ? group by 1, 2`,
      [projectId],
    );
    const [exhausted, budget] = await unseenBy(owner);
    expect([exhausted?.kind, budget?.kind]).toEqual(['exhausted', 'over_budget']);
    await see(owner, budget?.id ?? '');
    expect(await kindsFor(owner)).toEqual(['exhausted']);
    await see(owner, exhausted?.id ?? '');
    expect(await kindsFor(owner)).toEqual([]);
  });

  it('none that they dismissed before this was stored by endpoint', async () => {
    const { owner, projectId } = now.fixture;
    await happens('exhausted', await addEndpoint());
    await happens('exhausted');
    await testEnv.sql(
      `update member set alerts_seen_at = (select min(created_at) from webhook_alert where project_id = ?) where user_id = ?`,
      [projectId, owner.userId],
    );
    expect(await unseenAt(owner)).toEqual([['exhausted', projectId]]);
  });

  it('the dead deliveries to the endpoint of the alert, and no alert once these were all replayed', async () => {
    const { owner, projectId } = now.fixture;
    const mail = await addEndpoint();
    const [mailed = ''] = await happens('exhausted', mail);
    await due(2);
    await deliver();
    const counts = async () => (await unseenBy(owner)).map(({ endpoint, dead }) => [endpoint?.id, Number(dead)]);
    expect(await counts()).toEqual([
      [mail, 1],
      [projectId, 2],
    ]);
    await replayDelivery(testEnv.services, owner, mailed);
    expect(await counts()).toEqual([[projectId, 2]]);
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

/** Any ID. */
const ALERT = '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11';

describe('WH6, PM: nobody else sees the alert', () => {
  const refused = (code: string) => expect.objectContaining({ code }) as Error;

  it('shows reviewers and supervisors no alert until they are owners', async () => {
    await happens('exhausted');
    for (const who of [now.fixture.anna, now.fixture.supervisor]) {
      expect(await kindsFor(who)).toEqual([]);
      await expect(listProjectAlerts(testEnv.services, who, now.fixture.projectId)).rejects.toEqual(
        refused('forbidden'),
      );
      await expect(see(who, ALERT)).rejects.toEqual(refused('forbidden'));
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
    await expect(see(second, ALERT)).rejects.toEqual(refused('not_found'));
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
    await expect(see(other.owner, ALERT)).rejects.toEqual(refused('not_found'));
    const [alert] = await unseenBy(now.fixture.owner);
    await expect(
      seeAlert(testEnv.services, other.owner, { projectId: other.projectId, alertId: alert?.id ?? '' }),
    ).rejects.toEqual(refused('not_found'));
    expect(await kindsFor(now.fixture.owner)).toEqual(['exhausted']);
  });
});
