// The SSRF guard of outbound webhooks: which URLs may be saved, and which addresses connected to (W1 to W3, W7).
import { isIP } from 'node:net';
import { BoundedCache } from '@countersign/shared/bounded-cache';
import { trimEnd } from '@countersign/shared/trim-end';
import ipaddr from 'ipaddr.js';
import { embeddedV4, isIn, parse, type Range, ranges } from './addresses.ts';
import { type Lookup, LOOKUP_MS, systemNames } from './names.ts';
import type { OwnEndpoints } from './own-endpoints.ts';

/**
 * The operator's exceptions. `allowCidrs` allows address ranges (never a metadata service), `allowHttp` allows `http:`
 * for every target.
 */
export interface GuardPolicy {
  allowCidrs: readonly string[];
  allowHttp: boolean;
  /** The HTTP proxy for all webhooks (W5), with its password if any; none when absent or null. */
  proxyUrl?: string | null;
  /** The service's own endpoints, refused regardless of the allowed ranges (W7). */
  own?: OwnEndpoints;
}

export interface TargetAddress {
  address: string;
  family: 4 | 6;
}

export type UrlVerdict =
  | { ok: true; url: URL }
  | { ok: false; code: 'invalid_url' | 'blocked_address'; advice: string };

/** The target is not allowed, or its name does not resolve. */
export class Blocked extends Error {
  override readonly name = 'Blocked';
  readonly code: 'blocked_address' | 'dns_error';
  constructor(code: Blocked['code'], options?: ErrorOptions) {
    super(code, options);
    this.code = code;
  }
}

const URL_LENGTH = 2_048;

/**
 * W3. Outside 2000::/3 all IPv6 is refused: that covers ::, ::1, ::ffff:0:0/96, 64:ff9b::/32, fc00::/7, fe80::/10,
 * ff00::/8 and more.
 */
const GLOBAL = ranges('0.0.0.0/0', '2000::/3');
const REFUSED = ranges(
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
);
const MAPPED = ranges('::ffff:0:0/96');

/**
 * Metadata services that return a machine's credentials: AWS (with ECS and EKS), Azure, Alibaba, Google. No exception
 * allows these.
 */
const METADATA = ranges(
  ...['169.254.169.254/32', '169.254.170.2/32', '169.254.170.23/32', '168.63.129.16/32', '100.100.100.200/32'],
  ...['fd00:ec2::254/128', 'fd00:ec2::23/128', 'fd20:ce::254/128'],
);

/**
 * null when the URL may be saved, otherwise one sentence that says what to change (W1, W2). A name that does not resolve
 * now is accepted, because it is resolved again for every send. Takes up to 3 s.
 */
export async function refuseTarget(url: string, policy: GuardPolicy, lookup?: Lookup): Promise<string | null> {
  const verdict = examineUrl(url, policy);
  if (!verdict.ok) return verdict.advice;
  try {
    await resolveTarget(verdict.url, policy, lookup);
    return null;
  } catch (error) {
    if (!(error instanceof Blocked)) throw error;
    return error.code === 'dns_error' ? null : privateTargetAdvice(hostOf(verdict.url));
  }
}

/**
 * The parsed URL, its host without a trailing dot, or the code of the refusal and what to change (W1). Names are not
 * resolved here.
 */
export function examineUrl(text: string, policy: GuardPolicy): UrlVerdict {
  const url = text.length > URL_LENGTH ? null : URL.parse(text);
  // Without its trailing dot a host may turn out to be a literal (`0x7f.1..`): the parser sees it again before it is
  // checked.
  if (url !== null && isIP(hostOf(url)) === 0) url.hostname = hostOf(url);
  const fault = urlFaults(text, url, policy).find(([applies]) => applies)?.[1];
  if (url === null || fault !== undefined) return { ok: false, code: 'invalid_url', advice: fault ?? NOT_A_URL };
  const isOwn = policy.own?.isNamed(hostOf(url), portOf(url)) === true;
  return isOwn || isRefusedHost(hostOf(url), policy)
    ? { ok: false, code: 'blocked_address', advice: isOwn ? OWN_HOST : PRIVATE_HOST }
    : { ok: true, url };
}

const PRIVATE_HOST = 'Use a public host: this one is a private, local or reserved address.';
const OWN_HOST = 'Use another host or port: this one belongs to Countersign itself.';
/** The address itself is not shown: it would reveal how names resolve inside our network. */
const privateTargetAdvice = (host: string) =>
  `Use a public host: ${host} resolves to a private, local or reserved address.`;
const NOT_A_URL = 'Write a full URL, such as https://example.com/hooks.';

