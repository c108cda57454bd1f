// Installs a Wallet Standard wallet into a page as an extension would; its key stays outside the page.
import type { Page } from 'playwright';
import bs58 from 'bs58';
import type { Wallet } from '../../server/test/client.ts';

const WALLET_NAME = 'Test Wallet';

/** Installs the wallet before any script of the page runs. */
export async function injectWallet(page: Page, wallet: Wallet): Promise<void> {
  await page.exposeFunction('signWithTestWallet', (bytes: number[]) => [...wallet.sign(Uint8Array.from(bytes))]);
  const publicKey = [...bs58.decode(wallet.address)];
  await page.addInitScript(install, { address: wallet.address, publicKey, name: WALLET_NAME });
}

/** Runs in the page: registers in both ways of the Wallet Standard, so that either side may load first. */
function install({ address, publicKey, name }: { address: string; publicKey: number[]; name: string }): void {
  const chains = ['solana:mainnet'] as const;
  const features = ['solana:signMessage'] as const;
  const account = { address, publicKey: Uint8Array.from(publicKey), chains, features };
  const sign = (window as unknown as { signWithTestWallet(bytes: number[]): Promise<number[]> }).signWithTestWallet;
  const signMessage = async ({ message }: { message: Uint8Array }) => {
    const signature = Uint8Array.from(await sign([...message]));
    return [{ signedMessage: message, signature, signatureType: 'ed25519' }];
  };
  let accounts = [account];
  const listeners = new Set<(change: object) => void>();
  const on = (_event: string, listener: (change: object) => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  Object.assign(window, {
    showOtherAccount: (other: string) => {
      accounts = [{ ...account, address: other }];
      listeners.forEach((listener) => listener({ accounts }));
    },
  });
  const wallet = {
    version: '1.0.0',
    name,
    icon: 'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=',
    chains,
    get accounts() {
      return accounts;
    },
    features: {
      'standard:connect': { version: '1.0.0', connect: () => Promise.resolve({ accounts }) },
      'standard:events': { version: '1.0.0', on },
      'solana:signMessage': { version: '1.1.0', signMessage },
    },
  };
  const callback = ({ register }: { register(value: unknown): void }) => register(wallet);
  window.addEventListener('wallet-standard:app-ready', (event) => callback((event as CustomEvent<never>).detail));
  window.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: callback }));
}

/** Signs in with the installed wallet, from the sign-in page to the page it leads to. */
export async function signIn(page: Page): Promise<void> {
  await page.getByRole('button', { name: WALLET_NAME }).click();
  await page.waitForURL(/\/(projects|queue|analytics|learnings)/);
}

/** Switches the installed wallet to another account, as a person does; it notifies the page, and signs only for that account. */
export async function switchAccount(page: Page, address: string): Promise<void> {
  await page.evaluate((other) => {
    (window as unknown as { showOtherAccount(address: string): void }).showOtherAccount(other);
  }, address);
}
