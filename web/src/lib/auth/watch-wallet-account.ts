// Detects when the signed-in wallet switches to another account: the session stays with the account that signed.
import { getWallets } from '@wallet-standard/app';
import type { Wallet, WalletAccount } from '@wallet-standard/base';
import {
  StandardConnect,
  StandardEvents,
  type StandardConnectFeature,
  type StandardEventsFeature,
} from '@wallet-standard/features';
import { walletName } from './sanitize-wallet.ts';
import { lastUsed } from './wallets.ts';

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
