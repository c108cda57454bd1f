// @vitest-environment happy-dom
// Values under review: missing ones say so, and nothing of the suggestion is folded.
import { cleanup, render } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Json } from '@countersign/shared/json/json';
import { tableCsv } from './table/table-rows.ts';
import { lazy } from './lazy.ts';
import type { JsonObject } from './json/lossless.ts';
import TableValue from './table/TableValue.svelte';
import Value from './Value.svelte';
import ValueBlock from './ValueBlock.svelte';

// Parts loaded on demand are loaded here first, because their loading time is not under test.
beforeAll(() => Promise.all(Object.values(lazy).map((load) => load())), 60_000);
afterEach(cleanup);

const cells = (box: HTMLElement, column: number) =>
  [...box.querySelectorAll('tbody tr')].map((row) => row.children[column]?.textContent.trim());

async function drawn(value: Json): Promise<HTMLElement> {
  const { container } = render(Value, { value, label: 'x' });
  await Promise.all(Object.values(lazy).map((load) => load()));
  for (let round = 0; round < 6; round += 1) await tick();
  return container;
}

describe('QU15: an empty value', () => {
  it.each<[Json, string]>([
    ['', 'empty text'],
    ['  \n', 'blank text, 3 characters'],
    [null, 'null'],
    ['null', 'null'],
  ])('%j says what it is', async (value, said) => {
    const box = await drawn({ key: value, other: [1] });
    expect(box.textContent).toContain(said);
    expect(box.querySelectorAll('code').length > 1).toBe(value === null);
  });

  it('is distinguished in a table, on the page and as CSV', () => {
    const value = [{ a: 1, b: '' }, { a: 2, b: ' ' }, { a: 3 }, { a: 4, b: null }] as unknown as JsonObject[];
    const { container } = render(TableValue, {
      shape: { kind: 'table', columns: ['a', 'b'], rows: value },
      label: 'x',
    });
    expect(cells(container, 1)).toEqual([
      'empty text',
      expect.stringMatching(/blank text, 1 character$/),
      'missing',
      'null',
    ]);
    expect(tableCsv(['b'], value).split('\r\n')).toEqual(['b', '""', ' ', '', 'null', '']);
  });
});

describe('QU13: the suggestion of the open item', () => {
  const long = Array.from({ length: 160 }, (_, at) => `line ${at}`).join('\n');
  const deep = {
    a: { b: [1] },
    n: [1],
    list: Array.from({ length: 120 }, (_, at) => [at === 119 ? 'the innermost' : at]),
  };

  it.each<[string, Json, string]>([
    ['a long text', long, 'line 159'],
    ['Markdown', `# Title\n\n- item\n\n${long.replaceAll('\n', '\n\n')}`, 'line 159'],
    ['nested values', deep, 'the innermost'],
    ['a table', Array.from({ length: 230 }, (_, at) => ({ a: `row ${at}`, b: 1 })), 'row 229'],
  ])('the suggestion of the open item is complete: %s', async (_, value, last) => {
    const texts = [];
    for (const large of [true, false]) {
      const { container } = render(ValueBlock, { title: 'X', value, large });
      for (let round = 0; round < 12; round += 1)
        await Promise.all(Object.values(lazy).map((load) => load())).then(tick);
      await vi.waitFor(() => expect(container.textContent).toMatch(/line 0|Title|row 0|\ba\b/), { timeout: 20_000 });
      texts.push(container.textContent.includes(last));
      cleanup();
    }
    expect(texts).toEqual([true, false]);
  });
});
