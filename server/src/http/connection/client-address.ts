// Determines the client address of a request or socket: as the trusted proxies report it, or of the connection.
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

/**
 * The client of a request behind this many trusted proxies (TRUSTED_PROXY_HOPS, A11): the entry at that position from
 * the right of `X-Forwarded-For`; if that is not an address, the address of the connection.
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

/** The key under which an address is counted: itself, or its /64 for IPv6, because one customer owns the whole /64. */
export function countedAs(text: string | undefined): string {
  if (text === undefined || !ipaddr.isValid(text)) return 'unknown';
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
