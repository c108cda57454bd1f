// Tests presence with browsers and processes: who is online, holds, looks or is away, also while Redis is down.
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { aSubmission, join, openProject, type OpenProject } from '../../server/test/builders.ts';
import { changeMember } from '../../shared/src/routes/projects.ts';
import { people, type Person } from '../../server/test/client.ts';
import { type OwnRedis, startOwnRedis } from '../../server/test/own-redis.ts';
import { WITH_REDIS, startTestEnvironment, type TestEnvironment } from '../../server/test/test-environment.ts';
import { startFrontProxy, type FrontProxy } from '../../scripts/lib/processes/tcp-proxy.ts';
import { type Pages, pagesOf, sharedBrowser } from '../support/test-environment.ts';

const chromium = await findChromium();
const NAMES = ['Ana Ruiz', 'Bo Lind', 'Cem Ak'];

describe.skipIf(chromium === undefined)('PR1: the queue of three people', () => {
  let open: Pages;
  let frontProxy: FrontProxy;
  let testEnv: TestEnvironment;
  let redis: OwnRedis | undefined;
  let project: OpenProject;
  let pool: Person[];
  let pages: Page[];

  beforeAll(async () => {
    frontProxy = await startFrontProxy();
    if (WITH_REDIS) redis = await startOwnRedis();
    testEnv = await startTestEnvironment({
      env: { PUBLIC_BASE_URL: frontProxy.url, ...(redis === undefined ? {} : { REDIS_URL: redis.url }) },
    });
    frontProxy.serve(testEnv.urls);
    pool = await people(testEnv, 3);
    project = await openProject(pool[0] as Person);
    for (const [index, who] of pool.entries()) {
      if (index > 0) await join(project, who);
      await who.call(changeMember, { params: { id: project.id, user_id: who.id }, body: { name: NAMES[index] } });
    }
    for (const question of ['First?', 'Second?']) await project.pipeline.submit(aSubmission({ input: { question } }));
    open = pagesOf((await sharedBrowser())!, frontProxy.url);
    pages = await Promise.all(pool.map((who) => open.enter(who, '/queue')));
    await Promise.all(pages.map((page) => page.getByRole('row').first().waitFor()));
  });
  afterAll(async () => {
    // Pages may log errors while Redis is down.
    await open?.close();
    await testEnv?.stop();
    await frontProxy?.close();
    await redis?.stop();
  });

  const line = (page: Page, question: string) => page.getByRole('row').filter({ hasText: question });

  it('shows each person the others: who holds, who looks, who is away and who left', async () => {
    const [ana, bo, cem] = pages as [Page, Page, Page];
    for (const [index, page] of pages.entries()) {
      const others = NAMES.filter((_, other) => other !== index);
      await page.getByTitle(`2 online besides you: ${others.join(' and ')}`).waitFor();
      await page.getByText('3 online', { exact: true }).waitFor();
    }
    await line(ana, 'First?').click();
    await ana.getByText('Yours for').first().waitFor();
    await line(bo, 'First?').getByTitle('Ana Ruiz is on this').waitFor();

    await line(bo, 'First?').click();
    await ana.getByTitle('Bo Lind is viewing this too').waitFor();

    const before = await line(cem, 'First?').boundingBox();
    await hide(ana);
    await line(cem, 'First?').getByTitle('Ana Ruiz is on this (away)').waitFor();
    expect(await line(cem, 'First?').boundingBox()).toEqual(before);
    expect(before?.height).toBe(44);

    await bo.context().close();
    await cem.getByText('2 online', { exact: true }).waitFor();
  });

  it.runIf(WITH_REDIS)(
    'LC6: says that live assignment is degraded while Redis is down, and removes the message afterwards',
    async () => {
      const cem = pages[2] as Page;
      const note = cem.getByText('Live claims are down').first();
      await redis?.crash();
      await note.waitFor();
      await line(cem, 'Second?').click();
      await cem.getByText('Yours for').first().waitFor();
      await cem.locator('[data-actions-enabled=true]').waitFor();
      await cem.keyboard.press('a');
      await redis?.startAnother();
      await cem.locator('section p', { hasText: 'Live claims are down' }).waitFor({ state: 'detached' });
    },
  );
});

/** Hides the page, as another tab in front of it does. */
function hide(page: Page): Promise<void> {
  return page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' });
    document.dispatchEvent(new Event('visibilitychange'));
  });
}
