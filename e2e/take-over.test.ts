// A supervisor takes an item out of a reviewer's hands, in two real browsers.
import { describe, expect, it } from 'vitest';
import { aSubmission, join } from '../server/test/builders.ts';
import { person } from '../server/test/client.ts';
import { findChromium } from '../scripts/browser.ts';
import { useHouse } from './house.ts';
import { noteText } from './noted.ts';
import { nameOf } from './queue.ts';

const chromium = await findChromium();

describe.skipIf(chromium === undefined)('taking over', () => {
  const house = useHouse();

  it('I3, I4: takes the item, tells the other page, and the other’s verbs are gone', async () => {
    const { world, owner, project, enter } = house();
    const reviewer = await person(world);
    await join(project, reviewer);
    const { id } = await project.pipeline.submit(aSubmission({ input: { question: 'Whose is it?' } }));
    const [theirs, ours] = await Promise.all([enter(reviewer, '/queue'), enter(owner, `/queue?item=${id}`)]);
    await theirs.getByText('Whose is it?').first().waitFor();
    await theirs.keyboard.press('n');
    await theirs.getByText('Yours for').waitFor();
    // A verb counts once its item was seen (QU2).
    await theirs.locator('[data-armed=true]').waitFor();
    await theirs.keyboard.press('e');
    await theirs.getByLabel('Your answer').fill('Half a thought.');

    await ours.getByRole('row').filter({ hasText: 'Whose is it?' }).click();
    const holder = nameOf(owner);
    const told = await noteText(theirs, `${holder} took this item over. What you typed is kept`);
    await ours.getByRole('button', { name: 'Take over' }).click();
    await ours.getByText('Yours for').waitFor();
    await told();
    await theirs.getByText(`${holder} is deciding this`).waitFor();
    expect(await theirs.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    expect(await theirs.getByRole('button', { name: 'Take over' }).count()).toBe(0);

    await ours.locator('[data-armed=true]').waitFor();
    await ours.keyboard.press('a');
    await expect.poll(async () => (await project.pipeline.read(id)).status).toBe('approved');
  });
});
