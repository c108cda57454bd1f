// Tests what is pressed before the parts of an open item have loaded: nothing is lost, and a failure says so (QU2).
import type { Page, Route } from 'playwright';
import { describe, expect, it } from 'vitest';
import { readQueueItem } from '@countersign/shared/routes/queue';
import { join } from '../../server/test/builders.ts';
import { makeWallet, person } from '../../server/test/client.ts';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { holdLoad } from '../support/hold-load.ts';
import { openQueue, pane, waitUntilActionable } from '../support/open-item.ts';
import { openRow, row } from '../support/queue.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';

const chromium = await findChromium();
const MINUTE = 60_000;
const SCRIPTS = '**/_app/immutable/**/*.js';

/** From now on the scripts that a page asks for wait until the test says how each is answered. */
async function holdScripts(page: Page): Promise<(how: (route: Route) => Promise<void>) => void> {
  const { promise, resolve } = Promise.withResolvers<(route: Route) => Promise<void>>();
  await page.route(SCRIPTS, async (route) => (await promise)(route));
  return resolve;
}

describe.skipIf(chromium === undefined)('before the parts of an open item have loaded', () => {
  const browserEnv = useBrowserEnvironment();

  async function openList() {
    const { testEnv, enter, frontProxy } = browserEnv();
    const { project, submit } = await openQueue(browserEnv());
    const reviewer = await person(testEnv, makeWallet());
    await join(project, reviewer);
    const ids = { first: await submit('First'), second: await submit('Second') };
    const page = await enter(reviewer, '/healthz');
    await holdLoad(page);
    await page.goto(`${frontProxy.url}/queue?project=${project.id}`, { waitUntil: 'commit' });
    await row(page, 'Second').waitFor();
    const holderOf = async (id: string) =>
      (await reviewer.call(readQueueItem, { params: { id } })).claim?.user_id ?? null;
    return { page, ids, reviewer, holderOf };
  }

  it('QU2: two presses of the key claim one item, once they have loaded', { timeout: 3 * MINUTE }, async () => {
    const { page, ids, reviewer, holderOf } = await openList();
    const answer = await holdScripts(page);
    await page.keyboard.press('n');
    await page.keyboard.press('n');
    await page
      .getByRole('button', { name: /^Claim next/ })
      .and(page.locator('[aria-busy=true]'))
      .waitFor();
    expect([await holderOf(ids.first), await holderOf(ids.second)]).toEqual([null, null]);
    answer((route) => route.continue());
    await waitUntilActionable(page, 'First!');
    expect([await holderOf(ids.first), await holderOf(ids.second)]).toEqual([reviewer.id, null]);
    await page.keyboard.press('a');
    await waitUntilActionable(page, 'Second!');
  });

  it(
    'a failed import says so and claims nothing; Retry waits for the service, then loads the page',
    { timeout: 3 * MINUTE },
    async () => {
      const { page, ids, reviewer, holderOf } = await openList();
      browserEnv().allowConsoleError(/net::ERR_FAILED|dynamically imported module/);
      const answer = await holdScripts(page);
      await row(page, 'Second').click();
      answer((route) => route.abort());
      const alert = pane(page).getByRole('alert');
      await alert.getByText("Couldn't load the item view. Nothing was claimed.").waitFor();
      expect([await holderOf(ids.first), await holderOf(ids.second)]).toEqual([null, null]);
      const retry = alert.getByRole('button', { name: 'Retry' });
      await page.route(page.url(), (route) => route.abort());
      await retry.click();
      await retry.and(page.locator(':enabled')).waitFor();
      await row(page, 'Second').waitFor();
      await page.unrouteAll();
      await retry.click();
      await alert.waitFor({ state: 'detached' });
      await openRow(page, 'Second');
      await waitUntilActionable(page, 'Second!');
      expect([await holderOf(ids.first), await holderOf(ids.second)]).toEqual([null, reviewer.id]);
    },
  );
});
