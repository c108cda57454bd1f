// Tests the command line of `npm run forget`: one wallet, and no change without --yes.
import { describe, expect, it } from 'vitest';
import { readForgetArguments } from './forget-arguments.ts';
import { UsageError } from '../submit/arguments.ts';

const WALLET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';

describe('KE6: npm run forget', () => {
  it.each([
    [['--wallet', WALLET], { address: WALLET, yes: false }],
    [['--yes', '--wallet', WALLET], { address: WALLET, yes: true }],
    [['-h'], 'help'],
  ])('reads the arguments %j', (args, options) => {
    expect(readForgetArguments(args)).toEqual(options);
  });

  it.each([[[]], [[WALLET]], [['--wallet']], [['--wallet', 'me']], [['--wallet', `${WALLET}0`]], [['--all', '--yes']]])(
    'refuses %j with the usage',
    (args) => {
      expect(() => readForgetArguments(args)).toThrow(UsageError);
    },
  );
});
