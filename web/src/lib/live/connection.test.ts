// @vitest-environment happy-dom
// The live connection in the page: the state and its timing, and the effect of interruptions on presence.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { UserPresence } from '@countersign/shared/sockets';
import { whenSessionMissing } from '../api/client.ts';
import { live } from './connection.svelte.ts';

const wire = vi.hoisted(() => {
  type Listener = (...args: never[]) => void;
  const listeners = new Map<string, Listener[]>();
  const socket = {
    connected: false,
    active: true,
    sent: [] as unknown[],
    on: (event: string, listener: Listener) => void listeners.set(event, [...(listeners.get(event) ?? []), listener]),
    emit: (_: string, where: unknown) => void socket.sent.push(where),
    asked: [] as string[],
    connect: () => (socket.asked.push('connect'), socket),
    disconnect: () => (socket.asked.push('disconnect'), socket),
    forget: () => {
      listeners.clear();
      socket.asked = [];
    },
    /** Simulates an event of the server or the network. */
    does: (event: string, ...args: unknown[]) => {
      socket.connected = event === 'connect' || (event !== 'disconnect' && socket.connected);
      for (const listener of listeners.get(event) ?? []) listener(...(args as never[]));
    },
  };
  return socket;
});
const opened = vi.hoisted(() => vi.fn());
vi.mock('socket.io-client', () => ({ io: (options: unknown) => (opened(options), wire) }));

type Options = Record<'reconnectionDelayMax' | 'randomizationFactor', number>;
const ana: UserPresence = { user_id: 'ana', name: 'Ana', idle: false, viewing: ['7'] };
const ROOMS = [{ project_id: 'north', seq: 1 }];
const settled = () => vi.advanceTimersByTimeAsync(0);
const names = () => live.presence.others('me', null).map(({ name }) => name);

async function connect(): Promise<void> {
  wire.does('connect');
  wire.does('rooms', ROOMS);
  await settled();
}

beforeEach(async () => {
  vi.useFakeTimers();
  wire.sent = [];
  live.start();
  await connect();
  wire.does('presence', { project_id: 'north', snapshot: true, online: [ana], left: [] });
});
afterEach(() => {
  live.stop();
  wire.forget();
  vi.useRealTimers();
});

describe('QU4: the first connection', () => {
  let read: number;
  let stop: () => void;
  beforeEach(() => {
    read = 0;
    stop = live.onResync(() => void (read += 1));
    live.stop();
    wire.forget();
  });
  afterEach(() => stop());

  it.each<[string, typeof ROOMS | null, number]>([
    ['reads nothing again where nothing has happened since', ROOMS, 0],
    ['reads everything again after an event', [{ project_id: 'north', seq: 0 }], 1],
    ['reads everything again for a new project', [], 1],
    ['reads everything again instead of one that is gone', [...ROOMS, { project_id: 'south', seq: 1 }], 1],
    ['reads everything again for another project', [{ project_id: 'south', seq: 1 }], 1],
    ['reads everything again where the positions are not known', null, 1],
  ])('%s', async (_, readAt, expected) => {
    live.start(readAt);
    await connect();
    expect([live.state, read]).toEqual(['live', expected]);
    wire.does('disconnect', 'transport close');
    await connect();
    expect([live.state, read]).toEqual(['live', expected + 1]);
  });

  it('reads everything again when it took so long that the page showed it as lost', async () => {
    live.start(ROOMS);
    wire.does('connect_error', new Error('websocket error'));
    await vi.advanceTimersByTimeAsync(3000);
    read = 0;
    await connect();
    expect(read).toBe(1);
  });
});

