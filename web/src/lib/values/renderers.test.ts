// @vitest-environment happy-dom
// Each renderer with its tools: tables are sorted and copied, trees open on demand, texts are cut, searched and marked.
import { cleanup, fireEvent, render } from '@testing-library/svelte';
import fc from 'fast-check';
import { flushSync, tick } from 'svelte';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Json } from '@countersign/shared/json/json';
import { tableCsv, ordered } from './table/table-rows.ts';
import { matchesIn } from './text/find.ts';
import { foldUnchanged, compareLines, compareText } from './diff/word-diff.ts';
import { lazy } from './lazy.ts';
import { parseJson, type JsonObject } from './json/lossless.ts';
import { mediaOf } from './media/media.ts';
import TableValue from './table/TableValue.svelte';
import TreeValue from './TreeValue.svelte';
import Value from './Value.svelte';
import ValueBlock from './ValueBlock.svelte';

// Parts loaded on demand are loaded here first, because their loading time is not under test.
beforeAll(() => Promise.all(Object.values(lazy).map((load) => load())), 60_000);
afterEach(cleanup);

const rows = parseJson('[{"n":10,"t":"b"},{"n":9.0,"t":"a10"},{"t":"a9"},{"n":-1,"t":"a9"}]') as JsonObject[];
const cells = (box: HTMLElement, column: number) =>
  [...box.querySelectorAll('tbody tr')].map((row) => row.children[column]?.textContent.trim());

async function drawn(value: Json): Promise<HTMLElement> {
  const { container } = render(Value, { value, label: 'x' });
  await Promise.all(Object.values(lazy).map((load) => load()));
  for (let round = 0; round < 6; round += 1) await tick();
  return container;
}

describe('a table', () => {
  it('is sorted up, down and back, numbers by their value, missing cells last', async () => {
    const { container, getByTitle } = render(TableValue, {
      shape: { kind: 'table', columns: ['n', 't'], rows },
      label: 'x',
    });
    expect(cells(container, 0)).toEqual(['10', '9.0', 'missing', '-1']);
    await fireEvent.click(getByTitle('Sort by n'));
    expect(cells(container, 0)).toEqual(['-1', '9.0', '10', 'missing']);
    expect(container.querySelector('[aria-sort]')?.getAttribute('aria-sort')).toBe('ascending');
    await fireEvent.click(getByTitle('Sort by n'));
    expect(cells(container, 0)).toEqual(['10', '9.0', '-1', 'missing']);
    await fireEvent.click(getByTitle('Sort by n'));
    expect(cells(container, 0)).toEqual(['10', '9.0', 'missing', '-1']);
    await fireEvent.click(getByTitle('Sort by t'));
    expect(cells(container, 1)).toEqual(['a9', 'a9', 'a10', 'b']);
  });

  it('hides columns, but never the last', async () => {
    const { container, getByRole } = render(TableValue, {
      shape: { kind: 'table', columns: ['n', 't'], rows },
      label: 'x',
    });
    await fireEvent.click(getByRole('checkbox', { name: 'n', hidden: true }));
    expect([...container.querySelectorAll('thead th')].map((head) => head.textContent.trim())).toEqual(['t']);
    expect(getByRole('checkbox', { name: 't', hidden: true })).toHaveProperty('disabled', true);
    expect(container.textContent).toContain('1 column hidden');
  });

  it('draws 200 rows at a time', async () => {
    const many = Array.from({ length: 450 }, (_, at) => ({ at }));
    const { container, getByText } = render(TableValue, {
      shape: { kind: 'table', columns: ['at'], rows: many },
      label: 'x',
    });
    expect(container.querySelectorAll('tbody tr')).toHaveLength(200);
    await fireEvent.click(getByText('Show 200 more rows, 250 left'));
    await fireEvent.click(getByText('Show 50 more rows, 50 left'));
    expect(container.querySelectorAll('tbody tr')).toHaveLength(450);
  });

  it('is copied without formulas, numbers as they were sent', () => {
    const value = parseJson(
      '[{"a":"=1+1","b":1.0},{"a":" +x","b":-5},{"a":"@y","b":"-5"},{"a":"q\\"c,\\n","b":null},{"a":"\\t=2"},{"a":"|x","b":"%y"}]',
    ) as JsonObject[];
    expect(tableCsv(['a', 'b'], value).split('\r\n')).toEqual([
      'a,b',
      `"'=1+1",1.0`,
      `"' +x",-5`,
      `"'@y","'-5"`,
      '"q""c,\n",null',
      `"'\t=2",`,
      `"'|x","'%y"`,
      '',
    ]);
  });

  it('never gives a spreadsheet a cell that begins like a formula', () => {
    const cell = fc.string({
      unit: fc.constantFrom('=', '+', '-', '@', '\t', '\r', ' ', '\n', '|', '%', '"', ',', 'a'),
    });
    fc.assert(
      fc.property(cell, cell, (head, text) => {
        const [first, second = ''] = csvCells(tableCsv([head], [{ [head]: text }]));
        for (const each of [first ?? '', second]) expect(each).not.toMatch(/^\s*[=+\-@|%]/);
      }),
    );
  });

  it('retains every row when it is sorted', () => {
    const value = fc.array(
      fc.dictionary(fc.constantFrom('a', 'b'), fc.oneof(fc.integer(), fc.string(), fc.constant(null))),
    );
    fc.assert(
      fc.property(value, fc.boolean(), (some, down) => {
        const sorted = ordered(some, { column: 'a', down });
        expect(sorted.map(({ at }) => at).sort((a, b) => a - b)).toEqual(some.map((_, at) => at));
      }),
    );
  });
});

