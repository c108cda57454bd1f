// A claim that must not be made: signing in with a hardware wallet, because through most wallets the message never reaches it.
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
