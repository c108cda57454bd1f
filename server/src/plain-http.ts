// Whether browsers refuse a session at a URL because it is neither https nor localhost.

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/** The warning at start and in the log for a URL at which nobody can sign in (S15). */
export const PLAIN_HTTP =
  'PUBLIC_BASE_URL is neither https nor localhost: browsers keep no session there and wallets refuse to sign, so nobody can sign in';

/** True for `http://` with any host but localhost and the loopback addresses. */
export function isPlainHttp(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && !LOOPBACK.test(hostname);
}
