// The demo's wallet: a Wallet Standard wallet with a key generated in this browser, in demo builds only.
import {
  SolanaSignIn,
  SolanaSignMessage,
  type SolanaSignInInput,
  type SolanaSignInOutput,
  type SolanaSignMessageInput,
  type SolanaSignMessageOutput,
} from '@solana/wallet-standard-features';
import type { SignInInput } from '@countersign/shared/schemas/session';
import type { Wallet, WalletAccount } from '@wallet-standard/base';
import { StandardConnect, StandardEvents } from '@wallet-standard/features';
import { registerWallet } from '@wallet-standard/wallet';
import bs58 from 'bs58';
import nacl from 'tweetnacl';
import { signInText } from '@countersign/shared/sign-in-text';
import { persisted } from '../storage/persisted.ts';

const NAME = 'Burner wallet';
const storedSeed = persisted('countersign.burner', {
  parse: (text): Uint8Array | null => {
    const seed = bs58.decodeUnsafe(text ?? '');
    return seed?.length === nacl.sign.seedLength ? seed : null;
  },
  format: (seed) => (seed === null ? '' : bs58.encode(seed)),
});
const CHAINS = ['solana:mainnet', 'solana:devnet', 'solana:testnet'] as const;
const FEATURES = [SolanaSignIn, SolanaSignMessage] as const;
const FLAME =
  'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCAyNCAyNCIgZmlsbD0ibm9uZSIgc3Ryb2tlPSIjN2E4NDg2IiBzdHJva2Utd2lkdGg9IjIiIHN0cm9rZS1saW5lY2FwPSJyb3VuZCIgc3Ryb2tlLWxpbmVqb2luPSJyb3VuZCI+PHBhdGggZD0iTTguNSAxNC41QTIuNSAyLjUgMCAwIDAgMTEgMTJjMC0xLjM4LS41LTItMS0zLTEuMDcyLTIuMTQzLS4yMjQtNC4wNTQgMi02IC41IDIuNSAyIDQuOSA0IDYuNSAyIDEuNiAzIDMuNSAzIDUuNWE3IDcgMCAxIDEtMTQgMGMwLTEuMTUzLjQzMy0yLjI5NCAxLTNhMi41IDIuNSAwIDAgMCAyLjUgMi41eiIvPjwvc3ZnPg==';

let made: Wallet | null = null;

/**
 * Registers the wallet with the page, with the key of earlier visits when there is one. Repeated calls return the same wallet.
 */
export function registerBurner(): Wallet {
  if (made === null) {
    made = makeBurner();
    registerWallet(made);
  }
  return made;
}

function makeBurner(): Wallet {
  const keys = nacl.sign.keyPair.fromSeed(readSeed());
  const account: WalletAccount = {
    address: bs58.encode(keys.publicKey),
    publicKey: keys.publicKey,
    chains: CHAINS,
    features: FEATURES,
  };
  return walletOf(account, (message) => nacl.sign.detached(message, keys.secretKey));
}

function walletOf(account: WalletAccount, sign: (message: Uint8Array) => Uint8Array): Wallet {
  const signIn = async (...inputs: readonly SolanaSignInInput[]): Promise<SolanaSignInOutput[]> =>
    inputs.map((input) => {
      // A wallet signs only for its own account and only messages that name the requesting site.
      if (input.domain !== location.host) throw new Error('The message names another site.');
      if (input.address !== undefined && input.address !== account.address) throw new Error('The account is unknown.');
      const signedMessage = new TextEncoder().encode(signInText(complete(input), account.address));
      return { account, signedMessage, signature: sign(signedMessage) };
    });
  const signMessage = async (...inputs: readonly SolanaSignMessageInput[]): Promise<SolanaSignMessageOutput[]> =>
    inputs.map(({ message }) => ({ signedMessage: message, signature: sign(message) }));
  return {
    version: '1.0.0',
    name: NAME,
    icon: FLAME,
    chains: CHAINS,
    accounts: [account],
    features: {
      [StandardConnect]: { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
      [StandardEvents]: { version: '1.0.0', on: () => () => undefined },
      [SolanaSignIn]: { version: '1.0.0', signIn },
      [SolanaSignMessage]: { version: '1.0.0', signMessage },
    },
  };
}

/** The standard makes every field optional; our server sets them all, and this wallet refuses a message without one. */
function complete(input: SolanaSignInInput): SignInInput {
  const { domain, uri, statement, version, chainId, nonce, issuedAt, expirationTime } = input;
  if (!domain || !uri || !statement || version !== '1' || !chainId || !nonce || !issuedAt || !expirationTime) {
    throw new Error('The message is not complete.');
  }
  return { domain, uri, statement, version, chainId, nonce, issuedAt, expirationTime };
}

/** The key is stored in this browser, so that the user stays the same after a reload. It protects nothing but the demo. */
function readSeed(): Uint8Array {
  const known = storedSeed.read();
  if (known !== null) return known;
  // Where storage is forbidden the wallet lasts until the page is left.
  const seed = nacl.randomBytes(nacl.sign.seedLength);
  storedSeed.write(seed);
  return seed;
}
