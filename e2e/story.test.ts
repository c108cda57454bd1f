// The whole story in a real Chromium: a wallet signs in, an item arrives by itself, one key approves it, the webhook verifies.
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { aSubmission, join } from '../server/test/builders.ts';
import { makeWallet, person } from '../server/test/client.ts';
import { findChromium } from '../scripts/browser.ts';
import { useHouse } from './house.ts';
import { signIn } from './injected-wallet.ts';
import { atRest } from './queue.ts';

const chromium = await findChromium();

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

describe.skipIf(chromium === undefined)('the whole story', () => {
  const house = useHouse();

  it('signs in, sees the item arrive without a reload, approves it with A, and the webhook verifies (I5, I7)', async () => {
    const { owner, project, receiver, visit } = house();
    const page = await visit(owner.wallet, '/queue');
    await signIn(page);
    await page.waitForURL(/\/queue/);
    // Its only project has not had an item: the empty list says so, once it knows.
    await page.getByText('has not had an item yet').waitFor();
    const loads: string[] = [];
    page.on('framenavigated', (frame) => loads.push(frame.url()));

    const item = aSubmission({ input: { question: 'Does the story hold?' }, suggestion: 'From end to end.' });
    const { id } = await project.pipeline.submit(item);
    await row(page, 'Does the story hold?').waitFor();
    expect(loads.filter((url) => !url.includes('/queue'))).toEqual([]);

    await page.keyboard.press('n');
    await page.getByText('From end to end.').waitFor();
    await page.locator('[data-armed=true]').waitFor();
    await page.getByRole('button', { name: 'Approve', exact: true }).and(page.locator(':enabled')).waitFor();
    await page.keyboard.press('a');
    const arrival = await receiver.next(id);
    expect(arrival.event).toMatchObject({ item_id: id, status: 'approved', reviewer_id: owner.id });
    expect(arrival.event.decision).toMatchObject({ action: 'approve', output: 'From end to end.', edited: false });
    expect(await project.pipeline.read(id)).toMatchObject({ status: 'approved' });
    await atRest(page);
  });

  it('shows what one browser claims as held in the other within a second (I4)', async () => {
    const { world, owner, project, visit } = house();
    const wallet = makeWallet();
    await join(project, await person(world, wallet));
    await project.pipeline.submit(aSubmission({ input: { question: 'Who has it?' } }));
    const [first, second] = await Promise.all([
      visit(owner.wallet, '/queue?view=all'),
      visit(wallet, '/queue?view=all'),
    ]);
    await Promise.all([signIn(first), signIn(second)]);
    await Promise.all([row(first, 'Who has it?').waitFor(), row(second, 'Who has it?').waitFor()]);

    await first.keyboard.press('n');
    await row(first, 'yours').waitFor();
    const claimedAt = performance.now();
    const holder = `${owner.wallet.address.slice(0, 4)}…${owner.wallet.address.slice(-4)}`;
    await row(second, 'Who has it?').filter({ hasText: holder }).waitFor();
    expect(performance.now() - claimedAt).toBeLessThan(1000);
  });
});
