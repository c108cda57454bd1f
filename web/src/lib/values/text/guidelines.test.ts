// @vitest-environment happy-dom
// Rendering guidelines: numbered rules, a Markdown subset, and no other elements.
import { cleanup, render } from '@testing-library/svelte';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { rulesOf } from './guidelines-rules.ts';
import GuidelinesText from './GuidelinesText.svelte';

afterEach(cleanup);

const shown = (text: string) => render(GuidelinesText, { text, anchors: true }).container;

describe('rules', () => {
  it('are paragraphs, numbered in their order; a heading has no number', () => {
    const blocks = rulesOf('# Returns\nWithin 30 days.\n\nUnused.\nIn the box.\n\n\n## Tone\n\n- Greet\n- Answer');
    expect(blocks.map((block) => (block.kind === 'rule' ? block.number : block.kind))).toEqual([
      'heading',
      1,
      2,
      'heading',
      3,
    ]);
    const [, , second, , third] = blocks;
    expect(second).toMatchObject({
      parts: [{ kind: 'lines', lines: [[{ text: 'Unused.' }], [{ text: 'In the box.' }]] }],
    });
    expect(third).toMatchObject({ parts: [{ kind: 'bullets', lines: [[{ text: 'Greet' }], [{ text: 'Answer' }]] }] });
  });

  it('the rules of guidelines have anchors', () => {
    const box = shown('One.\n\nTwo with **weight** and `code`.\n\n1. First\n2. Then');
    expect([...box.querySelectorAll('[id]')].map(({ id }) => id)).toEqual(['rule-1', 'rule-2', 'rule-3']);
    expect(box.querySelector('#rule-2 strong')?.textContent).toBe('weight');
    expect(box.querySelector('#rule-2 code')?.textContent).toBe('code');
    expect(box.querySelectorAll('#rule-3 ol > li')).toHaveLength(2);
  });

  it('show where a link leads, and link only to the web', () => {
    const box = shown(
      '[the manual](https://example.com/a) [run](javascript:alert(1)) [x](//evil.test) ![i](https://e.test/i.png)',
    );
    expect(box.querySelectorAll('a')).toHaveLength(0);
    const links = [...box.querySelectorAll('button')];
    expect(links.map(({ title }) => title)).toEqual(['asks, then opens example.com', 'asks, then opens e.test']);
    expect(box.textContent).toContain('example.com');
    expect(box.textContent).toContain('[run](javascript:alert(1))');
  });

  it('never become HTML, and hide no character', () => {
    const hostile = '<img src=x onerror=alert(1)> <script>alert(1)</script> &lt;b&gt; **<i>** `<u>` a\u202Eb';
    const box = shown(hostile);
    expect(box.querySelectorAll('img, script, i, u, iframe')).toHaveLength(0);
    expect(box.textContent).toContain('<script>alert(1)</script>');
    expect(box.textContent).toContain('RLO');
  });

  it('preserve every word of any text', () => {
    const word = fc.constantFrom('a', 'b', '**', '`', '[x](https://e.test)', '#', '-', '1.', '<b>', '\n', '\n\n', ' ');
    fc.assert(
      fc.property(fc.array(word, { maxLength: 20 }), (words) => {
        const text = words.join('');
        const letters = (value: string) => [...value.replaceAll(/[^ab]/g, '')].join('');
        const kept = rulesOf(text)
          .flatMap((block) => (block.kind === 'heading' ? [block.pieces] : block.parts.flatMap(({ lines }) => lines)))
          .flat()
          .map((piece) => piece.text)
          .join('');
        expect(letters(kept)).toBe(letters(text));
      }),
    );
  });
});
