// Tests the retries and stops of a submission run.
import { afterEach, describe, expect, it } from 'vitest';
import {
  closeServices,
  fakeClock,
  fakeService,
  refuse,
  take,
} from '../../../shared/src/client/fake-service.fixture.ts';
import { items, run } from './submit.fixture.ts';

afterEach(closeServices);

describe('submitFile: retries', () => {
  it('retries after 5xx, a cut connection and a request in flight, with the same key, backing off longer each time', async () => {
    const { url, requests } = await fakeService((_seen, attempt, response) => {
      if (attempt === 1) refuse(response, { status: 500, code: 'internal' });
      else if (attempt === 2) response.destroy();
      else if (attempt === 3) response.writeHead(502).end('<html>');
      else if (attempt === 4) refuse(response, { status: 409, code: 'idempotency_in_progress', retryAfter: '1' });
      else take(response);
    });
    const { clock, slept } = fakeClock();
    const summary = await run(url, items(1), { clock });
    expect(summary).toMatchObject({ lines: 1, refused: 0, retries: 4 });
    expect(slept).toEqual([250, 500, 1000, 1000 + 2000]);
    expect(new Set(requests.map(({ key }) => key)).size).toBe(1);
  });

  it('waits as long as 429 asks, with every request, and never counts it as a failure', async () => {
    const { url } = await fakeService((_seen, attempt, response) => {
      if (attempt <= 15) refuse(response, { status: 429, code: 'rate_limited', retryAfter: '30' });
      else take(response);
    });
    const { clock, slept } = fakeClock(() => 0);
    const summary = await run(url, items(1), { clock });
    expect(summary).toMatchObject({ refused: 0, retries: 15 });
    expect(slept).toEqual(Array.from({ length: 15 }, () => 30_000));
  });

  it('does not retry what can only fail again', async () => {
    const { url, requests } = await fakeService((_seen, _attempt, response) =>
      refuse(response, { status: 422, code: 'validation_failed' }),
    );
    await run(url, items(3));
    expect(requests).toHaveLength(3);
  });

  it('gives one line up after ten attempts and continues with the others', async () => {
    const { url, requests } = await fakeService(({ body }, _attempt, response) => {
      if (body.includes('"input":1}')) refuse(response, { status: 500, code: 'internal' });
      else take(response);
    });
    const summary = await run(url, items(5));
    expect(summary).toMatchObject({ lines: 5, refused: 1, stopped: null });
    expect(summary.refusals[0]).toMatchObject({ code: 'internal', lines: [2] });
    expect(requests.filter(({ body }) => body.includes('"input":1}'))).toHaveLength(10);
  });

  it('stops when three lines in a row fail to the last retry', async () => {
    const { url, requests } = await fakeService((_seen, _attempt, response) =>
      refuse(response, { status: 500, code: 'internal' }),
    );
    const summary = await run(url, items(100), { concurrency: 1 });
    expect(summary).toMatchObject({ refused: 3, stopped: { code: 'internal' } });
    expect(requests).toHaveLength(30);
  });
});

describe('submitFile: stops', () => {
  it.each([
    [401, 'api_key_invalid'],
    [403, 'project_mismatch'],
    [404, 'not_found'],
  ])('at once on %i %s, which no other line can escape', async (status, code) => {
    const { url, requests } = await fakeService((_seen, _attempt, response) => refuse(response, { status, code }));
    const summary = await run(url, items(500));
    expect(summary).toMatchObject({ refused: 0, stopped: { code, detail: `about ${code}` } });
    expect(requests.length).toBeLessThanOrEqual(4);
  });

  it('on an address that redirects, and on one where something else answers', async () => {
    const moved = await fakeService((_seen, _attempt, response) => {
      response.writeHead(308, { location: 'https://new.example/' }).end();
    });
    expect((await run(moved.url, items(9))).stopped).toMatchObject({ detail: /https:\/\/new\.example/ });
    const page = await fakeService((_seen, _attempt, response) => response.writeHead(200).end('<html>') && undefined);
    expect((await run(page.url, items(9))).stopped).toMatchObject({ code: 'unknown_answer' });
  });

  it('after three tries where nothing listens', async () => {
    const { url } = await fakeService(() => undefined);
    closeServices();
    const summary = await run(url, items(9), { concurrency: 1 });
    expect(summary).toMatchObject({ lines: 1, unsent: 1, retries: 2, stopped: { code: 'unreachable' } });
  });

  it('when asked to: waits for responses in flight, sends nothing else, and the summary says so', async () => {
    const stop = new AbortController();
    const { url, requests } = await fakeService((_seen, _attempt, response) => {
      stop.abort();
      setTimeout(() => take(response), 20);
    });
    // The grace never ends in this test: answers come first.
    const clock = { ...fakeClock().clock, sleep: () => new Promise<void>(() => undefined) };
    const summary = await run(url, items(1000), { signal: stop.signal, clock });
    expect(summary.stopped).toMatchObject({ code: 'interrupted' });
    expect(summary).toMatchObject({ unsent: 0, lines: requests.length });
    expect(summary.taken.queued).toBe(requests.length);
    expect(requests.length).toBeLessThanOrEqual(4);
  });

  it('when asked to, also on a server that never answers: connections are cut when the grace is over', async () => {
    const stop = new AbortController();
    const { url, requests } = await fakeService(() => stop.abort());
    const summary = await run(url, items(1000), { signal: stop.signal, concurrency: 1 });
    expect(requests).toHaveLength(1);
    expect(summary).toMatchObject({ lines: 1, unsent: 1, taken: { queued: 0 } });
    expect(summary.stopped).toMatchObject({ code: 'interrupted' });
  });

  it('when asked to, in the middle of a long wait', async () => {
    const stop = new AbortController();
    const { url } = await fakeService((_seen, _attempt, response) => {
      refuse(response, { status: 429, code: 'rate_limited', retryAfter: '600' });
    });
    const sleep = (_ms: number, signal?: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        signal?.addEventListener('abort', () => resolve());
        queueMicrotask(() => stop.abort());
      });
    const summary = await run(url, items(10), { signal: stop.signal, clock: { ...fakeClock().clock, sleep } });
    expect(summary.stopped).toMatchObject({ code: 'interrupted' });
    expect(summary.lines).toBe(summary.unsent);
  });
});
