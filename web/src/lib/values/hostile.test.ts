// @vitest-environment happy-dom
// QU6: submitted content never runs, and loads nothing from outside without a click.
import { cleanup, render } from '@testing-library/svelte';
import fc from 'fast-check';
import { tick } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Json } from '@countersign/shared/json/json';
import { HOSTILE_SHAPES, HOSTILE_TEXTS, TRAP } from './hostile.fixture.ts';
import { KINDS, type Kind } from './classify.ts';
import { isMarkdown } from './kinds/markup.ts';
import { lazy } from './lazy.ts';
import { HIDDEN } from './text/segments.ts';
import MarkdownValue from './text/MarkdownValue.svelte';
import PlainText from './text/PlainText.svelte';
import SafeText from './text/SafeText.svelte';
import TreeValue from './TreeValue.svelte';
import Value from './Value.svelte';
import ValueBlock from './ValueBlock.svelte';

const fetching = vi.fn(() => Promise.reject(new Error('Nothing may be fetched.')));
beforeEach(() => vi.stubGlobal('fetch', fetching));
afterEach(() => {
  cleanup();
  expect(fetching).not.toHaveBeenCalled();
  expect('pwned' in globalThis).toBe(false);
  expect('polluted' in {}).toBe(false);
  vi.unstubAllGlobals();
});

const LIVE = 'script, style, object, embed, link, meta, base, form, video, audio, svg script, a[href]';
const ADDRESSES = new Set(['src', 'href', 'srcset', 'style', 'action', 'formaction', 'background']);

