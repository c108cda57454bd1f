// Wallets of every kind for one page: how they register, what they can do, and what they do when they are asked.
import { createSignInMessage } from '@solana/wallet-standard-util';
import bs58 from 'bs58';
import type { Page } from 'playwright';
import type { Wallet } from '../server/test/client.ts';

/** What a wallet does when it is asked to sign. `bare` answers an address and no account, `mute` names nobody at all. */
type Manner = 'signs' | 'bare' | 'mute' | 'refuses' | 'locked' | 'silent' | 'odd';

export interface Animal {
  name: string;
  icon?: string;
  /** `message` has solana:signMessage alone, which wants a connection first. */
  can: 'sign-in' | 'message';
  manner?: Manner;
  /** Its accounts; it shows them all. Keys stay outside the page. */
  keys: readonly Wallet[];
  /** `waits` for the page to say that it is ready, `calls` into the page, `both` as the Wallet Standard wants it. */
  registers?: 'waits' | 'calls' | 'both';
}

interface Bytes {
  message: number[];
  signature: number[];
}

interface Door {
  signAs(address: string, message: number[]): Promise<number[]>;
  signInAs(address: string, input: object): Promise<Bytes>;
}

/** What the wallets of this page were asked to sign, as text, in order. */
export async function openZoo(page: Page, ...animals: Animal[]): Promise<string[]> {
  const asked: string[] = [];
  const keys = new Map(animals.flatMap((animal) => animal.keys.map((key) => [key.address, key] as const)));
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
  await page.addInitScript(letLoose, animals.map(inPage));
  return asked;
}

/** Registers wallets in a page that is open already. Its zoo must hold their keys. */
export async function arrive(page: Page, ...animals: Animal[]): Promise<void> {
  await page.evaluate(letLoose, animals.map(inPage));
}

const ICON = 'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=';

const inPage = ({ name, icon = ICON, can, manner = 'signs', keys, registers = 'both' }: Animal) => {
  const accounts = keys.map(({ address }) => ({ address, publicKey: [...bs58.decode(address)] }));
  return { name, icon, can, manner, registers, accounts };
};

/** Runs in the page, before its scripts or after them. */
function letLoose(animals: ReturnType<typeof inPage>[]): void {
  const door = window as unknown as Door;
  const chains = ['solana:mainnet'] as const;

  for (const animal of animals) {
    const features = animal.can === 'sign-in' ? ['solana:signIn'] : ['solana:signMessage'];
    const accounts = animal.accounts.map(({ address, publicKey }) => ({
      address,
      publicKey: Uint8Array.from(publicKey),
      chains,
      features,
    }));

    /** What it does instead of signing, if anything. */
    const instead = async (): Promise<void> => {
      if (animal.manner === 'refuses') throw Object.assign(new Error('User rejected the request.'), { code: 4001 });
      if (animal.manner === 'locked') throw Object.assign(new Error('Not authorised.'), { code: 4100 });
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- what a wallet throws is not in our hands
      if (animal.manner === 'odd') throw { toString: () => '<b>odd</b>' };
      if (animal.manner === 'silent') await new Promise(() => undefined);
    };
    const signIn = async (input: { address?: string }) => {
      await instead();
      const account = accounts.find(({ address }) => address === input.address) ?? accounts[0];
      if (account === undefined) throw new Error('no account');
      const { message, signature } = await door.signInAs(account.address, input);
      const who = { signs: { account }, bare: { address: account.address } }[animal.manner as 'signs' | 'bare'];
      return [{ ...who, signedMessage: Uint8Array.from(message), signature: Uint8Array.from(signature) }];
    };
    const signMessage = async ({ account, message }: { account: { address: string }; message: Uint8Array }) => {
      await instead();
      const signature = Uint8Array.from(await door.signAs(account.address, [...message]));
      return [{ signedMessage: message, signature, signatureType: 'ed25519' }];
    };
    const wallet = {
      version: '1.0.0',
      name: animal.name,
      icon: animal.icon,
      chains,
      // One that signs in shows its accounts at once only when it has to: to be chosen among, or instead of an answer.
      accounts: animal.can === 'message' || accounts.length > 1 || animal.manner === 'mute' ? accounts : [],
      features: {
        'standard:connect': { version: '1.0.0', connect: () => Promise.resolve({ accounts }) },
        ...(animal.can === 'sign-in'
          ? { 'solana:signIn': { version: '1.0.0', signIn } }
          : { 'solana:signMessage': { version: '1.1.0', signMessage } }),
      },
    };
    const callback = ({ register }: { register(value: unknown): void }) => register(wallet);
    if (animal.registers !== 'calls')
      window.addEventListener('wallet-standard:app-ready', (event) => callback((event as CustomEvent<never>).detail));
    if (animal.registers !== 'waits')
      window.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: callback }));
  }
}
