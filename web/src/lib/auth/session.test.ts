// The session state of the page: what ends it, what does not, and which user it belongs to after another tab signed in.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { reportSessionMissing } from '../api/client.ts';
import { session } from './session.svelte.ts';

const ME = { id: '00000000-0000-7000-8000-000000000001', address: '7xKX', name: null };
const OTHER = { ...ME, id: '00000000-0000-7000-8000-000000000002' };
const held = (user: typeof ME) => ({
  user,
  expires_at: '2026-11-20T14:02:31.000Z',
  offered: false,
  positions: null,
  abilities: { create_project: true },
});
const answer = (status: number, body?: object) =>
  new Response(body && JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
const NOBODY = answer.bind(null, 401, { status: 401, code: 'session_missing' });

const reload = vi.fn();
/** What the page shows that a reload may lose. */
let shown: { querySelector: () => unknown }[] = [];
const fetched = vi.fn<() => Promise<Response>>();

beforeEach(() => {
  vi.stubGlobal('location', { reload });
  shown = [];
  vi.stubGlobal('document', { querySelector: () => null, querySelectorAll: () => shown });
  vi.stubGlobal('fetch', fetched);
  session.user = null;
  session.begin(held(ME));
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetAllMocks();
});

describe('the end of a session', () => {
  it('is set by the first part of the page that learns of it', () => {
    reportSessionMissing();
    expect(session.state).toBe('ended');
  });

  it('is no surprise to a user who signs out: the live connection may learn of it before the answer arrives', async () => {
    const seen: string[] = [];
    fetched.mockImplementation(async () => {
      reportSessionMissing();
      seen.push(session.state);
      return answer(204);
    });
    await session.signOut();
    expect([...seen, session.state]).toEqual(['signed_in', 'signed_out']);
  });

  it('QU3: stays when the user is asked before something is lost, and does not leave', async () => {
    let leaves = false;
    const stop = session.askBeforeSignOut(() => Promise.resolve(leaves));
    fetched.mockResolvedValue(answer(204));
    const calls = fetched.mock.calls.length;
    await session.signOut();
    expect([session.state, fetched.mock.calls.length]).toEqual(['signed_in', calls]);
    leaves = true;
    await session.signOut();
    expect([session.state, fetched.mock.calls.length]).toEqual(['signed_out', calls + 1]);
    stop();
    leaves = false;
    await session.signOut();
    expect(fetched.mock.calls.length).toBe(calls + 2);
  });

  it('is a surprise again after signing out has failed', async () => {
    fetched.mockRejectedValue(new Error('offline'));
    await expect(session.signOut()).rejects.toThrow();
    expect(session.state).toBe('signed_in');
    reportSessionMissing();
    expect(session.state).toBe('ended');
  });
});

describe('reading the session while a page waits for its user', () => {
  it.each([
    ['nobody is signed in', () => Promise.resolve(NOBODY())],
    ['no answer arrives', () => Promise.reject(new Error('offline'))],
  ])('leaves the page as it is when %s', async (_, fetching) => {
    reportSessionMissing();
    fetched.mockImplementation(fetching);
    await session.load();
    expect(session.state).toBe('ended');
  });

  it('continues when the same user has signed in again', async () => {
    reportSessionMissing();
    fetched.mockResolvedValue(answer(200, held(ME)));
    await session.load();
    expect(session.state).toBe('signed_in');
  });

  it('QU4: names no positions then: they are later than what the page has read', async () => {
    const positions = [{ project_id: ME.id, seq: 7 }];
    reportSessionMissing();
    fetched.mockResolvedValue(answer(200, { ...held(ME), positions }));
    await session.load();
    expect(session.takePositions()).toBeNull();
    session.state = 'signed_out';
    fetched.mockResolvedValue(answer(200, { ...held(ME), positions }));
    await session.load();
    expect(session.takePositions()).toEqual(positions);
  });
});

describe('checking the session', () => {
  it('continues when the same user has signed in meanwhile', async () => {
    reportSessionMissing();
    fetched.mockResolvedValue(answer(200, held(ME)));
    await session.check();
    expect(session.state).toBe('signed_in');
    expect(reload).not.toHaveBeenCalled();
  });

  it('reloads the page when the session is another user’s', async () => {
    fetched.mockResolvedValue(answer(200, held(OTHER)));
    await session.check();
    expect(reload).toHaveBeenCalledOnce();
  });

  it.each(['signed_in', 'ended'] as const)(
    'QU12: asks for a reload once where one would lose something (%s)',
    (state) => {
      session.state = state;
      shown = [{ querySelector: () => null }];
      session.recognize(held(OTHER));
      shown = [];
      session.recognize(held(OTHER));
      session.recognize(held(ME));
      expect([session.state, session.user?.id, reload.mock.calls.length]).toEqual(['replaced', ME.id, 0]);
    },
  );

  it('QU12: reloads once, and asks for nothing where nothing would be lost', () => {
    session.recognize(held(OTHER));
    session.recognize(held(OTHER));
    expect([session.state, reload.mock.calls.length]).toEqual(['reloading', 1]);
  });

  it('changes nothing without an answer, and ends without a session', async () => {
    fetched.mockRejectedValueOnce(new Error('offline'));
    await session.check();
    expect(session.state).toBe('signed_in');
    fetched.mockResolvedValueOnce(NOBODY());
    await session.check();
    expect([session.state, reload.mock.calls.length]).toEqual(['ended', 0]);
  });
});
