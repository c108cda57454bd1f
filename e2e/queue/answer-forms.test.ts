// Tests forms of answer schemas in Chromium: filled by keyboard alone, and unchanged where nothing was touched (TS4).
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { jsonText, RawJson } from '@countersign/shared/json/json';
import { compileSchema } from '@countersign/shared/json-schema/compile';
import { validate } from '@countersign/shared/json-schema/evaluate';
import { claimItem } from '@countersign/shared/routes/queue';
import { exactJson } from '@countersign/shared/json-schema/exact-numbers';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { aSubmission, openProject, type OpenProject } from '../../server/test/builders.ts';
import { REAL_SCHEMAS } from '../../web/src/lib/form/real-schemas.fixture.ts';
import { waitUntilActionable } from '../support/open-item.ts';
import { checkAppearances, PHONE, saveScreenshot, WIDE, type Appearance } from '../support/page-checks.ts';
import { shortlist } from '../../server/test/soak.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';

const chromium = await findChromium();

/** A field by its name, the number of the one with that name, and what is typed there. */
interface Step {
  readonly at: string;
  readonly nth?: number;
  /** The step before moves the focus there. */
  readonly arrives?: boolean;
  readonly keys: readonly string[];
}

/** What a person types, and the text of the suggestion that becomes another. */
const EDITS: Readonly<Record<string, { steps: readonly Step[]; changes: readonly (readonly [string, string])[] }>> = {
  'an invoice': {
    steps: [
      { at: 'Issued on', keys: ['03152026'] },
      { at: 'EUR', keys: ['{2}'] },
      { at: 'Total', keys: ['{Control+A}', '1300.50'] },
    ],
    changes: [
      ['2026-03-01', '2026-03-15'],
      ['"EUR"', '"USD"'],
      ['1250.00', '1300.50'],
    ],
  },
  'an address': {
    steps: [{ at: 'Country', keys: ['{Control+A}', 'fr', '{Enter}'] }],
    changes: [['"BE"', '"FR"']],
  },
  'a refund call': {
    steps: [
      { at: 'Amount', keys: ['{Control+A}', '20.00'] },
      { at: 'Arrived late', keys: ['{1}'] },
    ],
    changes: [
      ['49.90', '20.00'],
      ['"late"', '"damaged"'],
    ],
  },
  'an OpenAI function': {
    steps: [{ at: 'null', keys: ['{1}'] }],
    changes: [['null', '"celsius"']],
  },
  'a FHIR fragment': {
    steps: [
      { at: 'preliminary', keys: ['{3}'] },
      { at: 'value', keys: ['{Control+A}', '75.50'] },
    ],
    changes: [
      ['preliminary', 'final'],
      ['72.0', '75.50'],
    ],
  },
  'a moderation verdict': {
    steps: [{ at: 'severity', nth: 1, keys: ['{Control+A}', '5'] }],
    changes: [['"severity":4', '"severity":5']],
  },
  'a long enum': {
    // Its list is open: sending takes what is marked.
    steps: [{ at: 'topic', keys: ['{Control+A}', 'topic-118'] }],
    changes: [['topic-017', 'topic-118']],
  },
  'a recursive tree': {
    steps: [{ at: 'name', nth: 2, keys: ['{Control+A}', 'Cutlery'] }],
    changes: [['Knives', 'Cutlery']],
  },
  'a table of line items': {
    steps: [
      { at: 'quantity', keys: ['{Control+A}', '5'] },
      { at: 'Add entry to discounts', keys: ['{Enter}'] },
      { at: 'Entry 3', arrives: true, keys: ['1.25'] },
    ],
    changes: [
      ['"quantity":4', '"quantity":5'],
      ['2.50]', '2.50,1.25]'],
    ],
  },
  'a union of three shapes': {
    steps: [
      { at: 'Card', keys: ['{2}'] },
      { at: 'iban', keys: ['DE89370400440532013000'] },
    ],
    changes: [['"card","last4":"4242"', '"transfer","iban":"DE89370400440532013000"']],
  },
};

/** Each kind of field once; `web/src/lib/form/form.test.ts` draws and fills all of them. */
const FILLED = shortlist(
  REAL_SCHEMAS.map(({ name }) => name),
  ['an invoice', 'a long enum', 'a table of line items', 'a union of three shapes'],
);

/** The accessible name of what has the focus, as its label or attribute says. */
const focusedName = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (!(element instanceof HTMLElement)) return '';
    const label = 'labels' in element ? (element as HTMLInputElement).labels?.[0] : undefined;
    const first = label?.querySelector('span') ?? label;
    return element.getAttribute('aria-label') ?? first?.textContent?.trim() ?? element.textContent?.trim() ?? '';
  });

const MOST_TABS = 60;