describe('QU4: a lost connection', () => {
  it('is not shown for a second, shows as reconnecting then, and as offline after three', async () => {
    expect(live.state).toBe('live');
    wire.does('disconnect', 'transport close');
    vi.advanceTimersByTime(999);
    expect(live.state).toBe('live');
    vi.advanceTimersByTime(1);
    expect(live.state).toBe('reconnecting');
    vi.advanceTimersByTime(2000);
    expect(live.state).toBe('offline');
    wire.does('connect');
    wire.does('rooms', ROOMS);
    expect(live.state).toBe('resyncing');
    await settled();
    expect(live.state).toBe('live');
  });

  it('retains presence through a short interruption, and clears it when it lasts', async () => {
    wire.does('disconnect', 'transport close');
    vi.advanceTimersByTime(1500);
    await connect();
    expect(names()).toEqual(['Ana']);
    wire.does('disconnect', 'transport close');
    vi.advanceTimersByTime(3000);
    expect(names()).toEqual([]);
  });

  it('is retried within a second, and not by all pages at the same moment', () => {
    const { reconnectionDelayMax: most, randomizationFactor: jitter } = opened.mock.lastCall?.[0] as Options;
    expect(most).toBeLessThanOrEqual(1000);
    expect(jitter).toBeGreaterThan(0);
  });

  it.each([
    ['the network is back', () => window.dispatchEvent(new Event('online'))],
    ['the tab is visible again', () => document.dispatchEvent(new Event('visibilitychange'))],
  ])('is retried at once when %s, and only when it was lost', (_, happens) => {
    happens();
    expect(wire.asked).toEqual([]);
    wire.does('disconnect', 'transport close');
    happens();
    // Only a connection that was given up restarts before its scheduled time.
    expect(wire.asked).toEqual(['disconnect', 'connect']);
    live.stop();
    wire.asked = [];
    happens();
    expect(wire.asked).toEqual([]);
  });

  it("reports this tab's presence again", async () => {
    live.presence.show({ id: '7', project_id: 'north' });
    vi.advanceTimersByTime(1000);
    const there = { project_id: 'north', item_id: '7', idle: false };
    expect(wire.sent).toEqual([there]);
    wire.does('disconnect', 'transport close');
    await connect();
    vi.advanceTimersByTime(1000);
    expect(wire.sent).toEqual([there, there]);
    live.presence.show(null);
  });
});

