// Tests the answer schema of a project in Chromium: faults at their lines, preview, check, saving and conflicts.
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { changeProject, readProject } from '@countersign/shared/routes/projects';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { aSubmission, join, openProject, review, type OpenProject } from '../../server/test/builders.ts';
import { person } from '../../server/test/client.ts';
import { ALL_APPEARANCES, checkAppearances, ONCE_EACH, saveScreenshot, setAppearance } from '../support/page-checks.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';

const chromium = await findChromium();

/** With numbers and spaces that must survive. */
const SCHEMA = `{
  "type": "object",
  "required": ["amount"],
  "properties": {
    "amount": { "title": "Amount", "type": "number", "minimum": 1.50 },
    "note": { "type": "string" }
  }
}`;

describe.skipIf(chromium === undefined)('the answer schema of a project', () => {
  const browserEnv = useBrowserEnvironment();
  let project: OpenProject;
  let page: Page;

  beforeAll(async () => {
    const { owner, enter } = browserEnv();
    project = await openProject(owner, { settings: { name: 'Refunds' } });
    const submit = async (item: object) => (await project.pipeline.submit(aSubmission(item))).id;
    await review(owner, await submit({ suggestion: { amount: 5 } }));
    await submit({ suggestion: { amount: 'five', note: 7 }, title: 'Refund for order A-1009' });
    await submit({ kind: 'tool_call', suggestion: { name: 'refund', arguments: { amount: 1 } } });
    page = await enter(owner, `/projects/${project.id}/schema`);
    page.on('dialog', (dialog) => void dialog.accept());
  });

  const editor = () => page.getByRole('textbox', { name: 'Answer schema as JSON' });
  const saveButton = () => page.getByRole('button', { name: /^Save as/ });
  const stored = async () =>
    (
      await browserEnv().testEnv.sql<{ answer_schema: string | null }>(
        'select answer_schema from project where id = $1',
        [project.id],
      )
    )[0]?.answer_schema;

  /** Types over everything in the editor, as a paste would insert it. */
  async function write(text: string): Promise<void> {
    await page.locator('.cm-editor').waitFor();
    await editor().focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(text);
  }

  it('starts from an example, marks each fault at its line, and leads to it', async () => {
    await page.getByText('No schema', { exact: true }).waitFor();
    await page.locator('.cm-editor').waitFor();
    await checkAppearances(page, 'schema-empty', ONCE_EACH);
    await page.getByRole('button', { name: 'Start from an example' }).click();
    await page.getByRole('group', { name: 'Answer form' }).waitFor();
    await write(
      '{\n  "type": "object",\n  "properties": {\n    "amount": { "type": "money" }\n  },\n  "dependencies": {}\n}',
    );
    await page.getByText('This schema has 2 faults').waitFor();
    await expect.poll(() => page.locator('.cm-lint-marker-error').count()).toBe(2);
    await page.getByText('properties › amount › type').waitFor();
    await page.getByText('The schema has faults.').waitFor();
    expect(await saveButton().isDisabled()).toBe(true);
    await checkAppearances(page, 'schema-faults', ALL_APPEARANCES);
    await page.getByRole('button', { name: 'Go to line 4' }).click();
    await expect.poll(() => page.evaluate(() => getSelection()?.toString())).toBe('"money"');
    await page.keyboard.insertText('"number"');
    await page.getByText('This schema has 1 fault').waitFor();
  });

  it('tries the form without an effect, and checks the schema against recent items', async () => {
    await write(SCHEMA);
    const form = page.getByRole('group', { name: 'Answer form' });
    await form.getByRole('textbox', { name: 'Amount' }).fill('1');
    await form.getByText('This must be at least 1.50.').waitFor();
    await form.getByRole('textbox', { name: 'Amount' }).fill('20');
    await page.getByRole('button', { name: 'Check answer' }).click();
    await page.getByText('This answer satisfies the schema.').waitFor();

    await page.getByRole('button', { name: 'Check against the last 20 items' }).click();
    await page
      .getByText('Of the last 3 items, 1 of 3 suggestions and 1 of 1 final output satisfy this schema.')
      .waitFor();
    await page.getByText('amount must be a number.').waitFor();
    await page.getByText('amount must be at least 1.50.').waitFor();
    await checkAppearances(page, 'schema-check', ALL_APPEARANCES);
    for (const width of [390, 1280, 1440, 1920])
      for (const colorScheme of ['light', 'dark'] as const) {
        await setAppearance(page, { colorScheme, size: { width, height: 900 } });
        await saveScreenshot(page, `schema-whole-${colorScheme}-${width}`, true);
      }
    const link = page.getByRole('link', { name: 'Refund for order A-1009' });
    expect(await link.getAttribute('href')).toMatch(/^\/queue\?item=/);
    expect(await stored()).toBeNull();
  });

  it('ST1: keeps what is typed over a reload, saves it byte for byte, and shows a conflict as a comparison', async () => {
    await page.reload();
    await saveButton().waitFor();
    await page.locator('.cm-editor').getByText('1.50').waitFor();
    await saveButton().click();
    await saveButton().waitFor({ state: 'detached' });
    expect(await stored()).toBe(SCHEMA);
    await page.reload();
    await page.locator('.cm-editor').getByText('1.50').waitFor();
    expect(await saveButton().count()).toBe(0);

    await write(SCHEMA.replace('1.50', '2'));
    await saveButton().waitFor();
    const { settings_version } = await project.owner.call(readProject, { params: { id: project.id } });
    await project.owner.call(changeProject, {
      params: { id: project.id },
      body: { settings_version, answer_schema: { type: 'object' } },
    });
    await page.getByText('You both changed one setting.').waitFor();
    await page.getByRole('group', { name: 'Value for answer schema' }).getByText('Keep mine').click();
    await checkAppearances(page, 'schema-conflict', ONCE_EACH);
    await saveButton().click();
    await saveButton().waitFor({ state: 'detached' });
    expect(await stored()).toBe(SCHEMA.replace('1.50', '2'));
  });

  it('turns it off, and is shown without an editor to reviewers', async () => {
    const reviewer = await person(browserEnv().testEnv);
    await join(project, reviewer);
    const theirs = await browserEnv().enter(reviewer, `/projects/${project.id}/schema`);
    await theirs.getByRole('group', { name: 'Answer form' }).waitFor();
    await checkAppearances(theirs, 'schema-reviewer', ONCE_EACH);
    expect(await theirs.getByRole('textbox', { name: 'Answer schema as JSON' }).count()).toBe(0);

    await page.getByRole('button', { name: 'Remove schema' }).click();
    await page.getByRole('button', { name: 'Put it back' }).waitFor();
    await saveButton().click();
    await saveButton().waitFor({ state: 'detached' });
    expect(await stored()).toBeNull();
    await theirs.getByText('Answers are free text or any JSON.').waitFor();
  });
});
