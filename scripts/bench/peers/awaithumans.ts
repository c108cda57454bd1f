// Runs awaithumans in the race, where AWAITHUMANS names its program: with SQLite, as its documentation starts it.
import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { freePort } from '../../../server/src/embedded/address.ts';
import { type Contender, type Peer, PEOPLE, type StartOptions } from './contender.ts';
import { ask, cookiesOf, send } from './http.ts';
import { newFolder, type Program, startProgram } from './program.ts';

/** What its page asks for: the newest tasks that nobody took. */
const WAITING = '/api/tasks?status=created&unassigned=true&limit=50';
const PASSWORD = randomBytes(12).toString('hex');

export const awaithumans: Peer = { name: 'awaithumans', start };

async function start({ receiverUrl }: StartOptions): Promise<Contender | string> {
  const { AWAITHUMANS: file } = process.env;
  if (file === undefined)
    return 'AWAITHUMANS names no program: python3 -m venv ah && ah/bin/pip install "awaithumans[server]==0.1.12", then AWAITHUMANS=$PWD/ah/bin/awaithumans';
  const [folder, port, token] = [newFolder(), await freePort(), randomBytes(24).toString('hex')];
  const url = `http://127.0.0.1:${port}`;
  const env = {
    AWAITHUMANS_DB_PATH: join(folder, 'tasks.db'),
    AWAITHUMANS_PAYLOAD_KEY: randomBytes(32).toString('base64url'),
    AWAITHUMANS_ADMIN_API_TOKEN: token,
    AWAITHUMANS_PUBLIC_URL: url,
  };
  const args = ['serve', '--host', '127.0.0.1', '--port', String(port), '--log-level', 'error'];
  const program = await startProgram(folder, { file, args, env, readyUrl: `${url}/api/health` });
  const agent = new Agent({ keepAlive: true });
  const admin = { authorization: `Bearer ${token}` };
  const people = await Promise.all(Array.from({ length: PEOPLE }, (_, n) => signIn({ agent, url, admin }, n)));
  return contenderOf({ agent, url, admin, people, receiverUrl, program });
}

interface Session {
  agent: Agent;
  url: string;
  admin: Record<string, string>;
}

async function signIn({ agent, url, admin }: Session, n: number): Promise<{ cookie: string }> {
  const login = { email: `person${n}@example.com`, password: PASSWORD };
  const body = { ...login, is_operator: true };
  await ask(agent, `${url}/api/admin/users`, { method: 'POST', headers: admin, body });
  return { cookie: cookiesOf(await send(agent, `${url}/api/auth/login`, { method: 'POST', body: login })) };
}

interface Running extends Session {
  people: { cookie: string }[];
  receiverUrl: string;
  program: Program;
}

function contenderOf({ agent, url, admin, people, receiverUrl, program }: Running): Contender {
  return {
    name: 'awaithumans',
    submit: async (n) => {
      const body = {
        task: `Question ${n}`,
        payload: { question: `Question ${n}`, answer: 'Yes, within 30 days.' },
        payload_schema: { type: 'object' },
        response_schema: { type: 'object', properties: { approved: { type: 'boolean' } } },
        timeout_seconds: 86_400,
        idempotency_key: `item-${n}`,
        callback_url: receiverUrl,
      };
      return (await ask<{ id: string }>(agent, `${url}/api/tasks`, { method: 'POST', headers: admin, body })).id;
    },
    next: async (person) => {
      const waiting = await ask<{ id: string }[]>(agent, url + WAITING, { method: 'GET', headers: people[person] });
      // First come, first served: somebody who lost one tries the next.
      for (const { id } of waiting) {
        const { status } = await send(agent, `${url}/api/tasks/${id}/claim`, {
          method: 'POST',
          headers: people[person],
        });
        if (status === 200) return id;
      }
      return null;
    },
    decide: async (person, id) => {
      const sent = { method: 'POST', headers: people[person], body: { response: { approved: true } } };
      return (await send(agent, `${url}/api/tasks/${id}/complete`, sent)).status === 200;
    },
    list: async () => void (await ask(agent, url + WAITING, { method: 'GET', headers: admin })),
    close: async () => {
      agent.destroy();
      await program.stop();
    },
  };
}
