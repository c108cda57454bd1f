// WH6 and PM: who is told of a webhook, of what, and until when.
import { describe, expect, it } from 'vitest';
import { removeMember } from '../../src/usecases/change-member.ts';
import { listAlerts, listProjectAlerts } from '../../src/usecases/queries/list-alerts.ts';
import { replayDelivery } from '../../src/usecases/replay-deliveries.ts';
import type { MemberActor } from '../../src/usecases/services.ts';
import { alertingSteps, useAlerting } from './alerting.ts';
import { aPerson, aScene } from './scene.ts';
import { useServices } from './services.ts';

const world = useServices();
const now = useAlerting(world);
const { due, deliver, happens, unseenBy, kindsFor, hourPasses, change, resume, see, join, told } = alertingSteps(
  world,
  now,
);

const seeAll = async (who: MemberActor) => {
  const [alert] = await unseenBy(who);
  await see(who, new Date(alert?.created_at ?? 0));
};

describe('WH6: of a project an owner is told', () => {
  it('the last thing, until they have seen it; each owner for themselves', async () => {
    const second = await aPerson(world.services);
    await join(second, 'owner');
    await happens('exhausted');
    await seeAll(now.scene.owner);
    expect(await kindsFor(now.scene.owner)).toEqual([]);
    expect(await kindsFor(second)).toEqual(['exhausted']);
    await happens('paused');
    expect(await kindsFor(now.scene.owner)).toEqual(['paused']);
    expect(await kindsFor(second)).toEqual(['paused']);
    await resume();
    await happens('recovered');
    await seeAll(second);
    expect(await kindsFor(second)).toEqual([]);
    expect(await kindsFor(now.scene.owner)).toEqual(['recovered']);
  });

  it('what comes after what they have seen, though it came at once', async () => {
    await happens('exhausted');
    const ids = await due(2, 0);
    now.answer = (id) => (id === `evt_${ids[0]}` ? 200 : 410);
    await deliver();
    const alerts = await listProjectAlerts(world.services, now.scene.owner, now.scene.projectId);
    const times = alerts.map(({ createdAt }) => createdAt.getTime());
    expect(new Set(times).size).toBe(times.length);
    expect(alerts[0]?.kind).toBe('paused');
    await see(now.scene.owner, alerts[1]?.createdAt ?? new Date());
    expect(await kindsFor(now.scene.owner)).toEqual(['paused']);
  });

  it('what comes later, though a clock was put back', async () => {
    await happens('exhausted');
    await world.sql(`update webhook_alert set created_at = now() + interval '1 hour' where project_id = ?`, [
      now.scene.projectId,
    ]);
    await seeAll(now.scene.owner);
    await happens('paused');
    expect(await kindsFor(now.scene.owner)).toEqual(['paused']);
  });

  it('what comes later, whatever time they said they had seen', async () => {
    await happens('exhausted');
    await see(now.scene.owner, new Date('2999-01-01'));
    await see(now.scene.owner, new Date(0));
    expect(await kindsFor(now.scene.owner)).toEqual([]);
    await hourPasses();
    await happens('exhausted');
    expect(await kindsFor(now.scene.owner)).toEqual(['exhausted']);
  });

  it('nothing to have seen is no fault', async () => {
    await see(now.scene.owner, new Date('2999-01-01'));
    await happens('exhausted');
    expect(await kindsFor(now.scene.owner)).toEqual(['exhausted']);
  });

  it('what is still so, though what was told after it is over', async () => {
    await happens('exhausted');
    await happens('paused');
    await resume();
    expect(await kindsFor(now.scene.owner)).toEqual(['exhausted']);
  });

  it('that it works again only while it does', async () => {
    await happens('exhausted');
    await happens('recovered');
    await world.sql('update webhook_endpoint set failures = 1 where project_id = ?', [now.scene.projectId]);
    expect(await kindsFor(now.scene.owner)).not.toContain('recovered');
  });

  it('nothing that is over by now: a pause that was ended, deliveries that were all sent again', async () => {
    await happens('paused');
    await resume();
    expect(await kindsFor(now.scene.owner)).toEqual([]);
    await hourPasses();
    await world.sql('delete from attempt');
    await world.sql('delete from delivery');
    now.answer = () => 503;
    const [id] = await due(1);
    await deliver();
    expect(await kindsFor(now.scene.owner)).toEqual(['exhausted']);
    await replayDelivery(world.services, now.scene.owner, id ?? '');
    expect(await kindsFor(now.scene.owner)).toEqual([]);
    expect(await told()).toEqual(['paused', 'exhausted']);
  });

  it('nothing of an archived project, nor of one that sends nothing any more', async () => {
    await happens('exhausted');
    await world.sql('update project set archived_at = now() where id = ?', [now.scene.projectId]);
    expect(await kindsFor(now.scene.owner)).toEqual([]);
    await world.sql('update project set archived_at = null where id = ?', [now.scene.projectId]);
    expect(await kindsFor(now.scene.owner)).toEqual(['exhausted']);
    await change(null);
    expect(await kindsFor(now.scene.owner)).toEqual([]);
  });
});

describe('WH6, PM: nobody else is told', () => {
  const refused = (code: string) => expect.objectContaining({ code }) as Error;

  it('no reviewer and no supervisor, until they are owners', async () => {
    await happens('exhausted');
    for (const who of [now.scene.anna, now.scene.supervisor]) {
      expect(await kindsFor(who)).toEqual([]);
      await expect(listProjectAlerts(world.services, who, now.scene.projectId)).rejects.toEqual(refused('forbidden'));
      await expect(see(who, new Date())).rejects.toEqual(refused('forbidden'));
    }
    await join(now.scene.supervisor, 'owner');
    expect(await kindsFor(now.scene.supervisor)).toEqual(['exhausted']);
  });

  it('nobody of what was before they joined, or came back', async () => {
    const second = await aPerson(world.services);
    await join(second, 'owner');
    await happens('exhausted');
    expect(await kindsFor(second)).toEqual(['exhausted']);
    await removeMember(world.services, now.scene.owner, { projectId: now.scene.projectId, userId: second.userId });
    expect(await kindsFor(second)).toEqual([]);
    await expect(listProjectAlerts(world.services, second, now.scene.projectId)).rejects.toEqual(refused('not_found'));
    await expect(see(second, new Date())).rejects.toEqual(refused('not_found'));
    await join(second, 'owner');
    expect(await kindsFor(second)).toEqual([]);
  });

  it('no owner of another project', async () => {
    const other = await aScene(world.services);
    await happens('exhausted');
    expect(await listAlerts(world.services, other.owner)).toEqual([]);
    await expect(listProjectAlerts(world.services, other.owner, now.scene.projectId)).rejects.toEqual(
      refused('not_found'),
    );
    await expect(see(other.owner, new Date())).rejects.toEqual(refused('not_found'));
    expect(await kindsFor(now.scene.owner)).toEqual(['exhausted']);
  });
});
