// Tests that webhooks cannot reach the service, its metrics, database or lock store (W7), however addressed.
import { describe, expect, it } from 'vitest';
import { type GuardPolicy, refuseTarget } from './guard.ts';
import type { Lookup } from './names.ts';
import { createOwnEndpoints, type OwnEndpoint, type NetworkEnvironment } from './own-endpoints.ts';

const NAMES: Record<string, string[]> = {
  localhost: ['127.0.0.1', '::1'],
  'db.internal': ['10.0.0.5'],
  'review.corp': ['10.0.0.80'],
  'review.example.org': ['93.184.215.14'],
  'alias-of-database.example': ['10.0.0.5'],
  'alias-of-service.example': ['127.0.0.1'],
  'half-database.example': ['93.184.215.99', '10.0.0.5'],
  'hooks.corp': ['10.0.0.81'],
};
const lookup: Lookup = (name) =>
  name in NAMES
    ? Promise.resolve((NAMES[name] ?? []).map((address) => ({ address, family: 4 })))
    : Promise.reject(new Error(`ENOTFOUND ${name}`));

const SERVICE: OwnEndpoint[] = [
  { host: 'localhost', port: 3000, isFront: true },
  { host: '127.0.0.1', port: 3000 },
  { host: '127.0.0.1', port: 9464 },
  { host: 'db.internal', port: 5432 },
  { host: '10.0.0.6', port: 6379 },
];
const own = (endpoints: OwnEndpoint[] = SERVICE, around: Partial<NetworkEnvironment> = {}) =>
  createOwnEndpoints(endpoints, { lookup, interfaces: () => ['127.0.0.1', '10.0.0.2', '2001:db8::2'], ...around });
const openTo = (endpoints = own()): GuardPolicy => ({
  allowCidrs: ['0.0.0.0/0', '::/0'],
  allowHttp: true,
  own: endpoints,
});

describe('W7: with every range allowed, a webhook still cannot reach', () => {
  it.each([
    ['the service, by its listening address', 'http://127.0.0.1:3000/'],
    ['the service, by its name', 'http://localhost:3000/api/session'],
    ['the service, by its name with a trailing dot', 'http://localhost.:3000/'],
    ['the service, by another loopback address', 'http://127.9.9.9:3000/'],
    ['the service, by 0.0.0.0', 'http://0.0.0.0:3000/'],
    ['the service, by a short spelling', 'http://127.1:3000/'],
    ['the service, by a number', 'http://2130706433:3000/'],
    ['the service, by IPv6 loopback', 'http://[::1]:3000/'],
    ['the service, by the unspecified IPv6 address', 'http://[::]:3000/'],
    ['the service, by its mapped address', 'http://[::ffff:127.0.0.1]:3000/'],
    ['the service, by NAT64', 'http://[64:ff9b::7f00:1]:3000/'],
    ['the service, by 6to4', 'http://[2002:7f00:1::]:3000/'],
    ['the service, by an interface of its machine', 'http://10.0.0.2:3000/'],
    ['the service, by that interface mapped', 'http://[::ffff:10.0.0.2]:3000/'],
    ['the service, by an IPv6 interface', 'http://[2001:db8::2]:3000/'],
    ['the service, by a name that resolves to it', 'http://alias-of-service.example:3000/'],
    ['the metrics', 'http://127.0.0.1:9464/metrics'],
    ['the metrics, by a machine’s interface', 'http://10.0.0.2:9464/metrics'],
    ['the database, by its name', 'http://db.internal:5432/'],
    ['the database, by its address', 'http://10.0.0.5:5432/'],
    ['the database, by its mapped address', 'http://[::ffff:a00:5]:5432/'],
    ['the database, by another name', 'http://alias-of-database.example:5432/'],
    ['the database, as one of two addresses', 'http://half-database.example:5432/'],
    ['the lock store', 'http://10.0.0.6:6379/'],
    ['the lock store, by NAT64', 'http://[64:ff9b::a00:6]:6379/'],
  ])('refuses a webhook to %s', async (_, url) => {
    expect(await refuseTarget(url, openTo(), lookup)).toMatch(/^Use (a public|another) host/);
    expect(await refuseTarget(url, { ...openTo(), own: own([]) }, lookup), 'is reachable otherwise').toBeNull();
  });

  it.each([
    ['the receiver of the demo, on the next port', 'http://127.0.0.1:3001/'],
    ['another port of the database’s machine', 'http://10.0.0.5:8080/'],
    ['the database’s port on another machine', 'http://10.0.0.9:5432/'],
    ['an internet address', 'https://93.184.215.14/'],
  ])('W7: a webhook can reach %s', async (_, url) => {
    expect(await refuseTarget(url, openTo(), lookup)).toBeNull();
  });
});