describe('A12: a handshake that fails', () => {
  const over = vi.fn();
  const asked: string[] = [];
  let stopListening = (): void => undefined;
  beforeEach(() => {
    over.mockClear();
    asked.length = 0;
    stopListening = whenSessionMissing(over);
    vi.stubGlobal('fetch', (url: string) => {
      asked.push(url);
      const problem = { status: 401, code: 'session_missing', title: '', detail: '' };
      return Promise.resolve(new Response(JSON.stringify(problem), { status: 401 }));
    });
  });
  afterEach(() => {
    stopListening();
    vi.unstubAllGlobals();
  });

  it('makes the page check its session, at once and then every five seconds', async () => {
    wire.does('connect_error', new Error('websocket error'));
    await settled();
    expect([asked, over.mock.calls.length]).toEqual([['/api/session'], 1]);
    wire.does('connect_error', new Error('websocket error'));
    await settled();
    expect(asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(5000);
    wire.does('connect_error', new Error('websocket error'));
    await settled();
    expect(asked).toHaveLength(2);
    await connect();
    wire.does('connect_error', new Error('websocket error'));
    await settled();
    expect(asked).toHaveLength(3);
  });

  it('checks nothing when the server named the cause', async () => {
    for (const message of ['too_many_sockets', 'unavailable']) wire.does('connect_error', new Error(message));
    await settled();
    expect([asked, over.mock.calls.length]).toEqual([[], 0]);
    wire.does('connect_error', new Error('session_missing'));
    await settled();
    expect([asked, over.mock.calls.length]).toEqual([[], 1]);
  });
});

describe('QU12: without a connection, while the service answers', () => {
  let status = 200;
  let read = 0;
  let stop: () => void;
  beforeEach(() => {
    [status, read] = [200, 0];
    stop = live.onResync(() => void (read += 1));
    vi.stubGlobal('fetch', () => {
      if (status === 0) return Promise.reject(new TypeError('The network is down.'));
      const body = { status, code: 'unavailable', title: '', detail: '', user: null };
      return Promise.resolve(new Response(JSON.stringify(body), { status }));
    });
  });
  afterEach(() => {
    stop();
    vi.unstubAllGlobals();
  });
  const fail = (message = 'websocket error') => wire.does('connect_error', new Error(message));
  const afresh = () => (live.stop(), wire.forget(), live.start());
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

  it('reads everything again every fifteen seconds while visible, and shows polling instead of offline', async () => {
    fail();
    await pass(3000);
    expect([live.state, live.tooMany, read]).toEqual(['polling', false, 1]);
    await pass(30_000);
    expect([live.state, read]).toEqual(['polling', 3]);
    // Nothing is read while the page is hidden.
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
    await pass(60_000);
    vi.restoreAllMocks();
    await connect();
    await pass(60_000);
    expect([live.state, read]).toEqual(['live', 4]);
  });

  it.each([0, 503])('shows offline when the service does not answer (%d), and recovers when it does', async (first) => {
    status = first;
    fail();
    await pass(3000);
    expect([live.state, read]).toEqual(['offline', 0]);
    status = 200;
    await pass(5000);
    expect([live.state, read]).toEqual(['polling', 1]);
    status = first;
    await pass(5000);
    expect(live.state).toBe('offline');
  });

  it('QU12: tells whose session the browser has, at every check and until it is stopped', async () => {
    const seen: unknown[] = [];
    const stopSessions = live.onSession(({ user }) => seen.push(user));
    fail();
    await pass(3000);
    const known = seen.length;
    expect([live.state, known > 0]).toEqual(['polling', true]);
    await pass(5000);
    expect(seen).toHaveLength(known + 1);
    // An answer that arrives after the user has signed out says nothing about this page.
    const late = Promise.withResolvers<Response>();
    vi.stubGlobal('fetch', () => late.promise);
    await pass(5000);
    live.stop();
    late.resolve(new Response(JSON.stringify({ user: null })));
    await settled();
    expect(seen).toHaveLength(known + 1);
    stopSessions();
  });

  it('says so when this is one tab too many', async () => {
    fail('too_many_sockets');
    await pass(3000);
    expect([live.state, live.tooMany]).toEqual(['polling', true]);
  });

  it('is never shown as offline on the way, also where the connection just ends', async () => {
    const states = new Set<string>();
    wire.does('disconnect', 'transport close');
    for (let ms = 0; ms < 4000; ms += 100) {
      await pass(100);
      states.add(live.state);
    }
    expect([...states]).toEqual(['live', 'reconnecting', 'polling']);
  });

  it('shows polling on a page that never had a connection, however often connecting fails', async () => {
    afresh();
    for (let ms = 0; ms < 3500; ms += 500) {
      fail();
      await pass(500);
    }
    expect([live.state, read]).toEqual(['polling', 1]);
  });

  it('shows polling where upgrades are swallowed and no answer arrives', async () => {
    afresh();
    await pass(6000 + 5000);
    expect(live.state).toBe('polling');
  });
});

describe('PR1: presence in the page', () => {
  it('clears a project the user has left, when notified and when it turns out later', async () => {
    wire.does('presence', {
      project_id: 'south',
      snapshot: true,
      online: [{ ...ana, name: 'Bo', user_id: 'bo' }],
      left: [],
    });
    expect(names()).toEqual(['Ana', 'Bo']);
    wire.does('resync', { project_id: 'south', reason: 'membership' });
    expect(names()).toEqual(['Ana']);
    wire.does('disconnect', 'transport close');
    wire.does('connect');
    wire.does('rooms', []);
    await settled();
    expect(names()).toEqual([]);
  });

  it('is cleared with the session', () => {
    live.stop();
    expect(names()).toEqual([]);
  });
});

it('LC6: shows live assignment as degraded for as long as the server says so', () => {
  expect(live.degraded).toBe(false);
  wire.does('assignment', { degraded: true });
  expect(live.degraded).toBe(true);
  wire.does('assignment', { degraded: false });
  expect(live.degraded).toBe(false);
});
