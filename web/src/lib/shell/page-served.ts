// Says whether the page may be loaded again, and loads it again once the service can serve it.

/** Whether the service can serve this page now. */
export const isPageServed = (): Promise<boolean> =>
  fetch(location.href, { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );

/** Dialogs, and elements that say that a reload would lose something. */
const BLOCKERS = 'dialog[open], [role=dialog], [role=alertdialog], [data-blocks-reload]';

/** Whether a reload would lose something. Dialogs that contain an element of the selector `except` do not count. */
export const isReloadBlocked = (except?: string): boolean =>
  [...document.querySelectorAll(BLOCKERS)].some(
    (blocker) => except === undefined || blocker.querySelector(except) === null,
  );

/** Loads the page again. Returns false and does nothing when the service cannot serve it. */
export async function reloadIfServed(): Promise<boolean> {
  const served = await isPageServed();
  if (served) location.reload();
  return served;
}
