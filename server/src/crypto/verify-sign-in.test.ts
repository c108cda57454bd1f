// Every known way to sign in as someone else, one by one, against the verification of sign-ins.
import type { SignInInput } from '@countersign/shared/api/session';
import { ed25519 } from '@noble/curves/ed25519.js';
import { createSignInMessageText, verifySignIn as standardVerifySignIn } from '@solana/wallet-standard-util';
import bs58 from 'bs58';
import fc from 'fast-check';
import nacl from 'tweetnacl';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { signInText } from '@countersign/shared/sign-in-text';
import { newSignInInput, signedForms } from '../domain/access/sign-in.ts';
import { verifySignIn } from './verify-sign-in.ts';

const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64');
const utf8 = (text: string) => Buffer.from(text, 'utf8');

function wallet(seed: number) {
  const { publicKey, secretKey } = ed25519.keygen(new Uint8Array(32).fill(seed));
  const sign = (bytes: Uint8Array | string) => ed25519.sign(typeof bytes === 'string' ? utf8(bytes) : bytes, secretKey);
  return { publicKey, address: bs58.encode(publicKey), sign };
}

const INPUT = newSignInInput({
  baseUrl: 'https://review.example.com',
  nonce: 'b7Q2mZx0LrT9vKf4HsW1cYaD',
  now: new Date('2026-03-01T12:00:00.000Z'),
});
const OWNER = wallet(1);
const ATTACKER = wallet(2);
const TEXT = signInText(INPUT, OWNER.address);
const HONEST = {
  input: INPUT,
  address: OWNER.address,
  signedMessage: base64(TEXT),
  signature: base64(OWNER.sign(TEXT)),
};

/** What the owner of `OWNER` submits after signing any text. */
const signing = (text: string) => ({ ...HONEST, signedMessage: base64(text), signature: base64(OWNER.sign(text)) });

describe('a genuine sign-in', () => {
  it('is accepted when signed over the text that the Wallet Standard builds', () => {
    expect(verifySignIn(HONEST)).toBe(true);
    expect(verifySignIn(signing(createSignInMessageText({ ...INPUT, address: OWNER.address })))).toBe(true);
  });

  const forms = signedForms(utf8(TEXT), OWNER.publicKey, utf8(INPUT.domain));
  const named = ['text', 'off-chain version 1', 'off-chain version 0, format 0', 'off-chain version 0, format 1'].map(
    (name, index) => ({ name, form: forms[index] ?? new Uint8Array() }),
  );

  it.each(named)('is accepted when signed and reported as $name (S11)', ({ form }) => {
    const signed = { signedMessage: base64(form), signature: base64(OWNER.sign(form)) };
    expect(verifySignIn({ ...HONEST, ...signed })).toBe(true);
  });

  it.each(named)('is accepted when reported as the text by a wallet whose device signed $name (S11)', ({ form }) => {
    expect(verifySignIn({ ...HONEST, signature: base64(OWNER.sign(form)) })).toBe(true);
  });

  it('is rejected when an envelope is reported and the plain text was signed', () => {
    expect(verifySignIn({ ...HONEST, signedMessage: base64(forms[1] ?? '') })).toBe(false);
  });

  it.each([
    ['another signer', signedForms(utf8(TEXT), ATTACKER.publicKey, utf8(INPUT.domain))[1]],
    ['another text', signedForms(utf8(`${TEXT}.`), OWNER.publicKey, utf8(INPUT.domain))[1]],
    ['another application domain', signedForms(utf8(TEXT), OWNER.publicKey, utf8('evil.test'))[2]],
  ])('is rejected in an envelope for %s (S11)', (_what, form = new Uint8Array()) => {
    const signature = base64(OWNER.sign(form));
    expect(verifySignIn({ ...HONEST, signedMessage: base64(form), signature })).toBe(false);
    expect(verifySignIn({ ...HONEST, signature })).toBe(false);
  });
});

