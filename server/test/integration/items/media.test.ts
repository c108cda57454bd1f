// Media of items over HTTP (MP1, MP2, MP5, MP6): who gets which file, with which headers, and what is said otherwise.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createMemoryLimiter } from '../../../src/limits/memory-limiter.ts';
import { policiesOf } from '../../../src/limits/policies.ts';
import { aSubmission, join, openProject, type OpenProject } from '../../builders.ts';
import { person, type Person } from '../../client.ts';
import { closeReceivers, httpReceiver } from '../../fixtures/receivers.ts';
import { ask, serve, type Raw, type Served } from '../support/http-server.ts';
import { PICTURE_URL, useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;
let project: OpenProject;
let reviewer: Person;
let stranger: Person;

beforeAll(async () => {
  served = await serve(inside.services);
  project = await openProject(await person(served.testEnv), { settings: { media_hosts: ['host.test'] } });
  [reviewer, stranger] = [await person(served.testEnv), await person(served.testEnv)];
  await join(project, reviewer);
  inside.names.addresses.set('host.test', ['127.0.0.1']);
});
afterEach(closeReceivers);
afterAll(() => served.close());

const itemWith = async (input: string | Record<string, string>) =>
  (await project.pipeline.submit(aSubmission({ input }))).id;
const media = (who: Person, id: string, url: string, headers: Record<string, string> = {}): Promise<Raw> =>
  ask(served, {
    method: 'GET',
    path: `/api/items/${id}/media?url=${encodeURIComponent(url)}`,
    headers: { cookie: who.cookieHeader(), ...headers },
  });

it('MP5: adds no more listeners to a response than are expected of it', async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error) => warnings.push(name);
  process.on('warning', note);
  const { port } = await httpReceiver((_, response) => {
    response.writeHead(200, { 'content-type': 'image/gif' }).end('GIF89a');
  });
  const url = `http://host.test:${port}/l.gif`;
  await media(reviewer, await itemWith({ photo: url }), url);
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', note);
  expect(warnings).toEqual([]);
});

it('MP5: serves a file to a member with headers of our own, and tells the host nothing', async () => {
  let cookies: string | undefined = 'none yet';
  const { port } = await httpReceiver((request, response) => {
    cookies = request.headers.cookie;
    const theirs = {
      'content-type': 'image/gif',
      'set-cookie': 'a=b',
      'content-disposition': 'attachment',
      etag: '"1"',
    };
    response.writeHead(200, { ...theirs, 'content-security-policy': 'default-src *', 'x-evil': '1' }).end('GIF89a');
  });
  const url = `http://host.test:${port}/a.gif`;
  const { status, text, headers } = await media(reviewer, await itemWith({ photo: url }), url);
  expect([status, text, cookies]).toEqual([200, 'GIF89a', undefined]);
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'image/gif',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
    'content-disposition': 'inline; filename="media.gif"',
    'cache-control': 'private, max-age=300',
    vary: expect.stringContaining('cookie') as string,
    'cross-origin-resource-policy': 'same-origin',
  });
  for (const theirs of ['set-cookie', 'etag', 'x-evil']) expect(headers.has(theirs)).toBe(false);
});

it('MP4: passes the range of a player on, and the part back', async () => {
  const { port } = await httpReceiver((request, response) => {
    const range = { 'content-range': 'bytes 0-3/1000', 'content-type': 'audio/mpeg' };
    response.writeHead(request.headers.range === 'bytes=0-3' ? 206 : 500, range).end('ID3\u0003');
  });
  const url = `http://host.test:${port}/a.mp3`;
  const { status, headers } = await media(reviewer, await itemWith(url), url, { range: 'bytes=0-3' });
  expect([status, headers.get('content-range'), headers.get('content-type')]).toEqual([
    ...[206, 'bytes 0-3/1000', 'audio/mpeg'],
  ]);
});

const detailOf = ({ text }: Raw) => JSON.parse(text) as { code: string; detail: string };

it('MP1: serves nothing that the item does not mention', async () => {
  const id = await itemWith('See https://host.test/other.png');
  expect(detailOf(await media(reviewer, id, 'https://host.test/a.png'))).toMatchObject({ code: 'media_refused' });
  expect(inside.names.asked).not.toContain('host.test/a.png');
});

it('MP1: serves nothing to others, or without a session', async () => {
  const id = await itemWith(PICTURE_URL);
  expect((await media(reviewer, id, PICTURE_URL)).status).toBe(200);
  expect(detailOf(await media(stranger, id, PICTURE_URL)).code).toBe('not_found');
  const path = `/api/items/${id}/media?url=${encodeURIComponent(PICTURE_URL)}`;
  const key = { 'x-api-key': project.pipeline.apiKey };
  expect((await ask(served, { method: 'GET', path, headers: key })).status).toBe(401);
});

it('MP2: says who can allow a host that the project does not', async () => {
  const url = 'https://unlisted.test/a.png';
  const { code, detail } = detailOf(await media(reviewer, await itemWith(url), url));
  expect(code).toBe('media_refused');
  expect(detail).toContain('An owner can add unlisted.test');
  expect(inside.names.asked).not.toContain('unlisted.test');
});

it('MP6: limits how many files a person asks for', async () => {
  const limiter = createMemoryLimiter({ ...policiesOf(60_000), media: { quota: 1, windowSeconds: 60 } }, inside.clock);
  const strict = await serve({ ...inside.services, limiter });
  const path = `/api/items/${await itemWith(PICTURE_URL)}/media?url=${encodeURIComponent(PICTURE_URL)}`;
  const asked = () => ask(strict, { method: 'GET', path, headers: { cookie: reviewer.cookieHeader() } });
  expect([(await asked()).status, (await asked()).status]).toEqual([200, 429]);
  await strict.close();
});
