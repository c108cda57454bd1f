// @vitest-environment happy-dom
// QU9: browser translation replaces the text nodes of a page; later changes are still shown.
import { render } from '@testing-library/svelte';
import { afterEach, expect, it } from 'vitest';
import GuidelinesText from './text/GuidelinesText.svelte';
import MarkdownValue from './text/MarkdownValue.svelte';
import SafeText from './text/SafeText.svelte';
import TextValue from './TextValue.svelte';

/** What Chrome does: each text node is replaced by an element with the translated text. */
function translate(root: Element): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts: Node[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode);
  for (const text of texts) {
    if (text.textContent?.trim() === '' || text.parentElement?.closest('[translate=no]')) continue;
    const font = document.createElement('font');
    font.textContent = `« ${text.textContent ?? ''} »`;
    text.parentNode?.replaceChild(font, text);
  }
}

const textOf = ({ textContent }: Element) => textContent.replaceAll(/\s+/g, ' ').trim();

const HIDDEN = `Hidden \u202E mark and https://example.org/a`;
const TEXTS = ['One', 'Two', HIDDEN, '# Three\n\n- a\n- b', 'Four\nlines', `${'Long '.repeat(900)}end`, 'Five'];

afterEach(() => document.body.replaceChildren());

/** Shows one text, then others in its place. */
interface Place {
  container: HTMLElement;
  show: (text: string) => Promise<unknown>;
}

const PLACES: Record<string, (value: string) => Place> = {
  'a run of text': (value) => {
    const { container, rerender } = render(SafeText, { value });
    return { container, show: (next) => rerender({ value: next }) };
  },
  'a text': (value) => {
    const { container, rerender } = render(TextValue, { value });
    return { container, show: (next) => rerender({ value: next }) };
  },
  Markdown: (value) => {
    const { container, rerender } = render(MarkdownValue, { value });
    return { container, show: (next) => rerender({ value: next }) };
  },
  guidelines: (value) => {
    const { container, rerender } = render(GuidelinesText, { text: value });
    return { container, show: (next) => rerender({ text: next }) };
  },
};

it.each(Object.entries(PLACES))('QU9: replaces a translated text by another: %s', async (_, open) => {
  const { container, show } = open('Nothing yet');
  for (const text of TEXTS) {
    await show(text);
    expect(textOf(container)).toBe(textOf(open(text).container));
    translate(container);
  }
});

it('QU9: excludes names from translation, but not submitted content', () => {
  const { container } = render(SafeText, { value: 'Ana', name: true });
  expect(container.querySelector('span')?.getAttribute('translate')).toBe('no');
  const { container: other } = render(SafeText, { value: 'An answer' });
  expect(other.querySelector('span')?.getAttribute('translate')).toBe('yes');
});