describe('W7: recognizes the service however HOST is spelled', () => {
  it.each(['::1', '[::1]', '::', '[::]', '::ffff:127.0.0.1', '0:0:0:0:0:0:0:1', '::1%lo', '127.0.0.1'])(
    'recognizes the service with HOST=%s',
    async (host) => {
      const policy = openTo(own([{ host, port: 3000 }]));
      for (const url of [
        'http://127.0.0.1:3000/',
        'http://[::1]:3000/',
        'http://[::ffff:7f00:1]:3000/',
        'http://localhost:3000/',
      ])
        expect(await refuseTarget(url, policy, lookup), url).not.toBeNull();
      expect(await refuseTarget('http://127.0.0.1:3001/', policy, lookup)).toBeNull();
    },
  );

  it('recognizes the service by an address of its machine with a zone', async () => {
    const interfaces = () => ['127.0.0.1', 'fe80::2%eth0'];
    const policy = openTo(own([{ host: 'fe80::2%eth0', port: 3000 }], { interfaces }));
    expect(await refuseTarget('http://[fe80::2]:3000/', policy, lookup)).not.toBeNull();
    expect(await refuseTarget('http://127.0.0.1:3000/', policy, lookup)).not.toBeNull();
  });
});

describe('W7: the public address of the service', () => {
  const front = (host: string, port = 443) => openTo(own([{ host, port, isFront: true }]));

  it('is refused by its name on both web ports, also when it does not resolve here', async () => {
    const policy = front('unknown-here.example');
    expect(await refuseTarget('https://unknown-here.example/x', policy, lookup)).toMatch(/Countersign itself/);
    expect(await refuseTarget('http://UNKNOWN-here.example/x', policy, lookup)).toMatch(/Countersign itself/);
    expect(await refuseTarget('https://unknown-here.example:8443/x', policy, lookup)).toBeNull();
  });

  it('is refused by its private address too, but by its public one only by name: others share the load balancer', async () => {
    expect(await refuseTarget('https://10.0.0.80/', front('review.corp'), lookup)).toMatch(/public host/);
    expect(await refuseTarget('https://10.0.0.81/', front('review.corp'), lookup)).toBeNull();
    const shared: Lookup = () => Promise.resolve([{ address: '93.184.215.14', family: 4 }]);
    expect(await refuseTarget('https://receiver.example/', front('review.example.org'), shared)).toBeNull();
  });
});

describe('W7: the known endpoints of the service', () => {
  it('include each port that a server gets', async () => {
    const endpoints = own([]);
    expect(await refuseTarget('http://127.0.0.1:41234/', openTo(endpoints), lookup)).toBeNull();
    endpoints.add({ host: '0.0.0.0', port: 41234 });
    expect(await refuseTarget('http://127.0.0.1:41234/', openTo(endpoints), lookup)).not.toBeNull();
    expect(await refuseTarget('http://10.0.0.2:41234/', openTo(endpoints), lookup)).not.toBeNull();
  });

  it('include the current endpoints of the service’s other processes', async () => {
    let [now, peers] = [0, [{ host: '10.0.1.1', port: 3000 }]];
    const policy = openTo(own([], { now: () => now, peers: () => Promise.resolve(peers) }));
    expect(await refuseTarget('http://10.0.1.1:3000/', policy, lookup)).not.toBeNull();
    expect(await refuseTarget('http://10.0.1.2:3000/', policy, lookup)).toBeNull();
    [now, peers] = [10_000, [{ host: '10.0.1.2', port: 3000 }]];
    expect(await refuseTarget('http://10.0.1.2:3000/', policy, lookup)).not.toBeNull();
  });

  it('follow names that change their address, and stay unchanged while they do not resolve', async () => {
    let [now, answer] = [0, Promise.resolve([{ address: '10.0.2.1' }])];
    const endpoints = own([{ host: 'redis', port: 6379 }], { now: () => now, lookup: () => answer });
    const refused = async (host: string) =>
      (await refuseTarget(`http://${host}:6379/`, openTo(endpoints), lookup)) !== null;
    expect(await refused('10.0.2.1')).toBe(true);
    [now, answer] = [10_000, Promise.resolve([{ address: '10.0.2.2' }])];
    expect([await refused('10.0.2.1'), await refused('10.0.2.2')]).toEqual([false, true]);
    [now, answer] = [20_000, Promise.reject(new Error('ENOTFOUND'))];
    expect(await refused('10.0.2.2')).toBe(true);
  });

  it('are resolved once for many concurrent sends, and not again for ten seconds', async () => {
    let asked = 0;
    const count = (host: string) => ((asked += 1), lookup(host));
    const policy = openTo(own([{ host: 'db.internal', port: 5432 }], { now: () => 0, lookup: count }));
    await Promise.all([1, 2, 3].map(() => refuseTarget('http://10.0.0.5:5432/', policy, lookup)));
    await refuseTarget('http://10.0.0.5:5432/', policy, lookup);
    expect(asked).toBe(1);
  });
});
