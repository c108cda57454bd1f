// Wallet answers as they come in the wild: refusals in their own words, signatures by two ways, addresses in three places.
import type { Wallet } from '@wallet-standard/base';
import { describe, expect, it } from 'vitest';
import { signInText } from '@countersign/shared/sign-in-text';
import { isRefusal, SigningRefused, signWith, type WalletChoice } from './wallets.ts';

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
  return { name: 'Test', icon: null, method, wallet };
}

describe('isRefusal', () => {
  it.each([
    [{ code: 4001, message: 'x' }, true],
    [new Error('User rejected the request.'), true],
    [new Error('Transaction cancelled'), true],
    [new Error('Unexpected error'), false],
    ['rejected', false],
    [null, false],
  ])('%j → %s', (error, expected) => expect(isRefusal(error)).toBe(expected));
});

describe('signWith', () => {
  it('hands the challenge to solana:signIn as it came and sends back bytes as base64', async () => {
    let asked: unknown;
    const signIn = async (input: unknown) => {
      asked = input;
      return [{ account: { address: ADDRESS }, signedMessage: BYTES, signature: BYTES }];
    };
    const signed = await signWith(choice('sign-in', { 'solana:signIn': { signIn } }), INPUT);
    expect(asked).toEqual(INPUT);
    expect(signed).toEqual({ address: ADDRESS, signed_message: 'AQL6', signature: 'AQL6' });
  });

  it.each([
    ['a bare address', { address: ADDRESS }, []],
    ['the connected account', {}, [{ address: ADDRESS }]],
  ])('takes the address from %s when there is no account in the answer (S14)', async (_, output, accounts) => {
    const signIn = async () => [{ ...output, signedMessage: BYTES, signature: BYTES }];
    const signed = await signWith(choice('sign-in', { 'solana:signIn': { signIn } }, accounts), INPUT);
    expect(signed.address).toBe(ADDRESS);
  });

  it('signs the same text by solana:signMessage when the wallet has nothing better (S10)', async () => {
    let text = '';
    const features = {
      'standard:connect': { connect: async () => ({ accounts: [{ address: ADDRESS }] }) },
      'solana:signMessage': {
        signMessage: async ({ message }: { message: Uint8Array }) => {
          text = new TextDecoder().decode(message);
          return [{ signedMessage: message, signature: BYTES }];
        },
      },
    };
    const signed = await signWith(choice('message', features), INPUT);
    expect(text).toBe(signInText(INPUT, ADDRESS));
    expect(atob(signed.signed_message)).toBe(text);
  });

  it('tells a refusal from a fault', async () => {
    const failing = (error: Error) => choice('sign-in', { 'solana:signIn': { signIn: () => Promise.reject(error) } });
    await expect(signWith(failing(new Error('User rejected')), INPUT)).rejects.toBeInstanceOf(SigningRefused);
    await expect(signWith(failing(new Error('locked')), INPUT)).rejects.toThrow('locked');
  });
});
