// Tests team view and stop switch in two browsers: one stops the project, the other sees it, and routing obeys.
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { claimItem, releaseClaim } from '@countersign/shared/routes/queue';
import { aSubmission, join, openProject, review, type OpenProject } from '../../server/test/builders.ts';
import { person, type Person } from '../../server/test/client.ts';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { nameOf, row } from '../support/queue.ts';
import { ALL_APPEARANCES, checkAppearances, ONCE_EACH } from '../support/page-checks.ts';

const chromium = await findChromium();
/** In ms. The checks in every theme and width are slow on a busy machine. */
const VIEWING = 180_000;

describe.skipIf(chromium === undefined)('the live team view', () => {
  const browserEnv = useBrowserEnvironment();
  let ana: Person;
  let ben: Person;
  let project: OpenProject;
  let anas: Page;
  let bens: Page;

  const banner = (page: Page) => page.getByRole('status').getByText('every new item goes to human review');
  const sent = async (overrides: Parameters<typeof aSubmission>[0]) =>
    (await project.pipeline.submit(aSubmission(overrides))).status;
  const teamRow = (who: Person) => anas.getByRole('row').filter({ hasText: nameOf(who) });

  beforeAll(async () => {
    const { testEnv, enter } = browserEnv();
    [ana, ben] = await Promise.all([person(testEnv), person(testEnv)]);
    project = await openProject(ana);
    await join(project, ben);
    for (let n = 0; n < 7; n += 1) await project.pipeline.submit(aSubmission());
    await sent({ confidence: 1 });
    await sent({ confidence: 0 });
    [anas, bens] = await Promise.all([
      enter(ana, `/analytics/floor?project=${project.id}`),
      enter(ben, `/queue?view=all&project=${project.id}`),
    ]);
    await anas.getByRole('heading', { name: 'Who is working on what?' }).waitFor();
    await row(bens, 'Question').first().waitFor();
  });

  it(
    'FL1 to FL5: shows live who holds what and since when, who is idle, and when the queue will be empty',
    async () => {
      const { id } = await project.pipeline.submit(
        aSubmission({ input: `Who has this one? ${'WIDE WORDS '.repeat(30)}` }),
      );
      await teamRow(ben).getByText('idle').waitFor();
      const { fence } = await ben.call(claimItem, { params: { id } });
      await teamRow(ben).getByText('reviewing').waitFor();
      await teamRow(ben).getByRole('link', { name: 'Who has this one?' }).waitFor();
      await anas.getByText('fewer than five decisions in the last hour').waitFor();
      await checkAppearances(anas, 'floor-holding', [
        ...ALL_APPEARANCES,
        { colorScheme: 'light', size: { width: 1280, height: 800 } },
      ]);
      await ben.call(releaseClaim, { params: { id }, body: { fence } });
      await teamRow(ben).getByText('idle').waitFor();
      const made = [];
      for (let n = 0; n < 5; n += 1) made.push(await project.pipeline.submit(aSubmission()));
      for (const each of made) await review(ben, each.id, 'approve');
      await teamRow(ben).getByText('active').waitFor();
      await anas.getByText('Never at this pace').waitFor();
      await teamRow(ben).getByRole('cell', { name: '5', exact: true }).waitFor();
    },
    VIEWING,
  );

  it(
    'RT7: stops the project after a confirmation with figures; the other page shows it at once, and a sure answer is queued',
    async () => {
      const line = row(bens, 'Question').first();
      const place = await line.boundingBox();
      expect(await sent({ confidence: 1 })).toBe('auto_approved');
      await anas.getByRole('button', { name: 'Turn on manual review…' }).click();
      const dialog = anas.getByRole('dialog');
      await dialog.getByText(/In the last hour, 2 of \d+ items .* and 1 auto-rejected/).waitFor();
      await dialog.getByText("That's about 3 extra reviews per hour").waitFor();
      await dialog.getByLabel(/^Reason/).fill('Odd answers since noon');
      await checkAppearances(anas, 'stop-asked', ONCE_EACH);
      await dialog.getByRole('button', { name: 'Turn on' }).click();
      await Promise.all([banner(anas), banner(bens)].map((each) => each.waitFor()));
      await bens.getByRole('status').getByText('Odd answers since noon').waitFor();
      expect((await line.boundingBox())?.y, 'no line moves (QU1)').toBe(place?.y);
      expect(await bens.getByRole('button', { name: 'Turn off…' }).count(), 'a reviewer may not release it').toBe(0);

      for (const confidence of [1, 0]) expect(await sent({ confidence })).toBe('queued');
      const { id } = await project.pipeline.submit(aSubmission({ input: 'Is this sure?', confidence: 1 }));
      await row(bens, 'Is this sure?').waitFor();
      expect((await project.pipeline.read(id)).routing.rule).toBe('RT7');
      await checkAppearances(anas, 'floor-stopped', ONCE_EACH);
      await checkAppearances(bens, 'queue-stopped', ONCE_EACH);

      await anas.goto(`${browserEnv().frontProxy.url}/projects/${project.id}`);
      await banner(anas).waitFor();
      await checkAppearances(anas, 'overview-stopped', ONCE_EACH);
    },
    VIEWING,
  );

  it('RT7: releases the stop from the palette by keyboard alone, and routing applies the thresholds again', async () => {
    await anas.bringToFront();
    await anas.keyboard.press('Control+k');
    await anas.getByRole('combobox', { name: 'Search or run' }).fill('turn off manual');
    await anas.getByRole('option', { name: /Turn off manual review/ }).waitFor();
    await anas.keyboard.press('Enter');
    const release = anas.getByRole('dialog').getByRole('button', { name: 'Turn off' });
    await release.focus();
    await anas.keyboard.press('Enter');
    await Promise.all([banner(anas), banner(bens)].map((each) => each.waitFor({ state: 'detached' })));
    expect(await sent({ confidence: 1 })).toBe('auto_approved');
    expect(await sent({ confidence: 0 })).toBe('rejected');
    await anas.goto(`${browserEnv().frontProxy.url}/projects/${project.id}/changes`);
    await anas.getByText('turned on manual review: every item goes to a reviewer').waitFor();
    await anas.getByText('turned off manual review').waitFor();
  });
});
