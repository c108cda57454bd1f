// Tests the waiting slots of submissions: without one the response is immediate, and a disconnect frees one.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { removeMember } from '@countersign/shared/routes/projects';
import { readItem, submitItem } from '@countersign/shared/routes/public';
import { checkApiKey } from '../../../src/usecases/credentials/check-api-key.ts';
import type { ApiKeyActor, Services } from '../../../src/usecases/services.ts';
import { createWaiters, type Waiters } from '../../../src/usecases/items/waiters.ts';
import { startWaiterLoop } from '../../../src/wake-waiters.ts';
import { aSubmission, join, openProject, type OpenProject, review } from '../../builders.ts';
import { person } from '../../client.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let waiters: Waiters;
/** How many requests have freed their slot. */
let left = 0;
let served: Served;
let project: OpenProject;
/** What the request under way does at its slow point, before it continues. */
let atSlowPoint: () => Promise<unknown>;

beforeAll(async () => {
  const { services } = inside;
  waiters = createWaiters(services.db, { perKey: 2, perOwner: 1000, perProcess: 3 });
  const slow: Partial<Services> = {
    intake: {
      submit: async (submission) => {
        const stored = await services.intake.submit(submission);
        await atSlowPoint();
        return stored;
      },
    },
    db: {
      ...services.db,
      read: async (work) => {
        const found = await services.db.read(work);
        await atSlowPoint();
        return found;
      },
    },
  };
  const counted: Pick<Waiters, 'take'> = {
    take: (who) => {
      const waitSlot = waiters.take(who);
      return waitSlot && { until: waitSlot.until, leave: () => (waitSlot.leave(), void (left += 1)) };
    },
  };
  served = await serve({ ...services, ...slow, waiters: counted as Waiters });
  atSlowPoint = () => Promise.resolve();
  project = await openProject(await person(served.testEnv));
});
beforeEach(() => {
  atSlowPoint = () => Promise.resolve();
});
afterAll(() => served.close());

/** The response that the server is about to send to the next request. */
async function nextResponse(): Promise<ServerResponse> {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>();
  const take = (message: unknown) => resolve((message as { response: ServerResponse }).response);
  subscribe('http.server.request.start', take);
  return promise.finally(() => unsubscribe('http.server.request.start', take));
}

function submitting(of: OpenProject, signal?: AbortSignal) {
  return fetch(served.testEnv.url() + submitItem.path, {
    method: 'POST',
    headers: { 'x-api-key': of.pipeline.apiKey, 'content-type': 'application/json', prefer: 'wait=60' },
    body: JSON.stringify({ project_id: of.id, ...aSubmission() }),
    ...(signal ? { signal } : {}),
  });
}

const reading = (of: OpenProject, id: string, signal: AbortSignal) =>
  fetch(`${served.testEnv.url()}${readItem.path.replace(':id', id)}?wait=60`, {
    headers: { 'x-api-key': of.pipeline.apiKey },
    signal,
  });

const taken = (count: number) => expect.poll(() => waiters.taken, { interval: 5 }).toBe(count);
const countOf = async (of: OpenProject) =>
  (await inside.sql<{ n: number }>('select count(*)::int as n from item where project_id = ?', [of.id]))[0]?.n;

describe('a client that disconnects', () => {
  it('while it waits frees its slot', async () => {
    const leaving = new AbortController();
    const { id } = await project.pipeline.submit(aSubmission());
    const gone = [submitting(project, leaving.signal), reading(project, id, leaving.signal)].map((request) =>
      expect(request).rejects.toThrow('abort'),
    );
    await taken(2);
    leaving.abort();
    await Promise.all(gone);
    await taken(0);
  });

  it.each<[string, (signal: AbortSignal) => Promise<unknown>]>([
    ['stored', (signal) => submitting(project, signal)],
    ['read', async (signal) => reading(project, await anOpenItem(), signal)],
  ])('while its item is being %s does not hold a slot for the minute it asked for', async (_, request) => {
    const leaving = new AbortController();
    const reached = Promise.withResolvers<undefined>();
    const released = Promise.withResolvers<undefined>();
    await anOpenItem();
    atSlowPoint = () => {
      reached.resolve(undefined);
      return released.promise;
    };
    const response = nextResponse();
    const sent = expect(request(leaving.signal)).rejects.toThrow('abort');
    await reached.promise;
    const noticed = once(await response, 'close');
    leaving.abort();
    await sent;
    await noticed;
    const before = left;
    released.resolve(undefined);
    await expect.poll(() => left, { interval: 5 }).toBe(before + 1);
    expect(waiters.taken).toBe(0);
  });
});

