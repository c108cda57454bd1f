// @vitest-environment happy-dom
// A decision of another page of the tab: whether it can be undone from here, and that an undo made elsewhere is shown.
import { describe, expect, it, vi } from 'vitest';
import type { ReviewAction } from '@countersign/shared/review-actions';
import { itemCommandsOf } from '../commands/item-commands.ts';
import type { Ui } from '../commands/command-handler.ts';
import { Selection } from '../bulk/selection.svelte.ts';
import { newReading } from '../item/reading.svelte.ts';
import { ReviewFixture, type Page } from '../session/fixtures/review-page.fixture.ts';

const fixture = new ReviewFixture();

/** The undo key of a page. */
function undoKeyOf(page: Page) {
  const ui: Ui = { stage: null, cursor: null, inList: true, switchTo: () => undefined };
  const context = { ...page, reading: newReading(), selection: new Selection(), ready: () => true };
  const undo = itemCommandsOf(context, ui).handlers.get('undo');
  if (undo === undefined) throw new Error('There is no undo command.');
  return undo;
}

const undos = () => fixture.server.requests.filter((line) => line.endsWith('/undo'));

/** A page that closes before its decision was answered, and the next page of the tab. */
async function changePage(action: ReviewAction = 'approve') {
  const before = await fixture.openWithClaim();
  fixture.server.held.add('one/decision');
  const deciding = before.reviewSession.decide(action, action === 'escalate' ? { reason: 'Not sure' } : {});
  const page = await fixture.open({ recentDecisions: before.recentDecisions });
  return { page, deciding };
}

describe('a decision that another page is still sending', () => {
  it('cannot be undone by the key until it is saved', async () => {
    const { page, deciding } = await changePage();
    const undo = undoKeyOf(page);
    expect(undo.can()).toBe(false);
    fixture.server.releaseHeld();
    await deciding;
    expect(undo.can()).toBe(true);
    await undo.run(null);
    expect([fixture.server.of('one').detail.status, page.recentDecisions.of('one')?.state]).toEqual([
      'queued',
      'undone',
    ]);
  });

  it('cannot be undone by the key while this page opens an item', async () => {
    const { page, deciding } = await changePage();
    fixture.server.held.add('three/claim');
    const opening = page.reviewSession.claim('three');
    expect(undoKeyOf(page).can()).toBe(false);
    fixture.server.releaseHeld();
    await Promise.all([opening, deciding]);
  });

  it('is not undone by a request that would arrive before it', async () => {
    const { page, deciding } = await changePage();
    const recent = page.recentDecisions.of('one');
    // Only the decision is late.
    fixture.server.held.clear();
    expect(recent && (await page.reviewSession.undo(recent))).toBe(false);
    expect([undos(), page.recentDecisions.of('one')?.state]).toEqual([[], 'saving']);
    fixture.server.releaseHeld();
    expect(await deciding).toBe(true);
    expect(page.recentDecisions.of('one')?.state).toBe('saved');
  });

  it('can be undone on its item once the server shows it there', async () => {
    const before = await fixture.openWithClaim();
    fixture.server.slow.add('one/decision');
    void before.reviewSession.decide('approve');
    await vi.waitFor(() => expect(fixture.server.of('one').detail.status).toBe('approved'));
    const page = await fixture.open({ recentDecisions: before.recentDecisions });
    await page.reviewSession.peek('one');
    fixture.server.slow.clear();
    expect(await page.reviewSession.undoShown()).toBe(true);
    expect([undos(), fixture.server.of('one').detail.status]).toEqual([
      ['POST /api/items/one/decision/undo'],
      'queued',
    ]);
  });
});

describe('a decision that was undone while no page listened', () => {
  async function undoneElsewhere(action: ReviewAction = 'approve') {
    const page = await fixture.openWithClaim();
    await page.reviewSession.decide(action, action === 'escalate' ? { reason: 'Not sure' } : {});
    const { detail } = fixture.server.of('one');
    const undone = { ...detail, decision: null, decided_by: null, undo_until: null, version: detail.version + 1 };
    fixture.server.of('one').detail = { ...undone, status: action === 'escalate' ? 'escalated' : 'queued' };
    return fixture.open({ recentDecisions: page.recentDecisions });
  }

  it.each(['peek', 'claim'] as const)('is shown as undone when its item opens: %s', async (open) => {
    const page = await undoneElsewhere();
    await page.reviewSession[open]('one');
    expect(page.recentDecisions.of('one')).toMatchObject({ state: 'undone', undoUntil: null });
  });

  it('stays where the item was moved: a move leaves no decision on it', async () => {
    const page = await undoneElsewhere('escalate');
    await page.reviewSession.peek('one');
    expect(page.recentDecisions.of('one')?.state).toBe('saved');
  });

  it('stays where the item was read before it was decided', async () => {
    const before = await fixture.openWithClaim();
    const page = await fixture.open({ recentDecisions: before.recentDecisions });
    fixture.server.slow.add('GET /api/items/one');
    const reading = page.reviewSession.peek('one');
    await vi.waitFor(() => expect(fixture.server.requests).toContain('GET /api/items/one'));
    fixture.server.slow.clear();
    await before.reviewSession.decide('approve');
    fixture.server.releaseHeldMatching('GET /api/items/one');
    await reading;
    await vi.advanceTimersByTimeAsync(0);
    expect(page.recentDecisions.of('one')?.state).toBe('saved');
  });
});
