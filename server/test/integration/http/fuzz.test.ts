// Fuzzes the API: no input causes a 500 or a hang, and every refusal is a problem response.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINTS } from '@countersign/shared/contract/endpoints';
import { callMcp } from '@countersign/shared/routes/public';
import { rpcReply } from '@countersign/shared/schemas/public';
import { problem } from '@countersign/shared/schemas/parts/problem';
import { aSubmission, openProject, type OpenProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { ask, serve, type Raw, type Sent, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;
let project: OpenProject;
let itemId: string;

beforeAll(async () => {
  served = await serve(inside.services);
  project = await openProject(await person(served.testEnv));
  itemId = (await project.pipeline.submit(aSubmission())).id;
});
afterAll(() => served.close());

/** Every path of the contract except sign-out, which would make the later requests anonymous. */
const PATHS = ENDPOINTS.map(([, endpoint]) => endpoint)
  .filter((endpoint) => endpoint.auth !== 'session' || endpoint.path !== '/api/session')
  .map(({ path }) => path);
const OTHER_PATHS = [
  '/',
  '/api',
  '/api/',
  '/api/public/',
  '/readyz',
  '/api/items//claim',
  '/API/items',
  '/api/%70ublic/items',
  '/queue/x',
  '/_app/x.js',
  '//',
  '/..%2f..',
];
const FIELDS = [
  'project_id',
  'input',
  'suggestion',
  'confidence',
  'risk_flags',
  'metadata',
  'fence',
  'action',
  'output',
  'reason',
  'note',
  'name',
  'auto_threshold',
  'review_threshold',
  'escalate_flags',
  'reasons',
  'webhook_url',
  'settings_version',
  'address',
  'role',
  'expires_in_hours',
  'challenge_id',
  'signed_message',
  'signature',
];
const TIMES = ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59Z', '1970-01-01T00:00:00Z'];

/** Mostly the first, sometimes the second. */
const mostly = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 6, arbitrary: usual }, { weight: 1, arbitrary: rare });

const junk = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '-1',
    'null',
    '%00',
    '%',
    '%zz',
    '..',
    "'",
    '"',
    '[]',
    '{}',
    'é',
    '💥',
    '\u202e',
    '9'.repeat(400),
  ),
  fc.string({ maxLength: 12 }),
);
const printable = fc.stringMatching(/^[\x21-\x7e]{0,30}$/);

// Placeholders for this run's own project, item, key and cookie are filled in when the request is sent.
const id = fc.oneof(
  fc.constantFrom('OWN_PROJECT', 'OWN_ITEM'),
  fc.uuid(),
  fc.uuid().map((text) => text.toUpperCase()),
  junk.map((text) => encodeURIComponent(text)),
  fc.constantFrom('%00', '%', '%ff', '%2e%2e', '%2f', 'null'),
);
const path = mostly(
  fc
    .tuple(fc.constantFrom(...PATHS), fc.array(id, { minLength: 2, maxLength: 2 }))
    .map(([template, [one = '', two = '']]) => template.replace(/:\w+/, () => one).replace(/:\w+/, () => two)),
  fc.constantFrom(...OTHER_PATHS),
);
const cursor = fc
  .tuple(fc.maxSafeInteger(), fc.uuid())
  .map((pair) => Buffer.from(JSON.stringify(pair)).toString('base64url'));
