// Light, dark, or the system's theme. The script in app.html sets the first paint; this module applies later changes.

import { oneOf, persisted } from '../storage/persisted.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const stored = persisted('countersign.theme', oneOf(THEMES));

/** The user's choice; the system's when they made none or storage is forbidden. */
export const readTheme = (): Theme => stored.read();

/** Saves a choice and applies it at once. Where storage is forbidden it lasts until the page is left. */
export function chooseTheme(theme: Theme): void {
  stored.write(theme);
  apply(theme);
}

/** Follows the system while the choice is `system`; returns the function that stops it. */
export function followSystem(): () => void {
  const query = matchMedia('(prefers-color-scheme: dark)');
  const onChange = () => apply(readTheme());
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}

function apply(theme: Theme): void {
  const dark = theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
}
