// People in as many real browsers empty one queue with two keys: one decision each item, and at the end every page says the same.
// Under SOAK=1 ten of them and sixty items.
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { listQueue, readHistory } from '@countersign/shared/api/queue';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { aSubmission, join } from '../../server/test/builders.ts';
import { people, type Person } from '../../server/test/client.ts';
import { scaled } from '../../server/test/soak.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { expectUpToDate } from '../support/queue.ts';

/** A page that draws is not asked for more than it can show: ten of them share the machine. */
const frames = (page: Page) =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
  });

const chromium = await findChromium();
const REVIEWERS = scaled(3, 10);
/** So long it may take them to decide what there is, in ms: many browsers on a slow machine answer late. */
const PRESS_MS = 180_000;
/** More than a list counts as in use after a key, in ms of the page's clock. */
const KEYED_MS = 15_000;
/** Pages that are looked at without a pause have no time to come to rest. */
const POLL_MS = 500;
const ITEMS = scaled(12, 60);
/** So many are left when everybody pauses and the pages are compared in the middle of it. */
const PAUSE_AT = ITEMS / 3;

describe.skipIf(chromium === undefined)('many reviewers at once', () => {
  const browserEnv = useBrowserEnvironment();
  let manyPeople: { reviewer: Person; page: Page }[];
  let ids: string[];

  const waiting = async () =>
    (await browserEnv().owner.call(listQueue, { query: { view: 'all', limit: 1 } })).counts.all;

  const claimedId = async (page: Page) => (await page.getByText('Yours for').count()) > 0;

  /** Everybody takes one before anybody decides: however fast the others are, nobody is left out. */
  const takeOneEach = () =>
    Promise.all(
      manyPeople.map(async ({ page }) => {
        while (!(await claimedId(page))) {
          await page.keyboard.press('n');
          await frames(page);
        }
      }),
    );

  /** Everybody presses N, and A when something is in hand, until no more than so many wait. What is pressed too early does nothing (QU2). */
  async function pressUntil(left: number): Promise<void> {
    let over = false;
    const reached = expect.poll(waiting, { timeout: PRESS_MS, interval: 250 }).toBeLessThanOrEqual(left);
    const presses = manyPeople.map(async ({ page }) => {
      while (!over) {
        await page.keyboard.press((await claimedId(page)) ? 'a' : 'n');
        await frames(page);
      }
    });
    await Promise.all([reached.finally(() => (over = true)), ...presses]);
  }

  /** Waits for each page to show what is. */
  const expectAllUpToDate = () =>
    Promise.all(
      manyPeople.map(({ reviewer, page }, index) =>
        expectUpToDate(page, {
          ...{ reviewer, view: 'all', process: index, every: POLL_MS },
          people: manyPeople.map((one) => one.reviewer),
        }),
      ),
    );

  beforeAll(async () => {
    const { testEnv, project, enter, allowConsoleError } = browserEnv();
    // A press whose answer is later than a page waits for is pressed again here, and refused: the page then finds its own decision.
    allowConsoleError(/409 \(Conflict\).*\/decision$/);
    const reviewers = await people(testEnv, REVIEWERS);
    for (const reviewer of reviewers) await join(project, reviewer);
    const submitted = Array.from({ length: ITEMS }, () => project.pipeline.submit(aSubmission()));
    ids = (await Promise.all(submitted)).map(({ id }) => id);
    manyPeople = await Promise.all(
      reviewers.map(async (reviewer) => ({ reviewer, page: await enter(reviewer, '/queue?view=all') })),
    );
  });

  it(`I1, I4: ${ITEMS} items, ${ITEMS} decisions, each by one; in the middle and at the end every page is true`, async () => {
    await expectAllUpToDate();
    await takeOneEach();
    await pressUntil(PAUSE_AT);
    await expectAllUpToDate();
    await pressUntil(0);
    await expectAllUpToDate();
    for (const { page } of manyPeople) {
      // What left stands where it was for some seconds after a key: the page's clock goes past them.
      await page.clock.install();
      await page.clock.fastForward(KEYED_MS);
      await page.getByText('Queue is empty', { exact: true }).waitFor();
    }

    const { owner, project, receiver } = browserEnv();
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
