// Tests wallet answers as found in practice: custom refusals, two signing methods, three places of addresses.
import { getWallets } from '@wallet-standard/app';
import type { Wallet, WalletAccount } from '@wallet-standard/base';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { signInText } from '@countersign/shared/sign-in-text';
import {
  accountsOf,
  isLocked,
  isRefusal,
  lastUsed,
  remember,
  SigningRefused,
  signWith,
  WalletLocked,
  watchWallets,
  type WalletChoice,
} from './wallets.ts';

const ADDRESS = '7xKXtg2CWx8Q4vDh9mZ1rT5yBnE3sPfLcJ6uHkWa9fQ2';
const INPUT = {
  domain: 'localhost:3000',
  uri: 'http://localhost:3000',
  statement: 'Sign in to review. No transaction, no fee.',
  version: '1' as const,
  chainId: 'mainnet',
  nonce: 'abcdefghijklmnopqrstuvwx',
  issuedAt: '2026-11-20T14:02:31.000Z',
  expirationTime: '2026-11-20T14:07:31.000Z',
};
const BYTES = Uint8Array.of(1, 2, 250);

function choice(method: WalletChoice['method'], features: object, accounts: object[] = []): WalletChoice {
  const wallet = { name: 'Test', accounts, features } as unknown as Wallet;
  return { name: 'Test', icon: null, method, last: null, sameName: false, wallet };
}

/** Wallets throw any value; only the type says that it is an Error. */
function throwing(thrown: unknown): () => Promise<never> {
  const error = thrown as Error;
  return () => Promise.reject(error);
}

describe('isRefusal', () => {
  it.each([
    [{ code: 4001, message: 'x' }, true],
    [new Error('User rejected the request.'), true],
    [new Error('Transaction cancelled'), true],
    [new Error('Unexpected error'), false],
    ['rejected', false],
    [null, false],
  ])('whether %j means that the user refused: %s', (error, expected) => expect(isRefusal(error)).toBe(expected));
});

describe('isLocked', () => {
  it.each([
    [{ code: 4100, message: 'x' }, true],
    [new Error('Wallet is locked'), true],
    [new Error('Please unlock your wallet'), true],
    [new Error('Blocked by the blockhash'), false],
    ['locked', false],
    [undefined, false],
  ])('whether %j means that the wallet is locked: %s', (error, expected) => expect(isLocked(error)).toBe(expected));
});

const account = (address: string, chains = ['solana:mainnet']) => ({ address, chains }) as unknown as WalletAccount;

describe('accountsOf', () => {
  const both = [account(ADDRESS), account('evm', ['eip155:1'])];

  it('connects a wallet that only signs messages, and counts only Solana accounts', async () => {
    const features = { 'standard:connect': { connect: async () => ({ accounts: both }) } };
    expect(await accountsOf(choice('message', features))).toEqual([both[0]]);
  });

  it('requests nothing from a wallet that signs in itself', async () => {
    expect(await accountsOf(choice('sign-in', {}, both))).toEqual([both[0]]);
  });

  it('distinguishes a refusal to connect and a locked wallet from an error', async () => {
    const failing = (error: unknown) =>
      accountsOf(choice('message', { 'standard:connect': { connect: throwing(error) } }));
    await expect(failing(new Error('User rejected'))).rejects.toBeInstanceOf(SigningRefused);
    await expect(failing({ code: 4100 })).rejects.toBeInstanceOf(WalletLocked);
    await expect(failing('odd')).rejects.toBe('odd');
  });
});

describe('watchWallets', () => {
  const named = (name: unknown, features: object = { 'solana:signIn': {} }) =>
    ({ version: '1.0.0', name, icon: '', chains: [], accounts: [], features }) as unknown as Wallet;
  let stops: (() => void)[] = [];

  /** Returns the choices a page sees of these wallets. */
  function seen(...wallets: unknown[]): WalletChoice[] {
    let shown: WalletChoice[] = [];
    stops.push(watchWallets((choices) => (shown = choices)));
    stops.push(getWallets().register(...(wallets as Wallet[])));
    return shown;
  }

  afterEach(() => {
    stops.forEach((stop) => stop());
    stops = [];
    vi.unstubAllGlobals();
  });

  it('lists wallets that can sign in or sign a message, and those registered later', () => {
    const found = seen(
      named('A'),
      named('B', { 'solana:signMessage': {}, 'standard:connect': {} }),
      named('not connecting', { 'solana:signMessage': {} }),
      named('another chain', { 'eth:sign': {} }),
    );
    expect(found.map(({ name, method }) => [name, method])).toEqual([
      ['A', 'sign-in'],
      ['B', 'message'],
    ]);
    expect(seen(named('C')).map(({ name }) => name)).toEqual(['A', 'B', 'C']);
  });

  it('hides no wallet, with anything else registered', () => {
    const thrower = new Proxy(
      {},
      {
        get: () => {
          throw new Error('This property cannot be read.');
        },
      },
    );
    expect(
      seen(null, 7, {}, { features: null }, thrower, named('A'), named(undefined)).map(({ name }) => name),
    ).toEqual(['A', '']);
  });

  it('lists the last used one first, and of two with its name only the first', () => {
    const kept = new Map<string, string>();
    vi.stubGlobal('localStorage', {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => kept.set(key, value),
    });
    remember({ name: 'B', address: ADDRESS });
    expect(lastUsed()).toEqual({ name: 'B', address: ADDRESS });
    expect(seen(named('A'), named('B'), named('B')).map(({ name, last, sameName }) => [name, last, sameName])).toEqual([
      ['B', ADDRESS, false],
      ['A', null, false],
      ['B', null, true],
    ]);
  });
});