/** Checks that no element runs, loads or leads away, and no attribute does. One check for all: a large table has 10,000 of them. */
function expectHarmless(box: HTMLElement): void {
  const faults = [...box.querySelectorAll(LIVE)].map((each) => each.outerHTML);
  for (const frame of box.querySelectorAll('iframe')) expectInertFrame(frame);
  for (const image of box.querySelectorAll('img')) expect(image.getAttribute('src')).toMatch(/^data:image\//);
  for (const each of box.querySelectorAll('*')) {
    for (const { name, value } of each.attributes) {
      if (/^on/i.test(name)) faults.push(name);
      // The document of a frame is checked as a document: it is not among these.
      if (ADDRESSES.has(name) && /javascript:|data:text|trap\.example/i.test(value)) faults.push(`${name}=${value}`);
    }
  }
  expect(faults).toEqual([]);
}

/** A preview runs nothing, has no origin, and its own policy, before anything of the mail, forbids all loading. */
function expectInertFrame(frame: HTMLIFrameElement): void {
  expect(frame.getAttribute('sandbox')).toBe('');
  expect(frame.getAttribute('src')).toBeNull();
  const source = frame.getAttribute('srcdoc') ?? '';
  expect(source).toMatch(
    /^<!doctype html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">/,
  );
  const page = new DOMParser().parseFromString(source, 'text/html');
  expect([...page.querySelectorAll('script, link, base, iframe, object, embed, video, audio')]).toEqual([]);
  expect(page.querySelectorAll('meta[http-equiv]')).toHaveLength(1);
  for (const each of page.querySelectorAll('*')) {
    for (const { name, value } of each.attributes) {
      expect(name).not.toMatch(/^(?:on|href|srcset|action|formaction|xlink)/i);
      if (name !== 'content') expect(value).not.toMatch(/javascript:|trap\.example/i);
      if (name === 'src') expect(value).toMatch(/^data:image\//);
    }
  }
  for (const style of page.querySelectorAll('style'))
    expect(style.textContent).not.toMatch(/url\(|@import|trap\.example/i);
}

const texts = Object.entries(HOSTILE_TEXTS);
/** A table draws each of its rows alike; e2e/queue/hostile-content.test.ts draws as many as a page shows. */
const shapes = { ...HOSTILE_SHAPES, table: (HOSTILE_SHAPES.table as Json[]).slice(0, 20) };
const values: [string, Json][] = [...texts, ...Object.entries(shapes)];

describe('QU6: hostile content is inert', () => {
  it.each(values)('as a value: %s', async (_, value) => {
    const { container } = render(ValueBlock, { title: 'Suggestion', value, large: true });
    await settled();
    expectHarmless(container);
    expect(container.textContent).not.toContain('[native code]');
  });

  it.each(texts)('under every kind that a project may fix for it: %s', async (_, value) => {
    for (const kind of KINDS) {
      const { container } = render(ValueBlock, { title: 'Suggestion', value, large: true, kinds: { '': kind } });
      await settled();
      expectHarmless(container);
      // Nothing of the suggestion is hidden: its letters are on the page, in order (QU13).
      if (COMPLETE.has(kind) && !HIDDEN.test(value)) expect(leftOver(value, container.textContent)).toBe('');
      cleanup();
    }
  });

  it.each(texts)('as an answer with sources, as arguments of a tool, as a formula: %s', async (_, text) => {
    const values: Json[] = [
      { answer: `${text} [1]`, citations: [{ id: text, quote: text }] },
      { name: text, arguments: { [text]: text, deep: [{ text }] }, id: text },
      `$x = ${text}$ and $$${text}$$`,
      JSON.stringify({ [text]: text }),
      `\`\`\`html\n${text}\n\`\`\`\nand ${text}`,
      `<!doctype html><html><body>${text}<p>after</p></body></html>`,
    ];
    for (const value of values) {
      const { container } = render(ValueBlock, { title: 'Suggestion', value, large: true });
      await settled();
      expectHarmless(container);
      cleanup();
    }
  });

  it.each(texts)('inside an object, a table, a list and a tree: %s', async (_, text) => {
    const value: Json = {
      text,
      [text]: 1,
      rows: [
        { a: text, [text]: 1 },
        { a: text, [text]: 2 },
      ],
      list: [text],
      chat: [{ role: text, content: text, name: text }],
    };
    const { container } = render(Value, { value, label: 'x' });
    await settled();
    expectHarmless(container);
    cleanup();
    const tree = render(TreeValue, { value }).container;
    await settled();
    expectHarmless(tree);
  });

  it.each(texts)('as a name, a note, a flag, a model: %s', (_, text) => {
    expectHarmless(render(SafeText, { value: text }).container);
    cleanup();
    const { container } = render(PlainText, { value: text });
    expectHarmless(container);
    expect(container.querySelectorAll('button')).toHaveLength(0);
  });

  it.each(texts)('as Markdown, whether it looks like it or not: %s', (_, text) => {
    const { container } = render(MarkdownValue, { value: text });
    expectHarmless(container);
  });

  it('as any Markdown at all', () => {
    const piece = fc.constantFrom(
      ...[
        '<',
        '>',
        '"',
        "'",
        '](',
        '[',
        '!',
        '![',
        ')',
        '`',
        '```',
        '\n',
        '\n\n',
        '# ',
        '- ',
        '| a | b |\n|---|---|\n',
        '&#',
        ';',
      ],
      ...[
        'javascript:',
        'data:',
        'onerror=',
        '<img src=x ',
        '<svg ',
        '<a href=',
        'x',
        ' ',
        '/',
        '\\',
        '<!--',
        '-->',
        '<style>',
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
        const { container } = render(MarkdownValue, { value: pieces.join('') });
        expectHarmless(container);
        cleanup();
      }),
      { numRuns: 200 },
    );
  });
});

describe('QU6: Markdown is never HTML', () => {
  it.each([
    '[x](javascript:alert(1))',
    '[x](JAVASCRIPT:alert(1))',
    '[x](java&#115;cript:alert(1))',
    '[x](vbscript:x)',
    '[x](data:text/html,x)',
    '[x](file:///etc/passwd)',
    '[x](//trap.example/)',
    '![x](data:text/html,x)',
  ])('%s leads nowhere, and is visible as written', (value) => {
    const { container } = render(MarkdownValue, { value });
    expect(container.querySelectorAll('a, button, img')).toHaveLength(0);
    expect(container.textContent).toContain(value);
  });

  it('preserves the content, and shows its HTML as written', () => {
    const value = '# Hi\n\n<b onclick=x>bold</b> and **strong** [w](https://a.example/)\n\n<div>\nblock\n</div>';
    const { container } = render(MarkdownValue, { value });
    expect(container.querySelector('h4')?.textContent).toBe('Hi');
    expect(container.querySelector('strong')?.textContent).toBe('strong');
    expect(container.querySelector('button')?.title).toBe('asks, then opens a.example');
    expect(container.querySelector('b')).toBeNull();
    for (const seen of ['<b onclick=x>bold</b>', '<div>', 'block']) expect(container.textContent).toContain(seen);
  });

  it('shows every letter of any Markdown', () => {
    const word = fc.constantFrom(
      ...['a', 'b', '**', '_', '`', '[a](https://e.test)', '# ', '- ', '1. ', '<b>', '\n', '\n\n', ' ', '> ', '|'],
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 20 }), (words) => {
        const value = words.join('');
        const { container } = render(MarkdownValue, { value });
        const letters = (text: string) => text.replaceAll('https://e.test', '').replaceAll(/[^ab]/g, '');
        const hosts = container.querySelectorAll('[aria-hidden], .sr-only');
        for (const each of hosts) each.remove();
        expect(letters(container.textContent).length).toBeGreaterThanOrEqual(letters(value).length);
        cleanup();
      }),
      { numRuns: 200 },
    );
  });
});

