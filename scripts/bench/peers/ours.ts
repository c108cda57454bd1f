// Runs Countersign in the race: one process with its embedded PostgreSQL, as `npm start` runs it.
import { Agent } from 'node:http';
import { rmSync } from 'node:fs';
import { submitItem } from '../../../shared/src/routes/public.ts';
import { claimNext, decideItem, listQueue } from '../../../shared/src/routes/queue.ts';
import { addressOfRunning } from '../../../server/src/embedded/embedded-postgres.ts';
import { poolTo } from '../../lib/processes/postgres-client.ts';
import { openProject, signInMany, startServer, type Visitor } from '../environment.ts';
import { type Contender, type Peer, PEOPLE, type StartOptions } from './contender.ts';
import { ask, send } from './http.ts';
import { newFolder } from './program.ts';

export const ours: Peer = { name: 'ours', start };

async function start({ receiverUrl }: StartOptions): Promise<Contender> {
  const folder = newFolder();
  const server = await startServer({ DATA_DIR: folder, WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
  const url = addressOfRunning(folder);
  if (url === undefined) throw new Error('The embedded PostgreSQL is not running.');
  const pool = await poolTo(url, 2);
  const database = {
    url,
    sql: async <T>(text: string, params: unknown[] = []) => (await pool.query(text, params)).rows as T[],
  };
  const people = await signInMany(database, PEOPLE);
  const settings = { webhook_url: receiverUrl, undo_window_seconds: 0 };
  const { id, apiKey } = await openProject({ server, database }, { members: people, settings });
  await pool.end();
  const close = async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return contenderOf({ url: server.url, project: { id, apiKey }, people, close });
}

interface Running {
  url: string;
  project: { id: string; apiKey: string };
  people: Visitor[];
  close: () => Promise<void>;
}

function contenderOf({ url, project, people, close }: Running): Contender {
  const agent = new Agent({ keepAlive: true });
  const fences = new Map<string, number>();
  const by = (person: number) => ({ origin: url, cookie: people[person]?.cookie ?? '' });
  return {
    name: 'ours',
    submit: async (n) => {
      const body = {
        project_id: project.id,
        input: `Question ${n}`,
        suggestion: 'Yes, within 30 days.',
        confidence: 0.8,
      };
      const headers = { 'x-api-key': project.apiKey };
      return (await ask<{ id: string }>(agent, url + submitItem.path, { method: 'POST', headers, body })).id;
    },
    next: async (person) => {
      const { status, text } = await send(agent, url + claimNext.path, {
        method: 'POST',
        headers: by(person),
        body: {},
      });
      if (status === 204) return null;
      const { item, fence } = JSON.parse(text) as { item: { id: string }; fence: number };
      fences.set(item.id, fence);
      return item.id;
    },
    decide: async (person, itemId) => {
      const path = decideItem.path.replace(':id', itemId);
      const body = { fence: fences.get(itemId), action: 'approve' };
      return (await send(agent, url + path, { method: 'POST', headers: by(person), body })).status === 200;
    },
    list: async () => void (await ask(agent, url + listQueue.path, { method: 'GET', headers: by(0) })),
    close: async () => {
      agent.destroy();
      await close();
    },
  };
}
