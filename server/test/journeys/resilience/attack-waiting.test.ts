// Attacks the waiting slots by one stranger's projects: no other tenant notices (`npm run test:soak`).
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { submitItem } from '@countersign/shared/routes/public';
import {
  type Attack,
  ATTACKER_ADDRESS,
  costOf,
  expectBearable,
  PLACES,
  startTarget,
  type Target,
} from '../../attack.ts';
import { aSubmission, openProject, type OpenProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { cleanUpAfterwards } from '../../embedded-service.ts';
import { SOAK } from '../../soak.ts';

/** With a hundred slots per key they could have all 5,000 of the process, if only keys were counted. */
const PROJECTS = 50;
/** Twice as many as one owner may have wait (PW2). */
const CLIENTS = 1000;
/** How long a client pauses after a response without waiting: a shorter pause would test submissions, not slots. */
const AGAIN_MS = 2000;
/** Between one client's first request and the next one's. */
const STEP_MS = 4;
const OTHERS_EVERY_MS = 1000;

interface Tried {
  asked: number;
  /** Answered at once: no slot was free. */
  withoutSlot: number;
  /** Other responses, by status. */
  refused: Map<number, number>;
}

/** Submits and asks to wait for a minute; returns the status, 0 without a response, and whether it waited. */
function submitAndWait(target: Target, { of, agent }: { of: OpenProject; agent: Agent }) {
  const { promise, resolve } = Promise.withResolvers<{ status: number; waited: boolean }>();
  const headers = { 'x-api-key': of.pipeline.apiKey, 'content-type': 'application/json', prefer: 'wait=60' };
  const options = { method: submitItem.method, agent, headers, localAddress: ATTACKER_ADDRESS };
  const sent = request(target.url + submitItem.path, options, (answer) => {
    const waited = answer.headers['preference-applied'] !== undefined;
    answer.resume().once('close', () => resolve({ status: answer.statusCode ?? 0, waited }));
  });
  sent.once('error', () => resolve({ status: 0, waited: false }));
  sent.end(JSON.stringify({ project_id: of.id, ...aSubmission() }));
  return promise;
}

/** Takes all free slots, and requests more, until the signal. */
async function takeAll(target: Target, projects: readonly OpenProject[], until: AbortSignal): Promise<Tried> {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const tried: Tried = { asked: 0, withoutSlot: 0, refused: new Map() };
  until.addEventListener('abort', () => agent.destroy(), { once: true });
  const client = async (index: number) => {
    const of = projects[index % PROJECTS] as OpenProject;
    await delay(index * STEP_MS);
    while (!until.aborted) {
      tried.asked += 1;
      const { status, waited } = await submitAndWait(target, { of, agent });
      if (until.aborted) return;
      if (status === 201 && !waited) tried.withoutSlot += 1;
      // A connection that fails is the attacker's own problem.
      if (status !== 201 && status !== 0) tried.refused.set(status, (tried.refused.get(status) ?? 0) + 1);
      await delay(AGAIN_MS);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(index)));
  return tried;
}

/** The waiting requests of another tenant, one after another until the signal. */
async function othersWait(of: OpenProject, until: AbortSignal): Promise<(string | null)[]> {
  const applied: (string | null)[] = [];
  while (!until.aborted) {
    const body = JSON.stringify({ project_id: of.id, ...aSubmission() });
    const answer = await of.pipeline.submitRaw(body, { headers: { prefer: 'wait=1' } });
    applied.push(answer.headers.get('preference-applied'));
    await delay(OTHERS_EVERY_MS);
  }
  return applied;
}

cleanUpAfterwards();

describe.runIf(SOAK).each(PLACES)('an attack on the waiting slots of a service on %s', (place) => {
  it(
    'PW2: leaves another tenant nearly unaffected when it comes from one stranger’s projects',
    { timeout: 180_000 },
    async () => {
      const target = await startTarget(place);
      const stranger = await person(target.testEnv);
      const projects: OpenProject[] = [];
      for (let n = 0; n < PROJECTS; n += 1) projects.push(await openProject(stranger));
      const other = await openProject(await person(target.testEnv));
      let applied: (string | null)[] = [];
      let refused: Tried['refused'] = new Map();
      const attack: Attack = async (_target, until) => {
        const [tried, waits] = await Promise.all([takeAll(target, projects, until), othersWait(other, until)]);
        applied = waits;
        refused = tried.refused;
        return `${tried.asked} asked for a place, ${tried.withoutSlot} were stored without one; another tenant got ${waits.filter((one) => one !== null).length} of ${waits.length}`;
      };
      const cost = await costOf(target, `waiting slots (${place})`, attack);
      await target.close();
      // Each was stored, with a slot or without one (PW1), and no other tenant lost a slot.
      expect(refused).toEqual(new Map());
      expect(applied).toEqual(applied.map(() => 'wait=1'));
      expectBearable(cost);
    },
  );
});
