// Sign-ins signed by real wallets and real Ledger devices, as published with supabase/auth (internal/api/web3_test.go).
import { describe, expect, it } from 'vitest';
import { signedForms } from '../domain/access/sign-in.ts';
import { decodeAddress, verifySignature } from './ed25519.ts';

interface Vector {
  domain: string;
  address: string;
  /** The lines of the message after the address. */
  rest: string[];
  signature: string;
}

const OF_A_WALLET: Vector[] = [
  {
    domain: 'supabase.com',
    address: '2EZEiBdw47VHT6SpZSW9VnuSvBe7DxuYHBTxj19gxvv8',
    rest: ['', 'Statement', '', 'URI: https://supabase.com/', 'Version: 1', 'Issued At: 2025-03-29T00:00:00Z'],
    signature: 'BQxBJ+g2xbMh0LqwYR4ULJ4l7jXFmz33urmp534MS0x7nrGRe2xYdFq41FiGrySX6RipzGqX4kS2vkQmi/+JCg==',
  },
  {
    domain: 'localhost:5173',
    address: '4UPcfLX6rHuunkDiCnrVdN2BxnaKUAT1m2KCrzaAAct6',
    rest: [
      '',
      'Sign in on localhost',
      '',
      'URI: http://localhost:5173/',
      'Version: 1',
      'Issued At: 2025-05-16T14:52:03.613Z',
    ],
    signature: 'RT2JCFpZQtPwGONApGZn1dZnxOBB3zJZHAQPr+cOaI+eQ4ecw/N6zJ6TNw8a+g8n6Xm/Ky1TVZRuWHSxMU1jDg==',
  },
];

const OWNERSHIP = ['', 'I confirm ownership of this wallet', '', 'Version: 1'];
const OF_A_LEDGER: Vector[] = [
  {
    domain: 'supabase.com',
    address: 'EqzxWVyBpLD34SV9w1FFpPPvbfrfAXdiDVg1cyHTR1Rv',
    rest: [...OWNERSHIP, 'URI: https://supabase.com/', 'Issued At: 2025-07-29T22:29:52.235Z'],
    signature: '9slc0BBJw16TzWYs4/op8na3vt9E0CKt0FL5pqhzTDxvqF/txpbdo+ULDCeSzrDE/uJWmpMQw+hF0rkDj4Q0Bw==',
  },
  {
    domain: 'localhost:5173',
    address: 'EqzxWVyBpLD34SV9w1FFpPPvbfrfAXdiDVg1cyHTR1Rv',
    rest: [...OWNERSHIP, 'URI: http://localhost:5173/', 'Issued At: 2025-07-29T22:35:10.473Z'],
    signature: '28d9ntDE8iPkxPvzg7A+8/6QFSq8FoPIdV4O5Or6nMDRFrEip/UJKIlLlKXM/SKUeLZmnTcc+V7Y6qnQymUDDg==',
  },
];

/** Which of the forms the signature covers: 0 the text, 1 off-chain version 1, 2 and 3 version 0. */
function formsSigned({ domain, address, rest, signature }: Vector, application = domain): number[] {
  const text = [`${domain} wants you to sign in with your Solana account:`, address, ...rest].join('\n');
  const key = decodeAddress(address) ?? new Uint8Array();
  const forms = signedForms(Buffer.from(text), key, Buffer.from(application));
  const signed = forms.map((form) => verifySignature(form, Buffer.from(signature, 'base64'), key));
  return [...signed.keys()].filter((index) => signed[index]);
}

describe('published signatures (S11)', () => {
  it.each(OF_A_WALLET)('a wallet signature at $domain covers the text itself', (vector) => {
    expect(formsSigned(vector)).toEqual([0]);
  });

  it.each(OF_A_LEDGER)(
    'a Ledger signature at $domain covers off-chain version 0, format 0, with the site in it',
    (vector) => {
      expect(formsSigned(vector)).toEqual([2]);
    },
  );

  it.each(OF_A_LEDGER)('a Ledger signature at $domain is not valid for another site', (vector) => {
    expect(formsSigned(vector, 'evil.test')).toEqual([]);
  });
});
