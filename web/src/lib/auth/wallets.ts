// This browser's wallets: finds them, has one sign in, and reports a switched account; and the wallets to install.
import {
  SolanaSignIn,
  SolanaSignMessage,
  type SolanaSignInFeature,
  type SolanaSignMessageFeature,
} from '@solana/wallet-standard-features';
import type { SignInInput } from '@countersign/shared/schemas/session';
import { getWallets } from '@wallet-standard/app';
import type { Wallet, WalletAccount } from '@wallet-standard/base';
import {
  StandardConnect,
  type StandardConnectFeature,
  StandardEvents,
  type StandardEventsFeature,
} from '@wallet-standard/features';
import { signInText } from '@countersign/shared/sign-in-text';
import { iconOf, walletName } from './sanitize-wallet.ts';
import { json, persisted } from '../storage/persisted.ts';

/** The server accepts no longer messages (S6). */
const MOST_BYTES = 2048;

/** A wallet that can sign in. Its name and icon are its own claims, sanitized. */
export interface WalletChoice {
  /** Empty when the wallet has no displayable name. */
  name: string;
  icon: string | null;
  /** `message`: the wallet only signs plain messages, so it does not check the site for you. */
  method: 'sign-in' | 'message';
  /** The address of the last sign-in in this browser, when it was with this wallet. */
  last: string | null;
  /** An earlier wallet in the list has the same name. */
  sameName: boolean;
  wallet: Wallet;
}

/** The fields the server expects besides the challenge's id. Bytes as base64. */
export interface Signed {
  address: string;
  signed_message: string;
  signature: string;
}

/** The user refused in the wallet: not an error, nothing to report. */
export class SigningRefused extends Error {}

/** The wallet is locked, and has not offered to be unlocked. */
export class WalletLocked extends Error {}

/** Reports now and on every change which wallets can sign in, last used first. Returns the function that stops it. */
export function watchWallets(listener: (choices: WalletChoice[]) => void): () => void {
  const wallets = getWallets();
  const notify = () => listener(lastUsedFirst(wallets.get().flatMap(choiceOf)));
  notify();
  const stops = [wallets.on('register', notify), wallets.on('unregister', notify)];
  return () => stops.forEach((stop) => stop());
}

/**
 * The Solana accounts the wallet shows to this page. A wallet that only signs messages is connected first, which may prompt the
 * user. Throws {@link SigningRefused} when the user refused, {@link WalletLocked}, or any other error of the wallet.
 */
export async function accountsOf({ method, wallet }: WalletChoice): Promise<WalletAccount[]> {
  try {
    const shown = method === 'message' ? await connect(wallet) : wallet.accounts;
    return shown.filter(({ chains }) => chains.some((chain) => chain.startsWith('solana:')));
  } catch (error) {
    throw normalizeError(error);
  }
}

/**
 * Has a wallet sign the challenge: with `solana:signIn` where available, otherwise the same text with `solana:signMessage` (S10).
 * Without an account the wallet decides which one signs; a wallet that only signs messages requires one. Throws {@link
 * SigningRefused} when the user refused, {@link WalletLocked}, or any other error of the wallet.
 */
export async function signWith(
  { method, wallet }: WalletChoice,
  input: SignInInput,
  account: WalletAccount | null,
): Promise<Signed> {
  try {
    return await (method === 'sign-in' ? bySignIn : byMessage)(wallet, input, account);
  } catch (error) {
    throw normalizeError(error);
  }
}

interface UsedWallet {
  name: string;
  address: string;
}

/** The wallet of the last sign-in in this browser. Without storage the next visit lists the wallets in their own order. */
const stored = persisted(
  'countersign.wallet',
  json((value): UsedWallet | null => {
    if (typeof value !== 'object' || value === null || !('name' in value) || !('address' in value)) return null;
    return { name: String(value.name), address: String(value.address) };
  }),
);

export const lastUsed = (): UsedWallet | null => stored.read();

/** Saves the wallet and address for the next visit. */
export const remember = ({ name, address }: UsedWallet): void => void stored.write({ name, address });

/** Wallets report a refusal differently: with code 4001 (EIP-1193, also used by Solana wallets), or only in the message. */
export function isRefusal(error: unknown): boolean {
  return matchesError(error, 4001, /reject|denied|declin|cancel|refus|closed/i);
}

/** Code 4100 is "not authorised for this page", which wallets return while they are locked. */
export function isLocked(error: unknown): boolean {
  return matchesError(error, 4100, /\b(un)?lock(ed)?\b/i);
}

function matchesError(error: unknown, code: number, words: RegExp): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if ('code' in error && error.code === code) return true;
  return 'message' in error && words.test(String(error.message));
}

/** Maps an error of a wallet to our own error classes where one fits. Reading a property of it may throw too. */
function normalizeError(error: unknown): unknown {
  try {
    if (isRefusal(error)) return new SigningRefused();
    return isLocked(error) ? new WalletLocked() : error;
  } catch {
    return new Error('The wallet threw a value that cannot be read.');
  }
}

function choiceOf(wallet: Wallet): WalletChoice[] {
  try {
    const { features } = wallet;
    const method = SolanaSignIn in features ? 'sign-in' : SolanaSignMessage in features ? 'message' : null;
    if (method === null || (method === 'message' && !(StandardConnect in features))) return [];
    return [{ name: walletName(wallet), icon: iconOf(wallet), method, last: null, sameName: false, wallet }];
  } catch {
    // Anything can be registered. An object that cannot be read is no wallet, and hides no other.
    return [];
  }
}

