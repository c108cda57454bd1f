// Provides wallets of every kind for one page: how they register, what they support, and how they respond.
import { createSignInMessage } from '@solana/wallet-standard-util';
import bs58 from 'bs58';
import type { Page } from 'playwright';
import type { Wallet } from '../../server/test/client.ts';

/** What a wallet does when asked to sign. `bare` returns an address and no account, `mute` returns neither. */
type Behaviour = 'signs' | 'bare' | 'mute' | 'refuses' | 'locked' | 'silent' | 'odd';

export interface TestWallet {
  name: string;
  icon?: string;
  /** `message` has solana:signMessage alone, which requires a connection first. */
  can: 'sign-in' | 'message';
  behaviour?: Behaviour;
  /** Its accounts; it shows them all. The keys stay outside the page. */
  keys: readonly Wallet[];
  /** `waits` for the ready event of the page, `calls` into the page, `both` as the Wallet Standard requires. */
  registers?: 'waits' | 'calls' | 'both';
}

interface Bytes {
  message: number[];
  signature: number[];
}

interface SigningBridge {
  signAs(address: string, message: number[]): Promise<number[]>;
  signInAs(address: string, input: object): Promise<Bytes>;
}

/** What the wallets of this page were asked to sign, as text, in order. */
export async function installTestWallets(page: Page, ...testWallets: TestWallet[]): Promise<string[]> {
  const asked: string[] = [];
  const keys = new Map(testWallets.flatMap((testWallet) => testWallet.keys.map((key) => [key.address, key] as const)));
  const sign = (address: string, bytes: Uint8Array) => {
    const key = keys.get(address);
    if (key === undefined) throw new Error(`no key for ${address}`);
    asked.push(Buffer.from(bytes).toString('utf8'));
    return [...key.sign(bytes)];
  };
  await page.exposeFunction('signAs', (address: string, message: number[]) => sign(address, Uint8Array.from(message)));
  await page.exposeFunction('signInAs', (address: string, input: { domain: string }) => {
    const message = createSignInMessage({ ...input, address });
    return { message: [...message], signature: sign(address, message) };
  });
  await page.addInitScript(registerWallets, testWallets.map(toPageWallet));
  return asked;
}

/** Registers wallets in a page that is already open. Its wallet set must hold their keys. */
export async function addTestWallets(page: Page, ...testWallets: TestWallet[]): Promise<void> {
  await page.evaluate(registerWallets, testWallets.map(toPageWallet));
}

const ICON = 'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=';

const toPageWallet = ({ name, icon = ICON, can, behaviour = 'signs', keys, registers = 'both' }: TestWallet) => {
  const accounts = keys.map(({ address }) => ({ address, publicKey: [...bs58.decode(address)] }));
  return { name, icon, can, behaviour, registers, accounts };
};

/** Runs in the page, before or after its scripts. */
function registerWallets(testWallets: ReturnType<typeof toPageWallet>[]): void {
  const bridge = window as unknown as SigningBridge;
  const chains = ['solana:mainnet'] as const;

  for (const testWallet of testWallets) {
    const features = testWallet.can === 'sign-in' ? ['solana:signIn'] : ['solana:signMessage'];
    const accounts = testWallet.accounts.map(({ address, publicKey }) => ({
      address,
      publicKey: Uint8Array.from(publicKey),
      chains,
      features,
    }));

    /** What it does instead of signing, if anything. */
    const misbehave = async (): Promise<void> => {
      if (testWallet.behaviour === 'refuses')
        throw Object.assign(new Error('User rejected the request.'), { code: 4001 });
      if (testWallet.behaviour === 'locked') throw Object.assign(new Error('Not authorised.'), { code: 4100 });
      // oxlint-disable-next-line typescript/only-throw-error -- the wallet decides what it throws
      if (testWallet.behaviour === 'odd') throw { toString: () => '<b>odd</b>' };
      if (testWallet.behaviour === 'silent') await new Promise(() => undefined);
    };
    const signIn = async (input: { address?: string }) => {
      await misbehave();
      const account = accounts.find(({ address }) => address === input.address) ?? accounts[0];
      if (account === undefined) throw new Error('no account');
      const { message, signature } = await bridge.signInAs(account.address, input);
      const who = { signs: { account }, bare: { address: account.address } }[testWallet.behaviour as 'signs' | 'bare'];
      return [{ ...who, signedMessage: Uint8Array.from(message), signature: Uint8Array.from(signature) }];
    };
    const signMessage = async ({ account, message }: { account: { address: string }; message: Uint8Array }) => {
      await misbehave();
      const signature = Uint8Array.from(await bridge.signAs(account.address, [...message]));
      return [{ signedMessage: message, signature, signatureType: 'ed25519' }];
    };
    const wallet = {
      version: '1.0.0',
      name: testWallet.name,
      icon: testWallet.icon,
      chains,
      // A wallet that signs in shows its accounts at once only when it must: for a choice, or instead of a result.
      accounts: testWallet.can === 'message' || accounts.length > 1 || testWallet.behaviour === 'mute' ? accounts : [],
      features: {
        'standard:connect': { version: '1.0.0', connect: () => Promise.resolve({ accounts }) },
        ...(testWallet.can === 'sign-in'
          ? { 'solana:signIn': { version: '1.0.0', signIn } }
          : { 'solana:signMessage': { version: '1.1.0', signMessage } }),
      },
    };
    const callback = ({ register }: { register(value: unknown): void }) => register(wallet);
    if (testWallet.registers !== 'calls')
      window.addEventListener('wallet-standard:app-ready', (event) => callback((event as CustomEvent<never>).detail));
    if (testWallet.registers !== 'waits')
      window.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: callback }));
  }
}
