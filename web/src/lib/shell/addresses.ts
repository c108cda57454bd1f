// Interprets URLs: which page one belongs to, and where to go after signing in.

/** True when the URL belongs to the page: the page itself or a path below it. */
export const isUnder = (pathname: string, path: string): boolean =>
  pathname === path || pathname.startsWith(`${path}/`);

/** A path that begins with one slash and that every browser reads as written: no `//`, no backslash, no control character. */
const PATH = /^\/(?!\/)[^\\\p{Cc}]*$/u;

/** Where to go after signing in: the requested path of this site, otherwise the projects. */
export function wantedPath(next: string | null, origin: string): string {
  if (next === null || !PATH.test(next)) return '/projects';
  const url = URL.canParse(next, origin) ? new URL(next, origin) : null;
  if (url === null || url.origin !== origin || /^\/(?:\/|$)/.test(url.pathname)) return '/projects';
  return url.pathname + url.search + url.hash;
}

/** True when a URL belongs to an origin. An invalid URL belongs to none. */
export const isAt = (address: string, origin: string): boolean =>
  URL.canParse(address) && new URL(address).origin === origin;

/** The query of a URL with one member set, or removed (null), and the others unchanged: `?project=…&range=week`. */
export function withQuery(search: string, name: string, value: string | null): `?${string}` {
  const query = new URLSearchParams(search);
  if (value === null) query.delete(name);
  else query.set(name, value);
  return `?${query}`;
}
