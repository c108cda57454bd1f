// Bulk decisions: the claim is all or nothing, each item is decided separately, and leftovers are reported.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Drafts } from '#lib/drafts/drafts.ts';
import { ANA, EventLog, ME, PROJECTS, type Act } from '#lib/live/queue/event-log.fixture.ts';
import { LiveQueue } from '#lib/live/queue/live-queue.svelte.ts';
import { Announcer } from '../announcements/announcer.svelte.ts';
import { preferences } from '../preferences.svelte.ts';
import { Selection } from './selection.svelte.ts';
import { BulkDecision } from './bulk-decision.svelte.ts';
import { ownRemoval } from '../session/review-requests.ts';
import { RecentDecisions } from '../recent/recent-decisions.svelte.ts';

const ARRIVALS: Act[] = Array.from({ length: 5 }, () => ({ what: 'arrive', pick: 1, who: ANA }));
const PROJECT = PROJECTS[1];
const USER = { id: ME, address: 'A', name: 'Me' };
const APPROVE = { projectId: PROJECT, action: 'approve', reason: null } as const;

interface Sent {
  what: 'bulk-claim' | 'decision' | 'release';
  id: string;
  body: Record<string, unknown>;
}

let sent: Sent[];
/** The server's answer to one item's decision or release, in place of success. */
let answers: Map<string, () => Response | Promise<Response>>;
let claimResponse: (() => Response) | null;
let queue: LiveQueue;
let recentDecisions: RecentDecisions;
let selection: Selection;
let bulkDecision: BulkDecision;

const problem = (status: number, code: string, rest: object = {}) =>
  Response.json({ status, code, title: 'No', detail: 'No.', request_id: 'r', ...rest }, { status });
const idOf = (path: string) => /items\/([^/]+)\//.exec(path)?.[1] ?? '';

function answer(path: string, { method, body: text }: RequestInit): Response | Promise<Response> {
  const body = JSON.parse(typeof text === 'string' ? text : '{}') as Record<string, unknown>;
  if (path.endsWith('bulk-claim')) {
    sent.push({ what: 'bulk-claim', id: '', body });
    const ids = body.item_ids as string[];
    const data = ids.map((id, at) => {
      const claim = { user_id: ME, name: 'Me', expires_at: '2026-11-20T12:10:00.000Z' };
      return { item: { ...queue.state.rows.get(id), version: 2, claim }, fence: at + 1, expires_at: claim.expires_at };
    });
    return claimResponse?.() ?? Response.json({ data });
  }
  const id = idOf(path);
  sent.push({ what: method === 'DELETE' ? 'release' : 'decision', id, body });
  const configured = answers.get(id);
  if (configured !== undefined) return configured();
  if (method === 'DELETE') return new Response(null, { status: 204 });
  const row = queue.state.rows.get(id);
  return Response.json({ ...row, version: 3, status: 'approved', claim: null, undo_until: '2099-01-01T00:00:00.000Z' });
}

beforeEach(() => {
  sent = [];
  answers = new Map();
  claimResponse = null;
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => Promise.resolve(answer(path, init)));
  queue = new LiveQueue(ME, { view: 'all', projectId: null });
  queue.dispatch({ kind: 'snapshot', snapshot: new EventLog().play(ARRIVALS).snapshot(), last: true });
  recentDecisions = new RecentDecisions(ME, null);
  selection = new Selection();
  const parts = {
    me: USER,
    queue,
    recentDecisions,
    drafts: new Drafts(ME, null),
    announcer: new Announcer(),
    preferences,
  };
  bulkDecision = new BulkDecision(parts, selection);
  selection.extend(ids(), ids()[0] ?? '');
  selection.extend(ids(), ids()[4] ?? '');
});
afterEach(() => vi.unstubAllGlobals());

const ids = () => queue.entries.map(({ id }) => id);
const at = (index: number) => ids()[index] ?? '';
/** Changes what the list knows of an item. */
function put(id: string, change: object): void {
  const row = queue.state.rows.get(id);
  if (row !== undefined) queue.put({ ...row, ...change, version: row.version + 1 }, ownRemoval(USER, 'taken'));
}
const of = (what: Sent['what']) => sent.filter((each) => each.what === what).map(({ id }) => id);

