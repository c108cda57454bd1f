// Whom a request counts as: the address that the trusted proxies name, or the connection's own. HTTP and sockets ask by it.
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

/**
 * The client of a request behind so many trusted proxies (TRUSTED_PROXY_HOPS, A11): as many from the right of `X-Forwarded-For`;
 * where that is no address, the connection's own counts.
 */
export function clientOfRequest(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  hops: number,
): string {
  const named =
    hops > 0
      ? String(headers['x-forwarded-for'] ?? '')
          .split(',')
          .slice(-hops)[0]
          ?.trim()
      : undefined;
  return countedAs(named !== undefined && ipaddr.isValid(named) ? named : socket.remoteAddress);
}

/** An address as it is counted: itself, an IPv6 one as its /64, because whoever has one has them all. */
export function countedAs(text: string | undefined): string {
  if (text === undefined || !ipaddr.isValid(text)) return 'unknown';
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
