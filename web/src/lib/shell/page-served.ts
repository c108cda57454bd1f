// Loads the page again, once the service can serve it: until then the open page is better than an error of the browser.

/** Whether the service can serve this page now. */
export const isPageServed = (): Promise<boolean> =>
  fetch(location.href, { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );

/** Loads the page again. Returns false and does nothing when the service cannot serve it. */
export async function reloadIfServed(): Promise<boolean> {
  const served = await isPageServed();
  if (served) location.reload();
  return served;
}
