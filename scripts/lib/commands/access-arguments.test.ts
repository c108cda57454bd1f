// Tests the command line of `npm run access`: valid commands, and the messages for others.
import { describe, expect, it } from 'vitest';
import { newAddress } from '../../../server/src/crypto/ed25519.ts';
import { readAccessArguments } from './access-arguments.ts';

const address = newAddress();

describe('A20: npm run access', () => {
  it.each(['block', 'unblock', 'end-sessions'])('%s takes a wallet', (subcommand) => {
    expect(readAccessArguments([subcommand, address])).toEqual({ subcommand, address });
  });

  it('list takes none, and help is shown', () => {
    expect(readAccessArguments(['list'])).toEqual({ subcommand: 'list' });
    expect(readAccessArguments(['--help'])).toBe('help');
  });

  it.each([
    [[], 'Say list'],
    [['list', address], 'Say list'],
    [['ban', address], 'Say list'],
    [['block', address, address], 'Say list'],
    [['block'], 'Say whose'],
    [['block', 'anna'], 'not a Solana wallet address'],
    [['block', `${address.slice(0, -1)}0`], 'not a Solana wallet address'],
    [['--force', 'block', address], '--force'],
  ])('refuses the arguments %j', (args, says) => expect(() => readAccessArguments(args)).toThrow(says));
});
