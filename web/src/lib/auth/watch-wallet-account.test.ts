// A wallet that changes its account during a session, as the Wallet Standard reports it.
import { getWallets } from '@wallet-standard/app';
import type { Wallet, WalletAccount } from '@wallet-standard/base';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { otherAccount, watchAccount } from './wallets.ts';

const MINE = '7xKXtg2CWx8Q4vDh9mZ1rT5yBnE3sPfLcJ6uHkWa9fQ2';
const OTHER = '9abCtg2CWx8Q4vDh9mZ1rT5yBnE3sPfLcJ6uHkWa1234';
const CHAINS = ['solana:mainnet'] as const;

const account = (address: string, chains: readonly `${string}:${string}`[] = CHAINS): WalletAccount => ({
  address,
  publicKey: new Uint8Array(32),
  chains,
  features: [],
});

/** A wallet that is locked until `go` unlocks it on an account. `connects` is the result of a silent connection. */
function aWallet(name: string, connects: WalletAccount[] | null = null) {
  const listeners = new Set<(change: { accounts?: readonly WalletAccount[] }) => void>();
  let accounts: readonly WalletAccount[] = [];
  const asked: unknown[] = [];
  const connect = async (input: unknown) => {
    asked.push(input);
    if (connects === null) throw new Error('locked');
    accounts = connects;
    return { accounts };
  };
  const on = (_: string, listener: (change: { accounts?: readonly WalletAccount[] }) => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const wallet = {
    version: '1.0.0',
    name,
    icon: 'data:image/png;base64,',
    chains: CHAINS,
    get accounts() {
      return accounts;
    },
    features: {
      'standard:connect': { version: '1.0.0', connect },
      'standard:events': { version: '1.0.0', on },
    },
  } as unknown as Wallet;
  const go = (...next: WalletAccount[]) => {
    accounts = next;
    listeners.forEach((listener) => listener({ accounts: next }));
  };
  return { wallet, go, asked, listeners };
}

const stops: (() => void)[] = [];
const watch = (received: (string | null)[]) => stops.push(watchAccount(MINE, (other) => received.push(other)));

beforeEach(() => {
  const stored = JSON.stringify({ name: 'Mine', address: MINE });
  vi.stubGlobal('localStorage', { getItem: () => stored, setItem: () => undefined });
});
afterEach(() => {
  stops.splice(0).forEach((stop) => stop());
  vi.unstubAllGlobals();
});

describe('watchAccount', () => {
  it('reports when the wallet switches to another account, back, and is locked', () => {
    const { wallet, go } = aWallet('Mine');
    stops.push(getWallets().register(wallet));
    const received: (string | null)[] = [];
    watch(received);
    go(account(OTHER));
    go(account(MINE));
    go(account(OTHER));
    go();
    expect(received).toEqual([OTHER, null, OTHER, null]);
  });

  it('connects to a wallet that registers late, without prompting the user', async () => {
    const received: (string | null)[] = [];
    watch(received);
    const { wallet, asked } = aWallet('Mine', [account(OTHER)]);
    stops.push(getWallets().register(wallet));
    await vi.waitFor(() => expect(received).toEqual([OTHER]));
    expect(asked).toEqual([{ silent: true }]);
  });

  it('ignores other wallets, and every wallet after it was stopped', () => {
    const [mine, foreign] = [aWallet('Mine'), aWallet('Foreign')];
    stops.push(getWallets().register(mine.wallet, foreign.wallet));
    const received: (string | null)[] = [];
    watch(received);
    foreign.go(account(OTHER));
    stops.pop()?.();
    mine.go(account(OTHER));
    expect(received).toEqual([]);
    expect(mine.listeners.size).toBe(0);
  });

  it('survives anything that can be registered', () => {
    const { wallet, go } = aWallet('Mine');
    const broken = { name: 'Mine', features: null };
    stops.push(getWallets().register(...([null, 7, {}, broken] as unknown as Wallet[]), wallet));
    const received: (string | null)[] = [];
    watch(received);
    go(account(OTHER));
    expect(received).toEqual([OTHER]);
  });

  it('follows no wallet when another user signed in last in this browser', () => {
    const { wallet, asked, listeners } = aWallet('Mine');
    stops.push(getWallets().register(wallet));
    stops.push(watchAccount(OTHER, () => expect.unreachable()));
    expect([asked, listeners.size]).toEqual([[], 0]);
  });
});

describe('otherAccount', () => {
  it.each([
    ['no account', [], null],
    ['the signed-in one', [account(MINE)], null],
    ['the signed-in one among others', [account(OTHER), account(MINE)], null],
    ['another one', [account(OTHER)], OTHER],
    ['one of another chain only', [account('0xabc', ['eip155:1'])], null],
  ])('finds another account when the wallet reports %s', (_, accounts, other) =>
    expect(otherAccount(MINE, accounts)).toBe(other),
  );
});
