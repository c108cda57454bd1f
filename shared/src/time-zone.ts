// Validates time zone names, on the server and in the browser.

/** An IANA name that this runtime knows; `Etc/GMT+3` and the like are names too, offsets such as `+03:00` are not. */
export function isTimeZone(name: string): boolean {
  try {
    return /^[A-Z]/i.test(name) && name.length <= 64 && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}
