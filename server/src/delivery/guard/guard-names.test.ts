// The guard when a URL is saved (W1, W2): resolved addresses decide; a name that does not resolve is left to the send.
import { describe, expect, it, vi } from 'vitest';
import { type GuardPolicy, refuseTarget } from './guard.ts';
import type { Lookup } from './names.ts';

const STRICT: GuardPolicy = { allowCidrs: [], allowHttp: false };
const answering =
  (...addresses: string[]): Lookup =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

describe('W1, W2: a URL to save', () => {
  it.each([
    ['a public address', ['93.184.215.14']],
    ['several public addresses', ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c']],
  ])('is accepted when its name resolves to %s', async (_, addresses) => {
    expect(await refuseTarget('https://receiver.example/hooks', STRICT, answering(...addresses))).toBeNull();
  });

  it.each([
    ['a private address', ['10.0.0.1']],
    ['a private address among public ones', ['93.184.215.14', '192.168.1.1']],
    ['a private address after a public one', ['2606:2800::1', '::ffff:127.0.0.1']],
    ['a metadata service', ['169.254.169.254']],
  ])(
    'is refused when its name resolves to %s, with the host but not the address in the message',
    async (_, addresses) => {
      const said = await refuseTarget('https://Receiver.example./hooks', STRICT, answering(...addresses));
      expect(said).toBe('Use a public host: receiver.example resolves to a private, local or reserved address.');
    },
  );

  it('is accepted when the operator’s exceptions cover it', async () => {
    const policy = { allowCidrs: ['10.0.0.0/8'], allowHttp: false };
    expect(await refuseTarget('https://receiver.example/', policy, answering('10.1.2.3'))).toBeNull();
    expect(await refuseTarget('https://receiver.example/', policy, answering('10.1.2.3', '127.0.0.1'))).not.toBeNull();
  });

  it('is accepted when its name does not resolve now', async () => {
    const failing: Lookup = () => Promise.reject(new Error('ENOTFOUND'));
    expect(await refuseTarget('https://receiver.example/', STRICT, failing)).toBeNull();
    expect(await refuseTarget('https://receiver.example/', STRICT, answering())).toBeNull();
  });

  it('waits at most 3 s for the resolver', async () => {
    vi.useFakeTimers();
    try {
      let said: string | null | undefined;
      const never: Lookup = () => new Promise(() => undefined);
      void refuseTarget('https://receiver.example/', STRICT, never).then((answer) => (said = answer));
      await vi.advanceTimersByTimeAsync(2_999);
      expect(said).toBeUndefined();
      await vi.advanceTimersByTimeAsync(1);
      expect(said).toBeNull();
    } finally {
      vi.useRealTimers();
    }
  });

  it('is not resolved when its spelling or its literal address is already refused', async () => {
    const lookup = vi.fn(answering('93.184.215.14'));
    expect(await refuseTarget('ftp://receiver.example/', STRICT, lookup)).toMatch(/https/);
    expect(await refuseTarget('https://10.0.0.1/', STRICT, lookup)).toMatch(/public host/);
    expect(await refuseTarget('https://8.8.8.8/', STRICT, lookup)).toBeNull();
    expect(lookup).not.toHaveBeenCalled();
  });
});
