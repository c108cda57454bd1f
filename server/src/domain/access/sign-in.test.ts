// The sign-in text against the Wallet Standard's own, the time rules, and the byte strings a wallet may have signed.
import type { SignInInput } from '@countersign/shared/schemas/session';
import { createSignInMessageText } from '@solana/wallet-standard-util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signInText } from '@countersign/shared/sign-in-text';
import { CHALLENGE_SECONDS, isAddress, isTimely, newSignInInput, signedForms } from './sign-in.ts';

const ADDRESS = '2EZEiBdw47VHT6SpZSW9VnuSvBe7DxuYHBTxj19gxvv8';
const NOW = new Date('2026-03-01T12:00:00.000Z');
const INPUT = newSignInInput({ baseUrl: 'https://review.example.com', nonce: 'b7Q2mZx0LrT9vKf4HsW1cYaD', now: NOW });

describe('the sign-in text (S5)', () => {
  it('equals this text byte for byte', () => {
    expect(signInText(INPUT, ADDRESS)).toBe(
      'review.example.com wants you to sign in with your Solana account:\n' +
        '2EZEiBdw47VHT6SpZSW9VnuSvBe7DxuYHBTxj19gxvv8\n' +
        '\n' +
        'Sign in to review. No transaction, no fee.\n' +
        '\n' +
        'URI: https://review.example.com\n' +
        'Version: 1\n' +
        'Chain ID: mainnet\n' +
        'Nonce: b7Q2mZx0LrT9vKf4HsW1cYaD\n' +
        'Issued At: 2026-03-01T12:00:00.000Z\n' +
        'Expiration Time: 2026-03-01T12:05:00.000Z',
    );
  });

  it('equals what the Wallet Standard builds from the same input, for any values', () => {
    const text = fc.string({ minLength: 1, unit: 'grapheme' });
    const input = fc.record<SignInInput>({
      domain: text,
      uri: text,
      statement: text,
      version: fc.constant('1' as const),
      chainId: text,
      nonce: text,
      issuedAt: text,
      expirationTime: text,
    });
    fc.assert(
      fc.property(input, text, (anyInput, address) => {
        expect(signInText(anyInput, address)).toBe(createSignInMessageText({ ...anyInput, address }));
      }),
    );
  });
});

