// Runs Label Studio in the race, where LABEL_STUDIO names its program: with SQLite, as its documentation starts it.
import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { freePort } from '../../../server/src/embedded/address.ts';
import { type Contender, type Peer, PEOPLE, type StartOptions } from './contender.ts';
import { ask, cookiesOf, send } from './http.ts';
import { newFolder, type Program, startProgram } from './program.ts';

/** One question with two answers, as a decision is. */
const LABELS =
  '<View><Text name="q" value="$question"/><Choices name="c" toName="q"><Choice value="Right"/><Choice value="Wrong"/></Choices></View>';
const RIGHT = { result: [{ from_name: 'c', to_name: 'q', type: 'choices', value: { choices: ['Right'] } }] };
const PASSWORD = randomBytes(12).toString('hex');

export const labelStudio: Peer = { name: 'Label Studio', start };

async function start({ receiverUrl }: StartOptions): Promise<Contender | string> {
  const { LABEL_STUDIO: file } = process.env;
  if (file === undefined)
    return 'LABEL_STUDIO names no program: python3 -m venv ls && ls/bin/pip install label-studio==1.23.2, then LABEL_STUDIO=$PWD/ls/bin/label-studio';
  const [folder, port, token] = [newFolder(), await freePort(), randomBytes(20).toString('hex')];
  const url = `http://127.0.0.1:${port}`;
  const env = {
    LABEL_STUDIO_BASE_DATA_DIR: folder,
    LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN: 'true',
    COLLECT_ANALYTICS: 'False',
    SSRF_PROTECTION_ENABLED: 'false',
  };
  const owner = ['--username', 'owner@example.com', '--password', PASSWORD, '--user-token', token];
  const args = ['start', '--port', String(port), '--no-browser', '--log-level', 'ERROR', ...owner];
  const program = await startProgram(folder, { file, args, env, readyUrl: `${url}/health` });
  const agent = new Agent({ keepAlive: true });
  const post = poster({ agent, url, token });
  const { id: project } = await post<{ id: number }>('/api/projects', { title: 'Race', label_config: LABELS });
  await post('/api/webhooks/', {
    url: receiverUrl,
    project,
    send_for_all_actions: false,
    actions: ['ANNOTATION_CREATED'],
  });
  const people: string[] = [];
  for (let n = 0; n < PEOPLE; n += 1) people.push(await signUp(agent, url, `person${n}@example.com`));
  return contenderOf({ agent, url, token, project, people, program });
}

interface Session {
  agent: Agent;
  url: string;
  /** Of the owner. */
  token: string;
}

const by = (token = '') => ({ authorization: `Token ${token}` });

const poster =
  ({ agent, url, token }: Session) =>
  <T>(path: string, body: unknown) =>
    ask<T>(agent, url + path, { method: 'POST', headers: by(token), body });

interface Running extends Session {
  project: number;
  /** The token of each person. */
  people: string[];
  program: Program;
}

function contenderOf({ agent, url, token, project, people, program }: Running): Contender {
  const post = poster({ agent, url, token });
  return {
    name: 'Label Studio',
    submit: async (n) => {
      const { id } = await post<{ id: number }>('/api/tasks', { project, data: { question: `Question ${n}` } });
      return String(id);
    },
    next: async (person) => {
      const { status, text } = await send(agent, `${url}/api/projects/${project}/next`, {
        method: 'GET',
        headers: by(people[person]),
      });
      return status === 404 ? null : String((JSON.parse(text) as { id: number }).id);
    },
    decide: async (person, id) => {
      const path = `${url}/api/tasks/${id}/annotations`;
      return (await send(agent, path, { method: 'POST', headers: by(people[person]), body: RIGHT })).status === 201;
    },
    list: async () => {
      const path = `/api/tasks?project=${project}&page=1&page_size=50`;
      await ask(agent, url + path, { method: 'GET', headers: by(token) });
    },
    close: async () => {
      agent.destroy();
      await program.stop();
    },
  };
}

/** Signs a person up through the form, and returns their token. */
async function signUp(agent: Agent, url: string, email: string): Promise<string> {
  const form = `${url}/user/signup/`;
  const cookie = cookiesOf(await send(agent, form, { method: 'GET' }));
  const csrf = /csrftoken=([^;]+)/.exec(cookie)?.[1] ?? '';
  const body = new URLSearchParams({ csrfmiddlewaretoken: csrf, email, password: PASSWORD }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded', referer: form, cookie };
  const session = cookiesOf(await send(agent, form, { method: 'POST', headers, body }));
  const { token } = await ask<{ token: string }>(agent, `${url}/api/current-user/token`, {
    method: 'GET',
    headers: { cookie: session },
  });
  return token;
}
