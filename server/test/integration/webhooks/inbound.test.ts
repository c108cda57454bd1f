// Tests inbound webhooks: valid signatures, the order of the checks, and that a repeated message counts once.
import { randomUUID } from 'node:crypto';
import { Kysely } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { endpointOf } from '@countersign/shared/contract/endpoints';
import { receiveInbound, removeInboundSource } from '@countersign/shared/routes/inbound';
import { submitted } from '@countersign/shared/schemas/public';
import { openProject, type OpenProject } from '../../builders.ts';
import { checked, exactly, person } from '../../client.ts';
import { aBody, aSender, hexOf, neutral, outcome, post, type Headers, type Sender, trioOf } from './inbound-sender.ts';
import { eventsOf } from '../support/database-helpers.ts';
import { serve, type Raw, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;
let project: OpenProject;
let sender: Sender;

beforeAll(async () => {
  served = await serve(inside.services);
  project = await openProject(await person(served.testEnv));
  sender = await aSender(project);
});
afterAll(() => served.close());
afterEach(() => vi.restoreAllMocks());

const send = (body: string | Buffer, headers: Headers, path = sender.path) => post(served, path, { body, headers });
const idOf = ({ text }: Raw) => exactly(submitted, text).id;
const itemsOf = (projectId = project.id) =>
  inside.sql<{ id: string }>('select id from item where project_id = ? order by id', [projectId]);

/** Records every statement sent to the database from now on. */
function watched(): string[] {
  const seen: string[] = [];
  const run = Kysely.prototype.executeQuery;
  vi.spyOn(Kysely.prototype, 'executeQuery').mockImplementation(function (this: Kysely<unknown>, query, ...rest) {
    const { sql } = 'sql' in query ? query : query.compile();
    seen.push(sql.trim().replaceAll(/\s+/g, ' '));
    return run.call(this, query, ...rest);
  });
  return seen;
}

describe('a signed message', () => {
  it.each(['by the Standard Webhooks library', 'by the hex signature'])('%s becomes an item', async (scheme) => {
    const body = aBody({ suggestion: { z: 1, a: 'é' }, metadata: { model: 'm-1' } });
    const headers = scheme.includes('hex') ? hexOf(sender.secret, body) : trioOf(sender.secret, body);
    const answer = checked(endpointOf(receiveInbound), await send(body, headers));
    if (!answer.ok) throw new Error(answer.text);
    expect(answer.headers.get('idempotent-replayed')).toBeNull();
    expect(answer.reply).toMatchObject({ status: 'queued', decision: null });
    const { suggestion, metadata } = await project.pipeline.read(answer.reply.id);
    expect({ suggestion, metadata }).toEqual({ suggestion: { z: 1, a: 'é' }, metadata: { model: 'm-1' } });
  });

  it('I6: is recorded with the source as the actor', async () => {
    const body = aBody();
    const id = idOf(await send(body, trioOf(sender.secret, body)));
    const [event] = await inside.sql<{ actor: object }>('select actor from event where item_id = ?', [id]);
    expect(event?.actor).toEqual({ kind: 'inbound', id: sender.sourceId, name: 'Mail' });
    expect((await eventsOf(inside, id)).map(({ type }) => type)).toEqual(['item.queued']);
  });

  it('is accepted under either secret during a rotation', async () => {
    const body = aBody();
    const trio = trioOf(sender.secret, body);
    const other = trioOf(`whsec_${Buffer.alloc(32, 7).toString('base64')}`, body)['webhook-signature'];
    const both = { ...trio, 'webhook-signature': `${other ?? ''} ${trio['webhook-signature'] ?? ''}` };
    expect(outcome(await send(body, both))).toBe('201');
  });

  it('may name its project, in upper case too, and no other', async () => {
    const other = await openProject(await person(served.testEnv));
    for (const [projectId, expected] of [
      [project.id, '201'],
      [project.id.toUpperCase(), '201'],
      [other.id, '403 project_mismatch'],
      [randomUUID(), '403 project_mismatch'],
    ] as const) {
      const body = aBody({ project_id: projectId });
      expect(outcome(await send(body, hexOf(sender.secret, body)))).toBe(expected);
    }
    expect(await itemsOf(other.id)).toEqual([]);
  });

  it.each([
    ['{"input":', '400 invalid_json'],
    ['', '400 invalid_json'],
    [aBody({ confidence: 2 }), '422 validation_failed'],
    [aBody({ risk_flag: ['legal'] }), '422 validation_failed'],
    [`{"input":"\\u0000","suggestion":1,"confidence":0.8}`, '422 validation_failed'],
    [aBody({ input: 'x'.repeat(256 * 1024) }), '413 payload_too_large'],
  ])('with an invalid body is refused, and may be corrected and sent again: %#', async (body, expected) => {
    const id = randomUUID();
    expect(outcome(await send(body, trioOf(sender.secret, body, { id })))).toBe(expected);
    const mended = aBody();
    expect(outcome(await send(mended, trioOf(sender.secret, mended, { id })))).toBe('201');
  });

  it('a signed message that is no UTF-8 passes the signature, and is refused for that alone', async () => {
    const bytes = Buffer.from([0x7b, 0xff, 0x7d]);
    expect(outcome(await send(bytes, hexOf(sender.secret, bytes)))).toBe('400 invalid_json');
  });
});

describe('K6: an invalid signature is refused', () => {
  const later = (seconds: number) => ({ at: new Date(Date.now() + seconds * 1000) });
  const NOBODY = `whsec_${Buffer.alloc(32).toString('base64')}`;
  const flip = (text: string) => (text.startsWith('a') ? 'b' : 'a') + text.slice(1);

  it.each<[string, (body: string, trio: Headers, hex: Headers) => Headers, string]>([
    ['no signature', () => ({}), 'missing'],
    ['an id and a time alone', (_, trio) => ({ ...trio, 'webhook-signature': '' }), 'missing'],
    ['a trio without its id', (_, trio) => ({ ...trio, 'webhook-id': '' }), 'missing'],
    [
      'a trio without its time beside a hex one',
      (_, trio, hex) => ({ ...trio, ...hex, 'webhook-timestamp': '' }),
      'missing',
    ],
    ['302 s old', (body) => trioOf(sender.secret, body, later(-302)), 'expired'],
    ['302 s ahead', (body) => trioOf(sender.secret, body, later(302)), 'expired'],
    ['old, and by another secret', (body) => trioOf(NOBODY, body, later(-302)), 'expired'],
    ['another secret', (body) => trioOf(NOBODY, body), 'invalid'],
    ['another secret in hex', (body) => hexOf(NOBODY, body), 'invalid'],
    ['another body', () => trioOf(sender.secret, aBody()), 'invalid'],
    ['another body in hex', () => hexOf(sender.secret, aBody()), 'invalid'],
    ['another id', (_, trio) => ({ ...trio, 'webhook-id': 'other' }), 'invalid'],
    [
      'another time',
      (_, trio) => ({ ...trio, 'webhook-timestamp': String(Number(trio['webhook-timestamp']) - 1) }),
      'invalid',
    ],
    ['an invalid time', (_, trio) => ({ ...trio, 'webhook-timestamp': 'now' }), 'invalid'],
    [
      'a bad trio beside a good hex one',
      (_, trio, hex) => ({ ...trio, ...hex, 'webhook-signature': 'v1,AAAA' }),
      'invalid',
    ],
    [
      'hex in capitals',
      (_, __, hex) => ({ 'x-webhook-signature': hex['x-webhook-signature']?.toUpperCase() ?? '' }),
      'invalid',
    ],
    [
      'hex with one digit changed',
      (_, __, hex) => ({ 'x-webhook-signature': flip(hex['x-webhook-signature'] ?? '') }),
      'invalid',
    ],
  ])('an inbound message is refused for %s', async (_, headersOf, expected) => {
    const before = await itemsOf();
    const body = aBody();
    const made = headersOf(body, trioOf(sender.secret, body), hexOf(sender.secret, body));
    const headers = Object.fromEntries(Object.entries(made).filter(([, value]) => value !== ''));
    const seen = watched();
    expect(outcome(await send(body, headers))).toBe(`401 signature_${expected}`);
    expect(seen).toEqual(expected === 'missing' ? [] : [expect.stringMatching(/^select .* from inbound_source /)]);
    expect(await itemsOf()).toEqual(before);
  });

  it('before parsing: invalid JSON is a bad signature first', async () => {
    expect(outcome(await send('{"input":', hexOf(NOBODY, '{"input":')))).toBe('401 signature_invalid');
    expect(outcome(await send('', hexOf(NOBODY, '')))).toBe('401 signature_invalid');
  });

  it('without a write, while a valid one is looked up and written: so the recorder sees writes', async () => {
    const body = aBody();
    const seen = watched();
    expect(outcome(await send(body, trioOf(sender.secret, body)))).toBe('201');
    expect(seen[0]).toMatch(/^select .* from inbound_source /);
    const written = seen.flatMap((text) => /\b(?:insert into|update|delete from) "?(\w+)/.exec(text)?.[1] ?? []);
    expect(new Set(written)).toEqual(new Set(['item', 'idempotency_key', 'event']));
  });

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature', 'x-webhook-signature'])(
    'K5: a doubled %s is refused',
    async (name) => {
      const body = aBody();
      const good = name.startsWith('x-') ? hexOf(sender.secret, body) : trioOf(sender.secret, body);
      const doubled = { ...good, [name]: `${good[name] ?? ''}, ${good[name] ?? ''}` };
      expect(outcome(await send(body, doubled))).toBe('401 signature_invalid');
      expect(outcome(await send(body, good))).toBe('201');
    },
  );
});

describe('K6: an unknown source', () => {
  it('returns the same bytes as a wrong secret, and runs the same queries', async () => {
    const gone = await aSender(project);
    const params = { id: project.id, source_id: gone.sourceId };
    await project.owner.call(removeInboundSource, { params });
    const archived = await openProject(await person(served.testEnv));
    const asleep = await aSender(archived);
    await inside.sql('update project set archived_at = now() where id = ?', [archived.id]);
    const path = (id: string) => `/api/public/inbound/${id}`;
    const old = { at: new Date(Date.now() - 600_000) };
    for (const headersOf of [hexOf, trioOf, (secret: string, body: string) => trioOf(secret, body, old)]) {
      const answers = [];
      for (const [to, secret] of [
        [sender.path, gone.secret],
        [gone.path, gone.secret],
        [asleep.path, asleep.secret],
        [path(randomUUID()), sender.secret],
        [path('demo'), sender.secret],
        [path("' or true --").replaceAll(' ', '%20'), sender.secret],
        [path('%00'), sender.secret],
        [path('9'.repeat(2000)), sender.secret],
      ] as const) {
        const body = aBody();
        const seen = watched();
        const answer = neutral(await send(body, headersOf(secret, body), to));
        answers.push({ ...answer, statements: seen.map((text) => text.replace(/'[^']*'/, '?')) });
        vi.restoreAllMocks();
      }
      expect(answers[0]).toMatchObject({ status: 401, statements: [expect.any(String)] });
      for (const answer of answers) expect(answer).toEqual(answers[0]);
    }
  });
});
