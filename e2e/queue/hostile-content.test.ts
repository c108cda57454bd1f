// Tests hostile submissions in a real browser: content never runs and loads nothing, and edits are sent as typed.
import type { Locator, Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { readItem } from '@countersign/shared/routes/public';
import { claimItem, decideItem } from '@countersign/shared/routes/queue';
import type { Json } from '@countersign/shared/json/json';
import { aSubmission, join, openProject } from '../../server/test/builders.ts';
import { person } from '../../server/test/client.ts';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { HOSTILE_SHAPES, HOSTILE_TEXTS, TRAP } from '../../web/src/lib/values/hostile.fixture.ts';
import { HOSTILE_FILES, HOSTILE_PDFS } from '../../web/src/lib/values/media/hostile-media.fixture.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { shortlist, SOAK } from '../../server/test/soak.ts';
import { expectAccessible, RULES_ABOUT_COLOUR } from '../support/page-checks.ts';

const chromium = await findChromium();
const MINUTE = 60_000;

const texts = Object.values(HOSTILE_TEXTS);
const halves = [texts.slice(0, 14), texts.slice(14)];
const named = (values: readonly string[]): Json => Object.fromEntries(values.map((text, at) => [`f${at}`, text]));

/** Records everything a page must not do: dialogs, external requests, new windows, and what the traps would set. */
function guard(page: Page): () => Promise<string[]> {
  const caught: string[] = [];
  const home = new URL(page.url()).origin;
  page.on('dialog', (dialog) => {
    caught.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(home) && !/^data:(?:image|audio|video)\//.test(url) && !url.startsWith('blob:'))
      caught.push(url);
  });
  page.context().on('page', () => caught.push('a window'));
  return async () => {
    const set = await page.evaluate(() => ['pwned', 'polluted'].filter((name) => name in window));
    return [...caught, ...set];
  };
}

/** Opens the item by loading its page. */
async function open(page: Page, id: string): Promise<void> {
  await page.goto(new URL(`/queue?item=${id}`, page.url()).href);
  await isShown(page);
}

/** Opens the item through a link in the page. */
async function follow(page: Page, id: string): Promise<void> {
  await page.evaluate((href) => {
    document.getElementById('item-heading')?.setAttribute('data-before', '');
    const link = document.createElement('a');
    link.href = href;
    // Each press has a different label: two presses of the same label within half a second count as one (QU2).
    link.textContent = href;
    document.body.append(link);
    link.click();
    link.remove();
  }, `/queue?item=${id}`);
  await isShown(page);
}

/** Drawing it never ends. */
const ENDLESS = 'forms within forms';
/** One that acts, one that takes all time, one that takes all memory, and one that is no PDF. */
const DRAWN = shortlist(Object.keys(HOSTILE_PDFS), ['actions, forms and links', ENDLESS, 'a bomb', 'HTML instead']);

/** Advances the page's clock past the time limit of a drawing that has begun: until then it would keep a processor busy. */
async function passTime(page: Page, fault: Locator): Promise<void> {
  await page.locator('[aria-label="Page 1"]').waitFor();
  const isOver = async () => {
    await page.clock.fastForward(20_000);
    return fault.isVisible();
  };
  await expect.poll(isOver, { interval: 250 }).toBe(true);
}

async function isShown(page: Page): Promise<void> {
  await page.locator('#item-heading:not([data-before])').waitFor({ state: 'attached' });
  await page
    .getByRole('heading', { name: /^(Suggestion|Sent|Current decision)/ })
    .first()
    .waitFor();
  // The page responds: no submitted content blocks it.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

async function accessible(page: Page, rules?: readonly string[]): Promise<void> {
  // Other tests cover the page around the item.
  await expectAccessible(page, 'section[aria-label="Item"]', rules);
}

describe.skipIf(chromium === undefined)('values', () => {
  const browserEnv = useBrowserEnvironment();

  it('QU6: renders hostile content inert everywhere', { timeout: 4 * MINUTE }, async () => {
    const { owner, enter, receiver } = browserEnv();
    const project = await openProject(owner, {
      settings: { name: HOSTILE_TEXTS['img onerror']?.slice(0, 60) ?? '' },
      receiver,
    });
    const submissions = [
      ...halves.map((half) => ({
        input: named(half),
        suggestion: half.join('\n\n'),
        metadata: { model: half[0] ?? '', source: half[1] ?? '', more: named(half) },
        risk_flags: half.slice(0, 6).map((text) => text.slice(0, 100)),
      })),
      ...halves.map((half) => ({ input: [...half], suggestion: half.map((text) => ({ role: text, content: text })) })),
      ...Object.values(HOSTILE_SHAPES).map((suggestion) => ({ input: 'A shape', suggestion })),
    ];
    const ids: string[] = [];
    for (const submission of submissions) ids.push((await project.pipeline.submit(aSubmission(submission))).id);
    const [first = '', second = '', ...others] = ids;
    const page = await enter(owner, '/queue');
    const caught = guard(page);
    for (const id of [first, second]) await open(page, id);
    for (const id of others) await follow(page, id);
    expect(await caught()).toEqual([]);

    const { fence } = await owner.call(claimItem, { params: { id: first }, body: {} });
    const note = halves[0]?.join('\n').slice(0, 4000) ?? '';
    const body = {
      fence,
      action: 'edit',
      output: halves[1]?.join('\n') ?? '',
      reason: HOSTILE_TEXTS.script ?? '',
      note,
    } as const;
    await owner.call(decideItem, { params: { id: first }, body });
    await open(page, first);
    await follow(page, second);
    for (const path of ['/learnings', '/projects', `/projects/${project.id}`]) {
      await page.goto(new URL(path, page.url()).href);
      await page.getByRole('heading').first().waitFor();
    }
    expect(await caught()).toEqual([]);
  });

  it('MP7: draws a hostile PDF or says why not, and runs nothing of it', { timeout: 6 * MINUTE }, async () => {
    const { owner, project, enter } = browserEnv();
    const page = await enter(owner, '/queue');
    const caught = guard(page);
    for (const name of DRAWN) {
      const file = HOSTILE_PDFS[name] ?? '';
      const { id } = await project.pipeline.submit(aSubmission({ input: { file }, suggestion: 'Paid' }));
      if (name === ENDLESS && !SOAK) await page.clock.install();
      await follow(page, id);
      const fault = page.getByText(/Can't display this PDF: (the file is damaged|it takes too long to read)\./);
      if (name === ENDLESS && !SOAK) await passTime(page, fault);
      await fault.or(page.locator('[aria-label="Page 1"] canvas')).first().waitFor();
      if (name === 'actions, forms and links') await page.locator('[aria-label="Page 1"]').click();
      if (name === ENDLESS) expect(await fault.textContent()).toContain('too long');
      await page.getByRole('button', { name: 'Download PDF' }).waitFor();
    }
    expect(await caught()).toEqual([]);
  });

  it('MP9: says what is wrong with a file that is not what it says', { timeout: 2 * MINUTE }, async () => {
    const { owner, project, enter } = browserEnv();
    const page = await enter(owner, '/queue');
    const caught = guard(page);
    for (const { file, says } of Object.values(HOSTILE_FILES)) {
      const { id } = await project.pipeline.submit(aSubmission({ input: { file }, suggestion: 'Paid' }));
      await follow(page, id);
      await page.getByText(says).waitFor();
    }
    expect(await caught()).toEqual([]);
  });

  it('QU6: names the host of a link and opens it only at the second click', { timeout: MINUTE }, async () => {
    const { owner, project, enter } = browserEnv();
    const suggestion = `Sign in at https://bank.example@trap.example/login or [here](${TRAP}/b).\n\n- a\n- b`;
    const { id } = await project.pipeline.submit(aSubmission({ suggestion }));
    const page = await enter(owner, `/queue?item=${id}`);
    await isShown(page);
    const caught = guard(page);
    await page.context().route(`${TRAP}/**`, (route) => route.fulfill({ body: 'trapped' }));
    await page.getByRole('button', { name: 'here' }).click();
    const link = page.getByRole('link', { name: 'Open trap.example' });
    await expect.poll(() => link.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await caught()).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await link.count()).toBe(0);
    // Both by key: two clicks at one place within half a second count as one (QU2).
    await page.getByRole('button', { name: 'here' }).press('Enter');
    const [opened] = await Promise.all([page.context().waitForEvent('page'), link.press('Enter')]);
    await opened.waitForLoadState();
    expect(await opened.evaluate(() => [window.opener === null, document.referrer])).toEqual([true, '']);
  });

  // contents.test.ts checks the renderers, answer-forms.test.ts and editing.test.ts the editors.
  it.runIf(SOAK)('has no accessibility violation in any renderer and editor', { timeout: 3 * MINUTE }, async () => {
    const { owner, project, enter } = browserEnv();
    const rows = Array.from({ length: 260 }, (_, at) => ({ id: at, text: `row ${at}` }));
    const pixel =
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const chat: Json = [
      { role: 'user', content: 'Where is it? See https://a.example/' },
      { role: 'assistant', content: null, tool_calls: [{ id: 1 }] },
    ];
    const cases: { input: Json; suggestion: Json; edits: boolean }[] = [
      {
        input: chat,
        suggestion: '# Title\n\n**bold** [link](https://a.example/)\n\n| a | b |\n|---|---|\n| 1 | 2 |',
        edits: false,
      },
      { input: rows, suggestion: { deep: { tree: [1, { a: 'b' }] }, list: [1, 2] }, edits: true },
      {
        input: { rows: rows.map((row) => ({ row })) },
        suggestion: { name: 'Ana', sum: 1.5, paid: true, iban: null },
        edits: true,
      },
      { input: { at: '2026-11-20T14:02:11Z', pixel }, suggestion: 'long line\n'.repeat(60), edits: true },
    ];
    const page = await enter(owner, '/queue');
    for (const { input, suggestion, edits } of cases) {
      const { id } = await project.pipeline.submit(aSubmission({ input, suggestion }));
      await follow(page, id);
      for (const theme of ['light', 'dark']) {
        await page.evaluate((name) => (document.documentElement.dataset.theme = name), theme);
        await page.evaluate(() => Promise.all(document.getAnimations().map((each) => each.finished.catch(() => null))));
        await accessible(page, theme === 'dark' ? RULES_ABOUT_COLOUR : undefined);
      }
      if (!edits) continue;
      await page.keyboard.press('l');
      await page.getByText('Yours for').waitFor();
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByRole('region', { name: 'Changes' }).waitFor();
      await accessible(page);
    }
  });

  it(
    'LC0: keeps the spelling of every other number when one field is edited, and asks before the shape changes',
    { timeout: MINUTE },
    async () => {
      const { testEnv, project, enter } = browserEnv();
      const reviewer = await person(testEnv);
      await join(project, reviewer);
      const suggestion = '{"payee":"Ana","sum":1.0,"rate":0.12345678901234567890,"10":1e2,"2":"x"}';
      const body = `{"project_id":"${project.id}","input":"Pay","suggestion":${suggestion},"confidence":0.8}`;
      const answer = await project.pipeline.submitRaw(body);
      if (!answer.ok) throw new Error(answer.text);
      const { id } = answer.reply;
      const page = await enter(reviewer, `/queue?item=${id}`);
      await isShown(page);
      expect(await page.getByText('0.12345678901234567890').count()).toBe(1);
      await page.keyboard.press('l');
      await page.getByText('Yours for').waitFor();
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('payee').fill('Ines');
      await page.getByText('1 field changed: payee').waitFor();

      await page.getByRole('radio', { name: 'JSON', exact: true }).check({ force: true });
      const code = page.locator('.cm-content[contenteditable=true]');
      await code.waitFor();
      await code.fill('{"payee": "Ines", "sum": "1.0"}');
      await page.getByRole('button', { name: 'Wrong fact' }).click();
      await page.getByText('sum changed from a number to text').waitFor();
      await code.focus();
      await page.keyboard.press('Control+Enter');
      await page.getByText('Submit again to send it anyway.').first().waitFor();
      expect((await project.pipeline.read(id)).status).toBe('queued');

      await page.getByRole('button', { name: 'Reset' }).click();
      await page.getByLabel('payee').fill('Ines');
      await page.getByRole('button', { name: 'Wrong fact' }).click();
      await page.keyboard.press('Control+Enter');
      await expect.poll(async () => (await project.pipeline.read(id)).status).toBe('approved');
      const read = await project.pipeline.attempt(readItem, { params: { id } });
      expect(read.text).toContain('"output":{"payee":"Ines","sum":1.0,"rate":0.12345678901234567890,"10":1e2,"2":"x"}');

      // Wide, both sides appear side by side; narrow, they are one.
      await page.setViewportSize({ width: 2400, height: 900 });
      await open(page, id);
      const edited = page.getByRole('region', { name: 'Item' }).getByText('Edited', { exact: true });
      await edited.waitFor();
      await page.setViewportSize({ width: 390, height: 844 });
      await edited.waitFor({ state: 'detached' });
    },
  );
});
