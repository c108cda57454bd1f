// A desk with its parts in front of the test's server, as a page would build them.
import { afterEach, beforeEach, vi } from 'vitest';
import { Drafts, type Writer } from '#lib/drafts.ts';
import { LiveQueue } from '#lib/live/queue.svelte.ts';
import type { Fact } from '@countersign/shared/events';
import { Announcer } from './announcer.svelte.ts';
import { stageOf, type Stage } from './desk-model.ts';
import { FakeStorage } from '#lib/storage.fixture.ts';
import { DeskServer, ME, PROJECT } from './desk-server.fixture.ts';
import { Desk } from './desk.svelte.ts';
import { Preferences } from './preferences.svelte.ts';
import { Tray } from './tray.svelte.ts';
import { judge } from './edit-judge.ts';
import { bringJudge } from './editor.svelte.ts';

// As the editor does when its parts are there.
bringJudge(judge);

/** What every test starts with: three items, an empty storage, time that stands still. */
export class Place {
  server = new DeskServer();
  storage = new FakeStorage();
  /** Where the ledger stands; the snapshot of the test's server is at 1. */
  seq = 1;

  constructor() {
    beforeEach(() => {
      vi.useFakeTimers();
      this.server = new DeskServer().add('one').add('two').add('three');
      this.storage = new FakeStorage();
      this.seq = 1;
      vi.stubGlobal('fetch', this.server.fetch);
    });
    afterEach(() => {
      vi.useRealTimers();
      vi.unstubAllGlobals();
      vi.restoreAllMocks();
    });
  }

  /** A page over the same browser and the same server. */
  async open({ flow = true, ...writer }: Partial<Writer> & { flow?: boolean } = {}) {
    const queue = new LiveQueue(ME.id, { view: 'available', projectId: null });
    await queue.resync();
    const preferences = new Preferences();
    preferences.flow = flow;
    const drafts = new Drafts(ME.id, this.storage, writer);
    const parts = { me: ME, drafts, queue, preferences, tray: new Tray(), announcer: new Announcer() };
    const desk = new Desk(parts);
    const moved: (string | null)[] = [];
    desk.onmoved = (id) => moved.push(id);
    return { desk, moved, ...parts };
  }

  /** An item in hand, and the one after it read ahead. */
  async atWork(options = {}) {
    const page = await this.open(options);
    await page.desk.claim('one');
    page.desk.lookAhead(true);
    await vi.advanceTimersByTimeAsync(150);
    return page;
  }

  /** What the socket would say of an item that changed on the server. */
  hear({ desk, queue }: Pick<Page, 'desk' | 'queue'>, id: string, type: Fact['type']): void {
    const { detail } = this.server.of(id);
    // Where nobody holds it and nobody decided it, it was the reader's own move.
    const decidedBy = detail.decision && { user_id: detail.decision.reviewer_id, name: detail.decided_by };
    const by = detail.claim ?? decidedBy ?? { user_id: ME.id, name: ME.name };
    const stamps = { seq: ++this.seq, server_time: new Date().toISOString(), project_id: PROJECT };
    const what = { item_id: id, version: detail.version, actor: { kind: 'member', id: by.user_id, name: by.name } };
    const { status, undo_until, claim } = detail;
    const more = { status, action: 'reject', reason: null, undo_until, expires_at: claim?.expires_at ?? null };
    const waits = type === 'item.queued' ? { item: detail } : {};
    const fact = { type, ...stamps, ...what, ...more, ...waits } as unknown as Fact;
    queue.dispatch({ kind: 'facts', facts: [fact] });
    desk.item.hear(fact);
  }

  /** The claims that were asked for. */
  get claims(): string[] {
    return this.server.requests.filter((line) => line.includes('claim') && !line.startsWith('DELETE'));
  }
}

export type Page = Awaited<ReturnType<Place['open']>>;

export const stage = ({ item: { detail, grant, coming } }: Desk): Stage | null =>
  detail && stageOf({ detail, grant, coming, me: ME.id, supervises: false, now: Date.now() });

/** The item on show, and the one whose content is. */
export const onShow = ({ item }: Desk): unknown[] => [item.id, item.detail?.id];

/** Typed into the editor of the item on show. */
export function type(desk: Desk, text: string): void {
  desk.startEdit();
  if (desk.edit === null) throw new Error('There is nothing to type into.');
  desk.edit.text = text;
  desk.edit.changed();
}
