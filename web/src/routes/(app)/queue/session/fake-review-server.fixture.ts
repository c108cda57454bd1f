// An in-memory server for tests of the review session: it stores items, claims and decisions, and fails on demand.
import type { DomainEvent } from '@countersign/shared/events';
import type { ItemDetail } from '@countersign/shared/item';
import type { Json } from '@countersign/shared/json/json';
import { ACTIONS, isMove, type ReviewAction } from '@countersign/shared/review-actions';

export const ME = { id: 'me', address: 'A', name: 'Me' };
export const PROJECT = 'p';

/**
 * The outcome of a request: `down` never arrives; `lost` has its effect and no answer; an error code is a refusal with that code;
 * a status is a server error.
 */
export type Outcome = 'ok' | 'down' | 'lost' | number | { code: string; status: number };

interface StoredItem {
  detail: ItemDetail;
  fence: number;
  expiresAt: number;
}

const LEASE_MS = 120_000;
const WINDOW_MS = 5_000;

export class FakeReviewServer {
  readonly items = new Map<string, StoredItem>();
  /** Every decision that had effect, in order. */
  readonly decisions: { id: string; action: ReviewAction; output?: Json; reason?: string; note?: string }[] = [];
  /** Every request, as `POST /api/items/one/claim`. */
  readonly requests: string[] = [];
  /** The outcome of requests whose line contains this text; the first match counts. */
  outcomes = new Map<string, Outcome>();
  /** Requests whose line contains one of these wait until they are released. */
  held = new Set<string>();
  /** Requests whose line contains one of these have their effect at once, and their answer waits until it is released. */
  slow = new Set<string>();
  #waiting: { line: string; go: () => void }[] = [];
  /** Outdated answers: the next requests for an item get them instead of its present state. */
  stale: Response[] = [];
  /** The free item that `claim-next` gives; by default the first one. */
  picks: string | null = null;
  /** Whether the user may decide escalated items: `claim-next` then gives those first. */
  supervises = false;
  /** The events the server returns for any item. */
  history: readonly DomainEvent[] = [];

  add(id: string, more: Partial<ItemDetail> = {}): this {
    const at = new Date(1_700_000_000_000 + this.items.size * 1000).toISOString();
    const detail = {
      id,
      project_id: PROJECT,
      status: 'queued',
      preview: `Preview of ${id}`,
      confidence: 0.7,
      risk_flags: [],
      model: null,
      source: null,
      created_at: at,
      due_at: at,
      version: 1,
      claim: null,
      input: `Input of ${id}`,
      suggestion: `Suggestion of ${id}`,
      metadata: null,
      routing: { rule: 'RT3', auto_threshold: 0.9, review_threshold: 0.5, matched_flags: [], settings_version: 1 },
      decision: null,
      decided_by: null,
      audited: false,
      undo_until: null,
      emptied_at: null,
      abilities: {},
      ...more,
    } as unknown as ItemDetail;
    this.items.set(id, { detail, fence: 0, expiresAt: 0 });
    return this;
  }

  of(id: string): StoredItem {
    const stored = this.items.get(id);
    if (stored === undefined) throw new Error(`There is no item ${id}.`);
    return stored;
  }

  /** Another user holds the item from now on. */
  takenBy(id: string, name: string): void {
    this.#hold(this.of(id), name.toLowerCase(), name);
  }

  /** The lease ends and nobody holds the item. */
  expireClaim(id: string): void {
    this.#change(this.of(id), { claim: null });
  }

  /** Another user decides the item. */
  decidedBy(id: string, name: string): void {
    this.#decide(this.of(id), { fence: 0, action: 'reject', reason: 'Wrong fact' }, name);
  }

  releaseHeld(): void {
    this.held.clear();
    this.releaseHeldMatching('');
  }

  /** Releases only the requests whose line contains this text. */
  releaseHeldMatching(part: string): void {
    const all = this.#waiting.splice(0);
    this.#waiting = all.filter(({ line }) => !line.includes(part));
    for (const { line, go } of all) if (line.includes(part)) go();
  }

  /** Replaces `fetch`. */
  fetch = async (path: string, { method = 'GET', body, signal }: RequestInit): Promise<Response> => {
    const line = `${method} ${path}`;
    this.requests.push(line);
    const fits = ([part]: [string, Outcome]) => line.includes(part);
    if ([...this.held].some((part) => line.includes(part))) await this.#waitForRelease(line, signal);
    signal?.throwIfAborted();
    const outcome = [...this.outcomes].find(fits)?.[1] ?? 'ok';
    if (outcome === 'down') throw new TypeError("The test's server is unreachable.");
    if (typeof outcome === 'number') return problem({ status: outcome, code: 'internal' });
    if (typeof outcome === 'object') return problem(outcome);
    const input = typeof body === 'string' ? (JSON.parse(body) as Record<string, never>) : {};
    const answer =
      (line.includes('/items/') && !line.endsWith('/history') && this.stale.shift()) || this.#answer(line, input);
    if (outcome === 'lost') throw new TypeError("The test's server is unreachable.");
    if ([...this.slow].some((part) => line.includes(part))) await this.#waitForRelease(line, signal);
    return answer;
  };

