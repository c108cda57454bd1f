// The configuration of a client: options win over the environment, and errors say what to set.
/// <reference types="node" />
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createClient, RawJson } from '../client.ts';
import { closeServices, fakeService, NEW_ITEM, PROJECT, take } from './fake-service.fixture.ts';

const { project_id: _, ...WITHOUT_PROJECT } = NEW_ITEM;

beforeEach(() => {
  for (const name of ['URL', 'API_KEY', 'PROJECT_ID']) vi.stubEnv(`COUNTERSIGN_${name}`, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  closeServices();
});

/** A service, and an environment that names it. */
async function named() {
  const service = await fakeService((_seen, _attempt, response) => take(response));
  vi.stubEnv('COUNTERSIGN_URL', `${service.url}/`);
  vi.stubEnv('COUNTERSIGN_API_KEY', 'csk_environment');
  vi.stubEnv('COUNTERSIGN_PROJECT_ID', ` ${PROJECT} `);
  return service;
}

describe('a client without options', () => {
  it('reads address, key and project from the environment', async () => {
    const { requests } = await named();
    await createClient().submit(WITHOUT_PROJECT);
    expect(requests[0]?.headers['x-api-key']).toBe('csk_environment');
    expect(requests[0]?.body).toBe(JSON.stringify({ project_id: PROJECT, ...WITHOUT_PROJECT }));
  });

  it('prefers its options, and the project of an item', async () => {
    const { requests } = await named();
    const client = createClient({ apiKey: 'csk_option', projectId: 'option' });
    await client.submit(WITHOUT_PROJECT);
    await client.submit({ ...WITHOUT_PROJECT, project_id: undefined });
    await client.submit({ ...WITHOUT_PROJECT, project_id: 'item' });
    await client.submit(new RawJson('{"any":1.0}'));
    expect(requests[0]?.headers['x-api-key']).toBe('csk_option');
    const projects = requests.map(({ body }) => (JSON.parse(body) as { project_id?: string }).project_id);
    expect(projects).toEqual(['option', 'option', 'item', undefined]);
  });

  it('puts the project into each item of a batch', async () => {
    const { url, requests } = await fakeService((_seen, _attempt, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"results":[]}');
    });
    await createClient({ baseUrl: url, apiKey: 'k', projectId: PROJECT }).submitBatch([WITHOUT_PROJECT, NEW_ITEM]);
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ items: [NEW_ITEM, NEW_ITEM] });
  });

  it.each([
    [{ COUNTERSIGN_API_KEY: 'csk_x' }, 'set COUNTERSIGN_URL, or pass baseUrl'],
    [{ COUNTERSIGN_URL: ' ', COUNTERSIGN_API_KEY: 'csk_x' }, 'set COUNTERSIGN_URL, or pass baseUrl'],
    [{ COUNTERSIGN_URL: 'review.example.org', COUNTERSIGN_API_KEY: 'csk_x' }, 'must be an HTTP URL'],
    [{ COUNTERSIGN_URL: 'https://review.example.org' }, 'set COUNTERSIGN_API_KEY, or pass apiKey'],
    [{ COUNTERSIGN_URL: 'https://review.example.org', COUNTERSIGN_API_KEY: 'a secret' }, 'printable ASCII'],
  ])('says what to set: %j', (environment, message) => {
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    expect(() => createClient()).toThrow(expect.objectContaining({ name: 'TypeError' }) as Error);
    expect(() => createClient()).toThrow(message);
    expect(() => createClient()).not.toThrow('a secret');
  });

  it('says how to name a project, without a request', async () => {
    const { requests } = await named();
    vi.stubEnv('COUNTERSIGN_PROJECT_ID', '');
    await expect(createClient().submit(WITHOUT_PROJECT)).rejects.toThrow('set COUNTERSIGN_PROJECT_ID');
    await expect(createClient().submitBatch([NEW_ITEM, WITHOUT_PROJECT])).rejects.toThrow(TypeError);
    expect(requests).toEqual([]);
  });

  it('needs its options where there is no environment, or none that may be read', () => {
    const refuse = () => {
      throw new Error('Requires env access');
    };
    for (const host of [undefined, {}, { env: undefined }, { env: new Proxy({}, { get: refuse }) }]) {
      vi.stubGlobal('process', host);
      expect(() => createClient()).toThrow('No address');
      expect(createClient({ baseUrl: 'https://review.example.org', apiKey: 'csk_x' })).toBeDefined();
    }
  });
});