describe('the key comes from the address (S6)', () => {
  it("rejects a text that names the victim but is signed by the attacker, which the Wallet Standard's own check accepts", () => {
    const signature = ATTACKER.sign(TEXT);
    const account = { ...OWNER, publicKey: ATTACKER.publicKey, chains: [], features: [] };
    const output = { account, signedMessage: utf8(TEXT), signature };
    expect(standardVerifySignIn({ ...INPUT, address: OWNER.address }, output)).toBe(true);
    expect(verifySignIn({ ...HONEST, signature: base64(signature) })).toBe(false);
  });

  it("rejects the attacker's signed text under the victim's address, and the reverse", () => {
    const text = signInText(INPUT, ATTACKER.address);
    const attack = { input: INPUT, signedMessage: base64(text), signature: base64(ATTACKER.sign(text)) };
    expect(verifySignIn({ ...attack, address: ATTACKER.address })).toBe(true);
    expect(verifySignIn({ ...attack, address: OWNER.address })).toBe(false);
    expect(verifySignIn({ ...HONEST, address: ATTACKER.address })).toBe(false);
  });

  it.each(['4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM', '11111111111111111111111111111111'])(
    'rejects the small-order address %s with a signature that tweetnacl accepts',
    (address) => {
      const key = bs58.decode(address);
      const text = utf8(signInText(INPUT, address));
      const forged = Array.from({ length: 100 }, (_, index) => {
        const point = ed25519.Point.BASE.multiply(BigInt(index + 1)).toBytes();
        return Uint8Array.from([...point, index + 1, ...new Uint8Array(31)]);
      }).find((candidate) => nacl.sign.detached.verify(text, candidate, key));
      expect(forged).toBeDefined();
      const signature = base64(forged ?? '');
      expect(verifySignIn({ input: INPUT, address, signedMessage: base64(text), signature })).toBe(false);
    },
  );

  it('rejects a malleated signature, S + L (S6)', () => {
    const bytes = Buffer.from(HONEST.signature, 'base64');
    const scalar = BigInt(`0x${Buffer.from(bytes.subarray(32).toReversed()).toString('hex')}`);
    const raised = (scalar + ed25519.Point.Fn.ORDER).toString(16).padStart(64, '0');
    const signature = Buffer.concat([bytes.subarray(0, 32), Buffer.from(raised, 'hex').toReversed()]);
    expect(nacl.sign.detached.verify(utf8(TEXT), signature, OWNER.publicKey)).toBe(true);
    expect(verifySignIn({ ...HONEST, signature: base64(signature) })).toBe(false);
  });
});

describe('the text is rebuilt and compared, not parsed (S5)', () => {
  const fields: Record<keyof SignInInput, string> = {
    domain: 'evil.test',
    uri: 'https://evil.test',
    statement: 'Sign in to review. No transaction, no fee',
    version: '2',
    chainId: 'devnet',
    nonce: 'b7Q2mZx0LrT9vKf4HsW1cYaE',
    issuedAt: '2026-03-01T12:00:00.001Z',
    expirationTime: '2026-03-01T12:05:00.001Z',
  };

  it.each(Object.entries(fields))('rejects a message with another %s', (field, value) => {
    const text = signInText({ ...INPUT, [field]: value }, OWNER.address);
    expect(text).not.toBe(TEXT);
    expect(verifySignIn(signing(text))).toBe(false);
  });

  it.each([
    ['an additional field', `${TEXT}\nRequest ID: 1`],
    ['resources', `${TEXT}\nResources:\n- https://evil.test`],
    ['a Not Before field', `${TEXT}\nNot Before: 2026-03-01T12:00:00.000Z`],
    ['a line break at the end', `${TEXT}\n`],
    ['a space at the end', `${TEXT} `],
    ['a NUL at the end', `${TEXT}\0`],
    ['a byte order mark', `\ufeff${TEXT}`],
    ['CRLF line ends', TEXT.replaceAll('\n', '\r\n')],
    ['another case in the domain', TEXT.replace('review.example.com', 'Review.example.com')],
    ['a look-alike letter', TEXT.replace('example', 'ex\u0430mple')],
    ['a missing field', TEXT.replace(/\nChain ID: mainnet/, '')],
    ['two fields swapped', TEXT.replace(/(Version: 1)\n(Chain ID: mainnet)/, '$2\n$1')],
    ['our nonce only in the statement', TEXT.replace(INPUT.statement, INPUT.nonce)],
    ['our text inside a longer one', `evil.test wants something else\n${TEXT}`],
    ['our text twice', TEXT + TEXT],
    ['nothing', ''],
  ])('rejects a text with %s', (_what, text) => {
    expect(text).not.toBe(TEXT);
    expect(verifySignIn(signing(text))).toBe(false);
  });

  it('rejects any one changed byte, even if correctly signed', () => {
    fc.assert(
      fc.property(fc.nat(utf8(TEXT).length - 1), fc.integer({ min: 1, max: 255 }), (index, difference) => {
        const message = utf8(TEXT).map((byte, at) => (at === index ? byte ^ difference : byte));
        const signed = { signedMessage: base64(message), signature: base64(OWNER.sign(message)) };
        expect(verifySignIn({ ...HONEST, ...signed })).toBe(false);
      }),
    );
  });
});

