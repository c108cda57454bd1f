// Tests webhook alerts for owners in a real browser: live, on every page, once; in both themes, wide and narrow.
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { listAlerts } from '@countersign/shared/routes/alerts';
import { changeProject, readProject } from '@countersign/shared/routes/projects';
import { createEndpoint } from '@countersign/shared/routes/webhook';
import { aSubmission, join, review } from '../../server/test/builders.ts';
import { person } from '../../server/test/client.ts';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { checkAppearances, ONCE_EACH } from '../support/page-checks.ts';
import { responseReceived } from '../support/received.ts';

const chromium = await findChromium();
const PAUSED = /: webhook paused \(410 Gone\)\.$/;
const RECOVERED = /: webhook works again\.$/;

const banner = (page: Page, pattern: RegExp) => page.getByRole('status').getByText(pattern);
const gotIt = (page: Page) => page.getByRole('status').getByRole('button', { name: 'Got it' });
/** The page preloads the alert banner on interaction. */
const touch = (page: Page) => page.mouse.move(300, 300);

describe.skipIf(chromium === undefined)('webhook alerts for owners', () => {
  const browserEnv = useBrowserEnvironment();

  /** Decides an item; the receiver answers its delivery with this status. */
  async function deliver(status: number): Promise<string> {
    const { owner, project, receiver } = browserEnv();
    receiver.answer = () => ({ status });
    const { id } = await project.pipeline.submit(aSubmission());
    await review(owner, id, 'approve');
    await receiver.next(id);
    return id;
  }

  it('WH6: appears on every page without a reload, stays dismissed, and announces the recovery', async () => {
    const { owner, project, receiver, testEnv, enter } = browserEnv();
    const reviewer = await person(testEnv);
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
    await banner(page, PAUSED).waitFor();
    expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true);
    expect((await row.boundingBox())?.y).toBe(place?.y);
    await checkAppearances(page, 'alerts-queue', ONCE_EACH);

    // Every page shows the banner above its content.
    await page.goto(`${testEnv.baseUrl}/projects/${project.id}/webhook`);
    await touch(page);
    await banner(page, PAUSED).waitFor();
    await page.getByText('Webhook paused (410 Gone)', { exact: true }).waitFor();
    await checkAppearances(page, 'alerts-webhook');

    await gotIt(page).click();
    await banner(page, PAUSED).waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('page');
    await page.reload();
    await touch(page);
    await responseReceived(page, listAlerts.path);
    expect((await owner.call(listAlerts)).data).toEqual([]);
    expect(await banner(page, PAUSED).count()).toBe(0);

    // An owner resumes the endpoint, and the pending delivery arrives.
    receiver.answer = () => ({ status: 204 });
    const params = { id: project.id };
    const { settings_version, webhook_url } = await owner.call(readProject, { params });
    await owner.call(changeProject, { params, body: { settings_version, webhook_url } });
    await receiver.next(id);
    await banner(page, RECOVERED).waitFor();
    await page.getByText('Webhook works again', { exact: true }).waitFor();
    await gotIt(page).click();
    await banner(page, RECOVERED).waitFor({ state: 'detached' });

    expect(await other.getByRole('status').getByText('webhook').count()).toBe(0);
  });

  it('WH6: links to the dead deliveries', async () => {
    const { owner, project, receiver, testEnv, enter } = browserEnv();
    const page = await enter(owner, '/projects');
    await touch(page);
    receiver.answer = () => ({ status: 503 });
    const { id } = await project.pipeline.submit(aSubmission());
    await review(owner, id, 'approve');
    await receiver.next(id);
    const last = `update delivery set attempt = 9, next_attempt_at = now() where item_id = $1 and status = 'pending' returning id`;
    await expect.poll(() => testEnv.sql(last, [id])).toHaveLength(1);
    await banner(page, /: a delivery failed permanently after 10 attempts \(503\)\.$/).waitFor();
    await page.getByRole('link', { name: 'View deliveries' }).click();
    await page.waitForURL(/\/deliveries\?status=dead$/);
    await page.getByRole('button', { name: /^Show evt_/ }).waitFor();
    await banner(page, /failed permanently/).waitFor();
    await gotIt(page).click();
    await banner(page, /failed permanently/).waitFor({ state: 'detached' });
  });

  it('WH6: shows the alert of one endpoint after that of another, with its dead deliveries', async () => {
    const { owner, project, receiver, testEnv, enter } = browserEnv();
    const about = { url: 'http://127.0.0.1:1024/', description: 'Mail', is_enabled: true };
    const body = { ...about, events: ['item.decided' as const] };
    // The first endpoint had an alert within the hour.
    await testEnv.sql('update webhook_endpoint set alerted_at = null where project_id = $1', [project.id]);
    const { id: mail } = await owner.call(createEndpoint, { params: { id: project.id }, body });
    const page = await enter(owner, '/projects');
    await touch(page);
    receiver.answer = () => ({ status: 503 });
    const { id } = await project.pipeline.submit(aSubmission());
    await review(owner, id, 'approve');
    const last = `update delivery set attempt = 9, next_attempt_at = now()
      where item_id = $1 and coalesce(endpoint_id, project_id) = $2 and attempt = 1 and status = 'pending' returning id`;
    await expect.poll(() => testEnv.sql(last, [id, project.id])).toHaveLength(1);
    const dead = `select id from delivery where item_id = $1 and status = 'dead'`;
    await expect.poll(() => testEnv.sql(dead, [id])).toHaveLength(1);
    await expect.poll(() => testEnv.sql(last, [id, mail])).toHaveLength(1);
    const { host } = new URL(receiver.url);
    await banner(page, new RegExp(`deliver(y|ies) to ${host} failed permanently`)).waitFor();
    await gotIt(page).click();
    await banner(page, /: a delivery to Mail failed permanently/).waitFor();
    await page.getByRole('link', { name: 'View deliveries' }).click();
    await page.waitForURL(new RegExp(`/deliveries\\?status=dead&endpoint=${mail}$`));
    const rows = page.getByRole('button', { name: /^Show evt_/ });
    await rows.first().waitFor();
    expect(await rows.count()).toBe(1);
  });
});
