// @vitest-environment happy-dom
// Tests that the theme button, the palette, other tabs and the system agree on the theme.
import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import ThemeSwitch from '../components/ThemeSwitch.svelte';
import { THEMES, themeChoice } from './theme.svelte.ts';

const system = Object.assign(new EventTarget(), { matches: false });
const painted = () => document.documentElement.dataset.theme;
const button = (name: string) => screen.findByRole('button', { name });
const setSystem = (matches: boolean) => {
  system.matches = matches;
  system.dispatchEvent(new Event('change'));
};

let stop: () => void;
beforeEach(() => {
  vi.stubGlobal('matchMedia', () => system);
  system.matches = false;
  localStorage.clear();
  themeChoice.choose('system');
  stop = themeChoice.follow();
});
afterEach(() => {
  stop();
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('states the theme that was chosen elsewhere on the page, and goes on from there', async () => {
  render(ThemeSwitch);
  await button('Theme: system');
  themeChoice.choose('dark');
  (await button('Theme: dark')).click();
  await button('Theme: system');
  expect([localStorage.getItem('countersign.theme'), painted()]).toEqual(['system', 'light']);
});

it.each(THEMES)('takes %s from another tab', async (theme) => {
  render(ThemeSwitch);
  themeChoice.choose(theme === 'light' ? 'dark' : 'light');
  localStorage.setItem('countersign.theme', theme);
  window.dispatchEvent(new StorageEvent('storage', { key: 'countersign.theme' }));
  await button(`Theme: ${theme}`);
  expect(painted()).toBe(theme === 'dark' ? 'dark' : 'light');
});

it('follows the system only while that is the choice, also where storage is forbidden', () => {
  vi.stubGlobal('localStorage', undefined);
  setSystem(true);
  expect(painted()).toBe('dark');
  themeChoice.choose('light');
  setSystem(false);
  setSystem(true);
  expect(painted()).toBe('light');
});
