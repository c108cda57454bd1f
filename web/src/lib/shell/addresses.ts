// What addresses mean: which page one belongs to, and where to go after signing in.

/** True when the address belongs to the page: itself or something below it. */
export const isUnder = (pathname: string, path: string): boolean =>
  pathname === path || pathname.startsWith(`${path}/`);

/** A path that begins with one slash and that no browser reads otherwise than it is written: no `//`, no backslash, no control character. */
const PATH = /^\/(?!\/)[^\\\p{Cc}]*$/u;

/** Where to go after signing in: a path of this site that was asked for, the projects otherwise. */
export function wantedPath(next: string | null, origin: string): string {
  if (next === null || !PATH.test(next)) return '/projects';
  const url = URL.canParse(next, origin) ? new URL(next, origin) : null;
  if (url === null || url.origin !== origin || /^\/(?:\/|$)/.test(url.pathname)) return '/projects';
  return url.pathname + url.search + url.hash;
}

/** True when an address belongs to an origin. An address that is none belongs to nobody. */
export const isAt = (address: string, origin: string): boolean =>
  URL.canParse(address) && new URL(address).origin === origin;

/** The query of an address with one member set, or taken out (null), and the others as they were: `?project=…&range=week`. */
export function withQuery(search: string, name: string, value: string | null): `?${string}` {
  const query = new URLSearchParams(search);
  if (value === null) query.delete(name);
  else query.set(name, value);
  return `?${query}`;
}
