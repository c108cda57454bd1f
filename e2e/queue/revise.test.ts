// Tests RV in a real Chromium: a supervisor revises a decision from the item, from a report and from a learning.
import { describe, expect, it } from 'vitest';
import { readHistory } from '@countersign/shared/routes/queue';
import { reportMistake } from '@countersign/shared/routes/mistakes';
import { reviseItem } from '@countersign/shared/routes/queue';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { aSubmission, join, review, setUndoWindow } from '../../server/test/builders.ts';
import { makeWallet, person } from '../../server/test/client.ts';
import { checkAppearances } from '../support/page-checks.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';

const chromium = await findChromium();

describe.skipIf(chromium === undefined)('RV: a final decision', () => {
  const browserEnv = useBrowserEnvironment();

  it(
    'RV1, RV2: is revised from its item, a report and a learning, and shows what it was',
    { timeout: 180_000 },
    async () => {
      const { owner, project, enter, testEnv, allowConsoleError } = browserEnv();
      allowConsoleError(/409/);
      await setUndoWindow(project, 0);
      const anna = await person(testEnv, makeWallet());
      await join(project, anna);
      const question = 'May it be returned after a year?';
      const { id } = await project.pipeline.submit(
        aSubmission({ input: { question }, suggestion: 'Yes, within 30 days.' }),
      );
      await review(anna, id, 'approve');

      const page = await enter(owner, `/queue?item=${id}`);
      const open = page.getByRole('button', { name: 'Revise decision' });
      await open.focus();
      await page.keyboard.press('Enter');
      const form = page.getByRole('form', { name: 'Revise this decision' });
      await form.getByText('Reject', { exact: true }).click();
      await form.getByText('From approved to rejected').waitFor();
      await page.keyboard.press('Control+Enter');
      await form.getByText('Enter a reason.').waitFor();
      await form.getByLabel('Reason', { exact: true }).fill('The policy changed');
      // Closing it loses nothing that was typed.
      await page.keyboard.press('Escape');
      await open.click();
      await expect.poll(() => form.getByLabel('Reason', { exact: true }).inputValue()).toBe('The policy changed');

      // Somebody else is faster: nothing is sent over their decision unseen.
      await owner.call(reviseItem, {
        params: { id },
        body: { action: 'edit', output: 'Yes, within 14 days.', reason: 'Wrong fact' },
      });
      await page.getByText(/revised this decision: edited and approved at/).waitFor();
      await form.getByText('Reject', { exact: true }).click();
      await page.keyboard.press('Control+Enter');
      await form.getByText(/Someone else revised this decision meanwhile/).waitFor();
      await checkAppearances(page, 'revise-conflict');
      // Another size draws the item again: what was typed is there, and the decision is chosen again.
      await form.getByText('Reject', { exact: true }).click();
      await form.getByRole('button', { name: 'Send revision' }).click();
      await page.getByText(/revised this decision: rejected at/).waitFor();
      await page.getByText('Before the revision').waitFor();
      await page.getByText('Yes, within 14 days.').first().waitFor();
      await page
        .getByText(/revised it from edited and approved to rejected: The policy changed/)
        .first()
        .waitFor({ state: 'attached' });
      await checkAppearances(page, 'revised');
      const read = await project.pipeline.read(id);
      expect(read).toMatchObject({ status: 'rejected', decision: { revision: 3, reason: 'The policy changed' } });
      const { data } = await anna.call(readHistory, { params: { id } });
      expect(data.filter(({ type }) => type === 'decision.revised')).toHaveLength(2);

      // From the learning: the form opens by itself, with the editor of decisions.
      const learnings = await enter(owner, `/learnings?project=${project.id}`);
      await learnings
        .getByRole('link', { name: /^Revise decision/ })
        .first()
        .click();
      const again = learnings.getByRole('form', { name: 'Revise this decision' });
      await again.getByText('Edit', { exact: true }).click();
      await again.getByLabel('Your answer').fill('Yes, within 28 days.');
      await again.getByLabel('Reason', { exact: true }).fill('Found the rule');
      await checkAppearances(learnings, 'revise-edit');
      await again.getByRole('button', { name: 'Send revision' }).click();
      await learnings.getByText(/revised this decision: edited and approved at/).waitFor();
      await expect.poll(async () => (await project.pipeline.read(id)).decision?.output).toBe('Yes, within 28 days.');

      // From a report of a mistake, which the revision overturns.
      const other = await project.pipeline.submit(aSubmission({ input: { question: 'Is it broken?' } }));
      await review(anna, other.id, 'reject');
      await anna.call(reportMistake, { params: { id: other.id }, body: { note: 'It was fine.' } });
      const reports = await enter(owner, '/mistakes');
      await reports.getByRole('link', { name: /^Revise the decision/ }).click();
      const last = reports.getByRole('form', { name: 'Revise this decision' });
      await last.getByText('Approve', { exact: true }).click();
      await last.getByLabel('Reason', { exact: true }).fill('It was fine');
      await reports.keyboard.press('Control+Enter');
      await reports.getByText(/^Overturned by /).waitFor();
      expect(await project.pipeline.read(other.id)).toMatchObject({ status: 'approved', decision: { revision: 2 } });
    },
  );
});
