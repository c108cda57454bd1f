// A URL whose path is a secret, as it is shown: enough to tell it from others, and too little to use it.
const SHOWN = 4;
/** A shorter path is hidden completely. */
const SHORTEST = 12;

/** Its origin, and the last four characters of a long path: `https://hooks.slack.com/…9fQx`. */
export function maskedUrl(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return '…';
  const path = url.slice(url.indexOf(parsed.host) + parsed.host.length);
  return `${parsed.protocol}//${parsed.host}/…${path.length < SHORTEST ? '' : path.slice(-SHOWN)}`;
}
