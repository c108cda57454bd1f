// Tests the main path in a real Chromium: sign in, receive an item live, approve it with one key, verify the webhook.
import { describe, expect, it } from 'vitest';
import { aSubmission, join } from '../../server/test/builders.ts';
import { person } from '../../server/test/client.ts';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { signIn } from '../support/injected-wallet.ts';
import { waitUntilIdle, nameOf, row } from '../support/queue.ts';

const chromium = await findChromium();

describe.skipIf(chromium === undefined)('the main path', () => {
  const browserEnv = useBrowserEnvironment();

  it('signs in, receives the item without a reload, approves it with A, and verifies the webhook (I5, I7)', async () => {
    const { owner, project, receiver, visit } = browserEnv();
    const page = await visit(owner.wallet, '/queue');
    await signIn(page);
    await page.waitForURL(/\/queue/);
    // The only project has had no item: the empty list says so once it knows.
    await page.getByText('has no items yet').waitFor();
    const loads: string[] = [];
    page.on('framenavigated', (frame) => loads.push(frame.url()));

    const item = aSubmission({ input: { question: 'Does the story hold?' }, suggestion: 'From end to end.' });
    const { id } = await project.pipeline.submit(item);
    await row(page, 'Does the story hold?').waitFor();
    expect(loads.filter((url) => !url.includes('/queue'))).toEqual([]);

    await page.keyboard.press('n');
    await page.getByText('From end to end.').waitFor();
    await page.locator('[data-actions-enabled=true]').waitFor();
    await page.getByRole('button', { name: 'Approve', exact: true }).and(page.locator(':enabled')).waitFor();
    await page.keyboard.press('a');
    const arrival = await receiver.next(id);
    expect(arrival.event).toMatchObject({ item_id: id, status: 'approved', reviewer_id: owner.id });
    expect(arrival.event.decision).toMatchObject({ action: 'approve', output: 'From end to end.', edited: false });
    expect(await project.pipeline.read(id)).toMatchObject({ status: 'approved' });
    await waitUntilIdle(page);
  });

  it('shows an item that one browser claims as held in the other, without a reload (I4)', async () => {
    const { testEnv, owner, project, enter } = browserEnv();
    const reviewer = await person(testEnv);
    await join(project, reviewer);
    await project.pipeline.submit(aSubmission({ input: { question: 'Who has it?' } }));
    const [first, second] = await Promise.all([enter(owner, '/queue?view=all'), enter(reviewer, '/queue?view=all')]);
    await Promise.all([row(first, 'Who has it?').waitFor(), row(second, 'Who has it?').waitFor()]);

    await first.keyboard.press('n');
    await row(first, 'yours').waitFor();
    await row(second, 'Who has it?')
      .filter({ hasText: nameOf(owner) })
      .waitFor();
  });
});