describe('a tree', () => {
  it('draws a branch when it is opened, and members a hundred at a time', async () => {
    const value = {
      big: Array.from({ length: 130 }, (_, at) => at),
      ...Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`k${at}`, at])),
    };
    const { container, getByText } = render(TreeValue, { value });
    expect(container.querySelectorAll('details li')).toHaveLength(0);
    const branch = container.querySelector('details');
    if (branch === null) throw new Error('The branch is missing.');
    branch.open = true;
    await fireEvent(branch, new Event('toggle'));
    expect(container.querySelectorAll('details li')).toHaveLength(101);
    await fireEvent.click(getByText('and 30 more'));
    expect(container.querySelectorAll('details li')).toHaveLength(130);
  });

  it('copies a value and the path to it', async () => {
    const writeText = vi.fn(() => Promise.resolve());
    vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText } });
    const leaf = render(TreeValue, { value: parseJson('{"odd key":1.0}') as JsonObject, path: '$.x[0]' });
    await fireEvent.click(leaf.getByLabelText('Copy path $.x[0]["odd key"]'));
    expect(writeText).toHaveBeenLastCalledWith('$.x[0]["odd key"]');
    await fireEvent.click(leaf.getByTitle('Copy value of $.x[0]["odd key"]'));
    expect(writeText).toHaveBeenLastCalledWith('1.0');
    vi.unstubAllGlobals();
  });

  it('shows that the browser refused to copy a path', async () => {
    const clipboard = { writeText: () => Promise.reject(new Error('No')) };
    vi.stubGlobal('navigator', { ...navigator, clipboard });
    const leaf = render(TreeValue, { value: parseJson('{"a":1}') as JsonObject, path: '$' });
    const button = leaf.getByLabelText('Copy path $.a');
    await fireEvent.click(button);
    await vi.waitFor(() => expect(button.className).toContain('text-rejected'));
    vi.unstubAllGlobals();
  });
});

