// Answers that come late, twice or not at all: what is on show is what is true by then, and nothing typed goes with them.
import { describe, expect, it, vi } from 'vitest';
import { queueText } from '#lib/queue-text.ts';
import { Place, onShow, stage, type, type Page } from './desk-page.fixture.ts';
import { ME } from './desk-server.fixture.ts';
import { standingWords } from './standing-words.ts';

const place = new Place();

async function edited(page: Page) {
  type(page.desk, 'Mine');
  await page.desk.decide('edit', { output: 'Mine', reason: 'Wrong fact' });
  const made = page.tray.of('one');
  if (made === null) throw new Error('There is nothing to take back.');
  return made;
}

describe('undo', () => {
  it('QU3: whose answer is lost counts, and brings back what was typed', async () => {
    const page = await place.atWork();
    const made = await edited(page);
    place.server.fates.set('undo', 'lost');
    expect(await page.desk.undo(made)).toBe(true);
    expect([page.desk.item.id, stage(page.desk), page.desk.edit?.text]).toEqual(['one', 'mine', 'Mine']);
    expect([page.tray.of('one')?.state, page.desk.failure]).toEqual(['undone', null]);
  });

  it('QU3: is found to have had effect by Retry, which says nothing of a window that passed', async () => {
    const page = await place.atWork();
    const made = await edited(page);
    place.server.fates.set('undo', 'lost').set('GET /api/items/one', 'down');
    expect(await page.desk.undo(made)).toBe(false);
    // The refusal comes through, and the item cannot be read yet: nobody knows.
    place.server.fates.delete('undo');
    page.desk.failure?.retry?.();
    await vi.waitFor(() => expect(page.desk.failure?.error).toMatchObject({ name: 'NetworkFailure' }));
    place.server.fates.clear();
    page.desk.failure?.retry?.();
    await vi.waitFor(() => expect([page.desk.item.id, stage(page.desk)]).toEqual(['one', 'mine']));
    expect([page.tray.of('one')?.state, page.drafts.read('one')?.text]).toEqual(['undone', 'Mine']);
  });

  it('whose claim fails is undone, and Retry only asks for the claim', async () => {
    const page = await place.atWork();
    const made = await edited(page);
    place.server.fates.set('POST /api/items/one/claim', 'down');
    expect(await page.desk.undo(made)).toBe(false);
    expect([page.tray.of('one')?.state, page.drafts.read('one')?.text]).toEqual(['undone', 'Mine']);
    place.server.fates.clear();
    page.desk.failure?.retry?.();
    await vi.waitFor(() => expect([page.desk.item.id, stage(page.desk)]).toEqual(['one', 'mine']));
    expect(place.server.requests.filter((line) => line.includes('undo'))).toHaveLength(1);
  });
});

it('the tray names the decision that stands, when an earlier try had landed', async () => {
  const { desk, tray } = await place.atWork();
  place.server.fates.set('decision', 'lost').set('GET /api/items/one', 'down');
  await desk.decide('approve');
  place.server.fates.clear();
  expect(await desk.decide('reject', { reason: 'Wrong fact' })).toBe(true);
  expect(tray.of('one')).toMatchObject({ action: 'approve', reason: null, state: 'made' });
});

it('QU4: a return whose fact comes before its answer is not called an item that came back from somebody else', async () => {
  const page = await place.open({ flow: false });
  place.server.add('four', { status: 'escalated' });
  await page.desk.claim('four');
  // Only the answer is late: the server has done it, and its fact is quicker.
  place.server.slow.add('decision');
  const returning = page.desk.decide('return');
  await vi.waitFor(() => expect(place.server.of('four').detail.status).toBe('queued'));
  place.hear(page, 'four', 'item.queued');
  place.server.letGo();
  expect(await returning).toBe(true);
  const { detail, lost } = page.desk.item;
  if (detail === null) throw new Error('It is on show.');
  expect(stage(page.desk)).toBe('free');
  expect(standingWords({ detail, stage: 'free', me: ME.id, draft: false, lost })).toBe(queueText.standing.free);
});

describe('QU4: an answer that comes after newer facts', () => {
  async function returned() {
    const page = await place.open({ flow: false });
    place.server.add('four', { status: 'escalated' });
    await page.desk.claim('four');
    place.server.slow.add('decision');
    const returning = page.desk.decide('return');
    await vi.waitFor(() => expect(place.server.of('four').detail.status).toBe('queued'));
    place.hear(page, 'four', 'item.queued');
    return { page, returning };
  }

  it('paints over none of them', async () => {
    const { page, returning } = await returned();
    const old = structuredClone(place.server.of('four').detail);
    place.server.takenBy('four', 'Ana');
    place.hear(page, 'four', 'item.claimed');
    // Nothing but the facts says so.
    place.server.fates.set('GET /api/items/four', 'down');
    place.server.letGo();
    expect([await returning, stage(page.desk), page.desk.item.detail?.claim?.name]).toEqual([true, 'held', 'Ana']);
    page.desk.item.reopened(old);
    expect(stage(page.desk)).toBe('held');
  });

  it('has the item read again when what they told of is not here', async () => {
    const { page, returning } = await returned();
    place.server.fates.set('GET /api/items/four', 'down');
    place.server.decidedBy('four', 'Ana');
    place.hear(page, 'four', 'item.decided');
    await vi.advanceTimersByTimeAsync(0);
    place.server.fates.clear();
    place.server.letGo();
    await returning;
    await vi.waitFor(() => expect(stage(page.desk)).toBe('decided'));
  });
});

