// Helpers for an item open in a reviewer's browser: when an action works, and whether anything was done to it.
import type { Locator, Page } from 'playwright';
import { expect } from 'vitest';
import { changeProject } from '@countersign/shared/routes/projects';
import { readQueueItem } from '@countersign/shared/routes/queue';
import { aSubmission, openProject, type OpenProject } from '../../server/test/builders.ts';
import type { Person } from '../../server/test/client.ts';
import type { BrowserEnvironment } from './test-environment.ts';
import { setUndoWindowToOneDay } from './queue.ts';

export const pane = (page: Page): Locator => page.getByRole('region', { name: 'Item' });

/** Waits until this item is open and an action on it works. */
export async function waitUntilActionable(page: Page, text: string): Promise<void> {
  await pane(page).getByText(text).first().waitFor();
  await page.locator('[data-actions-enabled=true]').waitFor();
  await pane(page).getByRole('group', { name: 'Actions' }).locator('button:enabled').first().waitFor();
}

/** Creates a project with two reasons and an undo window of a day. `submit` returns the id of an item with this text. */
export async function openQueue({ owner, receiver, testEnv }: BrowserEnvironment): Promise<{
  project: OpenProject;
  submit: (text: string) => Promise<string>;
}> {
  const project = await openProject(owner, { receiver });
  await owner.call(changeProject, {
    params: { id: project.id },
    body: { settings_version: project.project.settings_version, reasons: ['Wrong fact', 'Policy'] },
  });
  await setUndoWindowToOneDay(testEnv, project.id);
  const submit = async (text: string) =>
    (await project.pipeline.submit(aSubmission({ input: { question: `${text}?` }, suggestion: `${text}!` }))).id;
  return { project, submit };
}

/** Checks that this item is open, unchanged, and that no action has begun. */
export async function expectUntouched(page: Page, reader: Person, id: string): Promise<void> {
  expect(new URL(page.url()).searchParams.get('item')).toBe(id);
  expect(await pane(page).locator('textarea, [aria-pressed=true][data-once], [aria-busy=true]').count()).toBe(0);
  expect((await reader.call(readQueueItem, { params: { id } })).decision).toBeNull();
}
