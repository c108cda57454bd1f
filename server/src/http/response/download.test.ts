// Streamed downloads: refused before the first line, visibly broken off after it, and never silently truncated.
import { EventEmitter } from 'node:events';
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
    res: new EventEmitter(),
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
  it('sends its chunks, also when there are none', async () => {
    expect(await text(await send(['a\n', 'b\n']))).toBe('a\nb\n');
    expect(await text(await send([]))).toBe('');
    expect(logged).toEqual([]);
  });

  it('is refused like any other request when it fails before its first line', async () => {
    await expect(send([gone])).rejects.toBe(gone);
  });

  it('breaks off and is logged when it fails later', async () => {
    await expect(text(await send(['a\n', new Error('The database is gone.')]))).rejects.toThrow(
      'The database is gone.',
    );
    expect(logged).toEqual(['download failed']);
  });

  it('A4: breaks off when the session of its user ends', async () => {
    const body = await send(['a\n', 'b\n', 'c\n', 'd\n'], () => Promise.reject(gone));
    await expect(text(body)).rejects.toBe(gone);
    expect([logged, ended]).toEqual([['download aborted'], true]);
  });

  it('ends without a log entry when the client disconnects', async () => {
    const body = await send(['a\n', 'b\n', 'c\n']);
    for await (const chunk of body) {
      expect(String(chunk)).toBe('a\n');
      break;
    }
    await expect.poll(() => ended, { timeout: 10_000 }).toBe(true);
    expect(logged).toEqual([]);
  });
});
