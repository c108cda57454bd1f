// A review session with its parts over the fake server, assembled as a page does it.
import { afterEach, beforeEach, vi } from 'vitest';
import { Drafts, type Writer } from '#lib/drafts/drafts.ts';
import { LiveQueue } from '#lib/live/queue/live-queue.svelte.ts';
import type { DomainEvent } from '@countersign/shared/events';
import { Announcer } from '../announcements/announcer.svelte.ts';
import { stageOf, type Stage } from './review-state.ts';
import { FakeStorage } from '#lib/storage/storage.fixture.ts';
import { FakeReviewServer, ME, PROJECT } from './fake-review-server.fixture.ts';
import { ReviewSession } from './review-session.svelte.ts';
import { Preferences } from '../preferences.svelte.ts';
import { RecentDecisions } from '../recent/recent-decisions.svelte.ts';
import { validateEdit } from '../editor/edit-validation.ts';
import { provideValidator } from '../editor/edit-session.svelte.ts';

// As the editor does once its parts have loaded.
provideValidator(validateEdit);

/** The start of every test: three items, an empty storage, and a fixed clock. */
export class ReviewFixture {
  server = new FakeReviewServer();
  storage = new FakeStorage();
  /** The last sequence number of the event log; the fake server's snapshot is at 1. */
  seq = 1;

  constructor() {
    beforeEach(() => {
      vi.useFakeTimers();
      this.server = new FakeReviewServer().add('one').add('two').add('three');
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
    const parts = {
      me: ME,
      drafts,
      queue,
      preferences,
      recentDecisions: new RecentDecisions(),
      announcer: new Announcer(),
    };
    const reviewSession = new ReviewSession(parts);
    const moved: (string | null)[] = [];
    reviewSession.onItemChange = (id) => moved.push(id);
    return { reviewSession, moved, ...parts };
  }

  /** Opens a page with a claimed item and the next one prefetched. */
  async openWithClaim(options = {}) {
    const page = await this.open(options);
    await page.reviewSession.claim('one');
    page.reviewSession.prefetchNext(true);
    await vi.advanceTimersByTimeAsync(150);
    return page;
  }

  /** Sends the socket event of an item that changed on the server. */
  receive(
    { reviewSession, queue }: Pick<Page, 'reviewSession' | 'queue'>,
    id: string,
    type: DomainEvent['type'],
  ): void {
    const { detail } = this.server.of(id);
    // Where nobody holds it and nobody decided it, the user moved it.
    const decidedBy = detail.decision && { user_id: detail.decision.reviewer_id, name: detail.decided_by };
    const by = detail.claim ?? decidedBy ?? { user_id: ME.id, name: ME.name };
    const envelope = { seq: ++this.seq, server_time: new Date().toISOString(), project_id: PROJECT };
    const what = { item_id: id, version: detail.version, actor: { kind: 'member', id: by.user_id, name: by.name } };
    const { status, undo_until, claim } = detail;
    const more = { status, action: 'reject', reason: null, undo_until, expires_at: claim?.expires_at ?? null };
    const waits = type === 'item.queued' ? { item: detail } : {};
    const event = { type, ...envelope, ...what, ...more, ...waits } as unknown as DomainEvent;
    queue.dispatch({ kind: 'events', events: [event] });
    reviewSession.item.receive(event);
  }

  /** The requested claims. */
  get claims(): string[] {
    return this.server.requests.filter((line) => line.includes('claim') && !line.startsWith('DELETE'));
  }
}

export type Page = Awaited<ReturnType<ReviewFixture['open']>>;

export const stage = ({ item: { detail, grant, pending } }: ReviewSession): Stage | null =>
  detail && stageOf({ detail, grant, pending, me: ME.id, supervises: false, now: Date.now() });

/** The open item, and the one whose content is shown. */
export const onShow = ({ item }: ReviewSession): unknown[] => [item.id, item.detail?.id];

/** Types into the editor of the open item. */
export function type(reviewSession: ReviewSession, text: string): void {
  reviewSession.startEdit();
  if (reviewSession.edit === null) throw new Error('There is no open editor.');
  reviewSession.edit.text = text;
  reviewSession.edit.changed();
}
