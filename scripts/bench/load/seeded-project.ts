// Seeds the project of the load bench: a long queue, decisions, learnings, and deliveries that fail.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { claimNext, decideItem } from '../../../shared/src/routes/queue.ts';
import { submitBatch } from '../../../shared/src/routes/public.ts';
import type { Granted } from '../../../shared/src/schemas/queue.ts';
import { loadSamples } from '../../lib/demo/samples.ts';
import {
  asker,
  type BenchDatabase,
  type BenchEnvironment,
  type BenchProject,
  type BenchServer,
  openProject,
  signInMany,
  type Visitor,
} from '../environment.ts';

const SIZES = { full: { waiting: 1740, decided: 450 }, quick: { waiting: 100, decided: 20 } };
/** Items in one submission. */
const BATCH = 250;
const REASONS = ['Wrong price', 'Wrong date', 'Rude', 'Wrong customer', 'Too long', 'Forgot the greeting', 'Old terms'];

export interface SeededProject {
  server: BenchServer;
  /** Sees every page. */
  owner: Visitor;
  projectId: string;
}

/** Seeds it through the API, as pipelines and people do it. Throws on any refusal. */
export async function seedProject(benchEnv: BenchEnvironment, { quick }: { quick: boolean }): Promise<SeededProject> {
  const { waiting, decided } = SIZES[quick ? 'quick' : 'full'];
  const receiver = await receiverThatFails();
  const database = await benchEnv.createDatabase('bench_load');
  const env = {
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    // The same for both servers: the second one reads what the first one encrypted.
    SECRET_KEYS: `bench:${randomBytes(32).toString('base64')}`,
  };
  const server = await benchEnv.startServer(database, { env });
  const people = await signInMany(database, 4);
  const settings = { webhook_url: receiver.url, undo_window_seconds: 0 };
  const project = await openProject({ server, database }, { members: people, settings });
  await submitMany({ server, project }, waiting + decided);
  await Promise.all(people.map((person) => decideSome({ server, person }, Math.ceil(decided / people.length))));
  await counted(database);
  await server.stop();
  receiver.close();
  // Without a worker nothing changes while a page loads: it is measured alone, and has no reason to ask again.
  const quiet = await benchEnv.startServer(database, { env: { ...env, ROLES: 'web' } });
  return { server: quiet, owner: project.owner, projectId: project.id };
}

/** Refuses one delivery in six for now. */
async function receiverThatFails(): Promise<{ url: string; close: () => void }> {
  let seen = 0;
  const server = createServer((request, response) => {
    request.resume();
    seen += 1;
    response.writeHead(seen % 6 === 0 ? 503 : 200).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => void server.close().closeAllConnections() };
}

async function submitMany(
  { server, project }: { server: BenchServer; project: BenchProject },
  count: number,
): Promise<void> {
  const samples = loadSamples();
  const items = Array.from({ length: count }, (_, index) => ({
    ...{ project_id: project.id, confidence: 0.8, ...samples[index % samples.length] },
    risk_flags: index % 7 === 0 ? ['pii'] : [],
  }));
  for (let from = 0; from < count; from += BATCH) {
    const response = await fetch(server.url + submitBatch.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': project.apiKey },
      body: JSON.stringify({ items: items.slice(from, from + BATCH) }),
    });
    if (!response.ok) throw new Error(`The batch was refused with ${response.status}: ${await response.text()}`);
  }
}

async function decideSome({ server, person }: { server: BenchServer; person: Visitor }, count: number): Promise<void> {
  const ask = asker(server, person);
  for (let index = 0; index < count; index += 1) {
    const { item, fence } = await ask<Granted>('POST', claimNext.path, {});
    const reason = REASONS[index % REASONS.length];
    const decision =
      index % 3 === 0
        ? { action: 'approve' }
        : index % 3 === 1
          ? { action: 'reject', reason }
          : { action: 'edit', reason, output: `Answer ${index}, which a person wrote.` };
    await ask('POST', decideItem.path.replace(':id', item.id), { fence, ...decision });
  }
}

/** Waits until each event is counted and each decision was sent once. */
async function counted({ sql }: BenchDatabase): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    const [row] = await sql<{ open: number }>(
      `select (select count(*) from event where seq is null) + (select count(*) from delivery where attempt = 0)
         + (select count(*) from project where rollup_seq < event_seq) as open`,
    );
    if (Number(row?.open) === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('The events were not counted and sent within 30 s.');
}
