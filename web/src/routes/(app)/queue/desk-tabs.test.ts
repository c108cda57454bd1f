// QU19 at the desk: another tab's half-typed words are not sent from here, and its typing touches nothing that was picked here.
import { describe, expect, it } from 'vitest';
import { Place, type, type Page } from './desk-page.fixture.ts';

const place = new Place();
const OPEN = { isOver: () => false, whenOver: () => undefined };

/** Two open tabs of one browser with the same item in hand. */
async function twoTabs(): Promise<[here: Page, there: Page]> {
  const here = await place.open({ page: 'here', tab: 'here', pages: OPEN });
  await here.desk.claim('one');
  const there = await place.open({ page: 'there', tab: 'there', pages: OPEN });
  await there.desk.claim('one');
  return [here, there];
}

/** What a browser tells a tab after another one wrote. */
function hear({ desk }: Page): void {
  for (const [key, newValue] of place.storage.values)
    desk.heardStorage(Object.assign(new Event('storage'), { key, newValue, oldValue: null }) as StorageEvent);
}

describe('QU19: with the item open in another tab', () => {
  it('its half-typed note stays there and does not go out with what is decided here', async () => {
    const [here, there] = await twoTabs();
    there.desk.asking.openNote();
    there.desk.asking.note = 'Half a tho';
    hear(here);
    expect([here.desk.asking.written.note, here.desk.heard]).toEqual(['', 1]);
    await here.desk.claim('one');
    await here.desk.decide('approve');
    expect(place.server.decisions).toEqual([expect.not.objectContaining({ note: expect.anything() as unknown })]);
    expect(there.drafts.words('one').note).toBe('Half a tho');
  });

  it('its half-typed answer does not open the editor here, and stays when this tab decides', async () => {
    const [here, there] = await twoTabs();
    type(there.desk, 'Half an ans');
    there.desk.edit?.keep();
    hear(here);
    await here.desk.claim('one');
    expect(here.desk.edit).toBeNull();
    await here.desk.decide('approve');
    expect(there.drafts.read('one')?.text).toBe('Half an ans');
  });

  it('what was picked and written here stays while the other tab types', async () => {
    const [here, there] = await twoTabs();
    here.desk.asking.openNote();
    here.desk.asking.note = 'Mine';
    here.desk.asking.clear();
    here.desk.asking.picked = 'Wrong fact';
    there.desk.asking.openNote();
    there.desk.asking.note = 'Theirs';
    hear(here);
    const { picked, written } = here.desk.asking;
    expect([picked, written.note, here.drafts.otherWords('one')]).toEqual([
      'Wrong fact',
      'Mine',
      [{ note: 'Theirs', own: '' }],
    ]);
  });

  it('what it typed is at hand when it was closed', async () => {
    const ends: (() => void)[] = [];
    const over = new Set<string>();
    const pages = {
      isOver: (page: string) => over.has(page),
      whenOver: (_: string, ended: () => void) => ends.push(ended),
    };
    const there = await place.open({ page: 'there', tab: 'there', pages });
    there.drafts.keepWords('one', { note: 'Half a thought', own: '' });
    const here = await place.open({ page: 'here', tab: 'here', pages });
    await here.desk.claim('one');
    here.desk.asking.picked = 'Wrong fact';
    expect(here.desk.asking.written.note).toBe('');
    over.add('there');
    for (const ended of ends) ended();
    expect([here.desk.asking.written.note, here.desk.asking.picked]).toEqual(['Half a thought', 'Wrong fact']);
  });
});
