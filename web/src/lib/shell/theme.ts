// Light, dark, or the system's theme. The script in app.html sets the first paint; this module applies later changes.

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'countersign.theme';

/** The user's choice; the system's when they made none or storage is forbidden. */
export function readTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY);
    return THEMES.find((theme) => theme === stored) ?? 'system';
  } catch {
    return 'system';
  }
}

/** Saves a choice and applies it at once. */
export function chooseTheme(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Storage may be forbidden; the choice then lasts until the page is left.
  }
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
