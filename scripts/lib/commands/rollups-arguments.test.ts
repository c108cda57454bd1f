// Tests the command line of `npm run rollups`: valid subcommands, and the messages for others.
import { describe, expect, it } from 'vitest';
import { readRollupsArguments } from './rollups-arguments.ts';

const ID = '0190d1f0-5b7e-7c3a-9d2e-1f2a3b4c5d6e';

describe('npm run rollups', () => {
  it('takes a subcommand and a project', () => {
    expect(readRollupsArguments(['check'])).toEqual({ subcommand: 'check', projectId: null });
    expect(readRollupsArguments(['rebuild', '--project', ID.toUpperCase()])).toEqual({
      subcommand: 'rebuild',
      projectId: ID,
    });
    expect(readRollupsArguments(['--help'])).toBe('help');
  });

  it.each([[[]], [['mend']], [['check', 'rebuild']], [['check', '--project', 'x']], [['check', '--all']]])(
    'refuses the arguments %j',
    (args) => {
      expect(() => readRollupsArguments(args)).toThrow(/check|UUID|option/);
    },
  );
});
