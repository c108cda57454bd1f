// QU3 as a property: in whatever order things happen, what was typed and not sent is there, or was deliberately thrown away.
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Drafts } from '#lib/drafts.ts';
import { LiveQueue } from '#lib/live/queue.svelte.ts';
import type { Fact } from '@countersign/shared/events';
import { Announcer } from './announcer.svelte.ts';
import { FakeStorage } from '#lib/storage.fixture.ts';
import { DeskServer, ME, PROJECT, type Fate } from './desk-server.fixture.ts';
import { Desk } from './desk.svelte.ts';
import { Preferences } from './preferences.svelte.ts';
import { Tray } from './tray.svelte.ts';

const IDS = ['one', 'two', 'three'] as const;
const fate = fc.constantFrom<Fate>('ok', 'ok', 'down', 'lost', 500, { code: 'session_missing', status: 401 });
const id = fc.constantFrom(...IDS);
const text = fc.string({ minLength: 1, maxLength: 8 }).map((typed) => `typed ${typed}`.trim());

/** What the reader turns to before the verb is answered. */
const meanwhile = fc.constantFrom('nothing', 'look', 'open', 'undo');

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('type' as const), text }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('note' as const), text }) },
  fc.record({ kind: fc.constant('own' as const), text }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pause' as const), ms: fc.constantFrom(10, 300, 130_000) }) },
  fc.record({ kind: fc.constantFrom('lapse' as const, 'takenOver' as const, 'decidedFirst' as const), id }),
  fc.record({ kind: fc.constant('released' as const), id }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('submit' as const), fate, lookup: fate }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('verb' as const), fate, lookup: fate, meanwhile }) },
  fc.record({ kind: fc.constant('retry' as const) }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('look' as const), id }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('next' as const) }) },
  fc.record({ kind: fc.constantFrom('skip' as const, 'giveBack' as const, 'close' as const, 'resync' as const) }),
  fc.record({ kind: fc.constant('reload' as const), full: fc.boolean() }),
  fc.record({ kind: fc.constant('undo' as const), fate, lookup: fate }),
  fc.record({ kind: fc.constantFrom('reset' as const, 'leaveEditor' as const, 'extend' as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** One reader, their pages one after the other, and what they have typed and neither sent nor thrown away. */
class Reader {
  readonly server = new DeskServer();
  readonly storage = new FakeStorage();
  readonly typed = new Map<string, string>();
  readonly notes = new Map<string, string>();
  readonly owns = new Map<string, string>();
  desk!: Desk;
  drafts!: Drafts;
  queue!: LiveQueue;
  tray!: Tray;
  #seq = 1;

  constructor() {
    for (const each of IDS) this.server.add(each);
    vi.stubGlobal('fetch', this.server.fetch);
  }

  async open(): Promise<void> {
    this.queue = new LiveQueue(ME.id, { view: 'available', projectId: null });
    await this.queue.resync();
    this.drafts = new Drafts(ME.id, this.storage);
    this.tray = new Tray();
    const { drafts, queue, tray } = this;
    this.desk = new Desk({ me: ME, drafts, queue, tray, announcer: new Announcer(), preferences: new Preferences() });
  }

  async take(step: Step): Promise<void> {
    this.desk.lookAhead(true);
    // The table pairs each step with its own act; the compiler cannot follow the pairing through an index.
    await (this.#acts[step.kind] as (step: Step) => unknown)(step);
    await vi.advanceTimersByTimeAsync(step.kind === 'pause' ? step.ms : 120);
    this.server.fates.clear();
    this.#forgetSent();
  }

  /** What can be typed into is typed into: the editor of an item that is held, or was a moment ago. */
  #type = ({ text }: { text: string }): void => {
    const { desk } = this;
    const { grant, coming, id: on } = desk.item;
    if (grant === null || coming || on === null) return;
    desk.startEdit();
    if (desk.edit === null) return;
    const carried = this.notes.get(on);
    if (carried !== undefined && desk.edit.note === carried) this.notes.delete(on);
    desk.edit.text = text;
    desk.edit.changed();
    this.typed.set(on, text);
  };

  #write = (field: 'note' | 'own', { text }: { text: string }): void => {
    const { desk } = this;
    if (desk.item.id === null || !desk.asking.mayNote() || desk.item.coming) return;
    if (field === 'note') desk.asking.openNote();
    else desk.asking.own = '';
    desk.asking[field] = text;
    (field === 'note' ? this.notes : this.owns).set(desk.item.id, text);
  };

  #acts = {
    type: this.#type,
    note: (written: { text: string }) => this.#write('note', written),
    own: (written: { text: string }) => this.#write('own', written),
    pause: () => undefined,
    lapse: ({ id: on }: { id: string }) => {
      if (this.server.of(on).detail.claim !== null) this.#tell(on, 'claim.lapsed', () => this.server.lapse(on));
    },
    released: ({ id: on }: { id: string }) => {
      if (this.server.of(on).detail.claim?.user_id === 'ana')
        this.#tell(on, 'claim.released', () => this.server.lapse(on));
    },
    takenOver: ({ id: on }: { id: string }) => {
      if (isOpen(this.server, on)) this.#tell(on, 'item.claimed', () => this.server.takenBy(on, 'Ana'));
    },
    decidedFirst: ({ id: on }: { id: string }) => {
      if (isOpen(this.server, on)) this.#tell(on, 'item.decided', () => this.server.decidedBy(on, 'Ana'));
    },
    submit: async (how: { fate: Fate; lookup: Fate }) => {
      const { edit } = this.desk;
      if (edit === null) return;
      this.#fate(how);
      const note = edit.note.trim();
      await this.desk.decide('edit', { output: edit.text, reason: 'Wrong fact', ...(note === '' ? {} : { note }) });
    },
    verb: async ({ meanwhile, ...how }: { fate: Fate; lookup: Fate; meanwhile: string }) => {
      this.#fate(how);
      const own = this.desk.asking.written.own.trim();
      const deciding = this.desk.decide('reject', { reason: own === '' ? 'Wrong fact' : own });
      if (meanwhile === 'look') await this.desk.look('three');
      if (meanwhile === 'open') await this.desk.claim('three');
      if (meanwhile === 'undo') await this.#undo();
      await deciding;
    },
    retry: () => this.desk.failure?.retry?.(),
    look: ({ id: on }: { id: string }) => this.desk.look(on).then(() => this.desk.extend()),
    next: () => this.desk.next(),
    skip: () => this.desk.skip(),
    giveBack: () => this.desk.giveBack(),
    close: () => this.desk.close(),
    resync: () => {
      this.desk.resync();
      return this.queue.resync();
    },
    reload: async ({ full }: { full: boolean }) => {
      const on = this.desk.item.id;
      // What a page does when it goes.
      this.desk.edit?.keep();
      await this.open();
      this.storage.full = full && this.typed.size === 0 && this.notes.size === 0 && this.owns.size === 0;
      if (on !== null) await this.desk.look(on);
      this.storage.full = false;
    },
    undo: ({ fate: undo, lookup }: { fate: Fate; lookup: Fate }) => {
      this.server.fates.set('/undo', undo).set('GET /api/items', lookup);
      return this.#undo();
    },
    reset: () => {
      if (this.desk.edit === null || this.desk.item.id === null) return;
      this.typed.delete(this.desk.item.id);
      this.desk.edit.reset();
    },
    leaveEditor: () => this.desk.stopEdit(),
    extend: () => this.desk.extend(),
  } satisfies { [K in Step['kind']]: (step: Extract<Step, { kind: K }>) => unknown };

  async #undo(): Promise<void> {
    const made = this.tray.newest(Date.now());
    if (made === null) return;
    await this.desk.undo(made);
    this.#forgetSent();
    const undone = this.tray.of(made.itemId)?.state === 'undone';
    if (undone && made.draft !== null && !this.typed.has(made.itemId)) this.typed.set(made.itemId, made.draft.text);
  }

  #fate({ fate: decision, lookup }: { fate: Fate; lookup: Fate }): void {
    this.server.fates.set('/decision', decision);
    if (decision === 'down' || decision === 'lost') this.server.fates.set('GET /api/items', lookup);
  }

  #tell(on: string, type: Fact['type'], happen: () => void): void {
    happen();
    const { detail } = this.server.of(on);
    const stamps = { seq: ++this.#seq, server_time: new Date().toISOString(), project_id: PROJECT };
    const what = { item_id: on, version: detail.version, actor: { kind: 'member', id: 'ana', name: 'Ana' } };
    const more = { status: detail.status, action: 'reject', reason: null, undo_until: null, expires_at: null };
    const fact = { type, ...stamps, ...what, ...more } as unknown as Fact;
    this.queue.dispatch({ kind: 'facts', facts: [fact] });
    this.desk.item.hear(fact);
  }

  /** What has had effect on the server was sent. */
  #forgetSent(): void {
    for (const { id: on, action, output, note = '', reason = '' } of this.server.decisions.splice(0)) {
      if (action === 'edit' && this.typed.get(on) === output) this.typed.delete(on);
      if (note.includes(this.notes.get(on) ?? ' none ')) this.notes.delete(on);
      if (reason === this.owns.get(on)?.trim()) this.owns.delete(on);
    }
  }

  /** What a page has of it now. */
  shows(on: string) {
    const { edit, item, asking } = this.desk;
    const draft = this.drafts.read(on);
    const editing = edit?.item.id === on ? edit : null;
    const words = item.id === on ? asking.written : this.drafts.words(on);
    const note = [words.note, editing?.note ?? draft?.note ?? ''].join('\n');
    return { text: editing?.text ?? draft?.text, note, own: words.own };
  }
}

const isOpen = (server: DeskServer, on: string): boolean =>
  ['queued', 'escalated'].includes(server.of(on).detail.status);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('QU3: nothing typed is lost, whatever happens in whatever order', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
      const reader = new Reader();
      await reader.open();
      await reader.desk.claim('one');
      for (const each of steps) {
        await reader.take(each);
        for (const [on, typed] of reader.typed) expect(reader.shows(on).text).toBe(typed);
        for (const [on, note] of reader.notes) expect(reader.shows(on).note).toContain(note);
        for (const [on, own] of reader.owns) expect(reader.shows(on).own).toBe(own);
        // Nothing waits for ever: with every answer in, the desk can be worked at.
        expect([reader.desk.busy, reader.desk.item.coming]).toEqual([null, false]);
      }
      // And after the page is gone, on the same browser.
      reader.desk.edit?.keep();
      await reader.open();
      for (const [on, typed] of reader.typed) expect(reader.drafts.read(on)?.text).toBe(typed);
      for (const [on, own] of reader.owns) expect(reader.drafts.words(on).own).toBe(own);
    }),
    { numRuns: 300 },
  );
});