let open: string | undefined;
async function anOpenItem(): Promise<string> {
  return (open ??= (await project.pipeline.submit(aSubmission())).id);
}

describe('a waiting request', () => {
  it('is woken by the decision itself, without polling', async () => {
    const room = createWaiters(inside.services.db);
    const { signals } = inside;
    const stop = await startWaiterLoop({ services: { ...inside.services, waiters: room }, signals }, 3_600_000);
    const [key, gone] = [{ keyId: 'a', ownerId: project.owner.id }, new AbortController()];
    for (const action of ['approve', 'reject'] as const) {
      const { id } = await project.pipeline.submit(aSubmission());
      const woken = room.take(key)?.until(id, 3600, gone.signal);
      await review(project.owner, id, action);
      await woken;
    }
    await stop();
  });
});

describe('a request without a slot', () => {
  it('PW1: is stored anyway, and answered at once, limited by key and by process', async () => {
    const other = await openProject(project.owner);
    const leaving = new AbortController();
    const crowd = [project, project, other].map((of) => submitting(of, leaving.signal).catch(() => undefined));
    await taken(3);
    for (const of of [project, other, await openProject(project.owner)]) {
      const before = await countOf(of);
      const answer = await submitting(of);
      expect(answer.status).toBe(201);
      expect(answer.headers.get('preference-applied')).toBeNull();
      const { id } = (await answer.json()) as { id: string };
      expect(await countOf(of)).toBe(Number(before) + 1);
      const read = await reading(of, id, leaving.signal);
      expect(await read.json()).toMatchObject({ id, status: 'queued' });
    }
    leaving.abort();
    await Promise.all(crowd);
    await taken(0);
  });

  it('is not left after the stop, and every one is answered', async () => {
    const crowd = [submitting(project), submitting(project)];
    await taken(2);
    waiters.close();
    for (const answer of await Promise.all(crowd)) {
      expect(answer.status).toBe(201);
      expect(await answer.json()).toMatchObject({ status: 'queued', decision: null });
    }
    expect((await submitting(project)).status).toBe(201);
    await taken(0);
  });
});

describe('an owner of many projects', () => {
  it('PW2: shares a tenth of the slots, with any other owners', async () => {
    const { owner } = project;
    const more = await Promise.all([openProject(owner), openProject(owner)]);
    const friend = await person(served.testEnv);
    for (const of of more) await join(of, friend, 'owner');
    const owners = await Promise.all([...more, await openProject(friend)].map((of) => actorOf(of)));
    expect(owners.map(({ ownerId }) => ownerId)).toEqual([owner.id, owner.id, friend.id]);
    const room = createWaiters(inside.services.db);
    const takeAll = (who: ApiKeyActor) =>
      Array.from({ length: 600 }, (_, at) => room.take({ ...who, keyId: `${who.keyId} ${at}` })).filter(Boolean).length;
    expect(owners.map(takeAll)).toEqual([500, 0, 500]);
  });

  it('PW2: is counted for the keys that they created, also in a project that they left to another owner', async () => {
    const other = await openProject(project.owner);
    const successor = await person(served.testEnv);
    await join(other, successor, 'owner');
    await project.owner.call(removeMember, { params: { id: other.id, user_id: project.owner.id } });
    expect((await actorOf(other)).ownerId).toBe(project.owner.id);
    // A key without a known creator counts for the owner of its project.
    await inside.sql('update api_key set created_by = null where project_id = ?', [other.id]);
    inside.services.keys.forget((await actorOf(other)).keyId);
    expect((await actorOf(other)).ownerId).toBe(successor.id);
  });

  it('gets back freed slots', () => {
    const room = createWaiters(inside.services.db, { perKey: 5, perOwner: 2, perProcess: 10 });
    const waitSlots = ['a', 'b'].map((keyId) => room.take({ keyId, ownerId: 'one' }));
    expect(room.take({ keyId: 'c', ownerId: 'one' })).toBeNull();
    expect(room.take({ keyId: 'd', ownerId: 'other' })).not.toBeNull();
    waitSlots[0]?.leave();
    expect(room.take({ keyId: 'c', ownerId: 'one' })).not.toBeNull();
    expect(room.taken).toBe(3);
  });
});

/** Whom the key of a project counts for. */
const actorOf = (of: OpenProject): Promise<ApiKeyActor> => checkApiKey(inside.services, of.pipeline.apiKey);