describe('signWith', () => {
  it('passes the challenge to solana:signIn unchanged and returns bytes as base64', async () => {
    let asked: unknown;
    const signIn = async (input: unknown) => {
      asked = input;
      return [{ account: { address: ADDRESS }, signedMessage: BYTES, signature: BYTES }];
    };
    const signed = await signWith(choice('sign-in', { 'solana:signIn': { signIn } }), INPUT, null);
    expect(asked).toEqual(INPUT);
    expect(signed).toEqual({ address: ADDRESS, signed_message: 'AQL6', signature: 'AQL6' });
  });

  it.each([
    ['a bare address', { address: ADDRESS }, []],
    ['the connected account', {}, [{ address: ADDRESS }]],
  ])('takes the address from %s when the answer has no account (S14)', async (_, output, accounts) => {
    const signIn = async () => [{ ...output, signedMessage: BYTES, signature: BYTES }];
    const signed = await signWith(choice('sign-in', { 'solana:signIn': { signIn } }, accounts), INPUT, null);
    expect(signed.address).toBe(ADDRESS);
  });

  it('signs the same text with solana:signMessage when the wallet has no signIn (S10)', async () => {
    let text = '';
    const features = {
      'solana:signMessage': {
        signMessage: async ({ message }: { message: Uint8Array }) => {
          text = new TextDecoder().decode(message);
          return [{ signedMessage: message, signature: BYTES }];
        },
      },
    };
    const signed = await signWith(choice('message', features), INPUT, account(ADDRESS));
    expect(text).toBe(signInText(INPUT, ADDRESS));
    expect(atob(signed.signed_message)).toBe(text);
  });

  it('names the selected account, and accepts the one that signed even if it is another (S14)', async () => {
    const asked: unknown[] = [];
    const signIn = (answered: object) => async (input: object) => {
      asked.push('address' in input ? input.address : null);
      return [{ ...answered, signedMessage: BYTES, signature: BYTES }];
    };
    const signing = (answered: object) =>
      signWith(choice('sign-in', { 'solana:signIn': { signIn: signIn(answered) } }), INPUT, account(ADDRESS));
    expect((await signing({})).address).toBe(ADDRESS);
    expect((await signing({ account: { address: 'other' }, address: 'third' })).address).toBe('other');
    expect(asked).toEqual([ADDRESS, ADDRESS]);
  });

  const failing = (error: unknown) =>
    signWith(choice('sign-in', { 'solana:signIn': { signIn: throwing(error) } }), INPUT, null);

  it('distinguishes a refusal and a locked wallet from an error', async () => {
    await expect(failing(new Error('User rejected'))).rejects.toBeInstanceOf(SigningRefused);
    await expect(failing(new Error('Wallet is locked'))).rejects.toBeInstanceOf(WalletLocked);
    await expect(failing(new Error('no'))).rejects.toThrow('no');
  });

  const hostile = Object.defineProperty({}, 'message', {
    get: () => {
      throw new Error('from the getter');
    },
  });

  it.each([
    ['a text', 'boom'],
    ['nothing', undefined],
    ['null', null],
    ['an object that throws when it is read', hostile],
  ])('handles a wallet that throws %s', async (_, thrown) => {
    const caught = await failing(thrown).then(
      () => 'answered',
      (error: unknown) => error,
    );
    expect(caught).not.toBe('answered');
    expect(caught).not.toBeInstanceOf(SigningRefused);
  });

  it.each([
    ['nothing', undefined],
    ['with no list', {}],
    ['with an empty list', []],
    ['with a list of undefined', [undefined]],
    ['without bytes', [{ account: { address: ADDRESS } }]],
    ['with text instead of bytes', [{ account: { address: ADDRESS }, signedMessage: 7, signature: {} }]],
    ['without an address', [{ signedMessage: BYTES, signature: BYTES }]],
    ['with ten million bytes', [{ address: ADDRESS, signedMessage: new Uint8Array(10_000_000), signature: BYTES }]],
  ])('fails cleanly when the wallet answers %s', async (_, answered) => {
    const signIn = () => Promise.resolve(answered);
    await expect(signWith(choice('sign-in', { 'solana:signIn': { signIn } }), INPUT, null)).rejects.toThrow();
  });
});
