// `npm run listen`: each event once and in order, with the bytes of its webhook, also after an interruption.
import { describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../../shared/src/webhook.ts';
import { UsageError } from '../submit/arguments.ts';
import { readListenArguments } from './listen-arguments.ts';
import { listen, ListenError, type Position } from './listen.ts';

const SECRET = 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=';
const NOW = Date.parse('2026-03-01T12:00:00Z');

/** The body of a webhook, with a spelling of numbers that parsing would change. */
const body = (n: number, action = 'approve') =>
  `{"event":"item.decided","item_id":"i${n}","status":"approved","decision":{"action":"${action}","output":1.${n}0}}`;
const event = (n: number, action?: string) => `{"id":"evt_${n}",${body(n, action).slice(1)}`;

/** A feed of pages of two, and a receiver. It stops when it has been idle once. */
function useFeed(events: string[]) {
  const stop = new AbortController();
  const state = {
    got: [] as { body: string; headers: Record<string, string> }[],
    printed: [] as string[],
    position: null as Position | null,
    /** What the receiver and the service answer, first to last; then 200. `null`: no answer. */
    receiver: [] as (number | null)[],
    service: [] as (number | null)[],
    stopAfter: Infinity,
    slept: 0,
    isReadOnly: false,
    stop,
  };
  const answer = (status: number | null, text: string) => {
    if (status === null) return Promise.reject(new TypeError('fetch failed'));
    return Promise.resolve(new Response(status === 200 ? text : '{"detail":"No \\"such\\" key."}', { status }));
  };
  const page = (address: string) => {
    const from = Number(new URL(address).searchParams.get('after') ?? 0);
    const next = Math.min(events.length, from + 2);
    return `{"data":[${events.slice(from, next).join()}],"has_more":${next < events.length},"next_cursor":"${next}"}`;
  };
  const run = (fromStart = true) =>
    listen({
      ...{
        baseUrl: 'http://service.test',
        apiKey: 'csk_1',
        target: 'http://localhost:8000/hook',
        secret: SECRET,
        fromStart,
      },
      load: () => Promise.resolve(state.position),
      save: (position) =>
        state.isReadOnly ? Promise.reject(new Error('read-only')) : Promise.resolve(void (state.position = position)),
      print: (line) => state.printed.push(line),
      fetch: (url, { body: sent = '', headers }) => {
        if (url.startsWith('http://service.test'))
          return answer(headers['x-api-key'] === 'csk_1' ? (state.service.shift() ?? 200) : 401, page(url));
        const status = state.receiver.length > 0 ? (state.receiver.shift() ?? null) : 200;
        if (status !== null) state.got.push({ body: sent, headers });
        if (state.got.length >= state.stopAfter) stop.abort();
        return answer(status, '');
      },
      sleep: (ms) => {
        state.slept += 1;
        if (ms === 1000) stop.abort();
        return Promise.resolve();
      },
      now: () => new Date(NOW),
      signal: stop.signal,
    });
  return { state, run };
}

describe('listening', () => {
  it('forwards each event in order with the signed bytes of its webhook, and no automatic decision', async () => {
    const { state, run } = useFeed([event(1), event(2, 'auto_approve'), event(3)]);
    await run();
    expect(state.got.map((each) => each.body)).toEqual([body(1), body(3)]);
    for (const { body: sent, headers } of state.got)
      expect(await verifyWebhook(sent, headers, { secret: SECRET, now: NOW / 1000 })).toBe(true);
    expect(state.got.map(({ headers }) => headers['webhook-id'])).toEqual(['evt_1', 'evt_3']);
    // The key goes to the service alone.
    expect(state.got.some(({ headers }) => 'x-api-key' in headers)).toBe(false);
    expect(state.printed[0]).toBe('12:00:00  200  0 ms  item.decided approved  evt_1');
  });

  it('starts with what is new, unless it is asked for all', async () => {
    const { state, run } = useFeed([event(1), event(2), event(3)]);
    await run(false);
    expect(state.got).toEqual([]);
    expect(state.position).toEqual({ after: '3', done: null });
  });

  it('continues after an interruption with the first event that was not answered', async () => {
    const events = [event(1), event(2), event(3)];
    const first = useFeed(events);
    first.state.stopAfter = 1;
    await first.run();
    const second = useFeed(events);
    second.state.position = first.state.position;
    await second.run(false);
    expect([...first.state.got, ...second.state.got].map((each) => each.headers['webhook-id'])).toEqual([
      'evt_1',
      'evt_2',
      'evt_3',
    ]);
  });

  it('starts at the beginning again when it is asked for all, also where it was before', async () => {
    const { state, run } = useFeed([event(1), event(2)]);
    state.position = { after: '2', done: null };
    await run(true);
    expect(state.got.map(({ headers }) => headers['webhook-id'])).toEqual(['evt_1', 'evt_2']);
    expect(state.position).toEqual({ after: '2', done: null });
  });

  it.each([null, { after: '0', done: null }])(
    'sends nothing while its position %j cannot be saved',
    async (position) => {
      const { state, run } = useFeed([event(1)]);
      state.position = position;
      state.isReadOnly = true;
      await expect(run(position === null)).rejects.toThrow('read-only');
      expect(state.got).toEqual([]);
    },
  );

  it('waits for a receiver that is not there, with the same event as its next attempt; any status is an answer', async () => {
    const { state, run } = useFeed([event(1), event(2)]);
    state.receiver = [null, null, 500];
    await run();
    expect(state.got.map(({ headers }) => [headers['webhook-id'], headers['x-webhook-attempt']])).toEqual([
      ['evt_1', '3'],
      ['evt_2', '1'],
    ]);
    expect(state.printed.filter((line) => line.includes('no response'))).toHaveLength(1);
    expect(state.printed.some((line) => line.includes('  500  '))).toBe(true);
  });

  it('asks a service again that does not answer, and ends with the reason of a refusal', async () => {
    const { state, run } = useFeed([event(1)]);
    state.service = [503, 429];
    await run();
    expect(state.got).toHaveLength(1);
    const refused = useFeed([]);
    refused.state.service = [401];
    await expect(refused.run()).rejects.toThrow(new ListenError('The service responded with 401: No "such" key.'));
  });
});

describe('the command line', () => {
  const given = ['--url', 'https://review.example.org/', '--key', 'csk_1'];

  it.each(['http://localhost:8000/hook', 'http://127.0.0.1:1/', 'http://[::1]:8000/'])('takes %s', (target) => {
    expect(readListenArguments([...given, target])).toEqual({
      ...{ baseUrl: 'https://review.example.org', apiKey: 'csk_1', target, fromStart: false },
    });
  });

  it.each([
    [['https://example.org/hook']],
    [['http://localhost.example.org/']],
    [['http://127.0.0.1.example.org/']],
    [['file:///etc/passwd']],
    [['localhost:8000']],
    [[]],
    [['http://localhost:1/', 'http://localhost:2/']],
    [['--nope', 'http://localhost:1/']],
  ])('refuses %j', (args) => {
    expect(() => readListenArguments([...given, ...args])).toThrow(UsageError);
  });
});
