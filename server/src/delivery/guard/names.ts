// Resolves the names of receivers. The owner of a name decides how long its answer takes: it may hold up no other.
import { lookup as systemLookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { trimEnd } from '@countersign/shared/trim-end';

/** Every address of a name, as returned by `dns.lookup` with `all`. */
export type Lookup = (hostname: string) => Promise<readonly { address: string; family: number }[]>;

/** The limit of a whole lookup: nobody waits for its answer any longer. */
export const LOOKUP_MS = 3_000;

/** Where a name is looked up. Each throws where it finds nothing. */
export interface NameSources {
  /** DNS, without a thread: any number of questions may wait for their answers. */
  dns: Lookup;
  /**
   * The resolver of the system. It also knows the hosts file and names from elsewhere, and a question holds one of the two
   * threads that all questions share until it is answered.
   */
  system: Lookup;
  /** The texts of the hosts file and of the resolver's configuration. */
  files: () => Promise<{ hosts: string; resolv: string }>;
  /** In ms, for the limit of a lookup. */
  now: () => number;
}

/** Questions to the system's resolver at one time: one is being answered, the others wait. */
const MOST_WAITING = 64;
/** Errors of DNS after which the system would wait for the same answer. */
const UNANSWERED = new Set(['ETIMEOUT', 'ESERVFAIL', 'ECANCELLED']);

/**
 * A lookup that asks DNS first. Only the system knows names without a dot and those of the hosts file, which it answers by
 * itself or the operator's own network does. Names that do not exist in DNS may also be the operator's, from elsewhere:
 * those wait for each other, so that a stranger's names take one of the system's threads at most.
 */
export function createLookup({ dns, system, files, now }: NameSources): Lookup {
  const oneByOne = queued(system, now);
  return async (name) => {
    const { hosts, resolv } = await files();
    if (!name.includes('.') || name.endsWith('.localhost') || isInHosts(hosts, name)) return system(name);
    let unanswered: Error | null = null;
    for (const candidate of candidatesOf(name, resolv)) {
      try {
        return await dns(candidate);
      } catch (error) {
        if (isUnanswered(error)) unanswered ??= error as Error;
      }
    }
    if (unanswered !== null) throw unanswered;
    return oneByOne(name);
  };
}

const isUnanswered = (error: unknown): boolean => UNANSWERED.has(String((error as { code?: unknown }).code));

/**
 * The names that the system would ask DNS for: with its search domains, as in a cluster, first where the name has fewer
 * dots than `ndots`, otherwise last.
 */
function candidatesOf(name: string, resolv: string): string[] {
  const lines = resolv.split('\n').map((line) => line.trim().split(/\s+/));
  const domains = lines.findLast(([key]) => key === 'search' || key === 'domain')?.slice(1) ?? [];
  const options = lines.flatMap(([key, ...values]) => (key === 'options' ? values : []));
  const least = Number(options.findLast((option) => option.startsWith('ndots:'))?.slice('ndots:'.length) ?? 1);
  const searched = domains.map((domain) => `${name}.${trimEnd(domain, '.')}`);
  return name.split('.').length - 1 < least ? [...searched, name] : [name, ...searched];
}

/** One question after another; the same one is asked once, and one that nobody waits for any longer is not. */
function queued(lookup: Lookup, now: () => number): Lookup {
  const waiting = new Map<string, ReturnType<Lookup>>();
  let last: Promise<unknown> = Promise.resolve();
  return (name) => {
    const known = waiting.get(name);
    if (known) return known;
    if (waiting.size >= MOST_WAITING) return Promise.reject(new Error('Too many other names are being resolved.'));
    const until = now() + LOOKUP_MS;
    const ask = () => (now() < until ? lookup(name) : Promise.reject(new Error('Nobody waits for this name.')));
    const answer = last.then(ask).finally(() => waiting.delete(name));
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

/** How long DNS may take for each server, twice, and altogether, in ms. */
const DNS_LIMITS = { timeout: 800, tries: 2, inAll: 2_500 };

/**
 * All IPv4 addresses and then all IPv6 addresses of a name, from DNS. `servers`: other ones than those of the system, for
 * tests.
 */
export async function askDns(name: string, { limits = DNS_LIMITS, servers }: DnsOptions = {}): ReturnType<Lookup> {
  // A new one each time reads the system's current servers; it takes less time than the question.
  const resolver = new Resolver(limits);
  if (servers) resolver.setServers(servers);
  const timer = setTimeout(() => resolver.cancel(), limits.inAll);
  const asked = Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const [v4, v6] = await asked.finally(() => clearTimeout(timer));
  const found = [
    ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
    ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (found.length > 0) return found;
  // One that was not answered may have addresses nevertheless.
  const failures = [v4, v6].flatMap((one) => (one.status === 'rejected' ? [one.reason as NodeJS.ErrnoException] : []));
  throw failures.find(isUnanswered) ?? failures[0] ?? new Error('No address.');
}

interface DnsOptions {
  limits?: typeof DNS_LIMITS;
  servers?: readonly string[];
}

const readFiles = async () => {
  const [hosts = '', resolv = ''] = await Promise.all(
    ['/etc/hosts', '/etc/resolv.conf'].map((path) => readFile(path, 'utf8').catch(() => '')),
  );
  return { hosts, resolv };
};

/** `read`, at most once a second: every attempt of every webhook resolves its name. */
function recent<T>(read: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | null = null;
  let until = -Infinity;
  return () => {
    if (known !== null && performance.now() < until) return known;
    until = performance.now() + 1_000;
    return (known = read());
  };
}

/** Every address of a name, found as described at {@link createLookup}. */
export const systemNames: Lookup = createLookup({
  dns: askDns,
  system: (name) => systemLookup(name, { all: true }),
  files: recent(readFiles),
  now: () => performance.now(),
});
