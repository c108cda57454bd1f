// Parses IP addresses: their range, and the IPv4 address that an IPv6 one embeds.
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Range = [Address, number];

export function ranges(...cidrs: string[]): Range[] {
  return cidrs.map((cidr) => ipaddr.parseCIDR(cidr));
}

export function isIn(address: Address, list: readonly Range[]): boolean {
  return list.some((range) => address.kind() === range[0].kind() && address.match(range));
}

/**
 * Uses the URL parser, because ipaddr.js reads `::127.0.0.1` as `::ffff:127.0.0.1`, which is another address. A zone
 * names the interface for an address, and is not part of it.
 */
export function parse(text: string): Address {
  const address = text.replace(/%.*$/, '');
  return ipaddr.parse(isIP(address) === 6 ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address);
}

const SIX_TO_FOUR = ranges('2002::/16');

/**
 * The IPv4 address that a translator may extract from an IPv6 one: that of 6to4, otherwise the last four bytes (mapped,
 * NAT64, …).
 */
export function embeddedV4(address: Address): Address {
  const bytes = address.toByteArray();
  return new ipaddr.IPv4(isIn(address, SIX_TO_FOUR) ? bytes.slice(2, 6) : bytes.slice(-4));
}
