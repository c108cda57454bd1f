// Tests every page with real content, in both themes, wide and on a phone: accessible, and not wider than the screen.
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { createInboundSource } from '@countersign/shared/routes/inbound';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { aSubmission, review } from '../../server/test/builders.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { checkAppearances, PHONE } from '../support/page-checks.ts';

const chromium = await findChromium();

/** In milliseconds. The accessibility checks of all pages run one after the other, which is slow on a slow machine. */
const VIEWING = 180_000;

describe.skipIf(chromium === undefined)('every page', () => {
  const browserEnv = useBrowserEnvironment();
  let page: Page;

  /** Each page, and text that it shows once its content has loaded. */
  const pages = () =>
    ({
      '/projects': browserEnv().project.project.name,
      [`/projects/${browserEnv().project.id}`]: 'Queue size',
      [`/projects/${browserEnv().project.id}/rules`]: 'Routing by confidence',
      [`/projects/${browserEnv().project.id}/people`]: 'Members',
      [`/projects/${browserEnv().project.id}/deliveries`]: 'delivered',
      [`/projects/${browserEnv().project.id}/keys`]: 'Support mailbox',
      [`/projects/${browserEnv().project.id}/changes`]: 'created the project',
      '/queue': 'Waits for a person',
      '/analytics': 'Where do items end up?',
      '/learnings': 'Wrong fact',
      '/account': 'Your name',
      '/sessions': 'Where you are signed in',
      // Not the programs, which the HTML has before the page is there.
      '/api/public/docs': 'Example response',
    }) satisfies Record<string, string>;

  beforeAll(async () => {
    const { owner, project, enter } = browserEnv();
    for (const action of ['approve', 'edit', 'reject'] as const) {
      const { id } = await project.pipeline.submit(aSubmission());
      await review(owner, id, action);
    }
    await owner.call(createInboundSource, { params: { id: project.id }, body: { name: 'Support mailbox' } });
    await project.pipeline.submit(aSubmission({ input: { question: 'Waits for a person' } }));
    page = await enter(owner, '/projects');
  });

  it(
    'is accessible and fits, in both themes, wide and on a phone',
    async () => {
      for (const [path, content] of Object.entries(pages())) {
        await page.goto(new URL(path, page.url()).href);
        await page.getByText(content).first().waitFor();
        await checkAppearances(page, `page${path.replaceAll('/', '-')}`);
      }
    },
    VIEWING,
  );

  it('scrolls the active project tab into view on a phone', async () => {
    await page.setViewportSize(PHONE);
    await page.goto(new URL(`/projects/${browserEnv().project.id}/danger`, page.url()).href);
    const open = page.getByRole('link', { name: 'Archive & delete' });
    await open.waitFor();
    const right = async () => {
      const box = await open.boundingBox();
      return box === null ? Infinity : box.x + box.width;
    };
    await expect.poll(right).toBeLessThanOrEqual(PHONE.width);
  });

  it('QU16: says that an unknown address has no page, instead of loading it again and again', async () => {
    browserEnv().allowConsoleError(/status of 404/);
    await page.goto(new URL('/no/such/page', page.url()).href);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  });
});
