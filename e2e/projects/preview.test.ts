// Tests the preview of an item in Chromium: its shapes, what reviewers see, refusals, and that nothing is stored.
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { openProject, type OpenProject } from '../../server/test/builders.ts';
import { ALL_APPEARANCES, checkAppearances } from '../support/page-checks.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';

const chromium = await findChromium();

describe.skipIf(chromium === undefined)('PV1: the preview of an item', () => {
  const browserEnv = useBrowserEnvironment();
  let project: OpenProject;
  let page: Page;

  beforeAll(async () => {
    const { owner, enter, allowConsoleError } = browserEnv();
    // A refusal is a regular response, but a browser logs every 4xx.
    allowConsoleError(/status of 422/);
    project = await openProject(owner, { settings: { name: 'Previews', escalate_flags: ['legal'] } });
    page = await enter(owner, `/projects/${project.id}/preview`);
  });

  const shape = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const seen = () => page.getByRole('region', { name: 'What reviewers see' });

  it('shows each shape as the queue does, and what would happen to it', async () => {
    await page.getByText('No preview yet').waitFor();
    await shape('Table');
    await seen().getByRole('table').first().waitFor();
    await shape('Picture');
    await seen().getByRole('img').first().waitFor();
    await shape('Tool call');
    await seen().getByText('refund_order').first().waitFor();
    await shape('Fields by a schema');
    await seen().locator('summary').click();
    await seen().getByLabel('Amount').first().waitFor();
    await shape('Question and answer');
    await seen().getByText('It would wait in the queue.').waitFor();
    await checkAppearances(page, 'preview', ALL_APPEARANCES);
  });

  it('keeps the text over a reload, follows what is typed, and refuses at the place', async () => {
    await page.reload();
    const editor = page.getByRole('textbox', { name: 'Item as JSON, or plain text' });
    await page.mouse.move(5, 5);
    await page.locator('.cm-editor').waitFor();
    await page.getByText('Unworn shoes').first().waitFor();
    const write = async (text: string) => {
      await editor.focus();
      await page.keyboard.press('Control+A');
      await page.keyboard.insertText(text);
      await page.getByRole('button', { name: 'Preview', exact: true }).click();
    };
    await write('{"input": "May I?", "suggestion": "No.", "confidence": 1, "risk_flags": ["Legal"]}');
    await seen().getByText('It would be escalated to supervisors.').waitFor();
    await write('{"input": "May I?", "suggestion": "No.", "confidence": 2}');
    await page.getByText('This item would be refused: 1 fault').waitFor();
    await page.getByRole('button', { name: 'Go to confidence' }).waitFor();
    expect(await seen().count()).toBe(0);
  });

  it('stores nothing', async () => {
    const items = await browserEnv().testEnv.sql('select id from item where project_id = $1', [project.id]);
    expect(items).toEqual([]);
  });
});
