// Tests submitting a whole file: counts, groups of refusals, second runs and progress.
import { afterEach, describe, expect, it } from 'vitest';
import {
  closeServices,
  fakeClock,
  fakeService,
  ITEM,
  PROJECT,
  refuse,
  take,
} from '../../../shared/src/client/fake-service.fixture.ts';
import { readLines } from '../files/read-lines.ts';
import { submitFile, type Progress } from './file.ts';
import { LINE_BYTES } from './line.ts';
import { items, run } from './submit.fixture.ts';

afterEach(closeServices);

describe('submitFile', () => {
  it('submits every line once with key, project and its own text, and counts by status', async () => {
    const statuses = ['auto_approved', 'queued', 'escalated', 'rejected'];
    const { url, requests } = await fakeService(({ body }, _attempt, response) => {
      take(response, statuses[(JSON.parse(body) as { input: number }).input % 4]);
    });
    const summary = await run(url, items(10));
    expect(summary).toMatchObject({ lines: 10, refused: 0, alreadyThere: 0, unsent: 0, stopped: null });
    expect(summary.taken).toMatchObject({ auto_approved: 3, queued: 3, escalated: 2, rejected: 2 });
    expect(new Set(requests.map(({ key }) => key)).size).toBe(10);
    expect(requests.map(({ body }) => body)).toContain(`{"project_id":"${PROJECT}","input":7}`);
    expect(requests[0]?.headers).toMatchObject({ 'x-api-key': 'csk_test', 'content-type': 'application/json' });
  });

  it('keeps as many requests in flight as asked, and never more', async () => {
    const inFlight: (() => void)[] = [];
    let most = 0;
    const { url, requests } = await fakeService((_seen, _attempt, response) => {
      most = Math.max(
        most,
        inFlight.push(() => take(response)),
      );
      // Nobody is answered before there are seven; the last ones are four. A moment in which an eighth could come.
      if (inFlight.length === 7 || requests.length === 60)
        setTimeout(() => inFlight.splice(0).forEach((answer) => answer()), 5);
    });
    await run(url, items(60), { concurrency: 7 });
    expect(most).toBe(7);
  });

  it('goes on past bad lines and names them: broken JSON, another project, 5 MB; skips blank lines, CR and BOM', async () => {
    const { url, requests } = await fakeService((_seen, _attempt, response) => take(response));
    const text = [
      '\uFEFF{"input":1}\r',
      '',
      '{"input":',
      `{"project_id":"${ITEM}"}`,
      `{"input":"${'x'.repeat(5 * 1024 * 1024)}"}`,
      '   \r',
      '{"input":2}',
    ].join('\n');
    const summary = await run(url, text);
    expect(summary).toMatchObject({ lines: 5, refused: 3, stopped: null });
    expect(summary.taken.queued).toBe(2);
    expect(Object.fromEntries(summary.refusals.map(({ code, lines }) => [code, lines]))).toEqual({
      invalid_json: [3],
      project_mismatch: [4],
      payload_too_large: [5],
    });
    expect(requests).toHaveLength(2);
  });

  it('SF2: groups what the server refuses by what it says, with the first five line numbers', async () => {
    const { url } = await fakeService(({ body }, _attempt, response) => {
      const n = (JSON.parse(body) as { input: number }).input;
      const detail = n < 8 ? `has ${n} KiB, and "${n}" in it` : 'is missing';
      refuse(response, {
        status: 422,
        code: 'validation_failed',
        errors: [{ pointer: n === 9 ? '#/input' : '#/confidence', code: 'x', detail }],
      });
    });
    const summary = await run(url, `${items(9)}{"input":9}`, { concurrency: 1 });
    const groups = summary.refusals.map(({ count, lines, detail }) => ({ count, lines, detail }));
    expect(groups).toEqual([
      { count: 8, lines: [1, 2, 3, 4, 5], detail: '#/confidence: has 0 KiB, and "0" in it' },
      { count: 1, lines: [9], detail: '#/confidence: is missing' },
      { count: 1, lines: [10], detail: '#/input: is missing' },
    ]);
  });
});

describe('submitFile: a second run', () => {
  it('sends the same keys, and counts what the server replays as already there', async () => {
    const taken = new Set<string>();
    const { url, requests } = await fakeService(({ key }, _attempt, response) => {
      take(response, 'queued', taken.has(key) ? { 'idempotent-replayed': 'true' } : {});
      taken.add(key);
    });
    await run(url, items(20));
    const again = await run(url, `${items(20)}{"input":"new"}`);
    expect(again).toMatchObject({ lines: 21, alreadyThere: 20 });
    expect(again.taken.queued).toBe(1);
    expect(taken.size).toBe(21);
    expect(requests).toHaveLength(41);
  });
});

describe('SF1: a run that goes on by what the lines hold', () => {
  it('takes a file whose broken line was removed, and one that was sorted and saved elsewhere, as the same items', async () => {
    const taken = new Set<string>();
    const { url } = await fakeService(({ key }, _attempt, response) => {
      take(response, 'queued', taken.has(key) ? { 'idempotent-replayed': 'true' } : {});
      taken.add(key);
    });
    const lines = ['{"input":"a"}', '{"input":', '{"input":"b"}', '{"input":"a"}', '{"input":"c"}'];
    expect(await run(url, lines.join('\n'))).toMatchObject({ refused: 1, alreadyThere: 0 });
    const mended = lines.filter((line) => line !== '{"input":');
    expect(await run(url, mended.join('\n'))).toMatchObject({ refused: 0, alreadyThere: 4 });
    const elsewhere = `\uFEFF${mended.toReversed().join('\r\n')}\r\n\r\n`;
    expect(await run(url, elsewhere)).toMatchObject({ lines: 4, alreadyThere: 4 });
    expect(await run(url, `${mended.join('\n')}\n{"input":"a"}`)).toMatchObject({ alreadyThere: 4 });
    expect(taken.size).toBe(5);
  });
});

describe('submitFile: progress', () => {
  it('counts bytes up to the size of the file and tells what is waited for', async () => {
    const { url } = await fakeService((_seen, attempt, response) => {
      if (attempt === 1) refuse(response, { status: 429, code: 'rate_limited', retryAfter: '1' });
      else take(response);
    });
    const seen: Progress[] = [];
    const text = `\n${items(3)}`;
    await run(url, text, { concurrency: 1, onProgress: (progress) => seen.push({ ...progress }) });
    expect(seen.map(({ bytes }) => bytes)).toEqual([1, 13, 25, 37]);
    expect(seen.at(-1)?.bytes).toBe(Buffer.byteLength(text));
  });

  it('passes on what reading the file throws', async () => {
    const { url } = await fakeService((_seen, _attempt, response) => take(response));
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{"input":1}\n');
      throw new Error('disk gone');
    }
    const lines = readLines(broken(), LINE_BYTES);
    const options = { url, apiKey: 'k', projectId: PROJECT, concurrency: 4, clock: fakeClock().clock };
    await expect(submitFile(lines, { ...options, signal: new AbortController().signal })).rejects.toThrow('disk gone');
  });
});
