// Resolves the names of receivers. The owner of a name decides how long its answer takes: it may hold up no other.
import { lookup as systemLookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';

/** Every address of a name, as returned by `dns.lookup` with `all`. */
export type Lookup = (hostname: string) => Promise<readonly { address: string; family: number }[]>;

/** Where a name is looked up. Each throws where it finds nothing. */
export interface NameSources {
  /** DNS, without a thread: any number of questions may wait for their answers. */
  dns: Lookup;
  /**
   * The resolver of the system. It also knows search domains and names from elsewhere, and a question holds one of the two
   * threads that all questions share until it is answered.
   */
  system: Lookup;
  /** The text of the hosts file. */
  hosts: () => Promise<string>;
}

/** Questions to the system's resolver that may wait for the one that is being answered. */
const MOST_WAITING = 64;
/** Errors of DNS after which the system would wait for the same answer. */
const UNANSWERED = new Set(['ETIMEOUT', 'ESERVFAIL', 'ECANCELLED']);

/**
 * A lookup that asks DNS first. Only the system knows names without a dot and those of the hosts file, which it answers by
 * itself or the operator's own network does. Names that do not exist in DNS may also be the operator's (search domains):
 * those wait for each other, so that a stranger's names take one of the system's threads at most.
 */
export function createLookup({ dns, system, hosts }: NameSources): Lookup {
  const oneByOne = queued(system);
  return async (name) => {
    if (!name.includes('.') || name.endsWith('.localhost') || isInHosts(await hosts(), name)) return system(name);
    try {
      return await dns(name);
    } catch (error) {
      if (UNANSWERED.has(String((error as { code?: unknown }).code))) throw error;
      return oneByOne(name);
    }
  };
}

/** One question after another; the same one is asked once. */
function queued(lookup: Lookup): Lookup {
  const waiting = new Map<string, ReturnType<Lookup>>();
  let last: Promise<unknown> = Promise.resolve();
  return (name) => {
    const known = waiting.get(name);
    if (known) return known;
    if (waiting.size > MOST_WAITING) return Promise.reject(new Error('Too many other names are being resolved.'));
    const answer = last.then(() => lookup(name)).finally(() => waiting.delete(name));
    waiting.set(name, answer);
    last = answer.catch(() => undefined);
    return answer;
  };
}

/** Whether a line of the hosts file (an address and its names, up to a `#`) has the name. */
function isInHosts(text: string, name: string): boolean {
  if (!text.toLowerCase().includes(name)) return false;
  const lines = text.split('\n').map((line) => line.replace(/#.*$/, '').trim().toLowerCase().split(/\s+/));
  return lines.some(([, ...names]) => names.includes(name));
}

/** How long DNS may take: twice, the second time for twice as long, which is below the limit of a whole lookup. */
const DNS_LIMITS = { timeout: 800, tries: 2 };

/**
 * All IPv4 addresses and then all IPv6 addresses of a name, from DNS. `servers`: other ones than those of the system, for
 * tests.
 */
export async function askDns(name: string, { limits = DNS_LIMITS, servers }: DnsOptions = {}): ReturnType<Lookup> {
  // A new one each time reads the system's current servers; it takes less time than the question.
  const resolver = new Resolver(limits);
  if (servers) resolver.setServers(servers);
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = [
    ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
    ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (found.length > 0) return found;
  // One that was not answered may have addresses nevertheless.
  const failures = [v4, v6].flatMap((one) => (one.status === 'rejected' ? [one.reason as NodeJS.ErrnoException] : []));
  throw failures.find(({ code }) => UNANSWERED.has(String(code))) ?? failures[0] ?? new Error('No address.');
}

interface DnsOptions {
  limits?: { timeout: number; tries: number };
  servers?: readonly string[];
}

/** Every address of a name, found as described at {@link createLookup}. */
export const systemNames: Lookup = createLookup({
  dns: askDns,
  system: (name) => systemLookup(name, { all: true }),
  hosts: () => readFile('/etc/hosts', 'utf8').catch(() => ''),
});
