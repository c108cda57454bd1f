// QU3 as a property: in any order of steps, typed text is sent, explicitly discarded, or still there.
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Drafts } from '#lib/drafts/drafts.ts';
import { LiveQueue } from '#lib/live/queue/live-queue.svelte.ts';
import type { DomainEvent } from '@countersign/shared/schemas/parts/events';
import { Announcer } from '../announcements/announcer.svelte.ts';
import { FakeStorage } from '#lib/storage/storage.fixture.ts';
import { FakeReviewServer, ME, PROJECT, type Outcome } from './fixtures/fake-review-server.fixture.ts';
import { LOADED } from './fixtures/review-page.fixture.ts';
import { ReviewSession } from './review-session.svelte.ts';
import { Preferences } from '../preferences.svelte.ts';
import { RecentDecisions } from '../recent/recent-decisions.svelte.ts';

const IDS = ['one', 'two', 'three'] as const;
const outcome = fc.constantFrom<Outcome>('ok', 'ok', 'down', 'lost', 500, { code: 'session_missing', status: 401 });
const id = fc.constantFrom(...IDS);
const text = fc.string({ minLength: 1, maxLength: 8 }).map((typed) => `typed ${typed}`.trim());

/** What the user does before the action is answered. */
const meanwhile = fc.constantFrom('nothing', 'peek', 'open', 'undo');

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('type' as const), text }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('note' as const), text }) },
  fc.record({ kind: fc.constant('own' as const), text }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pause' as const), ms: fc.constantFrom(10, 300, 130_000) }) },
  fc.record({ kind: fc.constantFrom('expireClaim' as const, 'takenOver' as const, 'decidedFirst' as const), id }),
  fc.record({ kind: fc.constant('released' as const), id }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('submit' as const), outcome, lookup: outcome }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('reject' as const), outcome, lookup: outcome, meanwhile }) },
  fc.record({ kind: fc.constant('retry' as const) }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('peek' as const), id }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('next' as const) }) },
  fc.record({ kind: fc.constantFrom('skip' as const, 'giveBack' as const, 'close' as const, 'resync' as const) }),
  fc.record({ kind: fc.constant('reload' as const), full: fc.boolean() }),
  fc.record({ kind: fc.constant('undo' as const), outcome, lookup: outcome }),
  fc.record({ kind: fc.constantFrom('reset' as const, 'leaveEditor' as const, 'extend' as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** One user, their pages one after the other, and the typed texts that were neither sent nor discarded. */
class Reader {
  readonly server = new FakeReviewServer();
  readonly storage = new FakeStorage();
  readonly typed = new Map<string, string>();
  readonly notes = new Map<string, string>();
  readonly ownReasons = new Map<string, string>();
  reviewSession!: ReviewSession;
  drafts!: Drafts;
  queue!: LiveQueue;
  recentDecisions!: RecentDecisions;
  #seq = 1;

  constructor() {
    for (const each of IDS) this.server.add(each);
    vi.stubGlobal('fetch', this.server.fetch);
  }

  async open(): Promise<void> {
    this.queue = new LiveQueue(ME.id, { view: 'available', projectId: null });
    await this.queue.resync();
    this.drafts = new Drafts(ME.id, this.storage);
    this.recentDecisions = new RecentDecisions(ME.id, null);
    const { drafts, queue, recentDecisions } = this;
    const parts = {
      me: ME,
      drafts,
      queue,
      recentDecisions,
      announcer: new Announcer(),
      preferences: new Preferences(),
    };
    this.reviewSession = new ReviewSession(parts, LOADED);
  }

  async take(step: Step): Promise<void> {
    this.reviewSession.prefetchNext(true);
    // The table pairs each step with its own method; the compiler cannot follow the pairing through an index.
    await (this.#steps[step.kind] as (step: Step) => unknown)(step);
    await vi.advanceTimersByTimeAsync(step.kind === 'pause' ? step.ms : 120);
    this.server.outcomes.clear();
    this.#forgetSent();
  }

  /** Types into what is editable: the editor of an item that is held, or was a moment ago. */
  #type = ({ text }: { text: string }): void => {
    const { reviewSession } = this;
    const { grant, pending, id: on } = reviewSession.item;
    if (grant === null || pending || on === null) return;
    reviewSession.startEdit();
    if (reviewSession.edit === null) return;
    const carriedNote = this.notes.get(on);
    if (carriedNote !== undefined && reviewSession.edit.note === carriedNote) this.notes.delete(on);
    reviewSession.edit.text = text;
    reviewSession.edit.changed();
    this.typed.set(on, text);
  };

  #write = (field: 'note' | 'own', { text }: { text: string }): void => {
    const { reviewSession } = this;
    if (reviewSession.item.id === null || !reviewSession.reasonPrompt.noteAllowed() || reviewSession.item.pending)
      return;
    if (field === 'note') reviewSession.reasonPrompt.openNote();
    else reviewSession.reasonPrompt.own = '';
    reviewSession.reasonPrompt[field] = text;
    (field === 'note' ? this.notes : this.ownReasons).set(reviewSession.item.id, text);
  };

  #steps = {
    type: this.#type,
    note: (typed: { text: string }) => this.#write('note', typed),
    own: (typed: { text: string }) => this.#write('own', typed),
    pause: () => undefined,
    expireClaim: ({ id: on }: { id: string }) => {
      if (this.server.of(on).detail.claim !== null)
        this.#receiveEvent(on, 'claim.expired', () => this.server.expireClaim(on));
    },
    released: ({ id: on }: { id: string }) => {
      if (this.server.of(on).detail.claim?.user_id === 'ana')
        this.#receiveEvent(on, 'claim.released', () => this.server.expireClaim(on));
    },
    takenOver: ({ id: on }: { id: string }) => {
      if (isOpen(this.server, on)) this.#receiveEvent(on, 'item.claimed', () => this.server.takenBy(on, 'Ana'));
    },
    decidedFirst: ({ id: on }: { id: string }) => {
      if (isOpen(this.server, on)) this.#receiveEvent(on, 'item.decided', () => this.server.decidedBy(on, 'Ana'));
    },
    submit: async (how: { outcome: Outcome; lookup: Outcome }) => {
      const { edit } = this.reviewSession;
      if (edit === null) return;
      this.#setOutcome(how);
      const note = edit.note.trim();
      await this.reviewSession.decide('edit', {
        output: edit.text,
        reason: 'Wrong fact',
        ...(note === '' ? {} : { note }),
      });
    },
    reject: async ({ meanwhile, ...how }: { outcome: Outcome; lookup: Outcome; meanwhile: string }) => {
      this.#setOutcome(how);
      const own = this.reviewSession.reasonPrompt.notes.own.trim();
      const deciding = this.reviewSession.decide('reject', { reason: own === '' ? 'Wrong fact' : own });
      if (meanwhile === 'peek') await this.reviewSession.peek('three');
      if (meanwhile === 'open') await this.reviewSession.claim('three');
      if (meanwhile === 'undo') await this.#undo();
      await deciding;
    },
    retry: () => this.reviewSession.failure?.retry?.(),
    peek: ({ id: on }: { id: string }) => this.reviewSession.peek(on).then(() => this.reviewSession.extend()),
    next: () => this.reviewSession.next(),
    skip: () => this.reviewSession.skip(),
    giveBack: () => this.reviewSession.giveBack(),
    close: () => this.reviewSession.close(),
    resync: () => {
      this.reviewSession.resync();
      return this.queue.resync();
    },
    reload: async ({ full }: { full: boolean }) => {
      const on = this.reviewSession.item.id;
      // As a page does when it closes.
      this.reviewSession.edit?.save();
      await this.open();
      this.storage.full = full && this.typed.size === 0 && this.notes.size === 0 && this.ownReasons.size === 0;
      if (on !== null) await this.reviewSession.peek(on);
      this.storage.full = false;
    },
    undo: ({ outcome: undo, lookup }: { outcome: Outcome; lookup: Outcome }) => {
      this.server.outcomes.set('/undo', undo).set('GET /api/items', lookup);
      return this.#undo();
    },
    reset: () => {
      if (this.reviewSession.edit === null || this.reviewSession.item.id === null) return;
      this.typed.delete(this.reviewSession.item.id);
      this.reviewSession.edit.reset();
    },
    leaveEditor: () => this.reviewSession.stopEdit(),
    extend: () => this.reviewSession.extend(),
  } satisfies { [K in Step['kind']]: (step: Extract<Step, { kind: K }>) => unknown };

  async #undo(): Promise<void> {
    const recent = this.recentDecisions.newest(Date.now());
    if (recent === null) return;
    await this.reviewSession.undo(recent);
    this.#forgetSent();
    const undone = this.recentDecisions.of(recent.itemId)?.state === 'undone';
    if (undone && recent.draft !== null && !this.typed.has(recent.itemId))
      this.typed.set(recent.itemId, recent.draft.text);
  }

  #setOutcome({ outcome: decision, lookup }: { outcome: Outcome; lookup: Outcome }): void {
    this.server.outcomes.set('/decision', decision);
    if (decision === 'down' || decision === 'lost') this.server.outcomes.set('GET /api/items', lookup);
  }

  #receiveEvent(on: string, type: DomainEvent['type'], happen: () => void): void {
    happen();
    const { detail } = this.server.of(on);
    const envelope = { seq: ++this.#seq, server_time: new Date().toISOString(), project_id: PROJECT };
    const what = { item_id: on, version: detail.version, actor: { kind: 'member', id: 'ana', name: 'Ana' } };
    const more = { status: detail.status, action: 'reject', reason: null, undo_until: null, expires_at: null };
    const event = { type, ...envelope, ...what, ...more } as unknown as DomainEvent;
    this.queue.dispatch({ kind: 'events', events: [event] });
    this.reviewSession.item.receive(event);
  }

  /** Text that had effect on the server was sent. */
  #forgetSent(): void {
    for (const { id: on, action, output, note = '', reason = '' } of this.server.decisions.splice(0)) {
      if (action === 'edit' && this.typed.get(on) === output) this.typed.delete(on);
      if (note.includes(this.notes.get(on) ?? ' none ')) this.notes.delete(on);
      if (reason === this.ownReasons.get(on)?.trim()) this.ownReasons.delete(on);
    }
  }

  /** The text that a page has now. */
  shows(on: string) {
    const { edit, item, reasonPrompt } = this.reviewSession;
    const draft = this.drafts.read(on);
    const editing = edit?.item.id === on ? edit : null;
    const notes = item.id === on ? reasonPrompt.notes : this.drafts.notes(on);
    const note = [notes.note, editing?.note ?? draft?.note ?? ''].join('\n');
    return { text: editing?.text ?? draft?.text, note, own: notes.own };
  }
}

const isOpen = (server: FakeReviewServer, on: string): boolean =>
  ['queued', 'escalated'].includes(server.of(on).detail.status);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('QU3: no typed text is lost in any order of steps', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
      const reader = new Reader();
      await reader.open();
      await reader.reviewSession.claim('one');
      for (const each of steps) {
        await reader.take(each);
        for (const [on, typed] of reader.typed) expect(reader.shows(on).text).toBe(typed);
        for (const [on, note] of reader.notes) expect(reader.shows(on).note).toContain(note);
        for (const [on, own] of reader.ownReasons) expect(reader.shows(on).own).toBe(own);
        // Nothing waits forever: once everything is answered, the review session is usable.
        expect([reader.reviewSession.busy, reader.reviewSession.item.pending]).toEqual([null, false]);
      }
      // Also after the page is gone, in the same browser.
      reader.reviewSession.edit?.save();
      await reader.open();
      for (const [on, typed] of reader.typed) expect(reader.drafts.read(on)?.text).toBe(typed);
      for (const [on, own] of reader.ownReasons) expect(reader.drafts.notes(on).own).toBe(own);
    }),
    { numRuns: 300 },
  );
});
