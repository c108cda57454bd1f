// Tests the analytics tick: which figures changed, who may see them, one tick for many changes.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sessionRoom } from '../../../src/realtime/rooms.ts';
import { ROLES } from '@countersign/shared/enums';
import { aSubmission } from '../../builders.ts';
import { asPerson, type MatrixEnvironment, openMatrixEnvironment } from '../access-matrix/environment.ts';
import { type Listener, type LiveTestServer, startLiveServer } from '../support/live-server.ts';
import { serve } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let matrixEnv: MatrixEnvironment;
let live: LiveTestServer;

beforeAll(async () => {
  inside.services.kick = { session: (id) => void live.io.in(sessionRoom(id)).disconnectSockets(true) };
  matrixEnv = await openMatrixEnvironment(await serve(inside.services), inside);
  live = await startLiveServer(inside);
});
afterAll(async () => {
  await live.close();
  await matrixEnv.served.close();
});

it('AN8: one tick for many events, for members who may see analytics; the role is checked before each', async () => {
  const listeners: Listener[] = [];
  for (const role of ROLES) listeners.push(await live.connect(asPerson(matrixEnv, role)));
  const waitForMetrics = async (n: number) => {
    for (let turn = 0; turn < n; turn += 1) await matrixEnv.project.pipeline.submit(aSubmission());
    const before = listeners.map(({ received }) => received.filter(({ event }) => event === 'metrics').length);
    await live.deliverEvents();
    // The sequencer's notification arrives over a connection of its own.
    const owned = async () => {
      await live.tick();
      await Promise.all(listeners.map((listener) => listener.caughtUp()));
      return listeners[ROLES.indexOf('owner')]?.received.filter(({ event }) => event === 'metrics').length;
    };
    await expect.poll(owned).toBeGreaterThan(before[ROLES.indexOf('owner')] ?? 0);
    const now = listeners.map(({ received }) => received.filter(({ event }) => event === 'metrics').length);
    return Object.fromEntries(ROLES.map((role, index) => [role, (now[index] ?? 0) - (before[index] ?? 0)]));
  };
  expect(await waitForMetrics(3)).toEqual({ reviewer: 0, supervisor: 1, owner: 1 });
  await inside.sql(`update member set role = 'reviewer' where project_id = ? and role = 'supervisor'`, [
    matrixEnv.project.id,
  ]);
  expect(await waitForMetrics(1)).toEqual({ reviewer: 0, supervisor: 0, owner: 1 });
});
