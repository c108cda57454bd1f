// Tests that a caller whose many changes wait for a lock leaves connections for all others (RL11).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { challenge, changeAccount } from '@countersign/shared/routes/session';
import { withdrawItem } from '@countersign/shared/routes/public';
import { rawQuery } from '../../../src/db/raw-query.ts';
import { aSubmission, openProject, type OpenProject } from '../../builders.ts';
import { browser, codeOf, people, person, type Person } from '../../client.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

/** More than the pool has connections. */
const MANY = 40;
/** The address of all clients here. */
const ADDRESS = '127.0.0.1';

const inside = useServices();
let served: Served;
let project: OpenProject;
let other: OpenProject;
let ann: Person;

beforeAll(async () => {
  served = await serve(inside.services);
  ann = await person(served.testEnv);
  project = await openProject(ann);
  other = await openProject(await person(served.testEnv));
});
afterAll(() => served.close());

/** Holds what this statement locks while `work` runs. */
async function whileLocked<T>([text, values]: [string, unknown[]], work: () => Promise<T>): Promise<T> {
  const [held, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = inside.services.db.write(async ({ em }) => {
    await rawQuery(em, text, values);
    held.resolve();
    await done.promise;
  });
  await held.promise;
  try {
    return await work();
  } finally {
    done.resolve();
    await holding;
  }
}

const FLOODS: Record<string, () => Promise<{ lock: [string, unknown[]]; send: () => Promise<string> }>> = {
  'challenges of an address': async () => ({
    lock: [`select pg_advisory_xact_lock(hashtextextended('challenges:' || $1, 0))`, [ADDRESS]],
    send: async () => codeOf(await browser(served.testEnv).attempt(challenge)),
  }),
  'settings of a person': async () => ({
    lock: ['select id from app_user where id = $1 for update', [ann.id]],
    send: async () => codeOf(await ann.attempt(changeAccount, { body: { direct_adding: true } })),
  }),
  'settings of four people': async () => {
    const crowd = [ann, ...(await people(served.testEnv, 3))];
    let next = 0;
    return {
      lock: ['select id from app_user where id = any($1::uuid[]) for update', [crowd.map(({ id }) => id)]],
      send: async () => {
        const one = crowd[(next += 1) % crowd.length] ?? ann;
        return codeOf(await one.attempt(changeAccount, { body: { direct_adding: true } }));
      },
    };
  },
  'withdrawals by a key': async () => {
    const { id } = await project.pipeline.submit(aSubmission());
    return {
      lock: ['select id from item where id = $1 for update', [id]],
      send: async () => codeOf(await project.pipeline.attempt(withdrawItem, { params: { id } })),
    };
  },
};

it.each(Object.keys(FLOODS))('RL11: while %s wait for a lock, others are served', async (name) => {
  const { lock, send } = (await FLOODS[name]?.()) ?? expect.fail('There is no such flood.');
  let waiting: Promise<string>[] = [];
  await whileLocked(lock, async () => {
    waiting = Array.from({ length: MANY }, send);
    // Each of these waits for a connection behind those that the flood has.
    for (let n = 0; n < 3; n += 1) {
      await other.pipeline.submit(aSubmission());
      await other.owner.call(changeAccount, { body: { name: `Ben ${n}` } });
    }
  });
  // Nothing of the flood is lost either: each had its turn.
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['ok']));
});