function urlFaults(text: string, url: URL | null, policy: GuardPolicy): [boolean, string][] {
  const plain = policy.allowHttp || (url !== null && isException(hostOf(url), policy));
  const schemes = plain ? ['https:', 'http:'] : ['https:'];
  return [
    [text.length > URL_LENGTH, `Shorten the URL to ${URL_LENGTH} characters or fewer.`],
    [/[\s\\\p{Cc}]/u.test(text), 'Remove spaces, line breaks and backslashes from the URL.'],
    [url === null || hostOf(url) === '', NOT_A_URL],
    [
      url !== null && !schemes.includes(url.protocol),
      `Start the URL with ${plain ? 'https:// or http://' : 'https://'}.`,
    ],
    [url !== null && (url.username !== '' || url.password !== ''), 'Remove the user name and password from the URL.'],
    [url?.href.includes('#') === true, 'Remove the fragment (# and what follows) from the URL.'],
    [url !== null && !isAllowedPort(url.port), 'Use port 443, 80, or one from 1024 up.'],
  ];
}

/** The port to connect to. */
const portOf = (url: URL): number => Number(url.port) || (url.protocol === 'http:' ? 80 : 443);

function isAllowedPort(port: string): boolean {
  return port === '' || port === '443' || port === '80' || Number(port) >= 1_024;
}

/** The host to resolve: lower case (from the URL parser), without brackets or trailing dots. */
const hostOf = (url: URL): string => trimEnd(url.hostname.replace(/^\[|\]$/g, ''), '.');

/** Whether an exception covers this host: plain HTTP is then as safe as the network that the operator named. */
function isException(host: string, policy: GuardPolicy): boolean {
  return isRefusedHost(host, { ...policy, allowCidrs: NO_EXCEPTIONS }) && !isRefusedHost(host, policy);
}

/** One array for all calls: verdicts are stored by the array of exceptions. */
const NO_EXCEPTIONS: readonly string[] = [];

function isRefusedHost(host: string, policy: GuardPolicy): boolean {
  if (isIP(host) !== 0) return !isPublicAddress(host, policy);
  if (host !== 'localhost' && !host.endsWith('.localhost')) return false;
  return !isPublicAddress('127.0.0.1', policy) && !isPublicAddress('::1', policy);
}

/**
 * The only addresses that may be connected to (W2): the literal itself, or all addresses of the name. Throws `Blocked`
 * with `blocked_address` when any of them is refused, with `dns_error` when it does not resolve within 3 s.
 */
export async function resolveTarget(
  url: URL,
  policy: GuardPolicy,
  lookup: Lookup = systemNames,
): Promise<{ addresses: TargetAddress[] }> {
  const host = hostOf(url);
  const found = isIP(host) === 0 ? await answerInTime(lookup, host) : [{ address: host }];
  if (found.length === 0) throw new Blocked('dns_error');
  await policy.own?.refresh();
  const mayReach = (address: string) => mayConnect({ address, port: portOf(url) }, policy);
  if (!found.every(({ address }) => mayReach(address))) throw new Blocked('blocked_address');
  return { addresses: found.map(({ address }) => ({ address, family: isIP(address) === 4 ? 4 : 6 })) };
}

async function answerInTime(lookup: Lookup, host: string): Promise<readonly { address: string }[]> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`No answer within ${LOOKUP_MS} ms`)), LOOKUP_MS);
  try {
    return await Promise.race([lookup(host), tooLate]);
  } catch (cause) {
    throw new Blocked('dns_error', { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** Whether a webhook may connect there: to a public or allowed address (W3) that is not one of our own (W7). */
export function mayConnect({ address, port }: { address: string; port: number }, policy: GuardPolicy): boolean {
  return isPublicAddress(address, policy) && policy.own?.isReached(address, port) !== true;
}

/**
 * Whether a webhook may connect to this address in canonical spelling (W3). Anything that is not a single address is
 * refused.
 */
export function isPublicAddress(address: string, { allowCidrs }: GuardPolicy): boolean {
  return verdictsOf(allowCidrs).get(address, () => judgeAddress(address, exceptionsOf(allowCidrs)));
}

/** Judging an address takes longer than signing, and most attempts go to addresses of earlier attempts. */
const verdictsByExceptions = new WeakMap<readonly string[], BoundedCache<boolean>>();
const MOST_VERDICTS = 1_000;

function verdictsOf(allowCidrs: readonly string[]): BoundedCache<boolean> {
  const known = verdictsByExceptions.get(allowCidrs) ?? new BoundedCache<boolean>(MOST_VERDICTS);
  verdictsByExceptions.set(allowCidrs, known);
  return known;
}

function judgeAddress(address: string, exceptions: Range[]): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = parse(address);
  if (isIn(parsed, METADATA) || isIn(embeddedV4(parsed), METADATA)) return false;
  // A mapped address is the same destination: an exception for 127.0.0.0/8 also covers ::ffff:127.0.0.1.
  if (isIn(parsed, exceptions) || (isIn(parsed, MAPPED) && isIn(embeddedV4(parsed), exceptions))) return true;
  return isIn(parsed, GLOBAL) && !isIn(parsed, REFUSED);
}

/** Parsed once: the exceptions are the same for every webhook of this process. */
const readExceptions = new WeakMap<readonly string[], Range[]>();

function exceptionsOf(allowCidrs: readonly string[]): Range[] {
  const known = readExceptions.get(allowCidrs) ?? ranges(...allowCidrs.filter((cidr) => ipaddr.isValidCIDR(cidr)));
  readExceptions.set(allowCidrs, known);
  return known;
}
