// Tests I7 by property: any valid submission comes back unchanged wherever it is shown, listed, delivered or exported.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { relayOnce } from '../../../src/worker/relay.ts';
import { openProject, type OpenProject } from '../../builders.ts';
import { person, type Person } from '../../client.ts';
import { bodyText, submissionTexts, type SubmissionTexts } from './submission-arbitraries.ts';
import { ask, serve, type Raw, type Sent, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';
import { scaled } from '../../soak.ts';

const inside = useServices();
let served: Served;
let owner: Person;
let project: OpenProject;

beforeAll(async () => {
  served = await serve(inside.services);
  owner = await person(served.testEnv);
  project = await openProject(owner, { settings: { webhook_url: 'http://127.0.0.1:9999/hooks' } });
});
afterAll(() => served.close());

const JSON_TYPE = { 'content-type': 'application/json' };
const asPipeline = (sent: Omit<Sent, 'headers'>) =>
  ask(served, { ...sent, headers: { ...JSON_TYPE, 'x-api-key': project.pipeline.apiKey } });
const asOwner = (sent: Omit<Sent, 'headers'>) =>
  ask(served, { ...sent, headers: { ...JSON_TYPE, cookie: owner.cookieHeader(), origin: served.testEnv.baseUrl } });
const get = (path: string) => asPipeline({ method: 'GET', path: `/api/public${path}` });

function expectText({ status, text }: Raw, expected: string): void {
  expect(status, text).toBe(200);
  expect(text).toContain(expected);
}

/** How the public API shows these members, with nothing between or after them. */
function shownOf({ input, suggestion, confidence, risk_flags, metadata }: SubmissionTexts): string {
  const flags = JSON.stringify(JSON.parse(risk_flags ?? '[]'));
  const number = JSON.stringify(Number(confidence));
  return `"input":${input},"suggestion":${suggestion},"confidence":${number},"risk_flags":${flags},"metadata":${metadata ?? 'null'},"routing":`;
}

/** Parsed by hand: the test client parses by schema, and zod drops a key named `__proto__`. */
async function claimed(itemId: string): Promise<number> {
  const { text } = await asOwner({ method: 'POST', path: `/api/items/${itemId}/claim` });
  return (JSON.parse(text) as { fence: number }).fence;
}

async function deliveredOf(itemId: string): Promise<string> {
  await relayOnce(inside.services, inside.signals);
  const rows = await inside.sql<{ body: string }>('select body from delivery where item_id = ?', [itemId]);
  return rows[0]?.body ?? '';
}

/** Approves the item unchanged, and checks that its suggestion is sent everywhere. */
async function approveAndSee(itemId: string, { suggestion }: SubmissionTexts): Promise<void> {
  const fence = await claimed(itemId);
  const body = JSON.stringify({ fence, action: 'approve' });
  const decided = await asOwner({ method: 'POST', path: `/api/items/${itemId}/decision`, body });
  const output = `"action":"approve","output":${suggestion},"edited":false`;
  expectText(decided, output);
  expect(await deliveredOf(itemId)).toContain(output);
  expectText(await get('/events?limit=100'), output);
}

const seen = new Set<string>();

async function roundTrip(texts: SubmissionTexts, order: number[]): Promise<void> {
  const body = bodyText(project.id, texts, order);
  const answer = await asPipeline({ method: 'POST', path: '/api/public/items', body });
  expect(answer.status, `${answer.text}\n${body.slice(0, 2000)}`).toBe(201);
  const { id, status } = JSON.parse(answer.text) as { id: string; status: string };
  const shown = shownOf(texts);
  const automatic = `"action":"auto_approve","output":${texts.suggestion},"edited":false`;
  seen.add(status);
  if (status === 'auto_approved') expect(answer.text).toContain(automatic);
  expectText(await get(`/items/${id}`), shown);
  expectText(await get('/items?limit=1'), shown);
  const onPage = await asOwner({ method: 'GET', path: `/api/items/${id}` });
  expectText(onPage, `"input":${texts.input},"suggestion":${texts.suggestion},"metadata":${texts.metadata ?? 'null'},`);
  if (status !== 'queued') return;
  await approveAndSee(id, texts);
  expectText(await get(`/items/${id}`), `"output":${texts.suggestion},"edited":false`);
  expectText(await get(`/items/${id}`), shown);
}

const NUMBERS = ['-0', '-0.0', '1.0E-1', '1E+2', '100.000', '1e-400', '9007199254740991', '9007199254740993.0'];
const TEXTS = [String.raw`"\u0041\ud83d\ude00\/"`, '"\u2028\ufeff😀e\u0301"', '"$1 ? ??"', `"${'é'.repeat(9000)}"`];
const KEYS = ['__proto__', 'constructor', 'toJSON', 'then', '10', '0', '', 'a/b', 'input', 'x'.repeat(256)];
/** What is most easily respelled, in one value. */
const ODD = `{ "numbers":[${NUMBERS.join(' ,\r\n')}],\n\t"texts" : [${TEXTS.join()}] ,${KEYS.map((key) => `"${key}": {}`).join()}}`;
const DEEP = `${'{"a":'.repeat(32)}1.0${'}'.repeat(32)}`;
const ORDER = [5, 4, 3, 2, 1, 0];
/** Drawn first: one item that a person decides, and one that is approved automatically. */
const CERTAIN: [SubmissionTexts, number[]][] = [
  [{ input: ODD, suggestion: ODD, confidence: '7.0E-1', risk_flags: '["x\u2028", "x$1"]', metadata: ODD }, ORDER],
  [{ input: DEEP, suggestion: DEEP, confidence: '1.0', risk_flags: null, metadata: null }, []],
];

describe('I7: any submission', () => {
  it(
    'by property: is accepted, and comes back in its own spelling',
    { timeout: scaled(120_000, 900_000) },
    async () => {
      const order = fc.array(fc.nat(), { minLength: 6, maxLength: 6 });
      // A suggestion that is null cannot be approved (TS5).
      const approvable = submissionTexts.filter(({ suggestion }) => suggestion !== 'null');
      await fc.assert(fc.asyncProperty(approvable, order, roundTrip), { numRuns: scaled(20, 300), examples: CERTAIN });
      expect([...seen]).toEqual(expect.arrayContaining(['queued', 'auto_approved']));
      expect(served.failures).toEqual([]);
    },
  );

  it(
    'by property: an edited answer is sent in its own spelling too',
    { timeout: scaled(120_000, 900_000) },
    async () => {
      await fc.assert(
        fc.asyncProperty(submissionTexts, async ({ suggestion: output }) => {
          const { id } = await project.pipeline.submit({ input: 1, suggestion: { never: 'that' }, confidence: 0.8 });
          const fence = await claimed(id);
          const body = `{"fence":${fence},"action":"edit","reason":"Wrong fact","output":${output}}`;
          const decided = await asOwner({ method: 'POST', path: `/api/items/${id}/decision`, body });
          const shipped = `"action":"edit","output":${output},"edited":true`;
          expectText(decided, shipped);
          expect(await deliveredOf(id)).toContain(shipped);
          expectText(await get(`/items/${id}`), shipped);
        }),
        { numRuns: scaled(10, 100), examples: CERTAIN.map(([texts]) => [texts]) },
      );
      expect(served.failures).toEqual([]);
    },
  );
});