const query = fc.dictionary(
  fc.constantFrom('after', 'limit', 'view', 'project_id', 'from', 'to', 'bucket', 'x', '__proto__', 'limit[]'),
  fc.oneof(junk, fc.constantFrom('1', '100', 'all', 'mine', 'day', 'minute', ...TIMES), cursor),
  { maxKeys: 3 },
);
const value = fc.oneof(
  fc.constantFrom<unknown>(
    'OWN_PROJECT',
    'approve',
    'edit',
    'owner',
    0,
    1,
    0.8,
    -1,
    2 ** 31,
    2 ** 53 - 1,
    1e300,
    true,
    null,
  ),
  junk,
  fc.jsonValue({ maxDepth: 2, depthSize: 'small' }),
  fc.array(junk, { maxLength: 4 }),
);
const object = fc.dictionary(mostly(fc.constantFrom(...FIELDS, '\ud800'), junk), value, { maxKeys: 6 });
const submission = object.map((given) => ({
  project_id: 'OWN_PROJECT',
  input: 'q',
  suggestion: 'a',
  confidence: 0.8,
  ...given,
}));
const body = mostly(
  fc.oneof(object, submission, value).map((given) => JSON.stringify(given) ?? ''),
  fc.oneof(
    object.map((given) => JSON.stringify(given).replace(/"/, '"\\ud800')),
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  ),
);
const headers = fc.record(
  {
    'x-api-key': mostly(fc.constant('OWN_KEY'), printable),
    cookie: mostly(fc.constant('OWN_COOKIE'), printable),
    origin: mostly(fc.constant('http://countersign.test'), fc.constantFrom('null', 'https://evil.test')),
    'content-type': mostly(fc.constant('application/json'), printable),
    'idempotency-key': printable,
    'x-request-id': printable,
    'accept-encoding': printable,
  },
  { requiredKeys: ['x-api-key', 'cookie', 'origin', 'content-type'] },
);
const method = mostly(
  fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE'),
  fc.constantFrom('PUT', 'HEAD', 'OPTIONS', 'PROPFIND', 'TRACE', 'M-SEARCH', 'QUERY'),
);
const request = fc.record({ method, path, query, headers, body });

function own(text: string): string {
  return text
    .replaceAll('OWN_PROJECT', project.id)
    .replaceAll('OWN_ITEM', itemId)
    .replaceAll('OWN_KEY', project.pipeline.apiKey)
    .replaceAll('OWN_COOKIE', project.owner.cookieHeader());
}

type Request = typeof request extends fc.Arbitrary<infer T> ? T : never;

function toSent(given: Request): Sent {
  const search = new URLSearchParams(given.query).toString();
  const all = Object.entries(given.headers).map(([name, text]): [string, string] => [name, own(text)]);
  return {
    method: given.method,
    path: own(given.path) + (search === '' ? '' : `?${search}`),
    headers: Object.fromEntries(all),
    body: ['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(given.method) ? undefined : own(given.body),
  };
}

const USUAL: Request = {
  method: 'POST',
  path: '/api/projects',
  query: {},
  headers: {
    'x-api-key': 'OWN_KEY',
    cookie: 'OWN_COOKIE',
    origin: 'http://countersign.test',
    'content-type': 'application/json',
  },
  body: '{}',
};
const reading = (path: string): Request => ({ ...USUAL, method: 'GET', path });
const withHeaders = (changes: Partial<Request['headers']>, given = USUAL): Request => ({
  ...given,
  headers: { ...given.headers, ...changes },
});

/** A request for each common refusal, and for an error of MCP, independent of what is drawn. */
const REFUSED: Record<string, Request> = {
  api_key_invalid: withHeaders({ 'x-api-key': 'x' }, reading('/api/public/items')),
  api_key_missing: withHeaders({ 'x-api-key': '' }, reading('/api/public/items')),
  invalid_cursor: { ...reading('/api/offers'), query: { after: '[]' } },
  invalid_id: reading('/api/projects/x'),
  invalid_json: { ...USUAL, body: '{' },
  method_not_allowed: { ...USUAL, method: 'PATCH' },
  not_found: reading('/api/projects/a711dd7b-0014-4000-a24d-cc9feb30f289'),
  origin_refused: withHeaders({ origin: 'https://evil.test' }),
  session_missing: withHeaders({ cookie: '' }),
  unsupported_media_type: withHeaders({ 'content-type': 'text/plain' }),
  rpc_fault: { ...USUAL, path: callMcp.path },
  validation_failed: USUAL,
};

const isRpcFault = ({ headers, text }: Raw): boolean =>
  headers.get('content-type')?.startsWith('application/json') === true &&
  rpcReply.safeParse(JSON.parse(text)).data?.error !== undefined;

/** What a response amounts to: a status, or the code of a problem, or an error of MCP. */
function outcome(sent: Sent, received: Raw): string | number {
  const { status, headers: answered, text } = received;
  expect(status, JSON.stringify(sent)).toBeLessThan(500);
  expect(answered.get('x-request-id')).toMatch(/^[\w-]{1,64}$/);
  if (status < 400 || sent.method === 'HEAD' || !sent.path.startsWith('/api/')) return status;
  if (sent.path.startsWith(callMcp.path) && isRpcFault(received)) return 'rpc_fault';
  expect(answered.get('content-type'), JSON.stringify(sent)).toBe('application/problem+json');
  return problem.parse(JSON.parse(text)).code;
}

describe('requests of every kind', () => {
  it('by property: are answered in time, and refused by name or not at all', { timeout: 120_000 }, async () => {
    const seen = new Set<string | number>();
    await fc.assert(
      fc.asyncProperty(request, async (given) => {
        const sent = toSent(given);
        seen.add(outcome(sent, await ask(served, sent)));
      }),
      { numRuns: 300, examples: Object.values(REFUSED).map((given) => [given]) },
    );
    expect(served.failures).toEqual([]);
    // Without these the requests would be outdated, and all hit the same refusal.
    expect([...seen]).toEqual(expect.arrayContaining(Object.keys(REFUSED)));
  });
});
