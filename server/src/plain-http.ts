// Whether browsers refuse to keep a session at an address, because it is neither https nor this machine.

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/** What is said at the start and in the log of an address at which nobody can sign in (S15). */
export const PLAIN_HTTP =
  'PUBLIC_BASE_URL is neither https nor localhost: browsers keep no session there and wallets refuse to sign, so nobody can sign in';

/** True for `http://` with any host but localhost and the loopback addresses. */
export function isPlainHttp(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && !LOOPBACK.test(hostname);
}
