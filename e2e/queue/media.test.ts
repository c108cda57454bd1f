// Tests pictures, sound and PDF of submissions in a real browser: what their reader sees and does with them.
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { aSubmission, openProject } from '../../server/test/builders.ts';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { png } from '../../web/src/lib/values/media/hostile-media.fixture.ts';
import { firstExtra, pdfData, PROTECTED } from '../../web/src/lib/values/media/pdf/pdf.fixture.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { ALL_APPEARANCES, expectAccessible, saveScreenshot, setAppearance } from '../support/page-checks.ts';

const chromium = await findChromium();
const MINUTE = 60_000;

const LINES = ['Master services agreement', 'between Ana Gomes and the', 'customer named below.'];
const pages = Array.from({ length: 40 }, (_, at) => [...LINES, `Clause ${at + 1}: payment within ${at + 10} days.`]);

/** The page in view, as its field says. */
const pageOf = (page: Page) => page.getByRole('textbox', { name: 'Page', exact: true });

describe.skipIf(chromium === undefined)('a PDF', () => {
  const browserEnv = useBrowserEnvironment();

  it('MP7: is read, searched, zoomed and selected in the page', { timeout: 3 * MINUTE }, async () => {
    const { owner, project, enter } = browserEnv();
    const input = { contract: pdfData({ pages }), question: 'When is the payment due?' };
    const { id } = await project.pipeline.submit(aSubmission({ input, suggestion: 'Within 10 days.' }));
    const page = await enter(owner, `/queue?item=${id}`);
    const first = page.getByRole('group', { name: 'Page 1', exact: true });
    await first.locator('canvas').waitFor();
    await first.getByText('Master services agreement').waitFor();
    // Only pages near the view are drawn.
    expect(await page.locator('.pdf-text').count()).toBeLessThan(6);

    await page.getByRole('button', { name: 'Search in the PDF' }).click();
    const field = page.getByLabel('Find text in the PDF');
    await field.fill('and the customer');
    await page.getByText('1 of 40').waitFor();
    await field.fill('clause 37');
    await page.getByText('1 of 1', { exact: true }).waitFor();
    const found = page.getByRole('group', { name: 'Page 37', exact: true });
    await found.getByText('Clause 37').waitFor();
    await expect.poll(() => page.evaluate(() => CSS.highlights.get('value-found')?.size ?? 0)).toBe(1);
    await field.press('Escape');

    await pageOf(page).fill('2');
    await pageOf(page).press('Enter');
    const second = page.getByRole('group', { name: 'Page 2', exact: true });
    await second.getByText('Clause 2:').waitFor();
    const selected = await second.getByText('Clause 2:').evaluate((element) => {
      getSelection()?.selectAllChildren(element);
      return getSelection()?.toString();
    });
    expect(selected).toBe('Clause 2: payment within 11 days.');

    const view = page.getByRole('group', { name: 'PDF from the submission' });
    const widthOf = async () => (await second.boundingBox())?.width ?? 0;
    const before = await widthOf();
    await view.press('+');
    await expect.poll(widthOf).toBeCloseTo(before * 1.25, 0);
    await view.press('0');
    await expect.poll(widthOf).toBeCloseTo(before, 0);
    await page.getByRole('button', { name: 'Rotate' }).click();
    await second.locator('canvas').waitFor();
    for (const appearance of ALL_APPEARANCES) {
      await setAppearance(page, appearance);
      await page.locator('.pdf-text').first().waitFor();
      await expectAccessible(page, 'section[aria-label="Item"]');
      await saveScreenshot(page, `pdf-${appearance.colorScheme}-${appearance.size.width}`);
    }
  });
});

/** Pages beyond the limit of 2,000, without a file of that size: one page, listed 2,001 times. */
const endless = () => {
  const one = { pages: [['Clause']] };
  const extra = [`<< /Type /Pages /Kids [${'4 0 R '.repeat(2_001)}] /Count 2001 >>`];
  return pdfData({ ...one, catalog: `/Pages ${firstExtra(one)} 0 R`, extra });
};

describe.skipIf(chromium === undefined)('several PDFs', () => {
  const browserEnv = useBrowserEnvironment();

  it(
    'MP7: three open by themselves, each says why it is not shown, nothing in them is a control',
    {
      timeout: 2 * MINUTE,
    },
    async () => {
      const { owner, project, enter } = browserEnv();
      const form = { pages: [['Order form']] };
      const field = firstExtra(form);
      const input = {
        form: pdfData({
          ...form,
          catalog: `/AcroForm << /Fields [${field} 0 R] >>`,
          page: `/Annots [${field} 0 R ${field + 1} 0 R]`,
          extra: [
            '<< /Type /Annot /Subtype /Widget /FT /Tx /T (f) /V (typed) /Rect [60 500 300 520] >>',
            '<< /Type /Annot /Subtype /Link /Rect [0 0 595 842] /A << /S /URI /URI (https://trap.example/) >> >>',
          ],
        }),
        protected: pdfData({ pages: [['Secret']], trailer: PROTECTED }),
        long: endless(),
        fourth: pdfData({ pages: [['The fourth']] }),
      };
      const { id } = await project.pipeline.submit(aSubmission({ input, suggestion: 'Paid' }));
      const page = await enter(owner, `/queue?item=${id}`);
      await page.getByText('Order form').waitFor();
      await page.getByText("Can't display this PDF: it is protected by a password.").waitFor();
      await page.getByText('Showing the first 2,000 of 2,001 pages.').waitFor();
      const views = page.getByRole('group', { name: 'PDF from the submission' });
      expect(await views.locator('a, input, textarea, select, button, [contenteditable]').count()).toBe(0);
      expect(await page.getByText('The fourth').count()).toBe(0);
      // The protected one is closed, but its place isn't given to another by itself.
      await page.getByRole('button', { name: /^Show PDF/ }).click();
      await page.getByText('The fourth').waitFor();
    },
  );
});

