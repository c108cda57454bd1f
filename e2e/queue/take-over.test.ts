// Tests a supervisor taking over an item that a reviewer holds, in two real browsers.
import { describe, expect, it } from 'vitest';
import { aSubmission, join } from '../../server/test/builders.ts';
import { person } from '../../server/test/client.ts';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { watchForText } from '../support/transient-text.ts';
import { nameOf } from '../support/queue.ts';

const chromium = await findChromium();

describe.skipIf(chromium === undefined)('take-over', () => {
  const browserEnv = useBrowserEnvironment();

  it('I3, I4: takes the item, notifies the other page, and disables its actions', async () => {
    const { testEnv, owner, project, enter } = browserEnv();
    const reviewer = await person(testEnv);
    await join(project, reviewer);
    const { id } = await project.pipeline.submit(aSubmission({ input: { question: 'Whose is it?' } }));
    const [theirs, ours] = await Promise.all([enter(reviewer, '/queue'), enter(owner, `/queue?item=${id}`)]);
    await theirs.getByText('Whose is it?').first().waitFor();
    await theirs.keyboard.press('n');
    await theirs.getByText('Yours for').waitFor();
    // An action works only after the item was seen (QU2).
    await theirs.locator('[data-actions-enabled=true]').waitFor();
    await theirs.keyboard.press('e');
    await theirs.getByLabel('Your answer').fill('Half a thought.');

    await ours.getByRole('row').filter({ hasText: 'Whose is it?' }).click();
    const holder = nameOf(owner);
    const takeoverNotice = await watchForText(theirs, `${holder} took over this item. Your draft is saved`);
    await ours.getByRole('button', { name: 'Take over' }).click();
    await ours.getByText('Yours for').waitFor();
    await takeoverNotice();
    await theirs.getByText(`${holder} is reviewing this`).waitFor();
    expect(await theirs.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    expect(await theirs.getByRole('button', { name: 'Take over' }).count()).toBe(0);

    await ours.locator('[data-actions-enabled=true]').waitFor();
    await ours.keyboard.press('a');
    await expect.poll(async () => (await project.pipeline.read(id)).status).toBe('approved');
  });
});