describe('bulk decision', () => {
  it('LC5: claims all items in one request, then decides them one by one, each with its own fence and its own recent decision', async () => {
    const chosen = [...selection.ids];
    await bulkDecision.run({ ...APPROVE, action: 'reject', reason: 'Wrong fact' });
    expect(sent[0]).toMatchObject({ what: 'bulk-claim', body: { project_id: PROJECT, item_ids: chosen } });
    expect(of('decision')).toEqual(chosen);
    expect(sent[3]?.body).toMatchObject({ fence: 3, action: 'reject', reason: 'Wrong fact' });
    expect(recentDecisions.entries.map(({ itemId, state }) => [itemId, state])).toEqual(
      chosen.toReversed().map((id) => [id, 'saved']),
    );
    expect([bulkDecision.state, bulkDecision.done, bulkDecision.released, bulkDecision.failed.length]).toEqual([
      'over',
      5,
      0,
      0,
    ]);
    expect(selection.ids.size).toBe(0);
  });

  it('LC5: decides none when one cannot be claimed, names the blocking row and leaves the selection as it is', async () => {
    claimResponse = () =>
      problem(409, 'claim_held', {
        errors: [{ pointer: '#/item_ids/3', code: 'claim_held', detail: 'Ana holds it.' }],
      });
    await bulkDecision.run(APPROVE);
    expect(of('decision')).toEqual([]);
    expect([bulkDecision.state, bulkDecision.refused?.blockingItem, selection.ids.size]).toEqual(['idle', 'item 4', 5]);
  });

  it.each(['claim_lost', 'already_decided', 'expired'])(
    'continues after %s, and lists what was not decided',
    async (code) => {
      answers.set(at(1), () => problem(409, code));
      await bulkDecision.run(APPROVE);
      expect([bulkDecision.done, bulkDecision.failed.map(({ id }) => id)]).toEqual([4, [at(1)]]);
      expect(recentDecisions.entries.map(({ itemId }) => itemId)).not.toContain(at(1));
      expect(of('release')).toEqual([]);
    },
  );

  it('LC7, TS2: skips what the action is not possible for, says why, and leaves it selected and unclaimed', async () => {
    const chosen = [...selection.ids];
    const blocked = { allowed_actions: ['edit', 'reject'] } as const;
    const changes: object[] = [blocked, { invalid: true }, { has_suggestion: false }];
    for (const [index, change] of changes.entries()) put(at(index), change);
    await bulkDecision.run(APPROVE);
    expect([sent[0]?.body.item_ids, of('decision')]).toEqual([chosen.slice(3), chosen.slice(3)]);
    expect(bulkDecision.skipped.map(({ id, why }) => [id, why])).toEqual([
      [chosen[0], "The submission doesn't allow “Approve”."],
      [chosen[1], "The suggestion doesn't fit its schema. Edit or reject instead."],
      [chosen[2], 'There is no suggestion to approve. Write the answer or reject instead.'],
    ]);
    expect([[...selection.ids], bulkDecision.done, bulkDecision.failed]).toEqual([chosen.slice(0, 3), 2, []]);
    // Another action is possible for them.
    await bulkDecision.run({ ...APPROVE, action: 'reject', reason: 'Wrong fact' });
    expect([bulkDecision.done, bulkDecision.skipped, selection.ids.size]).toEqual([3, [], 0]);
  });

  it('claims nothing when every item is skipped', async () => {
    for (const id of ids()) put(id, { invalid: true });
    await bulkDecision.run(APPROVE);
    expect([sent, bulkDecision.state, bulkDecision.skipped.length, selection.ids.size]).toEqual([[], 'over', 5, 5]);
  });

  it.each([
    ['answer_invalid', {}],
    ['validation_failed', { errors: [{ pointer: '#/action', code: 'not_allowed', detail: 'No.' }] }],
  ])('LC7, TS2: continues after %s, and releases the item, which stays selected', async (code, rest) => {
    const impossible = at(1);
    let asked = 0;
    answers.set(impossible, () =>
      (asked += 1) === 1
        ? problem(422, code, { detail: 'Edit it instead.', ...rest })
        : new Response(null, { status: 204 }),
    );
    await bulkDecision.run(APPROVE);
    expect([of('decision').length, of('release')]).toEqual([5, [impossible]]);
    expect([bulkDecision.skipped, bulkDecision.failed]).toEqual([
      [{ id: impossible, name: 'item 2', why: 'Edit it instead.' }],
      [],
    ]);
    expect([bulkDecision.done, bulkDecision.stopped, [...selection.ids]]).toEqual([4, false, [impossible]]);
  });

  it.each([
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [429, 'rate_limited'],
    [503, 'unavailable'],
  ])('stops at %i and releases the rest, which stays selected', async (status, code) => {
    const failing = at(2);
    let asked = 0;
    answers.set(failing, () => ((asked += 1) === 1 ? problem(status, code) : new Response(null, { status: 204 })));
    const rest = ids().slice(2);
    await bulkDecision.run(APPROVE);
    expect([bulkDecision.done, bulkDecision.released, bulkDecision.failed.length]).toEqual([2, 3, 1]);
    expect(of('release')).toEqual(rest);
    expect([...selection.ids]).toEqual(rest);
  });

  it('stops on request: the decision in flight counts, and failed releases are counted too', async () => {
    const [second, last] = [at(1), at(4)];
    answers.set(second, () => {
      bulkDecision.stop();
      const row = queue.state.rows.get(second);
      return Response.json({ ...row, version: 3, status: 'approved', claim: null, undo_until: null });
    });
    answers.set(last, () => problem(503, 'unavailable'));
    await bulkDecision.run(APPROVE);
    expect([bulkDecision.state, bulkDecision.done, bulkDecision.released, bulkDecision.notReleased]).toEqual([
      'over',
      2,
      2,
      1,
    ]);
  });

  it('stops when the selection is closed, and releases the rest even where a row was unselected meanwhile', async () => {
    const [second, rest] = [at(1), ids().slice(2)];
    selection.on = true;
    answers.set(second, () => {
      selection.toggle(at(4));
      selection.clear();
      selection.leave();
      const row = queue.state.rows.get(second);
      return Response.json({ ...row, version: 3, status: 'approved', claim: null, undo_until: null });
    });
    await bulkDecision.run(APPROVE);
    expect([selection.on, bulkDecision.stopping, bulkDecision.done, bulkDecision.released]).toEqual([true, true, 2, 3]);
    expect([of('release'), [...selection.ids]]).toEqual([rest, rest]);
    selection.leave();
    expect([selection.on, selection.ids.size]).toEqual([false, 0]);
  });

  it('releases items that left the selection automatically', async () => {
    const [second, rest] = [at(1), ids().slice(2)];
    answers.set(second, () => {
      selection.narrow(() => false);
      return problem(503, 'unavailable');
    });
    await bulkDecision.run(APPROVE);
    expect(of('release').slice(1)).toEqual(rest);
  });

  it('refuses to start while another one runs', async () => {
    const parts = {
      me: USER,
      queue,
      recentDecisions,
      announcer: new Announcer(),
      preferences,
    };
    const other = new BulkDecision({ ...parts, drafts: new Drafts(ME, null) }, selection);
    await Promise.all([bulkDecision.run(APPROVE), other.run(APPROVE)]);
    expect([of('bulk-claim').length, other.state]).toEqual([1, 'idle']);
  });

  it('decides once on a second press', async () => {
    await Promise.all([bulkDecision.run(APPROVE), bulkDecision.run(APPROVE)]);
    expect([of('bulk-claim').length, of('decision').length]).toEqual([1, 5]);
  });
});

describe('selecting rows', () => {
  it('selects only rows that may be combined with the others, and says why not', () => {
    const refused: string[] = [];
    selection.clear();
    selection.refuses = (id, chosen) => (id === at(1) ? 'held' : chosen.size > 2 ? 'full' : null);
    selection.onrefused = (why) => refused.push(why);
    selection.toggle(at(1));
    expect([refused, selection.ids.size]).toEqual([['held'], 0]);
    selection.toggle(at(0));
    selection.extend(ids(), at(4));
    expect([...selection.ids]).toEqual([at(0), at(2), at(3)]);
    selection.toggle(at(0));
    expect(selection.narrow((id) => id !== at(2))).toBe(1);
    expect([...selection.ids]).toEqual([at(3)]);
  });
});
