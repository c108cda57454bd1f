// The addresses and ports of the service, its metrics, database and lock store, which no webhook may reach (W7).
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { trimEnd } from '@countersign/shared/trim-end';
import { type Address, embeddedV4, isIn, parse, ranges } from './addresses.ts';

export interface OwnEndpoint {
  /** A name or an address, without brackets. */
  host: string;
  port: number;
  /**
   * The public address of the service. An internet address may be shared with others behind the same load balancer, and
   * anyone can send there: it is refused by its name only.
   */
  isFront?: boolean;
}

export interface OwnEndpoints {
  /** Adds an endpoint that became known, such as the port that a server got. */
  add(endpoint: OwnEndpoint): void;
  /** Whether a URL names one of them, however the name resolves here. */
  isNamed(host: string, port: number): boolean;
  /** Whether a connection to this address reaches one of them, as far as their names were resolved. */
  isReached(address: string, port: number): boolean;
  /**
   * Resolves their names, unless that was done within ten seconds. Takes up to 3 s and never fails: names that do not
   * resolve keep their addresses.
   */
  refresh(): Promise<void>;
}

export interface NetworkEnvironment {
  lookup: (host: string) => Promise<readonly { address: string }[]>;
  /** The addresses of this machine. */
  interfaces: () => string[];
  /** The known other processes of the same service. */
  peers: () => Promise<readonly OwnEndpoint[]>;
  /** In milliseconds, from any origin. */
  now: () => number;
}

const SYSTEM: NetworkEnvironment = {
  lookup: (host) => systemLookup(host, { all: true }),
  interfaces: () => Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address)),
  peers: () => Promise.resolve([]),
  now: () => performance.now(),
};

const FRESH_MS = 10_000;
const LOOKUP_MS = 3_000;

/** Addresses that reach this machine besides those of its interfaces: 0.0.0.0 and :: do on most systems. */
const THIS_MACHINE = ranges('0.0.0.0/8', '127.0.0.0/8', '::/128', '::1/128');
const INTERNET_V6 = ranges('2000::/3');
const PRIVATE = ranges(
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'],
);
const SIX_TO_FOUR = ranges('2002::/16');

type Given = Partial<NetworkEnvironment>;

/** One for a process. `endpoints` are those that the configuration names. */
export function createOwnEndpoints(endpoints: readonly OwnEndpoint[], given: Given = {}): OwnEndpoints {
  const environment = { ...SYSTEM, ...given };
  const known = endpoints.map(withPlainHost);
  const answers = new Map<string, string[]>();
  let peers: readonly OwnEndpoint[] = [];
  let addressKeys = new Set<string>();
  let mine = new Set<string>();
  let askedAt = -Infinity;
  let underWay: Promise<void> | null = null;

  const rebuild = () => {
    mine = new Set(environment.interfaces().flatMap((text) => (isIP(text) === 0 ? [] : [parse(text).toString()])));
    addressKeys = new Set([...known, ...peers].flatMap((endpoint) => addressKeysOf(endpoint, { answers, mine })));
  };
  const ask = async () => {
    const hosts = new Set(known.map(({ host }) => host).filter((host) => isIP(host) === 0));
    const [found, others] = await Promise.all([answersOf(hosts, environment), inTime(environment.peers())]);
    peers = others?.map(withPlainHost) ?? peers;
    for (const [host, addresses] of found) answers.set(host, addresses);
    askedAt = environment.now();
    rebuild();
  };
  rebuild();
  return {
    add: (endpoint) => {
      known.push(withPlainHost(endpoint));
      askedAt = -Infinity;
      rebuild();
    },
    isNamed: (host, port) => known.some((own) => own.host === plainHost(host) && isSamePort(own, port)),
    isReached: (address, port) => spellingsOf(address).some((each) => addressKeys.has(addressKey(each, port, mine))),
    refresh: () => {
      if (environment.now() - askedAt < FRESH_MS) return Promise.resolve();
      underWay ??= ask().finally(() => (underWay = null));
      return underWay;
    },
  };
}

/** The addresses of the names that resolve now. */
async function answersOf(hosts: Iterable<string>, { lookup }: NetworkEnvironment): Promise<[string, string[]][]> {
  const asked = [...hosts].map(async (host): Promise<[string, string[]][]> => {
    const found = (await inTime(lookup(host))) ?? [];
    return found.length === 0 ? [] : [[host, found.map(({ address }) => address)]];
  });
  return (await Promise.all(asked)).flat();
}

const plainHost = (host: string): string => trimEnd(host.toLowerCase(), '.').replace(/^\[|\]$/g, '');
const withPlainHost = (endpoint: OwnEndpoint): OwnEndpoint => ({ ...endpoint, host: plainHost(endpoint.host) });

/** A proxy on one of the two web ports usually listens on the other one too. */
const isSamePort = ({ port, isFront = false }: OwnEndpoint, other: number): boolean =>
  port === other || (isFront && isOfTheWeb(port) && isOfTheWeb(other));
const isOfTheWeb = (port: number): boolean => port === 80 || port === 443;

function addressKeysOf(
  { host, port, isFront = false }: OwnEndpoint,
  { answers, mine }: { answers: ReadonlyMap<string, string[]>; mine: ReadonlySet<string> },
): string[] {
  const addresses = isIP(host) === 0 ? (answers.get(host) ?? (isLocalName(host) ? ['127.0.0.1'] : [])) : [host];
  const ports = isFront && isOfTheWeb(port) ? [80, 443] : [port];
  return addresses
    .filter((address) => isIP(address) !== 0)
    .flatMap((address) => spellingsOf(address))
    .filter((address) => !isFront || isPrivate(address, mine))
    .flatMap((address) => ports.map((each) => addressKey(address, each, mine)));
}

const isLocalName = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost');

/**
 * All addresses of this machine count as one: the address that a process listens on says little about which of them
 * reach it.
 */
function addressKey(address: Address, port: number, mine: ReadonlySet<string>): string {
  return `${isLocal(address, mine) ? 'here' : address.toString()} ${port}`;
}

const isLocal = (address: Address, mine: ReadonlySet<string>): boolean =>
  isIn(address, THIS_MACHINE) || mine.has(address.toString());

function isPrivate(address: Address, mine: ReadonlySet<string>): boolean {
  if (isLocal(address, mine)) return true;
  return address.kind() === 'ipv4' ? isIn(address, PRIVATE) : !isIn(address, INTERNET_V6);
}

/** The address, and the IPv4 one that it represents if it is mapped or translated. */
function spellingsOf(text: string): Address[] {
  if (isIP(text) === 0) return [];
  const address = parse(text);
  if (address.kind() === 'ipv4') return [address];
  const isTranslated = !isIn(address, INTERNET_V6) || isIn(address, SIX_TO_FOUR);
  return isTranslated ? [address, embeddedV4(address)] : [address];
}

/** null when the lookup fails or takes too long. */
async function inTime<T>(asked: Promise<T>): Promise<T | null> {
  const { promise: tooLate, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), LOOKUP_MS);
  return Promise.race([asked.catch(() => null), tooLate]).finally(() => clearTimeout(timer));
}
