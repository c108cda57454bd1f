// The choice of the next item: an item the user has just forwarded does not come back at once, even to a user who may decide it.
import { describe, expect, it, vi } from 'vitest';
import { ReviewFixture, onShow } from './fixtures/review-page.fixture.ts';
import { ME, PROJECT } from './fixtures/fake-review-server.fixture.ts';
import { projects } from '#lib/api/projects-store.svelte.ts';
import type { Project } from '@countersign/shared/schemas/projects';

const fixture = new ReviewFixture();

/** A supervisor with a claimed item. */
async function supervisor({ flow = true } = {}) {
  fixture.server.supervises = true;
  const page = await fixture.open({ flow });
  page.queue.dispatch({ kind: 'supervised_projects', projects: new Set([PROJECT]) });
  await page.reviewSession.claim('one');
  await prefetch(page);
  return page;
}

async function prefetch({ reviewSession }: Awaited<ReturnType<ReviewFixture['open']>>): Promise<void> {
  reviewSession.prefetchNext(true);
  await vi.advanceTimersByTimeAsync(150);
}

describe('a supervisor who escalates', () => {
  it('continues with other items, and no item is open when only that one waits', async () => {
    const page = await supervisor();
    await page.reviewSession.decide('escalate', { reason: 'Second pair of eyes' });
    expect([...onShow(page.reviewSession), page.reviewSession.item.grant !== null]).toEqual(['two', 'two', true]);
    await prefetch(page);
    expect(page.reviewSession.prefetched?.id).toBe('three');
    await page.reviewSession.decide('approve');
    expect(page.reviewSession.item.id).toBe('three');
    await page.reviewSession.decide('approve');
    expect([page.reviewSession.item.id, fixture.server.of('one').detail.claim]).toEqual([null, null]);
  });

  it('skips an item that somebody else claimed first', async () => {
    const page = await supervisor();
    fixture.server.takenBy('two', 'Ana');
    await page.reviewSession.decide('escalate', { reason: 'x' });
    expect([...onShow(page.reviewSession), page.reviewSession.failure]).toEqual(['three', 'three', null]);
  });

  it('asks for the next one and gets another; the forwarded one only when nothing else waits', async () => {
    const page = await supervisor({ flow: false });
    await page.reviewSession.decide('escalate', { reason: 'x' });
    for (const expected of ['two', 'three']) {
      await page.reviewSession.next();
      expect(page.reviewSession.item.id).toBe(expected);
      await page.reviewSession.decide('approve');
    }
    await page.reviewSession.next();
    expect(page.reviewSession.item.id).toBe('one');
  });

  it('gets it like any other item when somebody has changed it since', async () => {
    const page = await supervisor();
    await page.reviewSession.decide('escalate', { reason: 'x' });
    fixture.server.takenBy('one', 'Ana');
    fixture.receive(page, 'one', 'item.claimed');
    fixture.server.expireClaim('one');
    fixture.receive(page, 'one', 'claim.expired');
    await page.reviewSession.decide('approve');
    expect(page.reviewSession.item.id).toBe('one');
  });
});

it('leaves the choice to the server when nothing was forwarded', async () => {
  const page = await supervisor();
  await page.reviewSession.decide('approve');
  expect(fixture.claims.at(-1)).toBe('POST /api/queue/claim-next');
});

describe('SK4: an item that is reserved', () => {
  const reserved = (flag: string) => ({ reserved: { skill: `flag:${flag}`, until: '9999-01-01T00:00:00.000Z' } });
  const people = [ME.id, 'ana'].map((user_id) => ({ user_id, name: user_id }));
  const entry = (flag: string, person: string) => ({ match: { flag }, people: [person], after_minutes: 30 });

  it('for others is not the next row of a filtered list, and for the user it is prefetched first', async () => {
    projects.list = [
      {
        id: PROJECT,
        skills: [entry('legal', 'ana'), entry('gold', ME.id)],
        skill_people: people,
      } as unknown as Project,
    ];
    fixture.server.add('theirs', reserved('legal')).add('last').add('mine', reserved('gold'));
    const page = await fixture.open();
    await page.reviewSession.claim('one');
    await prefetch(page);
    expect(page.reviewSession.prefetched?.id).toBe('mine');
    page.queue.dispatch({ kind: 'scope', scope: { view: 'available', projectId: null, filter: { text: 'Preview' } } });
    for (const expected of ['two', 'three', 'last', 'mine', null]) {
      await page.reviewSession.decide('approve');
      expect(page.reviewSession.item.id).toBe(expected);
    }
    projects.forget();
  });
});
