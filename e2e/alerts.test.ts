// What owners are told of a webhook, in a real browser: live, on every page, once; light and dark, wide and narrow.
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { changeProject, readProject } from '@countersign/shared/api/projects';
import { aSubmission, join, review } from '../server/test/builders.ts';
import { person } from '../server/test/client.ts';
import { findChromium } from '../scripts/browser.ts';
import { useHouse } from './house.ts';
import { lookAllOver, ONCE_EACH } from './looks.ts';

const chromium = await findChromium();
const PAUSED = /^Webhook of .+ is paused: the receiver answered 410\.$/;
const WORKS = /^Webhook of .+ works again\.$/;

const strip = (page: Page, words: RegExp) => page.getByRole('status').getByText(words);
const gotIt = (page: Page) => page.getByRole('status').getByRole('button', { name: 'Got it' });
/** The strip is fetched when a hand is laid on the page. */
const touch = (page: Page) => page.mouse.move(300, 300);

describe.skipIf(chromium === undefined)('what owners are told of a webhook', () => {
  const house = useHouse();

  /** A decision leaves for the receiver, which answers so. */
  async function deliver(status: number): Promise<string> {
    const { owner, project, receiver } = house();
    receiver.answer = () => ({ status });
    const { id } = await project.pipeline.submit(aSubmission());
    await review(owner, id, 'approve');
    await receiver.next(id);
    return id;
  }

  it('WH6: comes by itself on any page, goes when it was read and stays away; what works again is told too', async () => {
    const { owner, project, receiver, world, enter } = house();
    const reviewer = await person(world);
    await join(project, reviewer, 'supervisor');
    const other = await enter(reviewer, '/queue');
    const page = await enter(owner, '/queue');
    await touch(page);
    await touch(other);
    const row = page.getByRole('row').filter({ hasText: 'Does this line move?' });
    await project.pipeline.submit(aSubmission({ input: 'Does this line move?' }));
    await row.waitFor();
    const place = await row.boundingBox();
    const id = await deliver(410);
    await strip(page, PAUSED).waitFor();
    expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true);
    expect((await row.boundingBox())?.y).toBe(place?.y);
    await lookAllOver(page, 'alerts-queue', ONCE_EACH);

    // It says so on every page, and stands above what is there.
    await page.goto(`${world.baseUrl}/projects/${project.id}/webhook`);
    await touch(page);
    await strip(page, PAUSED).waitFor();
    await page.getByText('It was paused: the receiver answered 410').waitFor();
    await lookAllOver(page, 'alerts-webhook');

    await gotIt(page).click();
    await strip(page, PAUSED).waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('page');
    const asked = page.waitForResponse('**/api/alerts');
    await page.reload();
    await touch(page);
    expect(((await (await asked).json()) as { data: unknown[] }).data).toEqual([]);
    expect(await strip(page, PAUSED).count()).toBe(0);

    // Somebody resumes it, and what waited arrives.
    receiver.answer = () => ({ status: 204 });
    const params = { id: project.id };
    const { settings_version, webhook_url } = await owner.call(readProject, { params });
    await owner.call(changeProject, { params, body: { settings_version, webhook_url } });
    await receiver.next(id);
    await strip(page, WORKS).waitFor();
    await page.getByText('It worked again').waitFor();
    await gotIt(page).click();
    await strip(page, WORKS).waitFor({ state: 'detached' });

    expect(await other.getByRole('status').getByText('Webhook of').count()).toBe(0);
  });

  it('WH6: leads to what was given up', async () => {
    const { owner, project, receiver, world, enter } = house();
    const page = await enter(owner, '/projects');
    await touch(page);
    receiver.answer = () => ({ status: 503 });
    const { id } = await project.pipeline.submit(aSubmission());
    await review(owner, id, 'approve');
    await receiver.next(id);
    const last = `update delivery set attempt = 9, next_attempt_at = now() where item_id = $1 and status = 'pending' returning id`;
    await expect.poll(() => world.sql(last, [id])).toHaveLength(1);
    await strip(page, /: a delivery was given up after 10 attempts \(503\)\.$/).waitFor();
    await page.getByRole('link', { name: 'Show deliveries' }).click();
    await page.waitForURL(/\/deliveries\?status=dead$/);
    await page.getByRole('button', { name: /^Show evt_/ }).waitFor();
    await strip(page, /given up/).waitFor();
    await gotIt(page).click();
    await strip(page, /given up/).waitFor({ state: 'detached' });
  });
});