/** Moves through the form with Tab until this field has the focus. */
async function tabTo(page: Page, { at, nth = 0 }: Step): Promise<void> {
  const passed: string[] = [];
  let left = nth;
  for (let pressed = 0; pressed < MOST_TABS; pressed += 1) {
    const name = await focusedName(page);
    passed.push(name);
    if (name === at && left === 0) return;
    if (name === at) left -= 1;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab did not reach ${at}: ${passed.join(', ')}`);
}

async function type(page: Page, step: Step): Promise<void> {
  if (step.arrives === true) await expect.poll(() => focusedName(page)).toBe(step.at);
  else await tabTo(page, step);
  for (const key of step.keys) {
    if (key.startsWith('{')) await page.keyboard.press(key.slice(1, -1));
    else await page.keyboard.type(key);
  }
}

const APPEARANCES: readonly [Appearance, Appearance] = [
  { colorScheme: 'light', size: WIDE },
  { colorScheme: 'dark', size: PHONE },
];

describe.skipIf(chromium === undefined)('answer forms', () => {
  const browserEnv = useBrowserEnvironment();
  let page: Page;
  let project: OpenProject;

  beforeAll(async () => {
    const { owner, enter, receiver } = browserEnv();
    project = await openProject(owner, { receiver });
    page = await enter(owner, '/queue');
  });

  /** Submits an item whose suggestion has these bytes, claims it, and shows it. Returns its id. */
  async function open(submission: Record<string, unknown>): Promise<string> {
    const body = { project_id: project.id, ...aSubmission(), ...submission };
    const answer = await project.pipeline.submitRaw(jsonText(body));
    if (!answer.ok) throw new Error(answer.text);
    const { id } = answer.reply;
    const { owner } = browserEnv();
    await owner.call(claimItem, { params: { id } });
    const { origin } = new URL(page.url());
    await page.goto(`${origin}/queue?view=all&project=${project.id}&item=${id}`);
    await page.getByText('Yours for').waitFor();
    await waitUntilActionable(page, 'Question');
    return id;
  }

  /** The bytes of the output, once it is decided; the webhook has the same. */
  async function outputOf(id: string): Promise<string | null> {
    const { testEnv, receiver } = browserEnv();
    const stored = () => testEnv.sql<{ output: string | null }>('select output from decision where item_id = $1', [id]);
    await expect.poll(stored).toHaveLength(1);
    const output = (await stored())[0]?.output ?? null;
    expect((await receiver.next(id)).body).toContain(`"output":${output ?? 'null'},`);
    return output;
  }

  async function openForm(): Promise<void> {
    await page.keyboard.press('e');
    await page.getByRole('group', { name: 'Answer form' }).waitFor();
    await page.locator('[aria-label="Answer form"] :focus').waitFor();
  }

  async function submitEdit(): Promise<void> {
    await page.keyboard.press('Control+Enter');
    await page.getByText('Pick a reason to submit').waitFor();
    await page.keyboard.press('1');
  }

  it.each(FILLED)('TS4: %s is filled by keyboard, and every other byte stays', async (name) => {
    const { steps, changes } = EDITS[name] ?? { steps: [], changes: [] };
    const real = REAL_SCHEMAS.find((each) => each.name === name);
    if (real === undefined) throw new Error(name);
    const id = await open({ suggestion: new RawJson(real.suggestion), answer_schema: real.schema });
    await openForm();
    await checkAppearances(page, `form-${real.name.replaceAll(' ', '-')}`, APPEARANCES);
    await page.locator('[aria-label="Answer form"] [data-pointer]').first().waitFor();
    await page.keyboard.press('Escape');
    await openForm();
    for (const step of steps) await type(page, step);
    await submitEdit();
    const output = await outputOf(id);
    expect(output).toBe(changes.reduce((text, [was, is]) => text.replace(was, is), real.suggestion));
    const compiled = compileSchema(JSON.stringify(real.schema));
    expect(compiled.ok && validate(compiled.schema, exactJson(output ?? ''))).toEqual([]);
  });

  it('TS4: fills a nested answer without a schema in a form, which warns of a changed shape and refuses nothing', async () => {
    const suggestion =
      '{"seller":{"name":"Ana"}, "lines":[{"text":"Cable","sum":12},{"text":"Plug","sum":3.50,"note":null}], "rate":0.12345678901234567890}';
    const id = await open({ suggestion: new RawJson(suggestion) });
    await openForm();
    await checkAppearances(page, 'form-without-schema', APPEARANCES);
    await type(page, { at: 'sum', nth: 1, keys: ['{Control+A}', '4.25'] });
    await page.getByText('1 field changed: lines[1].sum').waitFor();
    await page.getByRole('button', { name: 'Remove lines 1' }).press('Enter');
    await page.getByText('1 field changed: lines', { exact: true }).waitFor();
    await page.locator('label', { hasText: 'JSON' }).click();
    await page.locator('[data-edit-json] .cm-content').waitFor();
    await page.locator('label', { hasText: 'Form' }).click();
    await submitEdit();
    expect(await outputOf(id)).toBe(
      '{"seller":{"name":"Ana"}, "lines":[{"text":"Plug","sum":4.25,"note":null}], "rate":0.12345678901234567890}',
    );
  });

  it('TS4: keeps half-typed JSON out of the answer, a partly cleared date whole, and marks faults of JSON', async () => {
    const scripts: Promise<string>[] = [];
    page.on('response', (response) => {
      if (response.request().resourceType() === 'script') scripts.push(response.text().catch(() => ''));
    });
    const properties = {
      when: { type: 'string', format: 'date-time' },
      any: {},
      sum: { maximum: 100, type: 'number' },
    };
    const suggestion = '{"when":"2026-01-05T10:00:00+02:00", "any":{"a":1}, "sum":5.0}';
    const id = await open({ suggestion: new RawJson(suggestion), answer_schema: { type: 'object', properties } });
    // The form loads while the item is read.
    const hasForm = async () => (await Promise.all(scripts)).some((script) => script.includes('Answer form'));
    await expect.poll(hasForm).toBe(true);
    await openForm();
    await type(page, { at: 'when', keys: ['{Backspace}', '03'] });
    await expect.poll(() => page.getByLabel('when', { exact: true }).inputValue()).toBe('2026-03-05T10:00');
    await type(page, { at: 'any', keys: ['{Control+A}', '1, "x": 2', '{Control+Enter}'] });
    await page.getByText('any is not valid JSON yet.').first().waitFor();
    await checkAppearances(page, 'half-typed', APPEARANCES);
    await page.getByText(/^Draft saved/).waitFor();
    await page.reload();
    await page.locator('[aria-label="Answer form"] :focus').waitFor();
    expect(await page.getByLabel('any', { exact: true }).inputValue()).toBe('1, "x": 2');
    await page.keyboard.press('Control+Enter');
    await page.getByText('any is not valid JSON yet.').first().waitFor();
    await type(page, { at: 'any', keys: ['{Control+A}', '[1]'] });
    await page.locator('label', { hasText: 'JSON' }).click();
    const code = page.locator('[data-edit-json] .cm-content');
    const mark = page.locator('.cm-lint-marker-error');
    const write = async (sum: string) => {
      await code.focus();
      await page.keyboard.press('Control+A');
      await page.keyboard.insertText(`{"when":"2026-03-05T10:00:00+02:00","any":[1],"sum":${sum}}`);
    };
    await write('500');
    await mark.waitFor();
    await page.getByText('sum must be at most 100.').first().waitFor();
    await checkAppearances(page, 'json-marks', APPEARANCES);
    await write('50.00');
    await mark.waitFor({ state: 'detached' });
    await submitEdit();
    expect(await outputOf(id)).toBe('{"when":"2026-03-05T10:00:00+02:00", "any":[1], "sum":50.00}');
  });

  it('TS4: blocks sending while only a part of a date is typed, and leaves out a date that is empty', async () => {
    const date = { type: 'string', format: 'date' };
    const properties = { due: date, until: date, days: { type: 'array', items: date }, note: { type: 'string' } };
    const suggestion = '{"due":"2026-03-05", "days":["2026-01-07"], "note":"x"}';
    const id = await open({ suggestion: new RawJson(suggestion), answer_schema: { type: 'object', properties } });
    await openForm();
    const valueOf = (name: string) => page.getByLabel(name, { exact: true }).inputValue();
    await type(page, { at: 'due', keys: ['{Backspace}', '{Control+Enter}'] });
    await page.getByText('due is not a complete date yet.').first().waitFor();
    await expect.poll(() => focusedName(page)).toBe('due');
    await type(page, { at: 'due', keys: ['04'] });
    await expect.poll(() => valueOf('due')).toBe('2026-04-05');
    // An empty field that gets its first part has no new value, nor has one that loses its last part.
    await type(page, { at: 'until', keys: ['05', '{Control+Enter}'] });
    await page.getByText('until is not a complete date yet.').first().waitFor();
    await type(page, { at: 'until', keys: ['{ArrowLeft}', '{Backspace}'] });
    await page.getByText('is not a complete date yet').first().waitFor({ state: 'detached' });
    await type(page, { at: 'Entry 1', keys: ['{Backspace}', '{Control+Enter}'] });
    await page.getByText('days › 1 is not a complete date yet.').first().waitFor();
    await type(page, { at: 'Entry 1', keys: ['02'] });
    await expect.poll(() => valueOf('Entry 1')).toBe('2026-02-07');
    await submitEdit();
    expect(await outputOf(id)).toBe(suggestion.replace('2026-03-05', '2026-04-05').replace('2026-01-07', '2026-02-07'));
  });

  it('TS2: marks a suggestion that breaks its schema, refuses to approve it, and opens at the first fault', async () => {
    const real = REAL_SCHEMAS[0];
    const suggestion = '{"number":"2041","issued":"2026-03-01","currency":"EUR","total":"12","paid":false}';
    const id = await open({ suggestion: new RawJson(suggestion), answer_schema: real?.schema });
    await page.getByText("The suggestion doesn't fit its schema in 2 places").waitFor();
    await page.getByRole('row').filter({ hasText: 'breaks schema' }).waitFor();
    await checkAppearances(page, 'invalid-suggestion', APPEARANCES);
    await waitUntilActionable(page, 'Question');
    await page.keyboard.press('a');
    await page.locator('#suggestion-faults:focus').waitFor();
    await openForm();
    await expect.poll(() => focusedName(page)).toBe('Invoice number');
    await saveScreenshot(page, 'invalid-form');
    await page.keyboard.press('Home');
    await page.keyboard.type('INV-');
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => focusedName(page)).toBe('Total');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('12.00');
    await submitEdit();
    expect(await outputOf(id)).toBe(suggestion.replace('2041', 'INV-2041').replace('"12"', '12.00'));
  });

  it('TC1: shows a call with its arguments, edits them alone, and marks what changed', async () => {
    const real = REAL_SCHEMAS.find(({ name }) => name === 'a refund call');
    const suggestion = `{"name":"refund", "arguments": ${real?.suggestion}}`;
    const id = await open({
      kind: 'tool_call',
      title: 'Refund order A-1009',
      suggestion: new RawJson(suggestion),
      answer_schema: real?.schema,
      allowed_actions: ['approve', 'edit', 'reject', 'respond'],
    });
    await page.getByText('Returns money to the customer.').waitFor();
    await checkAppearances(page, 'tool-call', APPEARANCES);
    await waitUntilActionable(page, 'Question');
    await openForm();
    await type(page, { at: 'Amount', keys: ['{Control+A}', '20.00'] });
    await saveScreenshot(page, 'tool-call-edit');
    await submitEdit();
    expect(await outputOf(id)).toBe(suggestion.replace('49.90', '20.00'));
  });

  it('answers a call in words, and keeps what was typed when it is closed', async () => {
    const id = await open({
      kind: 'tool_call',
      suggestion: { name: 'delete_account', arguments: { account: 'a\u200bb' } },
      allowed_actions: ['reject', 'respond'],
    });
    expect(await page.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0);
    await page.keyboard.press('Shift+R');
    const field = page.getByLabel('Answer in words');
    await field.waitFor();
    // What is too long is not cut, and not sent.
    const pasted = `${'Ask first. '.repeat(1818)}And then again`;
    await page.keyboard.insertText(pasted);
    expect(await field.inputValue()).toBe(pasted);
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.getByRole('alert').filter({ hasText: '12 characters too long.' }).waitFor();
    expect(await focusedName(page)).toBe('Answer in words');
    await checkAppearances(page, 'respond-too-long', APPEARANCES);
    await page.keyboard.press('Control+Enter');
    expect(await field.inputValue()).toBe(pasted);
    await field.fill('');
    await page.keyboard.type('Ask for a written request first.');
    await page.keyboard.press('Escape');
    await page.getByLabel('Answer in words').waitFor({ state: 'detached' });
    await page.keyboard.press('Shift+R');
    await checkAppearances(page, 'respond', APPEARANCES);
    await page.keyboard.press('Control+Enter');
    expect(await outputOf(id)).toBeNull();
    expect((await project.pipeline.read(id)).decision).toMatchObject({
      action: 'respond',
      response: 'Ask for a written request first.',
    });
  });

  it('TS5: writes the answer where there is no suggestion', async () => {
    const real = REAL_SCHEMAS.find(({ name }) => name === 'an OpenAI function');
    const id = await open({ suggestion: null, answer_schema: real?.schema });
    await page.getByRole('button', { name: 'Write answer' }).waitFor();
    await openForm();
    await page.keyboard.press('Control+Enter');
    await page.getByText('Write an answer first.').first().waitFor();
    await type(page, { at: 'location', keys: ['Lima'] });
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => focusedName(page)).toBe('celsius');
    await page.keyboard.press('1');
    await checkAppearances(page, 'write-answer', APPEARANCES);
    await type(page, { at: 'days', keys: ['3'] });
    await page.keyboard.press('Control+Enter');
    expect(await outputOf(id)).toBe('{"location":"Lima","unit":"celsius","days":3}');
  });
});
