// Tests that no page claims to sign in with a hardware wallet, which most wallets do not support.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const PROMISE = /\bLedger (?:nano|device|wallet|stax|flex)|\b(?:your|with|a|via) Ledger\b|hardware wallet|\btrezor\b/i;

/** The texts people read: the README and every page. */
const read = () => [
  join(ROOT, 'README.md'),
  ...readdirSync(join(ROOT, 'web/src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:svelte|ts)$/.test(file) && !/\.(?:test|fixture)\.ts$/.test(file))
    .map((file) => join(ROOT, 'web/src', file)),
];

it('S12: no page and no README promises that a hardware wallet signs in', () => {
  const files = read();
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => PROMISE.test(readFileSync(file, 'utf8')))).toEqual([]);
  for (const promise of ['Sign in with your Ledger', 'any hardware wallet']) expect(promise).toMatch(PROMISE);
});
