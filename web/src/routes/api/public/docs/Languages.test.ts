// @vitest-environment happy-dom
// “In your language” as tabs: keys choose, the choice is remembered and shared, and each box copies what it shows.
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LanguageChoice, languageChoice } from './document/language-choice.svelte.ts';
import { LANGUAGES } from './document/languages.ts';
import { TOOL_CALL_SAMPLES } from './document/samples.ts';
import Languages from './Languages.svelte';
import Samples from './Samples.svelte';

const copied = vi.fn<(text: string) => Promise<void>>(() => Promise.resolve());

beforeEach(() => {
  localStorage.clear();
  location.hash = '';
  languageChoice.choose('curl');
  vi.stubGlobal('navigator', { clipboard: { writeText: copied } });
});
afterEach(() => {
  cleanup();
  copied.mockClear();
  vi.unstubAllGlobals();
});

/** With all panels: the hidden ones come after the visible one. */
async function open() {
  const { container } = render(Languages, { baseUrl: 'http://here.test', projectId: '', onchoose: undefined });
  await vi.waitFor(() => expect(container.querySelectorAll('pre')).toHaveLength(4 * LANGUAGES.length));
  return container;
}
const tab = (name: string) => screen.getByRole('tab', { name });
const selected = () => screen.getByRole('tab', { selected: true });
const shown = () => screen.getByRole('tabpanel');

it('names the panel of each tab, and has the code of all in the page', async () => {
  const container = await open();
  const panels = [...container.querySelectorAll('[role=tabpanel]')];
  expect(
    panels.map((panel) => document.getElementById(panel.getAttribute('aria-labelledby') ?? '')?.textContent.trim()),
  ).toEqual(LANGUAGES.map(({ name }) => name));
  for (const { id } of LANGUAGES) {
    expect(document.getElementById(id)?.getAttribute('aria-controls')).toBe(`${id}-panel`);
  }
  const boxes = [...container.querySelectorAll('pre')].map((box) => box.textContent.trim());
  expect(boxes).not.toContain('');
  expect(panels.filter((panel) => !panel.hasAttribute('hidden'))).toHaveLength(1);
});

it.each([
  ['ArrowRight', 'TypeScript'],
  ['ArrowLeft', 'MCP'],
  ['End', 'MCP'],
])('chooses and focuses another tab on %s, around both ends', async (key, name) => {
  await open();
  await fireEvent.keyDown(tab('curl'), { key });
  expect(selected()).toBe(tab(name));
  expect(document.activeElement).toBe(tab(name));
  expect(shown().id).toBe(selected().getAttribute('aria-controls'));
  expect(screen.getAllByRole('tab').filter((one) => one.tabIndex === 0)).toEqual([tab(name)]);
  await fireEvent.keyDown(tab(name), { key: 'Home' });
  expect(selected()).toBe(tab('curl'));
});

it('leaves keys with Ctrl, Alt and Meta to the browser', async () => {
  await open();
  for (const modifier of ['ctrlKey', 'altKey', 'metaKey']) {
    await fireEvent.keyDown(tab('curl'), { key: 'ArrowRight', [modifier]: true });
  }
  expect(selected()).toBe(tab('curl'));
});

it('copies exactly what each box shows', async () => {
  const container = await open();
  for (const { name } of LANGUAGES) {
    await fireEvent.click(tab(name));
    const panel = shown();
    const texts = [...panel.querySelectorAll('pre')].map((box) => box.textContent);
    for (const button of panel.querySelectorAll('button')) await fireEvent.click(button);
    expect(copied.mock.calls.map(([text]) => text)).toEqual(texts);
    copied.mockClear();
  }
  expect(container.textContent).toContain('http://here.test/api/public/mcp');
});

it('remembers the choice across visits', async () => {
  await open();
  await fireEvent.click(tab('Pydantic AI'));
  expect(new LanguageChoice().id).toBe('pydantic-ai');
  localStorage.setItem('countersign.docs-language', 'cobol');
  expect(new LanguageChoice().id).toBe('curl');
});

it('renders the program of the visible panel at once and the rest after it', () => {
  const { container } = render(Languages, { baseUrl: 'http://here.test', projectId: '', onchoose: undefined });
  expect(container.querySelectorAll('pre')).toHaveLength(1);
  expect(shown().querySelectorAll('pre')).toHaveLength(1);
});

it('chooses the language of the address, at first and when it changes', async () => {
  location.hash = '#python';
  await open();
  expect(selected()).toBe(tab('Python'));
  location.hash = '#langgraph';
  window.dispatchEvent(new Event('hashchange'));
  await tick();
  expect(selected()).toBe(tab('LangGraph'));
  location.hash = '#listEvents';
  window.dispatchEvent(new Event('hashchange'));
  await tick();
  expect(selected()).toBe(tab('LangGraph'));
});

it('shares the choice with the other boxes of the page', async () => {
  await open();
  render(Samples, { samples: TOOL_CALL_SAMPLES, label: 'program' });
  const box = (name: string) => screen.getByRole<HTMLInputElement>('radio', { name });
  await fireEvent.click(tab('LangGraph'));
  expect(box('Python').checked).toBe(true);
  // A framework of Python stays chosen.
  await fireEvent.click(box('Python'));
  expect(selected()).toBe(tab('LangGraph'));
  await fireEvent.click(box('TypeScript'));
  expect(selected()).toBe(tab('TypeScript'));
  await fireEvent.click(tab('MCP'));
  expect(box('curl').checked).toBe(true);
});

it('keeps a choice that only one box has in that box', async () => {
  await open();
  const samples = [...TOOL_CALL_SAMPLES, { language: 'openssl', code: 'openssl dgst' }] as const;
  const { container } = render(Samples, { samples: [samples[0], ...samples.slice(1)], label: 'program' });
  await fireEvent.click(screen.getByRole('radio', { name: 'openssl' }));
  expect(container.querySelector('pre')?.textContent).toBe('openssl dgst');
  expect(selected()).toBe(tab('curl'));
});
