// Marks the tab's icon and the app's badge with the number of items that wait for the user (NO8).

const PLAIN = 'favicon.svg';
const MARKED = 'favicon-waiting.svg';

/** Shows that this many items wait; 0 removes the marks. Browsers without a badge show the icon alone. */
export function markTab(number: number): void {
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const href = icon?.getAttribute('href')?.replace(/favicon(-waiting)?\.svg$/, number > 0 ? MARKED : PLAIN);
  if (icon && href !== undefined && href !== icon.getAttribute('href')) icon.setAttribute('href', href);
  if (!('setAppBadge' in navigator)) return;
  // Without a number the badge is a dot. Only installed apps have one: elsewhere the browser may refuse.
  const done =
    number === 0 ? navigator.clearAppBadge() : navigator.setAppBadge(Number.isFinite(number) ? number : undefined);
  void done.catch(() => undefined);
}