describe('a value', () => {
  it('shows numbers as they were sent, and a time in local form and as it was sent', async () => {
    const value = parseJson('{"a":1.0,"b":0.12345678901234567890,"at":"2026-11-20T14:02:11+01:00","day":"2026-11-20"}');
    const box = await drawn(value);
    for (const seen of ['1.0', '0.12345678901234567890', '2026-11-20T14:02:11+01:00', '2026-11-20'])
      expect(box.textContent).toContain(seen);
    expect(box.querySelector('time')?.dateTime).toBe('2026-11-20T14:02:11+01:00');
  });

  it('reads a conversation: roles as text, pieces one by one, tool calls by name', async () => {
    const box = await drawn([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: 'https://a.example/x.png' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ name: 'look_up', arguments: '{"order":1}', id: 'c1' }],
        name: 'bot',
      },
      { role: 'tool', content: 'Order 1', tool_call_id: 'c1' },
    ]);
    expect([...box.querySelectorAll('ol > li')].map((turn) => turn.firstElementChild?.textContent.trim())).toEqual([
      'User',
      'Assistant bot',
      'Tool look_up',
    ]);
    // The ids of the call and of its result.
    expect([...box.querySelectorAll('summary')].map((each) => each.textContent)).toEqual(['Details', 'Details']);
    expect(box.textContent).toContain('Image hosted at a.example.');
    await vi.waitFor(() => expect(box.querySelector('[aria-label="Calls look_up"]')).not.toBeNull());
  });

  it('distinguishes an embedded picture from a remote one, and from a drawing that could contain more', () => {
    expect(mediaOf('data:image/png;base64,iVBORw0KGgo=')).toMatchObject({ kind: 'inside', type: 'image/png' });
    expect(mediaOf('https://a.example/x.png')).toMatchObject({ kind: 'outside', host: 'a.example' });
    for (const none of [
      'data:image/svg+xml;base64,PHN2Zz4=',
      'data:text/html,x',
      'javascript:1',
      'two https://a.example/',
      '',
    ])
      expect(mediaOf(none)).toBeNull();
  });
});

describe('a block', () => {
  it('always shows how to expand it, and leaves finding to what is around it on a touch screen', () => {
    const { getByLabelText, rerender } = render(ValueBlock, { title: 'Suggestion', value: 'x', foundAbove: true });
    const isFaded = (label: string) => getByLabelText(label).closest('.opacity-0') !== null;
    expect([isFaded('Expand suggestion'), isFaded('Copy suggestion'), isFaded('Find')]).toEqual([false, false, true]);
    const isLeft = () => getByLabelText('Find').matches('.pointer-coarse\\:hidden');
    const above = isLeft();
    void rerender({ foundAbove: false });
    flushSync();
    expect([above, isLeft()]).toEqual([true, false]);
  });

  it('shows its JSON, spaces and line breaks, and long lines unwrapped', async () => {
    const { container, getByLabelText } = render(ValueBlock, { title: 'Suggestion', value: { a: 'b c' }, large: true });
    await fireEvent.click(getByLabelText('View JSON'));
    await vi.waitFor(() => expect(container.textContent).toContain('"a": "b c"'));
    await fireEvent.click(getByLabelText('Show whitespace'));
    await vi.waitFor(() => expect(container.textContent).toContain('"b·c"'));
    await fireEvent.click(getByLabelText('Wrap long lines'));
    expect(container.querySelector('.whitespace-pre')).not.toBeNull();
  });

  it('finds words, also in cut text, steps through them and returns the focus', async () => {
    const value = Array.from({ length: 300 }, (_, at) => `line ${at}${at % 100 === 99 ? ' Needle' : ''}`).join('\n');
    const { container, getByLabelText, findByLabelText } = render(ValueBlock, { title: 'Suggestion', value });
    expect(container.textContent).not.toContain('line 250');
    await fireEvent.click(getByLabelText('Find'));
    const field = await findByLabelText('Find text');
    await fireEvent.input(field, { target: { value: 'needle' } });
    await vi.waitFor(() => expect(container.textContent).toContain('1 of 3'));
    await fireEvent.keyDown(field, { key: 'Enter' });
    expect(container.textContent).toContain('2 of 3');
    await fireEvent.keyDown(field, { key: 'Escape' });
    expect(document.activeElement).toBe(getByLabelText('Find'));
    expect(container.textContent).not.toContain('line 250');
  });
});

