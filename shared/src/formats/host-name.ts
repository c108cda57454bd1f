// Host names as settings store them: lower case, IDN as punycode, without a port, and no IP addresses (ST4).

/** A name of at least two labels whose last one is not a number: that would be an IPv4 address. */
const HOST_NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Whether a text is a host name in the spelling that URLs have it in. */
export const isHostName = (text: string): boolean =>
  text.length <= 253 && HOST_NAME.test(text) && URL.parse(`https://${text}/`)?.hostname === text;

/** The host name that somebody typed or pasted, also as part of a URL; the text itself where there is none. */
export function hostNameOf(typed: string): string {
  const text = typed.trim();
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  return url !== null && isHostName(url.hostname) && url.port === '' ? url.hostname : text;
}
