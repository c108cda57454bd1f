// The rules of Sign-In With Solana: what a wallet signs, how long it is valid, and which byte strings may contain it.
import type { SignInInput } from '@countersign/shared/schemas/session';

/** How long a challenge is valid, in seconds. */
export const CHALLENGE_SECONDS = 300;
/** How far in the future an issue time may lie, in seconds: the clocks of two servers differ. */
const CLOCK_SKEW_SECONDS = 60;

const STATEMENT = 'Sign in to review. No transaction, no fee.';

/**
 * A new challenge (S1, S7). `baseUrl` is the configured public address of the service, never a request header; `nonce` consists
 * of 24 or more letters and digits (S2). Throws a TypeError when `baseUrl` is not a URL.
 */
export function newSignInInput({ baseUrl, nonce, now }: { baseUrl: string; nonce: string; now: Date }): SignInInput {
  const { host, origin } = new URL(baseUrl);
  return {
    domain: host,
    uri: origin,
    statement: STATEMENT,
    version: '1',
    chainId: 'mainnet',
    nonce,
    issuedAt: now.toISOString(),
    expirationTime: new Date(now.getTime() + CHALLENGE_SECONDS * 1000).toISOString(),
  };
}

/** Whether the challenge is valid at `now`, the server's clock (S8). A time that cannot be parsed is never valid. */
export function isTimely(input: SignInInput, now: Date): boolean {
  const earliest = Date.parse(input.issuedAt) - CLOCK_SKEW_SECONDS * 1000;
  return now.getTime() >= earliest && now.getTime() < Date.parse(input.expirationTime);
}

/** Whether a text has the format of a Solana address (S6). Cheap on any length; says nothing about the key behind it. */
export function isAddress(text: string): boolean {
  return text.length >= 32 && text.length <= 44 && /^[1-9A-HJ-NP-Za-km-z]+$/.test(text);
}

const OFFCHAIN = [0xff, ...Array.from('solana offchain', (character) => character.charCodeAt(0))];
const APPLICATION_DOMAIN_BYTES = 32;
/** The maximum length in bytes of an off-chain message of version 0, format 0 or 1, preamble included. */
const V0_MAX_BYTES = 1232;
/** The proposal assigns text with line breaks to format 1 (UTF-8); hardware wallets sign it as format 0 (ASCII) anyway. */
const V0_FORMATS = [0, 1];

/**
 * Every byte string that a wallet may have signed when asked for `text` (S11): first the text itself, then the off-chain
 * envelopes of version 1 and 0, with exactly one signer. `publicKey` is 32 bytes, `domain` UTF-8. A text or a domain too long for
 * version 0 has no version 0 form.
 */
export function signedForms(text: Uint8Array, publicKey: Uint8Array, domain: Uint8Array): Uint8Array[] {
  const version1 = Uint8Array.from([...OFFCHAIN, 1, 1, ...publicKey, ...text]);
  const version0 = V0_FORMATS.map((format) => offchainV0(format, { text, publicKey, domain }));
  const fits = domain.length <= APPLICATION_DOMAIN_BYTES && version0.every((form) => form.length <= V0_MAX_BYTES);
  return [text, version1, ...(fits ? version0 : [])];
}

function offchainV0(
  format: number,
  { text, publicKey, domain }: { text: Uint8Array; publicKey: Uint8Array; domain: Uint8Array },
): Uint8Array {
  const padding = new Uint8Array(Math.max(0, APPLICATION_DOMAIN_BYTES - domain.length));
  const length = [text.length & 0xff, text.length >> 8];
  return Uint8Array.from([...OFFCHAIN, 0, ...domain, ...padding, format, 1, ...publicKey, ...length, ...text]);
}
