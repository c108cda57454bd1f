// Tests request bodies at their limits and broken ones: accepted or refused by name, without an effect on others.
import { once } from 'node:events';
import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '@countersign/shared/limits';
import { problem } from '@countersign/shared/schemas/parts/problem';
import { openProject, type OpenProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { ask, serve, type Raw, type Sent, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
const LIMIT = LIMITS.itemBytes;
let served: Served;
let project: OpenProject;

beforeAll(async () => {
  served = await serve(inside.services);
  project = await openProject(await person(served.testEnv));
});
beforeEach(() => {
  served.failures.length = 0;
});
afterAll(() => served.close());

/** A submission of exactly this many bytes. */
function sized(bytes: number): Buffer {
  const text = JSON.stringify({ project_id: project.id, input: '', suggestion: 'a', confidence: 0.8 });
  return Buffer.from(text.replace('"input":""', `"input":"${'x'.repeat(bytes - text.length)}"`));
}

const post = (body: Sent['body'], headers: Record<string, string> = {}) =>
  ask(served, {
    method: 'POST',
    path: '/api/public/items',
    headers: { 'content-type': 'application/json', 'x-api-key': project.pipeline.apiKey, ...headers },
    body,
  });

/** The code of a problem response, or the status of any other. */
function outcome({ status, text, headers }: Raw): string | number {
  if (status < 400) return status;
  expect(headers.get('content-type')).toBe('application/problem+json');
  return problem.parse(JSON.parse(text)).code;
}

describe('the size of a body', () => {
  it('256 KiB are accepted, one byte more is not', async () => {
    expect(sized(LIMIT)).toHaveLength(262_144);
    expect(outcome(await post(sized(LIMIT)))).toBe(201);
    expect(outcome(await post(sized(LIMIT + 1)))).toBe('payload_too_large');
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('counts after decompression: %s', async (encoding, deflated) => {
    const headers = { 'content-encoding': encoding };
    expect(outcome(await post(deflated(sized(LIMIT)), headers))).toBe(201);
    expect(outcome(await post(deflated(sized(LIMIT + 1)), headers))).toBe('payload_too_large');
  });

  it('a bomb of 64 MiB in 64 KiB is refused before it is unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(LIMIT);
    const before = process.memoryUsage().rss;
    expect(outcome(await post(bomb, { 'content-encoding': 'gzip' }))).toBe('payload_too_large');
    expect(process.memoryUsage().rss - before).toBeLessThan(48 * 1024 * 1024);
  });

  it('counts the same when it arrives in pieces', async () => {
    const pieces = (bytes: number) => {
      const whole = sized(bytes);
      return Array.from({ length: 8 }, (_, index) => whole.subarray((index * bytes) / 8, ((index + 1) * bytes) / 8));
    };
    expect(outcome(await post(pieces(LIMIT)))).toBe(201);
    expect(outcome(await post(pieces(LIMIT + 8)))).toBe('payload_too_large');
  });

  it('32 levels and 10 000 values within it are accepted, one more is not', async () => {
    const submitting = (input: string) =>
      post(`{"project_id":"${project.id}","suggestion":1,"confidence":0.8,"input":${input}}`);
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(outcome(await submitting(nested(32)))).toBe(201);
    expect(outcome(await submitting(nested(33)))).toBe('validation_failed');
    expect(outcome(await submitting(nested(100_000)))).toBe('validation_failed');
    const list = (length: number) => `[${Array.from({ length }, () => 0).join(',')}]`;
    expect(outcome(await submitting(list(9_995)))).toBe(201);
    expect(outcome(await submitting(list(9_996)))).toBe('validation_failed');
  });
});

describe('the form of a body', () => {
  const good = () => sized(400);

  it.each([
    ['application/json', 201],
    ['application/json; charset=utf-8', 201],
    ['APPLICATION/JSON', 201],
    ['text/json', 'unsupported_media_type'],
    ['application/x-www-form-urlencoded', 'unsupported_media_type'],
    ['application/jsonx', 'unsupported_media_type'],
    ['json', 'unsupported_media_type'],
    ['', 'unsupported_media_type'],
  ])('content-type “%s” → %s', async (type, expected) => {
    expect(outcome(await post(good(), { 'content-type': type }))).toBe(expected);
  });

  it.each([
    ['compress', () => good(), 'unsupported_media_type'],
    ['gzip, gzip', () => gzipSync(gzipSync(good())), 'unsupported_media_type'],
    ['identity', () => good(), 201],
    ['gzip', () => good(), 'invalid_json'],
    ['gzip', () => gzipSync(good()).subarray(0, 60), 'invalid_json'],
    ['br', () => Buffer.from('nonsense'), 'invalid_json'],
    ['__proto__', () => good(), 'unsupported_media_type'],
  ] as const)('content-encoding “%s”: %o → %s', async (encoding, body, expected) => {
    expect(outcome(await post(body(), { 'content-encoding': encoding }))).toBe(expected);
  });

  it('a missing body is refused', async () => {
    expect(outcome(await post(undefined))).toBe('invalid_json');
    expect(outcome(await post(''))).toBe('invalid_json');
    expect(outcome(await post(undefined, { 'content-length': '0' }))).toBe('invalid_json');
  });

  it('one that stops in the middle affects no other request', async () => {
    const url = new URL(served.testEnv.url());
    for (const head of [
      'content-length: 1000',
      'transfer-encoding: chunked',
      'content-length: 9\r\ncontent-encoding: gzip',
    ]) {
      const socket = connect(Number(url.port), url.hostname);
      await once(socket, 'connect');
      socket.write(
        `POST /api/public/items HTTP/1.1\r\nhost: x\r\nx-api-key: ${project.pipeline.apiKey}\r\ncontent-type: application/json\r\n${head}\r\n\r\n5\r\n{"a":`,
      );
      expect((await ask(served, { method: 'GET', path: '/healthz' })).status).toBe(200);
      socket.destroy();
    }
    expect(outcome(await post(good()))).toBe(201);
    expect(served.failures).toEqual([]);
  });
});
