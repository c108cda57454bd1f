// @vitest-environment happy-dom
// QU9: the browser's translation takes the text nodes of a page away; what comes after is shown all the same.
import { render } from '@testing-library/svelte';
import { afterEach, expect, it } from 'vitest';
import GuidelinesText from './GuidelinesText.svelte';
import MarkdownValue from './MarkdownValue.svelte';
import Marked from './Marked.svelte';
import TextValue from './TextValue.svelte';

/** What Chrome does: each text node gives way to an element with the translated text. */
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

it.each([
  ['a run of text', Marked, 'value'],
  ['a text', TextValue, 'value'],
  ['Markdown', MarkdownValue, 'value'],
  ['guidelines', GuidelinesText, 'text'],
] as const)('QU9: another text in the place of a translated one: %s', async (_, Shown, name) => {
  const { container, rerender } = render(Shown as typeof Marked, { [name]: TEXTS[0] });
  for (const text of TEXTS) {
    await rerender({ [name]: text });
    const fresh = render(Shown as typeof Marked, { [name]: text });
    expect(textOf(container)).toBe(textOf(fresh.container));
    fresh.unmount();
    translate(container);
  }
});

it('QU9: names are not translated, and what was submitted may be', () => {
  const { container } = render(Marked, { value: 'Ana', name: true });
  expect(container.querySelector('span')?.getAttribute('translate')).toBe('no');
  const { container: other } = render(Marked, { value: 'An answer' });
  expect(other.querySelector('span')?.getAttribute('translate')).toBe('yes');
});