describe('a new challenge (S1, S7)', () => {
  it.each([
    ['https://review.example.com', 'review.example.com', 'https://review.example.com'],
    ['https://review.example.com:443/', 'review.example.com', 'https://review.example.com'],
    ['http://review.example.com:80', 'review.example.com', 'http://review.example.com'],
    ['http://localhost:3000', 'localhost:3000', 'http://localhost:3000'],
    ['https://review.example.com:8443/app/?q=1#top', 'review.example.com:8443', 'https://review.example.com:8443'],
    ['https://user:secret@REVIEW.example.com', 'review.example.com', 'https://review.example.com'],
    ['http://[::1]:3000', '[::1]:3000', 'http://[::1]:3000'],
  ])('made for %s names the domain %s and the origin %s', (baseUrl, domain, uri) => {
    expect(newSignInInput({ baseUrl, nonce: 'n', now: NOW })).toMatchObject({ domain, uri });
  });

  it('says what is signed and that it costs nothing, and expires after five minutes', () => {
    expect(INPUT).toEqual({
      domain: 'review.example.com',
      uri: 'https://review.example.com',
      statement: 'Sign in to review. No transaction, no fee.',
      version: '1',
      chainId: 'mainnet',
      nonce: 'b7Q2mZx0LrT9vKf4HsW1cYaD',
      issuedAt: '2026-03-01T12:00:00.000Z',
      expirationTime: '2026-03-01T12:05:00.000Z',
    });
    expect(CHALLENGE_SECONDS).toBe(300);
  });

  it('has a statement that wallets accept: one line of plain ASCII without quotes', () => {
    expect(INPUT.statement).toMatch(/^[\x20-\x7e]+$/);
    expect(INPUT.statement).not.toMatch(/['"]/);
  });
});

describe('the validity period of a challenge (S8)', () => {
  const at = (milliseconds: number) => new Date(NOW.getTime() + milliseconds);

  it.each([
    ['when it is created', 0, true],
    ['one millisecond before it expires', 299_999, true],
    ['when it expires', 300_000, false],
    ['a day later', 86_400_000, false],
    ['up to a minute before it is created, for clocks that differ', -60_000, true],
    ['more than a minute before it is created', -60_001, false],
  ])('%s (%i ms): %s', (_when, milliseconds, counts) => {
    expect(isTimely(INPUT, at(milliseconds))).toBe(counts);
  });

  it.each([
    ['issuedAt', { ...INPUT, issuedAt: 'soon' }],
    ['expirationTime', { ...INPUT, expirationTime: '' }],
  ])('is not valid when %s cannot be parsed', (_field, input) => {
    expect(isTimely(input, NOW)).toBe(false);
  });

  it('is not valid when the clock cannot be read', () => {
    expect(isTimely(INPUT, new Date(Number.NaN))).toBe(false);
  });
});

describe('the format of an address (S6)', () => {
  it.each([ADDRESS, '1'.repeat(32), 'z'.repeat(44)])('is matched by %s', (text) => {
    expect(isAddress(text)).toBe(true);
  });

  it.each([
    ['empty', ''],
    ['31 characters', 'z'.repeat(31)],
    ['45 characters', 'z'.repeat(45)],
    ['20 000 characters', 'z'.repeat(20_000)],
    ...Array.from('0OIl+/_- \n\u0430', (character): [string, string] => [
      `a ${JSON.stringify(character)} in it`,
      `${ADDRESS.slice(0, 20)}${character}${ADDRESS.slice(21)}`,
    ]),
    ['a line break after it', `${ADDRESS.slice(0, 43)}\n`],
  ])('is not matched by %s', (_what, text) => {
    expect(isAddress(text)).toBe(false);
  });
});

describe('the byte strings a wallet may have signed (S11)', () => {
  const utf8 = (text: string) => new TextEncoder().encode(text);
  const hex = (form: Uint8Array | undefined) => form && Buffer.from(form).toString('hex');
  const KEY = Uint8Array.from({ length: 32 }, (_, index) => 0xa0 + index);
  const KEY_HEX = 'a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf';
  const PREAMBLE = 'ff736f6c616e61206f6666636861696e'; // ff "solana offchain"

  it('are the text, off-chain version 1, and off-chain version 0 in both formats', () => {
    const forms = signedForms(utf8('hello'), KEY, utf8('app.test'));
    const domain = `6170702e74657374${'00'.repeat(24)}`;
    expect(forms.map(hex)).toEqual([
      '68656c6c6f',
      `${PREAMBLE}0101${KEY_HEX}68656c6c6f`,
      `${PREAMBLE}00${domain}0001${KEY_HEX}050068656c6c6f`,
      `${PREAMBLE}00${domain}0101${KEY_HEX}050068656c6c6f`,
    ]);
  });

  it('give the text length of version 0 in two bytes, the low one first', () => {
    const text = utf8('x'.repeat(0x0123));
    expect(hex(signedForms(text, KEY, utf8('app.test'))[2])).toContain(`${KEY_HEX}23017878`);
  });

  it('exclude version 0 for a domain above its 32 bytes instead of truncating it', () => {
    expect(signedForms(utf8('hello'), KEY, utf8('d'.repeat(32)))).toHaveLength(4);
    expect(signedForms(utf8('hello'), KEY, utf8('d'.repeat(33)))).toHaveLength(2);
  });

  it('exclude version 0 above its 1232 bytes', () => {
    const longest = 1232 - 85;
    expect(signedForms(utf8('x'.repeat(longest)), KEY, utf8('app.test'))).toHaveLength(4);
    expect(signedForms(utf8('x'.repeat(longest + 1)), KEY, utf8('app.test'))).toHaveLength(2);
  });

  it('differ for every other text, key and domain, except the plain text', () => {
    const all = [
      signedForms(utf8('hello'), KEY, utf8('app.test')),
      signedForms(utf8('hellp'), KEY, utf8('app.test')).slice(1),
      signedForms(utf8('hello'), KEY.toReversed(), utf8('app.test')).slice(1),
      signedForms(utf8('hello'), KEY, utf8('app.tesu')).slice(2),
    ].flatMap((forms) => forms.map(hex));
    expect(new Set(all).size).toBe(all.length);
  });
});
