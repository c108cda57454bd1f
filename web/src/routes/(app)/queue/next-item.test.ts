// Which item comes next: never at once the one that the reader has just passed on, though they may decide it themselves.
import { describe, expect, it, vi } from 'vitest';
import { Place, onShow } from './desk-page.fixture.ts';
import { PROJECT } from './desk-server.fixture.ts';

const place = new Place();

/** A supervisor with an item in hand. */
async function supervisor({ flow = true } = {}) {
  place.server.supervises = true;
  const page = await place.open({ flow });
  page.queue.dispatch({ kind: 'supervises', projects: new Set([PROJECT]) });
  await page.desk.claim('one');
  await ahead(page);
  return page;
}

async function ahead({ desk }: Awaited<ReturnType<Place['open']>>): Promise<void> {
  desk.lookAhead(true);
  await vi.advanceTimersByTimeAsync(150);
}

describe('a supervisor who escalates', () => {
  it('goes on to other items, one after the other, and the desk is empty when only that one waits', async () => {
    const page = await supervisor();
    await page.desk.decide('escalate', { reason: 'Second pair of eyes' });
    expect([...onShow(page.desk), page.desk.item.grant !== null]).toEqual(['two', 'two', true]);
    await ahead(page);
    expect(page.desk.ahead.ready?.id).toBe('three');
    await page.desk.decide('approve');
    expect(page.desk.item.id).toBe('three');
    await page.desk.decide('approve');
    expect([page.desk.item.id, place.server.of('one').detail.claim]).toEqual([null, null]);
  });

  it('passes over what somebody else was faster to take', async () => {
    const page = await supervisor();
    place.server.takenBy('two', 'Ana');
    await page.desk.decide('escalate', { reason: 'x' });
    expect([...onShow(page.desk), page.desk.failure]).toEqual(['three', 'three', null]);
  });

  it('asks for the next one and gets another; that very one only when nothing else waits', async () => {
    const page = await supervisor({ flow: false });
    await page.desk.decide('escalate', { reason: 'x' });
    for (const expected of ['two', 'three']) {
      await page.desk.next();
      expect(page.desk.item.id).toBe(expected);
      await page.desk.decide('approve');
    }
    await page.desk.next();
    expect(page.desk.item.id).toBe('one');
  });

  it('gets it like any other one when somebody has touched it since', async () => {
    const page = await supervisor();
    await page.desk.decide('escalate', { reason: 'x' });
    place.server.takenBy('one', 'Ana');
    place.hear(page, 'one', 'item.claimed');
    place.server.lapse('one');
    place.hear(page, 'one', 'claim.lapsed');
    await page.desk.decide('approve');
    expect(page.desk.item.id).toBe('one');
  });
});

it('without anything passed on the server picks', async () => {
  const page = await supervisor();
  await page.desk.decide('approve');
  expect(place.claims.at(-1)).toBe('POST /api/queue/claim-next');
});
