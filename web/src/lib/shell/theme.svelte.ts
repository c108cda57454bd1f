// Light, dark, or the system's theme. The script in app.html sets the first paint; this module applies later changes.

import { oneOf, persisted } from '../storage/persisted.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const stored = persisted('countersign.theme', oneOf(THEMES));

class ThemeChoice {
  #now: Theme = $state(stored.read());

  /** The user's choice; the system's when they made none. */
  get now(): Theme {
    return this.#now;
  }

  /** Saves a choice and applies it at once. Where storage is forbidden it lasts until the page is left. */
  choose(theme: Theme): void {
    stored.write(theme);
    this.#apply(theme);
  }

  /** Follows choices of other tabs, and the system while the choice is `system`; returns the function that stops it. */
  follow(): () => void {
    const query = matchMedia('(prefers-color-scheme: dark)');
    const onChange = () => this.#apply(this.#now);
    query.addEventListener('change', onChange);
    const stopTabs = stored.follow((theme) => this.#apply(theme));
    return () => {
      query.removeEventListener('change', onChange);
      stopTabs();
    };
  }

  #apply(theme: Theme): void {
    this.#now = theme;
    const dark = theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  }
}

export const themeChoice = new ThemeChoice();
