// Tests two people on one queue in two browsers: who was first, what the other sees, and that no text is lost.
import type { Page, Route } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { readQueueItem } from '@countersign/shared/routes/queue';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { aSubmission, join, openProject, type OpenProject } from '../../server/test/builders.ts';
import { person, type Person } from '../../server/test/client.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { watchForText } from '../support/transient-text.ts';
import {
  waitUntilIdle,
  countHandledKeys,
  expectUpToDate,
  handledKeys,
  nameOf,
  openRow,
  pressUntilHandled,
  row,
  setUndoWindowToOneDay,
} from '../support/queue.ts';

const chromium = await findChromium();

describe.skipIf(chromium === undefined)('two reviewers', () => {
  const browserEnv = useBrowserEnvironment();
  let project: OpenProject;
  let ana: Person;
  let ben: Person;
  let anas: Page;
  let bens: Page;

  const arrive = async (question: string) =>
    (await project.pipeline.submit(aSubmission({ input: { question }, suggestion: `About: ${question}` }))).id;
  const decided = async (id: string) => (await ana.call(readQueueItem, { params: { id } })).decision;
  const mine = (page: Page) => page.getByText('Yours for');
  /** Claims a line by click. A page busy with the previous item ignores a click, so it is repeated. */
  async function take(page: Page, question: string): Promise<void> {
    const shown = page.getByText(`About: ${question}`).first();
    const taken = async () => {
      if (!(await shown.isVisible())) await openRow(page, question);
      return (await shown.isVisible()) && (await mine(page).isVisible());
    };
    await expect.poll(taken, { timeout: 50_000, interval: 200 }).toBe(true);
  }

  beforeAll(async () => {
    const { testEnv, allowConsoleError } = browserEnv();
    // Losing a race is a regular response, but a browser logs every 4xx.
    allowConsoleError(/status of 409/);
    // Ana is the owner and may take over; Ben is a reviewer.
    [ana, ben] = await Promise.all([person(testEnv), person(testEnv)]);
    project = await openProject(ana, { settings: { undo_window_seconds: 30, claim_lease_seconds: 600 } });
    await setUndoWindowToOneDay(testEnv, project.id);
    await join(project, ben);
    [anas, bens] = await Promise.all([
      browserEnv().enter(ana, '/queue?view=all'),
      browserEnv().enter(ben, '/queue?view=all'),
    ]);
    await Promise.all([anas, bens].map((page) => page.getByRole('link', { name: /^All/ }).waitFor()));
    await Promise.all([countHandledKeys(anas), countHandledKeys(bens)]);
  });

  /** The next claim of each page waits for the other's: neither has received the other's event when they are sent. */
  async function decideBoth(pages: readonly Page[]): Promise<void> {
    const all = Promise.withResolvers<undefined>();
    let asked = 0;
    for (const page of pages) {
      const claim = async (route: Route) => {
        asked += 1;
        if (asked === pages.length) all.resolve(undefined);
        await all.promise;
        await route.continue();
      };
      await page.route(/\/api\/items\/[^/]+\/claim$/, claim, { times: 1 });
    }
  }

  it('I4: race for one item; the loser sees who holds it and the lease, and moves to the next item with one key', async () => {
    const first = await arrive('Who is first?');
    await arrive('And after that?');
    await Promise.all([anas, bens].map((page) => row(page, 'And after that?').waitFor()));
    const [anaNotified, benNotified] = await Promise.all([
      watchForText(anas, `${nameOf(ben)} claimed it first`),
      watchForText(bens, `${nameOf(ana)} claimed it first`),
    ]);
    await decideBoth([anas, bens]);
    await Promise.all([anas, bens].map((page) => openRow(page, 'Who is first?')));
    await Promise.any([mine(anas).waitFor(), mine(bens).waitFor()]);
    const won = (await mine(anas).count()) > 0;
    const [winner, loser] = won ? [anas, bens] : [bens, anas];
    const name = nameOf(won ? ana : ben);
    await (won ? benNotified() : anaNotified());
    await row(loser, 'Who is first?').filter({ hasText: name }).waitFor();
    expect(await mine(loser).count()).toBe(0);
    // Both lines count down the same lease.
    expect(await row(loser, 'Who is first?').textContent()).toMatch(/\d:\d\d/);
    expect(await row(winner, 'Who is first?').textContent()).toContain('yours');

    await pressUntilHandled(loser, 'n');
    await mine(loser).waitFor();
    await loser.getByText('About: And after that?').waitFor();
    await Promise.all([pressUntilHandled(anas, 'a'), pressUntilHandled(bens, 'a')]);
    await expect.poll(() => decided(first)).toMatchObject({ action: 'approve', reviewer_id: (won ? ana : ben).id });
    await Promise.all([anas, bens].map(waitUntilIdle));
    await Promise.all([
      expectUpToDate(anas, { reviewer: ana, view: 'all', people: [ana, ben] }),
      expectUpToDate(bens, { reviewer: ben, view: 'all', people: [ana, ben] }),
    ]);
  });

  it('QU3, LC1: says who decided an item under a draft, and how, and keeps the draft beside it, also over a reload', async () => {
    const id = await arrive('Who has the last word?');
    await take(bens, 'Who has the last word?');
    const answer = bens.getByLabel('Your answer');
    // Where the editor loads for seconds, the page drops the press and asks for it again (QU2).
    await expect
      .poll(async () => {
        if (await answer.isVisible()) return true;
        await take(bens, 'Who has the last word?');
        await bens.keyboard.press('e');
        return answer.isVisible();
      })
      .toBe(true);
    await answer.fill('A better answer, half-written');
    await openRow(anas, 'Who has the last word?');
    await anas.getByRole('button', { name: 'Take over' }).click();
    await mine(anas).waitFor();
    await bens
      .getByText(`${nameOf(ana)} took over this item`)
      .first()
      .waitFor();
    await pressUntilHandled(anas, 'a');

    const told = () => bens.getByText(`${nameOf(ana)} already decided this: approved`).waitFor();
    const hasBothTexts = () =>
      bens.locator('section').filter({ hasText: 'Your draft' }).filter({ hasText: 'half-written' }).last().waitFor();
    await told();
    await hasBothTexts();
    expect(await bens.getByRole('group', { name: 'Actions' }).getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await bens.reload();
    await told();
    await hasBothTexts();
    await countHandledKeys(bens);
    expect(await decided(id)).toMatchObject({ action: 'approve', reviewer_id: ana.id });
    await pressUntilHandled(bens, 'Enter');
    await Promise.all([anas, bens].map(waitUntilIdle));
  });

  it('LC2: undoes with one key, and the item is claimed again on this page and held on the other', async () => {
    const id = await arrive('Too quick?');
    await take(bens, 'Too quick?');
    await pressUntilHandled(bens, 'a');
    // While the next item loads, no action is available.
    const made = bens.getByRole('listitem').filter({ hasText: 'Too quick?' });
    await made.getByRole('button', { name: 'Undo', disabled: false }).waitFor();
    await pressUntilHandled(bens, 'z');
    await mine(bens).waitFor();
    await row(anas, 'Too quick?')
      .filter({ hasText: nameOf(ben) })
      .waitFor();
    expect(await project.pipeline.read(id)).toMatchObject({ status: 'queued', decision: null });
    await Promise.all([
      expectUpToDate(anas, { reviewer: ana, view: 'all', people: [ana, ben] }),
      expectUpToDate(bens, { reviewer: ben, view: 'all', people: [ana, ben] }),
    ]);
  });

  /** Counts every press that the page took for a command, from the claimed item to its end. */
  const DECISIONS = [
    { what: 'approve', keys: ['a'], status: /Approved/ },
    { what: 'reject', keys: ['r', '1'], status: /Rejected/ },
    { what: 'escalate', keys: ['u', '1'], status: /Escalated/ },
  ];

  it.each(DECISIONS)('takes $keys.length key presses to $what', async ({ what, keys, status }) => {
    await arrive(`How many keys to ${what}?`);
    await take(bens, `How many keys to ${what}?`);
    const before = await handledKeys(bens);
    for (const key of keys) await pressUntilHandled(bens, key);
    await bens.getByRole('listitem').filter({ hasText: status }).first().waitFor();
    expect((await handledKeys(bens)) - before).toBe(keys.length);
  });
});
