// @vitest-environment happy-dom
// The forms of the contents: changed cells, open branches, colours, last turns, linked sources, the preview of a mail.
import { cleanup, fireEvent, render } from '@testing-library/svelte';
import fc from 'fast-check';
import { tick } from 'svelte';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '@countersign/shared/json/json';
import { modeOf, tokenLines } from '../code/languages.ts';
import { CONTENTS } from '../contents.fixture.ts';
import type { JsonObject } from '../json/lossless.ts';
import { lazy } from '../lazy.ts';
import { mailPreview } from '../mail/mail-preview.ts';
import { compareTables, counterpart, numericColumns } from '../table/table-rows.ts';
import { openBranches, OPEN_LINES } from '../json/json-tree.ts';
import TreeValue from '../TreeValue.svelte';
import ValueBlock from '../ValueBlock.svelte';

// Parts loaded on demand are loaded here first, because their loading time is not under test.
beforeAll(() => Promise.all(Object.values(lazy).map((load) => load())), 60_000);
afterEach(cleanup);

async function shown(value: Json, more: { large?: boolean; reference?: Json } = {}): Promise<HTMLElement> {
  const { container } = render(ValueBlock, { title: 'Suggestion', value, ...more });
  await settled();
  return container;
}

async function settled(): Promise<void> {
  await Promise.all(Object.values(lazy).map((load) => load()));
  for (let round = 0; round < 8; round += 1) await tick();
}

const suggestion = (name: string) => CONTENTS[name]?.suggestion ?? null;
const input = (name: string) => CONTENTS[name]?.input ?? null;

describe('a table beside its input', () => {
  it('marks the cells that differ, in words too', async () => {
    const name = 'table of 12 columns';
    const box = await shown(suggestion(name), { large: true, reference: input(name) });
    expect(box.querySelectorAll('thead th')).toHaveLength(12);
    expect(box.textContent).toContain('1 cell differs from the input');
    const changed = [...box.querySelectorAll('tbody .bg-ins')].map((cell) => cell.textContent);
    expect(changed).toEqual([expect.stringContaining('was 1955')]);
  });

  it('is compared by the column that names its rows, with new and missing rows', () => {
    const before: JsonObject[] = [
      { id: 'a', n: 1 },
      { id: 'b', n: 2 },
      { id: 'c', n: 3 },
    ];
    const after: JsonObject[] = [
      { id: 'c', n: 3, verdict: 'ok' },
      { id: 'a', n: 9, verdict: 'no' },
      { id: 'x', n: 2, verdict: 'ok' },
    ];
    const change = compareTables(['id', 'n', 'verdict'], after, before);
    expect(change.rows.map(({ fresh, cells }) => [fresh, [...cells]])).toEqual([
      [false, []],
      [false, [['n', 1]]],
      [true, []],
    ]);
    expect([change.cells, change.gone]).toEqual([1, 1]);
    expect(counterpart(['id', 'n'], { deep: { rows: before }, other: [{ z: 1 }] })).toBe(before);
    expect(counterpart(['id', 'n'], { other: [{ z: 1 }] })).toBeNull();
  });

  it('aligns columns of numbers and amounts, and no others', () => {
    const rows: JsonObject[] = [
      { a: 1, b: '1,200.50 EUR', c: 'A-1', d: null },
      { a: 2.5, b: '€ 3', c: '2', d: null },
    ];
    expect([...numericColumns(['a', 'b', 'c', 'd'], rows)]).toEqual(['a', 'b']);
  });
});

describe('a tree', () => {
  it('opens shallow branches first, up to its lines', () => {
    const value = { a: { b: { c: [1] } }, big: Array.from({ length: 90 }, (_, at) => at), last: { x: 1 } };
    expect([...openBranches(value, '$')]).toEqual(['$.a', '$.last', '$.a.b', '$.a.b.c']);
    fc.assert(
      fc.property(fc.jsonValue(), (any) => {
        const root = [any as Json];
        expect(openBranches(root, '$').size).toBeLessThanOrEqual(OPEN_LINES + 1);
      }),
    );
  });

  it('shows six levels at once, and folds and unfolds all of them', async () => {
    const value = suggestion('tree of six levels') as JsonObject;
    const { container, getByText } = render(TreeValue, { value });
    expect(container.textContent).toContain('dent');
    await fireEvent.click(getByText('Collapse all'));
    expect(container.textContent).not.toContain('dent');
    await fireEvent.click(getByText('Expand all'));
    expect(container.textContent).toContain('dent');
  });
});

