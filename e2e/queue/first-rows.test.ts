// Tests a long queue: its first 60 rows are on the screen before the others are read and follow below them (QU31).
import { beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { aSubmission, join, openProject, review, type OpenProject } from '../../server/test/builders.ts';
import { people, type Person } from '../../server/test/client.ts';
import { expectUpToDate, queueFromServer, row } from '../support/queue.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';

const chromium = await findChromium();
const ITEMS = 150;
const FIRST_ROWS = 60;

describe.skipIf(chromium === undefined)('QU31: a queue of more than 60', () => {
  const browserEnv = useBrowserEnvironment();
  let reader: Person;
  let other: Person;
  let project: OpenProject;

  beforeAll(async () => {
    const { testEnv, owner } = browserEnv();
    [reader, other] = (await people(testEnv, 2)) as [Person, Person];
    project = await openProject(owner, { settings: { target_minutes: 600 } });
    for (const member of [reader, other]) await join(project, member, 'supervisor');
    const items = Array.from({ length: ITEMS }, (_, n) => ({
      project_id: project.id,
      ...aSubmission({ input: { question: `Long ${n}.` } }),
    }));
    await project.pipeline.submitBatchRaw(JSON.stringify({ items }));
  });

  it('shows 60 and the counts of all; the rest follows, with what happened in between', async () => {
    const { enter } = browserEnv();
    const page = await enter(reader, '/account');
    const rest = Promise.withResolvers<void>();
    await page.route(/\/api\/queue\?.*after=/, async (route) => {
      await rest.promise;
      await route.continue();
    });
    await page.goto(new URL('/queue?view=all', page.url()).href);
    const shown = () =>
      page.locator('[data-line]').evaluateAll((lines) => lines.map((line) => line.getAttribute('data-line')));
    await expect.poll(async () => (await shown()).length).toBe(FIRST_ROWS);
    await page.getByRole('link', { name: `All ${ITEMS}`, exact: true }).waitFor();
    const { lines } = await queueFromServer(other, 'all');
    const first = lines.slice(0, FIRST_ROWS).map(({ id }) => id);
    expect(await shown()).toEqual(first);

    // The list keeps the place of a decided row while the pointer is over it.
    await row(page, 'Long 5.').hover();
    const [decided, unread] = [lines[1]?.id ?? '', lines[100]?.id ?? ''];
    await review(other, decided);
    await review(other, unread);
    await project.pipeline.submit(aSubmission({ input: { question: 'Just arrived.' } }));
    await page.getByRole('link', { name: `All ${ITEMS - 1}`, exact: true }).waitFor();
    const place = async () => (await row(page, 'Long 5.').boundingBox())?.y;
    const before = await place();
    rest.resolve();
    await row(page, 'Just arrived.').waitFor();
    expect(await place()).toBe(before);
    expect((await shown()).slice(0, FIRST_ROWS)).toEqual(first);
    await expectUpToDate(page, { reviewer: reader, view: 'all', people: [reader, other] });
  });
});