describe.skipIf(chromium === undefined)('a picture', () => {
  const browserEnv = useBrowserEnvironment();

  it('MP10: that was not sent is shown at a press, and by itself when it is there after all', async () => {
    const { owner, enter, frontProxy, allowConsoleError } = browserEnv();
    allowConsoleError(/502/);
    const project = await openProject(owner, { settings: { media_hosts: ['host.test'] } });
    const input = { photo: 'https://host.test/a.png', note: 'The left door.' };
    const { id } = await project.pipeline.submit(aSubmission({ input, suggestion: 'A dent' }));
    const page = await enter(owner, '/projects');
    const detail = 'host.test did not send this file.';
    const problem = { status: 502, code: 'media_unavailable', title: 'The file could not be fetched', detail };
    let refusals = Infinity;
    await page.route('**/media?url=*', (route) =>
      (refusals -= 1) < 0
        ? route.fulfill({ contentType: 'image/png', body: Buffer.from(png(400, 300).split(',')[1]!, 'base64') })
        : route.fulfill({ status: 502, contentType: 'application/problem+json', body: JSON.stringify(problem) }),
    );
    await page.goto(`${frontProxy.url}/queue?item=${id}`);
    await page.getByText(detail).waitFor();
    for (const appearance of ALL_APPEARANCES) {
      await setAppearance(page, appearance);
      await expectAccessible(page, 'section[aria-label="Item"]');
      await saveScreenshot(page, `picture-retry-${appearance.colorScheme}-${appearance.size.width}`);
    }
    const retry = page.getByRole('button', { name: 'Retry: Image from the submission' });
    // The element fails again; the server, asked why, has the file.
    refusals = 1;
    await retry.press('Enter');
    const image = page.getByRole('img', { name: 'Image from the submission' });
    await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(400);
    expect(await retry.count()).toBe(0);
    await page.keyboard.press('Tab');
    await page
      .locator('button:focus', { has: page.locator('svg') })
      .and(page.getByLabel('Zoom in'))
      .waitFor();
  });

  it(
    'MP8: shows the boxes beside it, linked both ways, and is dragged and turned',
    { timeout: 3 * MINUTE },
    async () => {
      const { owner, project, enter } = browserEnv();
      const found = [
        { label: 'dent', box: [100, 50, 200, 100] },
        { label: 'scratch', box: [0.5, 0.5, 0.25, 0.25] },
      ];
      const input = { photo: png(800, 600), damage: found, corner: [0, 0, 40, 40] };
      const { id } = await project.pipeline.submit(aSubmission({ input, suggestion: 'Two damages' }));
      const page = await enter(owner, `/queue?item=${id}`);
      const boxes = page.locator('[data-box]');
      await boxes.nth(2).waitFor();
      expect(await boxes.count()).toBe(3);
      const image = page.getByRole('img', { name: 'Image from the submission' });
      const [picture, dent] = [await image.boundingBox(), await boxes.first().boundingBox()];
      if (picture === null || dent === null) throw new Error('not drawn');
      expect((dent.x - picture.x) / picture.width).toBeCloseTo(0.125, 2);
      expect(dent.height / picture.height).toBeCloseTo(100 / 600, 2);

      // From the picture to its value, and from the list to the picture.
      await boxes.nth(2).hover();
      await page.locator('[data-at="$.corner"][data-linked]').waitFor();
      await page.getByRole('list', { name: 'Boxes on the image' }).getByRole('button', { name: 'scratch' }).focus();
      await page.locator('[data-box="$.damage[1].box"].active').waitFor();
      await page.mouse.move(1, 1);
      await page.locator('[data-at="$.corner"]').getByText('40').first().hover();
      await page.locator('[data-box="$.corner"].active').waitFor();

      const view = page.getByRole('group', { name: 'Image from the submission' });
      for (let at = 0; at < 5; at += 1) await view.press('+');
      const placeOf = () => view.evaluate((element) => [element.scrollLeft, element.scrollTop]);
      await view.press('ArrowRight');
      await expect.poll(placeOf).toEqual([60, 0]);
      const around = await view.boundingBox();
      if (around === null) throw new Error('not drawn');
      const [x, y] = [around.x + around.width / 2, around.y + 100];
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x - 50, y - 30);
      await page.mouse.up();
      await expect.poll(placeOf).toEqual([110, 30]);
      await view.press('0');
      await view.press('r');
      for (const appearance of ALL_APPEARANCES) {
        await setAppearance(page, appearance);
        await expectAccessible(page, 'section[aria-label="Item"]');
        await saveScreenshot(page, `picture-${appearance.colorScheme}-${appearance.size.width}`);
      }
      // Turned by its key alone: the item is still undecided.
      expect((await project.pipeline.read(id)).status).toBe('queued');
    },
  );
});