describe('code', () => {
  it('has the colours of its language, and every character', async () => {
    const lines = await tokenLines('def area(r):\n    return 3 # about', 'python');
    expect(lines?.flat().filter(({ tone }) => tone !== null)).toEqual(
      expect.arrayContaining([
        { text: 'def', tone: 'keyword' },
        { text: 'return', tone: 'keyword' },
        { text: '3', tone: 'number' },
        { text: '# about', tone: 'comment' },
      ]),
    );
    const piece = fc.constantFrom('"', "'", '/*', '*/', '\n', 'a', ' ', '{', '`', '${', '<', '\t', '\u202e', '\\');
    const language = fc.constantFrom('js', 'python', 'sql', 'html', 'bash', 'yaml', 'json', 'rust', 'css', 'c++');
    await fc.assert(
      fc.asyncProperty(fc.array(piece), language, async (pieces, name) => {
        const text = pieces.join('');
        const found = await tokenLines(text, name);
        if (found !== null) expect(found.map((line) => line.map((token) => token.text).join('')).join('\n')).toBe(text);
      }),
      { numRuns: 60 },
    );
  });

  it('of an unknown language stays plain', async () => {
    expect(['py', 'TypeScript', 'c++', 'js title="a"'].map(modeOf)).toEqual([
      'python',
      'typescript',
      'c',
      'javascript',
    ]);
    for (const name of ['', 'klingon', '__proto__', 'constructor']) expect(await tokenLines('x', name)).toBeNull();
  });
});

describe('a conversation', () => {
  it('shows its last turns, and the earlier ones on request', async () => {
    const box = await shown(input('chat of 30 turns'));
    expect(box.querySelectorAll('ol > li')).toHaveLength(6);
    expect(box.textContent).toContain('Answer 30');
    const more = [...box.querySelectorAll('button')].find((each) => each.textContent.includes('24 earlier turns'));
    more?.click();
    await settled();
    expect(box.querySelectorAll('ol > li')).toHaveLength(26);
    expect(box.textContent).toContain('Calls find_order');
  });

  it('is complete when it is the suggestion', async () => {
    const box = await shown(input('chat of 30 turns'), { large: true });
    expect(box.querySelectorAll('ol > li')).toHaveLength(30);
  });
});

describe('an answer with sources', () => {
  it('links marks and sources both ways, and says which quote is not in its source', async () => {
    const box = await shown(suggestion('cited answer'), { large: true, reference: input('cited answer') });
    const sources = [...box.querySelectorAll('ol > li')];
    expect(sources.map((each) => /Quote[^.]*source/.exec(each.textContent)?.[0])).toEqual([
      'Quote found in the source',
      'Quote not found in the source',
    ]);
    expect(box.textContent).toMatch(/\[doc-9\]\s*\(no such source\)/);
    document.body.append(box);
    const mark = [...box.querySelectorAll('button')].find((each) => each.textContent === '[doc-2]');
    mark?.click();
    await tick();
    expect(document.activeElement).toBe(sources[1]);
    expect(sources[1]?.className).toContain('border-accent');
    [...(sources[0]?.querySelectorAll('button') ?? [])].find((each) => each.textContent === 'cited 1 time')?.click();
    await tick();
    expect(document.activeElement?.textContent).toBe('[doc-1]');
  });
});

describe('an HTML mail', () => {
  it('is previewed beside its source, its links in words, and nothing of it is loaded', async () => {
    const box = await shown(suggestion('HTML mail'), { large: true });
    expect(box.querySelector('iframe')?.getAttribute('sandbox')).toBe('');
    for (const seen of ['<!-- internal', '1 image not loaded', 'your refund', 'https://shop.example/refunds/88'])
      expect(box.textContent).toContain(seen);
    await fireEvent.click(
      [...box.querySelectorAll('button')].find((each) => each.textContent.trim() === 'Source') as Element,
    );
    expect(box.querySelector('iframe')).toBeNull();
  });

  it('keeps its words, styles and embedded pictures', () => {
    const { document: page } = mailPreview(
      '<head><style>p{color:red;background:url(https://a.example/x)}</style></head><body bgcolor="#eee"><p style="margin:0">Hi</p><img src="data:image/png;base64,AA=="></body>',
    );
    expect(page).toContain('<p style="margin:0">Hi</p>');
    expect(page).toContain('src="data:image/png;base64,AA=="');
    expect(page).toContain('p{color:red;background:}');
    expect(page).toContain('bgcolor="#eee"');
  });

  it.each(['/* ', 'url( ', '@import '])('is cleaned in time that grows with it: %j without an end', (open) => {
    // With a pattern that looks for the end from each beginning, this did not end.
    const { document: page } = mailPreview(`<style>p{color:red}${open.repeat(300_000)}</style><p>Hi</p>`);
    expect(page).toContain('<p>Hi</p>');
    expect(page).not.toContain(open.trim());
  });

  it('lists each link once, however many there are', () => {
    const links = Array.from({ length: 20_000 }, (_, at) => `<a href="https://a.example/${at % 10_000}">x</a>`).join(
      '',
    );
    expect(mailPreview(`<body>${links}</body>`).links).toHaveLength(10_000);
  });
});

it('collapses runs of blank lines to one gap', async () => {
  const box = await shown('one\n\n\n\ntwo\nthree');
  expect(
    [...box.querySelectorAll('p[dir]')].map((line) => [line.textContent.trim(), line.className.includes('mt-1')]),
  ).toEqual([
    ['one', false],
    ['two', true],
    ['three', false],
  ]);
});
