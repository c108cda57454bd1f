// Names of receivers (W2): whose answer counts, and that a name without an answer holds up no other.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { askDns, createLookup, type Lookup } from './names.ts';

const of = (address: string) => [{ address, family: address.includes(':') ? 6 : 4 }];
const failing = (code: string) => Object.assign(new Error(code), { code });

/** Names of DNS, each with its address or its error; what is not named does not exist. */
function namesOf({
  dns = {},
  hosts = '',
  resolv = '',
}: {
  dns?: Record<string, string>;
  hosts?: string;
  resolv?: string;
}) {
  const time = { ms: 0 };
  const system = vi.fn<Lookup>(async () => of('10.0.0.1'));
  const ask = vi.fn<Lookup>(async (name) => {
    const found = dns[name] ?? 'ENOTFOUND';
    if (found.startsWith('E')) throw failing(found);
    return of(found);
  });
  const lookup = createLookup({ dns: ask, system, files: async () => ({ hosts, resolv }), now: () => time.ms });
  return { system, ask, time, lookup };
}

describe('W2: a name', () => {
  const HOSTS = '127.0.0.1 localhost\n10.1.2.3\tHooks.Example  hooks # other.example\n';

  it.each([
    ['known in DNS is asked there only', 'a.example', '8.8.8.8', 0],
    ['unknown in DNS may be one of the operator’s', 'hooks.default', '10.0.0.1', 1],
    ['without a dot is one of the operator’s', 'receiver', '10.0.0.1', 1],
    ['of this machine is the system’s', 'api.localhost', '10.0.0.1', 1],
    ['of the hosts file is the system’s, also where DNS knows another', 'hooks.example', '10.0.0.1', 1],
    ['of a comment in the hosts file is none of it', 'other.example', '8.8.4.4', 0],
  ])('%s', async (_, name, expected, systemAsked) => {
    const dns = { 'a.example': '8.8.8.8', 'hooks.example': '8.8.8.8', 'other.example': '8.8.4.4' };
    const { lookup, system } = namesOf({ dns, hosts: HOSTS });
    expect(await lookup(name)).toEqual(of(expected));
    expect(system).toHaveBeenCalledTimes(systemAsked);
  });

  it.each(['ETIMEOUT', 'ESERVFAIL'])('that DNS does not answer (%s) never reaches a thread', async (code) => {
    const { lookup, system } = namesOf({ dns: { 'slow.example': code } });
    await expect(lookup('slow.example')).rejects.toThrow(code);
    expect(system).not.toHaveBeenCalled();
  });

  it.each([
    ['', 'api.shop', ['api.shop']],
    ['search a.test b.test.', 'api.shop', ['api.shop', 'api.shop.a.test', 'api.shop.b.test']],
    ['search a.test\noptions timeout:1 ndots:5', 'api.shop', ['api.shop.a.test', 'api.shop']],
    ['domain old.test\nsearch a.test', 'api.shop', ['api.shop', 'api.shop.a.test']],
  ])('with the configuration %j is asked in DNS as the system would: %s', async (resolv, name, expected) => {
    const { lookup, ask } = namesOf({ resolv });
    await lookup(name);
    expect(ask.mock.calls.flat()).toEqual(expected);
  });

  it('of a search domain is found where the name alone has no answer', async () => {
    const dns = { 'hooks.team': 'ESERVFAIL', 'hooks.team.cluster.local': '10.9.9.9' };
    const { lookup, system } = namesOf({ dns, resolv: 'search cluster.local' });
    expect(await lookup('hooks.team')).toEqual(of('10.9.9.9'));
    expect(system).not.toHaveBeenCalled();
  });

  it('that nobody waits for any longer is not asked for', async () => {
    const { lookup, system, time } = namesOf({});
    const slow = Promise.withResolvers<ReturnType<typeof of>>();
    system.mockImplementationOnce(() => slow.promise);
    const waiting = Promise.allSettled([lookup('a.stranger'), lookup('b.stranger')]);
    await vi.waitFor(() => expect(system).toHaveBeenCalled());
    time.ms = 3_000;
    slow.resolve(of('9.9.9.9'));
    expect((await waiting).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(await lookup('c.stranger')).toEqual(of('10.0.0.1'));
    expect(system.mock.calls.flat()).toEqual(['a.stranger', 'c.stranger']);
  });

  it('unknown in DNS waits for others of the kind, and holds up no other name', async () => {
    const { lookup, system } = namesOf({ dns: { 'good.example': '8.8.8.8' } });
    const slow = Promise.withResolvers<ReturnType<typeof of>>();
    system.mockImplementationOnce(() => slow.promise);
    const first = lookup('a.stranger');
    const rest = ['b.stranger', 'b.stranger', 'c.stranger'].map((name) => lookup(name));
    expect(await lookup('good.example')).toEqual(of('8.8.8.8'));
    expect(await lookup('receiver')).toEqual(of('10.0.0.1'));
    expect(system.mock.calls.flat()).toEqual(['a.stranger', 'receiver']);
    slow.resolve(of('9.9.9.9'));
    expect(await first).toEqual(of('9.9.9.9'));
    expect(await Promise.all(rest)).toHaveLength(3);
    expect(system.mock.calls.flat()).toEqual(['a.stranger', 'receiver', 'b.stranger', 'c.stranger']);
  });

  it('is refused while too many others of the kind wait, and asked again after a failure', async () => {
    const { lookup, system } = namesOf({});
    const slow = Promise.withResolvers<ReturnType<typeof of>>();
    system.mockImplementationOnce(() => slow.promise);
    const waiting = Promise.allSettled(Array.from({ length: 64 }, (_, n) => lookup(`n${n}.stranger`)));
    await expect(lookup('more.stranger')).rejects.toThrow(/Too many/);
    slow.reject(new Error('none'));
    expect((await waiting).filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(await lookup('n0.stranger')).toEqual(of('10.0.0.1'));
  });
});

/**
 * A DNS server that knows `good.…` and `half.…`: an IPv4 address, and of `good` that it has no IPv6 address. It never answers
 * the other question about `half`, nor any about `slow.…`.
 */
async function dnsServer(): Promise<string> {
  const socket = createSocket('udp4');
  onTestFinished(() => void socket.close());
  socket.on('message', (question, from) => {
    const end = question.indexOf(0, 12) + 5;
    const [name, type] = [question.subarray(13, end - 5).toString('latin1'), question.readUInt16BE(end - 4)];
    if (name.startsWith('slow') || (name.startsWith('half') && type !== 1)) return;
    const isKnown = /^(?:good|half)/.test(name);
    const answers = isKnown && type === 1 ? Buffer.from('c00c00010001000000000004cb007109', 'hex') : Buffer.alloc(0);
    const head = Buffer.from([0x81, isKnown ? 0x80 : 0x83, 0, 1, 0, answers.length > 0 ? 1 : 0, 0, 0, 0, 0]);
    socket.send(
      Buffer.concat([question.subarray(0, 2), head, question.subarray(12, end), answers]),
      from.port,
      from.address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return `127.0.0.1:${socket.address().port}`;
}

describe('DNS', () => {
  const PATIENT = { timeout: 20_000, tries: 1, inAll: 60_000 };

  it('answers with the addresses of either kind', async () => {
    const servers = [await dnsServer()];
    expect(await askDns('good.example', { limits: PATIENT, servers })).toEqual(of('203.0.113.9'));
  });

  it('answers with what it has when the time is over, also where several servers do not answer', async () => {
    const servers = [await dnsServer(), await dnsServer(), await dnsServer()];
    expect(await askDns('half.example', { limits: { ...PATIENT, inAll: 2_000 }, servers })).toEqual(of('203.0.113.9'));
  });

  it('says that a name does not exist, and that there was no answer', async () => {
    const servers = [await dnsServer()];
    await expect(askDns('none.example', { limits: PATIENT, servers })).rejects.toMatchObject({ code: 'ENOTFOUND' });
    const limits = { ...PATIENT, timeout: 50 };
    await expect(askDns('slow.example', { limits, servers })).rejects.toMatchObject({ code: 'ETIMEOUT' });
  });
});