  #waitForRelease(line: string, signal: AbortSignal | null | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ line, go: resolve });
      signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
    });
  }

  #answer(line: string, body: Record<string, never>): Response {
    const [method, path = ''] = line.split(' ');
    if (path.startsWith('/api/queue/claim-next')) return this.#claimNext();
    if (path.startsWith('/api/queue')) return this.#list();
    const [, , , id = '', ...pathSegments] = path.split('/');
    const stored = this.of(id);
    const route = `${method} ${pathSegments.join('/')}`;
    if (route === 'GET ') return Response.json(stored.detail);
    if (route === 'GET history') return Response.json({ data: this.history, next_cursor: null });
    if (route === 'DELETE claim') return this.#release(stored);
    if (route === 'POST claim/renew') return this.#renew(stored, body as never);
    if (route === 'POST claim' || route === 'POST claim/take-over') return this.#claim(stored, route !== 'POST claim');
    if (route === 'POST decision') return this.#decide(stored, body as never, ME.name);
    if (route === 'POST decision/undo') return this.#undo(stored);
    throw new Error(`The test's server does not know ${line}.`);
  }

  #list(): Response {
    const data = [...this.items.values()].map(({ detail }) => detail).filter(({ status }) => isOpen(status));
    const counts = { available: data.length, mine: 0, escalated: 0, all: data.length };
    return Response.json({ data, next_cursor: null, seq: 1, seqs: { [PROJECT]: 1 }, counts, until: null });
  }

  #claimNext(): Response {
    const items = [...this.items.values()].filter(({ detail }) => detail.claim === null);
    const queued = items.filter(({ detail }) => detail.status === 'queued');
    const free = this.supervises ? [...items.filter(({ detail }) => detail.status === 'escalated'), ...queued] : queued;
    const stored = free.find(({ detail }) => detail.id === this.picks) ?? free[0];
    return stored === undefined ? new Response(null, { status: 204 }) : this.#claim(stored, false);
  }

  #claim(stored: StoredItem, force: boolean): Response {
    const { claim, status } = stored.detail;
    if (!isOpen(status)) return problem({ status: 409, code: 'already_decided' });
    if (!force && claim !== null && claim.user_id !== ME.id) return problem({ status: 409, code: 'claim_held' });
    if (claim?.user_id !== ME.id) this.#hold(stored, ME.id, ME.name);
    return this.#grant(stored);
  }

  #renew(stored: StoredItem, { fence }: { fence: number }): Response {
    if (!isOpen(stored.detail.status)) return problem({ status: 409, code: 'already_decided' });
    if (stored.detail.claim?.user_id !== ME.id || fence !== stored.fence)
      return problem({ status: 409, code: 'claim_lost' });
    return this.#grant(stored);
  }

  #grant({ detail, fence, expiresAt }: StoredItem): Response {
    return Response.json({ item: detail, fence, expires_at: new Date(expiresAt).toISOString() });
  }

  #hold(stored: StoredItem, user_id: string, name: string): void {
    stored.fence += 1;
    stored.expiresAt = Date.now() + LEASE_MS;
    this.#change(stored, { claim: { user_id, name, expires_at: new Date(stored.expiresAt).toISOString() } });
  }

  #release(stored: StoredItem): Response {
    if (stored.detail.claim?.user_id === ME.id) this.#change(stored, { claim: null });
    return new Response(null, { status: 204 });
  }

  #decide(
    stored: StoredItem,
    body: { fence: number; action: ReviewAction; output?: Json; reason?: string; note?: string },
    by: string,
  ): Response {
    const { detail } = stored;
    const own = by === ME.name;
    if (!isOpen(detail.status)) return problem({ status: 409, code: 'already_decided' });
    // The fence decides: an expired lease is still valid while nobody else has claimed the item.
    if (own && body.fence !== stored.fence) return problem({ status: 409, code: 'claim_lost' });
    const { action, output = detail.suggestion, reason = null, note = null } = body;
    if (own) this.decisions.push({ id: detail.id, ...body });
    if (isMove(action)) {
      this.#change(stored, { status: ACTIONS[action].to, claim: null });
      return Response.json(stored.detail);
    }
    const decided_at = new Date().toISOString();
    const decision = { id: 'd', action, output, reason, note, edited: action === 'edit', decided_at };
    const reviewer_id = own ? ME.id : by.toLowerCase();
    this.#change(stored, {
      status: ACTIONS[action].to,
      claim: null,
      decision: { ...decision, status: ACTIONS[action].to, reviewer_id },
      decided_by: by,
      undo_until: new Date(Date.now() + WINDOW_MS).toISOString(),
    });
    return Response.json(stored.detail);
  }

  #undo(stored: StoredItem): Response {
    const { undo_until } = stored.detail;
    if (undo_until === null || Date.parse(undo_until) <= Date.now())
      return problem({ status: 409, code: 'undo_window_passed' });
    this.#change(stored, { status: 'queued', decision: null, decided_by: null, undo_until: null });
    return Response.json(stored.detail);
  }

  #change(stored: StoredItem, change: Partial<ItemDetail>): void {
    stored.detail = { ...stored.detail, ...change, version: stored.detail.version + 1 };
  }
}

const isOpen = (status: string): boolean => status === 'queued' || status === 'escalated';

const problem = ({ status, code }: { status: number; code: string }): Response =>
  Response.json({ status, code, title: code, detail: `${code}.`, request_id: 'r' }, { status });
