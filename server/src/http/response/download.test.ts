// A file that is sent as it is made: refused in full before its first line, broken off visibly after it, and never in silence.
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import type { Context } from 'koa';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Refusal } from '@countersign/shared/errors';
import { Download, sendDownload } from './download.ts';

const logged: string[] = [];
const log = { info: (_: object, msg: string) => logged.push(msg), error: (_: object, msg: string) => logged.push(msg) };
const gone = new Refusal('session_missing', 'Sign in with your wallet.');
let ended: boolean;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  logged.length = 0;
  ended = false;
});
afterEach(() => vi.useRealTimers());

async function* chunksOf(...steps: (string | Error)[]): AsyncGenerator<string> {
  try {
    for (const step of steps) {
      await Promise.resolve();
      if (step instanceof Error) throw step;
      vi.advanceTimersByTime(600);
      yield step;
    }
  } finally {
    ended = true;
  }
}

async function send(steps: (string | Error)[], identify = () => Promise.resolve()): Promise<Readable> {
  const headers: Record<string, string> = {};
  const ctx = {
    path: '/x',
    set: (all: object) => Object.assign(headers, all),
    body: null as Readable | null,
    type: '',
  };
  const file = { name: 'a.jsonl', type: 'application/jsonl', chunks: chunksOf(...steps) };
  const sender = { log: log as never, identify };
  await sendDownload(sender, ctx as unknown as Context, new Download(file, { 'x-a': '1' }));
  expect(headers).toMatchObject({ 'x-a': '1', 'content-disposition': 'attachment; filename="a.jsonl"' });
  if (ctx.body === null) throw new Error('There is no body.');
  return ctx.body;
}

describe('a download', () => {
  it('is its chunks, or nothing', async () => {
    expect(await text(await send(['a\n', 'b\n']))).toBe('a\nb\n');
    expect(await text(await send([]))).toBe('');
    expect(logged).toEqual([]);
  });

  it('that fails before its first line is refused like any other request', async () => {
    await expect(send([gone])).rejects.toBe(gone);
  });

  it('that fails later breaks, and is logged', async () => {
    await expect(text(await send(['a\n', new Error('The database is gone.')]))).rejects.toThrow(
      'The database is gone.',
    );
    expect(logged).toEqual(['download failed']);
  });

  it('A4: breaks when the session of whoever takes it has ended', async () => {
    const body = await send(['a\n', 'b\n', 'c\n', 'd\n'], () => Promise.reject(gone));
    await expect(text(body)).rejects.toBe(gone);
    expect([logged, ended]).toEqual([['download aborted'], true]);
  });

  it('that nobody takes any more ends, and nothing is logged', async () => {
    const body = await send(['a\n', 'b\n', 'c\n']);
    for await (const chunk of body) {
      expect(String(chunk)).toBe('a\n');
      break;
    }
    await expect.poll(() => ended, { timeout: 10_000 }).toBe(true);
    expect(logged).toEqual([]);
  });
});
