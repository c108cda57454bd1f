// The events that a project's webhook and feed carry: those that its setting names (WE1, WE2), as the invariants know.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { listEvents, withdrawItem } from '@countersign/shared/routes/public';
import { changeProject, readProject } from '@countersign/shared/routes/projects';
import type { DeliveredEvent } from '@countersign/shared/enums';
import { checksOf, reader, type Fault } from '../../../src/invariants/invariants.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import { aSubmission, join, openProject, review, type OpenProject } from '../../builders.ts';
import { person, type Person } from '../../client.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;
let anna: Person;

beforeAll(async () => {
  served = await serve(inside.services);
  anna = await person(served.testEnv);
});
afterAll(() => served.close());

const relay = () => relayOnce(inside.services, inside.signals);

afterEach(async () => {
  expect(await faults()).toEqual([]);
});

async function faults(): Promise<Fault[]> {
  const found: Fault[] = [];
  for (const check of checksOf(inside.orm))
    await check.run(
      reader(inside.orm),
      (fault) => found.push(fault),
      () => undefined,
    );
  return found;
}

async function aProjectWith(webhook_events?: DeliveredEvent[]): Promise<OpenProject> {
  const settings = { webhook_url: 'http://127.0.0.1:9090/', ...(webhook_events && { webhook_events }) };
  const project = await openProject(await person(served.testEnv), { settings });
  await join(project, anna);
  return project;
}

const patch = async ({ owner, id }: OpenProject, webhook_events: DeliveredEvent[]) => {
  const { settings_version } = await owner.call(readProject, { params: { id } });
  return owner.attempt(changeProject, { params: { id }, body: { settings_version, webhook_events } });
};

/** One decision and one withdrawal; returns the IDs of their items. */
async function bothEvents({ pipeline }: OpenProject) {
  const [decided, withdrawn] = [await pipeline.submit(aSubmission()), await pipeline.submit(aSubmission())];
  await review(anna, decided.id);
  await pipeline.call(withdrawItem, { params: { id: withdrawn.id }, body: undefined });
  await relay();
}

async function delivered({ id }: OpenProject): Promise<unknown[]> {
  const rows = await inside.sql<{ event: string }>(
    `select body::json ->> 'event' as event from delivery where project_id = ? order by seq`,
    [id],
  );
  return rows.map(({ event }) => event);
}

const fed = async ({ pipeline }: OpenProject, after?: string) => {
  const page = await pipeline.call(listEvents, { query: after === undefined ? {} : { after } });
  return { events: page.data.map(({ event }) => event), cursor: page.next_cursor };
};

describe('WE1: the webhook carries', () => {
  it('every event by default, in the order of the declaration', async () => {
    const project = await aProjectWith();
    await bothEvents(project);
    expect(await delivered(project)).toEqual(['item.decided', 'item.withdrawn']);
    const { webhook_events: events } = await project.owner.call(readProject, { params: { id: project.id } });
    expect(events).toEqual(['item.decided', 'item.expired', 'item.withdrawn', 'decision.revised']);
  });

  it('decisions alone, for a receiver that knows nothing else', async () => {
    const project = await aProjectWith(['item.decided']);
    await bothEvents(project);
    expect(await delivered(project)).toEqual(['item.decided']);
  });

  it('what happens from the change on, and sends nothing of before', async () => {
    const project = await aProjectWith(['item.decided']);
    await bothEvents(project);
    expect((await patch(project, ['item.withdrawn', 'item.decided', 'item.decided'])).ok).toBe(true);
    expect(await faults()).toEqual([]);
    await bothEvents(project);
    expect(await delivered(project)).toEqual(['item.decided', 'item.decided', 'item.withdrawn']);
    await patch(project, ['item.decided']);
    await bothEvents(project);
    expect(await delivered(project)).toHaveLength(4);
  });

  it('never fewer than decisions: leaving them out is refused, and so is an unknown event', async () => {
    const project = await aProjectWith();
    const without = await patch(project, ['item.withdrawn']);
    const errors = [
      { pointer: '#/webhook_events', detail: 'item.decided cannot be left out: it carries the decisions.' },
    ];
    expect(without.ok ? null : without.problem).toMatchObject({ status: 422, code: 'validation_failed', errors });
    const unknown = await patch(project, ['item.decided', 'item.lost' as DeliveredEvent]);
    expect(unknown.ok ? null : unknown.problem).toMatchObject({ status: 422, code: 'validation_failed' });
  });
});

describe('WE2: the feed carries', () => {
  it('the events of the setting at the time of reading, and its cursor passes the others', async () => {
    const project = await aProjectWith(['item.decided']);
    await bothEvents(project);
    const narrow = await fed(project);
    expect(narrow.events).toEqual(['item.decided']);
    await patch(project, ['item.decided', 'item.withdrawn']);
    const wide = await fed(project);
    expect(wide.events).toEqual(['item.decided', 'item.withdrawn']);
    expect((await fed(project, wide.cursor)).events).toEqual([]);
    await patch(project, ['item.decided']);
    expect((await fed(project)).events).toEqual(['item.decided']);
  });
});

it('I5: a delivery that the setting demands and that is missing is a fault', async () => {
  const project = await aProjectWith();
  await bothEvents(project);
  const gone = await inside.sql<object>(
    `delete from delivery where project_id = ? and body::json ->> 'event' = 'item.withdrawn' returning *`,
    [project.id],
  );
  expect(gone).toHaveLength(1);
  expect(await faults()).toMatchObject([{ rule: 'I5' }]);
  await inside.sql(`update project set webhook_events = '{item.decided}' where id = ?`, [project.id]);
});