describe('isMarkdown', () => {
  it.each([
    ['# Title\n\nwith **weight**', true],
    ['- one\n- two\n\nand `code`', true],
    ['see [the manual](https://a.example/)', true],
    ['```js\nx\n```', true],
    ['| a | b |\n|---|---|\n| 1 | 2 |', true],
    ['Adrianne has 20 + 10 = <<20+10=30>>30 beads.\nA: 30', false],
    ['The second follows on **Friday**.', true],
    ['**Yes**', true],
    ['5 * 3 * 2 = 30 and **kwargs', false],
    ['f(**a, **b) and g(**c)', false],
    ['2 **3** 4', false],
    ['src/**/*.ts and **/test/**', false],
    ['a** b**', false],
    ['1. first\n2. second', false],
    ['# a comment in a script', false],
    ['an_identifier_with_underscores and a #hashtag', false],
    ['# T\n**b** ' + 'x'.repeat(3000), false],
    [`# T\n**b**\n${'>'.repeat(5000)}`, false],
    [`# T\n**b**\n${'a '.repeat(20_000)}`, false],
  ])('whether %j is read as Markdown: %s', (value, expected) => {
    expect(isMarkdown(value)).toBe(expected);
  });
});

describe('QU6: a link opens only after a second click that names its host', () => {
  it('asks, can be cancelled, and sends no referrer', async () => {
    const { container } = render(SafeText, { value: 'See https://bank.example@trap.example/login now' });
    const ask = container.querySelector('button');
    expect(container.querySelector('a')).toBeNull();
    ask?.click();
    await tick();
    const link = container.querySelector('a');
    expect(link?.textContent).toBe('Open trap.example');
    expect([link?.target, link?.rel]).toEqual(['_blank', 'noopener noreferrer nofollow']);
    container.querySelector<HTMLButtonElement>('button[aria-label]')?.click();
    await tick();
    expect(container.querySelector('a')).toBeNull();
  });

  it('shows an embedded picture, and never a remote one', async () => {
    const inside = render(Value, { value: 'data:image/png;base64,iVBORw0KGgo=', label: 'x' }).container;
    await settled();
    expect(inside.querySelector('img')?.getAttribute('src')).toBe('data:image/png;base64,iVBORw0KGgo=');
    cleanup();
    const outside = render(Value, { value: `${TRAP}/a.png`, label: 'x' }).container;
    await settled();
    for (const button of outside.querySelectorAll('button')) button.click();
    await tick();
    expect(outside.querySelector('img')).toBeNull();
    expect(outside.textContent).toContain("It isn't loaded");
  });

  it('marks hidden characters inside Markdown too, including those written as entities', () => {
    const { container } = render(MarkdownValue, {
      value: '**a\u202eb** [\u200bx](https://a.example/) `c\u2066` &#x202e;gpj',
    });
    for (const seen of ['RLO', 'ZWSP', 'LRI', 'gpj']) expect(container.textContent).toContain(seen);
    expect(container.textContent).not.toMatch(/[\u202e\u200b\u2066]/);
  });
});

/** Kinds that show every character; the others leave out signs of their syntax, and have a switch to the source. */
const COMPLETE = new Set<Kind>(['text', 'html', 'diff', 'code', 'math']);

/** What of a text is missing on a page that may show more between its letters, such as the host of a link. */
function leftOver(text: string, page: string): string {
  const letters = text.replaceAll(/[^a-z]/gi, '');
  let at = 0;
  for (const letter of page) if (letter === letters[at]) at += 1;
  return letters.slice(at);
}

/** Waits until everything loaded on demand has rendered. */
async function settled(): Promise<void> {
  await Promise.all(Object.values(lazy).map((load) => load()));
  // One round for each level of nesting.
  for (let round = 0; round < 8; round += 1) await tick();
}