it('more time that was asked for another item than the one on show changes nothing there', async () => {
  const { desk } = await place.atWork();
  place.server.held.add('renew');
  const extending = desk.extend();
  await desk.look('three');
  place.server.letGo();
  expect(await extending).toBe(false);
  expect(onShow(desk)).toEqual(['three', 'three']);
});

describe('QU4: an item', () => {
  it('that changed while it was being read is read once more', async () => {
    const page = await place.open();
    const old = structuredClone(place.server.of('one').detail);
    place.server.stale.push(Response.json(old));
    place.server.held.add('GET /api/items/one');
    const looking = page.desk.look('one');
    place.server.decidedBy('one', 'Ana');
    place.hear(page, 'one', 'item.decided');
    place.server.letGo();
    await looking;
    expect([...onShow(page.desk), stage(page.desk)]).toEqual(['one', 'one', 'decided']);
  });

  it('that was taken over while the answer to its claim was on its way is not shown as mine', async () => {
    const page = await place.open();
    await page.desk.look('one');
    const { detail } = place.server.of('one');
    const late = { ...detail, version: 2, claim: { user_id: 'me', name: 'Me', expires_at: '2100-01-01T00:00:00Z' } };
    place.server.stale.push(Response.json({ item: late, fence: 1, expires_at: '2100-01-01T00:00:00Z' }));
    place.server.held.add('/claim');
    const claiming = page.desk.claim('one');
    place.server.lapse('one');
    place.server.takenBy('one', 'Ana');
    place.hear(page, 'one', 'item.claimed');
    place.server.letGo();
    await claiming;
    await vi.waitFor(() => expect(stage(page.desk)).toBe('held'));
  });

  it('that was taken over and given back during an interruption is no longer mine', async () => {
    const { desk } = await place.atWork();
    place.server.takenBy('one', 'Ana');
    place.server.lapse('one');
    desk.resync();
    await vi.waitFor(() => expect(desk.item.lost).toBe(true));
    expect(stage(desk)).toBe('ended');
  });
});

it('I1: a second try of a decision whose answer was lost looks first, and is not sent again', async () => {
  const { desk, tray } = await place.atWork();
  place.server.fates.set('decision', 'lost').set('GET /api/items/one', 'down');
  expect(await desk.decide('approve')).toBe(false);
  place.server.fates.clear();
  expect(await desk.decide('approve')).toBe(true);
  expect(tray.of('one')).toMatchObject({ action: 'approve', state: 'made' });
  expect(place.server.requests.filter((line) => line.endsWith('/decision'))).toHaveLength(1);
});

describe('QU3: an item that was given and whose answer was lost', () => {
  /** The server gave `two`; the fact has come, the answer has not. */
  async function lost(page: Page) {
    place.server.fates.set('claim-next', 'lost');
    await page.desk.next();
    expect(page.desk.failure?.error).toMatchObject({ name: 'NetworkFailure' });
    place.server.fates.clear();
  }

  it('comes first when the reader asks again', async () => {
    const page = await place.open();
    place.server.picks = 'two';
    await lost(page);
    place.hear(page, 'two', 'item.claimed');
    expect(await page.desk.next()).toBe(true);
    expect([page.desk.item.id, stage(page.desk)]).toEqual(['two', 'mine']);
    expect(place.server.of('one').detail.claim).toBeNull();
  });

  it('is not what the reader held before, nor what somebody else has by now', async () => {
    const page = await place.open();
    await page.desk.claim('three');
    type(page.desk, 'Kept for later');
    await page.desk.look('one');
    place.server.picks = 'two';
    await lost(page);
    place.hear(page, 'two', 'item.claimed');
    place.server.takenBy('two', 'Ana');
    place.server.picks = 'one';
    expect(await page.desk.next()).toBe(true);
    expect([page.desk.item.id, stage(page.desk)]).toEqual(['one', 'mine']);
  });
});

describe('a page that left before its decision was answered', () => {
  it('finds nothing unsent when it comes again', async () => {
    const page = await place.atWork();
    page.desk.startEdit();
    if (page.desk.edit) page.desk.edit.text = 'Mine';
    page.desk.edit?.changed();
    page.drafts.keepWords('one', { note: 'Seen', own: 'So it is' });
    place.server.slow.add('decision');
    void page.desk.decide('edit', { output: 'Mine', reason: 'So it is', note: 'Seen' });
    await vi.waitFor(() => expect(place.server.decisions).toHaveLength(1));

    const again = await place.open();
    await again.desk.look('one');
    expect([again.drafts.read('one'), again.drafts.words('one')]).toEqual([null, { note: '', own: '' }]);
  });

  it('keeps what was typed since, and what somebody else decided otherwise', async () => {
    const page = await place.atWork();
    place.server.slow.add('decision');
    void page.desk.decide('reject', { reason: 'x' });
    await vi.waitFor(() => expect(place.server.decisions).toHaveLength(1));
    page.drafts.keep('one', { text: 'Later', note: '', reason: null, savedAt: new Date(0).toISOString() });

    const again = await place.open();
    await again.desk.look('one');
    expect(again.drafts.read('one')?.text).toBe('Later');
  });
});
