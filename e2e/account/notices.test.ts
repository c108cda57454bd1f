// Tests NO7 and NO8 in Chromium: turning notices on, what two hidden tabs show, a click, and what the title counts.
import type { BrowserContext, Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { claimItem, decideItem } from '@countersign/shared/routes/queue';
import type { Submission } from '@countersign/shared/schemas/public';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { aSubmission, join, openProject } from '../../server/test/builders.ts';
import { person } from '../../server/test/client.ts';
import { checkAppearances, ONCE_EACH } from '../support/page-checks.ts';
import { pane } from '../support/open-item.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';

const chromium = await findChromium();

interface Shown {
  title: string;
  body: string;
  tag: string;
  click: () => void;
}
/** What the page of a test has instead of notifications, which a browser without a screen cannot show. */
interface Stubbed extends Window {
  shownNotices: Shown[];
}

/** The browser's question is answered with `answer`, which it remembers as a browser does. */
const answerWith = (context: BrowserContext, answer: NotificationPermission) =>
  context.addInitScript((given) => {
    const KEPT = 'test.permission';
    const shownNotices: Shown[] = [];
    class StubbedNotification {
      onclick: (() => void) | null = null;
      static get permission() {
        return localStorage.getItem(KEPT) ?? 'default';
      }
      static requestPermission() {
        localStorage.setItem(KEPT, given);
        return Promise.resolve(given);
      }
      constructor(title: string, { body = '', tag = '' }: NotificationOptions) {
        shownNotices.push({ title, body, tag, click: () => this.onclick?.() });
      }
      close() {
        // Nothing is on a screen.
      }
    }
    Object.assign(window, { Notification: StubbedNotification, shownNotices });
  }, answer);

/** The user looks at another window, or comes back. A browser without a screen shows and focuses each of its pages. */
const look = (page: Page, here: boolean) =>
  page.evaluate((visible) => {
    Object.defineProperty(document, 'visibilityState', {
      configurable: true,
      get: () => (visible ? 'visible' : 'hidden'),
    });
    Object.defineProperty(document, 'hasFocus', { configurable: true, value: () => visible });
    document.dispatchEvent(new Event('visibilitychange'));
  }, here);

const shown = (page: Page) =>
  page.evaluate(() =>
    (window as unknown as Stubbed).shownNotices.map(({ title, body, tag }) => ({ title, body, tag })),
  );
const titles = async (pages: readonly Page[], kind: RegExp) =>
  (await Promise.all(pages.map(shown))).flat().flatMap(({ title }) => (kind.test(title) ? [title] : []));

const ARRIVED = /arrived while you were away$/;
const DUE = /due in/;

describe.skipIf(chromium === undefined)('browser notices and the title of the tab', () => {
  const browserEnv = useBrowserEnvironment();

  /** A project of its own with a reviewer. */
  async function openQueue() {
    const { owner, testEnv, ...rest } = browserEnv();
    const project = await openProject(owner);
    const anna = await person(testEnv);
    await join(project, anna);
    const arrive = async (fields: Partial<Submission> = {}) => (await project.pipeline.submit(aSubmission(fields))).id;
    return { ...rest, owner, testEnv, project, anna, arrive };
  }
  const section = (page: Page) => page.getByRole('region', { name: 'Browser notifications' });

  it(
    'NO7: shows each notice in one of two hidden tabs, and opens the item at a click',
    { timeout: 180_000 },
    async () => {
      const { anna, project, arrive, enter } = await openQueue();
      const page = await enter(anna, '/account');
      const context = page.context();
      await answerWith(context, 'granted');
      await page.reload();
      await section(page).getByText('Notifications are off in this browser.').waitFor();
      // By keyboard.
      await section(page).getByRole('button', { name: 'Turn on notifications' }).press('Enter');
      await section(page).getByText('Notifications are on in this browser.').waitFor();
      expect(await titles([page], /./)).toEqual(['Notifications are on']);
      await section(page).getByRole('checkbox', { name: 'Show no notifications at these times' }).press('Space');
      await section(page).getByLabel('From').fill('23:00');
      await section(page).getByLabel('Until').fill('23:00');
      await section(page).getByText('Choose two different times.').waitFor();
      await checkAppearances(page, 'notices-quiet', ONCE_EACH);
      await section(page).getByRole('checkbox', { name: 'Show no notifications at these times' }).press('Space');

      const other = await context.newPage();
      await other.goto(new URL('/sessions', page.url()).href);
      await other.getByRole('heading', { name: 'Sessions' }).first().waitFor();
      /** Both tabs know by their locks who looks where, and one of them has noticed that nobody looks. */
      const locksNamed = (start: string) =>
        page.evaluate(async (name) => {
          const { held = [] } = await navigator.locks.query();
          return held.filter((lock) => lock.name?.startsWith(name)).length;
        }, start);
      await expect.poll(() => locksNamed('countersign.visible.')).toBe(2);
      expect(await locksNamed('countersign.notices.')).toBe(1);
      for (const each of [page, other]) await look(each, false);
      const awaySince = () =>
        page.evaluate((user) => {
          const memory = localStorage.getItem(`countersign.notices.shown.${user}`);
          return (JSON.parse(memory ?? '{}') as { awaySince?: number }).awaySince ?? null;
        }, anna.id);
      await expect.poll(awaySince).not.toBeNull();

      const first = await arrive({ deadline_seconds: 240, title: 'A private title' });
      await expect
        .poll(() => titles([page, other], DUE))
        .toEqual([expect.stringMatching(/^An item is due in [34] minutes$/)]);
      await expect.poll(() => titles([page, other], ARRIVED)).toEqual(['1 item arrived while you were away']);
      const all = (await Promise.all([page, other].map(shown))).flat();
      expect(all.slice(1).map(({ body }) => body)).toEqual([project.project.name, project.project.name]);
      expect(JSON.stringify(all)).not.toMatch(/private/);

      const [leader, next] = (await titles([page], DUE)).length > 0 ? [page, other] : [other, page];
      await leader.evaluate(() =>
        (window as unknown as Stubbed).shownNotices.find(({ title }) => / due /.test(title))?.click(),
      );
      await pane(leader).getByText('A private title').first().waitFor();
      expect(new URL(leader.url()).searchParams.get('item')).toBe(first);

      // The next tab leads once this one is closed, and repeats nothing.
      await leader.close();
      await arrive({ deadline_seconds: 240 });
      await expect
        .poll(() => titles([next], DUE))
        .toEqual([expect.stringMatching(/^2 items are due in the next [34] minutes$/)]);
      // At most one in five minutes.
      expect(await titles([next], ARRIVED)).toEqual([]);
    },
  );

  it('NO7: says what to do when the browser blocks them', async () => {
    const { anna, enter } = await openQueue();
    const page = await enter(anna, '/account');
    await answerWith(page.context(), 'denied');
    await page.reload();
    await section(page).getByRole('button', { name: 'Turn on notifications' }).click();
    await section(page)
      .getByText(/Allow them in the site settings/)
      .waitFor();
    await checkAppearances(page, 'notices-blocked', ONCE_EACH);
  });

  it('NO8: counts in every title what waits for this person by their role', { timeout: 120_000 }, async () => {
    const { owner, anna, project, testEnv, arrive, enter } = await openQueue();
    const [hers, queue] = [await enter(anna, '/sessions'), await enter(anna, '/queue')];
    const titleOf = (page: Page, title: string) => expect.poll(() => page.title()).toBe(title);
    await titleOf(hers, 'Sessions · Countersign');
    await look(hers, false);
    const [first, second] = [await arrive(), await arrive()];
    await titleOf(hers, '(2) Sessions · Countersign');
    await titleOf(queue, '(2) Queue · Countersign');
    const icon = hers.locator('link[rel="icon"]');
    expect(await icon.getAttribute('href')).toMatch(/favicon-waiting\.svg$/);

    // What I hold still waits for me; what somebody else holds does not.
    const mine = await anna.call(claimItem, { params: { id: first } });
    const { fence } = await owner.call(claimItem, { params: { id: second } });
    await titleOf(hers, '(1) Sessions · Countersign');
    await titleOf(queue, '(1) Queue · Countersign');

    // An escalated item waits for those who may decide it.
    const ben = await person(testEnv);
    await join(project, ben, 'supervisor');
    const his = await enter(ben, '/sessions');
    await titleOf(his, 'Sessions · Countersign');
    await owner.call(decideItem, { params: { id: second }, body: { fence, action: 'escalate', reason: 'Unclear' } });
    await titleOf(his, '(1) Sessions · Countersign');
    await anna.call(decideItem, { params: { id: first }, body: { fence: mine.fence, action: 'approve' } });
    await titleOf(hers, 'Sessions · Countersign');
    await titleOf(queue, 'Queue · Countersign');
    expect(await his.title()).toBe('(1) Sessions · Countersign');
    expect(await icon.getAttribute('href')).toMatch(/favicon\.svg$/);
  });
});
