// The demo items use the public API: the key, no cookies; and a refusal stops them in place.
import { submission } from '@countersign/shared/schemas/public';
import { expect, it, vi } from 'vitest';
import samples from './demo-items.json';
import { loadDemoItems, type DemoItem } from './load-demo-items.ts';

const PROJECT = '0197f1a0-0000-7000-8000-000000000001';
const items = samples as DemoItem[];
const answer = (status: number, body: object = {}) => new Response(JSON.stringify(body), { status });

it('are twenty submissions in order, each marked as demo', () => {
  expect(items).toHaveLength(20);
  for (const item of items) {
    expect(submission.safeParse({ project_id: PROJECT, ...item }).success).toBe(true);
    expect(item.metadata).toMatchObject({ source: 'demo' });
  }
});

it('are sent one by one with the key and without cookies, and counted', async () => {
  const fetch = vi.fn((..._: Parameters<typeof globalThis.fetch>) => Promise.resolve(answer(201)));
  const onsent = vi.fn();
  await loadDemoItems({ projectId: PROJECT, apiKey: 'csk_1', items: items.slice(0, 3), from: 0, onsent, fetch });
  expect(onsent.mock.calls.flat()).toEqual([1, 2, 3]);
  const [path, init] = fetch.mock.calls[0] ?? [];
  expect(path).toBe('/api/public/items');
  expect(init).toMatchObject({ method: 'POST', credentials: 'omit', headers: { 'x-api-key': 'csk_1' } });
  expect(JSON.parse(init?.body as string)).toMatchObject({ project_id: PROJECT, metadata: { source: 'demo' } });
});

it('stop at a refusal, and continue after the items already sent', async () => {
  const refusal = { code: 'rate_limited', title: 'Too many requests', detail: 'Slow down.' };
  const fetch = vi.fn((..._: Parameters<typeof globalThis.fetch>) => Promise.resolve(answer(201)));
  fetch.mockImplementationOnce(() => Promise.resolve(answer(201)));
  fetch.mockImplementationOnce(() => Promise.resolve(answer(429, refusal)));
  let done = 0;
  const load = () =>
    loadDemoItems({
      projectId: PROJECT,
      apiKey: 'k',
      items: items.slice(0, 3),
      from: done,
      onsent: (n) => (done = n),
      fetch,
    });
  await expect(load()).rejects.toMatchObject({ status: 429, detail: 'Slow down.' });
  expect(done).toBe(1);
  await load();
  expect([done, fetch.mock.calls.length]).toEqual([3, 4]);
});
