// Wallets to install, and how a phone opens this service in their apps.

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
