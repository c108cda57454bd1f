// The links into wallet apps contain the encoded origin, and nothing else of the URL.
import { expect, it } from 'vitest';
import { browseLink, WALLET_APPS } from './wallets.ts';

it('opens the service in the app, and passes its maker only the origin (PM3)', () => {
  const links = WALLET_APPS.map((app) => browseLink(app, 'https://review.example.com:8443/?next=/invites/secret'));
  expect(links).toEqual([
    'https://phantom.app/ul/browse/https%3A%2F%2Freview.example.com%3A8443?ref=https%3A%2F%2Freview.example.com%3A8443',
    'https://solflare.com/ul/v1/browse/https%3A%2F%2Freview.example.com%3A8443?ref=https%3A%2F%2Freview.example.com%3A8443',
    'https://backpack.app/ul/v1/browse/https%3A%2F%2Freview.example.com%3A8443?ref=https%3A%2F%2Freview.example.com%3A8443',
  ]);
});