describe('malformed encodings', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('rejects any flipped bit of the signature', () => {
    fc.assert(
      fc.property(fc.nat(511), (bit) => {
        const bytes = Buffer.from(HONEST.signature, 'base64');
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(verifySignIn({ ...HONEST, signature: base64(bytes) })).toBe(false);
      }),
      { numRuns: 16 },
    );
  });

  it.each([0, 1, 32, 63, 65, 96, 128])('rejects a signature of %i bytes', (length) => {
    const bytes = Buffer.concat([Buffer.from(HONEST.signature, 'base64'), Buffer.alloc(64)]).subarray(0, length);
    expect(verifySignIn({ ...HONEST, signature: base64(bytes) })).toBe(false);
  });

  // The genuine signature ends in "…==": its last character has four unused bits, so 16 characters mean the same bytes.
  const spareBits = HONEST.signature.replace(/(.)==$/, (_, last: string) => {
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    return `${digits.charAt(digits.indexOf(last) + 1)}==`;
  });

  it.each([
    ['without padding', HONEST.signature.replace(/=+$/, '')],
    ['with a line break at the end', `${HONEST.signature}\n`],
    ['with a space before it', ` ${HONEST.signature}`],
    ['with a line break inside', `${HONEST.signature.slice(0, 40)}\n${HONEST.signature.slice(40)}`],
    ['with one more padding sign', `${HONEST.signature}=`],
    ['with unused bits set', spareBits],
    ['as hex', Buffer.from(HONEST.signature, 'base64').toString('hex')],
    ['as base58', bs58.encode(Buffer.from(HONEST.signature, 'base64'))],
  ])('rejects a signature in base64 %s', (_what, signature) => {
    expect(signature).not.toBe(HONEST.signature);
    expect(verifySignIn({ ...HONEST, signature })).toBe(false);
  });

  it('rejects a message or a signature in base64url', () => {
    const text = signInText({ ...INPUT, statement: 'ÿ'.repeat(9) }, OWNER.address);
    const input = { ...INPUT, statement: 'ÿ'.repeat(9) };
    const honest = { ...signing(text), input };
    expect(verifySignIn(honest)).toBe(true);
    const urlSafe = (value: string) => value.replaceAll('+', '-').replaceAll('/', '_');
    expect(urlSafe(honest.signedMessage)).not.toBe(honest.signedMessage);
    expect(verifySignIn({ ...honest, signedMessage: urlSafe(honest.signedMessage) })).toBe(false);
    expect(verifySignIn({ ...honest, signature: `-${honest.signature.slice(1)}` })).toBe(false);
  });

  it.each([
    ['spaces around it', ` ${OWNER.address} `],
    ['a line break after it', `${OWNER.address}\n`],
    ['another case', OWNER.address.toLowerCase()],
    ['a missing character', OWNER.address.slice(1)],
    ['an additional leading 1', `1${OWNER.address}`],
    ['no characters', ''],
  ])('rejects an address with %s, even if it is signed in the text', (_what, address) => {
    const text = signInText(INPUT, address);
    expect(verifySignIn({ ...signing(text), address })).toBe(false);
  });

  it('rejects a signature of another length before it decodes the address (S6)', () => {
    const decode = vi.spyOn(bs58, 'decodeUnsafe');
    expect(verifySignIn({ ...HONEST, signature: base64(new Uint8Array(63)) })).toBe(false);
    expect(decode).not.toHaveBeenCalled();
  });

  it('rejects 20 000-character values before any decoding (S6)', () => {
    const decode = vi.spyOn(bs58, 'decodeUnsafe');
    const fromBase64 = vi.spyOn(Buffer, 'from');
    expect(verifySignIn({ ...HONEST, address: 'z'.repeat(20_000) })).toBe(false);
    expect(verifySignIn({ ...HONEST, signedMessage: 'A'.repeat(20_000) })).toBe(false);
    expect(decode).not.toHaveBeenCalled();
    expect(fromBase64.mock.calls.filter(([value]) => typeof value === 'string' && value.length >= 20_000)).toEqual([]);
  });

  it('rejects a message above 2048 bytes, even if correctly signed', () => {
    const room = 2048 - utf8(TEXT).length + INPUT.statement.length;
    const signed = (length: number) => {
      const input = { ...INPUT, statement: 'x'.repeat(length) };
      return { ...signing(signInText(input, OWNER.address)), input };
    };
    expect(verifySignIn(signed(room))).toBe(true);
    expect(verifySignIn(signed(room + 1))).toBe(false);
  });

  it.each([undefined, null, 0, true, [], {}, [OWNER.address], { length: 44 }, new Uint8Array(64)])(
    'rejects a member that is %o and does not throw',
    (value) => {
      const wrong = value as string;
      expect(verifySignIn({ ...HONEST, address: wrong })).toBe(false);
      expect(verifySignIn({ ...HONEST, signedMessage: wrong })).toBe(false);
      expect(verifySignIn({ ...HONEST, signature: wrong })).toBe(false);
    },
  );

  it('never throws and never accepts anything else, for any input', () => {
    const anyText = fc.oneof(fc.string(), fc.base64String(), fc.constant(HONEST.signature), fc.constant(OWNER.address));
    fc.assert(
      fc.property(anyText, anyText, anyText, (address, signedMessage, signature) => {
        expect(verifySignIn({ input: INPUT, address, signedMessage, signature })).toBe(false);
      }),
    );
  });
});