it('finds every match of any search', () => {
  const box = document.createElement('div');
  box.innerHTML = '<p>aXa</p><p>Ax<b>xa</b></p>';
  expect(matchesIn(box, 'xa').map(String)).toEqual(['Xa', 'xa']);
  box.innerHTML = '<pre><span>return</span> <span>3</span></pre><p>re</p><p>turn</p>';
  expect(matchesIn(box, 'return 3').map(String)).toEqual(['return 3']);
  expect(matchesIn(box, 'return').map(String)).toEqual(['return']);
  expect(matchesIn(box, '')).toEqual([]);
  // In lower case İ is two characters.
  box.innerHTML = '<p>İ in Kadıköy <b>İİ</b> İstanbul</p>';
  expect(matchesIn(box, 'kadık').map(String)).toEqual(['Kadık']);
  expect(matchesIn(box, 'İSTANBUL').map(String)).toEqual(['İstanbul']);
  box.innerHTML = '<p>ΟΔΟΣ οδος</p>';
  expect(matchesIn(box, 'Οδος').map(String)).toEqual(['ΟΔΟΣ', 'οδος']);
  expect(matchesIn(box, 'οδοσ').map(String)).toEqual(['ΟΔΟΣ', 'οδος']);
});

describe('a comparison', () => {
  const text = fc
    .array(fc.constantFrom('a', 'bb', ' ', '\n', '12', '\n\n'), { maxLength: 40 })
    .map((parts) => parts.join(''));
  const side = (lines: ReturnType<typeof compareLines>, not: string) =>
    lines
      .flatMap(({ parts }) => parts)
      .filter(({ kind }) => kind !== not)
      .map((part) => part.text.replaceAll('↵', ''))
      .join('')
      .replaceAll('\n', '');

  it('by line contains both texts completely', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = compareLines(before, after);
        expect(side(lines, 'removed')).toBe(after.replaceAll('\n', ''));
        expect(side(lines, 'added')).toBe(before.replaceAll('\n', ''));
      }),
    );
    const shown = compareLines('one\ntwo\nthree', 'one\n2\nthree').map(({ parts }) =>
      parts.map(({ kind, text: words }) => [kind, words]),
    );
    expect(shown).toEqual([[['same', 'one']], [['removed', 'two']], [['added', '2']], [['same', 'three']]]);
  });

  it('of long texts renders only the changes, and says how much it leaves out', () => {
    const long = Array.from({ length: 12_000 }, (_, at) => `word${at} and more`).join('\n');
    const lines = compareText(long, long.replace('word6000', 'changed'));
    expect(side(lines, 'removed')).toBe(long.replace('word6000', 'changed').replaceAll('\n', ''));
    const folded = foldUnchanged(lines);
    expect(folded.length).toBeLessThan(12);
    expect(folded.reduce((sum, piece) => sum + (piece.kind === 'gap' ? piece.count : 1), 0)).toBe(lines.length);
  });

  it('leaves out none of the changed lines', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 200 }), (changes) => {
        const lines = changes.map((changed) => ({ parts: [], changed }));
        const folded = foldUnchanged(lines);
        const shown = folded.filter(({ kind }) => kind === 'line').map(({ at }) => at);
        for (const [at, changed] of changes.entries()) if (changed) expect(shown).toContain(at);
      }),
    );
  });
});

/** The cells of a CSV text as a spreadsheet reads them. */
function csvCells(text: string): string[] {
  return [...text.matchAll(/"((?:[^"]|"")*)"|([^,\r\n]+)/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  );
}
