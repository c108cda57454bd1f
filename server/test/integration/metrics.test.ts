// The tick of analytics: whose figures moved, to whom they may be shown, once for however much.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sessionRoom } from '../../src/realtime/rooms.ts';
import { ROLES } from '@countersign/shared/words';
import { aSubmission } from '../builders.ts';
import { asPerson, type House, openHouse } from './gates-house.ts';
import { type Listener, type LiveServed, serveLive } from './live-served.ts';
import { serve } from './served.ts';
import { useServices } from './services.ts';

const inside = useServices();
let house: House;
let live: LiveServed;

beforeAll(async () => {
  inside.services.kick = { session: (id) => void live.io.in(sessionRoom(id)).disconnectSockets(true) };
  house = await openHouse(await serve(inside.services), inside);
  live = await serveLive(inside);
});
afterAll(async () => {
  await live.close();
  await house.served.close();
});

it('AN8: one tick for many facts, for those who may see analytics; a role that is taken away is asked before each', async () => {
  const listeners: Listener[] = [];
  for (const role of ROLES) listeners.push(await live.connect(asPerson(house, role)));
  const heardOf = async (n: number) => {
    for (let turn = 0; turn < n; turn += 1) await house.project.pipeline.submit(aSubmission());
    const before = listeners.map(({ heard }) => heard.filter(({ event }) => event === 'metrics').length);
    await live.flow();
    // The ring of the stamp comes over a connection of its own.
    const owned = async () => {
      await live.tick();
      await Promise.all(listeners.map((listener) => listener.caughtUp()));
      return listeners[ROLES.indexOf('owner')]?.heard.filter(({ event }) => event === 'metrics').length;
    };
    await expect.poll(owned).toBeGreaterThan(before[ROLES.indexOf('owner')] ?? 0);
    const now = listeners.map(({ heard }) => heard.filter(({ event }) => event === 'metrics').length);
    return Object.fromEntries(ROLES.map((role, index) => [role, (now[index] ?? 0) - (before[index] ?? 0)]));
  };
  expect(await heardOf(3)).toEqual({ reviewer: 0, supervisor: 1, owner: 1 });
  await inside.sql(`update member set role = 'reviewer' where project_id = ? and role = 'supervisor'`, [
    house.project.id,
  ]);
  expect(await heardOf(1)).toEqual({ reviewer: 0, supervisor: 0, owner: 1 });
});
