// QU19 in the review session: text typed in another tab is not sent from here, and does not change the selection here.
import { describe, expect, it } from 'vitest';
import { ReviewFixture, type, type Page } from './fixtures/review-page.fixture.ts';

const fixture = new ReviewFixture();
const OPEN = { isClosed: () => false, whenClosed: () => undefined };

/** Two open tabs of one browser that hold the same item. */
async function twoTabs(): Promise<[here: Page, there: Page]> {
  const here = await fixture.open({ page: 'here', tab: 'here', pages: OPEN });
  await here.reviewSession.claim('one');
  const there = await fixture.open({ page: 'there', tab: 'there', pages: OPEN });
  await there.reviewSession.claim('one');
  return [here, there];
}

/** The storage event a browser sends to a tab after another one wrote. */
function receiveStorageEvents({ reviewSession }: Page): void {
  for (const [key, newValue] of fixture.storage.values)
    reviewSession.handleStorageEvent(
      Object.assign(new Event('storage'), { key, newValue, oldValue: null }) as StorageEvent,
    );
}

describe('QU19: with the item open in another tab', () => {
  it('the unfinished note of another tab stays there and is not sent with the decision here', async () => {
    const [here, there] = await twoTabs();
    there.reviewSession.reasonPrompt.openNote();
    there.reviewSession.reasonPrompt.note = 'Half a tho';
    receiveStorageEvents(here);
    expect([here.reviewSession.reasonPrompt.notes.note, here.reviewSession.draftsRevision]).toEqual(['', 1]);
    await here.reviewSession.claim('one');
    await here.reviewSession.decide('approve');
    expect(fixture.server.decisions).toEqual([expect.not.objectContaining({ note: expect.anything() as unknown })]);
    expect(there.drafts.notes('one').note).toBe('Half a tho');
  });

  it('the unfinished answer of another tab does not open the editor here, and stays when this tab decides', async () => {
    const [here, there] = await twoTabs();
    type(there.reviewSession, 'Half an ans');
    there.reviewSession.edit?.save();
    receiveStorageEvents(here);
    await here.reviewSession.claim('one');
    expect(here.reviewSession.edit).toBeNull();
    await here.reviewSession.decide('approve');
    expect(there.drafts.read('one')?.text).toBe('Half an ans');
  });

  it('the reason and text of this tab stay while the other tab types', async () => {
    const [here, there] = await twoTabs();
    here.reviewSession.reasonPrompt.openNote();
    here.reviewSession.reasonPrompt.note = 'Mine';
    here.reviewSession.reasonPrompt.clear();
    here.reviewSession.reasonPrompt.picked = 'Wrong fact';
    there.reviewSession.reasonPrompt.openNote();
    there.reviewSession.reasonPrompt.note = 'Theirs';
    receiveStorageEvents(here);
    const { picked, notes } = here.reviewSession.reasonPrompt;
    expect([picked, notes.note, here.drafts.otherNotes('one')]).toEqual([
      'Wrong fact',
      'Mine',
      [{ note: 'Theirs', own: '' }],
    ]);
  });

  it('the text of another tab is available here once it was closed', async () => {
    const ends: (() => void)[] = [];
    const over = new Set<string>();
    const pages = {
      isClosed: (page: string) => over.has(page),
      whenClosed: (_: string, ended: () => void) => ends.push(ended),
    };
    const there = await fixture.open({ page: 'there', tab: 'there', pages });
    there.drafts.saveNotes('one', { note: 'Half a thought', own: '' });
    const here = await fixture.open({ page: 'here', tab: 'here', pages });
    await here.reviewSession.claim('one');
    here.reviewSession.reasonPrompt.picked = 'Wrong fact';
    expect(here.reviewSession.reasonPrompt.notes.note).toBe('');
    over.add('there');
    for (const ended of ends) ended();
    expect([here.reviewSession.reasonPrompt.notes.note, here.reviewSession.reasonPrompt.picked]).toEqual([
      'Half a thought',
      'Wrong fact',
    ]);
  });
});
