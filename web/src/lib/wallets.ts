// Wallets of this browser by the Wallet Standard: finding them, and having one sign the server's sign-in message.
import {
  SolanaSignIn,
  SolanaSignMessage,
  type SolanaSignInFeature,
  type SolanaSignMessageFeature,
} from '@solana/wallet-standard-features';
import type { SignInInput } from '@countersign/shared/api/session';
import { getWallets } from '@wallet-standard/app';
import type { Wallet } from '@wallet-standard/base';
import { StandardConnect, type StandardConnectFeature } from '@wallet-standard/features';
import { signInText } from '@countersign/shared/sign-in-text';

/** The name the demo's own wallet goes by. */
export const BURNER_NAME = 'Burner wallet';

const KEY = 'countersign.wallet';

/** A wallet one can sign in with. Name and icon are its own claims: the icon is used only as a `data:` picture. */
export interface WalletChoice {
  name: string;
  icon: string | null;
  /** `message`: it only signs plain messages, so it does not check the site for you. */
  method: 'sign-in' | 'message';
  wallet: Wallet;
}

/** What the server wants back, besides the challenge's id. Bytes as base64. */
export interface Signed {
  address: string;
  signed_message: string;
  signature: string;
}

/** The person said no in the wallet: not an error, nothing to report. */
export class SigningRefused extends Error {}

/** Tells now and on every change which wallets can sign in, last used first. Answers the function that stops it. */
export function watchWallets(listener: (choices: WalletChoice[]) => void): () => void {
  const wallets = getWallets();
  const tell = () => listener(inOrder(wallets.get().flatMap(choiceOf)));
  tell();
  const stops = [wallets.on('register', tell), wallets.on('unregister', tell)];
  return () => stops.forEach((stop) => stop());
}

/**
 * Lets a wallet sign the challenge: `solana:signIn` where it has it, the same text by `solana:signMessage` otherwise.
 * Throws {@link SigningRefused} when the person declined, whatever the wallet throws otherwise.
 */
export async function signWith(choice: WalletChoice, input: SignInInput): Promise<Signed> {
  try {
    const signed = await (choice.method === 'sign-in' ? bySignIn : byMessage)(choice.wallet, input);
    remember({ name: choice.name, address: signed.address });
    return signed;
  } catch (error) {
    throw isRefusal(error) ? new SigningRefused() : error;
  }
}

/** The wallet and address of the last sign-in in this browser. */
export function lastUsed(): { name: string; address: string } | null {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    if (typeof stored !== 'object' || stored === null || !('name' in stored) || !('address' in stored)) return null;
    return { name: String(stored.name), address: String(stored.address) };
  } catch {
    return null;
  }
}

/** Wallets say no in their own words: code 4001 (EIP-1193, used by Solana wallets too), or a message that says so. */
export function isRefusal(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if ('code' in error && error.code === 4001) return true;
  return 'message' in error && /reject|denied|declin|cancel|refus|closed/i.test(String(error.message));
}

function choiceOf(wallet: Wallet): WalletChoice[] {
  const method = SolanaSignIn in wallet.features ? 'sign-in' : SolanaSignMessage in wallet.features ? 'message' : null;
  if (method === null || (method === 'message' && !(StandardConnect in wallet.features))) return [];
  const icon = /^data:image\/(svg\+xml|webp|png|gif);base64,/.test(wallet.icon) ? wallet.icon : null;
  return [{ name: wallet.name, icon, method, wallet }];
}

function inOrder(choices: WalletChoice[]): WalletChoice[] {
  const last = lastUsed()?.name;
  const rank = ({ name }: WalletChoice) => (name === last ? 0 : name === BURNER_NAME ? 2 : 1);
  return choices.toSorted((a, b) => rank(a) - rank(b));
}

async function bySignIn(wallet: Wallet, input: SignInInput): Promise<Signed> {
  // The Wallet Standard types features by their name; a wallet that names one has it in that shape.
  const feature = wallet.features[SolanaSignIn] as SolanaSignInFeature[typeof SolanaSignIn];
  const [output] = await feature.signIn(input);
  if (output === undefined) throw new Error('the wallet answered without a signature');
  return encode(addressFrom(output, wallet), output);
}

async function byMessage(wallet: Wallet, input: SignInInput): Promise<Signed> {
  const connect = wallet.features[StandardConnect] as StandardConnectFeature[typeof StandardConnect];
  const [account] = (await connect.connect()).accounts;
  if (account === undefined) throw new Error('the wallet shared no account');
  const message = new TextEncoder().encode(signInText(input, account.address));
  const feature = wallet.features[SolanaSignMessage] as SolanaSignMessageFeature[typeof SolanaSignMessage];
  const [output] = await feature.signMessage({ account, message });
  if (output === undefined) throw new Error('the wallet answered without a signature');
  return encode(account.address, output);
}

/** Some wallets answer a bare `address` instead of an account, or neither and have it connected. */
function addressFrom(output: object, wallet: Wallet): string {
  if ('account' in output && typeof output.account === 'object' && output.account !== null) {
    if ('address' in output.account) return String(output.account.address);
  }
  if ('address' in output) return String(output.address);
  const [connected] = wallet.accounts;
  if (connected === undefined) throw new Error('the wallet did not say which account signed');
  return connected.address;
}

function encode(address: string, output: { signedMessage: Uint8Array; signature: Uint8Array }): Signed {
  return { address, signed_message: base64(output.signedMessage), signature: base64(output.signature) };
}

const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

function remember(used: { name: string; address: string }): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(used));
  } catch {
    // Storage can be forbidden; the next visit then shows the wallets in their own order.
  }
}
