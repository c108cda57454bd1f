// Tests that reviewers in many browsers empty one queue with one decision per item, and that all pages agree.

// Runs under SOAK=1: two-reviewers.test.ts tests how pages agree, and journeys/reviewing/many-reviewers.test.ts the decisions.

import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { listQueue, readHistory } from '@countersign/shared/routes/queue';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { aSubmission, join } from '../../server/test/builders.ts';
import { people, type Person } from '../../server/test/client.ts';
import { SOAK } from '../../server/test/soak.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { expectUpToDate } from '../support/queue.ts';

/** Limits the load per page: ten of them share the machine. */
const frames = (page: Page) =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
  });

const chromium = await findChromium();
const REVIEWERS = 10;
/** Timeout in ms for deciding all items: many browsers on a slow machine respond late. */
const PRESS_MS = 180_000;
/** Longer than a list counts as in use after a key, in ms of the page's clock. */
const KEYED_MS = 15_000;
/** A page that is polled without a pause never settles. */
const POLL_MS = 500;
const ITEMS = 60;
/** At this many items left, all reviewers pause and the test compares the pages. */
const PAUSE_AT = ITEMS / 3;

describe.skipIf(!SOAK || chromium === undefined)('many reviewers at once', () => {
  const browserEnv = useBrowserEnvironment();
  let manyPeople: { reviewer: Person; page: Page }[];
  let ids: string[];

  const waiting = async () =>
    (await browserEnv().owner.call(listQueue, { query: { view: 'all', limit: 1 } })).counts.all;

  const claimedId = async (page: Page) => (await page.getByText('Yours for').count()) > 0;

  /** Each reviewer claims one item before anyone decides, so that a fast one leaves none without. */
  const takeOneEach = () =>
    Promise.all(
      manyPeople.map(async ({ page }) => {
        while (!(await claimedId(page))) {
          await page.keyboard.press('n');
          await frames(page);
        }
      }),
    );

  /**
   * All reviewers press N, and A when an item is claimed, until at most this many wait. Presses that come too early have no
   * effect (QU2).
   */
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

  /** Waits until each page shows the current state. */
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
    // A press whose response is later than the page's timeout is repeated, and refused: the page then finds its own decision,
    // or claims that it holds already (LC4).
    allowConsoleError(/409 \(Conflict\).*\/(?:decision|claim-next)$/);
    const reviewers = await people(testEnv, REVIEWERS);
    for (const reviewer of reviewers) await join(project, reviewer);
    const submitted = Array.from({ length: ITEMS }, () => project.pipeline.submit(aSubmission()));
    ids = (await Promise.all(submitted)).map(({ id }) => id);
    manyPeople = await Promise.all(
      reviewers.map(async (reviewer) => ({ reviewer, page: await enter(reviewer, '/queue?view=all') })),
    );
  });

  it(`I1, I4: makes ${ITEMS} decisions for ${ITEMS} items, one each; in the middle and at the end every page is correct`, async () => {
    await expectAllUpToDate();
    await takeOneEach();
    await pressUntil(PAUSE_AT);
    await expectAllUpToDate();
    await pressUntil(0);
    await expectAllUpToDate();
    for (const { page } of manyPeople) {
      // Decided lines stay in place for some seconds after a key: the test advances the page's clock past that.
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
    expect(new Set(histories).size, 'every reviewer decided an item').toBe(REVIEWERS);
  }, 480_000);
});
