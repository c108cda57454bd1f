// Ten people in ten real browsers empty one queue with two keys: one decision each item, and at the end every page says the same.
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { listQueue, readHistory } from '@countersign/shared/api/queue';
import { findChromium } from '../scripts/browser.ts';
import { aSubmission, join } from '../server/test/builders.ts';
import { people, type Person } from '../server/test/client.ts';
import { useHouse } from './house.ts';
import { expectTrue } from './queue.ts';

/** A page that draws is not asked for more than it can show: ten of them share the machine. */
const frames = (page: Page) =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
  });

const chromium = await findChromium();
const REVIEWERS = 10;
/** Ten browsers on two cores come to rest in some seconds, in ms. */
const TRUE_MS = 60_000;
/** So long it may take them to decide what there is, in ms: ten browsers on a slow machine answer late. */
const PRESS_MS = 180_000;
/** Ten pages that are looked at without a pause have no time to come to rest. */
const LOOK_MS = 500;
const ITEMS = 60;
/** So many are left when everybody pauses and the pages are compared in the middle of it. */
const PAUSE_AT = 20;

describe.skipIf(chromium === undefined)('a crowd of ten', () => {
  const house = useHouse();
  let crowd: { reviewer: Person; page: Page }[];
  let ids: string[];

  const waiting = async () => (await house().owner.call(listQueue, { query: { view: 'all', limit: 1 } })).counts.all;

  /** Everybody presses N, and A when something is in hand, until no more than so many wait. What is pressed too early does nothing (QU2). */
  async function pressUntil(left: number): Promise<void> {
    let over = false;
    const reached = expect.poll(waiting, { timeout: PRESS_MS, interval: 250 }).toBeLessThanOrEqual(left);
    const presses = crowd.map(async ({ page }) => {
      while (!over) {
        const inHand = (await page.getByText('Yours for').count()) > 0;
        await page.keyboard.press(inHand ? 'a' : 'n');
        await frames(page);
      }
    });
    await Promise.all([reached.finally(() => (over = true)), ...presses]);
  }

  /** Waits for each page to show what is. */
  const expectAllTrue = () =>
    Promise.all(
      crowd.map(({ reviewer, page }, index) =>
        expectTrue(page, {
          ...{ reviewer, view: 'all', process: index, within: TRUE_MS, every: LOOK_MS },
          people: crowd.map((one) => one.reviewer),
        }),
      ),
    );

  beforeAll(async () => {
    const { world, project, enter, excuse } = house();
    // A press whose answer is later than a page waits for is pressed again here, and refused: the page then finds its own decision.
    excuse(/409 \(Conflict\).*\/decision$/);
    const reviewers = await people(world, REVIEWERS);
    for (const reviewer of reviewers) await join(project, reviewer);
    const submitted = Array.from({ length: ITEMS }, () => project.pipeline.submit(aSubmission()));
    ids = (await Promise.all(submitted)).map(({ id }) => id);
    crowd = await Promise.all(
      reviewers.map(async (reviewer) => ({ reviewer, page: await enter(reviewer, '/queue?view=all') })),
    );
  });

  it('I1, I4: sixty items, sixty decisions, each by one; in the middle and at the end every page is true', async () => {
    await expectAllTrue();
    await pressUntil(PAUSE_AT);
    await expectAllTrue();
    await pressUntil(0);
    await expectAllTrue();
    for (const { page } of crowd) await page.getByText('Nothing waits', { exact: true }).waitFor();

    const { owner, project, receiver } = house();
    const histories = await Promise.all(
      ids.map(async (id) => {
        const arrival = await receiver.next(id);
        expect(await project.pipeline.read(id)).toMatchObject({ status: 'approved' });
        const { data } = await owner.call(readHistory, { params: { id } });
        expect(data.filter(({ type }) => type === 'item.decided')).toHaveLength(1);
        return arrival.event.reviewer_id;
      }),
    );
    expect(receiver.arrivals).toHaveLength(ITEMS);
    expect(new Set(histories).size, 'nobody was left out').toBe(REVIEWERS);
  }, 480_000);
});