function lastUsedFirst(choices: WalletChoice[]): WalletChoice[] {
  const last = lastUsed();
  const names = choices.map(({ name }) => name);
  const found = choices.map((choice, index) => ({ ...choice, sameName: names.indexOf(choice.name) < index }));
  const used = found.find(({ name }) => name === last?.name);
  if (used === undefined || last === null) return found;
  return [{ ...used, last: last.address }, ...found.filter((choice) => choice !== used)];
}

async function connect(wallet: Wallet): Promise<readonly WalletAccount[]> {
  // The Wallet Standard types features by their name; a wallet that names one has it in that shape.
  const feature = wallet.features[StandardConnect] as StandardConnectFeature[typeof StandardConnect];
  return (await feature.connect()).accounts;
}

async function bySignIn(wallet: Wallet, input: SignInInput, account: WalletAccount | null): Promise<Signed> {
  const feature = wallet.features[SolanaSignIn] as SolanaSignInFeature[typeof SolanaSignIn];
  const [output] = await feature.signIn(account === null ? input : { ...input, address: account.address });
  if (output === undefined) throw new Error('The wallet answered without a signature.');
  return encode(addressFrom(output, account ?? wallet.accounts[0]), output);
}

async function byMessage(wallet: Wallet, input: SignInInput, account: WalletAccount | null): Promise<Signed> {
  if (account === null) throw new Error('The wallet shared no account.');
  const message = new TextEncoder().encode(signInText(input, account.address));
  const feature = wallet.features[SolanaSignMessage] as SolanaSignMessageFeature[typeof SolanaSignMessage];
  const [output] = await feature.signMessage({ account, message });
  if (output === undefined) throw new Error('The wallet answered without a signature.');
  return encode(account.address, output);
}

/** Some wallets return a bare `address` instead of an account, or neither while the account is connected (S14). */
function addressFrom(output: object, connected: WalletAccount | undefined): string {
  if ('account' in output && typeof output.account === 'object' && output.account !== null) {
    if ('address' in output.account) return String(output.account.address);
  }
  if ('address' in output) return String(output.address);
  if (connected === undefined) throw new Error('The wallet did not say which account signed.');
  return connected.address;
}

function encode(address: string, output: { signedMessage: Uint8Array; signature: Uint8Array }): Signed {
  return { address, signed_message: base64(output.signedMessage), signature: base64(output.signature) };
}

function base64(bytes: Uint8Array): string {
  if (bytes.length > MOST_BYTES) throw new Error('The wallet answered more than was requested.');
  return btoa(String.fromCharCode(...bytes));
}

/**
 * Reports the wallet's address whenever it is not the signed-in one, and null when it is again, or when the wallet is locked and
 * shows none. Only the wallet that signed in is followed. Returns the function that stops it.
 */
export function watchAccount(address: string, listener: (other: string | null) => void): () => void {
  const used = lastUsed();
  if (used?.address !== address) return () => undefined;
  const stops: (() => void)[] = [];
  const follow = (...found: readonly Wallet[]) => {
    for (const wallet of found) {
      try {
        if (walletName(wallet) !== used.name) continue;
        stops.push(followWallet(wallet, (accounts) => listener(otherAccount(address, accounts))));
      } catch {
        // Anything can be registered: an object that cannot be read is no wallet.
      }
    }
  };
  const wallets = getWallets();
  stops.push(wallets.on('register', follow));
  follow(...wallets.get());
  return () => stops.forEach((stop) => stop());
}

/** The address of these accounts when the signed-in one is not among them. */
export function otherAccount(address: string, accounts: readonly WalletAccount[]): string | null {
  const ours = accounts.filter(({ chains }) => chains.some((chain) => chain.startsWith('solana:')));
  return ours.some((account) => account.address === address) ? null : (ours[0]?.address ?? null);
}

function followWallet(wallet: Wallet, notify: (accounts: readonly WalletAccount[]) => void): () => void {
  if (!(StandardEvents in wallet.features)) return () => undefined;
  // The Wallet Standard types features by their name; a wallet that names one has it in that shape.
  const { on } = wallet.features[StandardEvents] as StandardEventsFeature[typeof StandardEvents];
  let stopped = false;
  const stop = on('change', ({ accounts }) => {
    if (accounts !== undefined) notify(accounts);
  });
  // After a reload a wallet shows no account until the page connects; a silent connection does not prompt the user.
  void connectSilently(wallet)
    .then(() => stopped || notify(wallet.accounts))
    .catch(() => undefined);
  return () => {
    stopped = true;
    stop();
  };
}

async function connectSilently(wallet: Wallet): Promise<void> {
  if (!(StandardConnect in wallet.features)) return;
  const { connect } = wallet.features[StandardConnect] as StandardConnectFeature[typeof StandardConnect];
  await connect({ silent: true });
}

interface WalletApp {
  readonly name: string;
  /** Its installation page. */
  readonly install: string;
  /** The universal link of the app's own browser; the URL to open follows. */
  readonly browse: string;
}

export const WALLET_APPS: readonly WalletApp[] = [
  { name: 'Phantom', install: 'https://phantom.com/download', browse: 'https://phantom.app/ul/browse/' },
  { name: 'Solflare', install: 'https://solflare.com/download', browse: 'https://solflare.com/ul/v1/browse/' },
  { name: 'Backpack', install: 'https://backpack.app/download', browse: 'https://backpack.app/ul/v1/browse/' },
];

/**
 * A link that opens the service's first page inside the app. Without the app the link leads to a page of its maker, so it
 * contains the origin and nothing else: the requested page's URL may contain the secret of an invite (PM3).
 */
export function browseLink({ browse }: WalletApp, origin: string): string {
  const address = encodeURIComponent(new URL(origin).origin);
  return `${browse}${address}?ref=${address}`;
}
